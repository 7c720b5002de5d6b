//! `fireteam verify FILE`: the honesty certificate of a recording, from the recording alone.
//!
//! In: a recording, and the map it names. Out: what a sceptic would ask (`fireteam_sim::honesty`): were these the bots who
//! played, did anything have a say that they could not perceive, how soon did they react, how fast did they turn, how
//! much of what was there did they know. Exit code 1 if anything is not as it should be.

use std::fmt::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::Args;
use fireteam::Field;
use fireteam::recording::Recording;
use fireteam_sim::honesty::{Certificate, Certifier, Tamper};
use serde::Serialize;

use crate::bake::Watch;
use crate::play::Names;
use crate::reel::{self, Reel};

/// Certify that bots were honest: think a recording again, blindfolded too, and measure reactions and turns
#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    reel: Reel,

    /// Print the certificate as JSON
    #[arg(long)]
    json: bool,
}

/// A certificate as it is told, to people (`text`) and to programs.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    map: String,
    game: String,
    seed: u64,
    frames: u64,
    commands: u64,
    /// Commands that these bots, thinking again, did not give.
    differing: u64,
    blindfold: Blindfolded,
    encounters: usize,
    reactions: usize,
    fastest_reaction_ms: Option<i32>,
    /// What the reaction time of the bot's grade is who was so quick.
    reaction_bound_ms: Option<i32>,
    /// Degrees a second.
    greatest_turn_rate: f32,
    turn_bound: f32,
    perceived_share: f64,
    perceivable_share: f64,
    is_honest: bool,
    doubts: Vec<String>,
    text: String,
}

#[derive(Debug, Serialize)]
struct Blindfolded {
    commands: u64,
    caught: u64,
    first: Option<String>,
    changed: Changes,
}

#[derive(Debug, Serialize)]
struct Changes {
    players: u64,
    missiles: u64,
    items: u64,
    movers: u64,
    sounds: u64,
}

pub(crate) fn run(verify: &Verify) -> Result<ExitCode> {
    let (file, bytes) = (verify.reel.name(), verify.reel.bytes()?);
    let recording = verify.reel.whole(&bytes)?;
    let names = reel::names(&recording)?;
    let watch = Watch::begin(1, verify.json)?;
    let field = verify.reel.field(&recording, &watch)?;
    watch.map(&file);
    let total = reel::length(&recording)?;
    let certificate = certify(
        &recording,
        field,
        |_, _| {},
        |frames| {
            if !verify.json {
                watch.count("frames", frames as usize, total as usize);
            }
            !watch.is_stopped()
        },
    )?;
    let told = Told::of(&recording, &certificate, &names);
    ensure!(!watch.is_stopped(), "stopped after {} of {total} frames: no certificate", told.frames);
    drop(watch);
    if verify.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        print!("{}", told.text);
    }
    Ok(if told.is_honest { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Goes through a recording. `go_on` is asked after every frame.
pub(crate) fn certify(
    recording: &Recording<'_>,
    field: Arc<Field>,
    tamper: Tamper,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Certificate> {
    let mut certifier = Certifier::tampered(field, recording.head.seed, tamper);
    go_on(0);
    for entry in recording.entries() {
        certifier.take(entry?);
        if !go_on(certifier.frames()) {
            break;
        }
    }
    Ok(certifier.finish())
}

impl Told {
    pub(crate) fn of(recording: &Recording<'_>, certificate: &Certificate, names: &Names) -> Told {
        let (head, changed) = (&recording.head, certificate.changed);
        let first = certificate.first_caught.map(|caught| {
            let seconds = f64::from(caught.time.0) / 1000.0;
            format!("{} at {seconds:.2} s", names.name(caught.bot))
        });
        let mut told = Told {
            map: head.map_name.clone(),
            game: head.game_name.clone(),
            seed: head.seed,
            frames: certificate.rethought.frames,
            commands: certificate.rethought.commands,
            differing: certificate.rethought.differing,
            blindfold: Blindfolded {
                commands: changed.commands,
                caught: certificate.caught,
                first,
                changed: Changes {
                    players: changed.players,
                    missiles: changed.missiles,
                    items: changed.items,
                    movers: changed.movers,
                    sounds: changed.sounds,
                },
            },
            encounters: certificate.encounters,
            reactions: certificate.reactions,
            fastest_reaction_ms: certificate.fastest.map(|(reaction, _)| reaction.ms),
            reaction_bound_ms: certificate.fastest.map(|(_, least)| least),
            greatest_turn_rate: certificate.turn_rate,
            turn_bound: certificate.turn_rate_max,
            perceived_share: certificate.perceived_share(),
            perceivable_share: certificate.perceivable_share(),
            is_honest: certificate.is_honest(),
            doubts: certificate.doubts(),
            text: String::new(),
        };
        told.text = told.to_string();
        told
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { map, game, seed, frames, commands, differing, encounters, .. } = self;
        let Blindfolded { caught, changed, commands: blind, first } = &self.blindfold;
        let Changes { players, missiles, items, movers, sounds } = changed;
        writeln!(f, "{map} ({game}), seed {seed}: {frames} frames")?;
        writeln!(f, "thought again   {commands} commands, {differing} differ")?;
        let who = first.as_ref().map(|first| format!(", first {first}")).unwrap_or_default();
        writeln!(f, "blindfolded     {blind} commands, {caught} differ{who}")?;
        let mut hidden = String::new();
        for (count, what) in [
            (players, "a player"),
            (missiles, "a missile"),
            (items, "an item"),
            (movers, "a mover"),
            (sounds, "a sound"),
        ] {
            write!(hidden, "{}{count} times {what}", if hidden.is_empty() { "" } else { ", " })?;
        }
        writeln!(f, "                hidden and changed meanwhile: {hidden}")?;
        match (self.fastest_reaction_ms, self.reaction_bound_ms) {
            (Some(ms), Some(bound)) => writeln!(
                f,
                "reactions       the quickest of {encounters} encounters {ms} ms; {bound} is that bot's least"
            )?,
            _ => writeln!(f, "reactions       nobody met anybody unexpected")?,
        }
        let (rate, limit) = (self.greatest_turn_rate, self.turn_bound);
        writeln!(f, "turns           at most {rate:.0} degrees a second; the limit is {limit:.0}")?;
        let [known, could] = [self.perceived_share, self.perceivable_share].map(|share| share * 100.0);
        writeln!(
            f,
            "knowledge       {known:.1} % of the living enemies were in sight as bots knew, {could:.1} % could have been"
        )?;
        if self.is_honest {
            writeln!(f, "honest          nothing they could not perceive changed what they did")
        } else {
            writeln!(f, "NOT CERTIFIED   {}", self.doubts.join("; "))
        }
    }
}
