//! Out of the way of what is about to explode: rockets that come this way, grenades that lie or roll near; and out of fire.
//!
//! A missile is believed to go on as it was last seen: a rocket until something solid stops it, a grenade in its arc and over
//! its bounces, flown by the game's own rules, for as long as its fuse may have left. Of all ways to run, and of going on as
//! one goes, the one is taken on which all that comes does least harm: struck on the way, or caught in the blasts where they
//! end. Who aimed well aimed at where one was going, so that often the best is to turn round.

use fireteam_world::contents::Contents;
use fireteam_world::flight::{Air, FlightRules, Launch, fly_to_end};
use fireteam_world::game::{Impact, Throwable};
use fireteam_world::trace::{Hull, Scene, Sweep};
use fireteam_world::units::Time;
use fireteam_world::{Solids, Vec3, maths};

use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::memory::KnownMissile;
use crate::snapshot::Cloud;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Evade {
    away: Vec3,
}

/// A missile not seen for this long has gone off or gone by.
const FORGOTTEN_MS: i32 = 2500;
/// How far ahead a missile is followed.
const AHEAD_S: f32 = 1.2;
/// Slower than this it rolls or lies, and goes off no one knows when: it is run from for so long.
const SLOW: f32 = 120.0;
const LYING_S: f32 = 0.6;
/// Missiles at a time that are thought of.
const COMING_MAX: usize = 6;
/// Ways to run that are weighed.
const WAYS: usize = 12;
/// Harm that is not worth a step, and how much better a way must be than going on.
const HARM_MIN: f32 = 8.0;
/// So quickly one gets up to speed another way, per second.
const PUSH: f32 = 8.0;
/// What passes within this of the middle of a body strikes it.
const STRUCK: f32 = 28.0;

/// Fire this far above or below is another floor's; so far beyond its edge one is out of it.
const FIRE_HEIGHT: f32 = 72.0;
const FIRE_EDGE: f32 = 32.0;
/// What standing in one is feared like.
const FIRE_DAMAGE: f32 = 200.0;

/// Something explosive, and where it ends.
#[derive(Clone, Copy, Debug)]
struct Coming {
    place: Vec3,
    velocity: Vec3,
    end: Vec3,
    end_s: f32,
    /// It goes straight for so long.
    straight_s: f32,
    radius: f32,
    damage: f32,
}

impl Behaviour for Evade {
    fn name(&self) -> &'static str {
        "evading"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let mut coming = [None; COMING_MAX];
        let fresh = view.memory.missiles().iter().filter(|known| view.now - known.seen < FORGOTTEN_MS);
        let fires = view.memory.fires().filter_map(|fire| burning(view, fire));
        for (slot, found) in coming.iter_mut().zip(fires.chain(fresh.filter_map(|known| follow(view, known)))) {
            *slot = Some(found);
        }
        let is_burning = view.memory.fires().any(|fire| burning(view, fire).is_some());
        let nearest = coming.iter().flatten().map(|one| one.place.distance(view.origin())).reduce(f32::min)?;
        let runner = Runner::of(view);
        let harm = |way: Option<Vec3>| coming.iter().flatten().map(|one| one.harm(&runner, way)).sum::<f32>();
        let going_on = harm(None);
        if going_on * view.craft.dodge < HARM_MIN {
            return None;
        }
        let (least, away) = (0..WAYS).map(way).map(|way| (harm(Some(way)), way)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        if least > going_on - HARM_MIN {
            return None;
        }
        self.away = away;
        let reason =
            if is_burning { words!("stands in fire") } else { words!("something explosive {nearest:.0} units away") };
        Some(Bid { channels: Channels::LEGS, band: Band::Survive, score: 0.9, reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        limbs.legs.move_by(self.away, false, false);
        Outcome::Continue
    }
}

/// A fire one stands in, as something that hurts until one is out of it.
fn burning(view: &View, fire: &Cloud) -> Option<Coming> {
    let off = view.origin() - fire.origin;
    let is_in = off.truncate().length() < fire.radius + FIRE_EDGE * 0.5 && off.z.abs() < FIRE_HEIGHT;
    // As high as one is oneself: heights put nothing out.
    let place = Vec3::new(fire.origin.x, fire.origin.y, view.origin().z);
    let radius = fire.radius + FIRE_EDGE;
    is_in.then_some(Coming::lying(place, radius, FIRE_DAMAGE))
}

/// One of the ways to run, all round.
fn way(number: usize) -> Vec3 {
    let angle = number as f32 * (2.0 * std::f32::consts::PI / WAYS as f32);
    Vec3::new(maths::cos(angle), maths::sin(angle), 0.0)
}

/// Where a missile is now and where it will go off; none if that is far away.
fn follow(view: &View, known: &KnownMissile) -> Option<Coming> {
    let kind = view.field.arsenal.throwable(known.missile.kind);
    let blast = kind.blast.as_ref()?;
    // What mates throw does no harm where friends are spared.
    let is_mates = known.missile.owner.is_some_and(|owner| view.mates.find(owner).is_some());
    if is_mates && view.field.game.rules.teams.friendly_fire == 0.0 {
        return None;
    }
    let (radius, damage) = (blast.radius, blast.damage as f32);
    let velocity = known.missile.velocity;
    let since = known.missile.origin + velocity * view.now.seconds_since(known.seen);
    let flown = |from: Vec3, to: Vec3| view.field.solids.sweep(&Sweep::ray(from, to, Contents::MASK_SHOT));
    let place = flown(known.missile.origin, since).end;
    let coming = if velocity.length() < SLOW {
        Coming::lying(place, radius, damage)
    } else {
        let path = flown(place, place + velocity * AHEAD_S);
        let straight_s = path.fraction * AHEAD_S;
        let (end, end_s) = match kind.impact {
            Impact::Explode => (path.end, straight_s),
            Impact::Bounce => bounced(known, kind, view.now, view.field.game.flight_rules(), view.scene),
        };
        Coming { place, velocity, end, end_s, straight_s: straight_s.min(end_s), radius, damage }
    };
    let reach = radius + view.field.game.rules.movement.speed as f32 * coming.end_s;
    let (path, me) = (coming.end - coming.place, view.origin() - coming.place);
    let along = (me.dot(path) / path.length_squared().max(1.0)).clamp(0.0, 1.0);
    (me.distance(path * along) < reach).then_some(coming)
}

/// Where a grenade is when its fuse ends, or as far ahead as one thinks, and how long that is from now. How long the fuse has
/// burnt is known since it was first seen.
fn bounced(known: &KnownMissile, kind: &Throwable, now: Time, rules: FlightRules, scene: Scene) -> (Vec3, f32) {
    let left_ms = (kind.fuse_ms - (now - known.since)).clamp(FUSE_MIN_MS, (AHEAD_S * 1000.0) as i32);
    let launch = Launch {
        // One in flight is not put ahead of the hand any more.
        time: known.seen + kind.prestep_ms,
        muzzle: known.missile.origin,
        velocity: known.missile.velocity,
        fuse_ms: now - known.seen + left_ms - kind.prestep_ms,
        owner: known.missile.owner,
    };
    let ending = fly_to_end(&launch, kind, rules, &Air::from(scene));
    (ending.place, ending.time.seconds_since(now).max(0.0))
}

/// However long ago it was first seen: it has not gone off yet.
const FUSE_MIN_MS: i32 = 200;

/// Who runs from it.
struct Runner<'a> {
    origin: Vec3,
    velocity: Vec3,
    hull: Hull,
    speed: f32,
    solids: &'a Solids,
}

impl Runner<'_> {
    fn of<'a>(view: &View<'a>) -> Runner<'a> {
        let rules = &view.field.game.rules.movement;
        let Vec3 { x, y, .. } = view.own.body.velocity;
        Runner {
            origin: view.origin(),
            velocity: Vec3::new(x, y, 0.0),
            hull: view.own.body.hull(rules),
            speed: rules.speed as f32,
            solids: &view.field.solids,
        }
    }

    /// Where he is after a while, if he runs this way from now on, or goes on as he goes: v = wish + (v0 - wish) exp(-p t).
    fn after(&self, seconds: f32, way: Option<Vec3>) -> Vec3 {
        let wish = way.map_or(self.velocity, |way| way * self.speed);
        let slip = (1.0 - maths::exp(-PUSH * seconds)) / PUSH;
        let to = self.origin + wish * seconds + (self.velocity - wish) * slip;
        self.solids.sweep(&Sweep::hull(self.origin, to, self.hull, Contents::MASK_WALK)).end
    }
}

impl Coming {
    /// What lies there and goes off no one knows when.
    fn lying(place: Vec3, radius: f32, damage: f32) -> Coming {
        Coming { place, velocity: Vec3::ZERO, end: place, end_s: LYING_S, straight_s: LYING_S, radius, damage }
    }

    /// What it does to somebody who runs this way, or goes on.
    fn harm(&self, runner: &Runner<'_>, way: Option<Vec3>) -> f32 {
        let last = runner.after(self.end_s, way);
        let passing_s = self.passing_s(runner.origin, last);
        let passing = self.place + self.velocity * passing_s;
        if self.velocity != Vec3::ZERO && runner.after(passing_s, way).distance(passing) < STRUCK {
            return self.damage;
        }
        self.damage * (1.0 - last.distance(self.end) / self.radius).max(0.0)
    }

    /// When it is nearest to somebody who is at `from` now and at `to` when it ends.
    fn passing_s(&self, from: Vec3, to: Vec3) -> f32 {
        let nearing = self.velocity - (to - from) / self.end_s.max(1e-3);
        ((from - self.place).dot(nearing) / nearing.length_squared().max(1.0)).clamp(0.0, self.straight_s)
    }
}

#[cfg(test)]
mod tests {
    use fireteam_world::units::EntityId;
    use fireteam_world::{Game, Map};

    use super::*;
    use crate::snapshot::{Missile, ThrowableId};

    const EAST: Vec3 = Vec3::X;
    const NORTH: Vec3 = Vec3::Y;

    fn room() -> Solids {
        let source = include_str!("../../../../testdata/maps/one_room.map");
        Solids::build(&Map::from_source("one_room", source).expect("a test map"))
    }

    fn runner(solids: &Solids, velocity: Vec3) -> Runner<'_> {
        let game = Game::named("openarena").expect("built in");
        let rules = &game.rules.movement;
        let hull = rules.hull(fireteam_world::movement::Stance::Standing);
        Runner { origin: Vec3::new(0.0, 0.0, 24.125), velocity, hull, speed: rules.speed as f32, solids }
    }

    fn rocket(from: Vec3, to: Vec3, end: Vec3) -> Coming {
        let velocity = (to - from).normalize() * 900.0;
        let end_s = from.distance(end) / 900.0;
        Coming { place: from, velocity, end, end_s, straight_s: end_s, radius: 120.0, damage: 100.0 }
    }

    #[test]
    fn what_comes_straight_is_stepped_aside_from() {
        let solids = room();
        let standing = runner(&solids, Vec3::ZERO);
        let coming = rocket(Vec3::new(400.0, 0.0, 30.0), Vec3::new(0.0, 0.0, 30.0), Vec3::new(-300.0, 0.0, 30.0));
        assert_eq!(coming.harm(&standing, None), 100.0, "it strikes");
        assert_eq!(coming.harm(&standing, Some(-EAST)), 100.0, "nobody outruns it");
        assert_eq!(coming.harm(&standing, Some(NORTH)), 0.0, "it flies past, to the far wall");
    }

    #[test]
    fn what_is_aimed_at_where_one_goes_is_turned_back_from() {
        let solids = room();
        let running = runner(&solids, NORTH * 320.0);
        let met = Vec3::new(0.0, 140.0, 0.0);
        let coming = rocket(Vec3::new(400.0, 0.0, 40.0), met, met);
        let (on, back) = (coming.harm(&running, None), coming.harm(&running, Some(-NORTH)));
        assert!(on > 60.0 && back < on * 0.5, "going on {on}, turning back {back}");
    }

    #[test]
    fn a_grenade_is_known_to_come_back_off_the_wall() {
        let (solids, game) = (room(), Game::named("openarena").expect("built in"));
        let (scene, rules) = (Scene::of(&solids), game.flight_rules());
        let kind = game.throwable("grenade").expect("it has one");
        let launch = Launch {
            time: Time(1000),
            muzzle: Vec3::new(0.0, 0.0, 60.0),
            velocity: Vec3::new(350.0, 0.0, 600.0),
            fuse_ms: kind.fuse_ms,
            owner: None,
        };
        let mut missile = fireteam_world::flight::Missile::new(launch, kind, rules);
        // Seen all the time, and last when it had little more than a second to go.
        let frames = (kind.fuse_ms - 1200) / rules.frame_ms;
        let mut step = || missile.step(&Air::from(scene), &mut |_| ());
        assert!((0..frames).all(|_| step().is_none()), "it flies for two and a half seconds");
        let (at, seen) = (Time(1000 + frames * rules.frame_ms), missile.course());
        let (origin, velocity) = (seen.place(), seen.velocity());
        let ending = fly_to_end(&launch, kind, rules, &Air::from(scene));
        let thrown = Missile { entity: EntityId(9), kind: ThrowableId(0), origin, velocity, owner: None };
        let known = KnownMissile { missile: thrown, seen: at, since: Time(1000) };
        let (end, end_s) = bounced(&known, kind, at + 150, rules, scene);
        assert!(end.distance(ending.place) < 12.0, "{end} instead of {}", ending.place);
        assert!((end_s - 1.05).abs() < 0.1, "{end_s}");
        let straight = solids.sweep(&Sweep::ray(origin, origin + velocity * 1.2, Contents::MASK_SHOT)).end;
        assert!(straight.distance(ending.place) > 60.0, "a straight line says {straight}, not {}", ending.place);
    }

    #[test]
    fn from_what_lies_there_any_way_away_will_do() {
        let solids = room();
        let standing = runner(&solids, Vec3::ZERO);
        let place = Vec3::new(60.0, 0.0, 4.0);
        let lying = Coming::lying(place, 150.0, 100.0);
        let (stay, away, over) =
            (lying.harm(&standing, None), lying.harm(&standing, Some(-EAST)), lying.harm(&standing, Some(EAST)));
        assert!(away < 5.0 && stay > 50.0 && over > away, "{stay} {away} {over}");
    }
}
