//! The only place that may call functions whose last bit differs between platforms; here they come from `libm`,
//! which computes them in software and so gives the same bits everywhere.
#![allow(clippy::disallowed_methods)]

use glam::Vec3;

pub fn sin(radians: f32) -> f32 {
    libm::sinf(radians)
}

pub fn cos(radians: f32) -> f32 {
    libm::cosf(radians)
}

pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// Sine and cosine as C's double functions give them, then rounded: what Quake III's angle code sees.
pub fn sin_cos_double(radians: f32) -> (f32, f32) {
    let radians = f64::from(radians);
    (libm::sin(radians) as f32, libm::cos(radians) as f32)
}

/// The three unit vectors of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    pub forward: Vec3,
    pub right: Vec3,
    pub up: Vec3,
}

/// Axes of a view with these angles (pitch down, yaw counter-clockwise from x, roll), in degrees.
pub fn axes(pitch: f32, yaw: f32, roll: f32) -> Axes {
    // Degrees become radians in single precision, as Quake III does it; a double factor moves the last bit.
    const RADIANS: f32 = (std::f64::consts::PI * 2.0 / 360.0) as f32;
    let (sy, cy) = sin_cos_double(yaw * RADIANS);
    let (sp, cp) = sin_cos_double(pitch * RADIANS);
    let (sr, cr) = sin_cos_double(roll * RADIANS);
    Axes {
        forward: Vec3::new(cp * cy, cp * sy, -sp),
        right: Vec3::new(-sr * sp * cy + cr * sy, -sr * sp * sy - cr * cy, -sr * cp),
        up: Vec3::new(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp),
    }
}

/// Dot product summed from x to z, each product rounded: the order every Quake III distance is computed in.
#[inline]
pub fn dot(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}
