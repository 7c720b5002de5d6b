//! Looking where it matters when nothing is in sight: where it hurt from, where a noise was, where somebody went, the way
//! ahead, and what the team has not looked at for long.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::{Behaviour, LOOK_THINGS, Limbs, View, look_of};
use crate::aim::{Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Words;
use crate::memory::Noise;
use crate::snapshot::SoundKind;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    what: Option<Watched>,
    /// Looking aside: at what, until when; and when it may be done again.
    aside: Option<(WaypointId, Time)>,
    aside_after: Time,
    /// The last noise that was heard, and whether it is minded.
    noise: Option<(Time, bool)>,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    at: Vec3,
    what: u32,
    care: Care,
    band: Band,
    score: f32,
    reason: Words,
}

/// Pain is turned to for so long, noises for so long, and where somebody went for so long.
const PAIN_MS: i32 = 1500;
const NOISE_MS: i32 = 2000;
const GONE_MS: i32 = 5000;
/// How far off something is taken to be of which only the direction is known.
const FAR: f32 = 512.0;
/// A look aside lasts so long, and the next comes after so long.
const ASIDE_MS: (f32, f32) = (400.0, 900.0);
const ASIDE_PAUSE_MS: (f32, f32) = (1200.0, 3500.0);
/// Places drawn for a look aside.
const DRAWS: usize = 12;

impl Watch {
    fn choose(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        self.pain(view)
            .or_else(|| self.gone(view))
            .or_else(|| self.noise(view, limbs))
            .or_else(|| self.about(view, limbs))
    }

    /// Hurt by somebody who is not in sight.
    fn pain(&self, view: &View) -> Option<Watched> {
        let felt = view.memory.hurt().filter(|felt| view.now - felt.at < PAIN_MS)?;
        let towards = felt.towards.filter(|_| view.mood.enemies_in_sight == 0)?;
        let reason = words!("it hurt from there");
        let what = LOOK_THINGS + 1;
        Some(Watched { at: view.eye() + towards * FAR, what, care: Care::Aim, band: Band::Fight, score: 0.6, reason })
    }

    /// Somebody went there a moment ago.
    fn gone(&self, view: &View) -> Option<Watched> {
        let threat = view.threat_within(GONE_MS).filter(|threat| !threat.in_sight)?;
        let reason = words!("player {} went there", threat.entity.0);
        let eyes = view.field.game.rules.movement.body.standing_eye as f32;
        let at = threat.place + Vec3::Z * eyes;
        Some(Watched { at, what: look_of(threat.entity), care: Care::Glance, band: Band::Need, score: 0.8, reason })
    }

    /// The latest noise that nobody known made, if it is minded: that is settled once for each.
    fn noise(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        let noise = unexplained(view)?;
        let is_minded = match self.noise {
            Some((heard, is_minded)) if heard == noise.heard => is_minded,
            _ => limbs.chance.chance(view.heed()),
        };
        self.noise = Some((noise.heard, is_minded));
        if !is_minded {
            return None;
        }
        let way = noise.place - view.eye();
        let reason = words!("a noise, about {} units away", way.length().round() as i32);
        let what = LOOK_THINGS + 3;
        Some(Watched { at: noise.place, what, care: Care::Glance, band: Band::Need, score: 0.6, reason })
    }

    /// The way ahead, and a look aside now and then.
    fn about(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        if self.aside.is_some_and(|(_, until)| view.now >= until) {
            self.aside = None;
            let pause = view.craft.tunnel * (1.0 - view.leanings.curiosity);
            self.aside_after = view.now + (limbs.chance.range(ASIDE_PAUSE_MS.0, ASIDE_PAUSE_MS.1) * pause) as i32;
        }
        if self.aside.is_none() && view.now >= self.aside_after {
            let until = view.now + limbs.chance.range(ASIDE_MS.0, ASIDE_MS.1) as i32;
            self.aside = unwatched(view, limbs).map(|id| (id, until));
        }
        let eyes = view.field.game.rules.movement.body.standing_eye as f32;
        let (at, what, reason) = match (self.aside, limbs.legs.ahead()) {
            (Some((id, _)), _) => {
                let at = view.field.terrain.waypoints.origin[id.index()] + Vec3::Z * eyes;
                (at, LOOK_THINGS * 2 + u32::from(id.0), words!("nobody watches w{}", id.0))
            }
            (None, Some(ahead)) => (ahead, LOOK_THINGS + 2, words!("the way ahead")),
            (None, None) => return None,
        };
        Some(Watched { at, what, care: Care::Glance, band: Band::Roam, score: 0.5, reason })
    }
}

/// The latest noise that nobody known made.
pub(super) fn unexplained<'a>(view: &View<'a>) -> Option<&'a Noise> {
    let matters = |noise: &&Noise| {
        let is_enemy_like = match noise.kind {
            SoundKind::Step | SoundKind::Shot(_) | SoundKind::Pickup | SoundKind::Jump | SoundKind::Pain => true,
            SoundKind::Explosion
            | SoundKind::Bounce
            | SoundKind::Death
            | SoundKind::Mover
            | SoundKind::Teleport
            | SoundKind::ItemBack => false,
        };
        is_enemy_like && !noise.is_explained && view.now - noise.heard < NOISE_MS
    };
    view.memory.noises().iter().filter(matters).max_by_key(|noise| noise.heard)
}

/// Of a few waypoints in view, the one the team has not looked at for the longest.
fn unwatched(view: &View, limbs: &mut Limbs) -> Option<WaypointId> {
    let terrain = &view.field.terrain;
    let count = terrain.waypoints.len();
    let mut best: Option<(Time, WaypointId)> = None;
    for _ in 0..DRAWS {
        let id = WaypointId::from(limbs.chance.below(count));
        let seen = view.team.last_seen(id);
        if id != view.here && terrain.sight.sees(view.here, id) && best.is_none_or(|(known, _)| seen < known) {
            best = Some((seen, id));
        }
    }
    best.map(|(_, id)| id)
}

impl Behaviour for Watch {
    fn name(&self) -> &'static str {
        "watching"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        self.what = self.choose(view, limbs);
        let Watched { band, score, reason, .. } = self.what?;
        Some(Bid { channels: Channels::EYES, band, score, reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        if let Some(Watched { at, what, care, .. }) = self.what {
            limbs.aim.look(Look { at, velocity: Vec3::ZERO, what, care });
        }
        Outcome::Continue
    }

    fn forget(&mut self) {
        *self = Watch::default();
    }
}
