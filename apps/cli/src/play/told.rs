//! A match in words: who killed whom as it happens, and the table at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use fireteam::journal::{Line, with_names};
use fireteam::snapshot::{ObjectiveKind, Said, Snapshot, Team};
use fireteam::{Arsenal, Bots, Traits};
use fireteam_sim::stuck::Watch;
use fireteam_sim::{Match, Roster};
use fireteam_world::units::EntityId;
use serde::Serialize;

/// What players are called.
pub(crate) struct Names {
    names: Vec<(EntityId, String)>,
}

impl Names {
    /// Characters who joined one after the other.
    pub(crate) fn of_characters(named: impl Iterator<Item = (EntityId, String)>) -> Names {
        Names { names: named.collect() }
    }

    pub(crate) fn of(game: &Match, roster: &Roster) -> Names {
        let sides = roster.members.iter().map(|member| side(member.team));
        let named = game.players().zip(sides).map(|((entity, name), side)| (entity, format!("{name} ({side})")));
        let named = named.chain(game.civilians().map(|(entity, name)| (entity, name.to_owned())));
        Names { names: named.collect() }
    }

    pub(crate) fn name(&self, entity: EntityId) -> &str {
        self.known(entity).unwrap_or("somebody")
    }

    pub(crate) fn known(&self, entity: EntityId) -> Option<&str> {
        self.names.iter().find(|(known, _)| *known == entity).map(|(_, name)| name.as_str())
    }

    pub(crate) fn find(&self, name: &str) -> Option<EntityId> {
        self.names.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(entity, _)| *entity)
    }

    /// Everyone's name, for whoever got one wrong.
    pub(crate) fn all(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(|(_, name)| name.as_str()).collect();
        names.join(", ")
    }

    /// What bots decided in this frame, and what everyone was told at its end.
    pub(crate) fn tell<'l>(
        &self,
        out: &mut impl Write,
        lines: impl Iterator<Item = &'l Line>,
        snapshot: &Snapshot,
        arsenal: &Arsenal,
    ) -> io::Result<()> {
        for line in lines {
            writeln!(out, "{}", self.line(line))?;
        }
        self.announce(out, snapshot, arsenal)
    }

    /// A line of the journal with its bot's name, and those of whom it speaks.
    pub(crate) fn line(&self, line: &Line) -> String {
        let told = with_names(&line.told().to_string(), |entity| self.known(entity));
        format!("{:7.2} {} {told}", f64::from(line.time.0) / 1000.0, self.name(line.bot))
    }

    fn announce(&self, out: &mut impl Write, snapshot: &Snapshot, arsenal: &Arsenal) -> io::Result<()> {
        let seconds = f64::from(snapshot.time.0) / 1000.0;
        for message in &snapshot.messages {
            match message.said {
                Said::Obituary { victim, killer, weapon } => {
                    let victim_name = self.name(victim);
                    let with = weapon.map(|weapon| format!(" ({})", arsenal.weapon_name(weapon))).unwrap_or_default();
                    match killer {
                        Some(killer) if killer == victim => {
                            writeln!(out, "{seconds:7.2} {victim_name} kills himself{with}")?
                        }
                        Some(killer) => writeln!(out, "{seconds:7.2} {} kills {victim_name}{with}", self.name(killer))?,
                        None => writeln!(out, "{seconds:7.2} {victim_name} dies")?,
                    }
                }
                Said::RoundStarts => writeln!(out, "{seconds:7.2} a round begins")?,
                Said::RoundEnds { winner } => writeln!(out, "{seconds:7.2} the round goes to {}", side(winner))?,
                Said::Taken { .. } | Said::Voice(_) => {}
            }
        }
        Ok(())
    }
}

/// Who was last told to hold each piece of ground.
#[derive(Debug, Default)]
pub(crate) struct Held(Vec<Option<Team>>);

impl Held {
    /// Which ground has changed hands since the frame before.
    pub(crate) fn tell(&mut self, out: &mut impl Write, snapshot: &Snapshot) -> io::Result<()> {
        let seconds = f64::from(snapshot.time.0) / 1000.0;
        self.0.resize(snapshot.objectives.len(), None);
        let grounds = snapshot.objectives.iter().zip(1..).filter(|(told, _)| told.kind == ObjectiveKind::Ground);
        for ((told, number), held) in grounds.zip(&mut self.0) {
            if let Some(team) = told.holder.filter(|_| *held != told.holder) {
                writeln!(out, "{seconds:7.2} {} takes ground {number}", side(Some(team)))?;
            }
            *held = told.holder;
        }
        Ok(())
    }
}

pub(crate) fn side(team: Option<Team>) -> String {
    match team {
        Some(Team(1)) => "red".to_owned(),
        Some(Team(2)) => "blue".to_owned(),
        Some(Team(number)) => format!("team {number}"),
        None => "nobody".to_owned(),
    }
}

/// What a match came to.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    map: String,
    game: String,
    seed: u64,
    game_seconds: f64,
    seconds: f64,
    rounds: u32,
    red_wins: u32,
    blue_wins: u32,
    /// Of the last round, red's first, where ground is played for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<u32>,
    players: Vec<ScoreLine>,
    stuck: usize,
    stuck_per_hour: f64,
    fingerprint: String,
}

#[derive(Debug, Serialize)]
struct ScoreLine {
    name: String,
    side: String,
    skill: &'static str,
    /// By name, from 0 to 100.
    traits: BTreeMap<&'static str, u8>,
    kills: u32,
    deaths: u32,
    suicides: u32,
    team_kills: u32,
    civilians: u32,
    shots: u32,
    hits: u32,
    damage: u32,
    throws: u32,
    ground: u32,
}

impl Outcome {
    pub(crate) fn of(game: &Match, bots: &Bots, stuck: &Watch, seed: u64, took: Duration) -> Outcome {
        let standing = game.standing();
        let mut players: Vec<ScoreLine> = Vec::new();
        for ((name, team, score), (entity, _)) in standing.players.iter().zip(game.players()) {
            let traits = bots.traits(entity).map(|traits| Traits::NAMES.into_iter().zip(traits.values()).collect());
            players.push(ScoreLine {
                name: name.clone(),
                side: side(Some(*team)),
                skill: bots.character(entity).map_or("", |character| character.skill.name()),
                traits: traits.unwrap_or_default(),
                kills: score.kills,
                deaths: score.deaths,
                suicides: score.suicides,
                team_kills: score.team_kills,
                civilians: score.civilians,
                shots: score.shots,
                hits: score.hits,
                damage: score.damage,
                throws: score.throws,
                ground: score.ground,
            });
        }
        players.sort_by(|a, b| (&b.side, b.kills, a.deaths).cmp(&(&a.side, a.kills, b.deaths)));
        Outcome {
            map: game.field().map.name.clone(),
            game: game.field().game.name.clone(),
            seed,
            game_seconds: f64::from(game.snapshot().time.0) / 1000.0,
            seconds: took.as_secs_f64(),
            rounds: standing.round,
            red_wins: standing.wins.first().copied().unwrap_or(0),
            blue_wins: standing.wins.get(1).copied().unwrap_or(0),
            points: standing.points,
            players,
            stuck: stuck.cases.len(),
            stuck_per_hour: stuck.per_hour(),
            fingerprint: format!("{:016x}", game.fingerprint()),
        }
    }
}

impl Outcome {
    /// The match in one line.
    pub(crate) fn title(&self) -> String {
        let Outcome { map, game, seed, rounds, red_wins, blue_wins, .. } = self;
        let points = match self.points[..] {
            [red, blue, ..] => format!(", points {red} to {blue}"),
            [_] | [] => String::new(),
        };
        format!("{map} ({game}), seed {seed}: red {red_wins}, blue {blue_wins}, round {rounds}{points}")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{}", self.title())?;
        let (name, side) = ("name", "side");
        writeln!(f, "{name:<10} {side:<6} kills deaths suicides team-kills civilians  shots   hits throws ground")?;
        for line in &self.players {
            let ScoreLine {
                name,
                side,
                kills,
                deaths,
                suicides,
                team_kills,
                civilians,
                shots,
                hits,
                throws,
                ground,
                ..
            } = line;
            writeln!(
                f,
                "{name:<10} {side:<6} {kills:>5} {deaths:>6} {suicides:>8} {team_kills:>10} {civilians:>9} {shots:>6} {hits:>6} {throws:>6} {ground:>6}"
            )?;
        }
        let (played, took) = (self.game_seconds, self.seconds.max(1e-3));
        writeln!(
            f,
            "stuck {} times; {played:.0} s of play in {took:.1} s; fingerprint {}",
            self.stuck, self.fingerprint
        )
    }
}
