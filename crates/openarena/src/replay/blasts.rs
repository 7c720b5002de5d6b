//! A recorded explosion among victims, suffered again.
//!
//! Where it went off and where everyone stood is taken from the record; who is hurt, by how much, and how he is thrown
//! is computed and compared. Victims stand still before, so that what they move by afterwards is the blow.

use fireteam_world::blast::{Target, harm};
use fireteam_world::game::Game;
use fireteam_world::movement::{Player, Stance};
use fireteam_world::trace::Placed;
use fireteam_world::units::EntityId;
use fireteam_world::{Scene, Solids, Vec3};

use crate::capture::rows::{MoverFrame, PlayerFrame};
use crate::capture::runs::{Explosion, Run};

const DUCKED: i32 = 1;

/// One body near one explosion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suffered {
    /// From the explosion to the box the server links.
    pub distance: f32,
    pub is_thrower: bool,
    pub recorded: i32,
    pub computed: i32,
    /// Between the velocities after the blow; none if he was moving before.
    pub throw_apart: Option<f32>,
}

/// Everyone near the explosion of a run; empty if there was none.
pub fn replay(run: &Run, solids: &Solids, game: &Game) -> Vec<Suffered> {
    let Some(explosion) = run.explosion() else { return Vec::new() };
    let placed: Vec<Placed> = run.movers_at(explosion.frame).iter().map(MoverFrame::placed).collect();
    let scene = Scene { solids, placed: &placed, bodies: &[] };
    let bodies = 0..run.frames[explosion.frame].players.len();
    bodies.filter_map(|index| suffer(run, &explosion, index, game, &scene)).collect()
}

fn suffer(run: &Run, explosion: &Explosion, index: usize, game: &Game, scene: &Scene<'_>) -> Option<Suffered> {
    let now = &run.frames[explosion.frame];
    let missile = now.missiles.iter().find(|missile| missile.entity == explosion.missile)?;
    let throwable = game.throwable(&missile.class)?;
    let blast = throwable.blast.as_ref()?;
    let before = run.frames.get(explosion.frame.checked_sub(1)?)?.players.get(index)?;
    let after = now.players.get(index)?;
    let distance = distance_to_box(explosion.origin, after);
    // Whoever the missile itself struck took the direct damage instead.
    if before.health <= 0 || (explosion.is_hit && distance < 1.0) {
        return None;
    }
    let stance = if after.move_flags & DUCKED != 0 { Stance::Crouched } else { Stance::Standing };
    let target = Target {
        origin: after.origin,
        hull: game.rules.movement.hull(stance),
        stance,
        entity: Some(EntityId(index as u16)),
        is_self: index == 0,
    };
    let harm = harm(explosion.origin, blast, game, &target, scene);
    let is_still = before.velocity == Vec3::ZERO && before.origin == after.origin;
    let throw_apart = is_still.then(|| {
        let mut thrown = Player::at(after.origin, &game.rules.movement);
        if let Some(harm) = harm {
            thrown.knock(harm.direction, harm.blow, &game.rules.movement);
        }
        thrown.velocity.distance(after.velocity)
    });
    let recorded = before.health - after.health;
    let computed = harm.map_or(0, |harm| harm.points);
    Some(Suffered { distance, is_thrower: index == 0, recorded, computed, throw_apart })
}

fn distance_to_box(point: Vec3, body: &PlayerFrame) -> f32 {
    (point - point.clamp(body.absmin, body.absmax)).length()
}
