//! Pads and teleporters: where a body that touches them comes down.

use fireteam_terrain::SpanFlags;
use fireteam_world::movement::{Command, Event, Player, TriggerAction, angle_word, frame};
use fireteam_world::walker::Travel;
use fireteam_world::{Vec3, maths};

use super::body::Touched;
use super::flood::{Flood, Landing};

/// Of the places on a pad, so many fly, and so many of the leaps that end in it; the others follow the first.
const FLIGHTS_MAX: u32 = 12;
/// Longer flights never land.
const FLIGHT_MS: i32 = 10_000;
/// A body that is thrown needs this long to leave the floor.
const TAKE_OFF_MS: i32 = 150;
/// What is pressed in flight: nothing, or a run at so many degrees from the throw.
const STEERED: [Option<f32>; 5] = [None, Some(0.0), Some(90.0), Some(180.0), Some(270.0)];

/// Who was thrown by a trigger so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flights {
    standing: u32,
    leaping: u32,
    /// Where the first one landed.
    landed: Option<u32>,
}

impl Flood<'_> {
    /// A body at `origin` is sent on by a trigger; `index` is the place it came from.
    pub(super) fn send(&mut self, index: u32, trigger: usize, origin: Vec3) {
        match self.body.triggers[trigger].action {
            TriggerAction::Teleport { origin: exit, .. } => {
                // An exit over a pad, or in another teleporter's mouth, is left in flight.
                if self.drop_in(Some((index, Travel::Teleport)), exit + Vec3::Z).is_none()
                    && self.may_fly(index, trigger, origin, Travel::Teleport)
                {
                    let landed = self.fly_from_pad(index, origin, &Command::default(), Travel::Teleport);
                    self.note_landing(trigger, landed);
                }
            }
            TriggerAction::Launch { velocity } => self.launch(index, trigger, origin, velocity),
            TriggerAction::Hurt { .. } | TriggerAction::Fire => {}
        }
    }

    /// Appears in the air and comes down, as small as it must be; nowhere if a trigger takes it on the way.
    pub(super) fn drop_in(&mut self, from: Option<(u32, Travel)>, origin: Vec3) -> Option<u32> {
        let mut landings = Vec::new();
        let stances = self.body.hulls(SpanFlags::STAND);
        for stance in stances {
            self.settle(origin, self.body.hull(*stance), &mut landings);
            if !landings.is_empty() {
                break;
            }
        }
        // The first is the map's own floor, if there is any; but not below a lift that rests on it.
        let mut found: Option<u32> = None;
        for landing in landings {
            if self.body.touched_between(origin, landing.origin).is_none() {
                let place = self.arrive(from, landing, SpanFlags::NONE);
                found = found.filter(|found| !self.places[*found as usize].is_filled).or(place).or(found);
            }
        }
        found
    }

    fn launch(&mut self, index: u32, trigger: usize, origin: Vec3, velocity: Vec3) {
        if !self.may_fly(index, trigger, origin, Travel::Push) {
            return;
        }
        let yaw = maths::atan2(velocity.y, velocity.x).to_degrees();
        for steered in STEERED {
            let command = match steered {
                None => Command::default(),
                Some(turned) => {
                    Command { angles: [0, angle_word(yaw + turned), 0], forward: 127, ..Command::default() }
                }
            };
            let landed = self.fly_from_pad(index, origin, &command, Travel::Push);
            self.note_landing(trigger, landed);
        }
    }

    fn note_landing(&mut self, trigger: usize, landed: Option<u32>) {
        let flights = &mut self.sent[trigger];
        flights.landed = flights.landed.or(landed);
    }

    /// Whether one more body is flown by this trigger; if not, it lands where the first one did. Leaps that end in a pad
    /// are many, and found before the pad itself is stood on: they must not use up its own flights.
    fn may_fly(&mut self, index: u32, trigger: usize, origin: Vec3, kind: Travel) -> bool {
        let stands = self.places[index as usize].origin == origin;
        let flights = &mut self.sent[trigger];
        let count = if stands { &mut flights.standing } else { &mut flights.leaping };
        *count += 1;
        if *count <= FLIGHTS_MAX {
            return true;
        }
        if let Some(to) = flights.landed {
            self.ways.push((index, super::Way { to, kind }));
        }
        false
    }

    /// The real legs fly it, triggers on the way included.
    fn fly_from_pad(&mut self, index: u32, origin: Vec3, command: &Command, kind: Travel) -> Option<u32> {
        let scene = self.body.scene();
        let setting = self.body.setting(&scene);
        let frame_ms = self.body.frame_ms;
        let mut player = Player::at(origin, self.body.rules);
        let mut time = 0;
        while time < FLIGHT_MS {
            let step = frame(&player, command, frame_ms, &setting, &self.body.triggers);
            let has_jumped_aside = step.events.iter().any(|event| matches!(event, Event::Teleported { .. }));
            // Between frames too: what falls fast enough passes a thin trigger, but nothing is to be reached that way.
            let between = self.body.touched_between(player.origin, step.player.origin);
            if !has_jumped_aside && matches!(between, Some((Touched::Death, _))) {
                return None;
            }
            player = step.player;
            time += frame_ms;
            if player.origin.z < self.body.bottom {
                return None;
            }
            let has_landed = !player.ground.is_air() && player.pad.is_none();
            let swims = player.immersion.level > 1;
            if time > TAKE_OFF_MS && (has_landed || swims) {
                let landing = Landing { origin: player.origin, is_steep: false, mover: None };
                let extra = if has_landed { SpanFlags::NONE } else { SpanFlags::SWIM };
                return self.arrive(Some((index, kind)), landing, extra);
            }
        }
        None
    }
}
