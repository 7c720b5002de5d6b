//! A mesh recorded from play: eight bots with no terrain for five minutes, then others on what they left behind.
//!
//! Reached is a spawn or an item of the baked terrain, if the recorded one has a waypoint at it that can be reached from where
//! most of it is connected. Stuck is counted as `bench play` does, by the same number of bots for as long on either mesh.

use std::sync::Arc;

use anyhow::{Result, ensure};
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_bake::recorded::terrain_of;
use fireteam_sim::{Match, Roster};
use fireteam_terrain::{Terrain, WaypointFlags};
use fireteam_world::Game;

use super::Course;
use super::play::live;
use super::report::{Must, Row};
use crate::bake::{Threads, Watch};
use crate::learnt::Mesh;
use crate::{maps, terrains};

const MAPS: [&str; 2] = [maps::DEFAULT, "oa_dm1"];
const PER_TEAM: usize = 4;
const MINUTES: i32 = 5;
/// Hours of bots on each mesh.
const HOURS: f64 = 8.0;
/// A recorded waypoint so near to a spawn or an item is at it.
const AT: f32 = 64.0;
const REACHED_MUST: Must = Must::AtLeast(80.0);
const STUCK_MUST: Must = Must::AtMost(2.0);

pub(crate) fn record(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(MAPS.len(), false)?;
    let threads = Threads::new(None)?;
    let mut rows = Vec::new();
    for name in course.maps_or(&MAPS) {
        // Each map by the rules it was made for.
        let rules = if name == maps::DEFAULT { "skirmish" } else { "openarena" };
        let game = || Game::named(rules).expect("a test reads every description that is built in");
        let baked = terrains::terrain(&maps::load(&name)?, &game(), &watch)?;
        let (mut mesh, bare) = Mesh::open(None, maps::load(&name)?, game(), &threads)?;
        ensure!(!bare.has_mesh, "{name} has a mesh before anybody walked on it");
        explore(&bare, &mut mesh, course.seed, &watch);
        ensure!(!watch.is_stopped(), "stopped on {name}");
        let recorded = terrain_of(&bare.map, &bare.game, &mesh.overlay(), &threads)?;
        let (reached, all) = reached(&recorded, &baked);
        let note = format!(
            "{reached} of {all} spawns and items; {} waypoints, {} links; baked {}, {}",
            recorded.waypoints.len(),
            recorded.links.links.len(),
            baked.waypoints.len(),
            baked.links.links.len()
        );
        let share = reached as f64 * 100.0 / all.max(1) as f64;
        rows.push(Row::new(format!("{name}: reached after {MINUTES} minutes"), share, "%", REACHED_MUST, note));
        rows.push(stuck_row(&name, course, &bare, [recorded, baked], &watch)?);
    }
    Ok(rows)
}

/// Eight bots who know nothing of the map.
fn explore(field: &Arc<Field>, mesh: &mut Mesh, seed: u64, watch: &Watch) {
    let convars = ConVars::default();
    let frames = MINUTES * 60_000 / field.game.rules.frame_ms;
    let mut played = 0;
    for seed in seed.. {
        let roster = Roster::of_teams(PER_TEAM, Skill::Veteran, seed);
        let mut game = Match::new(field.clone(), &roster, seed);
        let mut bots = Bots::new(field.clone(), seed);
        for ((entity, _), member) in game.players().zip(&roster.members) {
            bots.join(entity, member.character());
        }
        mesh.begin_match();
        // A match that is decided is followed by the next.
        while !game.is_over() {
            if played == frames || watch.is_stopped() {
                return;
            }
            played += 1;
            mesh.look(game.snapshot());
            let commands = bots.think(game.snapshot(), &convars);
            game.step(commands);
        }
    }
}

/// How many of the baked terrain's spawns and items the recorded one gets to, and how many there are.
fn reached(recorded: &Terrain, baked: &Terrain) -> (usize, usize) {
    let main = |terrain: &Terrain| {
        let largest = terrain.islands.largest();
        terrain.waypoints.ids().find(|id| Some(terrain.islands.of_waypoint[id.index()]) == largest)
    };
    let (Some(from_recorded), Some(from_baked)) = (main(recorded), main(baked)) else { return (0, 1) };
    let matters = WaypointFlags::SPAWN | WaypointFlags::ITEM;
    let wanted = baked
        .waypoints
        .ids()
        .filter(|id| baked.waypoints.flags[id.index()].meets(matters) && baked.islands.connect(from_baked, *id));
    let wanted: Vec<_> = wanted.map(|id| baked.waypoints.origin[id.index()]).collect();
    let is_reached = |place: &&fireteam_world::Vec3| {
        recorded.waypoints.ids().any(|id| {
            recorded.waypoints.origin[id.index()].distance(**place) < AT && recorded.islands.connect(from_recorded, id)
        })
    };
    (wanted.iter().filter(is_reached).count(), wanted.len())
}

/// How often bots are stuck on the recorded mesh, for each time on the baked one.
fn stuck_row(name: &str, course: &Course, bare: &Field, meshes: [Terrain; 2], watch: &Watch) -> Result<Row> {
    let hours = if course.quick { HOURS / 4.0 } else { HOURS };
    let mut cases = [0, 0];
    for ((terrain, mesh), cases) in meshes.into_iter().zip(["recorded", "baked"]).zip(&mut cases) {
        let (map, solids, game) = (Arc::clone(&bare.map), Arc::clone(&bare.solids), Arc::clone(&bare.game));
        let field = Arc::new(Field::new(map, solids, Arc::new(terrain), game)?);
        *cases = live(&format!("{name}, {mesh}"), &field, PER_TEAM, hours, course.seed, watch).cases.len();
        ensure!(!watch.is_stopped(), "stopped on {name}");
    }
    let [recorded, baked] = cases;
    // Once in all that time is no rate: nobody is twice as often stuck for one case against none.
    let ratio = recorded as f64 / baked.max(1) as f64;
    let note =
        format!("{recorded} on the recorded mesh, {baked} on the baked, in {hours} hours each; none counts as one");
    Ok(Row::new(format!("{name}: stuck, times the baked mesh"), ratio, "times", STUCK_MUST, note))
}
