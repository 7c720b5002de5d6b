//! The spots that everything else speaks of: a waypoint on every spot that matters, and enough between them.
//!
//! In: the [`Survey`]. Out: [`Waypoints`], each where a player stands (or swims) exactly; and in every span of the
//! ground the waypoint that owns it: the nearest on foot, never through a wall.
//!
//! First what matters ([`spots`]): spawns, items, door sides, mouths and exits, lift stops, ladder ends, windows,
//! corners, ledges. Then the ground between is filled ([`spread`]), the middle of corridors and rooms first, until no
//! place is further than the spacing from a waypoint, on foot. Then the owners ([`owners`]), and where two neighbours
//! cannot be walked between in a straight line, a waypoint on the way ([`bridges`]).
//!
//! Not here: whether a way can be walked (`links`).

mod bridges;
mod owners;
mod spots;
mod spread;

use fireteam_terrain::{SpanFlags, WAYPOINTS_MAX, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Map, Solids, Vec3};

use crate::ground::{Feeling, Survey};
use owners::Owners;

/// How densely to place.
#[derive(Clone, Debug, PartialEq)]
pub struct WaypointSettings {
    /// About how many a map of ordinary size gets; the spacing follows from its walkable area, within the two limits.
    /// 1,000 puts them a run of a quarter of a second apart on most maps.
    pub count: f32,
    /// No place in a corridor is further from a waypoint than the spacing, on foot. A small map is not filled more
    /// densely than this: two bodies.
    pub spacing_min: f32,
    /// A large map is not filled more thinly than this: what the eye takes in as one spot.
    pub spacing_max: f32,
    /// In the middle of wide open ground, in shares of the spacing.
    pub spacing_open: f32,
    /// In deep water.
    pub spacing_swim: f32,
    /// However wide the spacing, no place is further from a waypoint than this, in units and on foot: whoever is said to
    /// be at a waypoint is at most so far from it.
    pub reach_max: f32,
    /// Between waypoints along an edge or at corners.
    pub spacing_edge: f32,
    /// Spots that matter closer than this, in units, are one waypoint.
    pub merge: f32,
    /// With more waypoints than this the spacing is widened until they fit: tables of pairs grow with the square.
    pub count_max: usize,
}

impl Default for WaypointSettings {
    fn default() -> WaypointSettings {
        WaypointSettings {
            count: 1000.0,
            spacing_min: 52.0,
            spacing_max: 112.0,
            spacing_open: 2.0,
            spacing_swim: 3.0,
            reach_max: 112.0,
            spacing_edge: 1.5,
            merge: 28.0,
            count_max: 1400,
        }
    }
}

impl WaypointSettings {
    /// About so many times as many.
    pub fn denser(self, factor: f32) -> WaypointSettings {
        // As many waypoints on the same ground stand nearer to each other by the root.
        let nearer = factor.sqrt();
        WaypointSettings {
            count: self.count * factor,
            spacing_min: self.spacing_min / nearer,
            spacing_max: self.spacing_max / nearer,
            reach_max: self.reach_max / nearer,
            count_max: (self.count_max as f32 * factor) as usize,
            ..self
        }
    }
}

/// A waypoint on its way: the player's origin, and the place of the survey it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    origin: Vec3,
    place: u32,
    flags: WaypointFlags,
}

/// How far apart, on this map.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    corridor: f32,
    open: f32,
    swim: f32,
    edge: f32,
    merge: f32,
}

/// A waypoint owns about this many squares of its spacing: measured over all maps of OpenArena.
const OWNED_SQUARES: f32 = 0.96;
/// Each attempt with a wider spacing is at least so much wider, and after so many of them enough is enough.
const WIDEN_MIN: f32 = 1.05;
const WIDENINGS_MAX: usize = 12;

impl Spacing {
    fn of(survey: &Survey, settings: &WaypointSettings) -> Spacing {
        let walked = survey.places.iter().filter(|place| !place.is_hanging() && !place.flags.meets(SpanFlags::HARM));
        let area = walked.count() as f32 * survey.ground.cell * survey.ground.cell;
        let even = (area / (settings.count.max(1.0) * OWNED_SQUARES)).sqrt();
        let corridor = even.max(settings.spacing_min).min(settings.spacing_max).min(settings.reach_max);
        Spacing {
            corridor,
            open: (corridor * settings.spacing_open).min(settings.reach_max),
            swim: (corridor * settings.spacing_swim).min(settings.reach_max),
            edge: corridor * settings.spacing_edge,
            merge: settings.merge,
        }
    }

    fn widen(&mut self, factor: f32) {
        for length in [&mut self.corridor, &mut self.open, &mut self.swim, &mut self.edge, &mut self.merge] {
            *length *= factor;
        }
    }
}

/// Chooses the waypoints and writes each span's owner into the survey's ground.
pub fn place(survey: &mut Survey, map: &Map, solids: &Solids, game: &Game, settings: &WaypointSettings) -> Waypoints {
    let body = Feeling::of(map, solids, game);
    let clearance = spread::clearance(survey);
    let mut spacing = Spacing::of(survey, settings);
    let limit = settings.count_max.min(WAYPOINTS_MAX);
    let mut spots = fill(survey, map, game, &body, &clearance, &spacing);
    for _ in 0..WIDENINGS_MAX {
        if spots.len() <= limit {
            break;
        }
        spacing.widen((spots.len() as f32 / limit as f32).sqrt().max(WIDEN_MIN));
        spots = fill(survey, map, game, &body, &clearance, &spacing);
    }
    // Spots that matter stand first: what goes is what matters least.
    spots.truncate(limit);
    let limits = bridges::Limits { count_max: limit, apart: spacing.corridor * 0.5 };
    let owners = bridges::build(survey, &clearance, &body, limits, &mut spots);
    finish(survey, &spots, &owners)
}

/// Waypoints where they were recorded, and the owners of the ground around them. Those that are over no ground of the survey
/// are left out: the list says which became which.
pub(crate) fn at(survey: &mut Survey, recorded: &Waypoints) -> (Waypoints, Vec<Option<WaypointId>>) {
    let mut spots: Vec<Spot> = Vec::new();
    let mut kept = Vec::with_capacity(recorded.len());
    for (origin, flags) in recorded.origin.iter().zip(&recorded.flags) {
        let height = |place: &usize| (survey.places[*place].origin.z - origin.z).abs();
        let near = survey.places_in_column(*origin).min_by(|a, b| height(a).total_cmp(&height(b)));
        let near = near.filter(|place| height(place) < AT_HEIGHT);
        kept.push(near.map(|place| {
            spots.push(Spot { origin: *origin, place: place as u32, flags: *flags });
            WaypointId::from(spots.len() - 1)
        }));
    }
    let owners = owners::find(survey, &spots);
    (finish(survey, &spots, &owners), kept)
}

/// A spot this much above or below a place of the survey stands there.
const AT_HEIGHT: f32 = 24.0;

/// Spots that matter, then those between.
fn fill(
    survey: &Survey,
    map: &Map,
    game: &Game,
    body: &Feeling<'_>,
    clearance: &[f32],
    spacing: &Spacing,
) -> Vec<Spot> {
    let mut spots = spots::gather(survey, map, game, body, spacing);
    spread::fill(survey, clearance, spacing, &mut spots);
    spots
}

fn finish(survey: &mut Survey, spots: &[Spot], owners: &Owners) -> Waypoints {
    let mut waypoints = Waypoints::default();
    for spot in spots {
        let place = &survey.places[spot.place as usize];
        let mut flags = spot.flags;
        if place.flags.meets(SpanFlags::SWIM) && place.is_hanging() {
            flags |= WaypointFlags::SWIM;
        } else if !place.flags.meets(SpanFlags::STAND) {
            flags |= WaypointFlags::CROUCH_ONLY;
        }
        if place.flags.meets(SpanFlags::HARM) {
            flags |= WaypointFlags::HARM;
        }
        if place.mover.is_some() {
            flags |= WaypointFlags::ON_MOVER;
        }
        waypoints.push(spot.origin, flags);
    }
    for (span, owner) in survey.ground.spans.iter_mut().zip(&owners.owner) {
        span.waypoint = owner.map_or(WaypointId::NONE, |owner| WaypointId::from(owner as usize));
    }
    waypoints
}

/// Ways between neighbouring cells that can be gone both ways, whose length is their cost.
fn is_plain(kind: Travel) -> bool {
    matches!(kind, Travel::Walk | Travel::Crouch | Travel::Swim | Travel::Ladder)
}

/// Distances over the grid are counted in this many parts of a unit, so that adding them up is exact.
const PARTS: f32 = 16.0;

fn length(survey: &Survey, from: u32, to: u32) -> u32 {
    let way = survey.places[to as usize].origin - survey.places[from as usize].origin;
    (way.length() * PARTS) as u32
}
