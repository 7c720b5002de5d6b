//! A drive under way: clients placed, commands pressed frame by frame, what happened written down.

use fireteam_openarena::capture::rows::{Command, Drive, Frame, TraceAnswer};

use super::party::Party;
use super::{Times, trace_all};
use crate::client;
use crate::engine::{Engine, Game};
use crate::wrap::Stock;

/// Half an hour of the game; nobody means more.
const FRAMES_MAX: i32 = 36_000;

#[derive(Debug)]
pub(super) struct Driving {
    drive: Drive,
    /// One client for each body.
    party: Party,
    frames: Vec<Frame>,
}

/// Connects and places the clients of `drive` and notes how all begins. On failure nobody is left behind.
pub(super) fn start(
    slot: &mut Option<Driving>,
    drive: &Drive,
    engine: Engine,
    stock: Stock,
    game: Game,
    times: Times,
) -> Result<(), &'static str> {
    if drive.bodies.len() > client::CLIENTS_MAX || !(1..=FRAMES_MAX).contains(&drive.frames) {
        return Err("a drive of too many bodies or frames");
    }
    let driving = slot.insert(Driving { drive: drive.clone(), party: Party::default(), frames: Vec::new() });
    for body in &driving.drive.bodies {
        if !driving.party.join(engine, stock, game, body, times) {
            driving.party.drop_all(engine);
            *slot = None;
            return Err("no free client slot, or the game refused the client");
        }
    }
    driving.party.begin(&game);
    driving.record(engine, game, times.last);
    Ok(())
}

impl Driving {
    /// Sends every client's command for the frame to come.
    pub(super) fn press(&self, engine: Engine, times: Times) {
        let frame = self.frames.len() - 1;
        for (body, &client) in self.drive.bodies.iter().zip(&self.party.clients) {
            let command = body.commands.get(frame).cloned().unwrap_or_else(|| at_rest(body.commands.last()));
            client::press(engine, client, &command, times.now);
        }
    }

    pub(super) fn record(&mut self, engine: Engine, game: Game, time: i32) {
        let number = self.frames.len();
        self.frames.push(self.party.look(&game, time));
        let Some(frame) = self.frames.last_mut() else { return };
        for probe in &self.drive.probes {
            if probe.frame as usize == number {
                frame.traces = vec![TraceAnswer::default(); probe.sweeps.len()];
                trace_all(engine, &probe.sweeps, &mut frame.traces);
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.frames.len() > self.drive.frames as usize
    }

    pub(super) fn drop_clients(&self, engine: Engine) {
        self.party.drop_all(engine);
    }

    pub(super) fn into_frames(self) -> Vec<Frame> {
        self.frames
    }
}

/// Looks where it looked last and presses nothing.
fn at_rest(last: Option<&Command>) -> Command {
    let Some(last) = last else { return Command::default() };
    Command { angle_words: last.angle_words, weapon: last.weapon, ..Command::default() }
}
