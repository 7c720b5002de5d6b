//! Do we know the places where players are? A match of stock bots and an aimless walker, watched.

use anyhow::Result;
use fireteam_openarena::capture::Limits;
use fireteam_openarena::capture::visits::{self, Match};
use fireteam_terrain::{WaypointFlags, WaypointId};
use fireteam_world::Vec3;

use super::super::Course;
use super::super::report::{Must, Row};
use super::{Baked, LIVE_MAPS, Misses, Tally, percent};

const MUST: Must = Must::AtLeast(98.0);
/// A place is known if a waypoint that is reached is this near.
const NEAR: f32 = 96.0;
const BOTS: i32 = 7;
const SECONDS: usize = 120;

#[derive(Default)]
pub(super) struct Visited {
    visits: usize,
    known: usize,
    misses: Misses,
}

impl Tally for Visited {
    fn wants(&self, map: &str) -> bool {
        LIVE_MAPS.contains(&map)
    }

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()> {
        let game = Match { bots: BOTS, seconds: course.count(SECONDS) as i32, seed: course.seed as i32 };
        let seen = visits::record(&course.install, &course.module, &baked.name, &Limits::default(), game)?;
        let reached = reached_from_spawns(baked);
        let is_known = |at: Vec3| reached.iter().any(|origin| origin.distance_squared(at) <= NEAR * NEAR);
        let strange: Vec<Vec3> = seen.visits.iter().map(|visit| visit.origin()).filter(|at| !is_known(*at)).collect();
        self.visits += seen.visits.len();
        self.known += seen.visits.len() - strange.len();
        let share = percent(strange.len(), seen.visits.len());
        let examples: Vec<String> = strange
            .iter()
            .step_by(strange.len() / 4 + 1)
            .map(|at| format!("{:.0},{:.0},{:.0}", at.x, at.y, at.z))
            .collect();
        if !strange.is_empty() {
            eprintln!(
                "  {} of {} places are not known, such as {}",
                strange.len(),
                seen.visits.len(),
                examples.join(" ")
            );
        }
        self.misses.add(&baked.name, strange.len(), format!("{share:.1} %, such as {}", examples.join(" ")));
        Ok(())
    }

    fn miss(&mut self, map: &str, why: &str) {
        self.visits += 1;
        self.misses.add(map, 1, why.to_owned());
    }

    fn rows(&self) -> Vec<Row> {
        let note =
            format!("{} of {} on {} maps; missed: {}", self.known, self.visits, LIVE_MAPS.len(), self.misses.told());
        vec![Row::new("places where players were".into(), percent(self.known, self.visits), "%", MUST, note)]
    }
}

fn reached_from_spawns(baked: &Baked) -> Vec<Vec3> {
    let terrain = &baked.terrain;
    let flags = &terrain.waypoints.flags;
    let spawns: Vec<WaypointId> =
        terrain.waypoints.ids().filter(|id| flags[id.index()].meets(WaypointFlags::SPAWN)).collect();
    let is_reached = |id: &WaypointId| spawns.iter().any(|&spawn| terrain.islands.connect(spawn, *id));
    terrain.waypoints.ids().filter(is_reached).map(|id| terrain.waypoints.origin[id.index()]).collect()
}
