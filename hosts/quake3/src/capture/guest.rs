//! One client that stays, driven frame by frame by whoever asks: told what the frame before did, before the next.

use fireteam_openarena::capture::rows::{Body, Command, Frame};
use fireteam_openarena::capture::wire::{Answer, GuestRequest};

use super::Times;
use super::party::Party;
use crate::client;
use crate::engine::{Engine, Game};
use crate::wrap::Stock;

#[derive(Debug, Default)]
pub(super) struct Guest {
    /// Of one.
    party: Party,
    /// Pressed in the frame to come; without it there is none to come.
    command: Option<Command>,
}

/// Carries out a request for the guest; false if the answer has to wait for a frame of the game.
pub(super) fn serve(
    slot: &mut Option<Guest>,
    request: &GuestRequest,
    answer: &mut Answer,
    engine: Engine,
    stock: Stock,
    game: Game,
    times: Times,
) -> bool {
    match request {
        GuestRequest::Enter(body) => *answer = enter(slot, body, engine, stock, game, times),
        GuestRequest::Press(command) => match slot {
            Some(guest) => {
                guest.command = Some(command.clone());
                return false;
            }
            None => *answer = Answer::Refused("nobody has entered".to_owned()),
        },
        GuestRequest::Leave => {
            leave(slot, engine);
            *answer = Answer::Done;
        }
    }
    true
}

fn enter(slot: &mut Option<Guest>, body: &Body, engine: Engine, stock: Stock, game: Game, times: Times) -> Answer {
    leave(slot, engine);
    let guest = slot.insert(Guest::default());
    if !guest.party.join(engine, stock, game, body, times) {
        *slot = None;
        return Answer::Refused("no free client slot, or the game refused the client".to_owned());
    }
    guest.party.begin(&game);
    Answer::Frame(guest.party.look(&game, times.last))
}

fn leave(slot: &mut Option<Guest>, engine: Engine) {
    if let Some(guest) = slot {
        guest.party.drop_all(engine);
        *slot = None;
    }
}

impl Guest {
    pub(super) fn client(&self) -> Option<usize> {
        self.party.clients.first().copied()
    }

    pub(super) fn awaits_frame(&self) -> bool {
        self.command.is_some()
    }

    pub(super) fn press(&self, engine: Engine, times: Times) {
        if let (Some(command), Some(client)) = (&self.command, self.client()) {
            client::press(engine, client, command, times.now);
        }
    }

    /// What the frame did. Makes no engine call.
    pub(super) fn look(&mut self, game: &Game, time: i32) -> Frame {
        self.command = None;
        self.party.look(game, time)
    }
}
