//! What the ground is like around each place: how wide it is, whether it climbs, what is overhead.
//!
//! Width is *local thickness*, known from the analysis of porous materials (T. Hildebrand, P. Rüegsegger, "A new method
//! for the model-independent assessment of thickness in three-dimensional images", Journal of Microscopy 185, 1997): the
//! largest ball that fits into the room and covers the place. We take squares instead of balls, since most walls of
//! shooters stand along the axes: a rectangle then has one width up to its corners, and a corridor keeps its own width
//! right up to the hall it opens into. Pillars and crates do not count as walls: a hall with columns is a hall.

use fireteam_terrain::SpanFlags;
use fireteam_world::walker::Travel;
use fireteam_world::{Contents, Solids, SurfaceFlags, Sweep, Vec3};

use crate::ground::{AROUND, Survey};

/// No neighbour on that side.
pub(super) const NONE: u32 = u32::MAX;
/// Widths told apart, as half sides of squares in cells. Each is a sixth more than the last; wider is "open" anyway.
const HALVES: [u8; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 18, 21, 25, 30, 35, 40];
/// What stands free and reaches no further than this, body widths included, is furniture and not a wall.
const PILLAR: f32 = 176.0;
/// How far up to look for a ceiling.
const CEILING_MAX: f32 = 4096.0;
/// Slope is measured over this many cells to either side.
const SLOPE_REACH: usize = 2;
/// Ground climbs where it rises by more than this over a unit: gentler is a floor that is not quite level.
const SLOPE_MIN: f32 = 0.3;
/// What climbs is stairs or a ramp if it leads up at least this far: three or four steps.
const STAIRS_RISE: f32 = 44.0;
/// Wider than this, in half cells, what climbs is a hillside.
const STAIRS_HALF_MAX: u8 = 13;
/// A roof or a gap in it narrower than twice this many cells is a beam or a skylight, and changes nothing.
const COVER_DEPTH: u32 = 3;

/// Columns over the places of a survey.
#[derive(Debug)]
pub(super) struct Shapes {
    /// By place and by side, as [`AROUND`] has them: the place that is walked or swum to.
    pub(super) beside: Vec<[u32; 8]>,
    /// Half the width of the ground around it, in cells.
    pub(super) half: Vec<u8>,
    /// Free height above the feet.
    pub(super) overhead: Vec<f32>,
    /// Whether the sky, and no roof, is above.
    pub(super) is_sky: Vec<bool>,
    /// The same, without beams and skylights.
    pub(super) is_outside: Vec<bool>,
    pub(super) is_stairs: Vec<bool>,
}

impl Shapes {
    pub(super) fn of(survey: &Survey, solids: &Solids, feet: f32) -> Shapes {
        let beside = neighbours(survey);
        let half = thickness(survey, &beside);
        let (overhead, is_sky) = look_up(survey, solids, feet);
        let is_outside = smooth(&beside, &is_sky);
        let is_stairs = stairs(survey, &beside, &half);
        Shapes { beside, half, overhead, is_sky, is_outside, is_stairs }
    }

    /// Whether one of the four cells beside it cannot be walked into.
    pub(super) fn is_bounded(&self, place: usize) -> bool {
        is_bounded(&self.beside[place])
    }
}

/// Ways that keep one in the same room.
pub(super) fn is_level(kind: Travel) -> bool {
    matches!(kind, Travel::Walk | Travel::Crouch | Travel::Swim)
}

fn neighbours(survey: &Survey) -> Vec<[u32; 8]> {
    let mut beside = vec![[NONE; 8]; survey.places.len()];
    for (place, beside) in beside.iter_mut().enumerate() {
        let here = survey.cell_of(place);
        for way in survey.ways_of(place).iter().filter(|way| is_level(way.kind)) {
            let there = survey.cell_of(way.to as usize);
            let step = [there[0] - here[0], there[1] - here[1]];
            let Some(side) = AROUND.iter().position(|around| *around == step) else { continue };
            if beside[side] == NONE {
                beside[side] = way.to;
            }
        }
    }
    // What can be stepped down but not up again is another floor.
    for place in 0..beside.len() {
        for side in 0..8 {
            let to = beside[place][side];
            if to != NONE && beside[to as usize][(side + 4) % 8] != place as u32 {
                beside[place][side] = NONE;
            }
        }
    }
    beside
}

fn is_bounded(beside: &[u32; 8]) -> bool {
    (0..8).step_by(2).any(|side| beside[side] == NONE)
}

/// By place: the half side of the largest square of ground that covers it.
fn thickness(survey: &Survey, beside: &[[u32; 8]]) -> Vec<u8> {
    let walls = walls(survey, beside);
    let limit = u32::from(HALVES[HALVES.len() - 1]);
    let clearance = spread(beside, &walls, limit);
    let mut half = vec![1; beside.len()];
    for step in HALVES {
        let reach = u32::from(step);
        let centres: Vec<u32> =
            (0..beside.len() as u32).filter(|place| clearance[*place as usize] + 1 >= reach).collect();
        for (place, distance) in spread(beside, &centres, reach).into_iter().enumerate() {
            if distance < reach {
                half[place] = step;
            }
        }
    }
    half
}

/// Steps from the nearest of these places, at most `limit`.
fn spread(beside: &[[u32; 8]], from: &[u32], limit: u32) -> Vec<u32> {
    let mut steps = vec![limit; beside.len()];
    for place in from {
        steps[*place as usize] = 0;
    }
    let mut front = from.to_vec();
    let mut next = Vec::new();
    for step in 1..limit {
        for place in front.drain(..) {
            for to in beside[place as usize] {
                if to != NONE && steps[to as usize] > step {
                    steps[to as usize] = step;
                    next.push(to);
                }
            }
        }
        std::mem::swap(&mut front, &mut next);
    }
    steps
}

/// Places at a wall or an edge, but not at furniture: a ring of such places that is small and has ground around it.
fn walls(survey: &Survey, beside: &[[u32; 8]]) -> Vec<u32> {
    let mut is_open: Vec<bool> = beside.iter().map(is_bounded).collect();
    let mut walls = Vec::new();
    for start in 0..beside.len() {
        if !std::mem::take(&mut is_open[start]) {
            continue;
        }
        let mut ring = vec![start as u32];
        let mut next = 0;
        while next < ring.len() {
            for to in beside[ring[next] as usize] {
                if to != NONE && std::mem::take(&mut is_open[to as usize]) {
                    ring.push(to);
                }
            }
            next += 1;
        }
        if !is_furniture(survey, beside, &ring) {
            walls.extend(ring);
        }
    }
    walls
}

fn is_furniture(survey: &Survey, beside: &[[u32; 8]], ring: &[u32]) -> bool {
    let origin = |place: &u32| survey.places[*place as usize].origin.truncate();
    let mins = ring.iter().map(origin).fold(origin(&ring[0]), |mins, point| mins.min(point));
    let maxs = ring.iter().map(origin).fold(origin(&ring[0]), |maxs, point| maxs.max(point));
    let is_outside = |place: &u32| *place != NONE && origin(place).clamp(mins, maxs) != origin(place);
    let is_small = (maxs - mins).max_element() <= PILLAR;
    // A ring with little ground around it is the rim of a small floor, not the foot of a pillar.
    let around = ring.iter().filter(|place| beside[**place as usize].iter().any(is_outside)).count();
    is_small && around * 2 > ring.len()
}

/// Free height above the feet of each place, and whether it ends at the sky.
fn look_up(survey: &Survey, solids: &Solids, feet: f32) -> (Vec<f32>, Vec<bool>) {
    let look = |place: &crate::ground::Place| {
        let sweep = Sweep::ray(place.origin, place.origin + Vec3::Z * CEILING_MAX, Contents::SOLID);
        let trace = solids.sweep(&sweep);
        let is_sky = !trace.is_hit() || trace.surface.meets(SurfaceFlags::SKY);
        (trace.end.z - place.origin.z - feet, is_sky)
    };
    survey.places.iter().map(look).unzip()
}

/// Leaves out roofs, and gaps in roofs, that are narrower than twice the depth.
fn smooth(beside: &[[u32; 8]], is_sky: &[bool]) -> Vec<bool> {
    let roofed: Vec<bool> = is_sky.iter().map(|sky| !sky).collect();
    let roofed = opened(beside, &roofed);
    opened(beside, &roofed.iter().map(|roofed| !roofed).collect::<Vec<bool>>())
}

/// The part of a set that squares of the cover depth within it cover. Walls are no end of the set.
fn opened(beside: &[[u32; 8]], set: &[bool]) -> Vec<bool> {
    let others: Vec<u32> = (0..set.len() as u32).filter(|place| !set[*place as usize]).collect();
    let depth = spread(beside, &others, COVER_DEPTH);
    let deep: Vec<u32> = (0..set.len() as u32).filter(|place| depth[*place as usize] >= COVER_DEPTH).collect();
    spread(beside, &deep, COVER_DEPTH).into_iter().map(|steps| steps < COVER_DEPTH).collect()
}

/// Which places lie on stairs or ramps.
fn stairs(survey: &Survey, beside: &[[u32; 8]], half: &[u8]) -> Vec<bool> {
    let mut climbs: Vec<bool> = (0..beside.len())
        .map(|place| half[place] <= STAIRS_HALF_MAX && !is_wet(survey, place) && is_climbing(survey, beside, place))
        .collect();
    let mut is_stairs = vec![false; beside.len()];
    for start in 0..beside.len() {
        if !std::mem::take(&mut climbs[start]) {
            continue;
        }
        let mut flight = vec![start];
        let mut next = 0;
        while next < flight.len() {
            for to in beside[flight[next]] {
                if to != NONE && std::mem::take(&mut climbs[to as usize]) {
                    flight.push(to as usize);
                }
            }
            next += 1;
        }
        let heights = flight.iter().map(|place| survey.places[*place].origin.z);
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), z| (low.min(z), high.max(z)));
        if high - low >= STAIRS_RISE {
            flight.into_iter().for_each(|place| is_stairs[place] = true);
        }
    }
    is_stairs
}

fn is_wet(survey: &Survey, place: usize) -> bool {
    survey.places[place].flags.meets(SpanFlags::SWIM | SpanFlags::LADDER)
}

/// Whether the ground rises along one of the axes, over some cells to either side.
fn is_climbing(survey: &Survey, beside: &[[u32; 8]], place: usize) -> bool {
    [0, 2].into_iter().any(|side| {
        let (high, steps_on) = follow(survey, beside, place, side);
        let (low, steps_back) = follow(survey, beside, place, side + 4);
        let run = (steps_on + steps_back) as f32 * survey.ground.cell;
        steps_on + steps_back > SLOPE_REACH && (high - low).abs() > SLOPE_MIN * run
    })
}

/// Height after some steps to one side, and how many there were.
fn follow(survey: &Survey, beside: &[[u32; 8]], place: usize, side: usize) -> (f32, usize) {
    let on = std::iter::successors(Some(place as u32), |here| {
        let next = beside[*here as usize][side];
        (next != NONE).then_some(next)
    });
    let walked: Vec<u32> = on.take(SLOPE_REACH + 1).collect();
    (survey.places[walked[walked.len() - 1] as usize].origin.z, walked.len() - 1)
}
