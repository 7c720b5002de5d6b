//! Which throws belong into a line-up book: the best at places the thrower does not see, no two of them alike.
//!
//! Every throw of the table whose target has no line of sight is flown as the bake did, and again for its rank: by its
//! verdict, by how much somebody would like to hit that place unseen, and by whether a person would throw so. Then the
//! best are taken in turn, leaving out what is a variant of one that is there already.
//!
//! Cost: a salvo for every throw from a place that hits something unseen, shared among its targets and the cores.

use std::collections::BTreeMap;

use fireteam_terrain::throws::{DoorThrow, Stored};
use fireteam_terrain::{WaypointFlags, WaypointId};
use fireteam_world::throwing::{Cell, Hand, Range, Salvo, Verdict};
use fireteam_world::{Contents, Crowd, SurfaceFlags, Sweep, Vec3};
use rayon::prelude::*;

use crate::exhibit::{DoorState, Exhibit, Pick, Stage};
use crate::fan::WALL_NORMAL_Z;

/// Nearer than this one walks round the corner; farther, nobody finds the spot again.
const DISTANCE: [f32; 2] = [280.0, 1800.0];
/// More planes than this, and a person calls it luck.
const PLANES_MAX: u32 = 3;
/// Farther aside than this from the target, in marks, nobody would think of it.
const CONE_MIN: f32 = 0.4;
/// Less of the unsteady throws than this must not fail.
const DELIVERED_MIN: f32 = 0.75;
/// Degrees that one may be off each way, at least.
const TOLERANCE_MIN: f32 = 0.75;
/// Two throws at targets this close are one throw.
const TARGETS_APART: f32 = 220.0;
/// If that leaves too few, throws are alike only if both ends are this close.
const ENDS_APART: f32 = 160.0;

/// What makes a throw more than a toss at what one sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    OffWall,
    /// Over something that is in the way, or through an opening in it.
    Lobbed,
    /// Over an edge, down to somebody below.
    Dropped,
}

/// What the book has.
pub(super) struct Found {
    pub(super) lineups: Vec<(Exhibit, Way)>,
    /// Throws at unseen targets that passed for sensible.
    pub(super) looked_at: usize,
    /// Throws of the table whose target is not seen.
    pub(super) unseen: usize,
}

impl Way {
    pub(super) fn words(self) -> &'static str {
        match self {
            Way::OffWall => "off a wall",
            Way::Lobbed => "lobbed",
            Way::Dropped => "over the edge",
        }
    }
}

impl Found {
    /// What kept the book short.
    pub(super) fn why_fewer(&self, wanted: usize) -> String {
        if self.unseen == 0 {
            return "every place that can be hit by a throw is seen from where it is thrown".to_owned();
        }
        format!(
            "of {} throws at places out of sight, {} are sure and simple enough for a person, and all but {} of the {} \
             asked for are variants of one another",
            self.unseen,
            self.looked_at,
            self.lineups.len(),
            wanted
        )
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    pick: Pick,
    rank: f32,
}

/// The best `count` throws of the stage's throwable.
pub(super) fn choose(stage: &Stage, count: usize) -> Found {
    let picks = unseen_by_source(stage);
    let doors: Vec<Option<DoorState>> = distinct_doors(&picks);
    let crowds: Vec<Crowd> = doors.iter().map(|door| stage.crowd(*door)).collect();
    let crowd_of = |door: Option<DoorState>| {
        let index = doors.iter().position(|other| *other == door);
        &crowds[index.expect("every door of a pick is among them")]
    };
    let mut candidates: Vec<Candidate> =
        picks.par_iter().flat_map_iter(|(_, picks)| rank_all(stage, picks, &crowd_of)).collect();
    // Ties in a fixed order, or the book would differ from run to run.
    candidates.sort_by(|a, b| {
        b.rank.total_cmp(&a.rank).then((a.pick.from.0, a.pick.at.0).cmp(&(b.pick.from.0, b.pick.at.0)))
    });
    let mut lineups: Vec<(Exhibit, Way)> = Vec::new();
    for is_strict in [true, false] {
        for candidate in &candidates {
            if lineups.len() == count {
                break;
            }
            if lineups.iter().any(|(other, _)| is_alike(stage, &candidate.pick, &other.pick, is_strict)) {
                continue;
            }
            let exhibit = stage.exhibit(candidate.pick, crowd_of(candidate.pick.door));
            if exhibit.tolerance.sideways() >= TOLERANCE_MIN && exhibit.tolerance.upwards() >= TOLERANCE_MIN {
                let way = way_of(&exhibit);
                lineups.push((exhibit, way));
            }
        }
    }
    let unseen = picks.values().map(Vec::len).sum();
    Found { lineups, looked_at: candidates.len(), unseen }
}

/// Throws at targets that are not seen, by who throws.
fn unseen_by_source(stage: &Stage) -> BTreeMap<WaypointId, Vec<Pick>> {
    let (table, sight) = (stage.table(), &stage.terrain.sight);
    let always = table.always.iter().map(|(at, from, row)| Pick {
        from: WaypointId::from(from),
        at: WaypointId::from(at),
        stored: Stored::from_bytes(row),
        door: None,
    });
    let doors = table.doors.iter().map(|(at, from, row)| {
        let throw = DoorThrow::from_bytes(row);
        let (from, at) = (WaypointId::from(from), WaypointId::from(at));
        Pick { from, at, stored: throw.throw, door: Some((throw.mover, throw.needs)) }
    });
    let mut all: BTreeMap<WaypointId, Vec<Pick>> = BTreeMap::new();
    for pick in always.chain(doors) {
        if !sight.sees(pick.from, pick.at) && !sight.sees(pick.at, pick.from) {
            all.entry(pick.from).or_default().push(pick);
        }
    }
    all
}

fn distinct_doors(picks: &BTreeMap<WaypointId, Vec<Pick>>) -> Vec<Option<DoorState>> {
    let mut doors: Vec<_> = picks.values().flatten().map(|pick| pick.door).collect();
    doors.sort_unstable();
    doors.dedup();
    doors
}

/// Ranks the throws of one source that pass for sensible.
fn rank_all<'a>(
    stage: &'a Stage,
    picks: &[Pick],
    crowd_of: &impl Fn(Option<DoorState>) -> &'a Crowd,
) -> Vec<Candidate> {
    let hand = Hand::of(stage.throwable());
    let mut salvos = BTreeMap::new();
    let mut candidates = Vec::new();
    for pick in picks {
        let origins = &stage.terrain.waypoints.origin;
        let distance = origins[pick.from.index()].distance(origins[pick.at.index()]);
        if !(DISTANCE[0]..DISTANCE[1]).contains(&distance) {
            continue;
        }
        let range = stage.range(crowd_of(pick.door));
        let known = salvos.entry((pick.stored, pick.door));
        let Some(salvo) = known.or_insert_with(|| sensible_salvo(stage, &range, &hand, pick)) else { continue };
        let cell = stage.spread(pick.at);
        let verdict = salvo.verdict(&range, &Cell { stand: stage.stand(pick.at), origins: &cell });
        if verdict.delivered >= DELIVERED_MIN && verdict.marks.cone >= CONE_MIN && verdict.marks.damage > 0.0 {
            candidates.push(Candidate { pick: *pick, rank: rank(stage, &range, pick, salvo, &verdict) });
        }
    }
    candidates
}

/// The salvo of a throw whose first bounce is seen and whose end is not, over few planes, that never hurts the thrower.
fn sensible_salvo(stage: &Stage, range: &Range<'_>, hand: &Hand, pick: &Pick) -> Option<Salvo> {
    let stand = stage.thrower(pick);
    let throw = pick.stored.throw(stage.table());
    let steady = range.fly(&stand, &throw);
    if !steady.explodes || steady.planes > PLANES_MAX {
        return None;
    }
    let thrower = range.thrower(&stand);
    let eye = thrower.origin + Vec3::Z * thrower.view_height;
    let sees_end = !range.air.scene.sweep(&Sweep::ray(eye, steady.place, Contents::MASK_OPAQUE), None).is_hit();
    if sees_end {
        return None;
    }
    let cell = stage.spread(pick.from);
    let salvo = Salvo::fly(range, hand, &Cell { stand, origins: &cell }, &throw);
    (salvo.own_points == 0 && salvo.sees_first >= 1.0).then_some(salvo)
}

/// How much one would like to have this throw.
fn rank(stage: &Stage, range: &Range<'_>, pick: &Pick, salvo: &Salvo, verdict: &Verdict) -> f32 {
    /// How much of the rank hangs on the target.
    const BY_TARGET: f32 = 0.35;
    /// What is left for somebody to run away in, that halves the worth.
    const WARNING_MS: f32 = 3000.0;
    /// Who looks up by more degrees than this sees neither his target's way nor much to aim at; what is left then.
    const STEEP: f32 = 45.0;
    const STEEP_SHARE: f32 = 0.85;
    /// What is left where the crosshair is on nothing but sky.
    const NO_LANDMARK_SHARE: f32 = 0.7;
    let (terrain, at) = (&stage.terrain, pick.at.index());
    // Where few look in, something lies or many pass, somebody is hidden, waits or walks.
    let hidden = 1.0 - f32::from(terrain.values.exposure[at]) / 255.0;
    let passed = f32::from(terrain.values.choke[at]) / 255.0;
    let has_item = f32::from(u8::from(terrain.waypoints.flags[at].meets(WaypointFlags::ITEM)));
    let target = 0.4 * hidden + 0.3 * passed + 0.3 * has_item;
    let warned = (salvo.steady.end_ms - salvo.steady.rest_ms) as f32;
    let wanted = (1.0 - BY_TARGET + BY_TARGET * target) * WARNING_MS / (WARNING_MS + warned);
    let steep = if -salvo.throw.pitch > STEEP { STEEP_SHARE } else { 1.0 };
    let aim = steep * if has_landmark(range, salvo) { 1.0 } else { NO_LANDMARK_SHARE };
    verdict.score * verdict.delivered * wanted * aim
}

/// Whether there is something under the crosshair by which to find the aim again.
fn has_landmark(range: &Range<'_>, salvo: &Salvo) -> bool {
    const FAR: f32 = 4096.0;
    let thrower = range.thrower(&salvo.from);
    let eye = thrower.origin + Vec3::Z * thrower.view_height;
    let ahead = fireteam_world::maths::game_axes(salvo.throw.pitch, salvo.throw.yaw, 0.0).forward;
    let trace = range.air.scene.sweep(&Sweep::ray(eye, eye + ahead * FAR, Contents::MASK_OPAQUE), None);
    trace.is_hit() && !trace.surface.meets(SurfaceFlags::SKY)
}

fn is_alike(stage: &Stage, one: &Pick, other: &Pick, is_strict: bool) -> bool {
    let origins = &stage.terrain.waypoints.origin;
    let apart = |a: WaypointId, b: WaypointId| origins[a.index()].distance(origins[b.index()]);
    let (from, at) = (apart(one.from, other.from), apart(one.at, other.at));
    if is_strict { at < TARGETS_APART } else { from < ENDS_APART && at < ENDS_APART || one.at == other.at }
}

fn way_of(exhibit: &Exhibit) -> Way {
    /// Higher above the hand than this, it went over something.
    const RISES: f32 = 32.0;
    let trajectory = &exhibit.steady.trajectory;
    let top = trajectory.points.iter().map(|point| point.z).fold(f32::NEG_INFINITY, f32::max);
    if trajectory.bounces.iter().any(|bounce| bounce.normal.z.abs() < WALL_NORMAL_Z) {
        Way::OffWall
    } else if top > exhibit.eye.z + RISES || exhibit.at.origin.z > exhibit.from.origin.z - RISES {
        Way::Lobbed
    } else {
        Way::Dropped
    }
}
