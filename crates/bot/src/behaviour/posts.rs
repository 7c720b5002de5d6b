//! Posts: places near something worth guarding that see it or the ways to it, each held for a while. Whoever comes is a fight.
//!
//! Not a behaviour: `guard` takes posts about a flag, `keep` about ground. Where nobody should wait is asked by `camp` too.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::Time;
use fireteam_world::walker::Travel;

use super::duty::{self, travel_ms};
use super::{Limbs, View};
use crate::goal::Outcome;
use crate::legs::{Destination, Manner, Travelling};
use crate::words;

/// Where somebody stands guard, and stood before.
#[derive(Clone, Debug, Default)]
pub(super) struct Posts {
    post: Option<Post>,
    /// Not chosen next: it was held, or could not be got at.
    left: Option<WaypointId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    pub(super) at: WaypointId,
    /// What is guarded is in view from there.
    pub(super) sees_it: bool,
    until: Time,
    is_held: bool,
    lies: bool,
}

/// Posts are no farther from what is guarded than this.
const NEAR_MS: u32 = 3000;
/// A post is held so long; on the way to it one may be as long.
const HELD_MS: (f32, f32) = (5000.0, 12_000.0);
/// Mates nearer to a post than this hold it already.
const CLAIMED: f32 = 300.0;
/// Places drawn, of which the best is taken.
const DRAWS: usize = 24;

impl Posts {
    /// The post to be at now, about what is at `home`.
    pub(super) fn now(&mut self, view: &View, limbs: &mut Limbs, home: Vec3) -> Option<Post> {
        let home = duty::waypoint_at(view, home)?;
        if self.post.is_none_or(|post| view.now >= post.until) {
            self.left = self.post.map(|post| post.at);
            self.post = self.choose(view, limbs, home);
        }
        self.post
    }

    /// Goes there, and stays for a while, standing or lying: with a reason for either.
    pub(super) fn take(&mut self, view: &View, limbs: &mut Limbs, [because, lying]: [&'static str; 2]) -> Outcome {
        let Some(post) = &mut self.post else { return Outcome::Done(words!("nowhere to stand")) };
        if post.is_held {
            if post.lies {
                limbs.legs.lie(lying);
            } else {
                limbs.legs.stay(false, because);
            }
            return Outcome::Continue;
        }
        limbs.legs.go(Destination::Waypoint(post.at), Manner::RUN);
        match limbs.legs.state() {
            Travelling::Arrived => {
                (post.is_held, post.lies) = (true, super::lying::is_good_here(view));
                post.until = view.now + limbs.chance.range(HELD_MS.0, HELD_MS.1) as i32;
                Outcome::Continue
            }
            Travelling::Failed(trouble) => {
                (self.left, self.post) = (Some(post.at), None);
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    /// Of some places near it the best; nobody else's, and not the one before.
    fn choose(&self, view: &View, limbs: &mut Limbs, home: WaypointId) -> Option<Post> {
        let terrain = &view.field.terrain;
        let mut best: Option<(f32, WaypointId)> = None;
        let is_near = |id: &WaypointId| Some(*id) != self.left && *id != home && travel_ms(view, *id, home) < NEAR_MS;
        let near = duty::shuffled(view, limbs).filter(is_near);
        for id in near.filter(|id| view.travel_ms(*id).is_some()).take(DRAWS) {
            if is_in_a_door(view, id) || is_held_by_a_mate(view, id, CLAIMED) {
                continue;
            }
            let worth = worth(view, id, home);
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, id));
            }
        }
        let (_, at) = best?;
        let sees_it = terrain.sight.sees(at, home);
        let until = view.now + HELD_MS.1 as i32;
        Some(Post { at, sees_it, until, is_held: false, lies: false })
    }
}

/// How good a post is: it sees what is guarded, it overlooks much and shows little, cover is near, it stands high.
fn worth(view: &View, id: WaypointId, home: WaypointId) -> f32 {
    let terrain = &view.field.terrain;
    let (values, index) = (&terrain.values, id.index());
    let share = |column: &[u8]| f32::from(column[index]) / 255.0;
    let sees = if terrain.sight.sees(id, home) { 1.0 } else { 0.0 };
    let far = travel_ms(view, id, home) as f32 / NEAR_MS as f32;
    sees + 0.5 * share(&values.overlooks) + 0.4 * share(&values.cover) + 0.3 * share(&values.height)
        - 0.4 * share(&values.exposure)
        - 0.3 * far
}

/// Whoever stood there would have everybody who comes through against him.
pub(super) fn is_in_a_door(view: &View, id: WaypointId) -> bool {
    let is_door = |kind: Travel| matches!(kind, Travel::Door | Travel::ButtonDoor | Travel::KeyDoor);
    view.field.terrain.links.ids_from(id).any(|(_, link)| is_door(link.kind))
}

/// Whether a mate who lives is as near to it as this.
pub(super) fn is_held_by_a_mate(view: &View, id: WaypointId, reach: f32) -> bool {
    let place = view.field.terrain.waypoints.origin[id.index()];
    view.mates.living_near(place, reach * reach).next().is_some()
}
