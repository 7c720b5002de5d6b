//! A drive under way: clients placed, commands pressed frame by frame, what happened written down.

use fireteam_openarena::capture::rows::{Command, Drive, Frame, MoverFrame, TraceAnswer};

use super::{Times, look, trace_all};
use crate::client;
use crate::engine::{Engine, Game};
use crate::wrap::Stock;

/// Half an hour of the game; nobody means more.
const FRAMES_MAX: i32 = 36_000;

#[derive(Debug)]
pub(super) struct Driving {
    drive: Drive,
    /// Slots, one for each body.
    clients: Vec<usize>,
    frames: Vec<Frame>,
    movers: Vec<MoverFrame>,
    event_sequences: Vec<i32>,
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
    let driving = slot.insert(Driving {
        drive: drive.clone(),
        clients: Vec::new(),
        frames: Vec::new(),
        movers: Vec::new(),
        event_sequences: vec![0; drive.bodies.len()],
    });
    for index in 0..driving.drive.bodies.len() {
        let Some(client) = client::connect(engine, stock, game, index) else {
            driving.drop_clients(engine);
            *slot = None;
            return Err("no free client slot, or the game refused the client");
        };
        driving.clients.push(client);
        client::place(engine, game, client, &driving.drive.bodies[index], times.last);
    }
    for (&client, sequence) in driving.clients.iter().zip(&mut driving.event_sequences) {
        *sequence = game.player(client).event_sequence;
    }
    driving.record(engine, game, times.last);
    Ok(())
}

impl Driving {
    /// Sends every client's command for the frame to come.
    pub(super) fn press(&self, engine: Engine, times: Times) {
        let frame = self.frames.len() - 1;
        for (body, &client) in self.drive.bodies.iter().zip(&self.clients) {
            let command = body.commands.get(frame).cloned().unwrap_or_else(|| at_rest(body.commands.last()));
            client::press(engine, client, &command, times.now);
        }
    }

    pub(super) fn record(&mut self, engine: Engine, game: Game, time: i32) {
        self.look(&game, time);
        let number = self.frames.len() - 1;
        let Some(frame) = self.frames.last_mut() else { return };
        for probe in &self.drive.probes {
            if probe.frame as usize == number {
                frame.traces = vec![TraceAnswer::default(); probe.sweeps.len()];
                trace_all(engine, &probe.sweeps, &mut frame.traces);
            }
        }
    }

    /// Makes no engine call.
    fn look(&mut self, game: &Game, time: i32) {
        let movers = look::movers(game);
        let changed = movers.iter().filter(|mover| !self.movers.contains(mover)).cloned().collect();
        let players = self.clients.iter().zip(&mut self.event_sequences);
        let players = players.map(|(&client, sequence)| {
            let player = look::player(game, client, *sequence);
            *sequence = game.player(client).event_sequence;
            player
        });
        let frame = Frame {
            time,
            players: players.collect(),
            movers: changed,
            missiles: look::missiles(game),
            traces: Vec::new(),
        };
        self.frames.push(frame);
        self.movers = movers;
    }

    pub(super) fn is_over(&self) -> bool {
        self.frames.len() > self.drive.frames as usize
    }

    pub(super) fn drop_clients(&self, engine: Engine) {
        for &client in &self.clients {
            engine.drop_client(client, c"done");
        }
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
