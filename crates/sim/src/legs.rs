//! Bodies move: one after the other, in an order that turns round every frame, each among the others as they are.

use fireteam::snapshot::SoundKind;
use fireteam_world::movement::{self, Event, Setting, Step};
use fireteam_world::mover::Act;
use fireteam_world::trace::Bounds;
use fireteam_world::{Contents, Scene, Vec3};

use crate::Match;
use crate::harm::Blow;

/// A body's own size and what it may gain in speed within a frame: triggers further away are not looked at.
const TRIGGER_ROOM: f32 = 96.0;
/// A trigger that hurts does so ten times a second.
const BITE_MS: i32 = 100;
/// Whoever appears where another stands takes his place.
const TRAMPLED: i32 = 10_000;

impl Match {
    pub(crate) fn move_bodies(&mut self) {
        self.gather_crowd();
        for slot in self.order() {
            let step = self.move_body(slot);
            self.soldiers[slot].body = step.player;
            if !step.player.is_dead {
                self.crowd.move_body(slot, step.player.origin);
            }
            let rider = self.soldiers[slot].entity;
            self.acts.extend(step.touched.iter().map(|mover| Act::Bumped { rider, mover }));
            for event in step.events.iter() {
                self.body_event(slot, event);
            }
        }
        // Boxes change with the stance.
        self.gather_crowd();
    }

    fn move_body(&mut self, slot: usize) -> Step {
        let rules = &self.field.game.rules;
        let soldier = &self.soldiers[slot];
        let reach = Vec3::splat(TRIGGER_ROOM) + soldier.body.velocity.abs() * (rules.frame_ms as f32 * 0.001);
        let around = Bounds { mins: soldier.body.origin - reach, maxs: soldier.body.origin + reach };
        self.near.clear();
        let near = self.field.triggers.iter().filter(|(bounds, _)| bounds.meets(&around));
        self.near.extend(near.map(|(_, trigger)| *trigger));
        let scene = Scene { solids: &self.field.solids, crowd: &self.crowd };
        let (me, mask) = (Some(soldier.entity), Contents::MASK_BOT);
        let setting = Setting { scene: &scene, rules: &rules.movement, me, mask };
        movement::frame(&soldier.body, &soldier.command.press, rules.frame_ms, &setting, &self.near)
    }

    fn body_event(&mut self, slot: usize, event: Event) {
        let soldier = &self.soldiers[slot];
        let (source, origin) = (Some(soldier.entity), soldier.body.origin);
        match event {
            Event::Footfall(_) => self.sound(SoundKind::Step, origin, source),
            Event::Jumped | Event::Launched { .. } => self.sound(SoundKind::Jump, origin, source),
            Event::Landed { damage, .. } => {
                self.sound(SoundKind::Jump, origin, source);
                if damage > 0 {
                    self.blows.push(Blow::by_nobody(slot, damage));
                }
            }
            Event::Teleported { from, .. } => {
                self.sound(SoundKind::Teleport, from, None);
                self.sound(SoundKind::Teleport, origin, None);
                self.trample(slot);
            }
            Event::Hurt { damage, .. } => self.bite(slot, damage),
            Event::SteppedUp { .. }
            | Event::EnteredWater
            | Event::LeftWater
            | Event::WentUnder
            | Event::CameUp
            // Volumes that set movers off are felt by the movers themselves.
            | Event::Fired { .. } => {}
        }
    }

    fn bite(&mut self, slot: usize, damage: i32) {
        let now = self.now;
        let soldier = &mut self.soldiers[slot];
        if now >= soldier.bitten_next {
            soldier.bitten_next = now + BITE_MS;
            self.blows.push(Blow::by_nobody(slot, damage));
        }
    }

    /// Kills whoever stands where this one has appeared, mates too, as the engine does (`G_KillBox`): of two bodies in each other
    /// neither can move.
    pub(crate) fn trample(&mut self, slot: usize) {
        let rules = &self.field.game.rules.movement;
        let mine = self.soldiers[slot].as_obstacle(rules);
        let box_of = |body: fireteam_world::Body| Bounds {
            mins: body.origin + body.hull.mins,
            maxs: body.origin + body.hull.maxs,
        };
        for other in 0..self.soldiers.len() {
            let theirs = self.soldiers[other].as_obstacle(rules);
            if other != slot && self.soldiers[other].is_alive() && box_of(mine).meets(&box_of(theirs)) {
                let from = Some(self.soldiers[slot].entity);
                self.blows.push(Blow { from, spares_nobody: true, ..Blow::by_nobody(other, TRAMPLED) });
            }
        }
    }
}
