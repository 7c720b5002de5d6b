//! Where to aim so that what is thrown comes by a given place: the two arcs of a parabola, and the view that throws them.
//!
//! In: the way from hand to place, a speed, the pull. Out: the low arc and the high one, or nothing: too far, too high.
//! Solved for the time of flight and not for an angle, so that straight up, straight down and no gravity at all are cases
//! like any other. [`Throwable::aims`] adds what a game does to a throw: the muzzle before the eye, the upward bias.
//!
//! After "AimForGrenadeToss" of Insurgency's bots: the low arc first, the high one to fall back on. There the place
//! straight above is refused; here it is not. Not here: whether anything stands in the way (`flight`).

use glam::{DVec3, Vec3};

use crate::flight::{Throw, Thrower};
use crate::game::Throwable;
use crate::maths;

/// One way to come by a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toss {
    pub velocity: Vec3,
    /// When it is there.
    pub seconds: f32,
}

/// Both ways, which are one at the edge of reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tosses {
    /// The sooner one.
    pub low: Toss,
    /// The later one; none where nothing pulls: a straight line comes by but once.
    pub high: Option<Toss>,
}

/// The tosses at `speed` that lead `way` from the hand, pulled down by `gravity`; none if that is out of reach.
///
/// With no way to go at all, the low one is there at once and the high one goes straight up and comes back.
pub fn solve(way: Vec3, speed: f32, gravity: f32) -> Option<Tosses> {
    let arcs = Arcs::of(way, speed, gravity)?;
    Some(Tosses { low: arcs.low(), high: arcs.high() })
}

/// Both arcs as far as they are one sum.
struct Arcs {
    way: DVec3,
    speed: f64,
    gravity: f64,
    square: f64,
    half: f64,
    root: f64,
}

impl Arcs {
    fn of(way: Vec3, speed: f32, gravity: f32) -> Option<Arcs> {
        let (way, speed, gravity) = (way.as_dvec3(), f64::from(speed), f64::from(gravity));
        // |way + up * gravity t^2 / 2| = speed t, a square in t^2: gravity^2/4 u^2 - 2h u + |way|^2 = 0.
        let half = (speed * speed - gravity * way.z) * 0.5;
        let square = way.length_squared();
        let inside = half * half - gravity * gravity * square * 0.25;
        if inside < 0.0 || half <= 0.0 {
            return None;
        }
        Some(Arcs { way, speed, gravity, square, half, root: inside.sqrt() })
    }

    fn low(&self) -> Toss {
        // The sooner root by division: by subtraction it would lose its digits where the arc is flat.
        self.toss((self.square / (self.half + self.root)).sqrt())
    }

    fn high(&self) -> Option<Toss> {
        (self.gravity > 0.0).then(|| self.toss(2.0 / self.gravity * (self.half + self.root).sqrt()))
    }

    fn toss(&self, seconds: f64) -> Toss {
        Toss { velocity: launch(self.way, seconds, self.speed, self.gravity), seconds: seconds as f32 }
    }
}

/// Which velocity goes `way` in that time. Its length is the speed but for roundings, which are taken out.
fn launch(way: DVec3, seconds: f64, speed: f64, gravity: f64) -> Vec3 {
    if seconds == 0.0 {
        return (DVec3::Z * speed).as_vec3();
    }
    let velocity = way / seconds + DVec3::Z * (0.5 * gravity * seconds);
    (velocity * (speed / velocity.length())).as_vec3()
}

impl Throwable {
    /// How to throw this at `speed` so that it comes by `place`: the low arc, then the high one.
    pub fn aims(&self, thrower: &Thrower, place: Vec3, speed: f32) -> [Option<Throw>; 2] {
        let eye = thrower.origin + Vec3::Z * (thrower.view_height + self.muzzle_up);
        [false, true].map(|is_high| self.aim(eye, place, speed, is_high))
    }

    /// The muzzle lies before the eye, where the eye looks; a few rounds of looking again find both.
    fn aim(&self, eye: Vec3, place: Vec3, speed: f32, is_high: bool) -> Option<Throw> {
        const ROUNDS: usize = 3;
        let mut muzzle = eye;
        let mut forward = Vec3::X;
        for _ in 0..ROUNDS {
            let arcs = Arcs::of(place - muzzle, speed, self.gravity)?;
            let toss = if is_high { arcs.high()? } else { arcs.low() };
            forward = self.view_towards(toss.velocity / speed)?;
            muzzle = eye + forward * self.muzzle_forward;
        }
        let flat = (forward.x * forward.x + forward.y * forward.y).sqrt();
        let yaw = if flat > 0.0 { maths::atan2(forward.y, forward.x).to_degrees() } else { 0.0 };
        Some(Throw { yaw, pitch: -maths::atan2(forward.z, flat).to_degrees(), speed, cooked_ms: 0 })
    }

    /// The view whose throws leave in a direction: the upward bias undone. None if no view leads so far down.
    fn view_towards(&self, direction: Vec3) -> Option<Vec3> {
        let (bias, z) = (self.upward_bias, direction.z);
        let square = bias * bias * (z * z - 1.0) + 1.0;
        let along = bias * z + (square >= 0.0).then(|| square.sqrt())?;
        let forward = direction * along - Vec3::Z * bias;
        (along > 0.0).then(|| forward.normalize_or_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::units::Time;
    use proptest::prelude::*;

    fn place_after(toss: &Toss, gravity: f32) -> Vec3 {
        let t = f64::from(toss.seconds);
        (toss.velocity.as_dvec3() * t - DVec3::Z * (0.5 * f64::from(gravity) * t * t)).as_vec3()
    }

    fn each(tosses: &Tosses) -> impl Iterator<Item = Toss> {
        std::iter::once(tosses.low).chain(tosses.high)
    }

    proptest! {
        #[test]
        fn every_toss_comes_by_its_place_at_its_speed(
            x in -2000.0f32..2000.0, y in -2000.0f32..2000.0, z in -1500.0f32..1500.0,
            speed in 50.0f32..2000.0, gravity in prop_oneof![Just(0.0f32), 1.0f32..2000.0],
        ) {
            let way = Vec3::new(x, y, z);
            if let Some(tosses) = solve(way, speed, gravity) {
                for toss in each(&tosses) {
                    prop_assert!(place_after(&toss, gravity).distance(way) < 0.1, "{toss:?}");
                    prop_assert!((toss.velocity.length() - speed).abs() < speed * 1e-5);
                }
                prop_assert!(tosses.high.is_none_or(|high| high.seconds >= tosses.low.seconds));
            } else {
                // Out of reach: above the parabola that envelops all throws of that speed.
                let flat = f64::from(x).hypot(f64::from(y));
                let (s2, g) = (f64::from(speed).powi(2), f64::from(gravity));
                prop_assert!(gravity > 0.0 && f64::from(z) > s2 / (2.0 * g) - g * flat * flat / (2.0 * s2) - 1e-3);
            }
        }

        #[test]
        fn a_throw_that_is_aimed_comes_by_its_place(
            x in -700.0f32..700.0, y in -700.0f32..700.0, z in -300.0f32..200.0,
        ) {
            for (game, name) in [("openarena", "grenade"), ("action", "frag"), ("action", "rifle-grenade")] {
                let game = Game::named(game).expect("it is built in");
                let throwable = game.throwable(name).expect("it has one");
                let thrower = Thrower { origin: Vec3::ZERO, view_height: 26.0, velocity: Vec3::ZERO, entity: None };
                let place = Vec3::new(x, y, z);
                prop_assume!(place.length() > 100.0);
                for &speed in &throwable.speeds {
                    for throw in throwable.aims(&thrower, place, speed).into_iter().flatten() {
                        let launch = throwable.launch(&thrower, &throw, Time(0));
                        // OpenArena cuts place and velocity to integers: a unit, and one a second.
                        let off = nearest_approach(launch.muzzle, launch.velocity, throwable.gravity, place);
                        let allowed = if throwable.cut_to_integers { 6.0 } else { 0.5 };
                        prop_assert!(off < allowed, "{name} at {place}: {throw:?} comes by at {off}");
                    }
                }
            }
        }
    }

    fn nearest_approach(muzzle: Vec3, velocity: Vec3, gravity: f32, place: Vec3) -> f32 {
        let at = |t: f32| muzzle + velocity * t - Vec3::Z * (0.5 * gravity * t * t);
        (0..40_000).map(|ms| at(ms as f32 * 0.0001).distance(place)).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn straight_up_straight_down_nowhere_and_out_of_reach() {
        let up = solve(Vec3::Z * 100.0, 500.0, 800.0).expect("156 units are in reach");
        assert!(each(&up).all(|toss| toss.velocity == Vec3::Z * 500.0), "{up:?}");
        let down = solve(Vec3::Z * -100.0, 500.0, 800.0).expect("it only has to fall");
        assert_eq!(down.low.velocity, Vec3::Z * -500.0);
        assert_eq!(down.high.map(|high| high.velocity), Some(Vec3::Z * 500.0));
        let nowhere = solve(Vec3::ZERO, 500.0, 800.0).expect("it is there");
        assert_eq!((nowhere.low.seconds, nowhere.high.map(|high| high.seconds)), (0.0, Some(1.25)));
        assert_eq!(solve(Vec3::Z * 157.0, 500.0, 800.0), None);
        assert_eq!(solve(Vec3::X * 313.0, 500.0, 800.0), None);
        let straight = solve(Vec3::new(300.0, 400.0, 0.0), 100.0, 0.0).expect("nothing pulls");
        assert_eq!((straight.low.seconds, straight.high), (5.0, None));
        assert_eq!(solve(Vec3::X, 0.0, 800.0), None);
    }
}
