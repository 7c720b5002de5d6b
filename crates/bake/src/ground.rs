//! Where can a player be? The standability grid: every place he can stand, crouch, lie, swim or climb, and get to.
//!
//! In: the map, its solids, the game's legs. Out: a [`Survey`]: the terrain's [`Ground`], and for each of its spans the
//! exact place that was tried ([`Place`]) and the ways that lead on from it ([`Way`]).
//!
//! A flood of the player's own box, from the spots where he appears (spawns, items, exits), cell by cell: up a step,
//! across, down again, as his legs would ([`flood`]); off edges and over gaps ([`leaps`]); through liquids, up ladders;
//! thrown by pads and sent by teleporters ([`triggers`]); on lifts and trains at every stop ([`platforms`]). Doors are
//! taken to be open. Every move is a sweep, so the flood leaks through no wall; but it is hopeful where timing or skill
//! decide: `links` proves what can be walked, this only says where to look.
//!
//! Not here: which spots matter (`waypoints`). Cost: about 20 sweeps a span; `fireteam bench terrain` prints the time.

mod body;
mod columns;
mod flood;
mod leaps;
mod liquids;
mod platforms;
mod seeds;
mod triggers;

use fireteam_terrain::{Ground, Span, SpanFlags, WaypointId};
use fireteam_world::units::EntityId;
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Map, Solids, Vec3};

pub(crate) use body::Feeling;
pub(crate) use flood::AROUND;
pub use seeds::{Seed, SeedKind};

/// How finely to look.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundSettings {
    /// Side of a cell. Half a player's width finds every way that is as wide as he is.
    pub cell: f32,
    /// Height between layers of swimming places: about a body.
    pub swim_layer: f32,
    /// How much faster than running the longest jumps are begun. 1.25 is what two or three strafe jumps in a row give.
    pub strafe_gain: f32,
}

impl Default for GroundSettings {
    fn default() -> GroundSettings {
        GroundSettings { cell: Ground::CELL, swim_layer: 56.0, strafe_gain: 1.25 }
    }
}

/// The ground, with what the next steps of the bake need beyond the file.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub ground: Ground,
    /// One for each span of `ground`, in its order.
    pub places: Vec<Place>,
    /// Where each place's ways begin in `ways`; one more at the end.
    pub way_first: Vec<u32>,
    /// By place, then by goal and kind.
    pub ways: Vec<Way>,
    /// Where the flood began, and the place it found there, if any.
    pub seeds: Vec<Seed>,
    /// Places beside which one falls or leaps into a pad or teleporter, each with that trigger; sorted.
    pub caught: Vec<(u32, EntityId)>,
}

/// The spot in a cell where a body was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// A player's origin.
    pub origin: Vec3,
    /// Free height above the feet.
    pub headroom: f32,
    pub flags: SpanFlags,
    /// What carries him, if it moves: the place is there only while that is at this stop.
    pub mover: Option<EntityId>,
    /// The pad or teleporter that takes him away from here at once.
    pub sent_by: Option<EntityId>,
    /// A door or lift at rest fills it: nobody is here until that moves.
    pub is_filled: bool,
}

/// A way from a place to another: between neighbouring cells, or by leap, pad, teleporter or lift to anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub to: u32,
    pub kind: Travel,
}

/// Why a map has no ground.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    #[error("{map}: nowhere to stand: none of its {seeds} spawns, items and exits is over ground")]
    Nowhere { map: String, seeds: usize },
    #[error("{map}: the ground is {columns} cells wide and deep, more than {} are not surveyed", Ground::COLUMNS_MAX)]
    TooWide { map: String, columns: usize },
    #[error("{map}: more than {} places to stand: try larger cells", Ground::SPANS_MAX)]
    TooMany { map: String },
}

/// Finds every place a player can be and get to.
pub fn survey(map: &Map, solids: &Solids, game: &Game, settings: &GroundSettings) -> Result<Survey, GroundError> {
    survey_inside(map, solids, game, settings, None)
}

/// The same, but only around some spots where players were, as far as `reach`.
pub(crate) fn survey_within(
    map: &Map,
    solids: &Solids,
    game: &Game,
    settings: &GroundSettings,
    spots: &[Vec3],
    reach: f32,
) -> Result<Survey, GroundError> {
    survey_inside(map, solids, game, settings, Some((spots, reach)))
}

fn survey_inside(
    map: &Map,
    solids: &Solids,
    game: &Game,
    settings: &GroundSettings,
    around: Option<(&[Vec3], f32)>,
) -> Result<Survey, GroundError> {
    let body = Feeling::of(map, solids, game);
    let mut flood = flood::Flood::new(&body, settings);
    flood.fence = around.map(|(spots, reach)| flood::Fence::around(spots, reach));
    let seeds = seeds::sow(map, game, &mut flood);
    for spot in around.map_or(&[][..], |(spots, _)| spots) {
        flood.drop_in(None, *spot + Vec3::Z);
    }
    flood.run();
    if flood.is_full() {
        return Err(GroundError::TooMany { map: map.name.clone() });
    }
    if flood.places.is_empty() {
        return Err(GroundError::Nowhere { map: map.name.clone(), seeds: seeds.len() });
    }
    let mut survey = lay_out(map, settings, flood, seeds)?;
    seeds::find_takers(&mut survey, body.jump_height());
    Ok(survey)
}

impl Survey {
    pub fn ways_of(&self, place: usize) -> &[Way] {
        &self.ways[self.way_first[place] as usize..self.way_first[place + 1] as usize]
    }

    /// The cell a place lies in, in cells from the map's origin.
    pub fn cell_of(&self, place: usize) -> [i32; 2] {
        self.cell_of_point(self.places[place].origin)
    }

    pub fn cell_of_point(&self, point: Vec3) -> [i32; 2] {
        [(point.x / self.ground.cell).floor() as i32, (point.y / self.ground.cell).floor() as i32]
    }

    /// The place whose feet are nearest in height to `feet`, in the cell of that point.
    pub fn place_at(&self, feet: Vec3) -> Option<usize> {
        let height = |place: &usize| (f32::from(self.ground.spans[*place].feet) - feet.z).abs();
        self.places_in_column(feet).min_by(|a, b| height(a).total_cmp(&height(b)))
    }

    /// All places in the cell of a point, lowest first.
    pub fn places_in_column(&self, point: Vec3) -> std::ops::Range<usize> {
        let Some(column) = self.ground.column_at(point) else { return 0..0 };
        let first = self.ground.first_of(column);
        first..first + self.ground.column(column).len()
    }
}

/// Sorts what the flood found into columns.
fn lay_out(
    map: &Map,
    settings: &GroundSettings,
    flood: flood::Flood<'_>,
    mut seeds: Vec<Seed>,
) -> Result<Survey, GroundError> {
    let cells: Vec<[i32; 2]> = flood.places.iter().map(|place| flood.cell_of(place.origin)).collect();
    let low = cells.iter().fold([i32::MAX; 2], |low, cell| [low[0].min(cell[0]), low[1].min(cell[1])]);
    let high = cells.iter().fold([i32::MIN; 2], |high, cell| [high[0].max(cell[0]), high[1].max(cell[1])]);
    let size = [(high[0] - low[0] + 1) as u32, (high[1] - low[1] + 1) as u32];
    let columns = size[0] as usize * size[1] as usize;
    if columns > Ground::COLUMNS_MAX {
        return Err(GroundError::TooWide { map: map.name.clone(), columns });
    }
    let column = |index: u32| {
        let cell = cells[index as usize];
        (cell[0] - low[0]) as usize + (cell[1] - low[1]) as usize * size[0] as usize
    };
    let height = |index: &u32| flood.places[*index as usize].origin.z;
    let mut order: Vec<u32> = (0..flood.places.len() as u32).collect();
    order.sort_by(|a, b| column(*a).cmp(&column(*b)).then(height(a).total_cmp(&height(b))));

    let mut column_first = vec![0; columns + 1];
    for index in &order {
        column_first[column(*index) + 1] += 1;
    }
    for column in 0..columns {
        column_first[column + 1] += column_first[column];
    }
    let mut renumbered = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        renumbered[*old as usize] = new as u32;
    }
    for seed in &mut seeds {
        seed.place = seed.place.map(|place| renumbered[place as usize]);
    }
    let feet = flood.body.feet();
    let places: Vec<Place> = order.iter().map(|index| flood.places[*index as usize]).collect();
    let mut spans: Vec<Span> = places.iter().map(|place| span_of(place, feet)).collect();
    for column in column_first.windows(2) {
        tell_apart(&mut spans[column[0] as usize..column[1] as usize]);
    }
    let ground = Ground { cell: settings.cell, origin: low, size, column_first, spans };
    let (way_first, ways) = gather_ways(&flood.ways, &renumbered);
    let entity = |trigger: usize| flood.body.triggers[trigger].place.entity;
    let mut caught: Vec<(u32, EntityId)> =
        flood.caught.iter().map(|(place, trigger)| (renumbered[*place as usize], entity(*trigger))).collect();
    caught.sort_unstable();
    caught.dedup();
    Ok(Survey { ground, places, way_first, ways, seeds, caught })
}

/// Two places of a column may round to the same height, a floor and a lift that rests on it: the upper one counts as a unit
/// higher.
fn tell_apart(column: &mut [Span]) {
    for upper in 1..column.len() {
        column[upper].feet = column[upper].feet.max(column[upper - 1].feet.saturating_add(1));
    }
}

fn span_of(place: &Place, feet: f32) -> Span {
    let headroom = (place.headroom / Span::HEADROOM_STEP).floor().min(255.0) as u8;
    let feet = (place.origin.z + feet).round() as i16;
    Span { feet, headroom, flags: place.flags, waypoint: WaypointId::NONE }
}

/// Ways by where they start; of several between the same two places, the plainest.
fn gather_ways(found: &[(u32, Way)], renumbered: &[u32]) -> (Vec<u32>, Vec<Way>) {
    let mut all: Vec<(u32, Way)> = found
        .iter()
        .map(|(from, way)| (renumbered[*from as usize], Way { to: renumbered[way.to as usize], kind: way.kind }))
        .filter(|(from, way)| *from != way.to)
        .collect();
    all.sort_unstable();
    all.dedup_by_key(|(from, way)| (*from, way.to));
    let mut first = vec![0; renumbered.len() + 1];
    for (from, _) in &all {
        first[*from as usize + 1] += 1;
    }
    for place in 0..renumbered.len() {
        first[place + 1] += first[place];
    }
    (first, all.into_iter().map(|(_, way)| way).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_the_same_height_are_told_apart() {
        let at = |feet: i16| Span { feet, headroom: 20, flags: SpanFlags::STAND, waypoint: WaypointId::NONE };
        let mut column = [at(-8), at(0), at(0), at(0), at(64)];
        tell_apart(&mut column);
        assert_eq!(column.map(|span| span.feet), [-8, 0, 1, 2, 64]);
    }
}
