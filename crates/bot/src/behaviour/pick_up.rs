//! Taking along what lies a few steps off the way: legs are lent for a moment, and go on with what they were at.
//!
//! In: items as believed, and where the legs are going. Out: a short walk to one that is worth more than the time the detour
//! takes. `fetch` plans journeys to what is worth most; here nobody plans, and whoever runs after somebody, or to something better
//! yet, does not run past a medkit within arm's reach. Not in a fight, not with the flag, and not for who stands and waits.
//!
//! Cost: a distance for each item of the map, a turn; nearly always none is near.

use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::fetch::{Shelf, Want};
use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::legs::{Manner, Travelling};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct PickUp {
    shelf: Shelf,
    wanted: Option<Want>,
    /// Until when it is tried: whatever keeps one from it for longer, it was no matter of a moment.
    until: Time,
}

/// Half a second's run in Quake III: farther off is a journey.
const REACH: f32 = 160.0;
/// By the way there, the same with turning about.
const AT_HAND_MS: u32 = 1000;
const TRIED_MS: i32 = 1500;
/// Items are taken this far from the line that is run anyway: in Quake III a body's middle may pass them by 36 units.
const ON_LINE: f32 = 30.0;
/// A second lost must bring so many points: what makes half a score when things are fetched.
const POINTS_A_SECOND: f32 = 10.0;

impl Behaviour for PickUp {
    fn name(&self) -> &'static str {
        "picking up"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let before = self.wanted.take().filter(|_| view.now < self.until);
        if view.mood.enemies_in_sight > 0 || view.is_bearer() {
            return None;
        }
        let want = match before {
            Some(old) => self.shelf.best_within(view, 2.0 * REACH, |want| want.origin == old.origin)?,
            None => {
                let ahead = limbs.legs.ahead()?;
                self.until = view.now + TRIED_MS;
                self.shelf.best_within(view, REACH, |want| want.travel_ms < AT_HAND_MS && pays(view, ahead, want))?
            }
        };
        self.wanted = Some(want);
        let reason = words!("{} lies by the way", view.field.arsenal.item_name(want.kind));
        Some(Bid { channels: Channels::LEGS, band: Band::Fight, score: SCORE, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(want) = self.wanted else { return Outcome::Done(words!("nothing to pick up")) };
        limbs.legs.go(want.destination, Manner::RUN);
        match limbs.legs.state() {
            // Standing where it should be and not having it: somebody else has.
            Travelling::Arrived | Travelling::Failed(_) => {
                self.shelf.avoid(want.origin, view.now);
                self.wanted = None;
                Outcome::Done(words!("was there"))
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn forget(&mut self) {
        self.wanted = None;
    }
}

/// Above running after somebody and fetching a gun, below a fight.
const SCORE: f32 = 0.65;

/// Whether an item is worth the steps that it lies off the way, and would not be run over anyway.
fn pays(view: &View, ahead: Vec3, want: &Want) -> bool {
    let level = |place: Vec3| (place - view.origin()).with_z(0.0);
    let (way, item) = (level(ahead), level(want.origin));
    let along = item.dot(way.normalize_or_zero()).clamp(0.0, way.length());
    let off = item.distance(way.normalize_or_zero() * along);
    let detour = item.length() + item.distance(way) - way.length();
    let seconds = detour / view.field.game.rules.movement.speed as f32;
    off > ON_LINE && want.worth > POINTS_A_SECOND * seconds
}
