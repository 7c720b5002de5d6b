//! The sounds of feet: on floors, in water, going under and coming up. Others hear them.

use super::{Buttons, Event, Stance, Stride};
use crate::contents::SurfaceFlags;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footfall {
    Floor,
    Metal,
    Splash,
    Swim,
}

/// Slower than this without pressing anything, the next step starts with the same foot.
const HALTED_SPEED: f32 = 5.0;
/// Moves beyond this are running, whatever the walk button says.
const RUN_MOVE: u8 = 64;

impl Stride<'_> {
    /// Advances the walking cycle and reports each half of it that ends.
    pub(super) fn tread(&mut self) {
        if self.player.ground.is_air() {
            return;
        }
        if self.command.forward == 0 && self.command.right == 0 {
            let velocity = self.player.velocity;
            if (velocity.x * velocity.x + velocity.y * velocity.y).sqrt() < HALTED_SPEED {
                self.player.gait = 0;
            }
            return;
        }
        let is_upright = self.player.stance == Stance::Standing;
        let runs = is_upright && self.runs();
        // Cycle units per millisecond.
        let pace = if !is_upright {
            0.5
        } else if runs {
            0.4
        } else {
            0.3
        };
        let before = self.player.gait;
        self.player.gait = ((before as f32 + pace * self.ms as f32) as i32) & 255;
        if (before + 64) & 128 == (self.player.gait + 64) & 128 {
            return;
        }
        match self.player.immersion.level {
            0 if runs => self.footfall_on_floor(),
            1 => self.events.push(Event::Footfall(Footfall::Splash)),
            2 => self.events.push(Event::Footfall(Footfall::Swim)),
            _ => {}
        }
    }

    fn runs(&self) -> bool {
        let most = self.command.forward.unsigned_abs().max(self.command.right.unsigned_abs());
        most > RUN_MOVE || !self.command.buttons.meets(Buttons::WALK)
    }

    pub(super) fn footfall_on_floor(&mut self) {
        if self.floor.surface.meets(SurfaceFlags::NO_STEPS) {
            return;
        }
        let is_metal = self.floor.surface.meets(SurfaceFlags::METAL_STEPS);
        self.events.push(Event::Footfall(if is_metal { Footfall::Metal } else { Footfall::Floor }));
    }

    /// Reports crossing a surface of water since the piece began.
    pub(super) fn splash(&mut self) {
        let (before, now) = (self.started.depth, self.player.immersion.level);
        if before == 0 && now > 0 {
            self.events.push(Event::EnteredWater);
        }
        if before > 0 && now == 0 {
            self.events.push(Event::LeftWater);
        }
        if before != 3 && now == 3 {
            self.events.push(Event::WentUnder);
        }
        if before == 3 && now != 3 {
            self.events.push(Event::CameUp);
        }
    }
}
