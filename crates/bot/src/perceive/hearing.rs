//! Hearing: how far each kind of sound carries, and how well an ear tells where it came from. And words.
//!
//! Ranges are the game's. A wall that the map's compiler let nothing through halves them. The place a bot hears is off by
//! an angle and by a share of the distance, more for the unskilled; how far it may be off goes with the percept. Nobody
//! hears who made a sound. But what one's own side is heard doing is no news: everyone is shown where they are.

use fireteam_world::pcg::Pcg;
use fireteam_world::{Vec3, maths};

use super::{Here, Looks, Sense, Senses, What};
use crate::field::Field;
use crate::snapshot::{Audience, Message, Said, SoundKind};

/// What a wall leaves of a sound's range.
const BEHIND_WALLS: f32 = 0.5;
/// An ear tells high from low less well than left from right, but floors help: heights are off by this share of it.
const HEIGHT_SHARE: f32 = 0.3;
/// Nothing is heard more exactly than this.
const SPREAD_MIN: f32 = 32.0;

impl Senses {
    pub(super) fn hear(&mut self, here: &Here<'_>, looks: &mut Looks, chance: &mut Pcg) {
        for (index, sound) in here.snapshot.sounds.iter().enumerate() {
            let (distance, range) = (sound.origin.distance(here.eye), looks.range(index));
            let is_own = sound.source == Some(here.own().entity);
            if distance > range || is_own || looks.is_no_news(index, here.own().team) {
                continue;
            }
            let mut is_open = || here.own_slot.is_none_or(|own| looks.may_hear(here.field, own, index));
            if distance <= range * BEHIND_WALLS || is_open() {
                let (place, spread) = here.locate(sound.origin, distance, chance);
                self.put(here.percept(Sense::Hearing, What::Noise { kind: sound.kind, place, spread }));
            }
        }
    }

    pub(super) fn read_messages(&mut self, here: &Here<'_>) {
        for message in &here.snapshot.messages {
            if here.is_told(message) {
                self.put(here.percept(Sense::Words, What::Said { from: message.from, said: message.said }));
            }
        }
    }
}

/// How far such a sound is heard in the open.
pub(super) fn range(kind: SoundKind, field: &Field) -> f32 {
    let hearing = &field.game.rules.hearing;
    match kind {
        SoundKind::Step => hearing.steps,
        SoundKind::Shot(_) => hearing.shots,
        SoundKind::Explosion => hearing.explosions,
        SoundKind::Bounce => hearing.bounces,
        SoundKind::Pickup
        | SoundKind::Jump
        | SoundKind::Pain
        | SoundKind::Death
        | SoundKind::Mover
        | SoundKind::Teleport
        | SoundKind::ItemBack => hearing.small,
    }
}

/// Whether all that a sound tells is that somebody is there. What was taken, opened or blown up is news whoever did it.
pub(super) fn tells_only_who_is_there(kind: SoundKind) -> bool {
    match kind {
        SoundKind::Step | SoundKind::Jump | SoundKind::Shot(_) | SoundKind::Pain | SoundKind::Death => true,
        SoundKind::Explosion
        | SoundKind::Bounce
        | SoundKind::Pickup
        | SoundKind::Mover
        | SoundKind::Teleport
        | SoundKind::ItemBack => false,
    }
}

impl Here<'_> {
    /// Where a sound seems to come from, and how far that may be off.
    fn locate(&self, origin: Vec3, distance: f32, chance: &mut Pcg) -> (Vec3, f32) {
        let angle_max = (self.convars.hearing_error_degrees * self.keen.slowness).min(180.0).to_radians();
        let share_max = (self.convars.hearing_error_distance * self.keen.slowness).min(1.0);
        let angle = angle_max * chance.range(-1.0, 1.0);
        let stretch = 1.0 + share_max * chance.range(-1.0, 1.0);
        let rise = distance * share_max * HEIGHT_SHARE * chance.range(-1.0, 1.0);
        let (sin, cos) = (maths::sin(angle), maths::cos(angle));
        let way = origin - self.eye;
        let turned = Vec3::new(way.x * cos - way.y * sin, way.x * sin + way.y * cos, way.z) * stretch;
        let spread = (distance * (angle_max + share_max)).max(SPREAD_MIN);
        (self.eye + turned + Vec3::Z * rise, spread)
    }

    /// Whether a message is for this bot; a word must also be near enough to be heard.
    fn is_told(&self, message: &Message) -> bool {
        let own = self.own();
        let is_for = match message.to {
            Audience::All => true,
            Audience::Team(team) => team == own.team,
            Audience::One(entity) => entity == own.entity,
        };
        let is_near = || {
            let speaker = self.snapshot.players.iter().find(|figure| Some(figure.entity) == message.from);
            speaker.is_some_and(|figure| figure.origin.distance(self.eye) <= self.field.game.rules.hearing.voice)
        };
        let is_heard = match message.said {
            Said::Voice(_) => message.from != Some(own.entity) && is_near(),
            Said::Obituary { .. } | Said::RoundStarts | Said::RoundEnds { .. } | Said::Taken { .. } => true,
        };
        is_for && is_heard
    }
}
