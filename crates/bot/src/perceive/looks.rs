//! Rays of one frame, and what all eyes share: where everyone's head is, and whether two heads see each other.
//!
//! Light goes through the world as it is, so movers stand here where they are and not where somebody believes them to be:
//! a bot that believes a shut door open must not look through it. That is also what lets bots share a ray: if A sees
//! B's eyes, then B sees A's. The ray of a pair goes from the lower to the higher entity, whoever asks first.
//!
//! Players stand here by side, so that nobody has to pick his mates, or his enemies, out of everyone in every frame.

use std::ops::Range;

use fireteam_world::crowd::Crowd;
use fireteam_world::map::Visibility;
use fireteam_world::trace::{Placed, Scene, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Blocker, Contents, Vec3, maths};

use super::hearing;
use crate::convar::ConVars;
use crate::field::Field;
use crate::snapshot::{Cloud, Figure, Mover, Own, Snapshot, Team};

/// So many sounds and clouds have room without asking for memory: a frame with more is loud, or a fog.
const SOUNDS_ROOM: usize = 256;
const CLOUDS_ROOM: usize = 32;

/// What the eyes of all bots share in a frame.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    placed: Vec<Placed>,
    crowd: Crowd,
    /// In the order of the snapshot's movers.
    mover_middles: Vec<Vec3>,
    smoke: Vec<Cloud>,
    /// The snapshot's players, side by side, and of each side in the order of their numbers.
    figures: Vec<Figure>,
    /// In the order of `figures`.
    heads: Vec<Head>,
    /// Of the heads, what is asked of every one for every bot in every frame.
    eights: Vec<Eight>,
    /// By entity: the row of a player; [`NOBODY`] where there is none.
    slots: Vec<u16>,
    /// The rows of each side, in the order of sides.
    sides: Vec<(Team, Range<usize>)>,
    /// Somebody joined, left or changed sides since the frame before.
    have_sides_changed: bool,
    /// In the order of the snapshot's sounds.
    sounds: Vec<Heard>,
    /// A row a player, a column a player: whether their eyes meet, once somebody wanted to know.
    pairs: Vec<Pair>,
    /// In the order of `pairs`: what stood between two players when one last looked for the other. Most are hidden by the same
    /// wall from frame to frame; who changes rows meets another pair's wall, and looks past it.
    blockers: Vec<Blocker>,
    smoke_depth: f32,
    /// Cosine of half the cone of view.
    pub(super) cone: f32,
    rays: u32,
}

/// Players whose turn is asked for at a time.
pub(super) const MASK_BITS: usize = u64::BITS as usize;

/// Eight players side by side.
#[derive(Clone, Copy, Debug)]
struct Eight {
    entity: [u32; 8],
    eye: [[f32; 8]; 3],
    /// Of the living; the dead are infinitely far away.
    origin: [[f32; 8]; 3],
}

impl Eight {
    /// Nobody, infinitely far away.
    const EMPTY: Eight = Eight { entity: [0; 8], eye: [[f32::INFINITY; 8]; 3], origin: [[f32::INFINITY; 8]; 3] };

    /// Who lives and is nearer to a place than this.
    fn near(&self, place: Vec3, reach_squared: f32) -> u8 {
        let [x, y, z] = &self.origin;
        bits(std::array::from_fn(|lane| {
            let way = [x[lane] - place.x, y[lane] - place.y, z[lane] - place.z];
            way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < reach_squared
        }))
    }

    /// Whose turn it is: in turn with all others, or because he is near.
    fn due(&self, round: &Round) -> u8 {
        let [x, y, z] = &self.eye;
        bits(std::array::from_fn(|lane| {
            let way = [x[lane] - round.eye.x, y[lane] - round.eye.y, z[lane] - round.eye.z];
            let is_near = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < round.near_squared;
            let phase = self.entity[lane].wrapping_add(round.frame);
            (phase & round.turns == 0) | is_near & (phase & round.turns_close == 0)
        }))
    }
}

/// A bit a lane, the first the lowest: one product brings the eight bytes side by side, where a loop over bits would keep
/// the compiler from taking eight lanes at a time.
fn bits(lanes: [bool; 8]) -> u8 {
    const SIDE_BY_SIDE: u64 = 0x0102_0408_1020_4080;
    (u64::from_le_bytes(lanes.map(u8::from)).wrapping_mul(SIDE_BY_SIDE) >> 56) as u8
}

/// Whose turn it is to be looked at by one bot: everyone's once in some frames, and more often that of who is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) eye: Vec3,
    pub(super) near_squared: f32,
    pub(super) frame: u32,
    /// Bits that are 0 in the sum of an entity's number and the frame's when it is his turn.
    pub(super) turns: u32,
    pub(super) turns_close: u32,
}

/// No row.
const NOBODY: u16 = u16::MAX;

/// A player as far as eyes are concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) entity: EntityId,
    team: Team,
    pub(super) is_dead: bool,
    pub(super) eye: Vec3,
    /// Of head and body.
    clusters: [Cluster; 2],
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Of where it was made.
    cluster: Cluster,
    /// How far it is heard in the open.
    range: f32,
    /// The side to whom it tells nothing: they are shown who is there.
    no_news_to: Option<Team>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Unknown,
    Hidden,
    Meets,
}

/// A member of the bot's own side: everyone is shown where they are.
pub type Mate = Figure;

/// A bot's own side without the bot itself, as it is in this frame.
#[derive(Clone, Copy, Debug)]
pub struct Mates<'a> {
    side: &'a [Mate],
    /// Everyone.
    eights: &'a [Eight],
    /// By entity: the row of a player among all, of which the side's first is `first`.
    slots: &'a [u16],
    first: usize,
    own: EntityId,
    have_changed: bool,
}

impl<'a> Mates<'a> {
    pub fn iter(self) -> impl Iterator<Item = &'a Mate> {
        self.side.iter().filter(move |mate| mate.entity != self.own)
    }

    /// Those who live.
    pub fn living(self) -> impl Iterator<Item = &'a Mate> {
        self.iter().filter(|mate| !mate.is_dead)
    }

    /// Those who live and are nearer to a place than the root of this. Asked many times a frame: it takes eight at a time.
    pub fn living_near(self, place: Vec3, reach_squared: f32) -> impl Iterator<Item = &'a Mate> {
        let rows = self.first..self.first + self.side.len();
        let eights = (rows.start / 8..rows.end.div_ceil(8)).filter(move |_| !rows.is_empty());
        let near = eights.flat_map(move |number| {
            let mut lanes = self.eights[number].near(place, reach_squared);
            std::iter::from_fn(move || {
                let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
                lanes &= lanes - 1;
                Some(8 * number + lane)
            })
        });
        let mates = near.filter_map(move |slot| self.side.get(slot.checked_sub(self.first)?));
        mates.filter(move |mate| mate.entity != self.own)
    }

    /// Somebody may have joined since the frame before.
    pub(crate) fn have_changed(self) -> bool {
        self.have_changed
    }

    pub fn find(self, entity: EntityId) -> Option<&'a Mate> {
        let slot = usize::from(*self.slots.get(entity.index())?);
        self.side.get(slot.checked_sub(self.first)?).filter(|mate| mate.entity != self.own)
    }
}

impl Looks {
    /// Prepares a frame: once, before any bot perceives.
    pub fn begin(&mut self, snapshot: &Snapshot, field: &Field, convars: &ConVars) {
        self.placed.clear();
        self.placed
            .extend(snapshot.movers.iter().filter(|mover| !mover.is_gone).map(|mover| stand(mover, snapshot.time)));
        self.crowd.set(&field.opaque, &self.placed, &[]);
        self.mover_middles.clear();
        self.mover_middles.extend(snapshot.movers.iter().map(|mover| {
            let bounds = field.opaque.placed_bounds(&stand(mover, snapshot.time));
            (bounds.mins + bounds.maxs) * 0.5
        }));
        self.smoke.clear();
        self.smoke.reserve(CLOUDS_ROOM);
        self.smoke.extend(snapshot.clouds.iter().filter(|cloud| cloud.blocks_sight));
        self.figures.clone_from(&snapshot.players);
        self.figures.sort_unstable_by_key(|figure| (figure.team, figure.entity));
        let before = self.heads.iter().map(|head| (head.team, head.entity));
        self.have_sides_changed = !before.eq(self.figures.iter().map(|figure| (figure.team, figure.entity)));
        self.heads.clear();
        self.heads.extend(self.figures.iter().map(|figure| head(figure, field)));
        self.line_up();
        self.sounds.clear();
        self.sounds.reserve(SOUNDS_ROOM);
        self.sounds.extend(snapshot.sounds.iter().map(|sound| {
            let tells_who = hearing::tells_only_who_is_there(sound.kind);
            let maker = sound.source.filter(|_| tells_who).and_then(|entity| slot(&self.slots, entity));
            Heard {
                cluster: Cluster::of(sound.origin),
                range: hearing::range(sound.kind, field),
                no_news_to: maker.map(|slot| self.heads[slot].team),
            }
        }));
        self.pairs.clear();
        self.pairs.resize(self.heads.len() * self.heads.len(), Pair::Unknown);
        self.blockers.resize(self.pairs.len(), Blocker::default());
        self.smoke_depth = convars.sight_smoke_depth;
        self.cone = maths::cos(convars.sight_half_angle.to_radians());
        self.rays = 0;
    }

    /// Heads in eights, and where everyone is among them.
    fn line_up(&mut self) {
        self.eights.clear();
        self.eights.resize(self.heads.len().div_ceil(8), Eight::EMPTY);
        for (slot, head) in self.heads.iter().enumerate() {
            let (eight, lane) = (&mut self.eights[slot / 8], slot % 8);
            eight.entity[lane] = u32::from(head.entity.0);
            let origin = if head.is_dead { Vec3::INFINITY } else { self.figures[slot].origin };
            for axis in 0..3 {
                eight.eye[axis][lane] = head.eye[axis];
                eight.origin[axis][lane] = origin[axis];
            }
        }
        if self.have_sides_changed {
            let end = self.heads.iter().map(|head| head.entity.index() + 1).max().unwrap_or(0);
            self.slots.clear();
            self.slots.resize(end, NOBODY);
            self.heads.iter().enumerate().for_each(|(slot, head)| self.slots[head.entity.index()] = slot as u16);
            self.sides.clear();
            for (slot, head) in self.heads.iter().enumerate() {
                match self.sides.last_mut().filter(|(team, _)| *team == head.team) {
                    Some((_, rows)) => rows.end = slot + 1,
                    None => self.sides.push((head.team, slot..slot + 1)),
                }
            }
        }
    }

    /// Of the [`MASK_BITS`] players from a row on, a bit for each whose turn it is, but for those of `side`.
    pub(super) fn due(&self, first: usize, side: u64, round: &Round) -> u64 {
        let heads = (self.heads.len() - first).min(MASK_BITS);
        let wanted = !side & (u64::MAX >> (MASK_BITS - heads));
        let eights = &self.eights[first / 8..][..heads.div_ceil(8)];
        let asked = eights.iter().zip((0..).step_by(8)).filter(|(_, shift)| wanted >> shift & 0xff != 0);
        asked.fold(0, |due, (eight, shift)| due | u64::from(eight.due(round)) << shift) & wanted
    }

    /// The row of a player, if he takes part.
    pub(super) fn slot(&self, entity: EntityId) -> Option<usize> {
        slot(&self.slots, entity)
    }

    /// Numbers of players are below this.
    pub(super) fn entities_end(&self) -> usize {
        self.slots.len()
    }

    /// Somebody joined, left or changed sides since the frame before.
    pub(super) fn have_sides_changed(&self) -> bool {
        self.have_sides_changed
    }

    /// Rays looked along since the frame began.
    pub fn rays(&self) -> u32 {
        self.rays
    }

    /// Whether light comes from one place to the other. `pass` is what is looked at itself, if it is a mover.
    pub(super) fn is_clear(&mut self, field: &Field, from: Vec3, to: Vec3, pass: Option<EntityId>) -> bool {
        self.rays += 1;
        let scene = Scene { solids: &field.opaque, crowd: &self.crowd };
        scene.is_clear(&Sweep::ray(from, to, Contents::MASK_OPAQUE), pass) && !self.is_smoky(from, to)
    }

    /// The same for a ray from one player to another, which is looked along again and again.
    pub(super) fn is_clear_between(&mut self, field: &Field, players: [usize; 2], from: Vec3, to: Vec3) -> bool {
        self.rays += 1;
        let scene = Scene { solids: &field.opaque, crowd: &self.crowd };
        let ray = Sweep::ray(from, to, Contents::MASK_OPAQUE);
        let pair = self.pair(players);
        scene.is_still_clear(&ray, None, &mut self.blockers[pair]) && !self.is_smoky(from, to)
    }

    /// The place of two players in the tables of pairs, whoever of them looks.
    fn pair(&self, [a, b]: [usize; 2]) -> usize {
        a.min(b) * self.heads.len() + a.max(b)
    }

    /// Where the middle of one of the snapshot's movers is.
    pub(super) fn mover_middle(&self, index: usize) -> Vec3 {
        self.mover_middles[index]
    }

    /// Everyone who takes part, side by side.
    pub(super) fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// Their heads, in the same order.
    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Whom everyone of a bot's side is shown.
    pub fn mates(&self, own: &Own) -> Mates<'_> {
        self.mates_of(own.entity, own.team)
    }

    fn mates_of(&self, own: EntityId, team: Team) -> Mates<'_> {
        let rows = self.side(team);
        Mates {
            first: rows.start,
            side: &self.figures[rows],
            eights: &self.eights,
            slots: &self.slots,
            own,
            have_changed: self.have_sides_changed,
        }
    }

    /// The rows of a side in this frame's tables: two sides nearly always, and asked for by every bot.
    pub(super) fn side(&self, team: Team) -> Range<usize> {
        let at = self.sides.partition_point(|(known, _)| *known < team);
        self.sides.get(at).filter(|(known, _)| *known == team).map_or(0..0, |(_, rows)| rows.clone())
    }

    /// Whether the map's compiler left it open that one player sees the other at all.
    pub(super) fn may_see(&mut self, field: &Field, from: usize, to: usize) -> bool {
        let Some(table) = &field.map.visibility else { return true };
        let eye = self.heads[from].clusters[0].number(field);
        self.heads[to].clusters.iter_mut().any(|cluster| is_open(table, eye, cluster.number(field)))
    }

    /// Whether the way from a player to one of the frame's sounds leads through the open, as far as the compiler knew.
    pub(super) fn may_hear(&mut self, field: &Field, from: usize, sound: usize) -> bool {
        let Some(table) = &field.map.visibility else { return true };
        let eye = self.heads[from].clusters[0].number(field);
        is_open(table, eye, self.sounds[sound].cluster.number(field))
    }

    /// How far one of the frame's sounds is heard in the open.
    pub(super) fn range(&self, sound: usize) -> f32 {
        self.sounds[sound].range
    }

    /// Whether a sound tells this side nothing.
    pub(super) fn is_no_news(&self, sound: usize, team: Team) -> bool {
        self.sounds[sound].no_news_to == Some(team)
    }

    /// Whether two players' eyes meet.
    pub(super) fn eyes_meet(&mut self, field: &Field, a: usize, b: usize) -> bool {
        let (low, high) = if self.heads[a].entity <= self.heads[b].entity { (a, b) } else { (b, a) };
        let pair = self.pair([low, high]);
        if self.pairs[pair] == Pair::Unknown {
            let meets = self.is_clear_between(field, [low, high], self.heads[low].eye, self.heads[high].eye);
            self.pairs[pair] = if meets { Pair::Meets } else { Pair::Hidden };
        }
        self.pairs[pair] == Pair::Meets
    }

    /// Whether more smoke lies on the way than one can look through.
    fn is_smoky(&self, from: Vec3, to: Vec3) -> bool {
        let depth: f32 = self.smoke.iter().map(|cloud| chord(from, to, cloud)).sum();
        depth > self.smoke_depth
    }
}

fn slot(slots: &[u16], entity: EntityId) -> Option<usize> {
    slots.get(entity.index()).filter(|slot| **slot != NOBODY).map(|slot| usize::from(*slot))
}

/// How much of a way lies inside a cloud.
fn chord(from: Vec3, to: Vec3, cloud: &Cloud) -> f32 {
    let way = to - from;
    let length = way.length();
    if length < 1e-3 {
        return 0.0;
    }
    let direction = way / length;
    let middle = (cloud.origin - from).dot(direction);
    let aside = (cloud.origin - from).length_squared() - middle * middle;
    let half_squared = cloud.radius * cloud.radius - aside;
    if half_squared <= 0.0 {
        return 0.0;
    }
    let half = half_squared.sqrt();
    ((middle + half).min(length) - (middle - half).max(0.0)).max(0.0)
}

/// Where a mover stands now.
pub(super) fn stand(mover: &Mover, now: Time) -> Placed {
    Placed {
        model: mover.model,
        entity: mover.entity,
        origin: mover.position.at(now),
        angles: mover.angles.at(now),
        contents: Contents::ALL,
    }
}

/// By what everyone can see of a player, ours or not: nobody is told where another's eyes are to the last bit.
fn head(figure: &Figure, field: &Field) -> Head {
    let rules = &field.game.rules.movement;
    let height = if figure.is_dead { rules.body.dead_eye } else { rules.eye_height(figure.stance) };
    let eye = figure.origin + Vec3::Z * height as f32;
    let clusters = [eye, figure.origin].map(Cluster::of);
    Head { entity: figure.entity, team: figure.team, is_dead: figure.is_dead, eye, clusters }
}

/// Which of the map compiler's clusters a place is in. Looked up when it is first wanted: the tree is deep, and of most heads
/// and sounds in a large match nobody wants to know.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    place: Vec3,
    number: Option<i32>,
}

impl Cluster {
    fn of(place: Vec3) -> Cluster {
        Cluster { place, number: None }
    }

    fn number(&mut self, field: &Field) -> i32 {
        *self.number.get_or_insert_with(|| field.map.cluster_at(self.place))
    }
}

/// What lies in no cluster may be seen from anywhere: an eye may be in a leaf that the compiler took for solid.
fn is_open(table: &Visibility, eye: i32, cluster: i32) -> bool {
    eye < 0 || cluster < 0 || table.sees(eye, cluster)
}

#[cfg(test)]
mod tests {
    use fireteam_world::movement::Stance;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::snapshot::WeaponId;

    fn looks(bodies: &[(u8, [f32; 3], bool)]) -> Looks {
        let figure = |(number, (team, origin, is_dead)): (usize, &(u8, [f32; 3], bool))| Figure {
            entity: EntityId(number as u16),
            team: Team(*team),
            origin: (*origin).into(),
            velocity: Vec3::ZERO,
            pitch: 0.0,
            yaw: 0.0,
            stance: Stance::Standing,
            weapon: WeaponId(0),
            is_firing: false,
            is_dead: *is_dead,
            powers: 0,
        };
        let mut figures: Vec<Figure> = bodies.iter().enumerate().map(figure).collect();
        figures.sort_by_key(|figure| (figure.team, figure.entity));
        let head = |figure: &Figure| Head {
            entity: figure.entity,
            team: figure.team,
            is_dead: figure.is_dead,
            eye: figure.origin,
            clusters: [Cluster::of(Vec3::ZERO); 2],
        };
        let heads = figures.iter().map(head).collect();
        let mut looks = Looks { figures, heads, have_sides_changed: true, ..Looks::default() };
        looks.line_up();
        looks
    }

    proptest! {
        #[test]
        fn mates_near_a_place_are_those_whom_a_walk_over_all_finds(
            bodies in vec((0_u8..3, [-99.0_f32..99.0, -99.0..99.0, -9.0..9.0], any::<bool>()), 0..40),
            place in [-99.0_f32..99.0, -99.0..99.0, -9.0..9.0],
            reach in 0.0_f32..150.0,
        ) {
            let (looks, place) = (looks(&bodies), Vec3::from(place));
            for (own, (team, ..)) in bodies.iter().enumerate() {
                let mates = looks.mates_of(EntityId(own as u16), Team(*team));
                let near: Vec<_> = mates.living_near(place, reach * reach).map(|mate| mate.entity).collect();
                let is_near = |mate: &&Mate| mate.origin.distance_squared(place) < reach * reach;
                let walked: Vec<_> = mates.living().filter(is_near).map(|mate| mate.entity).collect();
                prop_assert_eq!(near, walked);
            }
        }
    }

    #[test]
    fn smoke_counts_by_how_much_of_it_is_on_the_way() {
        let cloud = Cloud { origin: Vec3::ZERO, radius: 100.0, blocks_sight: true, harms: false };
        let depth = |from: [f32; 3], to: [f32; 3]| chord(from.into(), to.into(), &cloud);
        assert!((depth([-500.0, 0.0, 0.0], [500.0, 0.0, 0.0]) - 200.0).abs() < 0.01);
        assert!((depth([-500.0, 60.0, 0.0], [500.0, 60.0, 0.0]) - 160.0).abs() < 0.01);
        assert_eq!(depth([-500.0, 101.0, 0.0], [500.0, 101.0, 0.0]), 0.0);
        assert!((depth([0.0, 0.0, 0.0], [500.0, 0.0, 0.0]) - 100.0).abs() < 0.01, "from inside");
        assert!((depth([-20.0, 0.0, 0.0], [20.0, 0.0, 0.0]) - 40.0).abs() < 0.01, "both inside");
        assert_eq!(depth([150.0, 0.0, 0.0], [500.0, 0.0, 0.0]), 0.0, "behind the back");
    }
}
