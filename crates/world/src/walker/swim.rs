//! In the water: straight to the goal in all three dimensions, and out of it over an edge.

use super::keys::yaw_of;
use super::{Keys, Moment, Walker, flat};

/// Full strength of the upward key.
const UP_MAX: f32 = 127.0;

impl Walker {
    pub(super) fn swim(&self, moment: &Moment) -> Keys {
        let player = moment.player;
        if player.immersion.level <= 1 {
            // Shallows, or a leap over the surface: on foot.
            return moment.urge(self.along_line(moment, self.leg.from, self.leg.to));
        }
        let way = self.leg.to - player.origin;
        let direction = way.normalize_or_zero();
        let level = flat(direction);
        let strength = level.length();
        // The keys share one speed: the strongest is pressed fully.
        let most = strength.max(direction.z.abs()).max(f32::MIN_POSITIVE);
        Keys {
            heading: level.normalize_or_zero(),
            push: strength / most,
            up: (direction.z / most * UP_MAX) as i8,
            ..Keys::NONE
        }
    }

    /// Up, and towards the land: the game leaps by itself when an edge is right ahead of the eyes.
    pub(super) fn leave_water(&self, moment: &Moment) -> Keys {
        let player = moment.player;
        let way = flat(self.leg.to - player.origin);
        if player.immersion.level <= 1 {
            let wanted = if player.ground.is_air() {
                self.landing_velocity(moment, self.leg.to)
            } else {
                self.along_line(moment, player.origin, self.leg.to)
            };
            return moment.urge(wanted);
        }
        let up = if player.origin.z < self.leg.to.z { UP_MAX as i8 } else { 0 };
        Keys { heading: way.normalize_or_zero(), push: 1.0, up, look: Some([0.0, yaw_of(way)]), ..Keys::NONE }
    }
}
