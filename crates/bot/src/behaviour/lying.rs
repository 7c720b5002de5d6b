//! Whether to lie down where one stands to wait: smaller, steadier, and slow to get up again.
//!
//! Not a behaviour: who waits at a place (`camp`, `posts`) asks once when it gets there.
//! Cost: sixteen rays.

use fireteam_world::contents::Contents;
use fireteam_world::movement::Stance;
use fireteam_world::trace::Sweep;
use fireteam_world::{Vec3, maths};

use super::View;

/// Directions that are looked into.
const WAYS: usize = 8;
/// Farther than this is a view worth lying down for: nearer, whoever comes is there before one is up.
const FAR: f32 = 500.0;
/// Share of the far views of who stands that must be left to who lies.
const LEFT: f32 = 0.7;

/// Whether the game has it, and whoever lies here sees far nearly everywhere that he would standing.
pub(super) fn is_good_here(view: &View) -> bool {
    let rules = &view.field.game.rules.movement;
    if rules.prone.is_none() || view.own.body.ground.is_air() || view.own.body.immersion.level > 0 {
        return false;
    }
    let far_views = |stance: Stance| {
        let eye = view.origin() + Vec3::Z * rules.eye_height(stance) as f32;
        let ways = (0..WAYS).map(|way| maths::game_axes(0.0, way as f32 * (360.0 / WAYS as f32), 0.0).forward);
        let is_far = |way: &Vec3| view.field.opaque.is_clear(&Sweep::ray(eye, eye + *way * FAR, Contents::MASK_OPAQUE));
        ways.filter(is_far).count() as f32
    };
    let standing = far_views(Stance::Standing);
    standing > 0.0 && far_views(Stance::Prone) >= standing * LEFT
}
