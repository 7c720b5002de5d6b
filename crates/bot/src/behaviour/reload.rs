//! Getting ready while nobody is in sight: a full clip, and the gun in hand that the next fight wants.

use fireteam_world::game::WeaponKind;

use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::words;

#[derive(Clone, Debug)]
pub(super) struct Reload;

/// What the next fight is taken to be at.
const TYPICAL_RANGE: f32 = 350.0;
/// A clip this far down is filled when there is time for it.
const CLIP_SHARE: f32 = 0.6;
/// Nobody was in sight for so long.
const QUIET_MS: i32 = 1500;

impl Reload {
    /// Whether the clip of what is in hand should be filled.
    fn needs_reload(view: &View) -> bool {
        let clip = gunnery::clip(&view.field.arsenal, view.own);
        clip.is_some_and(|(left, size)| f32::from(left) < size as f32 * CLIP_SHARE)
    }
}

impl Behaviour for Reload {
    fn name(&self) -> &'static str {
        "getting ready"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        if view.threats_within(QUIET_MS).next().is_some() {
            return None;
        }
        let arsenal = &view.field.arsenal;
        let (best, _) = gunnery::best(arsenal, view.own, TYPICAL_RANGE, view.marksman());
        let wants_other = best != view.own.weapon && arsenal.weapon(best).kind != WeaponKind::Melee;
        if view.own.is_reloading || !wants_other && !Self::needs_reload(view) {
            return None;
        }
        let reason = if wants_other {
            words!("{} is better than {}", arsenal.weapon_name(best), arsenal.weapon_name(view.own.weapon))
        } else {
            words!("quiet enough to reload")
        };
        Some(Bid { channels: Channels::HANDS, band: Band::Need, score: 0.5, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let (best, _) = gunnery::best(&view.field.arsenal, view.own, TYPICAL_RANGE, view.marksman());
        limbs.hands.select(best);
        if best == view.own.weapon && Self::needs_reload(view) {
            limbs.hands.reload(view.now);
        }
        Outcome::Continue
    }
}
