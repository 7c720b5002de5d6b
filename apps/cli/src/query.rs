//! Asking a terrain file from the shell: `fireteam query FILE route|near|sees|area|can-throw|throw|sources|targets|disposal …`.
//!
//! Each question gives one plain answer, which is printed as lines or as JSON: the same numbers a bot would get.

mod throws;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use fireteam_terrain::file::{self, Wanted};
use fireteam_terrain::{AreaId, Mask, NearBy, PortalFlags, Search, Terrain, WaypointId};
use fireteam_world::Vec3;
use serde::Serialize;

use crate::spot::{Place, Spot};
use throws::{Judging, Thrown};

/// Ask a terrain file: a route, the nearest waypoint, who sees whom, which area, who can throw a grenade at whom
#[derive(Args, Debug)]
pub(crate) struct Query {
    /// A terrain file, as `fireteam bake` makes them
    file: PathBuf,

    #[command(subcommand)]
    question: Question,

    /// Print the answer as JSON instead of lines
    #[arg(long, global = true)]
    json: bool,
}

// Spots are `w12`, `12` or `x,y,z`, a player's origin there.
#[derive(Subcommand, Debug)]
#[command(allow_negative_numbers = true)]
enum Question {
    /// The quickest way from one spot to another; a spot is a waypoint (w12) or a place (x,y,z)
    Route {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[arg(allow_hyphen_values = true)]
        to: Spot,
    },
    /// The waypoint a player at x,y,z is at
    Near {
        #[arg(allow_hyphen_values = true)]
        place: Place,
    },
    /// Whether one spot sees another; without the other, all that it sees
    Sees {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[arg(allow_hyphen_values = true)]
        to: Option<Spot>,
    },
    /// The area a spot lies in, and where its portals lead
    Area {
        #[arg(allow_hyphen_values = true)]
        spot: Spot,
    },
    /// Whether a grenade can be thrown from one spot at another
    CanThrow {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[arg(allow_hyphen_values = true)]
        at: Spot,
        #[command(flatten)]
        thrown: Thrown,
    },
    /// The throw from one spot at another; with --map, decoded and judged
    Throw {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[arg(allow_hyphen_values = true)]
        at: Spot,
        #[command(flatten)]
        thrown: Thrown,
        #[command(flatten)]
        judging: Judging,
    },
    /// From where a spot can be attacked
    Sources {
        #[arg(allow_hyphen_values = true)]
        at: Spot,
        #[command(flatten)]
        thrown: Thrown,
    },
    /// What can be attacked from a spot
    Targets {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[command(flatten)]
        thrown: Thrown,
    },
    /// How to get rid of a grenade that burns
    Disposal {
        #[arg(allow_hyphen_values = true)]
        from: Spot,
        #[command(flatten)]
        thrown: Thrown,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "question", rename_all = "kebab-case")]
enum Answer {
    Route(RouteAnswer),
    Near(NearAnswer),
    Sees(SeesAnswer),
    View(ViewAnswer),
    Area(AreaAnswer),
    CanThrow(throws::CanThrowAnswer),
    Throw(throws::ThrowAnswer),
    Sources(throws::ListAnswer),
    Targets(throws::ListAnswer),
    Disposal(throws::DisposalAnswer),
}

#[derive(Debug, Serialize)]
struct RouteAnswer {
    from: u16,
    to: u16,
    milliseconds: u32,
    damage: u32,
    legs: Vec<Leg>,
}

#[derive(Debug, Serialize)]
struct Leg {
    from: u16,
    to: u16,
    kind: &'static str,
    milliseconds: u16,
    damage: u8,
    /// Share of the starts that arrived when it was proved.
    trust: f32,
    to_origin: [f32; 3],
    /// The door, lift or train, by its number among the map's entities.
    mover: Option<u16>,
    opener: Option<u16>,
}

#[derive(Debug, Serialize)]
struct NearAnswer {
    waypoint: u16,
    origin: [f32; 3],
    distance: f32,
    by: &'static str,
    flags: Vec<&'static str>,
    area: Option<u16>,
}

#[derive(Debug, Serialize)]
struct SeesAnswer {
    from: u16,
    to: u16,
    distance: f32,
    standing: bool,
    crouched: bool,
    /// Doors that would have to be open, by their number among the map's entities.
    through_doors: Vec<u16>,
}

#[derive(Debug, Serialize)]
struct ViewAnswer {
    from: u16,
    waypoints: usize,
    standing: Vec<u16>,
    crouched: usize,
}

#[derive(Debug, Serialize)]
struct AreaAnswer {
    waypoint: u16,
    area: Option<AreaRow>,
}

#[derive(Debug, Serialize)]
struct AreaRow {
    id: u16,
    class: &'static str,
    waypoints: u16,
    floor: f32,
    sky: f32,
    light: f32,
    mins: [f32; 3],
    maxs: [f32; 3],
    portals: Vec<PortalAnswer>,
}

#[derive(Debug, Serialize)]
struct PortalAnswer {
    to_area: u16,
    to_class: &'static str,
    kind: &'static str,
    centre: [f32; 3],
    width: f32,
    height: f32,
    leaves: bool,
    enters: bool,
}

pub(crate) fn run(query: &Query) -> Result<()> {
    let terrain = file::open(&query.file, &Wanted::default())?;
    let answer = answer(&terrain, &query.question)?;
    if query.json {
        println!("{}", serde_json::to_string_pretty(&answer)?);
    } else {
        print!("{}", lines(&terrain, &answer));
    }
    Ok(())
}

fn answer(terrain: &Terrain, question: &Question) -> Result<Answer> {
    Ok(match question {
        Question::Route { from, to } => Answer::Route(route(terrain, from.on(terrain)?, to.on(terrain)?)?),
        Question::Near { place } => Answer::Near(near(terrain, place.0)?),
        Question::Sees { from, to: Some(to) } => Answer::Sees(sees(terrain, from.on(terrain)?, to.on(terrain)?)),
        Question::Sees { from, to: None } => Answer::View(view(terrain, from.on(terrain)?)),
        Question::Area { spot } => Answer::Area(area(terrain, spot.on(terrain)?)),
        Question::CanThrow { from, at, thrown } => Answer::CanThrow(throws::can_throw(terrain, *from, *at, thrown)?),
        Question::Throw { from, at, thrown, judging } => {
            Answer::Throw(throws::throw(terrain, *from, *at, thrown, judging)?)
        }
        Question::Sources { at, thrown } => Answer::Sources(throws::sources(terrain, *at, thrown)?),
        Question::Targets { from, thrown } => Answer::Targets(throws::targets(terrain, *from, thrown)?),
        Question::Disposal { from, thrown } => Answer::Disposal(throws::disposal(terrain, *from, thrown)?),
    })
}

fn route(terrain: &Terrain, from: WaypointId, to: WaypointId) -> Result<RouteAnswer> {
    let route = terrain.route(&mut Search::default(), from, to)?;
    let entity = |mover| terrain.movers.get(mover).map(|spot| spot.entity.0);
    let legs = route.links.iter().map(|&id| {
        let link = &terrain.links.links[id.index()];
        Leg {
            from: terrain.links.start_of(id).0,
            to: link.to.0,
            kind: link.kind.name(),
            milliseconds: link.time_ms,
            damage: link.damage,
            trust: share(link.trust),
            to_origin: terrain.waypoints.origin[link.to.index()].to_array(),
            mover: entity(link.mover),
            opener: entity(link.opener),
        }
    });
    let legs: Vec<Leg> = legs.collect();
    let damage = legs.iter().map(|leg| u32::from(leg.damage)).sum();
    Ok(RouteAnswer { from: from.0, to: to.0, milliseconds: terrain.promised_ms(&route), damage, legs })
}

fn near(terrain: &Terrain, origin: Vec3) -> Result<NearAnswer> {
    let id = Spot::Place(origin).on(terrain)?;
    let near = terrain.nearest(origin).expect("a spot was found, so there is a waypoint");
    Ok(NearAnswer {
        waypoint: id.0,
        origin: terrain.waypoints.origin[id.index()].to_array(),
        distance: near.distance,
        by: match near.by {
            NearBy::Ground => "the ground below",
            NearBy::Around => "the ground around",
            NearBy::Distance => "distance",
        },
        flags: terrain.waypoints.flags[id.index()].words().collect(),
        area: terrain.areas.of_waypoint[id.index()].get().map(|area| area.0),
    })
}

fn sees(terrain: &Terrain, from: WaypointId, to: WaypointId) -> SeesAnswer {
    let origins = &terrain.waypoints.origin;
    let openings = terrain.sight.openings_from(from).iter().filter(|opening| opening.to == to);
    SeesAnswer {
        from: from.0,
        to: to.0,
        distance: origins[from.index()].distance(origins[to.index()]),
        standing: terrain.sight.sees(from, to),
        crouched: terrain.sight.sees_crouched(from, to),
        through_doors: openings
            .filter_map(|opening| terrain.movers.get(opening.mover).map(|spot| spot.entity.0))
            .collect(),
    }
}

fn view(terrain: &Terrain, from: WaypointId) -> ViewAnswer {
    let mut crouched = Mask::default();
    crouched.fill_visible_crouched(terrain, from);
    ViewAnswer {
        from: from.0,
        waypoints: terrain.waypoints.len(),
        standing: terrain.visible_from(from).iter().map(|id| id.0).collect(),
        crouched: crouched.count(),
    }
}

fn area(terrain: &Terrain, at: WaypointId) -> AreaAnswer {
    let row = terrain.areas.of_waypoint[at.index()].get().map(|id| {
        let area = &terrain.areas.areas[id.index()];
        AreaRow {
            id: id.0,
            class: area.class.word(),
            waypoints: area.waypoints,
            floor: area.floor,
            sky: share(area.sky),
            light: share(area.light),
            mins: area.mins.to_array(),
            maxs: area.maxs.to_array(),
            portals: portals_of(terrain, id),
        }
    });
    AreaAnswer { waypoint: at.0, area: row }
}

fn portals_of(terrain: &Terrain, id: AreaId) -> Vec<PortalAnswer> {
    let here = terrain.portals.portals.iter().filter(|portal| portal.areas.contains(&id));
    let answer = here.map(|portal| {
        let is_first = portal.areas[0] == id;
        let other = portal.areas[usize::from(is_first)];
        let (out, back) =
            if is_first { (PortalFlags::FORTH, PortalFlags::BACK) } else { (PortalFlags::BACK, PortalFlags::FORTH) };
        PortalAnswer {
            to_area: other.0,
            to_class: terrain.areas.areas[other.index()].class.word(),
            kind: portal.kind.word(),
            centre: portal.centre.to_array(),
            width: portal.width,
            height: portal.height,
            leaves: portal.flags.meets(out),
            enters: portal.flags.meets(back),
        }
    });
    answer.collect()
}

fn share(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

fn at([x, y, z]: [f32; 3]) -> String {
    format!("{x:.0},{y:.0},{z:.0}")
}

fn lines(terrain: &Terrain, answer: &Answer) -> String {
    match answer {
        Answer::Route(route) => route_lines(terrain, route),
        Answer::Near(near) => {
            let flags = if near.flags.is_empty() { "nothing special".to_owned() } else { near.flags.join(", ") };
            let area = near.area.map_or_else(|| "no area".to_owned(), |area| format!("area a{area}"));
            let place = at(near.origin);
            format!(
                "w{} at {place}, {:.0} units off, found by {}; {flags}; {area}\n",
                near.waypoint, near.distance, near.by
            )
        }
        Answer::Sees(sees) => sees_line(sees),
        Answer::View(view) => {
            let seen: Vec<String> = view.standing.iter().map(|id| format!("w{id}")).collect();
            let (count, all) = (seen.len(), view.waypoints);
            format!("w{} sees {count} of {all}, {} of them crouched: {}\n", view.from, view.crouched, seen.join(" "))
        }
        Answer::Area(area) => area_lines(area),
        Answer::CanThrow(answer) => throws::can_throw_line(answer),
        Answer::Throw(answer) => throws::throw_lines(answer),
        Answer::Sources(answer) | Answer::Targets(answer) => throws::list_lines(answer),
        Answer::Disposal(answer) => throws::disposal_line(answer),
    }
}

fn route_lines(terrain: &Terrain, route: &RouteAnswer) -> String {
    let seconds = f64::from(route.milliseconds) / 1000.0;
    let cost = if route.damage == 0 { String::new() } else { format!(", costs {} health", route.damage) };
    let mut lines = format!("w{} to w{}: {} links, {seconds:.2} s{cost}\n", route.from, route.to, route.legs.len());
    for leg in &route.legs {
        let mover =
            |word: &str, entity: Option<u16>| entity.map_or(String::new(), |entity| format!(", {word} {entity}"));
        let via = mover("by entity", leg.mover) + &mover("opened by entity", leg.opener);
        let trust =
            if leg.trust < 1.0 { format!(", arrives {:.0} % of the time", leg.trust * 100.0) } else { String::new() };
        let flags: Vec<&str> = terrain.waypoints.flags[usize::from(leg.to)].words().collect();
        let what = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
        let to = format!("w{}", leg.to);
        lines += &format!(
            "  {:<11} {to:<6} {:>5.2} s  {}{what}{via}{trust}\n",
            leg.kind,
            f64::from(leg.milliseconds) / 1000.0,
            at(leg.to_origin)
        );
    }
    lines
}

fn sees_line(sees: &SeesAnswer) -> String {
    let who = format!("w{} to w{}, {:.0} units", sees.from, sees.to, sees.distance);
    let doors: Vec<String> = sees.through_doors.iter().map(|entity| format!("entity {entity}")).collect();
    let what = match (sees.standing, sees.crouched) {
        (true, true) => "seen, crouched too".to_owned(),
        (true, false) => "seen standing; crouched there is cover".to_owned(),
        (false, true) => "only a crouched body is seen".to_owned(),
        (false, false) if doors.is_empty() => "not seen".to_owned(),
        (false, false) => format!("seen only while open: {}", doors.join(", ")),
    };
    format!("{who}: {what}\n")
}

fn area_lines(answer: &AreaAnswer) -> String {
    let Some(area) = &answer.area else { return format!("w{} lies in no area\n", answer.waypoint) };
    let mut lines = format!(
        "a{}, {}: {} waypoints, {:.0} square units, {:.0} % under the sky, light {:.0} %, from {} to {}\n",
        area.id,
        area.class,
        area.waypoints,
        area.floor,
        area.sky * 100.0,
        area.light * 100.0,
        at(area.mins),
        at(area.maxs)
    );
    for portal in &area.portals {
        let ways = match (portal.leaves, portal.enters) {
            (true, true) => "both ways",
            (true, false) => "out only",
            (false, true) => "in only",
            (false, false) => "only looked through",
        };
        let size = format!("{:.0} x {:.0}", portal.width, portal.height);
        let centre = at(portal.centre);
        lines += &format!(
            "  {:<8} to a{} ({}), {size}, at {centre}, {ways}\n",
            portal.kind, portal.to_area, portal.to_class
        );
    }
    lines
}
