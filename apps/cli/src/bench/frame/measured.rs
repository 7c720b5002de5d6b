//! A match with a stopwatch: what thinking, playing and recording took, frame by frame.

use std::sync::Arc;
use std::time::Duration;

use fireteam::profile::{Clock, Profile};
use fireteam::recording::{Head, Keep, Recorder};
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_openarena::clock::{timed, wall_ns};
use fireteam_sim::{Match, Roster};

/// Game seconds before anything is measured: by then every list has grown as long as it gets.
const WARM_UP: usize = 60;

/// What a match took, once it was warm.
pub(super) struct Measured {
    session: Session,
    /// CPU time of each frame's `think`.
    pub(super) frames: Vec<Duration>,
    pub(super) turns: u64,
    /// Of all bots in all frames, how many lived.
    alive: usize,
    bots: usize,
    played: Duration,
    recorded: Duration,
}

struct Session {
    game: Match,
    bots: Bots,
    recorder: Recorder,
    convars: ConVars,
}

impl Session {
    fn begin(field: &Arc<Field>, bots: usize, seed: u64) -> Session {
        let roster = Roster::of_teams(bots / 2, Skill::Veteran, seed);
        let game = Match::new(field.clone(), &roster, seed);
        let mut minds = Bots::new(field.clone(), seed);
        for ((entity, _), member) in game.players().zip(&roster.members) {
            minds.join(entity, member.character());
        }
        let recorder = Recorder::new(Head::of(field, "", seed), Keep::Latest(8 << 20));
        Session { game, bots: minds, recorder, convars: ConVars::default() }
    }

    /// One frame: what thinking, recording and playing took. A match that is won begins anew.
    fn frame(&mut self) -> [Duration; 3] {
        let (commands, thought) = timed(|| self.bots.think(self.game.snapshot(), &self.convars));
        let ((), recorded) = timed(|| self.recorder.frame(self.game.snapshot(), &self.convars, commands));
        let ((), played) = timed(|| self.game.step(commands));
        [thought, recorded, played]
    }

    fn frames_in(&self, seconds: usize) -> usize {
        seconds * 1000 / self.game.snapshot().frame_ms as usize
    }
}

impl Measured {
    /// Matches of different sizes, a second of each in turn: whatever slows the machine down slows both.
    pub(super) fn in_turn<const N: usize>(
        field: &Arc<Field>,
        sizes: [usize; N],
        seconds: usize,
        seed: u64,
    ) -> [Measured; N] {
        let mut all = sizes.map(|bots| Measured::warm(field, bots, seed));
        for _ in 0..seconds {
            all.iter_mut().for_each(Measured::play_second);
        }
        all
    }

    fn warm(field: &Arc<Field>, bots: usize, seed: u64) -> Measured {
        let mut session = Session::begin(field, bots, seed);
        for _ in 0..session.frames_in(WARM_UP) {
            session.frame();
        }
        let nothing = Duration::ZERO;
        Measured { session, frames: Vec::new(), turns: 0, alive: 0, bots, played: nothing, recorded: nothing }
    }

    /// A second more, unless the match is over.
    fn play_second(&mut self) {
        for _ in 0..self.session.frames_in(1) {
            if self.session.game.is_over() {
                return;
            }
            let before = self.session.bots.turns();
            self.alive += self.session.game.snapshot().own.iter().filter(|own| !own.body.is_dead).count();
            let [thinking, recording, playing] = self.session.frame();
            self.turns += self.session.bots.turns() - before;
            self.frames.push(thinking);
            self.recorded += recording;
            self.played += playing;
        }
    }

    /// Of the game.
    fn seconds(&self) -> f64 {
        self.frames.len() as f64 * f64::from(self.session.game.snapshot().frame_ms) / 1000.0
    }

    fn thought(&self) -> Duration {
        self.frames.iter().sum()
    }

    /// Microseconds of everything inside `think`, to a turn.
    pub(super) fn turn_us(&self) -> f64 {
        self.thought().as_secs_f64() * 1e6 / self.turns.max(1) as f64
    }

    /// Microseconds of everything inside `think`, to a bot and frame, alive or not.
    pub(super) fn bot_us(&self) -> f64 {
        self.thought().as_secs_f64() * 1e6 / (self.frames.len() * self.bots).max(1) as f64
    }

    /// The share of bots that lived.
    pub(super) fn living(&self) -> f64 {
        self.alive as f64 / (self.frames.len() * self.bots).max(1) as f64
    }

    pub(super) fn frame_ms(&self) -> f64 {
        self.thought().as_secs_f64() * 1e3 / self.frames.len().max(1) as f64
    }

    /// The frame that only one in so many exceeds.
    pub(super) fn worst_ms(&self, share: f64) -> f64 {
        let mut sorted = self.frames.clone();
        sorted.sort_unstable();
        let at = (sorted.len() as f64 * share) as usize;
        sorted.get(at.min(sorted.len().saturating_sub(1))).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }

    /// Game seconds to a second of CPU time, thinking, playing and recording together.
    pub(super) fn speed(&self) -> f64 {
        self.seconds() / (self.thought() + self.played + self.recorded).as_secs_f64()
    }

    pub(super) fn game_share(&self) -> f64 {
        self.played.as_secs_f64() / (self.thought() + self.played + self.recorded).as_secs_f64()
    }

    pub(super) fn recorder_share(&self) -> f64 {
        self.recorded.as_secs_f64() / self.thought().as_secs_f64()
    }

    pub(super) fn recorder_us(&self) -> f64 {
        self.recorded.as_secs_f64() * 1e6 / self.frames.len().max(1) as f64
    }
}

/// What the profiler costs, as shares of thinking without it.
pub(super) struct Profiled {
    /// While it is on.
    pub(super) on: f64,
    /// While it is off: that a scope looks whether there is a clock.
    pub(super) off: f64,
    pub(super) scopes_per_frame: f64,
    pub(super) scope_off_ns: f64,
}

/// The same match twice, a second of each in turn, once with the profiler on. As both think the same, what one takes longer is
/// its cost. Off, it is too little to be told from chance: so many scopes as a frame has are entered and left by themselves.
pub(super) fn profiled(field: &Arc<Field>, bots: usize, seconds: usize, seed: u64) -> Profiled {
    let mut off = Measured::warm(field, bots, seed);
    let mut on = Measured::warm(field, bots, seed);
    let profile = |one: &Measured, clock: Option<Clock>| one.session.bots.profile().set_clock(clock);
    profile(&on, Some(wall_ns));
    // Whoever goes first has the cold caches: they take turns at that too.
    for second in 0..seconds {
        let mut both = [&mut off, &mut on];
        both.rotate_left(second % 2);
        both.into_iter().for_each(Measured::play_second);
    }
    let scopes: u64 = on.session.bots.profile().figures().iter().map(|figure| figure.calls).sum();
    let scopes_per_frame = scopes as f64 / on.frames.len().max(1) as f64;
    let scope_off_ns = scope_ns(&Profile::default());
    let frame_ns = off.frame_ms() * 1e6;
    Profiled {
        on: on.thought().as_secs_f64() / off.thought().as_secs_f64(),
        off: frame_ns / (frame_ns - scopes_per_frame * scope_off_ns).max(1.0),
        scopes_per_frame,
        scope_off_ns,
    }
}

/// What it takes to enter and leave a scope.
fn scope_ns(profile: &Profile) -> f64 {
    const COUNT: u32 = 2_000_000;
    let ((), time) = timed(|| {
        for _ in 0..COUNT {
            let _scope = std::hint::black_box(profile).enter("scope");
        }
    });
    time.as_nanos() as f64 / f64::from(COUNT)
}

/// How often memory was asked for inside `think` once a match was warm; none if nobody counts.
#[cfg(feature = "bench")]
pub(super) fn count_allocations(field: &Arc<Field>, bots: usize, seconds: usize, seed: u64) -> Option<usize> {
    use stats_alloc::Region;
    let mut session = Session::begin(field, bots, seed);
    for _ in 0..session.frames_in(WARM_UP) {
        session.frame();
    }
    let mut count = 0;
    for _ in 0..session.frames_in(seconds) {
        let Session { game, bots, convars, .. } = &mut session;
        if game.is_over() {
            break;
        }
        let region = Region::new(crate::ALLOCATOR);
        let commands = bots.think(game.snapshot(), convars);
        let change = region.change();
        let asked = change.allocations + change.reallocations;
        if asked > 0 {
            eprintln!("{asked} allocations at {:.2} s", f64::from(game.snapshot().time.0) / 1000.0);
        }
        count += asked;
        game.step(commands);
    }
    Some(count)
}

#[cfg(not(feature = "bench"))]
pub(super) fn count_allocations(_: &Arc<Field>, _: usize, _: usize, _: u64) -> Option<usize> {
    None
}
