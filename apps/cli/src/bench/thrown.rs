//! Whether the real server's grenades go off where the table's decoded throws say.
//!
//! Pairs are drawn from a map's table, both bodies put somewhere in their cells; the throw is decoded as a bot would, and
//! a client of the real server is driven to throw it. Nobody else is there, so nothing but the map is touched.

use anyhow::{Context, Result};
use fireteam_openarena::capture::plan::throws::{GRENADE_LAUNCHER, Shot};
use fireteam_openarena::capture::{Limits, Oracle, Run};
use fireteam_terrain::throws::{Decoder, Stored};
use fireteam_terrain::{Cells, Terrain, WaypointFlags, WaypointId};
use fireteam_world::flight::Air;
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers;
use fireteam_world::pcg::Pcg;
use fireteam_world::throwing::{Hand, Range, Stand};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Game, Map, Scene, Solids, Sweep, Vec3};

use super::Course;
use super::lists::openarena;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::terrains;

const MAPS: [&str; 9] =
    ["oa_dm1", "oa_dm2", "oa_dm3", "oa_dm6", "oa_bases5", "kaos2", "sleekgrinder", "ctf_compromise", "czest1dm"];
const THROWS: usize = 500;
const THROWABLE: &str = "grenade";
/// How near to where the flight said.
const REACH: f32 = 4.0;

pub(crate) fn thrown(course: &Course) -> Result<Vec<Row>> {
    let maps = course.maps_or(&MAPS);
    let watch = Watch::begin(maps.len(), false)?;
    let each = course.count(THROWS).div_ceil(maps.len());
    let (mut count, mut near, mut notes) = (0, 0, Vec::new());
    for name in &maps {
        let found = throw_on(course, name, each, &watch).with_context(|| format!("on {name}"))?;
        eprintln!(
            "{name}: {} of {} throws went off where they should; {} were refused",
            found.near, found.count, found.refused
        );
        (count, near) = (count + found.count, near + found.near);
        if found.near < found.count {
            notes.push(format!("{name} {} of {}", found.count - found.near, found.count));
        }
    }
    let name = format!("{count} decoded throws by a driven client: explode within {REACH} units");
    let note = if notes.is_empty() { String::new() } else { format!("elsewhere: {}", notes.join(", ")) };
    Ok(vec![Row::new(name, near as f64 / count.max(1) as f64 * 100.0, "%", Must::AtLeast(98.0), note)])
}

#[derive(Debug, Default)]
struct Found {
    count: usize,
    near: usize,
    refused: usize,
}

fn throw_on(course: &Course, name: &str, count: usize, watch: &Watch) -> Result<Found> {
    let map = course.map(name)?;
    let game = openarena()?;
    let terrain = terrains::with_throws(&map, &game, None, watch)?;
    let yard = Yard::of(&map, &game, &terrain);
    let limits = Limits { seed: course.seed as i32, ..Limits::default() };
    let mut oracle = Oracle::start(&course.install, &course.module, name, &limits)?;
    let mut chance = Pcg::named(course.seed, name);
    let mut found = Found::default();
    while found.count < count && found.refused < count * 10 {
        let Some((shot, place)) = yard.draw(&mut chance)? else {
            found.refused += 1;
            continue;
        };
        let run = Run::capture(&mut oracle, shot.name(), &shot.drive())?;
        let theirs = run.explosion().map(|explosion| explosion.origin);
        found.count += 1;
        let is_near = theirs.is_some_and(|theirs| theirs.distance(place) <= REACH);
        found.near += usize::from(is_near);
        if !is_near {
            eprintln!("  {name}, thrown from {}: we said {place}, the engine {theirs:?}", shot.origin);
        }
    }
    Ok(found)
}

/// A map at rest, and its throws.
struct Yard<'a> {
    game: &'a Game,
    terrain: &'a Terrain,
    solids: Solids,
    crowd: Crowd,
    shootable: Vec<EntityId>,
    cells: Cells,
}

impl<'a> Yard<'a> {
    fn of(map: &Map, game: &'a Game, terrain: &'a Terrain) -> Yard<'a> {
        let solids = Solids::build(map);
        let moving = Movers::of(map, game, Time(0));
        let crowd = Crowd::of(&solids, moving.placed(), &[]);
        Yard { game, terrain, crowd, shootable: moving.shootable().collect(), cells: terrain.cells(), solids }
    }

    /// A decoded throw of a pair of the table, and where it goes off; none if it was refused.
    fn draw(&self, chance: &mut Pcg) -> Result<Option<(Shot, Vec3)>> {
        let table = self.terrain.throws.of(THROWABLE).context("the terrain holds no grenades")?;
        let throwable = self.game.throwable(THROWABLE).context("the game has no grenade")?;
        let air = Air { scene: Scene { solids: &self.solids, crowd: &self.crowd }, shootable: &self.shootable };
        let range = Range::of(self.game, throwable, air).context("grenades explode")?;
        let at = chance.below(table.always.size());
        let row: Vec<(usize, &[u8; 3])> = table.always.row(at).collect();
        let Some((from, bytes)) = (!row.is_empty()).then(|| *chance.pick(&row)) else { return Ok(None) };
        let (at, from, stored) = (WaypointId::from(at), WaypointId::from(from), Stored::from_bytes(bytes));
        let (Some(hand), Some(victim)) = (self.stand(from, chance), self.stand(at, chance)) else { return Ok(None) };
        let decoder = Decoder { table, range: &range, hand: &Hand::of(throwable) };
        let source = self.terrain.waypoints.origin[from.index()];
        let Ok(aimed) = decoder.decode(&stored, source, &hand, &victim) else { return Ok(None) };
        if stored.is_crouched || hand.stance != Stance::Standing {
            return Ok(None);
        }
        let shot = Shot::of(hand.origin, &aimed.throw, GRENADE_LAUNCHER);
        // A client sends angles in 65,536 steps around; what is thrown is what it sent.
        let flown = range.fly(&hand, &shot.throw(aimed.throw.speed));
        Ok(flown.explodes.then_some((shot, flown.place)))
    }

    /// Somebody on his feet somewhere in a waypoint's cell.
    fn stand(&self, waypoint: WaypointId, chance: &mut Pcg) -> Option<Stand> {
        /// The ground is known to the unit; a body comes to stand an eighth above it.
        const SETTLE: Vec3 = Vec3::new(0.0, 0.0, 8.0);
        let crouches = self.terrain.waypoints.flags[waypoint.index()].meets(WaypointFlags::CROUCH_ONLY);
        let stance = if crouches { Stance::Crouched } else { Stance::Standing };
        let origin = *chance.pick(self.cells.of_waypoint(waypoint));
        let hull = self.game.rules.movement.hull(stance);
        let scene = Scene { solids: &self.solids, crowd: &self.crowd };
        let down = scene.sweep(&Sweep::hull(origin + SETTLE, origin - SETTLE, hull, Contents::MASK_WALK), None);
        (!down.start_solid && down.fraction < 1.0).then_some(Stand { origin: down.end, stance })
    }
}
