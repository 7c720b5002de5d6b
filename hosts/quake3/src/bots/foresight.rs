//! Whether bots are shown their bodies as they are: each is moved on by our physics and compared with the next frame.
//!
//! In: a snapshot, and what was pressed for it. Out: how many bodies were a frame later where `world::movement` had taken
//! them. Nothing of the translation is used to check it but what bots get: a wrong flag, angle or stance shows as a
//! body that goes elsewhere. Frames in which somebody was struck, died or was near others prove nothing and are left
//! out. Only on request (`ft_check 1`), for tests.
//!
//! Cost: a frame of movement a bot, some microseconds.

use fireteam::snapshot::{Own, Phase, Snapshot};
use fireteam::{Command, Field};
use fireteam_openarena::play::report::Foreseen;
use fireteam_world::movement::{Setting, Trigger, frame};
use fireteam_world::trace::Placed;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Crowd, Scene, Vec3};

/// As near as our movement is held to the engine's.
const NEAR: f32 = 0.25;
/// Others closer than this may be in the way.
const CROWDED: f32 = 120.0;

#[derive(Debug)]
pub(super) struct Foresight {
    triggers: Vec<Trigger>,
    expected: Vec<(EntityId, u32, Vec3)>,
    pub(super) foreseen: Foreseen,
}

impl Foresight {
    pub(super) fn new(field: &Field) -> Foresight {
        let triggers = field.triggers.iter().map(|(_, trigger)| *trigger).collect();
        Foresight { triggers, expected: Vec::new(), foreseen: Foreseen::default() }
    }

    /// Compares with what was expected, and expects anew.
    pub(super) fn look(&mut self, snapshot: &Snapshot, commands: &[Command], field: &Field) {
        for (entity, life, place) in self.expected.drain(..) {
            let Some(own) = snapshot.own.iter().find(|own| own.entity == entity && own.life == life) else { continue };
            if own.hurt.is_none() && !own.body.is_dead && !own.body.hold.knocked {
                self.foreseen.bodies += 1;
                self.foreseen.near += u64::from(own.body.origin.distance(place) <= NEAR);
            }
        }
        let placed: Vec<Placed> = snapshot
            .movers
            .iter()
            .filter(|mover| !mover.is_gone)
            .map(|mover| Placed {
                entity: mover.entity,
                model: mover.model,
                origin: mover.position.at(snapshot.time),
                angles: mover.angles.at(snapshot.time),
                // A door counts as everything.
                contents: Contents(u32::MAX),
            })
            .collect();
        let crowd = Crowd::of(&field.solids, &placed, &[]);
        let scene = Scene { solids: &field.solids, crowd: &crowd };
        for own in snapshot.own.iter().filter(|own| is_alone(own, snapshot)) {
            let Some(command) = commands.iter().find(|command| command.bot == own.entity) else { continue };
            let rules = &field.game.rules.movement;
            let setting = Setting { scene: &scene, rules, me: Some(own.entity), mask: Contents::MASK_BOT };
            let moved = frame(&own.body, &command.press, snapshot.frame_ms, &setting, &self.triggers).player;
            self.expected.push((own.entity, own.life, moved.origin));
        }
    }
}

/// Alive, free to move, struck by nothing, on nothing that moves, and nobody about.
fn is_alone(own: &Own, snapshot: &Snapshot) -> bool {
    let is_near = |origin: Vec3| origin.distance(own.body.origin) < CROWDED;
    let others = snapshot.players.iter().filter(|figure| figure.entity != own.entity);
    let is_carried = matches!(own.body.ground, fireteam_world::movement::Ground::Floor { entity: Some(_), .. });
    snapshot.phase == Phase::Playing
        && !own.body.is_dead
        && !is_carried
        && !others.map(|figure| figure.origin).any(is_near)
}
