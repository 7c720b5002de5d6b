//! Standing, crouching, lying: which box the body takes up, and whether there is room to get up.

use super::{Buttons, Stance, Stride};

impl Stride<'_> {
    pub(super) fn take_stance(&mut self) {
        if self.player.is_dead {
            self.hull = self.rules.dead_hull();
            self.player.eye_height = self.rules.body.dead_eye;
            return;
        }
        let asked = self.asked_stance();
        if asked != self.player.stance {
            self.change_stance(asked);
        }
        self.hull = self.rules.hull(self.player.stance);
        self.player.eye_height = self.rules.eye_height(self.player.stance);
    }

    fn asked_stance(&self) -> Stance {
        if self.rules.prone.is_some() {
            if self.player.stance_ms > 0 {
                return self.player.stance;
            }
            if self.command.buttons.meets(Buttons::PRONE)
                && (self.floor_is_dry() || self.player.stance == Stance::Prone)
            {
                return Stance::Prone;
            }
        }
        if self.command.up < 0 { Stance::Crouched } else { Stance::Standing }
    }

    /// Gets lower at once, and higher only if there is room; from lying, as far up as there is room.
    fn change_stance(&mut self, asked: Stance) {
        let from = self.player.stance;
        let reached = if asked > from || self.has_room(asked) {
            asked
        } else if from == Stance::Prone && self.has_room(Stance::Crouched) {
            Stance::Crouched
        } else {
            return;
        };
        self.player.stance = reached;
        if let Some(prone) = &self.rules.prone {
            self.player.stance_ms = match (from, reached) {
                (_, Stance::Prone) => prone.down_ms,
                (Stance::Prone, _) => prone.up_ms,
                (_, Stance::Standing | Stance::Crouched) => 0,
            };
        }
    }

    fn has_room(&self, stance: Stance) -> bool {
        let origin = self.player.origin;
        let sweep = crate::trace::Sweep::hull(origin, origin, self.rules.hull(stance), self.mask);
        !self.scene.sweep(&sweep, self.me).all_solid
    }

    fn floor_is_dry(&self) -> bool {
        !self.player.ground.is_air() && self.player.immersion.level == 0
    }

    /// Lying down, or still getting up: no jumping.
    pub(super) fn is_bound_to_floor(&self) -> bool {
        self.rules.prone.is_some() && (self.player.stance == Stance::Prone || self.player.stance_ms > 0)
    }

    pub(super) fn crawl_scale(&self) -> f32 {
        self.rules.prone.map_or(self.rules.ground.crouch_scale, |prone| prone.crawl_scale)
    }
}
