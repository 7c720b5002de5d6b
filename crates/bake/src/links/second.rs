//! Second attempts, from further back, where the first left ground to which nothing leads.
//!
//! Who jumps from the very edge has no run-up, and who walks to a rim that slopes away slides over it before he stands there.
//! Both leave a leap or a fall unproved though players take it every minute: in their stride. So where no links lead from
//! one end of such a pair to the other, it is tried from the waypoints before it.

use fireteam_terrain::{Islands, Links, MoverId, WaypointId, Waypoints};
use fireteam_world::walker::Travel;

use super::candidates::{Candidate, Candidates, bit};

/// A run-up is no longer than this: three strides are enough.
const RUN_UP_MAX: f32 = 192.0;
/// And leads over the edge, or no further than this beside it.
const ASIDE_MAX: f32 = 40.0;
/// So many are tried: on most maps there are a few dozen.
const ATTEMPTS_MAX: usize = 1500;

/// Pairs worth a second attempt, given what the first proved; sorted.
pub(super) fn attempts(waypoints: &Waypoints, first: &Candidates, proved: &Links) -> Vec<Candidate> {
    let islands = Islands::of(proved);
    let leaps = bit(Travel::Drop) | bit(Travel::Jump) | bit(Travel::StrafeJump);
    let is_open = |from: WaypointId, to: WaypointId| from != to && !islands.connect(from, to);
    let mut all: Vec<Candidate> = Vec::new();
    for before in waypoints.ids() {
        for step in first.from(before).iter().filter(|step| step.kinds & bit(Travel::Walk) != 0) {
            for leap in first.from(step.to).iter().filter(|leap| leap.kinds & leaps != 0 && leap.aid.is_none()) {
                let is_tried =
                    || first.from(before).iter().any(|known| known.to == leap.to && known.kinds & leaps != 0);
                if is_open(before, leap.to) && runs_over(waypoints, before, step.to, leap.to) && !is_tried() {
                    all.push(Candidate { from: before, to: leap.to, kinds: leap.kinds & leaps, aid: MoverId::NONE });
                }
            }
        }
    }
    all.sort_by_key(|attempt| (attempt.from, attempt.to));
    all.dedup_by(|next, kept| {
        let is_same = next.from == kept.from && next.to == kept.to;
        kept.kinds |= if is_same { next.kinds } else { 0 };
        is_same
    });
    all.truncate(ATTEMPTS_MAX);
    all
}

/// Whether a straight run from `before` to `goal` passes by `edge`.
fn runs_over(waypoints: &Waypoints, before: WaypointId, edge: WaypointId, goal: WaypointId) -> bool {
    let flat = |id: WaypointId| waypoints.origin[id.index()].truncate();
    let (run_up, whole) = (flat(edge) - flat(before), flat(goal) - flat(before));
    let along = whole.normalize_or_zero();
    let ahead = run_up.dot(along);
    ahead > 0.0 && run_up.length() < RUN_UP_MAX && (run_up - along * ahead).length() < ASIDE_MAX
}
