//! Who wants to move and does not: noticed after two seconds, then got out of, each time by more.
//!
//! A jump, a step aside, a step back; then another route, with the link in doubt; at last some other place near by. After
//! R. Bryant's FrikBot (1999), whose `frik_obstacles` does much the same.

use fireteam_world::Vec3;
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::Time;
use fireteam_world::walker::Keys;

use super::careful::{Careful, turned};
use super::doubts::Doubts;
use super::journey::Journey;
use super::{Walk, flat};

/// Less than this in [`STUCK_MS`] is not moving.
const MOVED: f32 = 32.0;
const STUCK_MS: i32 = 2000;
/// Who wants nothing for so long is not stuck.
const REST_MS: i32 = 300;
/// On the belly one takes so many times as long.
const CRAWL: i32 = 3;
/// While one is at it, the next attempt comes sooner.
const AGAIN_MS: i32 = 1000;
/// An attempt takes this long.
const ESCAPE_MS: i32 = 450;
/// After so long without trouble, the next trouble is a new one.
const CALM_MS: i32 = 8000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stuck {
    /// Where and when the body last was somewhere else, and for how long it has wanted nothing.
    anchor: Option<(Vec3, Time)>,
    rested_ms: i32,
    /// When it was last asked: nobody asks about who stands to shoot, waits or steps about in a fight.
    asked: Time,
    /// Attempts so far, and when the last one was.
    attempts: u8,
    last: Time,
    escape: Option<Escape>,
}

#[derive(Clone, Copy, Debug)]
struct Escape {
    wish: Vec3,
    jumps: bool,
    until: Time,
}

impl Stuck {
    /// The keys of an attempt under way.
    pub(super) fn escape(&mut self, walk: &Walk, careful: &mut Careful) -> Option<Keys> {
        let escape = self.escape.filter(|escape| walk.now < escape.until);
        self.escape = escape;
        escape.map(|escape| careful.press(walk, escape.wish, escape.jumps, false))
    }

    /// Whether it is time for an attempt.
    pub(super) fn watch(&mut self, walk: &Walk, keys: &Keys) -> bool {
        let origin = walk.body().origin;
        if walk.now - self.asked > REST_MS {
            self.anchor = None;
        }
        self.asked = walk.now;
        // Between one plan and the next nothing is pressed for a frame or two: that is no rest.
        self.rested_ms = if keys.heading == Vec3::ZERO { self.rested_ms + walk.frame_ms } else { 0 };
        if self.rested_ms > REST_MS {
            self.anchor = None;
        }
        if self.rested_ms > 0 {
            return false;
        }
        let patience = if self.attempts > 0 && walk.now - self.last < CALM_MS { AGAIN_MS } else { STUCK_MS };
        // Under what he cannot get up beneath, one crawls; whoever took that for being stuck would turn back and forth there.
        let patience = if walk.body().stance == Stance::Prone { patience * CRAWL } else { patience };
        match self.anchor {
            Some((place, since)) if (origin - place).length() < MOVED => walk.now - since > patience,
            Some(_) | None => {
                self.anchor = Some((origin, walk.now));
                false
            }
        }
    }

    /// The next attempt.
    pub(super) fn escalate(
        &mut self,
        walk: &Walk,
        keys: &Keys,
        journey: &mut Journey,
        doubts: &mut Doubts,
        chance: &mut Pcg,
    ) {
        if walk.now - self.last > CALM_MS {
            self.attempts = 0;
        }
        let ahead = flat(keys.heading).normalize_or_zero();
        let side = if chance.chance(0.5) { 90.0 } else { -90.0 };
        let mut try_to = |wish: Vec3, jumps: bool| {
            self.escape = Some(Escape { wish, jumps, until: walk.now + ESCAPE_MS });
        };
        match self.attempts {
            0 => try_to(ahead, true),
            1 => try_to(turned(ahead, side), false),
            2 => try_to(-ahead, false),
            3 => journey.detour(doubts, walk.now),
            _ => journey.roam(walk, chance),
        }
        self.attempts = self.attempts.saturating_add(1);
        self.last = walk.now;
        self.anchor = None;
    }
}
