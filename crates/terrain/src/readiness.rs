//! Is a terrain fit to play on? What is covered, what is cut off, what looks wrong.
//!
//! In: a terrain. Out: a [`Readiness`]: figures, and *remarks*, each something a person may want to look at before bots
//! play there. Nothing is judged by the map: what the bake never found is not missed here; `fireteam bench terrain`
//! compares with the game's own navigation.

use fireteam_world::walker::Travel;
use serde::Serialize;

use crate::{Link, LinkFlags, MoverKind, MoverSpot, OpensBy, SpanFlags, Terrain, WaypointFlags, WaypointId};

/// Links that arrive less often than this when proved are named.
const TRUST_LOW: f32 = 0.75;
/// Walks so many times slower than running the straight line are named: something is in the way.
const SLOW_FACTOR: f32 = 3.0;
/// What a plain run makes in a second. Only for telling slow from quick: physics are in the file as a digest only.
const RUN_SPEED: f32 = 320.0;
/// Links that cost this much health are named.
const DAMAGE_HIGH: u8 = 25;
/// Of each kind of remark so many are written out; the rest is counted.
const NAMED_MAX: usize = 8;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Readiness {
    /// Share of the places to stand or crouch whose waypoint is reached from a spawn.
    pub coverage: f32,
    pub places: usize,
    pub islands: usize,
    /// Waypoints that every spawn reaches and that lead back to it.
    pub mainland: usize,
    pub spawns: usize,
    pub items: usize,
    /// Waypoints no spawn reaches.
    pub unreached: usize,
    /// Reached, but from there no way leads back to any spawn.
    pub without_return: usize,
    pub remarks: Vec<Remark>,
}

/// One kind of thing worth a look.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remark {
    pub what: &'static str,
    pub count: usize,
    /// The first of them, in words.
    pub examples: Vec<String>,
    /// Whether bots cannot play there as they should.
    pub is_serious: bool,
}

impl Readiness {
    pub fn of(terrain: &Terrain) -> Readiness {
        let flagged = |flag: WaypointFlags| -> Vec<WaypointId> {
            terrain.waypoints.ids().filter(|id| terrain.waypoints.flags[id.index()].meets(flag)).collect()
        };
        let (spawns, items) = (flagged(WaypointFlags::SPAWN), flagged(WaypointFlags::ITEM));
        let connect = |from: &WaypointId, to: &WaypointId| terrain.islands.connect(*from, *to);
        let is_reached: Vec<bool> =
            terrain.waypoints.ids().map(|id| spawns.iter().any(|spawn| connect(spawn, &id))).collect();
        let leads_back = |id: WaypointId| spawns.iter().any(|spawn| connect(&id, spawn));
        let is_mainland = |id: &WaypointId| spawns.iter().all(|spawn| connect(spawn, id) && connect(id, spawn));
        let (places, covered) = cover(terrain, &is_reached);
        let stranded = |id: &WaypointId| is_reached[id.index()] && !leads_back(*id);
        Readiness {
            coverage: covered as f32 / places.max(1) as f32,
            places,
            islands: terrain.islands.count(),
            mainland: terrain.waypoints.ids().filter(is_mainland).count(),
            spawns: spawns.len(),
            items: items.len(),
            unreached: is_reached.iter().filter(|is_reached| !**is_reached).count(),
            without_return: terrain.waypoints.ids().filter(stranded).count(),
            remarks: remarks(terrain, &spawns, &items),
        }
    }

    pub fn is_ready(&self) -> bool {
        !self.remarks.iter().any(|remark| remark.is_serious)
    }
}

/// How many places there are to stand or crouch without harm, and how many of them belong to a waypoint that is reached.
fn cover(terrain: &Terrain, is_reached: &[bool]) -> (usize, usize) {
    let is_place = |flags: SpanFlags| {
        flags.meets(SpanFlags::STAND | SpanFlags::CROUCH) && !flags.meets(SpanFlags::HARM | SpanFlags::STEEP)
    };
    let places = terrain.ground.spans.iter().filter(|span| is_place(span.flags));
    places.fold((0, 0), |(places, covered), span| {
        let is_covered = span.waypoint.get().is_some_and(|id| is_reached[id.index()]);
        (places + 1, covered + usize::from(is_covered))
    })
}

fn remarks(terrain: &Terrain, spawns: &[WaypointId], items: &[WaypointId]) -> Vec<Remark> {
    let place = |id: WaypointId| {
        let origin = terrain.waypoints.origin[id.index()];
        format!("w{} at {:.0},{:.0},{:.0}", id.0, origin.x, origin.y, origin.z)
    };
    let from_all = |to: WaypointId| spawns.iter().filter(|spawn| terrain.islands.connect(**spawn, to)).count();
    let lost = |id: &&WaypointId| from_all(**id) < spawns.len();
    let share = |id: &WaypointId| format!("{}: from {} of {} spawns", place(*id), from_all(*id), spawns.len());
    let mut remarks = Vec::new();
    if spawns.is_empty() {
        remarks.push(remark("no spawn", [String::from("nobody can appear here")], true));
    }
    remarks.push(remark("items that some spawn does not reach", items.iter().filter(lost).map(share), true));
    remarks.push(remark("spawns that some spawn does not reach", spawns.iter().filter(lost).map(share), true));
    remarks.extend(door_remarks(terrain));
    remarks.extend(link_remarks(terrain));
    remarks.retain(|remark| remark.count > 0);
    remarks
}

fn door_remarks(terrain: &Terrain) -> [Remark; 2] {
    let doors = || terrain.movers.spots.iter().filter(|spot| spot.kind == MoverKind::Door);
    let name = |spot: &MoverSpot| {
        format!("entity {} at {:.0},{:.0},{:.0}", spot.entity.0, spot.stand.x, spot.stand.y, spot.stand.z)
    };
    // What only a button, a shot or a key opens needs one of them to be somewhere.
    let is_stuck = |spot: &&MoverSpot| match spot.opens_by {
        OpensBy::Button | OpensBy::Shot => spot.opener.is_none(),
        OpensBy::Touch | OpensBy::Key | OpensBy::Use | OpensBy::Itself => false,
    };
    let is_unused = |spot: &&MoverSpot| {
        let id = terrain.movers.of_entity(spot.entity);
        !terrain.links.links.iter().any(|link| Some(link.mover) == id)
    };
    [
        remark("doors without an opener", doors().filter(is_stuck).map(name), true),
        remark("doors that no link leads through", doors().filter(is_unused).map(name), false),
    ]
}

fn link_remarks(terrain: &Terrain) -> [Remark; 4] {
    let origin = |id: WaypointId| terrain.waypoints.origin[id.index()];
    let all = || terrain.links.iter().filter(|(_, link)| !link.flags.meets(LinkFlags::BY_HAND));
    let name = |from: WaypointId, link: &Link| format!("w{} to w{}, {}", from.0, link.to.0, link.kind.name());
    let trust = |link: &Link| f32::from(link.trust) / 255.0;
    let shaky = all()
        .filter(|(_, link)| trust(link) < TRUST_LOW)
        .map(|(from, link)| format!("{}: arrives {:.0} % of the time", name(from, link), trust(link) * 100.0));
    let is_slow = |from: WaypointId, link: &Link| {
        let straight_ms = origin(from).distance(origin(link.to)) / RUN_SPEED * 1000.0;
        link.kind == Travel::Walk && f32::from(link.time_ms) > straight_ms * SLOW_FACTOR + 500.0
    };
    let slow = all().filter(|(from, link)| is_slow(*from, link)).map(|(from, link)| {
        let units = origin(from).distance(origin(link.to));
        format!("{}: {:.1} s for {units:.0} units", name(from, link), f32::from(link.time_ms) / 1000.0)
    });
    let painful = all()
        .filter(|(_, link)| link.damage >= DAMAGE_HIGH)
        .map(|(from, link)| format!("{}: costs {} health", name(from, link), link.damage));
    let by_hand = terrain.links.iter().filter(|(_, link)| link.flags.meets(LinkFlags::BY_HAND));
    [
        remark("links that often fail", shaky, false),
        remark("links that take long", slow, false),
        remark("links that cost much health", painful, false),
        remark("links drawn by hand, not proved", by_hand.map(|(from, link)| name(from, link)), false),
    ]
}

fn remark(what: &'static str, each: impl IntoIterator<Item = String>, is_serious: bool) -> Remark {
    let mut count = 0;
    let mut examples = Vec::new();
    for one in each {
        count += 1;
        if examples.len() < NAMED_MAX {
            examples.push(one);
        }
    }
    Remark { what, count, examples, is_serious }
}
