//! How far does a straight line lead over the map itself, whatever the mesh knows of it?
//!
//! In: a place and a level direction. Out: how far one walks that way, and what a drop or a jump at the end would reach
//! ([`Reached`]). For who stands where nothing is known: explorers, and who has to get back to the mesh (`back`).
//!
//! Doors are taken to be open: who walks into one finds out. Cost: three short sweeps a stride.

use fireteam_world::movement::{Stance, TriggerAction};
use fireteam_world::trace::{Bounds, Scene, Sweep};
use fireteam_world::walker::Travel;
use fireteam_world::{Contents, Hull, Vec3};

use crate::field::Field;

pub(crate) const STRIDE: f32 = 32.0;
/// A look leads no farther than so many of them.
const STRIDES: usize = 14;
/// Somebody who drops deeper may be hurt.
const DROP: f32 = 200.0;
/// A step down of more than this is a drop.
const STEP_DOWN: f32 = 22.0;
const MASK: Contents = Contents::MASK_BOT;
/// So far over the feet it is looked whether they are in something.
const WET: f32 = 4.0;
/// A jump is not counted on to its last inch.
const JUMP_SPARE: f32 = 4.0;

/// The map under somebody's feet.
pub(crate) struct Feelers<'a> {
    field: &'a Field,
    scene: Scene<'a>,
    hull: Hull,
    step: f32,
    jump: f32,
    slope: f32,
}

/// How far a straight line leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reached {
    pub(crate) place: Vec3,
    /// What a drop or a jump there would reach.
    pub(crate) beyond: Option<(Vec3, Travel)>,
}

impl<'a> Feelers<'a> {
    pub(crate) fn of(field: &'a Field) -> Feelers<'a> {
        let rules = &field.game.rules.movement;
        Feelers {
            field,
            scene: Scene::of(&field.solids),
            hull: rules.hull(Stance::Standing),
            step: rules.step_height,
            jump: rules.jump_speed * rules.jump_speed / (2.0 * rules.gravity.max(1) as f32) - JUMP_SPARE,
            slope: rules.floor_normal_min,
        }
    }

    pub(crate) fn walk(&self, from: Vec3, along: Vec3) -> Reached {
        self.walk_until(from, along, |_| false)
    }

    /// The same, but no farther than to where one wanted to get.
    pub(crate) fn walk_until(&self, from: Vec3, along: Vec3, is_there: impl Fn(Vec3) -> bool) -> Reached {
        self.stride_along(from, along, STRIDES, is_there)
    }

    pub(crate) fn walk_up_to(&self, from: Vec3, along: Vec3, far: f32) -> Reached {
        self.stride_along(from, along, (far / STRIDE).ceil() as usize, |_| false)
    }

    fn stride_along(&self, from: Vec3, along: Vec3, strides: usize, is_there: impl Fn(Vec3) -> bool) -> Reached {
        let mut at = from;
        for _ in 0..strides {
            match self.stride(at, along, self.step) {
                Some(next) if at.z - next.z <= STEP_DOWN => at = next,
                Some(below) => return Reached { place: at, beyond: Some((below, Travel::Drop)) },
                None => {
                    let up = self.stride(at, along, self.jump).filter(|up| up.z > at.z + self.step * 0.5);
                    return Reached { place: at, beyond: up.map(|up| (up, Travel::Jump)) };
                }
            }
            if is_there(at) {
                break;
            }
        }
        Reached { place: at, beyond: None }
    }

    /// One stride on, up by no more than `rise` and down as far as one dares; none if there is a wall, or no floor.
    fn stride(&self, at: Vec3, along: Vec3, rise: f32) -> Option<Vec3> {
        let sweep = |from: Vec3, to: Vec3| self.scene.sweep(&Sweep::hull(from, to, self.hull, MASK), None);
        let up = sweep(at, at + Vec3::Z * rise);
        let over = sweep(up.end, up.end + along * STRIDE);
        if up.start_solid || over.end.truncate().distance(at.truncate()) < STRIDE * 0.9 {
            return None;
        }
        let down = sweep(over.end, over.end - Vec3::Z * (rise + DROP));
        let carries = down.is_hit() && !down.start_solid && down.normal.z >= self.slope;
        (carries && !self.harms(down.end)).then_some(down.end)
    }

    /// In lava or slime, or in a trigger that hurts.
    fn harms(&self, origin: Vec3) -> bool {
        let (feet, head) = (origin + self.hull.mins, origin + self.hull.maxs);
        let middle = origin.with_z(feet.z + WET);
        let body = Bounds { mins: feet, maxs: head };
        let hurts = |action: &TriggerAction| matches!(action, TriggerAction::Hurt { .. });
        self.field.solids.has_contents_at(middle, Contents::LAVA.union(Contents::SLIME))
            || self.field.triggers.iter().any(|(bounds, trigger)| hurts(&trigger.action) && bounds.meets(&body))
    }
}
