//! What is taken in flight: items that hang where nobody stands, on the way of a pad's throw, a leap or a fall.
//!
//! In: proved links and the survey's items. Out: the same links; those on which a body touches such an item carry
//! [`LinkFlags::ITEM`]. Whoever wants the item goes to the start of such a link and takes it.

use fireteam_terrain::{Link, LinkFlags, Links, Movers, WaypointId, Waypoints, legs};
use fireteam_world::Vec3;
use fireteam_world::movement::Player;
use fireteam_world::walker::outing::{Course, Outing};
use fireteam_world::walker::{Progress, Travel, Walker};

use super::Grounds;
use crate::ground::{Seed, SeedKind};

/// A body takes an item whose middle is this near its own origin, along each axis.
const TOUCH: f32 = 36.0;
/// Flights bend away from the straight line between their ends by less than this, seen from above.
const BEND: f32 = 128.0;
/// Longer ones are not watched.
const WATCHED_MS: i32 = 15_000;

/// Marks the links on which something is taken in flight.
pub(super) fn mark(grounds: &Grounds, course: &Course, movers: &Movers, links: &mut Links) {
    let hanging: Vec<Vec3> =
        grounds.survey.seeds.iter().filter(|seed| hangs(grounds, seed)).map(|seed| seed.spot).collect();
    if hanging.is_empty() {
        return;
    }
    let taken = |(from, link): (WaypointId, &Link)| {
        taken_on_the_way(course, grounds.waypoints, movers, from, link, &hanging).contains(&true)
    };
    let marked: Vec<bool> = links.iter().map(taken).collect();
    for (link, _) in links.links.iter_mut().zip(marked).filter(|(_, is_marked)| *is_marked) {
        link.flags |= LinkFlags::ITEM;
    }
}

/// Whether an item is out of reach for all who stand, and who jump where they stand.
fn hangs(grounds: &Grounds, seed: &Seed) -> bool {
    let rules = &grounds.game.rules.movement;
    let jump_height = rules.jump_speed * rules.jump_speed / (2.0 * rules.gravity.max(1) as f32);
    let is_standing = seed
        .place
        .map(|place| &grounds.survey.places[place as usize])
        .is_some_and(|place| place.sent_by.is_none() && seed.spot.z - place.origin.z < TOUCH + jump_height);
    seed.kind == SeedKind::Item && !is_standing
}

/// Which of these spots a body touches on a link.
pub fn taken_on_the_way(
    course: &Course,
    waypoints: &Waypoints,
    movers: &Movers,
    from: WaypointId,
    link: &Link,
    spots: &[Vec3],
) -> Vec<bool> {
    let mut taken = vec![false; spots.len()];
    if !matches!(link.kind, Travel::Push | Travel::Drop | Travel::Jump | Travel::StrafeJump) {
        return taken;
    }
    let leg = legs::leg(waypoints, movers, from, link);
    let corner = leg.via.unwrap_or(leg.from);
    let is_beside = |spot: &Vec3| {
        let away = |a: Vec3, b: Vec3| distance_seen_from_above(*spot, a, b);
        away(leg.from, corner).min(away(corner, leg.to)) < BEND
    };
    if !spots.iter().any(is_beside) {
        return taken;
    }
    let mut outing = Outing::new(course, Player::at(leg.from, course.rules));
    let mut walker = Walker::new(leg, None);
    while outing.spent_ms() < WATCHED_MS {
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = walker.press(player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        let body = outing.player.origin;
        for (spot, taken) in spots.iter().zip(&mut taken) {
            *taken |= (*spot - body).abs().cmplt(Vec3::splat(TOUCH)).all();
        }
        if progress != Progress::OnTheWay {
            break;
        }
    }
    taken
}

fn distance_seen_from_above(point: Vec3, from: Vec3, to: Vec3) -> f32 {
    let (point, way) = ((point - from).truncate(), (to - from).truncate());
    let share = (point.dot(way) / way.length_squared().max(1.0)).clamp(0.0, 1.0);
    point.distance(way * share)
}
