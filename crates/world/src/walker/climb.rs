//! Ladders: forward climbs what one faces, so going down begins with turning round over the edge.

use glam::Vec3;

use super::keys::yaw_of;
use super::{Keys, Moment, Walker, flat};

/// Over the edge so slowly that the ladder is still within reach; the edge is felt this far ahead.
const EDGE_SPEED: f32 = 24.0;
const EDGE_ROOM: f32 = 16.0;
/// Pitch of somebody who climbs up, and of one who climbs down.
const LOOK_UP: f32 = -30.0;
const LOOK_DOWN: f32 = 60.0;

impl Walker {
    pub(super) fn climb(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        let goes_up = self.leg.to.z > self.leg.from.z;
        let above = player.origin.z - self.leg.to.z;
        let is_above = above > moment.setting.rules.step_height;
        match player.ladder {
            Some(face) if goes_up || player.ground.is_air() => {
                face_ladder(-flat(face), if goes_up { LOOK_UP } else { LOOK_DOWN })
            }
            None if is_above && player.ground.is_air() => face_ladder(flat(self.leg.from - player.origin), LOOK_DOWN),
            None if is_above => self.back_over_edge(moment),
            Some(_) | None => {
                let keys = moment.urge(self.along_line(moment, player.origin, self.leg.to));
                if keys.heading == Vec3::ZERO { keys } else { keys.looking(keys.heading) }
            }
        }
    }

    fn back_over_edge(&self, moment: &Moment) -> Keys {
        let wanted = self.along_line(moment, self.leg.from, self.leg.to);
        let ahead = wanted.normalize_or_zero();
        let is_edge = !moment.has_floor(ahead * EDGE_ROOM, moment.setting.rules.step_height);
        moment.urge(if is_edge { ahead * EDGE_SPEED } else { wanted })
    }
}

fn face_ladder(into: Vec3, pitch: f32) -> Keys {
    Keys { heading: into.normalize_or_zero(), push: 1.0, look: Some([pitch, yaw_of(into)]), ..Keys::NONE }
}
