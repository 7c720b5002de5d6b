//! The stage: how a match that is being played is paced, told what to do, and handed out to be watched.
//!
//! In: wishes from the page (pause, speed, step, again, variables), each of which only overwrites the one before, so that there is
//! nothing to fill up. Out: cues for the thread that plays ([`Controls::wait`]), and its frames in the hands of a scribe.
//!
//! The playing thread never waits for a viewer. It copies what it was shown and puts that into a channel; the scribe, a
//! thread of its own, records it and makes the film. The channel holds a minute; if the scribe is that far behind, which
//! takes a match at many times its speed, the match waits for its own recording, as it would without a viewer.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fireteam::ConVars;
use fireteam::recording::Entry;
use fireteam_world::units::EntityId;
use serde::Serialize;

use super::chronicle::Chronicle;

/// Frames that may wait for the scribe: a minute at 20 frames a second.
const WAITING_MAX: usize = 1200;
/// How often the scribe looks for frames. Not woken for each, which would be the playing thread's time.
const SCRIBE_EVERY: Duration = Duration::from_millis(10);
/// Who is later than this has lost the beat and takes up a new one, rather than rush.
const LATE: Duration = Duration::from_millis(250);
/// However long there is to wait, it is looked whether to stop.
const LOOK_UP: Duration = Duration::from_millis(100);
/// How fast a match may run, as many times as in life.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=32.0;
/// Frames whose cost is kept for the chart.
pub(crate) const COSTS_MAX: usize = 600;

/// What is wanted of the match.
#[derive(Debug)]
struct Wishes {
    is_paused: bool,
    speed: f64,
    /// Frames to play although it is paused.
    steps: u32,
    again: Option<Option<u64>>,
    convars: Option<ConVars>,
    is_profiled: bool,
}

/// How a match goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Pace {
    pub(crate) paused: bool,
    pub(crate) speed: f64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cue {
    Frame,
    /// From the beginning, with this seed, or with the next.
    Again(Option<u64>),
    Stop,
}

/// One scope of the profile, as told.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) depth: usize,
    pub(crate) calls: u64,
    pub(crate) mean_us: f64,
    pub(crate) max_us: f64,
    pub(crate) share: f64,
}

/// Where a match's time goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    pub(crate) scopes: Vec<Scope>,
    /// Milliseconds that each of the latest frames took.
    pub(crate) frames_ms: Vec<f32>,
}

/// The wishes of all who watch, and the pace of one match.
#[derive(Debug)]
pub(crate) struct Controls {
    wishes: Mutex<Wishes>,
    rung: Condvar,
    costs: Mutex<Costs>,
}

impl Controls {
    pub(crate) fn new(speed: f64) -> Controls {
        let wishes = Wishes { is_paused: false, speed, steps: 0, again: None, convars: None, is_profiled: false };
        Controls { wishes: Mutex::new(wishes), rung: Condvar::new(), costs: Mutex::default() }
    }

    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wish(&self, change: impl FnOnce(&mut Wishes)) {
        change(&mut self.wishes());
        self.rung.notify_one();
    }

    pub(crate) fn pace(&self) -> Pace {
        let wishes = self.wishes();
        Pace { paused: wishes.is_paused, speed: wishes.speed }
    }

    pub(crate) fn pause(&self, is_paused: bool) {
        self.wish(|wishes| wishes.is_paused = is_paused);
    }

    pub(crate) fn set_speed(&self, speed: f64) {
        self.wish(|wishes| wishes.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end()));
    }

    /// Plays so many frames and stands still.
    pub(crate) fn step(&self, frames: u32) {
        self.wish(|wishes| (wishes.is_paused, wishes.steps) = (true, frames));
    }

    pub(crate) fn play_again(&self, seed: Option<u64>) {
        self.wish(|wishes| (wishes.again, wishes.is_paused) = (Some(seed), false));
    }

    pub(crate) fn set_convars(&self, convars: ConVars) {
        self.wish(|wishes| wishes.convars = Some(convars));
    }

    /// Variables that were set since this was asked last.
    pub(crate) fn take_convars(&self) -> Option<ConVars> {
        self.wishes().convars.take()
    }

    pub(crate) fn set_profiled(&self, is_on: bool) {
        self.wish(|wishes| wishes.is_profiled = is_on);
    }

    pub(crate) fn is_profiled(&self) -> bool {
        self.wishes().is_profiled
    }

    pub(crate) fn costs(&self) -> MutexGuard<'_, Costs> {
        self.costs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until it is time for something. Over, there is nothing to do but to begin again.
    pub(crate) fn wait(&self, beat: &mut Beat, frame_ms: i32, is_over: bool, is_stopped: impl Fn() -> bool) -> Cue {
        let mut wishes = self.wishes();
        loop {
            if is_stopped() {
                return Cue::Stop;
            }
            if let Some(seed) = wishes.again.take() {
                return Cue::Again(seed);
            }
            if !is_over && wishes.is_paused && wishes.steps > 0 {
                wishes.steps -= 1;
                beat.due = Instant::now();
                return Cue::Frame;
            }
            if is_over || wishes.is_paused {
                // Signals ring no bell.
                wishes = self.rung.wait_timeout(wishes, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
                beat.due = Instant::now();
                continue;
            }
            let now = Instant::now();
            if now >= beat.due {
                let frame = Duration::from_secs_f64(f64::from(frame_ms) * 0.001 / wishes.speed);
                beat.due = if now - beat.due > LATE { now + frame } else { beat.due + frame };
                return Cue::Frame;
            }
            let left = beat.due - now;
            wishes = self.rung.wait_timeout(wishes, left.min(LOOK_UP)).unwrap_or_else(PoisonError::into_inner).0;
            // Faster now: what was due later is due sooner.
            let frame = Duration::from_secs_f64(f64::from(frame_ms) * 0.001 / wishes.speed);
            beat.due = beat.due.min(Instant::now() + frame);
        }
    }
}

/// When the next frame is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beat {
    due: Instant,
}

impl Beat {
    pub(crate) fn from_now() -> Beat {
        Beat { due: Instant::now() }
    }
}

/// An entry on its way to the chronicle, with whom bots aim at.
type Handed = (Entry, Vec<(EntityId, EntityId)>);

/// The thread that takes down what is played.
#[derive(Debug)]
pub(crate) struct Scribe {
    hand: Option<SyncSender<Handed>>,
    thread: Option<JoinHandle<()>>,
}

impl Scribe {
    pub(crate) fn begin(chronicle: Arc<Chronicle>) -> Scribe {
        let (hand, taken) = sync_channel(WAITING_MAX);
        let thread = thread::spawn(move || take_down(&chronicle, &taken));
        Scribe { hand: Some(hand), thread: Some(thread) }
    }

    pub(crate) fn hand_over(&self, entry: Entry, targets: Vec<(EntityId, EntityId)>) {
        if let Some(hand) = &self.hand {
            // A scribe that broke down takes no more; the match goes on.
            hand.send((entry, targets)).ok();
        }
    }
}

impl Drop for Scribe {
    /// Waits until all is taken down.
    fn drop(&mut self) {
        self.hand = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn take_down(chronicle: &Chronicle, taken: &Receiver<Handed>) {
    use std::sync::mpsc::TryRecvError;
    loop {
        let mut is_new = false;
        let ended = loop {
            match taken.try_recv() {
                Ok((entry, targets)) => {
                    chronicle.take(entry, &targets);
                    is_new = true;
                }
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        if is_new {
            chronicle.announce();
        }
        if ended {
            return;
        }
        thread::sleep(SCRIBE_EVERY);
    }
}
