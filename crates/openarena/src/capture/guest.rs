//! One client of ours in a running game, driven a frame at a time by whoever holds it.
//!
//! In: an [`Oracle`] and a [`Body`]. Out: after every command, what the server tells a client of itself and of the movers.
//! The game stands still until the next command, however long its decision takes, so a run can be repeated to the bit.
//! Cost: two messages a frame, some 20 microseconds, besides what the game takes.

use super::oracle::{CaptureError, Oracle};
use super::rows::{Body, Command, MoverFrame, PlayerFrame};

/// Leaves the game when let go.
#[derive(Debug)]
pub struct Guest<'a> {
    oracle: &'a mut Oracle,
    time: i32,
    player: PlayerFrame,
    movers: Vec<MoverFrame>,
}

impl<'a> Guest<'a> {
    /// Comes into the game where `body` says; its commands are not looked at.
    pub fn enter(oracle: &'a mut Oracle, body: &Body) -> Result<Guest<'a>, CaptureError> {
        let mut frame = oracle.enter(body)?;
        let player = frame.players.swap_remove(0);
        Ok(Guest { oracle, time: frame.time, player, movers: frame.movers })
    }

    /// Lets one frame pass, in which it presses this.
    pub fn press(&mut self, command: &Command) -> Result<(), CaptureError> {
        let mut frame = self.oracle.press(command)?;
        self.time = frame.time;
        self.player = frame.players.swap_remove(0);
        for mover in frame.movers {
            match self.movers.iter_mut().find(|known| known.entity == mover.entity) {
                Some(known) => *known = mover,
                None => self.movers.push(mover),
            }
        }
        Ok(())
    }

    /// Level time at the end of the last frame.
    pub fn time(&self) -> i32 {
        self.time
    }

    pub fn player(&self) -> &PlayerFrame {
        &self.player
    }

    /// Every brush model that can stand in the way, as it is now.
    pub fn movers(&self) -> &[MoverFrame] {
        &self.movers
    }

    /// For questions between two frames.
    pub fn oracle(&mut self) -> &mut Oracle {
        self.oracle
    }

    pub fn is_alive(&self) -> bool {
        self.player.health > 0
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        // Fails only when the server is gone, and the guest with it.
        self.oracle.leave().ok();
    }
}
