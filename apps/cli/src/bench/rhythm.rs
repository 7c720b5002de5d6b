//! Do bots tick? Shots and changes of side in time, of ours and of the game's own in the same matches; and whether any two of
//! ours do things in the same moment.
//!
//! Two matches on the real server are recorded; a recording holds what everyone could be seen and heard to do, whoever moves
//! him. In the embedded game, where soldiers kneel to shoot, kneeling is watched too. What happens is a train of events, one bin a frame.
//!
//! Of shots only those count that the gun could have fired sooner: the beat of a stream is the gun's, not the hand's.
//!
//! *Rhythm* is the highest autocorrelation of a train between a fifth of a second and two seconds: 1 ticks like a clock, 0 tells
//! nothing of what comes. Only time in fights counts, pooled over the players of a side.
//!
//! *In step* compares how often two bots do the same within a frame of each other with how often they would if every event of the
//! one had come up to half a second sooner or later: that leaves as it is who fights when, and takes away what is finer. The figure is
//! by how many standard deviations it is more than that, over all pairs. After A. Amarasingham and others, "Conditional modeling
//! and the jitter method of spike resampling", J. Neurophysiol., 2012.
//!
//! Cost: about a minute of one core.

mod trains;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fireteam::recording::{Entry, Recording};
use fireteam::{Arsenal, Bots, ConVars, Skill, Snapshot};
use fireteam_openarena::install::cache_folder;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{Match as ServerMatch, play};
use fireteam_openarena::server::Scratch;
use fireteam_sim::{Match, Roster};
use fireteam_world::Game;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;

use super::Course;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::openarena::{TEAM_DEATHMATCH, ready};
use crate::{maps, terrains};
use trains::{Deed, Player, in_step, rhythm};

const MAPS: [&str; 2] = ["oa_dm1", "kaos2"];
const MINUTES: u32 = 10;
const PER_TEAM: usize = 4;
/// As the server counts: elites, and the game's own of the same name.
const SKILL: u8 = 4;
/// Standard deviations: of a hundred fair measurements none is farther off.
const STEP_MUST: Must = Must::AtMost(3.0);

pub(crate) fn rhythms(course: &Course) -> Result<Vec<Row>> {
    let maps = course.maps_or(&MAPS);
    let watch = Watch::begin(maps.len(), false)?;
    let minutes = if course.quick { MINUTES / 4 } else { MINUTES };
    let mut server = Watched::default();
    for map in &maps {
        server.read(&recorded(course, map, minutes, &watch)?)?;
    }
    let mut embedded = Watched::default();
    embedded.play(minutes, course.seed, &watch)?;
    ensure!(!watch.is_stopped(), "stopped");
    let mut rows = Vec::new();
    for deed in [Deed::Shot, Deed::Turn] {
        let [ours, stock] = [true, false].map(|is_ours| rhythm(&server.of_side(is_ours), deed));
        let name = format!("rhythm of {}, of the stock bots'", deed.name());
        let note = format!("ours {ours}, the stock bots {stock}");
        rows.push(Row::new(name, ours.peak / stock.peak, "times", Must::AtMost(1.0), note));
    }
    let mut chance = Pcg::named(course.seed, "rhythm");
    let (ours, stock) = (server.of_side(true), server.of_side(false));
    let soldiers = embedded.of_side(true);
    let cases = [
        ("on the server", &ours, Some(&stock), Deed::Turn),
        ("on the server", &ours, Some(&stock), Deed::Shot),
        ("in the embedded game", &soldiers, None, Deed::Turn),
        ("in the embedded game", &soldiers, None, Deed::Kneel),
    ];
    for (place, players, others, deed) in cases {
        let found = in_step(players, deed, &mut chance);
        let beside = others.map(|others| format!("; the stock bots {:.1}", in_step(others, deed, &mut chance).beyond));
        let note = format!("{found}{}", beside.unwrap_or_default());
        rows.push(Row::new(format!("{} in step {place}", deed.name()), found.beyond, "sigma", STEP_MUST, note));
    }
    Ok(rows)
}

/// A match on the server, as a recording.
fn recorded(course: &Course, map: &str, minutes: u32, watch: &Watch) -> Result<Vec<u8>> {
    ready(map, watch)?;
    let folder = Scratch::new()?;
    let path = folder.path().join("rhythm.recording");
    let entrant = |side, colour| Entrant { side, colour, skill: SKILL };
    let (ours, stock) = (entrant(Side::Ours, Colour::Red), entrant(Side::Stock, Colour::Blue));
    let entrants = [ours, stock].iter().flat_map(|&entrant| vec![entrant; PER_TEAM]).collect();
    let game = ServerMatch {
        seed: course.seed as i32,
        minutes: Some(minutes),
        terrain: Some(cache_folder()?.join("terrain")),
        record: Some(path.clone()),
        ..ServerMatch::new(map, TEAM_DEATHMATCH, entrants)
    };
    let limit = Duration::from_secs(300 + u64::from(minutes) * 120);
    play(&course.install, &course.module, &game, limit, &|| watch.is_stopped())?;
    read(&path)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("the server left no recording at {}", path.display()))
}

/// Everyone of all matches; players of different matches are different.
#[derive(Default)]
struct Watched {
    matches: Vec<BTreeMap<EntityId, Player>>,
}

impl Watched {
    /// Those of a match are a list of their own: nobody is in step with who is not there.
    fn of_side(&self, is_ours: bool) -> Vec<Vec<&Player>> {
        self.matches.iter().map(|all| all.values().filter(|player| player.is_ours == is_ours).collect()).collect()
    }

    fn look(all: &mut BTreeMap<EntityId, Player>, snapshot: &Snapshot, arsenal: &Arsenal) {
        for figure in &snapshot.players {
            let is_ours = snapshot.own.iter().any(|own| own.entity == figure.entity);
            let player = all.entry(figure.entity).or_insert_with(|| Player::new(is_ours, snapshot.frame_ms));
            let shot = snapshot.sounds.iter().find_map(|sound| trains::shot_of(sound, figure.entity));
            player.look(figure, shot.map(|weapon| arsenal.weapon(weapon).refire_ms), snapshot.time);
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let rules = Game::named("openarena").expect("a test reads every description that is built in");
        let (arsenal, mut all) = (Arsenal::of(&rules), BTreeMap::new());
        for entry in Recording::read("the match", bytes)?.entries() {
            if let Entry::Frame(snapshot, _) = entry? {
                Watched::look(&mut all, &snapshot, &arsenal);
            }
        }
        self.matches.push(all);
        Ok(())
    }

    fn play(&mut self, minutes: u32, seed: u64, watch: &Watch) -> Result<()> {
        let rules = Game::named("skirmish").expect("a test reads every description that is built in");
        let field = terrains::field(maps::load(maps::DEFAULT)?, rules, watch)?;
        let convars = ConVars::default();
        let mut left = minutes as i32 * 60_000;
        for seed in seed.. {
            let roster = Roster::of_teams(PER_TEAM, Skill::Elite, seed);
            let mut game = Match::new(field.clone(), &roster, seed);
            let mut bots = Bots::new(field.clone(), seed);
            for ((entity, _), member) in game.players().zip(&roster.members) {
                bots.join(entity, member.character());
            }
            let mut all = BTreeMap::new();
            while !game.is_over() && left > 0 && !watch.is_stopped() {
                Watched::look(&mut all, game.snapshot(), &field.arsenal);
                left -= game.snapshot().frame_ms;
                game.step(bots.think(game.snapshot(), &convars));
            }
            self.matches.push(all);
            if left <= 0 || watch.is_stopped() {
                break;
            }
        }
        Ok(())
    }
}
