//! Made-up routes: a few plain walks from floor to floor, each of which our own physics has walked.
//!
//! What is asked of the server is whether it agrees: the same keys, decided frame by frame from its own word, must lead
//! to the same place in the same time ([`follow`](crate::capture::follow)).

use fireteam_world::Vec3;
use fireteam_world::movement::Player;
use fireteam_world::walker::outing::{Course, Outing};
use fireteam_world::walker::{Leg, Progress, Travel, Walker};

use fireteam_world::pcg::Pcg;

/// Legs are about as long as a terrain's links.
const LEG_LENGTH: std::ops::Range<f32> = 40.0..400.0;
/// Higher or lower ends are seldom walked to.
const RISE_MAX: f32 = 60.0;
const LEG_TRIES: usize = 6;
const LEG_MS: i32 = 3000;

/// A route from some floor; `None` where no walk was found.
pub fn draw(course: &Course, pcg: &mut Pcg, floors: &[Vec3]) -> Option<Vec<Leg>> {
    let mut at = *pcg.pick(floors);
    let mut route = Vec::new();
    for _ in 0..LEG_TRIES {
        let is_near = |to: &&Vec3| LEG_LENGTH.contains(&to.distance(at)) && (to.z - at.z).abs() < RISE_MAX;
        let near: Vec<Vec3> = floors.iter().filter(is_near).copied().collect();
        if near.is_empty() {
            break;
        }
        let to = *pcg.pick(&near);
        let leg = Leg { from: at, to, travel: Travel::Walk, via: None, mover: None, opener: None, time_ms: LEG_MS };
        if is_walked(course, leg) {
            route.push(leg);
            at = to;
        }
    }
    (!route.is_empty()).then_some(route)
}

/// Whether our physics arrives, unharmed and without touching anything that moves.
fn is_walked(course: &Course, leg: Leg) -> bool {
    let mut outing = Outing::new(course, Player::at(leg.from, course.rules));
    let mut walker = Walker::new(leg, None);
    loop {
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = walker.press(player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        match progress {
            Progress::OnTheWay => {}
            Progress::Arrived => return !outing.cost.meddled && outing.cost.damage == 0.0,
            Progress::Lost(_) => return false,
        }
    }
}
