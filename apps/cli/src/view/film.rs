//! The film: everything a spectator sees of a match, one packed frame after the other.
//!
//! In: snapshots, as recordings have them. Out: bytes that the page plays by itself, so that pausing, scrubbing and speed cost
//! the match nothing. About 30 bytes a player and frame; items only when something about them changed, movers only off their
//! place. The layout, little-endian:
//!
//! ```text
//! frame   u32 number, i32 time_ms, u8 phase, u8 players, missiles, clouds, movers, items, events, u8 0
//! player  u16 id, u8 team, u8 bits, f32 x y z, i16 pitch*100, i16 yaw*90, u8 weapon, health, armour, target, i16 vx vy vz
//! missile u16 id, u8 kind, u8 owner, f32 x y z             cloud  f32 x y z, f32 radius, u8 bits, u8[3] 0
//! mover   u16 model, u8 bits, u8 0, f32 x y z, f32[3]      item   u16 id, u8 kind, u8 is there, f32 x y z
//! event   u8 kind, u8 who, u8 with, u8 points, f32 x y z, f32 x y z
//! ```
//!
//! Not here: what players think (`minds`), what is worth a mark on the time line (`marks`). Cost: some microseconds a frame.

use fireteam::Field;
use fireteam::snapshot::{Figure, Item, Own, Phase, Power, Said, Snapshot, Sound, SoundKind, Voice};
use fireteam_world::movement::Stance;
use fireteam_world::trace::Sweep;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Vec3, maths};

/// Every so many frames the whole list of items is told again, for who joins the film here.
const ITEMS_EVERY: u32 = 20;
/// Nobody, or not known.
const NONE: u8 = u8::MAX;
/// No bullet is drawn farther.
const TRACER: f32 = 8192.0;
/// Of a request for frames, at most so many are given.
pub(crate) const FRAMES_MAX: usize = 2000;

const SHOT: u8 = 1;
const EXPLOSION: u8 = 2;
const HURT: u8 = 3;
const DEATH: u8 = 4;
const BOUNCE: u8 = 5;
const VOICE: u8 = 6;
const PICK_UP: u8 = 7;

/// All frames so far.
#[derive(Debug, Default)]
pub(crate) struct Film {
    /// Frames one after the other, each after its length.
    bytes: Vec<u8>,
    starts: Vec<usize>,
    times: Vec<i32>,
    items: Vec<Item>,
}

impl Film {
    pub(crate) fn len(&self) -> u32 {
        self.starts.len() as u32
    }

    /// When a frame is, in milliseconds of the match.
    pub(crate) fn time(&self, frame: u32) -> Option<i32> {
        self.times.get(frame as usize).copied()
    }

    /// The number of the first frame, how many there are, and they.
    pub(crate) fn chunk(&self, from: u32, count: usize) -> Vec<u8> {
        let first = (from as usize).min(self.starts.len());
        let last = first.saturating_add(count.min(FRAMES_MAX)).min(self.starts.len());
        let begin = self.starts.get(first).copied().unwrap_or(self.bytes.len());
        let end = self.starts.get(last).copied().unwrap_or(self.bytes.len());
        let mut out = Vec::with_capacity(8 + end - begin);
        out.extend_from_slice(&(first as u32).to_le_bytes());
        out.extend_from_slice(&((last - first) as u32).to_le_bytes());
        out.extend_from_slice(&self.bytes[begin..end]);
        out
    }

    /// One more frame. `target` says whom a bot aims at, where that is known.
    pub(crate) fn push(&mut self, shown: &Snapshot, field: &Field, target: impl Fn(EntityId) -> Option<EntityId>) {
        let number = self.len();
        let tells_items = number.is_multiple_of(ITEMS_EVERY) || self.items != shown.items;
        if tells_items {
            self.items.clone_from(&shown.items);
        }
        let start = self.bytes.len();
        self.starts.push(start);
        self.times.push(shown.time.0);
        let mut out = Packer(&mut self.bytes);
        out.put(&[0; 4]);
        out.put(&number.to_le_bytes());
        out.put(&shown.time.0.to_le_bytes());
        let phase = match shown.phase {
            Phase::Playing => 0,
            Phase::Frozen => 1,
            Phase::Over => 2,
        };
        let counts = out.0.len() + 1;
        out.put(&[phase, 0, 0, 0, 0, 0, 0, 0]);
        let cast = Cast { shown };
        let told = [
            out.each(&shown.players, |out, figure| out.player(figure, &cast, target(figure.entity))),
            out.each(&shown.missiles, |out, missile| {
                out.short(missile.entity.0);
                out.put(&[missile.kind.0, cast.index(missile.owner)]);
                out.place(missile.origin);
            }),
            out.each(&shown.clouds, |out, cloud| {
                out.place(cloud.origin);
                out.put(&cloud.radius.to_le_bytes());
                out.put(&[u8::from(cloud.blocks_sight) | u8::from(cloud.harms) << 1, 0, 0, 0]);
            }),
            out.movers(shown),
            out.each(if tells_items { &shown.items } else { &[] }, |out, item| {
                out.short(item.entity.0);
                out.put(&[item.kind.0, u8::from(item.is_there)]);
                out.place(item.origin);
            }),
            out.events(&cast, field),
        ];
        self.bytes[counts..counts + told.len()].copy_from_slice(&told);
        let length = (self.bytes.len() - start - 4) as u32;
        self.bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }
}

/// Who is who in one frame.
struct Cast<'a> {
    shown: &'a Snapshot,
}

impl Cast<'_> {
    fn index(&self, entity: Option<EntityId>) -> u8 {
        let place = entity.and_then(|entity| self.shown.players.iter().position(|figure| figure.entity == entity));
        place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NONE)
    }

    fn figure(&self, entity: EntityId) -> Option<&Figure> {
        self.shown.players.iter().find(|figure| figure.entity == entity)
    }

    fn own(&self, entity: EntityId) -> Option<&Own> {
        self.shown.own.iter().find(|own| own.entity == entity)
    }
}

/// Puts things behind each other.
struct Packer<'a>(&'a mut Vec<u8>);

impl Packer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn short(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }

    fn place(&mut self, place: Vec3) {
        place.to_array().iter().for_each(|along| self.put(&along.to_le_bytes()));
    }

    /// As many as a byte can count.
    fn each<T>(&mut self, all: &[T], mut one: impl FnMut(&mut Self, &T)) -> u8 {
        let count = all.len().min(usize::from(u8::MAX));
        all[..count].iter().for_each(|each| one(self, each));
        count as u8
    }

    fn player(&mut self, figure: &Figure, cast: &Cast, target: Option<EntityId>) {
        let own = cast.own(figure.entity);
        let bits = [
            figure.is_dead,
            figure.stance == Stance::Crouched,
            figure.stance == Stance::Prone,
            figure.is_firing,
            Power::Bearer.is_in(figure.powers),
            Power::Blinded.is_in(figure.powers),
            own.is_some_and(|own| own.is_reloading),
        ];
        let bits = bits.iter().rev().fold(0, |bits, bit| bits << 1 | u8::from(*bit));
        self.short(figure.entity.0);
        self.put(&[figure.team.0, bits]);
        self.place(figure.origin);
        self.put(&((figure.pitch * 100.0) as i16).to_le_bytes());
        self.put(&((around(figure.yaw) * 90.0) as i16).to_le_bytes());
        let most = |points: i32| points.clamp(0, i32::from(NONE) - 1) as u8;
        let health = own.map_or(NONE, |own| most(own.health));
        let armour = own.map_or(0, |own| most(own.armour));
        self.put(&[figure.weapon.0, health, armour, cast.index(target)]);
        figure.velocity.to_array().iter().for_each(|along| self.put(&(*along as i16).to_le_bytes()));
    }

    /// Those that are not where the map has them.
    fn movers(&mut self, shown: &Snapshot) -> u8 {
        let mut count = 0;
        for mover in &shown.movers {
            let (offset, angles) = (mover.position.at(shown.time), mover.angles.at(shown.time));
            let is_at_rest = offset == Vec3::ZERO && angles == Vec3::ZERO && !mover.is_gone;
            if is_at_rest || count == u8::MAX {
                continue;
            }
            count += 1;
            self.short(mover.model.0);
            self.put(&[u8::from(mover.is_gone), 0]);
            self.place(offset);
            self.place(angles);
        }
        count
    }

    fn event(&mut self, count: &mut u8, [kind, who, with, points]: [u8; 4], from: Vec3, to: Vec3) {
        if *count < u8::MAX {
            *count += 1;
            self.put(&[kind, who, with, points]);
            self.place(from);
            self.place(to);
        }
    }

    fn events(&mut self, cast: &Cast, field: &Field) -> u8 {
        let mut count = 0;
        for sound in &cast.shown.sounds {
            let who = cast.index(sound.source);
            let (kind, with, end) = match sound.kind {
                SoundKind::Shot(weapon) => (SHOT, weapon.0, tracer(sound, cast, field)),
                SoundKind::Explosion => (EXPLOSION, NONE, sound.origin),
                SoundKind::Bounce => (BOUNCE, NONE, sound.origin),
                SoundKind::Pickup => (PICK_UP, NONE, sound.origin),
                SoundKind::Step
                | SoundKind::Jump
                | SoundKind::Pain
                | SoundKind::Death
                | SoundKind::Mover
                | SoundKind::Teleport
                | SoundKind::ItemBack => continue,
            };
            self.event(&mut count, [kind, who, with, 0], muzzle(sound, cast), end);
        }
        for own in &cast.shown.own {
            if let Some(hurt) = own.hurt {
                let points = hurt.points.clamp(0, 255) as u8;
                let place = own.body.origin;
                self.event(&mut count, [HURT, cast.index(Some(own.entity)), NONE, points], place, place);
            }
        }
        for message in &cast.shown.messages {
            match message.said {
                Said::Obituary { victim, weapon, .. } => {
                    let place = cast.figure(victim).map_or(Vec3::ZERO, |figure| figure.origin);
                    let with = weapon.map_or(NONE, |weapon| weapon.0);
                    self.event(&mut count, [DEATH, cast.index(Some(victim)), with, 0], place, place);
                }
                Said::Voice(voice) => {
                    let speaker = message.from.and_then(|from| cast.figure(from));
                    let place = speaker.map_or(Vec3::ZERO, |figure| figure.origin);
                    self.event(&mut count, [VOICE, cast.index(message.from), voice_number(voice), 0], place, place);
                }
                Said::RoundStarts | Said::RoundEnds { .. } | Said::Taken { .. } => {}
            }
        }
        count
    }
}

fn voice_number(voice: Voice) -> u8 {
    match voice {
        Voice::EnemySpotted => 0,
        Voice::Moving => 1,
        Voice::FragOut => 2,
        Voice::Grenade => 3,
        Voice::NeedHelp => 4,
        Voice::Clear => 5,
    }
}

/// A little below the eyes of whoever fired, so that first-person views do not look along it.
fn muzzle(sound: &Sound, cast: &Cast) -> Vec3 {
    match sound.source.and_then(|source| cast.own(source)) {
        Some(own) => own.body.eye() - Vec3::Z * 6.0,
        None => sound.origin,
    }
}

/// Where a shot ends that flies where the shooter looks. Its spread is known to the game alone: this is what an eye would guess.
fn tracer(sound: &Sound, cast: &Cast, field: &Field) -> Vec3 {
    let Some(shooter) = sound.source.and_then(|source| cast.figure(source)) else { return sound.origin };
    let eye = cast.own(shooter.entity).map_or(shooter.origin, |own| own.body.eye());
    let along = maths::game_axes(shooter.pitch, shooter.yaw, 0.0).forward;
    let end = field.solids.sweep(&Sweep::ray(eye, eye + along * TRACER, Contents::MASK_SHOT)).end;
    let rules = &field.game.rules.movement;
    let others = cast.shown.players.iter().filter(|other| other.entity != shooter.entity && !other.is_dead);
    let reach = (end - eye).length();
    let struck = others.filter_map(|other| {
        let hull = rules.hull(other.stance);
        enters(eye - other.origin, along, hull.mins, hull.maxs).filter(|at| *at < reach)
    });
    struck.min_by(f32::total_cmp).map_or(end, |at| eye + along * at)
}

/// How far along a ray a box begins; none if it is missed.
fn enters(from: Vec3, along: Vec3, mins: Vec3, maxs: Vec3) -> Option<f32> {
    let (to_mins, to_maxs) = ((mins - from) / along, (maxs - from) / along);
    let (near, far) = (to_mins.min(to_maxs).max_element(), to_mins.max(to_maxs).min_element());
    (near <= far && far >= 0.0).then_some(near.max(0.0))
}

/// The same angle between -180 and 180.
fn around(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}
