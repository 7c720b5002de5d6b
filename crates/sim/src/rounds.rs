//! How a match goes: freeze, fight, pause, again, until a side has won often enough; or one long fight in which the dead
//! come back. Where ground is played for, points decide a round (`ground`).

use fireteam::snapshot::{Phase, Said, Team};
use fireteam_world::Vec3;
use fireteam_world::game::{Description, Holding, Objective, Side};
use fireteam_world::movement::Player;
use fireteam_world::mover::Movers;
use fireteam_world::units::Time;

use crate::Match;
use crate::civilians::Civilian;
use crate::soldier::{Score, side_of};

#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    stage: Stage,
    number: u32,
    lives: Lives,
    /// Where ground is played for.
    holding: Option<Holding>,
    /// Rounds won, by team: team 1 first.
    wins: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Frozen {
        until: Time,
    },
    /// Without `until`, for ever.
    Fight {
        until: Option<Time>,
    },
    /// The round is decided; the next begins then.
    Pause {
        until: Time,
    },
    Over,
}

/// What becomes of the dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lives {
    /// They wait for the next round.
    One,
    /// They may come back so much later.
    Many { respawn_ms: i32 },
}

/// How a match stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Counted from 1.
    pub round: u32,
    /// Rounds won by each team.
    pub wins: Vec<u32>,
    /// Points of this round by team, where ground is played for.
    pub points: Vec<u32>,
    /// Players in the order they joined.
    pub players: Vec<(String, Team, Score)>,
}

/// From the end of a round to the next.
const PAUSE_MS: i32 = 3000;
/// The dead are brought back after this even if they press nothing.
const FORCED_MS: i32 = 10_000;

impl Rounds {
    pub(crate) fn new(rules: &Description, objective: Objective) -> Rounds {
        let teams = rules.teams.count.max(1) as usize;
        let holding = rules.holding.clone().filter(|_| objective == Objective::Domination);
        let is_as_described = objective == rules.kernels.objective;
        let one_life = if is_as_described { rules.rounds.one_life } else { objective == Objective::Elimination };
        let lives = match &holding {
            Some(holding) if holding.reinforcements => Lives::Many { respawn_ms: holding.respawn_ms },
            Some(_) => Lives::One,
            None if one_life => Lives::One,
            None => Lives::Many { respawn_ms: rules.rounds.respawn_ms },
        };
        Rounds { stage: Stage::Over, number: 0, lives, holding, wins: vec![0; teams] }
    }

    pub(crate) fn holding(&self) -> Option<Holding> {
        self.holding.clone()
    }

    /// Whether what is done now counts.
    pub(crate) fn is_fought(&self) -> bool {
        matches!(self.stage, Stage::Fight { .. })
    }

    /// Whether there is more than one round to a match.
    fn are_many(&self) -> bool {
        self.lives == Lives::One || self.holding.is_some()
    }

    pub(crate) fn is_frozen(&self) -> bool {
        matches!(self.stage, Stage::Frozen { .. } | Stage::Over)
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.stage {
            Stage::Frozen { .. } => Phase::Frozen,
            Stage::Fight { .. } | Stage::Pause { .. } => Phase::Playing,
            Stage::Over => Phase::Over,
        }
    }
}

impl Match {
    pub fn is_over(&self) -> bool {
        self.rounds.stage == Stage::Over
    }

    pub fn standing(&self) -> Standing {
        let players = self.soldiers.iter().filter(|soldier| !soldier.is_civilian());
        let players = players.map(|soldier| (soldier.name.clone(), soldier.team, soldier.score));
        let points = if self.rounds.holding.is_some() { self.grounds.points().to_vec() } else { Vec::new() };
        Standing { round: self.rounds.number, wins: self.rounds.wins.clone(), points, players: players.collect() }
    }

    /// Everything as it was, everyone alive.
    pub(crate) fn begin_round(&mut self) {
        let rules = &self.field.game.rules.rounds;
        let freeze_until = self.now + rules.freeze_ms;
        self.rounds.number += 1;
        self.rounds.stage = match rules.freeze_ms {
            0 => self.fight(),
            _ => Stage::Frozen { until: freeze_until },
        };
        if self.rounds.number > 1 {
            self.movers = Movers::of(&self.field.map, &self.field.game, self.now);
        }
        self.items.put_all_back();
        self.grounds.begin_round();
        self.missiles.clear();
        self.clouds.clear();
        for soldier in &mut self.soldiers {
            soldier.body.is_dead = true;
        }
        for slot in self.order() {
            self.spawn(slot);
        }
        self.say(Said::RoundStarts);
    }

    fn fight(&self) -> Stage {
        let round_ms = self.field.game.rules.rounds.round_ms;
        Stage::Fight { until: (round_ms > 0).then(|| self.now + round_ms) }
    }

    pub(crate) fn judge(&mut self) {
        let now = self.now;
        self.clouds_fade();
        match self.rounds.stage {
            Stage::Frozen { until } => {
                if now >= until {
                    self.rounds.stage = self.fight();
                }
            }
            Stage::Fight { until } => {
                let is_late = until.is_some_and(|until| now >= until);
                if let Some(rules) = self.rounds.holding() {
                    self.judge_ground(is_late, &rules);
                } else if self.rounds.lives == Lives::One {
                    self.judge_round(is_late);
                } else if is_late {
                    self.rounds.stage = Stage::Over;
                } else {
                    self.bring_back();
                }
            }
            Stage::Pause { until } => {
                if now >= until {
                    self.begin_round();
                }
            }
            Stage::Over => {}
        }
    }

    fn judge_round(&mut self, is_late: bool) {
        let fighters = || self.soldiers.iter().filter(|soldier| !soldier.is_civilian());
        let mut standing = fighters().filter(|soldier| soldier.is_alive()).map(|soldier| soldier.team);
        let first = standing.next();
        let is_contested = standing.any(|team| Some(team) != first);
        let has_opponents = fighters().any(|soldier| Some(soldier.team) != first);
        if !is_late && (is_contested || !has_opponents) {
            return;
        }
        self.end_round(if is_contested { None } else { first });
    }

    /// Points win; where nobody comes back, so does being the last.
    fn judge_ground(&mut self, is_late: bool, rules: &Holding) {
        if is_late || self.grounds.is_won(rules) {
            self.end_round(self.grounds.leader());
        } else if self.rounds.lives == Lives::One {
            self.judge_round(false);
        } else {
            self.bring_back();
        }
    }

    fn end_round(&mut self, winner: Option<Team>) {
        if let Some(wins) = winner.and_then(|team| self.rounds.wins.get_mut(usize::from(team.0).wrapping_sub(1))) {
            *wins += 1;
        }
        self.say(Said::RoundEnds { winner });
        let to_win = self.field.game.rules.rounds.rounds_to_win;
        let is_won = to_win > 0 && self.rounds.wins.iter().any(|wins| *wins >= to_win as u32);
        self.rounds.stage = if is_won { Stage::Over } else { Stage::Pause { until: self.now + PAUSE_MS } };
    }

    pub(crate) fn may_respawn(&self, slot: usize) -> bool {
        let soldier = &self.soldiers[slot];
        match self.rounds.lives {
            Lives::One => false,
            Lives::Many { respawn_ms } => !soldier.is_alive() && self.now - soldier.died_at >= respawn_ms,
        }
    }

    fn bring_back(&mut self) {
        for slot in self.order() {
            let soldier = &self.soldiers[slot];
            let asks = soldier.attacks() || self.now - soldier.died_at >= FORCED_MS || soldier.life == 0;
            if asks && self.may_respawn(slot) && !self.soldiers[slot].is_civilian() {
                self.spawn(slot);
            }
        }
    }

    /// Where a team begins: at its own end of the map and, round by round, at the other's. Maps are seldom fair (of 217
    /// rounds on `compound` with ends kept, the side in the west won 84).
    fn end_of(&self, team: Team) -> Side {
        let is_changed = self.rounds.are_many() && self.rounds.number.is_multiple_of(2);
        match side_of(team) {
            Side::Red if is_changed => Side::Blue,
            Side::Blue if is_changed => Side::Red,
            own => own,
        }
    }

    /// Puts a soldier on a free place of his end; where there is none, he waits.
    fn spawn(&mut self, slot: usize) {
        let team = self.soldiers[slot].team;
        let members = self.soldiers.iter().filter(|soldier| soldier.team == team).count();
        let taken = |place: Vec3| {
            let mut living = self.soldiers.iter().filter(|soldier| soldier.is_alive());
            living.any(|soldier| crate::spawns::is_on(place, soldier.body.origin))
        };
        let place = if self.soldiers[slot].is_civilian() {
            self.place_for_civilian()
        } else {
            self.spawns.choose(self.end_of(team), members, &mut self.chance, taken)
        };
        let Some(place) = place else { return };
        let rules = &self.field.game.rules;
        let soldier = &mut self.soldiers[slot];
        soldier.body = Player::at(place.origin, &rules.movement);
        soldier.body.face(Vec3::new(0.0, place.yaw, 0.0), &soldier.command.press);
        (soldier.health, soldier.armour) = (rules.health.spawn, rules.health.armour);
        (soldier.keys, soldier.under_ms, soldier.smart) = (0, 0, 0.0);
        soldier.life += 1;
        (soldier.protected_until, soldier.blind_until) = (self.now + rules.rounds.protected_ms, self.now);
        self.equip(slot);
        if let Some(civilian) = &mut self.soldiers[slot].civilian {
            *civilian = Civilian::default();
            self.soldiers[slot].arms = Default::default();
        }
    }

    fn clouds_fade(&mut self) {
        let mut clouds = std::mem::take(&mut self.clouds);
        clouds.retain(|cloud| self.cloud_radius(cloud, self.now).is_some());
        self.clouds = clouds;
    }

    /// Where everyone fights for himself, a number nobody has.
    pub(crate) fn smallest_team(&self) -> Team {
        let members = |team: u8| self.soldiers.iter().filter(|soldier| soldier.team == Team(team)).count();
        match self.field.game.rules.teams.count {
            1 => Team((1..u8::MAX).find(|team| members(*team) == 0).unwrap_or(u8::MAX)),
            count => Team((1..=count as u8).min_by_key(|team| members(*team)).unwrap_or(1)),
        }
    }
}
