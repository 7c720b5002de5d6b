//! A match to be watched: played at the speed of life, with a page that shows it, until Ctrl-C.
//!
//! When a match is over it stays to be looked at; the page may begin another. What the playing thread does for those who
//! watch is one copy of what it was shown, for the scribe: it takes no lock of theirs and waits for none.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use fireteam::profile::{Clock, Figure};
use fireteam::recording::{Entry, Head};
use fireteam::{Bots, Command, ConVars, Field};
use fireteam_openarena::clock::wall_ns;
use fireteam_sim::{Match, Roster};
use fireteam_terrain::file;
use fireteam_world::game::Objective;
use fireteam_world::units::EntityId;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Play, Prepared, Taught};
use crate::bake::Watch;
use crate::view::chronicle::Chronicle;
use crate::view::show::Can;
use crate::view::stage::{Beat, COSTS_MAX, Controls, Cue, Scope, Scribe};
use crate::view::{Billing, Kind, Showing, Viewer};

/// Game minutes of a match that somebody watches.
const MINUTES: f64 = 10.0;
/// The profile is told so often, in frames.
const PROFILE_EVERY: u64 = 20;

pub(super) fn run(play: &Play, roster: &Roster, watch: &Watch) -> Result<ExitCode> {
    let mut maps = play.map.iter().cycle();
    let mut seed = play.seed;
    let mut viewer: Option<Arc<Viewer>> = None;
    loop {
        let name = maps.next().expect("there is at least one map, and they come round");
        let Prepared { convars, objective, taught } = Prepared::on(name, play, watch)?;
        let Taught { field, .. } = taught;
        // Only now: whoever opens the page is to see a fight, not an empty stage.
        let viewer = match &viewer {
            Some(viewer) => viewer.clone(),
            None => {
                let opened = Viewer::open(&play.viewing)?;
                viewer = Some(opened.clone());
                opened
            }
        };
        let is_first = viewer.showing().is_err();
        let mut scene = Played::begin(name, field, (roster, objective), seed, convars);
        scene.present(&viewer, objective, !play.no_terrain);
        if is_first {
            viewer.invite(&play.viewing);
        }
        let cue = scene.play(play, watch)?;
        let chronicle = scene.end();
        if let Some(path) = &play.record {
            let bytes = chronicle.recording();
            file::write_whole(path, &bytes)?;
            watch.complain(&format!("recording  {}: {} kB", path.display(), bytes.len() / 1000));
        }
        match cue {
            Cue::Again(wanted) => seed = wanted.unwrap_or(seed + 1),
            Cue::Frame | Cue::Stop => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// One match.
pub(crate) struct Played {
    pub(crate) game: Match,
    bots: Bots,
    convars: ConVars,
    commands: Vec<Command>,
    chronicle: Arc<Chronicle>,
    scribe: Scribe,
    pub(crate) controls: Arc<Controls>,
    frames: u64,
}

impl Played {
    pub(crate) fn begin(
        place: &str,
        field: Arc<Field>,
        (roster, objective): (&Roster, Objective),
        seed: u64,
        convars: ConVars,
    ) -> Played {
        let game = Match::about(objective, field.clone(), roster, seed);
        let chronicle = Arc::new(Chronicle::blank(field.clone(), Head::of(&field, place, seed)));
        let scribe = Scribe::begin(chronicle.clone());
        let mut bots = Bots::new(field, seed);
        for ((entity, _), member) in game.players().zip(&roster.members) {
            bots.join(entity, member.character());
            scribe.hand_over(Entry::Join(entity, member.character()), Vec::new());
        }
        scribe.hand_over(Entry::Variables(Box::new(convars)), Vec::new());
        let controls = Arc::new(Controls::new(1.0));
        Played { game, bots, convars, commands: Vec::new(), chronicle, scribe, controls, frames: 0 }
    }

    pub(crate) fn present(&self, viewer: &Viewer, objective: Objective, is_baked: bool) {
        let field = self.game.field();
        let can = Can { control: true, tune: true, edit: is_baked, fork: true, verify: true };
        let title = format!("{} ({})", field.map.name, field.game.name);
        let billing = Billing { kind: Kind::Live, title, gametype: type_name(objective).to_owned(), can };
        let controls = Some(self.controls.clone());
        viewer.show(Arc::new(Showing::new(billing, self.chronicle.clone(), controls, self.convars)));
    }

    /// Until somebody wants another match or none. What is over stays until then.
    fn play(&mut self, play: &Play, watch: &Watch) -> Result<Cue> {
        let frame_ms = self.game.snapshot().frame_ms;
        let frames = play.frames(MINUTES, frame_ms);
        let mut beat = Beat::from_now();
        let mut was_over = false;
        loop {
            let is_over = self.game.is_over() || self.frames >= frames;
            if is_over && !was_over {
                let why = if self.game.is_over() { "a side has won" } else { "time is up" };
                self.chronicle.finish(why);
                was_over = true;
            }
            match self.controls.wait(&mut beat, frame_ms, is_over, || watch.is_stopped()) {
                Cue::Frame => self.frame()?,
                cue => return Ok(cue),
            }
        }
    }

    pub(crate) fn frame(&mut self) -> Result<()> {
        if let Some(convars) = self.controls.take_convars() {
            self.convars = convars;
            self.scribe.hand_over(Entry::Variables(Box::new(convars)), Vec::new());
        }
        self.set_clock();
        let began = Instant::now();
        let (bots, commands, shown) = (&mut self.bots, &mut self.commands, self.game.snapshot());
        commands.clear();
        let convars = &self.convars;
        let thought = catch_unwind(AssertUnwindSafe(|| commands.extend_from_slice(bots.think(shown, convars))));
        let targets = shown.own.iter().filter_map(|own| Some((own.entity, bots.target(own.entity)?)));
        let targets: Vec<(EntityId, EntityId)> = targets.collect();
        self.scribe.hand_over(Entry::Frame(Box::new(shown.clone()), commands.clone()), targets);
        if thought.is_err() {
            bail!("a bot's mind broke down at {:.2} s", f64::from(shown.time.0) / 1000.0);
        }
        {
            let _game = self.bots.profile().enter("game");
            self.game.step(&self.commands);
        }
        self.frames += 1;
        self.note_cost(began);
        Ok(())
    }

    fn set_clock(&self) {
        let is_wanted = self.controls.is_profiled();
        if is_wanted != self.bots.profile().is_on() {
            self.bots.profile().set_clock(is_wanted.then_some(wall_ns as Clock));
            self.bots.profile().reset();
        }
    }

    fn note_cost(&self, began: Instant) {
        let mut costs = self.controls.costs();
        if costs.frames_ms.len() == COSTS_MAX {
            costs.frames_ms.remove(0);
        }
        costs.frames_ms.push(began.elapsed().as_secs_f32() * 1000.0);
        if self.bots.profile().is_on() && self.frames.is_multiple_of(PROFILE_EVERY) {
            costs.scopes = self.bots.profile().figures().iter().map(scope).collect();
        }
    }

    /// When everything is taken down.
    pub(crate) fn end(self) -> Arc<Chronicle> {
        drop(self.scribe);
        self.chronicle
    }
}

fn scope(figure: &Figure) -> Scope {
    let &Figure { name, depth, calls, max_ns, share, .. } = figure;
    Scope { name, depth, calls, mean_us: figure.mean_ns() / 1000.0, max_us: max_ns as f64 / 1000.0, share }
}

fn type_name(objective: Objective) -> &'static str {
    match objective {
        Objective::FreeForAll => "free for all",
        Objective::TeamFight => "team fight",
        Objective::Elimination => "elimination",
        Objective::CaptureTheFlag => "capture the flag",
        Objective::Domination => "domination",
    }
}
