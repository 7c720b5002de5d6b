//! Trains of events: what a player did in which frame, how regular that is, and whether two players do it at once.

use std::fmt;

use fireteam::snapshot::{Figure, Sound, SoundKind, WeaponId};
use fireteam_world::maths;
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// A shot that the gun could have fired sooner: what is left of a stream of shots is when it begins, and the beat of a gun is not
    /// that of the hand.
    Shot,
    /// Going left after right, or the other way round, as he sees it himself.
    Turn,
    /// Going down on a knee.
    Kneel,
}

impl Deed {
    pub(super) fn name(self) -> &'static str {
        match self {
            Deed::Shot => "shots the hand timed",
            Deed::Turn => "changes of side",
            Deed::Kneel => "kneeling down",
        }
    }
}

/// What one player did, frame by frame.
#[derive(Clone, Debug)]
pub(super) struct Player {
    pub(super) is_ours: bool,
    frame_ms: i32,
    deeds: [Vec<usize>; 3],
    /// Frames in fights, from and to.
    fights: Vec<(usize, usize)>,
    side: f32,
    is_low: bool,
    shot: Option<usize>,
}

/// Slower to the side than this is neither left nor right, in units a second.
const SIDEWAYS: f32 = 80.0;
/// A fight lasts for so long after a shot.
const FIGHT_MS: i32 = 1500;

impl Player {
    pub(super) fn new(is_ours: bool, frame_ms: i32) -> Player {
        Player {
            is_ours,
            frame_ms: frame_ms.max(1),
            deeds: Default::default(),
            fights: Vec::new(),
            side: 0.0,
            is_low: false,
            shot: None,
        }
    }

    /// What can be seen of him in a frame.
    /// `fired` is the refire time of what he fired in this frame, if he did.
    pub(super) fn look(&mut self, figure: &Figure, fired: Option<i32>, now: Time) {
        let frame = (now.0 / self.frame_ms).max(0) as usize;
        if figure.is_dead {
            (self.side, self.is_low, self.shot) = (0.0, false, None);
            return;
        }
        if let Some(refire_ms) = fired {
            // Frames are coarse: a shot in the frame after the first it could have come in is still the gun's.
            let soonest = self.shot.map(|shot| shot + (refire_ms / self.frame_ms) as usize + 2);
            if soonest.is_none_or(|soonest| frame > soonest) {
                self.note(Deed::Shot, frame);
            }
            self.shot = Some(frame);
        }
        let is_fighting = self.shot.is_some_and(|shot| frame - shot <= (FIGHT_MS / self.frame_ms) as usize);
        if is_fighting {
            match self.fights.last_mut() {
                Some((_, to)) if *to == frame => *to = frame + 1,
                _ => self.fights.push((frame, frame + 1)),
            }
        }
        let right = maths::game_axes(0.0, figure.yaw, 0.0).right;
        let sideways = figure.velocity.dot(right);
        if sideways.abs() > SIDEWAYS {
            let before = std::mem::replace(&mut self.side, sideways.signum());
            if before == -self.side && is_fighting {
                self.note(Deed::Turn, frame);
            }
        }
        let was_low = std::mem::replace(&mut self.is_low, figure.stance != Stance::Standing);
        if self.is_low && !was_low {
            self.note(Deed::Kneel, frame);
        }
    }

    fn note(&mut self, deed: Deed, frame: usize) {
        self.deeds[deed as usize].push(frame);
    }

    fn train(&self, deed: Deed) -> &[usize] {
        &self.deeds[deed as usize]
    }
}

/// With what this player fired, if that is what is heard.
pub(super) fn shot_of(sound: &Sound, player: EntityId) -> Option<WeaponId> {
    match sound.kind {
        SoundKind::Shot(weapon) if sound.source == Some(player) => Some(weapon),
        _ => None,
    }
}

/// The strongest beat of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rhythm {
    pub(super) peak: f64,
    at_ms: i32,
    events: usize,
}

impl fmt::Display for Rhythm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} at {} ms over {} of them", self.peak, self.at_ms, self.events)
    }
}

/// Beats are looked for between these.
const BEAT_MS: (i32, i32) = (200, 2000);

/// The highest autocorrelation of all trains together: covariance at a lag, over frames both of which lie in the same fight, by
/// the variance.
pub(super) fn rhythm(matches: &[Vec<&Player>], deed: Deed) -> Rhythm {
    let players = || matches.iter().flatten();
    let frame_ms = players().map(|player| player.frame_ms).next().unwrap_or(1);
    let mut best = Rhythm { peak: f64::NEG_INFINITY, at_ms: 0, events: 0 };
    best.events = players().map(|player| player.train(deed).len()).sum();
    for lag in BEAT_MS.0 / frame_ms..=BEAT_MS.1 / frame_ms {
        let (mut both, mut either, mut pairs) = (0.0, 0.0, 0.0);
        for player in players() {
            let train = player.train(deed);
            let is_one = |frame: usize| train.binary_search(&frame).is_ok();
            for &(from, to) in &player.fights {
                for frame in from..to.saturating_sub(lag as usize) {
                    let (a, b) = (is_one(frame), is_one(frame + lag as usize));
                    both += f64::from(u8::from(a && b));
                    either += f64::from(u8::from(a)) + f64::from(u8::from(b));
                    pairs += 1.0;
                }
            }
        }
        let mean = either / 2.0 / f64::max(pairs, 1.0);
        let correlation = (both / f64::max(pairs, 1.0) - mean * mean) / f64::max(mean * (1.0 - mean), 1e-12);
        if correlation > best.peak {
            (best.peak, best.at_ms) = (correlation, lag * frame_ms);
        }
    }
    best
}

/// How much oftener than by chance two do something at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct InStep {
    /// Standard deviations.
    pub(super) beyond: f64,
    together: f64,
    expected: f64,
    pairs: usize,
}

impl fmt::Display for InStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InStep { together, expected, pairs, .. } = self;
        write!(f, "{together:.0} times within a frame of each other, {expected:.0} by chance, over {pairs} pairs")
    }
}

/// How far events are moved to see what chance would do, and how often.
const JITTER_MS: i32 = 500;
const RESAMPLES: usize = 400;

/// Over all pairs of players of the same match.
pub(super) fn in_step(matches: &[Vec<&Player>], deed: Deed, chance: &mut Pcg) -> InStep {
    let mut trains: Vec<(&[usize], &[usize], usize)> = Vec::new();
    for players in matches {
        for (index, one) in players.iter().enumerate() {
            for other in &players[index + 1..] {
                trains.push((one.train(deed), other.train(deed), (JITTER_MS / one.frame_ms) as usize));
            }
        }
    }
    let together: usize = trains.iter().map(|(one, other, _)| meetings(one, other)).sum();
    let mut moved = Vec::new();
    let samples: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mut count = 0;
            for (one, other, reach) in &trains {
                moved.clear();
                moved.extend(other.iter().map(|frame| (frame + chance.below(2 * reach + 1)).saturating_sub(*reach)));
                moved.sort_unstable();
                count += meetings(one, &moved);
            }
            count as f64
        })
        .collect();
    let expected = samples.iter().sum::<f64>() / RESAMPLES as f64;
    let variance = samples.iter().map(|count| (count - expected).powi(2)).sum::<f64>() / (RESAMPLES - 1) as f64;
    let beyond = (together as f64 - expected) / variance.sqrt().max(1.0);
    InStep { beyond, together: together as f64, expected, pairs: trains.len() }
}

/// How many events of the one have one of the other in the same frame or the next to it.
fn meetings(one: &[usize], other: &[usize]) -> usize {
    let is_met = |frame: &&usize| {
        let next = other.partition_point(|at| at + 1 < **frame);
        other.get(next).is_some_and(|at| *at <= **frame + 1)
    };
    one.iter().filter(is_met).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(frames: &[usize]) -> Player {
        let mut player = Player::new(true, 50);
        player.deeds[Deed::Turn as usize] = frames.to_vec();
        player.fights = vec![(0, 20_000)];
        player
    }

    /// Every half second, or up to that much about it.
    fn every_ten(jitter: usize, stream: u64) -> Player {
        let mut chance = Pcg::new(5, stream);
        let mut frames: Vec<usize> = (1..2000).map(|beat| beat * 10 + chance.below(jitter + 1)).collect();
        frames.dedup();
        player(&frames)
    }

    #[test]
    fn a_clock_has_a_rhythm_and_chance_has_none() {
        let clock = every_ten(0, 1);
        let found = rhythm(&[vec![&clock]], Deed::Turn);
        assert!(found.peak > 0.99 && found.at_ms % 500 == 0, "{found}");
        let mut chance = Pcg::new(7, 1);
        let frames: Vec<usize> = (0..20_000).filter(|_| chance.chance(0.1)).collect();
        let found = rhythm(&[vec![&player(&frames)]], Deed::Turn);
        assert!(found.peak < 0.05, "{found}");
    }

    #[test]
    fn who_marches_is_in_step_and_who_dances_is_not() {
        let mut chance = Pcg::new(9, 1);
        let (one, other) = (every_ten(9, 1), every_ten(9, 2));
        let apart = in_step(&[vec![&one, &other]], Deed::Turn, &mut chance);
        assert!(apart.beyond.abs() < 3.0, "{} {apart}", apart.beyond);
        let together = in_step(&[vec![&one, &one.clone()]], Deed::Turn, &mut chance);
        assert!(together.beyond > 20.0, "{} {together}", together.beyond);
        let strangers = in_step(&[vec![&one], vec![&one.clone()]], Deed::Turn, &mut chance);
        assert_eq!(strangers.pairs, 0, "who plays another match is not in step");
    }

    #[test]
    fn a_change_of_side_counts_in_a_fight_only() {
        let mut player = Player::new(true, 50);
        let mut figure = Figure {
            entity: EntityId(1),
            team: Default::default(),
            origin: Default::default(),
            velocity: fireteam_world::Vec3::new(0.0, 200.0, 0.0),
            pitch: 0.0,
            yaw: 0.0,
            stance: Stance::Standing,
            weapon: Default::default(),
            is_firing: false,
            is_dead: false,
            powers: 0,
        };
        for frame in 0..10 {
            figure.velocity.y = -figure.velocity.y;
            player.look(&figure, (5..8).contains(&frame).then_some(50), Time(frame * 50));
        }
        assert_eq!(player.train(Deed::Turn), [5, 6, 7, 8, 9]);
        assert_eq!(player.train(Deed::Shot), [5], "a stream of shots begins once");
        assert_eq!(player.fights, [(5, 10)]);
    }
}
