//! In the air: little control, all of gravity.

use super::Stride;
use super::effort::{Wish, normalized};
use super::walk::flat;

impl Stride<'_> {
    pub(super) fn drift(&mut self) {
        self.slow_down();
        let scale = self.move_scale();
        let level = |direction| normalized(flat(direction)).0;
        let mut wish = Wish::along(flat(self.moves_along(level(self.axes.forward), level(self.axes.right))));
        wish.speed *= scale;
        self.accelerate(wish, self.rules.air.accelerate);
        if self.floor.is_there {
            // A floor too steep to stand on: slide down along it.
            self.player.velocity = self.clip(self.player.velocity, self.floor.normal);
        }
        self.slide_over_steps(true);
    }
}
