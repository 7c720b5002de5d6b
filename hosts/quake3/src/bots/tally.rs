//! What a match cost and where its players were, watched from outside: the figures of a [`Report`].
//!
//! In: every frame's player states, and the CPU time of the server's thread around our work and around the stock AI.
//! Out: a report when the match ends. Thread time, not the clock on the wall: other processes do not count.

use std::time::Duration;

use fireteam_openarena::play::lineup::Side;
use fireteam_openarena::play::report::{Case, Cost, Foreseen, PlayerReport, Report, Spread};
use fireteam_world::Vec3;

use super::crew::Crew;
use super::post::Spent;
use super::translate::plays;
use crate::abi::{self, persistent, stat};
use crate::engine::Game;

/// Whoever stays within this of one place for so long stands still.
const STILL_REACH: f32 = 32.0;
const STILL_MS: i64 = 5000;
/// Pressing for less than this share of the time is not wanting to move.
const WANTING: f64 = 0.8;
/// A leap farther than this in one frame is a teleport or a new life, and no walk.
const STRIDE_MAX: f32 = 150.0;
/// More cases of being stuck are counted, but not told one by one.
const CASES_MAX: usize = 64;
/// Frames are counted by so many widths; longer ones fall into the last.
const BINS: usize = 4096;
/// Microseconds of a width, for thinking and for whole frames.
const THINK_US: u32 = 1;
const FRAME_US: u32 = 10;

#[derive(Debug)]
pub(super) struct Tally {
    game_ms: i64,
    players: Vec<Walk>,
    /// Where ours were stuck.
    cases: Vec<Case>,
    ours: Cost,
    stock: Cost,
    translate_ns: u64,
    press_ns: u64,
    pub(super) think: Lengths,
    /// Whole frames.
    pub(super) frame: Lengths,
    /// What we did of them, and what others did.
    pub(super) own: Lengths,
    pub(super) rest: Lengths,
    dropped: u32,
    pub(super) faults: u32,
}

/// How long things took, counted.
#[derive(Debug)]
pub(super) struct Lengths {
    width_us: u32,
    bins: Vec<u32>,
    count: u64,
    total: Duration,
    max_us: u32,
}

/// One client's way through the match.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    side: Option<Side>,
    is_known: bool,
    is_there: bool,
    team: i32,
    alive_ms: i64,
    still_ms: i64,
    held_ms: i64,
    distance: f64,
    at: Vec3,
    /// Where it has been near since.
    anchor: Vec3,
    anchored_ms: i64,
    /// Of that, with a reason to hold.
    anchored_held_ms: i64,
    /// The same for being stuck, which begins anew once it was counted; how long keys were pressed meanwhile.
    stay: Vec3,
    stayed_ms: i64,
    pressed_ms: i64,
    is_pressing: bool,
    is_holding: bool,
    stuck: u32,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            game_ms: 0,
            players: vec![Walk::default(); abi::CLIENTS_MAX],
            cases: Vec::with_capacity(CASES_MAX),
            ours: Cost::default(),
            stock: Cost::default(),
            translate_ns: 0,
            press_ns: 0,
            think: Lengths::of_width(THINK_US),
            frame: Lengths::of_width(FRAME_US),
            own: Lengths::of_width(FRAME_US),
            rest: Lengths::of_width(FRAME_US),
            dropped: 0,
            faults: 0,
        }
    }
}

impl Tally {
    /// A frame of `ms`; `stock_ns` is what the stock AI took for it.
    pub(super) fn look(&mut self, game: &Game, ours: u64, ms: i32, stock_ns: u64) {
        let ms = i64::from(ms);
        self.game_ms += ms;
        let mut bots = [0u64; 2];
        for (client, walk) in self.players.iter_mut().enumerate() {
            let was_there = std::mem::replace(&mut walk.is_there, game.is_in_use(client));
            if !walk.is_there {
                self.dropped += u32::from(was_there && walk.side.is_some());
                continue;
            }
            let is_bot = game.entity(client).server_flags & abi::SVF_BOT != 0;
            walk.side = match (ours & (1 << client) != 0, is_bot) {
                (true, _) => Some(Side::Ours),
                (false, true) => Some(Side::Stock),
                (false, false) => None,
            };
            bots[0] += u64::from(walk.side == Some(Side::Ours));
            bots[1] += u64::from(walk.side == Some(Side::Stock));
            if plays(game, client) {
                let state = game.player(client);
                walk.team = state.persistent[persistent::TEAM];
                let stuck_before = walk.stuck;
                walk.step(state.origin.into(), state.stats[stat::HEALTH] > 0, ms);
                if walk.stuck > stuck_before && self.cases.len() < CASES_MAX {
                    let place = state.origin.map(|part| part as i32);
                    self.cases.push(Case { slot: client, ms: self.game_ms, place });
                }
            }
        }
        self.ours.bot_ms += bots[0] * ms as u64;
        // Without bots the AI still runs, for nobody.
        if bots[1] > 0 {
            self.stock.add(Cost { ns: stock_ns, bot_ms: bots[1] * ms as u64 });
        }
    }

    /// Whether a bot of ours wants to move in the frame to come, and whether its journal says why it does not.
    pub(super) fn note_press(&mut self, client: usize, is_pressing: bool, is_holding: bool) {
        let walk = &mut self.players[client];
        (walk.is_pressing, walk.is_holding) = (is_pressing, is_holding);
    }

    /// What our part of a frame took.
    pub(super) fn spend(&mut self, spent: Spent, press: Duration) {
        let Spent { translate, think } = spent;
        let ns = |time: Duration| time.as_nanos() as u64;
        self.ours.ns += ns(translate + think + press);
        self.translate_ns += ns(translate);
        self.press_ns += ns(press);
        self.think.add(think);
    }

    /// A client was sent away: he is not lost.
    pub(super) fn excuse(&mut self, client: usize) {
        self.players[client].is_there = false;
    }

    pub(super) fn ours(&self) -> Cost {
        self.ours
    }

    pub(super) fn report(&self, crew: &Crew, foreseen: Foreseen) -> Report {
        let players = self.players.iter().enumerate().filter(|(_, walk)| walk.is_known);
        let players = players.map(|(slot, walk)| PlayerReport {
            slot,
            side: walk.side,
            team: walk.team,
            alive_ms: walk.alive_ms,
            still_ms: walk.still_ms,
            held_ms: walk.held_ms,
            stuck: walk.stuck,
            distance: walk.distance,
            name: crew.name(slot).to_owned(),
        });
        Report {
            game_ms: self.game_ms,
            players: players.collect(),
            cases: self.cases.clone(),
            ours: self.ours,
            stock: self.stock,
            think: self.think.spread(),
            frame: self.frame.spread(),
            frame_lengths: self.frame.counted(),
            own: self.own.spread(),
            rest: self.rest.spread(),
            dropped: self.dropped,
            translate_ns: self.translate_ns,
            press_ns: self.press_ns,
            faults: self.faults,
            foreseen,
        }
    }
}

impl Lengths {
    fn of_width(width_us: u32) -> Lengths {
        Lengths { width_us, bins: vec![0; BINS], count: 0, total: Duration::ZERO, max_us: 0 }
    }

    pub(super) fn add(&mut self, length: Duration) {
        let us = u32::try_from(length.as_micros()).unwrap_or(u32::MAX);
        self.bins[((us / self.width_us) as usize).min(BINS - 1)] += 1;
        self.max_us = self.max_us.max(us);
        self.total += length;
        self.count += 1;
    }

    pub(super) fn mean_ms(&self) -> f64 {
        self.total.as_secs_f64() * 1000.0 / self.count.max(1) as f64
    }

    pub(super) fn spread(&self) -> Spread {
        let quantile = |share: f64| {
            let wanted = (self.count as f64 * share).ceil() as u64;
            let mut seen = 0;
            let bin = self.bins.iter().position(|&count| {
                seen += u64::from(count);
                seen >= wanted
            });
            bin.map_or(self.max_us, |bin| self.longest_of(bin))
        };
        Spread {
            frames: self.count,
            median: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: self.max_us,
        }
    }

    /// The most that anything in a bin may have taken; in the last bin only the longest of all is known.
    fn longest_of(&self, bin: usize) -> u32 {
        if bin == BINS - 1 { self.max_us } else { (bin as u32 * self.width_us + self.width_us - 1).min(self.max_us) }
    }

    /// By how long, how many took so long.
    fn counted(&self) -> Vec<(u32, u64)> {
        let bins = self.bins.iter().enumerate().filter(|(_, count)| **count > 0);
        bins.map(|(bin, &count)| (self.longest_of(bin), u64::from(count))).collect()
    }
}

impl Walk {
    fn step(&mut self, at: Vec3, is_alive: bool, ms: i64) {
        let before = std::mem::replace(&mut self.at, at);
        let is_first = !std::mem::replace(&mut self.is_known, true);
        let stride = at.distance(before);
        if is_first || !is_alive || stride > STRIDE_MAX || at.distance(self.anchor) > STILL_REACH {
            self.anchor = at;
            (self.anchored_ms, self.anchored_held_ms) = (0, 0);
        }
        if !is_alive {
            self.stayed_ms = 0;
            self.pressed_ms = 0;
            self.stay = at;
            return;
        }
        self.alive_ms += ms;
        if !is_first && stride <= STRIDE_MAX {
            self.distance += f64::from(stride);
        }
        self.struggle(at, is_first || stride > STRIDE_MAX, ms);
        let was_still = self.anchored_ms > STILL_MS;
        let held = if self.is_holding { ms } else { 0 };
        self.anchored_ms += ms;
        self.anchored_held_ms += held;
        if self.anchored_ms > STILL_MS {
            // What came before it was known to be a stay belongs to it.
            let (still, held) = if was_still { (ms, held) } else { (self.anchored_ms, self.anchored_held_ms) };
            self.still_ms += still;
            self.held_ms += held;
        }
    }
}

impl Walk {
    /// Counts a case whenever somebody wanted to move for five seconds and did not get away.
    fn struggle(&mut self, at: Vec3, is_new: bool, ms: i64) {
        if is_new || at.distance(self.stay) > STILL_REACH || self.stayed_ms >= STILL_MS {
            self.stay = at;
            self.stayed_ms = 0;
            self.pressed_ms = 0;
        }
        self.stayed_ms += ms;
        self.pressed_ms += if self.is_pressing { ms } else { 0 };
        if self.stayed_ms >= STILL_MS && self.pressed_ms as f64 >= self.stayed_ms as f64 * WANTING {
            self.stuck += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_presses_and_does_not_move_is_stuck_once_in_five_seconds() {
        let mut walk = Walk { is_pressing: true, ..Walk::default() };
        (0..220).for_each(|_| walk.step(Vec3::ZERO, true, 50));
        assert_eq!(walk.stuck, 2);
        let mut idle = Walk::default();
        (0..220).for_each(|_| idle.step(Vec3::ZERO, true, 50));
        assert_eq!((idle.stuck, idle.still_ms), (0, 11_000));
    }

    #[test]
    fn who_stays_near_a_place_for_long_is_still_and_who_walks_is_not() {
        let mut stander = Walk::default();
        let mut walker = Walk::default();
        for frame in 0..200 {
            stander.step(Vec3::X * (frame % 2) as f32, true, 50);
            walker.step(Vec3::X * (frame * 16) as f32, true, 50);
        }
        assert_eq!((stander.alive_ms, stander.still_ms), (10_000, 10_000));
        assert_eq!((walker.still_ms, walker.distance), (0, 199.0 * 16.0));
    }

    #[test]
    fn of_a_stay_only_the_time_with_a_reason_is_held() {
        let mut walk = Walk::default();
        for frame in 0..200 {
            walk.is_holding = (40..140).contains(&frame);
            walk.step(Vec3::ZERO, true, 50);
        }
        assert_eq!((walk.still_ms, walk.held_ms), (10_000, 5_000));
        // Too short to be still: no reason is needed.
        let mut brief = Walk { is_holding: true, ..Walk::default() };
        (0..90).for_each(|_| brief.step(Vec3::ZERO, true, 50));
        assert_eq!((brief.still_ms, brief.held_ms), (0, 0));
    }

    #[test]
    fn death_and_teleports_are_no_walk_and_begin_anew() {
        let mut walk = Walk::default();
        (0..90).for_each(|_| walk.step(Vec3::ZERO, true, 50));
        walk.step(Vec3::ZERO, false, 50);
        (0..90).for_each(|_| walk.step(Vec3::X * 1000.0, true, 50));
        assert_eq!((walk.still_ms, walk.distance, walk.alive_ms), (0, 0.0, 9000));
    }

    #[test]
    fn quantiles_come_from_the_counted_frames() {
        let thought = |think| Spent { translate: Duration::ZERO, think };
        let mut tally = Tally::default();
        for us in 1..=1000 {
            tally.spend(thought(Duration::from_micros(us)), Duration::ZERO);
        }
        tally.spend(thought(Duration::from_millis(20)), Duration::ZERO);
        let spread = tally.think.spread();
        assert_eq!((spread.median, spread.p99, spread.max), (501, 991, 20_000));
        assert_eq!(spread.p999, 1000);
        let mut frames = Lengths::of_width(FRAME_US);
        (1..=100).for_each(|us| frames.add(Duration::from_micros(us)));
        assert_eq!((frames.spread().median, frames.spread().max), (59, 100), "the end of their bin");
        assert!((frames.mean_ms() - 0.0505).abs() < 1e-9);
        frames.add(Duration::from_secs(1));
        let counted = frames.counted();
        assert_eq!((counted[0], counted[1], counted.len()), ((9, 9), (19, 10), 12));
        assert_eq!(counted.last(), Some(&(1_000_000, 1)), "longer than any bin");
    }
}
