//! `fireteam throws`: load a map, fly a fan of grenades, draw it, say what was seen; `fireteam picture`: only draw.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use fireteam_openarena::physics::Physics;
use fireteam_world::movement::Stance;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Crowd, Game, Map, Placed, Scene, Solids, Sweep, Vec3};
use serde::Serialize;

use crate::fan::{self, Demonstration, Range};
use crate::picture::sheet::{self, Scenery};
use crate::spot::Place;
use crate::{ground, maps, output, picture};

#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// A built-in map, a .map or .bsp file, `some.pk3:NAME`, or a map of an installed OpenArena
    #[arg(long, value_name = "FILE|NAME", default_value = maps::DEFAULT)]
    map: String,

    /// Whose grenades: openarena, skirmish, action, or a .toml file of your own
    #[arg(long, value_name = "NAME|FILE", default_value = "action")]
    game: String,

    /// How the thrower's hand shakes: the same seed, the same throws
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where the thrower stands (his origin, 24 above his feet); without it, wherever bounced throws do most
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    from: Option<Place>,

    /// Where to put the picture; without it, fireteam-MAP.png in this folder
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print the result as JSON instead of lines
    #[arg(long)]
    json: bool,

    /// Open no window: accepted for scripts, since this command never opens one
    #[arg(long)]
    headless: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Drawing {
    /// As for `fireteam throws --map`
    #[arg(value_name = "FILE|NAME", default_value = maps::DEFAULT)]
    map: String,

    /// Height of the floor that is shown; without it, the lowest spawn's
    #[arg(long, value_name = "Z", allow_hyphen_values = true)]
    floor: Option<f32>,

    /// Where to put the picture; without it, fireteam-MAP.png in this folder
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What the command prints.
#[derive(Debug, Serialize)]
struct Report {
    map: String,
    brushes: usize,
    entities: usize,
    game: String,
    throwable: String,
    seed: u64,
    from: [f32; 3],
    places: usize,
    hidden_places: usize,
    throws: usize,
    bounces: usize,
    off_a_wall: usize,
    best: Option<Best>,
    picture: String,
    milliseconds: u128,
}

#[derive(Debug, Serialize)]
struct Best {
    yaw: f32,
    pitch: f32,
    speed: f32,
    bounces: usize,
    goes_off_at: [f32; 3],
    after_ms: i32,
    distance: f32,
    hidden_places: u32,
    points_max: i32,
}

pub(crate) fn run(demo: &Demo) -> Result<()> {
    let started = Instant::now();
    let map = maps::load(&demo.map)?;
    let game = load_game(&demo.game)?;
    let solids = Solids::build(&map);
    let crowd = Crowd::of(&solids, &standing_models(&map), &[]);
    let scene = Scene { solids: &solids, crowd: &crowd };
    // Doors open for whoever walks; for what is thrown they are closed.
    let places = ground::survey(&map, &game, &Scene::of(&solids));
    let storey = ground::main_storey(&places);
    let range = Range { game: &game, scene, places: &places, storey, seed: demo.seed };
    let from = demo.from.map(|place| checked_place(place.0, &map, &game, &scene)).transpose()?;
    let show = fan::demonstrate(&range, from)?;

    let scenery = Scenery { map: &map, scene, game_title: &game.rules.title };
    let is_on_main = (show.thrower.origin.z - storey).abs() < 40.0;
    let level = if is_on_main { storey } else { show.thrower.origin.z };
    let floor = level + game.rules.movement.hull(Stance::Standing).mins.z;
    let bytes = picture::png(&sheet::draw(&scenery, Some(&show), floor)?)?;
    let path = demo.out.clone().unwrap_or_else(|| default_path(&map));
    output::write_whole(&path, &bytes)?;

    let report = report(&map, &game, demo.seed, &show, path.display().to_string(), started.elapsed().as_millis());
    if demo.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print_lines(&report);
    }
    Ok(())
}

/// Draws a map with nothing flying through it.
pub(crate) fn draw_map(drawing: &Drawing) -> Result<()> {
    let map = maps::load(&drawing.map)?;
    let solids = Solids::build(&map);
    let crowd = Crowd::of(&solids, &standing_models(&map), &[]);
    let scenery = Scenery { map: &map, scene: Scene { solids: &solids, crowd: &crowd }, game_title: "" };
    let lowest = ground::spawns(&map).iter().map(|spawn| spawn.z - 32.0).fold(f32::INFINITY, f32::min);
    let floor = drawing.floor.unwrap_or(if lowest.is_finite() { lowest } else { map.models[0].mins.z });
    let path = drawing.out.clone().unwrap_or_else(|| default_path(&map));
    output::write_whole(&path, &picture::png(&sheet::draw(&scenery, None, floor)?)?)?;
    println!("picture  {}", path.display());
    Ok(())
}

fn default_path(map: &Map) -> PathBuf {
    PathBuf::from(format!("fireteam-{}.png", map.name))
}

pub(crate) fn load_game(name: &str) -> Result<Game> {
    if let Some(game) = Game::named(name) {
        return Ok(game);
    }
    if let Some(game) = Physics::game_named(name) {
        return Ok(game?);
    }
    if !name.ends_with(".toml") {
        let known: Vec<&str> = Game::built_in().collect();
        bail!("there is no game called {name}: use {} or a .toml file", known.join(", "));
    }
    let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    Ok(Game::from_toml(name, &text)?)
}

/// A player must fit where he is said to stand.
fn checked_place(at: Vec3, map: &Map, game: &Game, scene: &Scene<'_>) -> Result<Vec3> {
    let (mins, maxs) = (map.models[0].mins, map.models[0].maxs);
    if at.cmplt(mins).any() || at.cmpgt(maxs).any() {
        bail!("--from {},{},{} is outside the map, which reaches from {mins} to {maxs}", at.x, at.y, at.z);
    }
    let hull = game.rules.movement.hull(Stance::Standing);
    let here = scene.sweep(&Sweep::hull(at, at, hull, Contents::MASK_WALK), None);
    if here.start_solid {
        bail!("nobody can stand at {},{},{}: it is inside a wall; --from is 24 units above the feet", at.x, at.y, at.z);
    }
    Ok(at)
}

/// Doors closed, lifts where they were drawn, panes whole. Triggers stop nothing and are left out.
fn standing_models(map: &Map) -> Vec<Placed> {
    const STANDING: [&str; 8] = [
        "func_door",
        "func_button",
        "func_plat",
        "func_train",
        "func_bobbing",
        "func_rotating",
        "func_static",
        "func_breakable",
    ];
    let mut placed = Vec::new();
    for (number, entity) in map.entities.iter().enumerate() {
        let Some(model) = entity.model().filter(|_| STANDING.contains(&entity.class())) else { continue };
        let entity_id = EntityId(u16::try_from(number).unwrap_or(u16::MAX));
        placed.push(Placed {
            model,
            entity: entity_id,
            origin: entity.origin(),
            angles: Vec3::ZERO,
            contents: Contents::ALL,
        });
    }
    placed
}

fn report(map: &Map, game: &Game, seed: u64, show: &Demonstration, picture: String, milliseconds: u128) -> Report {
    let best = show.best.map(|index| &show.flown[index]).map(|best| Best {
        yaw: best.throw.yaw,
        pitch: best.throw.pitch,
        speed: best.throw.speed,
        bounces: best.trajectory.bounces.len(),
        goes_off_at: best.ending.place.to_array(),
        after_ms: best.ending.time.0,
        distance: best.ending.place.distance(show.thrower.origin),
        hidden_places: best.effect.hidden_places,
        points_max: best.effect.points_max,
    });
    Report {
        map: map.name.clone(),
        brushes: map.brushes.len(),
        entities: map.entities.len(),
        game: game.name.clone(),
        throwable: show.throwable_name.clone(),
        seed,
        from: show.thrower.origin.to_array(),
        places: show.places,
        hidden_places: show.hidden_places,
        throws: show.flown.len(),
        bounces: show.flown.iter().map(|one| one.trajectory.bounces.len()).sum(),
        off_a_wall: show.flown.iter().filter(|one| fan::off_a_wall(&one.trajectory)).count(),
        best,
        picture,
        milliseconds,
    }
}

fn print_lines(report: &Report) {
    let [x, y, z] = report.from;
    println!(
        "loaded   {}: {} brushes, {} entities, {} places to stand",
        report.map, report.brushes, report.entities, report.places
    );
    println!(
        "threw    {} {}s ({}) from {x:.0},{y:.0},{z:.0}, seed {}",
        report.throws, report.throwable, report.game, report.seed
    );
    println!("bounced  {} times; {} throws came off a wall", report.bounces, report.off_a_wall);
    match &report.best {
        Some(best) => {
            let times = if best.bounces == 1 { "once".to_owned() } else { format!("{} times", best.bounces) };
            println!(
                "best     yaw {:.0}, pitch {:.0}, {:.0} units a second: bounces {times}, goes off after {:.2} s, {:.0} units away,",
                best.yaw,
                best.pitch,
                best.speed,
                f64::from(best.after_ms) / 1000.0,
                best.distance
            );
            println!(
                "         and hurts {} of the {} places its thrower cannot see, by up to {} points",
                best.hidden_places, report.hidden_places, best.points_max
            );
        }
        None => println!("best     none: no throw came off a wall and reached a place out of sight"),
    }
    println!("picture  {}", report.picture);
    println!("took     {:.2} s", report.milliseconds as f64 / 1000.0);
}
