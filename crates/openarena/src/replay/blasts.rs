//! A recorded explosion among victims, suffered again.
//!
//! Where it went off and where everyone stood is taken from the record; who is hurt, by how much, and how he is thrown
//! is computed and compared. Victims stand still before, so that what they move by afterwards is the blow.

use fireteam_world::blast::{Target, absorb, harm};
use fireteam_world::game::{Blast, Game};
use fireteam_world::movement::{Player, Stance};
use fireteam_world::trace::Placed;
use fireteam_world::units::EntityId;
use fireteam_world::{Crowd, Scene, Solids, Vec3};

use crate::capture::rows::{Event, MoverFrame, PlayerFrame};
use crate::capture::runs::{Explosion, Run};

const DUCKED: i32 = 1;
/// An explosion is cut to integers away from what the missile struck: it may lie this far from the linked box.
const STRUCK_MAX: f32 = 2.0;
/// Quad damage, which is three.
const QUAD_FACTOR: i32 = 3;
/// Numbers of a player's events.
const EVENT_FALL_MEDIUM: i32 = 11;
const EVENT_FALL_FAR: i32 = 12;
/// Velocities nearer than this are the same.
const SAME_THROW: f32 = 0.01;

/// One body near one explosion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suffered {
    /// From the explosion to the box the server links.
    pub distance: f32,
    pub is_thrower: bool,
    pub recorded: i32,
    pub computed: i32,
    /// What armour could take off that.
    pub absorbed_max: i32,
    /// Between the velocities after the blow; none if he was moving before.
    pub throw_apart: Option<f32>,
}

impl Suffered {
    pub fn is_equal(&self) -> bool {
        self.recorded == self.computed
    }

    /// Less was lost than computed, by no more than armour takes, and the blow, which armour does not soften, is the
    /// computed one as far as can be told: he wore some. (The record does not tell armour; there is some to pick up.)
    /// Thrown as computed without any loss, he wore a battle suit.
    pub fn is_armoured(&self) -> bool {
        let is_thrown_as_computed = self.throw_apart.is_none_or(|apart| apart <= SAME_THROW);
        let is_by_armour = (1..=self.absorbed_max).contains(&(self.computed - self.recorded)) && is_thrown_as_computed;
        let is_by_suit = self.computed > 0 && self.recorded == 0 && self.throw_apart.is_some_and(|a| a <= SAME_THROW);
        is_by_armour || is_by_suit
    }
}

/// Everyone near the explosion of a run; empty if there was none.
///
/// The record does not tell whether the thrower had found quad damage: it is taken for granted if everyone's loss
/// then comes out, and without it not.
pub fn replay(run: &Run, solids: &Solids, game: &Game) -> Vec<Suffered> {
    let [plain, quad] = [1, QUAD_FACTOR].map(|factor| suffered(run, solids, game, factor));
    let is_right = |bodies: &[Suffered]| bodies.iter().all(|body| body.is_equal() || body.is_armoured());
    if !is_right(&plain) && is_right(&quad) { quad } else { plain }
}

fn suffered(run: &Run, solids: &Solids, game: &Game, factor: i32) -> Vec<Suffered> {
    let Some(explosion) = run.explosion() else { return Vec::new() };
    let placed: Vec<Placed> = run.movers_at(explosion.frame).iter().map(MoverFrame::placed).collect();
    let crowd = Crowd::of(solids, &placed, &[]);
    let scene = Scene { solids, crowd: &crowd };
    let now = &run.frames[explosion.frame];
    let missile = now.missiles.iter().find(|missile| missile.entity == explosion.missile);
    let Some(blast) = missile.and_then(|missile| game.throwable(&missile.class)?.blast.clone()) else {
        return Vec::new();
    };
    let blast = Blast { damage: blast.damage * factor, ..blast };
    (0..now.players.len()).filter_map(|index| suffer(run, &explosion, index, game, &blast, &scene)).collect()
}

fn suffer(
    run: &Run,
    explosion: &Explosion,
    index: usize,
    game: &Game,
    blast: &Blast,
    scene: &Scene<'_>,
) -> Option<Suffered> {
    let before = run.frames.get(explosion.frame.checked_sub(1)?)?.players.get(index)?;
    let after = run.frames[explosion.frame].players.get(index)?;
    let distance = distance_to_box(explosion.origin, after);
    // Whoever the missile itself struck took the direct damage instead; the linked box is a unit larger than the hull.
    if before.health <= 0 || (explosion.is_hit && distance <= STRUCK_MAX) {
        return None;
    }
    let stance = if after.move_flags & DUCKED != 0 { Stance::Crouched } else { Stance::Standing };
    let hull = game.rules.movement.hull(stance);
    let is_carried = after.absmin.fract() != Vec3::ZERO;
    let target = Target {
        // Who is carried in this frame stands elsewhere at its end than when it went off: the box that is linked tells.
        origin: if is_carried { after.absmin + Vec3::ONE - hull.mins } else { after.origin },
        hull,
        stance,
        entity: Some(EntityId(index as u16)),
        is_self: index == 0,
        is_carried,
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
    let computed = harm.map_or(0, |harm| harm.points) + fall_damage(after, game);
    Some(Suffered {
        distance,
        is_thrower: index == 0,
        recorded: before.health - after.health,
        computed,
        absorbed_max: absorb(computed, i32::MAX, game).armour,
        throw_apart,
    })
}

/// What landing in the same frame costs, by the events it made.
fn fall_damage(body: &PlayerFrame, game: &Game) -> i32 {
    let fall = &game.rules.movement.fall;
    let cost = |event: &Event| match event.event {
        EVENT_FALL_MEDIUM => fall.medium_damage,
        EVENT_FALL_FAR => fall.far_damage,
        _ => 0,
    };
    body.events.iter().map(cost).sum()
}

fn distance_to_box(point: Vec3, body: &PlayerFrame) -> f32 {
    (point - point.clamp(body.absmin, body.absmax)).length()
}
