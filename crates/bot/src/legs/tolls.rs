//! What a way costs besides its time: danger, being seen, mates on the same way, doors to wait for, and the mood of the day.
//!
//! In: what the bot believes ([`Memory`]), which ways its side has under way, its [`Constitution`] and a taste drawn by its own
//! chance. Out: a toll for each waypoint, and waits for doors, as a search takes them (`terrain::path::errands`). All of it
//! only adds to the time a link takes, so whatever bounds the time bounds the cost.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 3 and 9: routes vary by chance, by danger and by whether a bot is
//! aggressive, normal or defensive; 12: a waypoint on another's route costs double. Departure: chance is not drawn for each
//! waypoint, where it would cancel out along a route, but for patches of the map about as large as a room.
//!
//! Not here: links that failed (`doubts`). Cost: a few microseconds each time a way is asked for.

use fireteam_terrain::path::Cost;
use fireteam_terrain::path::errands::Wait;
use fireteam_terrain::{MoverId, MoverKind, Terrain, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::Walk;
use crate::convar::ConVars;
use crate::memory::Memory;

/// How much of a risk somebody takes for a shorter way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Constitution {
    /// Straight there, whoever sees it.
    Aggressive,
    #[default]
    Normal,
    /// Rather along the walls.
    Defensive,
}

impl Constitution {
    pub const ALL: [Constitution; 3] = [Constitution::Aggressive, Constitution::Normal, Constitution::Defensive];

    /// By the trait of aggression, from 0 to 100: a third of all people are of each.
    pub fn of(aggression: u8) -> Constitution {
        match aggression {
            ..=33 => Constitution::Defensive,
            34..=66 => Constitution::Normal,
            67.. => Constitution::Aggressive,
        }
    }

    /// How far it lets chance lead it astray.
    fn whim(self) -> f32 {
        match self {
            Constitution::Aggressive => 0.4,
            Constitution::Normal | Constitution::Defensive => 1.0,
        }
    }

    /// What being seen weighs for it.
    fn shyness(self) -> f32 {
        match self {
            Constitution::Aggressive => 0.0,
            Constitution::Normal => 0.3,
            Constitution::Defensive => 1.0,
        }
    }

    /// What danger weighs for it.
    fn care(self) -> f32 {
        match self {
            Constitution::Aggressive => 0.25,
            Constitution::Normal => 1.0,
            Constitution::Defensive => 2.0,
        }
    }
}

/// What a walk is worried about, as far as the bot itself knows it.
#[derive(Clone, Copy, Debug)]
pub struct Concerns<'a> {
    /// None for who believes nothing: only chance and mates tell one way from another.
    pub memory: Option<&'a Memory>,
    pub constitution: Constitution,
    /// What being seen and danger weigh for one of its skill, and mates on the same way for one of its traits; 1 is usual.
    pub cover: f32,
    pub company: f32,
}

impl Default for Concerns<'_> {
    fn default() -> Self {
        Concerns { memory: None, constitution: Constitution::default(), cover: 1.0, company: 1.0 }
    }
}

/// Everything that tolls are reckoned from.
#[derive(Clone, Copy, Debug)]
pub struct Reckoning<'a> {
    pub terrain: &'a Terrain,
    pub concerns: Concerns<'a>,
    /// How many of the side's other ways lead over each waypoint; may be shorter than there are waypoints.
    pub traffic: &'a [u8],
    /// By how many times danger weighs more than usual.
    pub caution: u8,
    /// Draws which patches are out of favour.
    pub taste: u32,
    pub now: Time,
    pub convars: &'a ConVars,
}

/// A toll of so much makes a link dearer by its own time.
const UNIT: f32 = 64.0;
/// What to give a search as the weight of these tolls: 256 is to [`UNIT`] as this is to one.
pub const WEIGHT: Cost = 4;
const _: () = assert!(WEIGHT as f32 * UNIT == 256.0);

/// Sides of a patch: about a room.
const PATCH: f32 = 256.0;
const PATCH_HEIGHT: f32 = 128.0;
/// More mates than this on a way make no difference.
const MATES_MAX: u8 = 2;
/// So many threats and deaths are thought of, the latest of them.
const THREATS: usize = 6;
const DEATHS: usize = 4;
/// Where somebody was shot, this far around is dangerous as far as it is seen from there.
const DEATH_REACH: f32 = 400.0;
/// An enemy's view farther than this is no danger yet.
const THREAT_REACH: f32 = 1500.0;

impl Reckoning<'_> {
    /// Writes a toll for each waypoint.
    pub fn fill(&self, tolls: &mut Vec<u8>) {
        let Reckoning { terrain, convars, concerns, .. } = *self;
        let shyness = convars.path_exposure * concerns.constitution.shyness() * concerns.cover * UNIT / 255.0;
        let mates = convars.path_mates * concerns.company * UNIT;
        let whim = convars.path_variety * concerns.constitution.whim() * UNIT;
        let usual = self.usual_traffic();
        tolls.clear();
        for (index, origin) in terrain.waypoints.origin.iter().enumerate() {
            let exposure = terrain.values.exposure.get(index).map_or(0.0, |seen| f32::from(*seen));
            let traffic = self.traffic.get(index).map_or(0, |ways| ways.saturating_sub(usual).min(MATES_MAX));
            let disfavour = whim * self.disfavour(*origin);
            tolls.push((disfavour + shyness * exposure + mates * f32::from(traffic)) as u8);
        }
        if let Some(memory) = concerns.memory {
            self.add_dangers(memory, tolls);
        }
    }

    /// Where a side is so large that its ways lead everywhere, mates are no reason to go one way rather than another, but for
    /// where there are more of them than usual: so many ways lead over a waypoint, in the mean.
    fn usual_traffic(&self) -> u8 {
        let ways: usize = self.traffic.iter().map(|ways| usize::from(*ways)).sum();
        let waypoints = self.traffic.len().max(1);
        ((ways + waypoints / 2) / waypoints) as u8
    }

    /// How little a place is to this taste, from 0 to 1.
    fn disfavour(&self, origin: Vec3) -> f32 {
        let patch = (origin / Vec3::new(PATCH, PATCH, PATCH_HEIGHT)).floor();
        let mut mixed = self.taste;
        for part in patch.to_array() {
            mixed = (mixed ^ part as i32 as u32).wrapping_mul(0x9e37_79b1);
            mixed ^= mixed >> 15;
        }
        (mixed >> 24) as f32 / 255.0
    }

    /// What enemies are believed to see, and where one's own side lost somebody.
    fn add_dangers(&self, memory: &Memory, tolls: &mut [u8]) {
        let Reckoning { terrain, convars, now, .. } = *self;
        let care = self.concerns.constitution.care() * self.concerns.cover;
        let worst = convars.path_danger * care * f32::from(self.caution.max(1)) * UNIT;
        let long_ms = convars.memory_long_ms;
        let fresh = |at: Time| 1.0 - (now - at).clamp(0, long_ms) as f32 / long_ms as f32;
        let sightings = memory.seen_since(now + -long_ms).map(|threat| (threat.seen, threat.place));
        for (seen, place) in latest(sightings) {
            if let Some(near) = terrain.nearest(place) {
                let toll = (worst * fresh(seen)) as u8;
                add_seen(terrain, near.waypoint, THREAT_REACH, toll, tolls);
            }
        }
        for death in memory.dangers().iter().rev().take(DEATHS) {
            if let Some(near) = terrain.nearest(death.place) {
                let toll = (worst * fresh(death.at)) as u8;
                add_seen(terrain, near.waypoint, DEATH_REACH, toll, tolls);
            }
        }
    }
}

/// Of when and where enemies were seen, the latest, as far as they are thought of.
fn latest(sightings: impl Iterator<Item = (Time, Vec3)>) -> impl Iterator<Item = (Time, Vec3)> {
    let mut latest: [Option<(Time, Vec3)>; THREATS] = [None; THREATS];
    for sighting in sightings {
        let seen = |kept: &Option<(Time, Vec3)>| kept.map(|(seen, _)| seen);
        let oldest = latest.iter_mut().min_by_key(|kept| seen(kept));
        if let Some(oldest) = oldest.filter(|kept| seen(kept) < Some(sighting.0)) {
            *oldest = Some(sighting);
        }
    }
    latest.into_iter().flatten()
}

/// Adds a toll to everything that is seen from a waypoint, and to itself.
fn add_seen(terrain: &Terrain, from: WaypointId, reach: f32, toll: u8, tolls: &mut [u8]) {
    let origin = &terrain.waypoints.origin;
    let here = origin[from.index()];
    let mut add = |index: usize| {
        if origin[index].distance_squared(here) < reach * reach {
            tolls[index] = tolls[index].saturating_add(toll);
        }
    };
    for (word, &bits) in terrain.sight.standing.row(from.index()).iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            add(word * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
    if !terrain.sight.sees(from, from) {
        add(from.index());
    }
}

/// The health of somebody whom the deepest fall that the game knows would kill: none if he need not care where he lands.
pub(super) fn frail(walk: &Walk) -> Option<u8> {
    let fall = &walk.field.game.rules.movement.fall;
    let deepest = fall.far_damage.max(fall.medium_damage);
    u8::try_from(walk.own.health).ok().filter(|_| walk.own.health <= deepest)
}

/// Doors that are believed shut, each with the time it takes to open before one's nose.
pub(super) fn list_waits(terrain: &Terrain, memory: &Memory, waits: &mut Vec<Wait>) {
    waits.clear();
    for (index, spot) in terrain.movers.spots.iter().enumerate() {
        let is_shut = || memory.mover(spot.model).is_some_and(|door| door.is_at_rest());
        if spot.kind == MoverKind::Door && is_shut() {
            waits.push(Wait { mover: MoverId::from(index), ms: spot.travel_ms });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_enemies_than_are_thought_of_those_seen_last_count() {
        let seen_ms = [300, 900, 100, 800, 200, 700, 600, 400, 500];
        let mut kept: Vec<i32> =
            latest(seen_ms.map(|ms| (Time(ms), Vec3::ZERO)).into_iter()).map(|(at, _)| at.0).collect();
        kept.sort_unstable();
        assert_eq!(kept, [400, 500, 600, 700, 800, 900]);
    }
}
