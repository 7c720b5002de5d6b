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

#[cfg(test)]
mod tests {
    use fireteam_terrain::{Link, LinkFlags, WaypointFlags};
    use fireteam_world::Vec3;

    use super::super::candidates::sort;
    use super::*;

    const BEFORE: WaypointId = WaypointId(0);
    const EDGE: WaypointId = WaypointId(1);
    const GOAL: WaypointId = WaypointId(2);

    /// A walk to an edge, and a jump from there to a goal.
    fn attempts_for(goal: Vec3, proved: &[(WaypointId, WaypointId)]) -> Vec<Candidate> {
        let mut waypoints = Waypoints::default();
        for origin in [Vec3::ZERO, Vec3::X * 64.0, goal] {
            waypoints.push(origin, WaypointFlags::NONE);
        }
        let pair = |from, to, kind| Candidate { from, to, kinds: bit(kind), aid: MoverId::NONE };
        let first = sort(vec![pair(BEFORE, EDGE, Travel::Walk), pair(EDGE, GOAL, Travel::Jump)], waypoints.len());
        let link = |to| Link {
            to,
            kind: Travel::Walk,
            flags: LinkFlags::NONE,
            time_ms: 1,
            damage: 0,
            trust: 255,
            mover: MoverId::NONE,
            opener: MoverId::NONE,
        };
        let links = proved.iter().map(|(from, to)| (*from, link(*to))).collect();
        attempts(&waypoints, &first, &Links::gather(waypoints.len(), links))
    }

    #[test]
    fn jump_that_failed_is_tried_with_a_run_up() {
        let found = attempts_for(Vec3::X * 320.0, &[(BEFORE, EDGE)]);
        let expected = Candidate { from: BEFORE, to: GOAL, kinds: bit(Travel::Jump), aid: MoverId::NONE };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn what_is_reached_needs_no_second_attempt() {
        assert_eq!(attempts_for(Vec3::X * 320.0, &[(BEFORE, EDGE), (EDGE, GOAL)]), []);
    }

    #[test]
    fn run_up_leads_over_the_edge() {
        assert_eq!(attempts_for(Vec3::new(64.0, 320.0, 0.0), &[(BEFORE, EDGE)]), []);
    }
}
