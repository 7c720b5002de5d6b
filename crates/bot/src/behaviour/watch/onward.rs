//! Where do eyes go that follow the way?
//!
//! In: where the way leads from the eye. Out: where to look. Whoever drops down a shaft or is thrown up one looks out from it, not at
//! the floor between his feet: eyes stay within some degrees of level. And he looks along the way, not at the next place on it: who
//! looked at that would turn with every step as he comes to it.

use fireteam_world::Vec3;

/// Tangent of how far up and down eyes follow the way: 35 degrees, as steep as stairs are.
const STEEP: f32 = 0.7;

/// How far along it eyes look.
const FAR: f32 = 512.0;

/// Where to look from the eye if the way leads there: the same way, farther, and no steeper than eyes follow it.
pub(super) fn along(way: Vec3) -> Vec3 {
    let most = way.with_z(0.0).length() * STEEP;
    way.with_z(way.z.clamp(-most, most)).normalize_or_zero() * FAR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aim::angles_to;

    #[test]
    fn who_falls_down_a_shaft_does_not_look_at_its_floor() {
        for z in [-400.0, 400.0] {
            let (pitch, yaw) = angles_to(along(Vec3::new(30.0, 60.0, z)));
            assert!(pitch.abs() < 36.0, "{pitch}");
            assert!((yaw - angles_to(Vec3::new(30.0, 60.0, 0.0)).1).abs() < 1e-3, "{yaw}");
        }
        let stairs = Vec3::new(100.0, 0.0, 60.0);
        assert!(along(stairs).normalize().distance(stairs.normalize()) < 1e-6);
    }
}
