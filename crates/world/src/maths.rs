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

/// Sine of a double angle, kept in single precision.
pub fn sin_double(radians: f64) -> f32 {
    libm::sin(radians) as f32
}

/// Cosine of a double angle, kept in single precision.
pub fn cos_double(radians: f64) -> f32 {
    libm::cos(radians) as f32
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

/// Sine and cosine in single precision, to the last bit as the C library of x86-64 Linux gives them.
///
/// A correctly rounded result would differ in the last bit for one angle in forty, and a player's legs would feel it.
/// After the method of ARM's optimized routines (2018), which that library adopted: turn the angle to within an eighth
/// of a circle, then two short polynomials in double precision. Good for angles up to 120 radians.
pub fn sin_cos_single(radians: f32) -> (f32, f32) {
    const SIN: [f64; 3] = [-0.16666654943701084, 0.008332178146138854, -0.00019517298981385725];
    const COS: [f64; 4] = [-0.49999999725108224, 0.041666623324344516, -0.001388676379437604, 2.4390450703564542e-05];
    /// Quarter circles to a radian, as a fixed-point number with 24 bits behind the point.
    const QUARTERS: f64 = std::f64::consts::FRAC_2_PI * 16_777_216.0;

    let whole = f64::from(radians);
    let quarter = (((whole * QUARTERS) as i32) + 0x80_0000) >> 24;
    let rest = whole - f64::from(quarter) * std::f64::consts::FRAC_PI_2;
    let x = if matches!(quarter & 3, 1 | 2) { -rest } else { rest };
    let (x2, x3) = (x * x, x * x * x);
    let x4 = x2 * x2;
    let sin = (x + x3 * SIN[0]) + (x3 * x2) * (SIN[1] + x2 * SIN[2]);
    let cos = ((1.0 + x2 * COS[0]) + x4 * COS[1]) + (x4 * x2) * (COS[2] + x2 * COS[3]);
    let (sin, cos) = (sin as f32, if quarter & 2 != 0 { -cos as f32 } else { cos as f32 });
    if quarter & 1 != 0 { (cos, sin) } else { (sin, cos) }
}

/// Axes of a view as the game module sees them, which turns degrees to radians in double precision and then takes
/// single-precision sines; the engine around it does it the other way round ([`axes`]).
pub fn game_axes(pitch: f32, yaw: f32, roll: f32) -> Axes {
    const RADIANS: f64 = std::f64::consts::PI / 180.0;
    let sin_cos = |degrees: f32| sin_cos_single((f64::from(degrees) * RADIANS) as f32);
    let (sy, cy) = sin_cos(yaw);
    let (sp, cp) = sin_cos(pitch);
    let (sr, cr) = sin_cos(roll);
    Axes {
        forward: Vec3::new(cp * cy, cp * sy, -sp),
        right: Vec3::new((sp * -sr) * cy + cr * sy, (sp * -sr) * sy - cr * cy, -sr * cp),
        up: Vec3::new((sp * cr) * cy + sr * sy, (sp * cr) * sy - sr * cy, cr * cp),
    }
}
