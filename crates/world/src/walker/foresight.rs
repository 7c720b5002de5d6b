//! A look ahead: keys are tried out in thought, by the game's own movement, before they are pressed where a fall threatens.
//!
//! What is foreseen is the next frame with the keys in question, then somebody who stops as soon as he stands and steers for
//! the leg's goal as long as he flies. If he ends up standing on the leg's level, the keys are safe. A body brakes from full
//! speed within two frames, so two frames of care are enough on foot; a flight is foreseen to its end.
//! Cost: a frame of movement each; asked only where the floor ends close ahead.

use glam::Vec3;

use super::{FALLEN, Keys, Moment, Travel, Walker, flat};
use crate::contents::Contents;
use crate::movement::{self, Player};

/// No flight of a leg takes more frames; what lasts longer ends in the void.
const FRAMES_MAX: usize = 60;
/// Slower than this, one stands.
const STANDING: f32 = 40.0;
/// So far aside is beside the line.
const BESIDE: f32 = 24.0;
/// What nobody wants to land in.
const HARM: Contents = Contents(Contents::LAVA.0 | Contents::SLIME.0);

impl Walker {
    /// Whether who presses these keys now still stands on the leg's level when he has stopped.
    pub(super) fn is_safe(&self, moment: &Moment, keys: Keys) -> bool {
        let was_harmed = moment.player.immersion.contents.meets(HARM);
        let mut player = moment.after(keys);
        for _ in 0..FRAMES_MAX {
            let is_swimming = player.immersion.level > 1;
            if self.is_below(player.origin) || !was_harmed && player.immersion.contents.meets(HARM) {
                return false;
            }
            let stands = !player.ground.is_air() && flat(player.velocity).length() < STANDING;
            if stands || is_swimming {
                return true;
            }
            let next = Moment { player: &player, ..*moment };
            let keys = if player.ground.is_air() { self.fly(&next) } else { next.urge(Vec3::ZERO) };
            let after = next.after(keys);
            // Whoever is in the air and does not begin to fall is caught in something, and will be in every frame to come.
            if after.ground.is_air() && after.origin == player.origin && after.velocity.z == 0.0 {
                return false;
            }
            player = after;
        }
        false
    }

    /// Deeper than the leg leads. Right on its line one may go down at once what it goes down in all; beside it not.
    fn is_below(&self, place: Vec3) -> bool {
        let height = self.leg.from.z + (self.leg.to.z - self.leg.from.z) * self.share_done(place);
        let is_beside = self.off_line(place).length() > BESIDE;
        place.z < if is_beside { height - FALLEN } else { self.floor() }
    }

    /// What is pressed in the air.
    pub(super) fn fly(&self, moment: &Moment) -> Keys {
        match self.leg.travel {
            Travel::Walk | Travel::Crouch => moment.urge(self.along_line(moment, self.leg.from, self.leg.to)),
            Travel::StrafeJump => self.strafe_through_air(moment),
            Travel::Drop
            | Travel::Jump
            | Travel::Swim
            | Travel::WaterExit
            | Travel::Ladder
            | Travel::Push
            | Travel::Teleport
            | Travel::Lift
            | Travel::Train
            | Travel::Door
            | Travel::ButtonDoor
            | Travel::KeyDoor => self.steer(moment),
        }
    }

    /// Through the air to the goal.
    pub(super) fn steer(&self, moment: &Moment) -> Keys {
        moment.urge(self.landing_velocity(moment, self.leg.to))
    }
}

impl Moment<'_> {
    /// The body a frame later.
    pub(super) fn after(&self, keys: Keys) -> Player {
        let command = keys.command_facing_ahead(self.player);
        movement::step(self.player, &command, self.ms, self.setting).player
    }
}
