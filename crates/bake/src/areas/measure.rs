//! What can be measured of an area, before anybody gives it a name.

use fireteam_terrain::SpanFlags;
use fireteam_world::Vec3;

use super::shapes::Shapes;
use crate::links::Grounds;

/// How high the eye is over the feet, about: light is measured there.
const EYE: f32 = 48.0;
/// A fall is an edge; what is less is a step down.
const STOREY: f32 = 72.0;

/// An area in numbers. Lengths are in units, shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// Square units of floor.
    pub floor: f32,
    /// From wall to wall, in the middle of its places.
    pub width: f32,
    /// Its longer side, were it a rectangle of this width: floor through width.
    pub length: f32,
    /// Mean height of ceilings, sky left out; zero where there are none.
    pub ceiling: f32,
    /// From its lowest floor to its highest.
    pub rise: f32,
    /// Share of its floor under open sky, on stairs, wet to the waist, too low to stand.
    pub sky: f32,
    pub stairs: f32,
    pub wet: f32,
    pub low: f32,
    /// Share of its rim that is an edge one falls from.
    pub edge: f32,
    /// Share of its floor that has another floor beneath it, and above it.
    pub above: f32,
    pub beneath: f32,
    pub light: f32,
    pub mins: Vec3,
    pub maxs: Vec3,
    /// How many places it has.
    pub places: u32,
}

/// Sums over the places of one area.
#[derive(Clone, Debug)]
struct Sums {
    count: u32,
    halves: Vec<u8>,
    roofed: u32,
    ceilings: f32,
    rim: u32,
    light: f32,
    measure: Measure,
}

pub(super) fn measure(
    grounds: &Grounds,
    shapes: &Shapes,
    of_place: &[u16],
    feet: f32,
    body_width: f32,
) -> Vec<Measure> {
    let count = of_place.iter().max().map_or(0, |last| usize::from(*last) + 1);
    let empty = Measure { mins: Vec3::MAX, maxs: Vec3::MIN, rise: f32::MIN, ..Measure::default() };
    let sums = Sums { count: 0, halves: Vec::new(), roofed: 0, ceilings: 0.0, rim: 0, light: 0.0, measure: empty };
    let mut sums = vec![sums; count];
    for (place, area) in of_place.iter().enumerate() {
        add(&mut sums[usize::from(*area)], grounds, shapes, place, feet);
    }
    sums.into_iter().map(|sums| finish(sums, grounds.survey.ground.cell, body_width)).collect()
}

fn add(sums: &mut Sums, grounds: &Grounds, shapes: &Shapes, place: usize, feet: f32) {
    let here = &grounds.survey.places[place];
    let floor = here.origin + Vec3::Z * feet;
    let m = &mut sums.measure;
    sums.count += 1;
    sums.halves.push(shapes.half[place]);
    if shapes.is_sky[place] {
        m.sky += 1.0;
    } else {
        sums.roofed += 1;
        sums.ceilings += shapes.overhead[place];
    }
    m.stairs += f32::from(shapes.is_stairs[place]);
    m.wet += f32::from(here.flags.meets(SpanFlags::SWIM));
    m.low += f32::from(!here.flags.meets(SpanFlags::STAND) && !here.is_hanging());
    if shapes.is_bounded(place) {
        sums.rim += 1;
        m.edge += f32::from(here.flags.meets(SpanFlags::LEDGE));
    }
    let column = grounds.survey.places_in_column(here.origin);
    let others = column.map(|other| grounds.survey.places[other].origin.z - here.origin.z);
    let (below, above) = others.fold((false, false), |(below, above), z| (below || z < -STOREY, above || z > STOREY));
    m.above += f32::from(below);
    m.beneath += f32::from(above);
    sums.light += grounds.map.light_grid.as_ref().map_or(1.0, |grid| grid.light_at(floor + Vec3::Z * EYE));
    m.mins = m.mins.min(floor);
    m.maxs = m.maxs.max(floor + Vec3::Z * shapes.overhead[place]);
    m.rise = m.rise.max(floor.z);
}

fn finish(mut sums: Sums, cell: f32, body_width: f32) -> Measure {
    let count = sums.count.max(1) as f32;
    sums.halves.sort_unstable();
    let half = sums.halves.get(sums.halves.len() / 2).copied().unwrap_or(1);
    let mut m = sums.measure;
    m.floor = count * cell * cell;
    // Origins stay half a body from either wall.
    m.width = (f32::from(half) * 2.0 - 1.0) * cell + body_width;
    m.length = m.floor / (m.width - body_width).max(cell);
    m.ceiling = if sums.roofed > 0 { sums.ceilings / sums.roofed as f32 } else { 0.0 };
    for share in [&mut m.sky, &mut m.stairs, &mut m.wet, &mut m.low, &mut m.above, &mut m.beneath] {
        *share /= count;
    }
    m.edge /= sums.rim.max(1) as f32;
    m.light = sums.light / count;
    m.rise -= m.mins.z;
    m.places = sums.count;
    let half_cell = Vec3::new(cell, cell, 0.0) * 0.5;
    m.mins -= half_cell;
    m.maxs += half_cell;
    m
}
