//! What cannot be perceived changes nothing: two worlds that differ only behind the bot's back, walls and earshot leave the
//! same in its memory, frame by frame, to the bit.
//!
//! Who is hidden is decided here, by looking at every brush of the map from every corner of a body, with a wider cone and
//! thinner walls than any eye of ours has. Nothing of `perceive` is asked.

use fireteam::snapshot::{
    Audience, Cloud, Figure, Item, Message, Missile, Said, Sound, SoundKind, ThrowableId, WeaponId,
};
use fireteam_world::map::Brush;
use fireteam_world::mover::Motion;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, ModelId};
use fireteam_world::{Contents, Map, Vec3};

use crate::support::{FLOOR, FRAME_MS, ME, OURS, Scene, THEIRS, standing, two_rooms};

/// Walls are this much thinner to the judge than to the eye.
const THINNER: f32 = 0.5;
/// Cosine of half the judge's cone: 65 degrees where the eye has 55.
const CONE: f32 = 0.42;
/// What touches the bot is felt.
const TOUCH: f32 = 80.0;

/// Decides what could be perceived.
struct Judge<'a> {
    map: &'a Map,
    eye: Vec3,
    forward: Vec3,
    /// How far the door is open.
    door: Vec3,
}

impl<'a> Judge<'a> {
    fn of(scene: &'a Scene) -> Judge<'a> {
        let body = &scene.own().body;
        let yaw = body.view.y.to_radians();
        let forward = Vec3::new(fireteam_world::maths::cos(yaw), fireteam_world::maths::sin(yaw), 0.0);
        Judge { map: &scene.field.map, eye: body.eye(), forward, door: scene.snapshot.movers[0].position.base }
    }

    fn could_see(&self, point: Vec3) -> bool {
        let way = point - self.eye;
        if way.length() < TOUCH {
            return true;
        }
        way.normalize().dot(self.forward) > CONE && !self.is_walled(point)
    }

    /// Whether a segment from the eye enters any brush of the map or of its door.
    fn is_walled(&self, point: Vec3) -> bool {
        let world = self.map.models[0].brushes.iter().map(|id| (id, Vec3::ZERO));
        let door = self.map.models[1].brushes.iter().map(|id| (id, self.door));
        world.chain(door).any(|(id, moved)| self.enters(&self.map.brushes[id.index()], self.eye - moved, point - moved))
    }

    fn enters(&self, brush: &Brush, from: Vec3, to: Vec3) -> bool {
        if !self.map.shaders[brush.shader as usize].contents.meets(Contents::SOLID) {
            return false;
        }
        let sides = &self.map.sides[brush.side_first as usize..][..brush.side_count as usize];
        let (mut enter, mut leave) = (0.0f32, 1.0f32);
        for side in sides {
            let plane = &self.map.planes[side.plane as usize];
            let (a, b) = (plane.normal.dot(from) - plane.dist + THINNER, plane.normal.dot(to) - plane.dist + THINNER);
            if a > 0.0 && b > 0.0 {
                return false;
            }
            if a > 0.0 {
                enter = enter.max(a / (a - b));
            } else if b > 0.0 {
                leave = leave.min(a / (a - b));
            }
        }
        enter < leave
    }

    fn could_see_body(&self, origin: Vec3) -> bool {
        let steps = |from: f32, to: f32, count: i32| {
            (0..=count).map(move |step| from + (to - from) * step as f32 / count as f32)
        };
        steps(-15.0, 15.0, 4).any(|x| {
            steps(-15.0, 15.0, 4).any(|y| steps(-24.0, 32.0, 6).any(|z| self.could_see(origin + Vec3::new(x, y, z))))
        })
    }
}

fn anywhere(chance: &mut Pcg) -> Vec3 {
    let side = if chance.chance(0.5) { -1.0 } else { 1.0 };
    Vec3::new(side * chance.range(30.0, 380.0), chance.range(-170.0, 170.0), FLOOR)
}

fn anyone(number: u16, chance: &mut Pcg) -> Figure {
    let place = anywhere(chance);
    let mut figure = standing(EntityId(number), THEIRS, [place.x, place.y]);
    figure.velocity = Vec3::new(chance.range(-240.0, 240.0), chance.range(-240.0, 240.0), 0.0);
    figure.weapon = WeaponId(chance.below(8) as u8);
    figure.is_firing = chance.chance(0.2);
    figure.is_dead = chance.chance(0.1);
    figure
}

fn missile(number: u16, chance: &mut Pcg) -> Missile {
    let velocity = chance.direction() * 300.0;
    Missile { entity: EntityId(number), kind: ThrowableId(0), origin: anywhere(chance), velocity, owner: None }
}

/// The next frame of the world as it is.
fn stir(scene: &mut Scene, chance: &mut Pcg) {
    let yaw = scene.own().body.view.y;
    scene.turn_to(yaw + chance.range(-25.0, 30.0));
    for index in 0..scene.snapshot.players.len() {
        let figure = &mut scene.snapshot.players[index];
        if figure.entity == ME {
            continue;
        }
        let next = figure.origin + figure.velocity * (FRAME_MS as f32 * 0.001);
        let is_inside = next.x.abs() > 24.0 && next.x.abs() < 384.0 && next.y.abs() < 176.0;
        if is_inside && !chance.chance(0.02) {
            figure.origin = next;
        } else {
            let team = figure.team;
            *figure = Figure { team, ..anyone(figure.entity.0, chance) };
        }
    }
    for index in 0..scene.snapshot.missiles.len() {
        if chance.chance(0.1) {
            scene.snapshot.missiles[index] = missile(200 + index as u16, chance);
        }
    }
    if chance.chance(0.05) {
        scene.snapshot.items[0].is_there ^= true;
    }
    if chance.chance(0.03) {
        let shift = if chance.chance(0.5) { 58.0 } else { 0.0 };
        scene.snapshot.movers[0].position = Motion::stationary(Vec3::new(0.0, shift, 0.0));
    }
    if chance.chance(0.3) {
        let kind = *chance.pick(&[SoundKind::Step, SoundKind::Explosion, SoundKind::Pickup, SoundKind::Bounce]);
        scene.snapshot.sounds.push(Sound { kind, origin: anywhere(chance), source: None });
    }
}

/// Changes everything that the bot cannot perceive; how many things that were.
fn blindfold(truth: &Scene, lie: &mut Scene, chance: &mut Pcg) -> usize {
    let judge = Judge::of(truth);
    let mut changed = 0;
    lie.snapshot = truth.snapshot.clone();
    for figure in lie.snapshot.players.iter_mut().filter(|figure| figure.team == THEIRS) {
        if !judge.could_see_body(figure.origin) {
            let other = anyone(figure.entity.0, chance);
            if !judge.could_see_body(other.origin) {
                *figure = other;
                changed += 1;
            }
        }
    }
    for thing in &mut lie.snapshot.missiles {
        let other = missile(thing.entity.0, chance);
        let is_hidden = |missile: &Missile| (0..=4).all(|z| !judge.could_see(missile.origin + Vec3::Z * z as f32));
        if is_hidden(thing) && is_hidden(&other) {
            *thing = other;
            changed += 1;
        }
    }
    let hidden_item = |item: &Item| (0..=20).all(|z| !judge.could_see(item.origin + Vec3::Z * z as f32));
    if hidden_item(&lie.snapshot.items[0]) {
        lie.snapshot.items[0].is_there ^= true;
        changed += 1;
    }
    // The door itself, if all of the wall it is in lies behind the back: nothing is seen through it then either.
    let (left, right) = (Vec3::new(0.0, 32.0, 50.0) - judge.eye, Vec3::new(0.0, 160.0, 50.0) - judge.eye);
    let is_behind = |way: Vec3| way.normalize().dot(judge.forward) < 0.0 && way.length() > 2.0 * TOUCH;
    if is_behind(left) && is_behind(right) {
        lie.snapshot.movers[0].position = Motion::stationary(Vec3::new(0.0, chance.range(0.0, 58.0), 0.0));
        changed += 1;
    }
    let far = Vec3::new(9000.0, 0.0, 0.0);
    lie.snapshot.sounds.push(Sound { kind: SoundKind::Explosion, origin: far, source: Some(EntityId(2)) });
    lie.snapshot.sounds.insert(0, Sound { kind: SoundKind::Step, origin: judge.eye, source: Some(ME) });
    let said = Said::RoundStarts;
    lie.snapshot.messages.push(Message { to: Audience::Team(THEIRS), from: None, said });
    lie.snapshot.clouds.push(Cloud { origin: far, radius: 200.0, blocks_sight: true, harms: true });
    changed + 4
}

fn world(seed: u64) -> Scene {
    let mut chance = Pcg::named(seed, "world");
    let place = anywhere(&mut chance);
    let mut scene = Scene::new(two_rooms(), [place.x, place.y], chance.range(-180.0, 180.0));
    for number in 2..8 {
        let mut figure = anyone(number, &mut chance);
        if number == 7 {
            (figure.team, figure.is_dead) = (OURS, false);
        }
        scene.snapshot.players.push(figure);
    }
    for number in 200..204 {
        scene.snapshot.missiles.push(missile(number, &mut chance));
    }
    let kind = scene.field.arsenal.item_named("ammo_grenades").expect("described");
    let origin = Vec3::new(320.0, 0.0, 2.0);
    scene.snapshot.items.push(Item { entity: EntityId(100), kind, origin, is_there: true });
    scene
}

/// Two copies of a bot in two worlds; the second frame that shows a difference, if any does.
fn run(seed: u64, mut alter: impl FnMut(&Scene, &mut Scene, &mut Pcg)) -> Option<i32> {
    let (mut truth, mut lie) = (world(seed), world(seed));
    let (mut events, mut lies) = (Pcg::named(seed, "events"), Pcg::named(seed, "lies"));
    for frame in 0..120 {
        stir(&mut truth, &mut events);
        alter(&truth, &mut lie, &mut lies);
        truth.frame();
        lie.frame();
        if truth.memory != lie.memory {
            return Some(frame);
        }
    }
    None
}

#[test]
fn what_is_hidden_from_every_sense_leaves_no_trace_in_memory() {
    let (mut changed, mut known) = (0, 0);
    for seed in 0..40 {
        let differs = run(seed, |truth, lie, chance| {
            changed += blindfold(truth, lie, chance);
            known += truth.memory.in_sight().count() + truth.memory.noises().len();
        });
        assert_eq!(differs, None, "seed {seed}: memory differs at this frame");
    }
    assert!(changed > 25_000 && known > 2_000, "{changed} things changed, {known} known: too little happens here");
}

/// The judge must be able to find fault: one enemy in plain view is moved by a hand's breadth.
#[test]
fn a_change_in_plain_view_is_noticed() {
    let differs = run(3, |truth, lie, _| {
        lie.snapshot = truth.snapshot.clone();
        lie.snapshot.players[1].origin.y += 4.0;
    });
    assert!(differs.is_some());
}

#[test]
fn the_judge_knows_walls_and_doors() {
    let mut scene = Scene::new(two_rooms(), [-200.0, 64.0], 0.0);
    let (through_door, through_wall) = (Vec3::new(200.0, 64.0, 50.0), Vec3::new(200.0, -100.0, 50.0));
    let judge = Judge::of(&scene);
    assert!(judge.map.models.len() == 2 && ModelId(1).index() == 1);
    assert!(!judge.could_see(through_door) && !judge.could_see(through_wall));
    assert!(judge.could_see(Vec3::new(-20.0, 0.0, 50.0)) && !judge.could_see(Vec3::new(-300.0, 0.0, 50.0)));
    scene.snapshot.movers[0].position = Motion::stationary(Vec3::new(0.0, 58.0, 0.0));
    assert!(Judge::of(&scene).could_see(through_door));
}
