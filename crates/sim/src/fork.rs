//! Forking the moment: a recorded match taken up again at any frame, as it was or with something changed, and played on.
//!
//! In: a recording of the embedded game. The match is set up anew from who joined and stepped through the commands that were
//! recorded; everything it shows on the way must be what was recorded, bit for bit, or it is refused: then it was another
//! game, or another version of this one. Out: a [`Moment`], from which any number of futures are played, each with chance of
//! its own or with the one the match had: as it was, that future is what is recorded after the moment.
//!
//! Not here: threads, tables, films (`fireteam replay --fork-at`, the viewer). Cost: thinking the recording up to the moment,
//! unless somebody has minds at hand that have; then what the futures cost.

use std::sync::Arc;

use fireteam::convar::BadConVar;
use fireteam::recording::{Entry, Head, Recording, RecordingError};
use fireteam::snapshot::Team;
use fireteam::{Bots, Character, Command, ConVars, Field, Snapshot};
use fireteam_world::game::Objective;
use fireteam_world::units::EntityId;

use crate::stats::Stats;
use crate::{Match, Member, Roster};

/// Why there is no such moment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unforkable {
    #[error(transparent)]
    Damaged(#[from] RecordingError),
    #[error("the recording does not begin with its match: there is nothing to play it on from")]
    NotWhole,
    #[error("it is not of the embedded game: of any other only what was seen is known, not the game itself")]
    NotEmbedded,
    #[error("from frame {frame} on, the game goes another way than was recorded: another version of it was played")]
    Differs { frame: u32 },
    #[error("somebody joined or left in the middle of it: such a match cannot be set up again")]
    Joined,
    #[error("it has {frames} frames, no frame {frame}")]
    TooShort { frame: u32, frames: u32 },
    #[error("stopped")]
    Stopped,
}

/// What is to be otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Variables by name.
    pub set: Vec<(String, f64)>,
    /// Behaviours by name, to a bot or to all.
    pub forbid: Vec<(Option<EntityId>, String)>,
}

/// Why nothing can be changed like that.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadChange {
    #[error(transparent)]
    Variable(#[from] BadConVar),
    #[error("nobody it is to be forbidden has a behaviour called `{name}`: there are {known}")]
    Behaviour { name: String, known: String },
}

/// A match at the beginning of a frame: it is shown, and nobody has thought about it yet.
#[derive(Clone, Debug)]
pub struct Moment {
    pub frame: u32,
    game: Match,
    bots: Bots,
    convars: ConVars,
}

/// Minds that have thought every frame before a moment, where somebody has them.
pub type Minds = Option<Bots>;

/// One future, when it is over.
#[derive(Clone, Debug)]
pub struct Future {
    /// Counted at its end, and at its beginning: what the moment itself shows was done before it.
    pub stats: Stats,
    pub before: Stats,
    /// How many of each side are alive at its end.
    pub alive: Vec<(Team, u32)>,
}

/// What a future shows, frame by frame; false ends it.
pub trait Witness: FnMut(&Snapshot, &ConVars, &[Command]) -> bool {}
impl<F: FnMut(&Snapshot, &ConVars, &[Command]) -> bool> Witness for F {}

impl Moment {
    /// The moment before a frame. `go_on` hears of every frame on the way, and may end it.
    pub fn of(
        recording: &Recording<'_>,
        field: &Arc<Field>,
        frame: u32,
        minds: Minds,
        mut go_on: impl FnMut(u32) -> bool,
    ) -> Result<Moment, Unforkable> {
        if !recording.is_whole {
            return Err(Unforkable::NotWhole);
        }
        let mut rebuilt = Rebuilt::new(field, &recording.head, frame, minds);
        for entry in recording.entries() {
            if rebuilt.take(entry?)? {
                break;
            }
            if !go_on(rebuilt.frames) {
                return Err(Unforkable::Stopped);
            }
        }
        rebuilt.moment()
    }

    /// The same moment with something changed.
    pub fn changed(&self, change: &Change) -> Result<Moment, BadChange> {
        let mut changed = Moment { bots: self.bots.checkpoint(), ..self.clone() };
        for (name, value) in &change.set {
            changed.convars.set(name, &value.to_string())?;
        }
        for (bot, name) in &change.forbid {
            if !changed.bots.forbid(*bot, name) {
                let known: Vec<&str> = fireteam::behaviour::standard().iter().map(|known| known.name()).collect();
                return Err(BadChange::Behaviour { name: name.clone(), known: known.join(", ") });
            }
        }
        Ok(changed)
    }

    pub fn convars(&self) -> &ConVars {
        &self.convars
    }

    /// Everyone with a mind of ours.
    pub fn bots(&self) -> impl Iterator<Item = (EntityId, &Character)> {
        self.game.players().filter_map(|(entity, _)| Some((entity, self.bots.character(entity)?)))
    }

    /// Sides that take part; some more than once.
    pub fn teams(&self) -> impl Iterator<Item = Team> {
        let all = self.game.snapshot().players.iter().map(|figure| figure.team);
        all.filter(|team| *team != Team::NEUTRAL)
    }

    /// Frames in so many seconds.
    pub fn frames_in(&self, seconds: f64) -> u32 {
        (seconds * 1000.0 / f64::from(self.game.snapshot().frame_ms.max(1))).round() as u32
    }

    /// Plays on from here for so many frames, with chance of another seed or with the one it had.
    pub fn play(&self, seed: Option<u64>, frames: u32, mut witness: impl Witness) -> Future {
        let (mut game, mut bots) = (self.game.clone(), self.bots.checkpoint());
        if let Some(seed) = seed {
            game.reseed(seed);
            bots.reseed(seed);
        }
        let mut stats = Stats::of(game.field());
        stats.look(game.snapshot());
        let before = stats.clone();
        for _ in 0..frames {
            let commands = bots.think(game.snapshot(), &self.convars);
            if !witness(game.snapshot(), &self.convars, commands) || game.is_over() {
                break;
            }
            game.step(commands);
            stats.look(game.snapshot());
        }
        let living = |team: Team| {
            let figures = &game.snapshot().players;
            figures.iter().filter(|figure| figure.team == team && !figure.is_dead).count() as u32
        };
        let alive = stats.teams.iter().map(|known| (known.team, living(known.team))).collect();
        Future { stats, before, alive }
    }
}

/// Whether a recording is of the embedded game: whether that game, set up again, begins as was recorded.
pub fn is_forkable(recording: &Recording<'_>, field: &Arc<Field>) -> Result<(), Unforkable> {
    if !recording.is_whole {
        return Err(Unforkable::NotWhole);
    }
    let mut rebuilt = Rebuilt::new(field, &recording.head, 0, None);
    for entry in recording.entries() {
        rebuilt.take(entry?)?;
        if rebuilt.kept.is_some() {
            return Ok(());
        }
    }
    Err(Unforkable::TooShort { frame: 0, frames: 0 })
}

/// A recorded match that is being set up again.
struct Rebuilt<'f> {
    field: &'f Arc<Field>,
    seed: u64,
    /// The frame that is asked for.
    wanted: u32,
    joined: Vec<(EntityId, Character)>,
    /// One for everything the match may have been about that has not been shown wrong: recordings do not say.
    games: Vec<Match>,
    bots: Bots,
    thinks: bool,
    convars: ConVars,
    frames: u32,
    /// As the games, bots and variables were at the moment.
    kept: Option<(Vec<Match>, Bots, ConVars)>,
}

impl<'f> Rebuilt<'f> {
    fn new(field: &'f Arc<Field>, head: &Head, wanted: u32, minds: Minds) -> Rebuilt<'f> {
        let thinks = minds.is_none();
        Rebuilt {
            field,
            seed: head.seed,
            wanted,
            joined: Vec::new(),
            games: Vec::new(),
            bots: minds.unwrap_or_else(|| Bots::new(field.clone(), head.seed)),
            thinks,
            convars: ConVars::default(),
            frames: 0,
            kept: None,
        }
    }

    /// True once no more is needed.
    fn take(&mut self, entry: Entry) -> Result<bool, Unforkable> {
        match entry {
            Entry::Join(entity, character) if self.frames == 0 => {
                if self.thinks {
                    self.bots.join(entity, character.clone());
                }
                self.joined.push((entity, character));
            }
            // What comes after the moment does not matter to it.
            Entry::Join(..) | Entry::Leave(_) if self.kept.is_some() => return Ok(true),
            Entry::Join(..) | Entry::Leave(_) => return Err(Unforkable::Joined),
            Entry::Variables(convars) => self.convars = *convars,
            Entry::Frame(shown, commands) => return self.take_frame(&shown, &commands),
        }
        Ok(false)
    }

    fn take_frame(&mut self, shown: &Snapshot, commands: &[Command]) -> Result<bool, Unforkable> {
        if self.frames == 0 {
            self.games = self.set_up(shown);
        }
        let mut is_right: Vec<bool> = self.games.iter().map(|game| game.snapshot() == shown).collect();
        if !is_right.contains(&true) {
            let frame = self.frames;
            return match (&self.kept, frame) {
                // A game that was tampered with after the moment was still this one until then.
                (Some(_), _) => Ok(true),
                (None, 0) => Err(Unforkable::NotEmbedded),
                (None, frame) => Err(Unforkable::Differs { frame }),
            };
        }
        if let Some((kept, ..)) = &mut self.kept {
            let mut stay = is_right.iter();
            kept.retain(|_| stay.next() == Some(&true));
        }
        let mut stay = is_right.drain(..);
        self.games.retain(|_| stay.next() == Some(true));
        drop(stay);
        if self.frames == self.wanted {
            self.kept = Some((self.games.clone(), self.bots.clone(), self.convars));
        }
        if self.kept.is_some() && self.games.len() == 1 {
            return Ok(true);
        }
        if self.thinks && self.kept.is_none() && self.bots.think(shown, &self.convars) != commands {
            return Err(Unforkable::Differs { frame: self.frames });
        }
        self.games.iter_mut().for_each(|game| game.step(commands));
        self.frames += 1;
        Ok(false)
    }

    /// The match at its first frame, about everything it may be about; what its description says comes first.
    fn set_up(&self, shown: &Snapshot) -> Vec<Match> {
        let team_of = |entity: EntityId| {
            let figure = shown.players.iter().find(|figure| figure.entity == entity);
            figure.map(|figure| figure.team)
        };
        let member = |(entity, character): &(EntityId, Character)| Member {
            name: character.name.clone(),
            skill: character.skill,
            team: team_of(*entity),
            traits: character.traits,
        };
        let civilians = shown.players.iter().filter(|figure| figure.team == Team::NEUTRAL).count();
        let roster = Roster { members: self.joined.iter().map(member).collect(), civilians };
        let rules = &self.field.game.rules;
        let usual = rules.kernels.objective;
        // Whatever else it is called, it is played as one of these.
        let others = [Objective::Elimination, Objective::TeamFight, Objective::Domination];
        let all = [usual].into_iter().chain(others.into_iter().filter(|other| *other != usual));
        let possible = all.filter(|objective| Match::can_be_about(*objective, rules));
        possible.map(|objective| Match::about(objective, self.field.clone(), &roster, self.seed)).collect()
    }

    fn moment(self) -> Result<Moment, Unforkable> {
        let Rebuilt { wanted: frame, frames, kept, .. } = self;
        let (games, bots, convars) = kept.ok_or(Unforkable::TooShort { frame, frames })?;
        // Of several that showed the same to the end of the recording, the one the description says.
        let game = games.into_iter().next().ok_or(Unforkable::NotEmbedded)?;
        Ok(Moment { frame, game, bots, convars })
    }
}
