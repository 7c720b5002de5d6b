//! Plain data as bytes: little-endian, every type of one fixed size, so that what did not change from frame to frame
//! stands where it stood.
//!
//! A table is its count and its rows; a count is believed only when the bytes for it are there. Each struct is listed
//! field by field and taken apart by name: a field that is added to the port and not here does not compile.

use fireteam_world::movement::{self, Buttons, Ground, Hold, Immersion, Player, Stance};
use fireteam_world::mover::{Motion, MotionKind};
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Contents, Vec3};

use crate::command::Command;
use crate::snapshot::{
    Arm, Audience, Cloud, Figure, Hurt, Item, ItemKindId, Message, Missile, Mover, Objective, ObjectiveKind, Own,
    Phase, Said, Sound, SoundKind, Standing, Team, ThrowableId, Voice, WEAPONS_MAX, WeaponId,
};

/// Why bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the bytes end too soon")]
    Short,
    #[error("{0} is no {1}")]
    Tag(u8, &'static str),
    #[error("text that is no text")]
    Text,
    #[error("{0} bytes are left over")]
    Left(usize),
    #[error("a number that no recorder writes")]
    Absurd,
}

/// Bytes not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(Fault::Short)?;
        self.0 = left;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (taken, left) = self.0.split_first_chunk().ok_or(Fault::Short)?;
        self.0 = left;
        Ok(*taken)
    }

    /// Seven bits a byte, the lowest first.
    pub(super) fn short(&mut self) -> Result<usize, Fault> {
        let mut value = 0;
        for shift in (0..28).step_by(7) {
            let [byte] = self.array()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::Absurd)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Fault> {
        let length = self.short()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Fault::Text)
    }

    pub(super) fn end(self) -> Result<(), Fault> {
        if self.0.is_empty() { Ok(()) } else { Err(Fault::Left(self.0.len())) }
    }
}

/// Lengths of less than 2²⁸, seven bits a byte.
pub(super) fn put_short(value: usize, out: &mut Vec<u8>) {
    let mut left = value;
    while left > 0x7f {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

pub(super) fn put_text(text: &str, out: &mut Vec<u8>) {
    put_short(text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

/// Something that takes `SIZE` bytes, whatever its value.
pub(super) trait Wire: Sized {
    const SIZE: usize;
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Result<Self, Fault>;
    /// Any value at all, for tests.
    #[cfg(test)]
    fn any(chance: &mut fireteam_world::pcg::Pcg) -> Self;
}

/// A table: how many rows, then the rows.
pub(super) fn put_rows<T: Wire>(rows: &[T], out: &mut Vec<u8>) {
    put_short(rows.len(), out);
    rows.iter().for_each(|row| row.put(out));
}

pub(super) fn take_rows<T: Wire>(from: &mut Reader<'_>, rows: &mut Vec<T>) -> Result<(), Fault> {
    let count = from.short()?;
    rows.clear();
    if count * T::SIZE > from.0.len() {
        return Err(Fault::Short);
    }
    rows.reserve(count);
    for _ in 0..count {
        rows.push(T::take(from)?);
    }
    Ok(())
}

macro_rules! numbers {
    ($($kind:ty)*) => { $(
        impl Wire for $kind {
            const SIZE: usize = size_of::<$kind>();
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(from: &mut Reader<'_>) -> Result<$kind, Fault> {
                Ok(<$kind>::from_le_bytes(from.array()?))
            }
            #[cfg(test)]
            fn any(chance: &mut fireteam_world::pcg::Pcg) -> $kind {
                chance.draw() as $kind
            }
        }
    )* };
}

numbers! { u8 i8 u16 i16 u32 i32 f32 }

impl Wire for bool {
    const SIZE: usize = 1;
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(from: &mut Reader<'_>) -> Result<bool, Fault> {
        match from.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(Fault::Tag(other, "yes or no")),
        }
    }
    #[cfg(test)]
    fn any(chance: &mut fireteam_world::pcg::Pcg) -> bool {
        chance.chance(0.5)
    }
}

impl Wire for Vec3 {
    const SIZE: usize = 12;
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Vec3, Fault> {
        Ok(Vec3::from_array(Wire::take(from)?))
    }
    #[cfg(test)]
    fn any(chance: &mut fireteam_world::pcg::Pcg) -> Vec3 {
        Vec3::from_array(Wire::any(chance))
    }
}

impl<T: Wire + Copy, const N: usize> Wire for [T; N] {
    const SIZE: usize = T::SIZE * N;
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }
    fn take(from: &mut Reader<'_>) -> Result<[T; N], Fault> {
        let mut items = [T::take(from)?; N];
        for item in items.iter_mut().skip(1) {
            *item = T::take(from)?;
        }
        Ok(items)
    }
    #[cfg(test)]
    fn any(chance: &mut fireteam_world::pcg::Pcg) -> [T; N] {
        std::array::from_fn(|_| T::any(chance))
    }
}

impl<T: Wire> Wire for Option<T> {
    const SIZE: usize = 1 + T::SIZE;
    fn put(&self, out: &mut Vec<u8>) {
        padded(out, Self::SIZE, |out| match self {
            None => out.push(0),
            Some(value) => {
                out.push(1);
                value.put(out);
            }
        });
    }
    fn take(from: &mut Reader<'_>) -> Result<Option<T>, Fault> {
        let mut own = Reader(from.bytes(Self::SIZE)?);
        Ok(if bool::take(&mut own)? { Some(T::take(&mut own)?) } else { None })
    }
    #[cfg(test)]
    fn any(chance: &mut fireteam_world::pcg::Pcg) -> Option<T> {
        chance.chance(0.5).then(|| T::any(chance))
    }
}

/// Writes something that may be shorter, and fills up with zeros.
fn padded(out: &mut Vec<u8>, size: usize, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    debug_assert!(out.len() - start <= size, "what was written does not fit");
    out.resize(start + size, 0);
}

macro_rules! structs {
    ($( $name:ty { $($field:ident: $kind:ty),* } )*) => { $(
        impl Wire for $name {
            const SIZE: usize = 0 $( + <$kind as Wire>::SIZE )*;
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $( $field.put(out); )*
            }
            fn take(from: &mut Reader<'_>) -> Result<Self, Fault> {
                Ok(Self { $($field: <$kind as Wire>::take(from)?),* })
            }
            #[cfg(test)]
            fn any(chance: &mut fireteam_world::pcg::Pcg) -> Self {
                Self { $($field: <$kind as Wire>::any(chance)),* }
            }
        }
    )* };
}

macro_rules! wrapped {
    ($( $name:ident($kind:ty) )*) => { $(
        impl Wire for $name {
            const SIZE: usize = <$kind as Wire>::SIZE;
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }
            fn take(from: &mut Reader<'_>) -> Result<Self, Fault> {
                Ok($name(Wire::take(from)?))
            }
            #[cfg(test)]
            fn any(chance: &mut fireteam_world::pcg::Pcg) -> Self {
                $name(Wire::any(chance))
            }
        }
    )* };
}

macro_rules! choices {
    ($( $name:ident: $word:literal { $($choice:ident = $tag:literal),* } )*) => { $(
        impl Wire for $name {
            const SIZE: usize = 1;
            fn put(&self, out: &mut Vec<u8>) {
                out.push(match self { $( $name::$choice => $tag ),* });
            }
            fn take(from: &mut Reader<'_>) -> Result<Self, Fault> {
                match from.array()? {
                    $( [$tag] => Ok($name::$choice), )*
                    [other] => Err(Fault::Tag(other, $word)),
                }
            }
            #[cfg(test)]
            fn any(chance: &mut fireteam_world::pcg::Pcg) -> Self {
                *chance.pick(&[$( $name::$choice ),*])
            }
        }
    )* };
}

wrapped! {
    Time(i32) EntityId(u16) ModelId(u16) WeaponId(u8) ThrowableId(u8) ItemKindId(u8) Team(u8) Contents(u32) Buttons(u32)
}

choices! {
    Phase: "phase" { Playing = 0, Frozen = 1, Over = 2 }
    Stance: "stance" { Standing = 0, Crouched = 1, Prone = 2 }
    ObjectiveKind: "kind of objective" { Flag = 0, Ground = 1 }
    Standing: "standing of an objective" { Home = 0, Carried = 1, Dropped = 2 }
    Voice: "word" { EnemySpotted = 0, Moving = 1, FragOut = 2, Grenade = 3, NeedHelp = 4, Clear = 5 }
}

structs! {
    Own {
        entity: EntityId, team: Team, life: u32, body: Player, health: i32, armour: i32, weapon: WeaponId,
        ready_in_ms: i32, is_reloading: bool, arms: [Arm; WEAPONS_MAX], armed_ms: Option<i32>, keys: u32, powers: u32,
        hurt: Option<Hurt>, has_hit: bool, may_respawn: bool
    }
    Player {
        origin: Vec3, velocity: Vec3, view: Vec3, view_offset: [i32; 3], eye_height: i32, ground: Ground,
        stance: Stance, stance_ms: i32, is_dead: bool, speed: i32, hold: Hold, immersion: Immersion, jump_is_held: bool,
        awaits_release: bool, ladder: Option<Vec3>, pad: Option<EntityId>, gait: i32
    }
    Hold { ms: i32, landed: bool, knocked: bool, leaping: bool }
    Immersion { level: u8, contents: Contents }
    Arm { is_carried: bool, rounds: i16, clip: i16 }
    Hurt { points: i32, towards: Option<Vec3> }
    Figure {
        entity: EntityId, team: Team, origin: Vec3, velocity: Vec3, pitch: f32, yaw: f32, stance: Stance,
        weapon: WeaponId, is_firing: bool, is_dead: bool, powers: u32
    }
    Missile { entity: EntityId, kind: ThrowableId, origin: Vec3, velocity: Vec3, owner: Option<EntityId> }
    Item { entity: EntityId, kind: ItemKindId, origin: Vec3, is_there: bool }
    Mover { entity: EntityId, model: ModelId, position: Motion, angles: Motion, is_gone: bool }
    Motion { kind: MotionKind, start: Time, duration_ms: i32, base: Vec3, delta: Vec3 }
    Cloud { origin: Vec3, radius: f32, blocks_sight: bool, harms: bool }
    Objective {
        kind: ObjectiveKind, home: Vec3, radius: f32, owner: Option<Team>, holder: Option<Team>, standing: Standing,
        item: Option<ItemKindId>
    }
    Sound { kind: SoundKind, origin: Vec3, source: Option<EntityId> }
    Message { to: Audience, from: Option<EntityId>, said: Said }
    Command {
        bot: EntityId, press: movement::Command, weapon: WeaponId, reload: bool, throw_speed: u8, voice: Option<Voice>
    }
    movement::Command { angles: [i32; 3], forward: i8, right: i8, up: i8, buttons: Buttons }
}

/// Enums that carry something: a tag, what they carry, zeros.
macro_rules! variants {
    ($( $name:ident: $word:literal, $size:expr, {
        $( $tag:literal => $choice:ident $( ( $inner:ident: $inner_kind:ty ) )? $( { $($field:ident: $kind:ty),* } )? ),*
    } )*) => { $(
        impl Wire for $name {
            const SIZE: usize = $size;
            fn put(&self, out: &mut Vec<u8>) {
                padded(out, Self::SIZE, |out| match self {
                    $( $name::$choice $( ( $inner ) )? $( { $($field),* } )? => {
                        out.push($tag);
                        $( $inner.put(out); )?
                        $( $( $field.put(out); )* )?
                    } )*
                });
            }
            fn take(from: &mut Reader<'_>) -> Result<Self, Fault> {
                let mut own = Reader(from.bytes(Self::SIZE)?);
                match own.array()? {
                    $( [$tag] => Ok($name::$choice
                        $( ( <$inner_kind as Wire>::take(&mut own)? ) )?
                        $( { $($field: <$kind as Wire>::take(&mut own)?),* } )?), )*
                    [other] => Err(Fault::Tag(other, $word)),
                }
            }
            #[cfg(test)]
            fn any(chance: &mut fireteam_world::pcg::Pcg) -> Self {
                let all = [$( $name::$choice
                    $( ( <$inner_kind as Wire>::any(chance) ) )?
                    $( { $($field: <$kind as Wire>::any(chance)),* } )? ),*];
                *chance.pick(&all)
            }
        }
    )* };
}

variants! {
    Ground: "ground", 1 + <Option<EntityId>>::SIZE + Vec3::SIZE, {
        0 => Air,
        1 => Floor { entity: Option<EntityId>, normal: Vec3 }
    }
    MotionKind: "kind of motion", 1 + f32::SIZE, {
        0 => Stationary,
        1 => Interpolate,
        2 => Linear,
        3 => LinearStop,
        4 => Sine,
        5 => Gravity(gravity: f32)
    }
    SoundKind: "kind of sound", 1 + WeaponId::SIZE, {
        0 => Step,
        1 => Shot(weapon: WeaponId),
        2 => Explosion,
        3 => Bounce,
        4 => Pickup,
        5 => Jump,
        6 => Pain,
        7 => Death,
        8 => Mover,
        9 => Teleport,
        10 => ItemBack
    }
    Audience: "audience", 1 + EntityId::SIZE, {
        0 => All,
        1 => Team(team: Team),
        2 => One(entity: EntityId)
    }
    Said: "message", 1 + EntityId::SIZE + <Option<EntityId>>::SIZE + <Option<WeaponId>>::SIZE, {
        0 => Obituary { victim: EntityId, killer: Option<EntityId>, weapon: Option<WeaponId> },
        1 => RoundStarts,
        2 => RoundEnds { winner: Option<Team> },
        3 => Voice(voice: Voice),
        4 => Taken { kind: ItemKindId }
    }
}

#[cfg(test)]
mod tests {
    use fireteam_world::pcg::Pcg;
    use proptest::prelude::*;

    use super::*;

    fn comes_back<T: Wire + PartialEq + std::fmt::Debug>(chance: &mut Pcg) {
        let value = T::any(chance);
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        assert_eq!(bytes.len(), T::SIZE, "{value:?}");
        let mut reader = Reader(&bytes);
        assert_eq!(T::take(&mut reader), Ok(value));
        assert!(reader.end().is_ok());
        assert_eq!(T::take(&mut Reader(&bytes[..T::SIZE - 1])), Err(Fault::Short));
    }

    proptest! {
        #[test]
        fn everything_comes_back_as_it_was(seed: u64) {
            let chance = &mut Pcg::new(seed, 0);
            comes_back::<Own>(chance);
            comes_back::<Figure>(chance);
            comes_back::<Missile>(chance);
            comes_back::<Item>(chance);
            comes_back::<Mover>(chance);
            comes_back::<Cloud>(chance);
            comes_back::<Objective>(chance);
            comes_back::<Sound>(chance);
            comes_back::<Message>(chance);
            comes_back::<Command>(chance);
        }

        #[test]
        fn lengths_come_back(value in 0usize..1 << 28) {
            let mut bytes = Vec::new();
            put_short(value, &mut bytes);
            let mut reader = Reader(&bytes);
            prop_assert_eq!(reader.short(), Ok(value));
            prop_assert!(reader.end().is_ok());
        }
    }

    #[test]
    fn a_count_without_its_rows_reserves_nothing() {
        let mut bytes = Vec::new();
        put_short((1 << 28) - 1, &mut bytes);
        let mut rows: Vec<Own> = Vec::new();
        assert_eq!(take_rows(&mut Reader(&bytes), &mut rows), Err(Fault::Short));
        assert_eq!(rows.capacity(), 0);
    }
}
