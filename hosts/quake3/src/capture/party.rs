//! The clients of a drive, or the one guest: connected, placed, looked at after every frame, dropped.

use fireteam_openarena::capture::rows::{Body, Frame, MoverFrame};

use super::{Times, look};
use crate::client;
use crate::engine::{Engine, Game};
use crate::wrap::Stock;

/// Clients of ours, and what has been told of the game around them.
#[derive(Debug, Default)]
pub(super) struct Party {
    /// Slots, in the order they joined.
    pub(super) clients: Vec<usize>,
    event_sequences: Vec<i32>,
    movers: Vec<MoverFrame>,
}

impl Party {
    /// Connects one more client and places it as `body` says; false if there is no slot or the game refuses.
    pub(super) fn join(&mut self, engine: Engine, stock: Stock, game: Game, body: &Body, times: Times) -> bool {
        let Some(client) = client::connect(engine, stock, game, client::IDENTITIES[self.clients.len()]) else {
            return false;
        };
        self.clients.push(client);
        client::place(engine, game, client, body, times.last);
        true
    }

    /// From here on events are new.
    pub(super) fn begin(&mut self, game: &Game) {
        self.event_sequences = self.clients.iter().map(|&client| game.player(client).event_sequence).collect();
    }

    /// What there is to see now; of the movers only those that changed since the last look. Makes no engine call.
    pub(super) fn look(&mut self, game: &Game, time: i32) -> Frame {
        let movers = look::movers(game);
        let changed = movers.iter().filter(|mover| !self.movers.contains(mover)).cloned().collect();
        let players = self.clients.iter().zip(&mut self.event_sequences);
        let players = players.map(|(&client, sequence)| {
            let player = look::player(game, client, *sequence);
            *sequence = game.player(client).event_sequence;
            player
        });
        let players = players.collect();
        self.movers = movers;
        Frame { time, players, movers: changed, missiles: look::missiles(game), traces: Vec::new() }
    }

    pub(super) fn drop_all(&self, engine: Engine) {
        for &client in &self.clients {
            engine.drop_client(client, c"done");
        }
    }
}
