//! Looking where it matters when nothing is in sight: where it hurt from, where a noise was, where somebody went, the way
//! ahead, and what the team has not looked at for long. Nobody looks through walls: eyes are on where he may come out.

mod onward;

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, Time};

use super::{Behaviour, LOOK_THINGS, Limbs, View, covering, look_of};
use crate::aim::{Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Words;
use crate::memory::Noise;
use crate::snapshot::SoundKind;
use crate::words;
use onward::Onward;

#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    what: Option<Watched>,
    /// Since when it has looked there.
    since: Time,
    /// Eyes on the way ahead.
    onward: Onward,
    /// Looking aside: at what, until when; and when it may be done again.
    aside: Option<(WaypointId, Time)>,
    aside_after: Time,
    /// The last noise that was listened to.
    noise: Option<Listening>,
    /// Where somebody who went out of sight may come into it again.
    corner: Option<Corner>,
}

#[derive(Clone, Copy, Debug)]
struct Listening {
    heard: Time,
    /// Where to look for whoever made it; none if there is nothing but a wall, or if it is not minded.
    at: Option<Vec3>,
    /// As long as looks aside, and with their pauses.
    until: Time,
    after: Time,
}

#[derive(Clone, Copy, Debug)]
struct Corner {
    whom: EntityId,
    sought: Time,
    /// When it was last looked whether it is still in view.
    checked: Time,
    /// None if he would have to come through a wall.
    at: Option<Vec3>,
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
/// Who went on with his back to where somebody went looks over his shoulder for as long as he would turn to pain.
const BACK_MS: i32 = PAIN_MS;
/// Cosine of what lies behind: 120 degrees from the way ahead.
const BEHIND: f32 = -0.5;
/// Where somebody may come out is looked at so often, whether it is still in view: he has run about a waypoint's distance by then. As
/// long as it is, eyes stay on it for so long: whoever thought it over each time would look from one way out to the next, and whirl.
const CORNER_MS: i32 = 300;
const CORNER_KEPT_MS: i32 = 2000;
/// Where there is none, none is looked for so long: to look over all ways about him is what costs most here.
const NO_CORNER_MS: i32 = 1000;
/// Nearer than this one does not watch a place, one stands in it.
const CORNER_NEAR: f32 = 48.0;
/// Wherever one looks, one looks for so long, as long as a look aside: where many make noises, whoever turned to the latest
/// of every moment would whirl about and see nothing. Pain does not wait.
const LOOK_MS: i32 = 650;
/// How far off something is taken to be of which only the direction is known.
const FAR: f32 = 512.0;
/// A look aside lasts so long, and the next comes after so long.
const ASIDE_MS: (f32, f32) = (400.0, 900.0);
const ASIDE_PAUSE_MS: (f32, f32) = (1200.0, 3500.0);
/// Cosines of what is aside for who goes on: he looks at nothing that is farther from his way than square to it, and looks ahead again
/// when he has passed what he looked at. Whoever turned to what lies behind him on each look would whirl about as he runs.
const ASIDE: f32 = 0.0;
const ASIDE_PASSED: f32 = -0.3;
/// The way ahead as a thing to look at.
const AHEAD: u32 = LOOK_THINGS + 2;
/// Places drawn for a look aside.
const DRAWS: usize = 12;

impl Watch {
    fn choose(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        self.pain(view)
            .or_else(|| self.gone(view, limbs))
            .or_else(|| self.noise(view, limbs))
            .or_else(|| self.about(view, limbs))
    }

    /// Turns to what was chosen, unless it has only just turned to something else.
    fn settle(&mut self, view: &View, limbs: &Limbs, chosen: Option<Watched>) {
        let is_other = |old: &Watched| chosen.is_none_or(|new| new.what != old.what && new.band < Band::Fight);
        match self.what.filter(is_other) {
            Some(old) if view.now - self.since < LOOK_MS => {
                let at = if old.what == AHEAD { self.onward(view, limbs.legs.ahead()) } else { old.at };
                self.what = Some(Watched { at, ..old });
            }
            Some(_) | None => {
                let is_same = self.what.zip(chosen).is_some_and(|(old, new)| old.what == new.what);
                self.since = if is_same { self.since } else { view.now };
                self.what = chosen;
            }
        }
    }

    /// Where to look for who looks where he goes; as before if he has come to the end of it.
    fn onward(&mut self, view: &View, ahead: Option<Vec3>) -> Vec3 {
        let is_on_it = self.what.is_some_and(|what| what.what == AHEAD);
        self.onward = match ahead.map(|ahead| ahead - view.eye()) {
            Some(way) if is_on_it => self.onward.follow(way, view.now),
            Some(way) => Onward::towards(way),
            None => self.onward,
        };
        view.eye() + self.onward.look()
    }

    /// Hurt by somebody who is not in sight.
    fn pain(&self, view: &View) -> Option<Watched> {
        let felt = view.memory.hurt().filter(|felt| view.now - felt.at < PAIN_MS)?;
        let towards = felt.towards.filter(|_| view.mood.enemies_in_sight == 0)?;
        let reason = words!("it hurt from there");
        let what = LOOK_THINGS + 1;
        Some(Watched { at: view.eye() + towards * FAR, what, care: Care::Aim, band: Band::Fight, score: 0.6, reason })
    }

    /// Somebody went there a moment ago. Where walls or floors are in between, eyes stay on where he may come out.
    fn gone(&mut self, view: &View, limbs: &Limbs) -> Option<Watched> {
        let threat = view.threat_within(GONE_MS).filter(|threat| !threat.in_sight)?;
        let corner = match self.corner.filter(|corner| corner.whom == threat.entity) {
            Some(corner) if view.now - corner.checked < CORNER_MS => corner,
            Some(corner) if corner.is_good(view) => Corner { checked: view.now, ..corner },
            Some(_) | None => {
                let at = corner(view, threat.place);
                Corner { whom: threat.entity, sought: view.now, checked: view.now, at }
            }
        };
        self.corner = Some(corner);
        let at = corner.at.filter(|at| threat.age_ms(view.now) < BACK_MS || !is_behind(view, limbs, *at))?;
        let reason = words!("player {} went there", threat.entity.0);
        Some(Watched { at, what: look_of(threat.entity), care: Care::Glance, band: Band::Need, score: 0.8, reason })
    }

    /// A noise that nobody known made, if it is minded: that is settled once for each. Having listened one looks where one goes
    /// for a while, since somebody or other is always to be heard; aside as well: whoever did both by turns would whirl about.
    fn noise(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        let minded = self.noise.filter(|noise| noise.at.is_some() && view.now < noise.after);
        let noise = match minded {
            Some(noise) => noise,
            None => {
                let latest = unexplained(view)?;
                if self.noise.is_some_and(|noise| noise.heard == latest.heard) {
                    return None;
                }
                let is_minded = limbs.chance.chance(view.heed());
                let at = is_minded.then(|| direction(view, latest.place)).flatten();
                let until = view.now + limbs.chance.range(ASIDE_MS.0, ASIDE_MS.1) as i32;
                let after = until + pause_ms(view, limbs);
                if at.is_some() {
                    (self.aside, self.aside_after) = (None, after);
                }
                Listening { heard: latest.heard, at, until, after }
            }
        };
        self.noise = Some(noise);
        let at = noise.at.filter(|_| view.now < noise.until)?;
        let reason = words!("a noise, about {} units away", at.distance(view.eye()).round() as i32);
        let what = LOOK_THINGS + 3;
        Some(Watched { at, what, care: Care::Glance, band: Band::Need, score: 0.6, reason })
    }

    /// The way ahead, and a look aside now and then.
    fn about(&mut self, view: &View, limbs: &mut Limbs) -> Option<Watched> {
        let is_passed = |id: WaypointId| along(view, limbs, spot_of(view, id)) < ASIDE_PASSED;
        if self.aside.is_some_and(|(id, until)| view.now >= until || is_passed(id)) {
            self.aside = None;
            self.aside_after = view.now + pause_ms(view, limbs);
        }
        if self.aside.is_none() && view.now >= self.aside_after {
            let until = view.now + limbs.chance.range(ASIDE_MS.0, ASIDE_MS.1) as i32;
            self.aside = unwatched(view, limbs).map(|id| (id, until));
        }
        let eyes = view.field.game.rules.movement.body.standing_eye as f32;
        let (at, what, reason) = match (self.aside, limbs.legs.ahead()) {
            (Some((id, _)), _) => (
                spot_of(view, id) + Vec3::Z * eyes,
                LOOK_THINGS * 2 + u32::from(id.0),
                words!("nobody watches w{}", id.0),
            ),
            (None, Some(ahead)) => (self.onward(view, Some(ahead)), AHEAD, words!("the way ahead")),
            (None, None) => return None,
        };
        Some(Watched { at, what, care: Care::Glance, band: Band::Roam, score: 0.5, reason })
    }
}

/// How long one looks where one goes before the next look at anything else: beginners long, the curious not.
fn pause_ms(view: &View, limbs: &mut Limbs) -> i32 {
    let share = view.craft.tunnel * (1.0 - view.leanings.curiosity);
    (limbs.chance.range(ASIDE_PAUSE_MS.0, ASIDE_PAUSE_MS.1) * share) as i32
}

impl Corner {
    /// Whether it may still be watched, or is still not to be found.
    fn is_good(&self, view: &View) -> bool {
        let is_in_view = |at: Vec3| {
            at.distance(view.eye()) > CORNER_NEAR
                && view.field.opaque.is_clear(&Sweep::ray(view.eye(), at, Contents::SOLID))
        };
        match self.at {
            Some(at) => view.now - self.sought < CORNER_KEPT_MS && is_in_view(at),
            None => view.now - self.sought < NO_CORNER_MS,
        }
    }
}

/// Where to look for somebody who is believed to be there: at him, if nothing is in between, else at the place in view that he
/// reaches soonest; none if there is no such place.
fn corner(view: &View, place: Vec3) -> Option<Vec3> {
    let eyes = Vec3::Z * view.field.game.rules.movement.body.standing_eye as f32;
    let there = place + eyes;
    if view.field.opaque.is_clear(&Sweep::ray(view.eye(), there, Contents::SOLID)) {
        return Some(there);
    }
    covering::way_out(view, place, CORNER_NEAR).map(|(_, place)| place + eyes)
}

/// Where to look for somebody who was heard there: where he may come into sight, else level that way, unless the wall is right
/// before one's eyes.
fn direction(view: &View, place: Vec3) -> Option<Vec3> {
    let level = || {
        let eye = view.eye();
        let way = (place - eye).with_z(0.0).normalize_or_zero();
        let is_open = view.field.opaque.is_clear(&Sweep::ray(eye, eye + way * WALL, Contents::SOLID));
        is_open.then(|| eye + way * FAR)
    };
    corner(view, place).or_else(level)
}

/// Who faces a wall nearer than this sees nothing but the wall.
const WALL: f32 = 64.0;

/// Whether a place lies behind who goes on.
fn is_behind(view: &View, limbs: &Limbs, at: Vec3) -> bool {
    along(view, limbs, at) < BEHIND
}

/// Cosine between the way ahead and the way to a place; for who goes nowhere everything is ahead.
fn along(view: &View, limbs: &Limbs, at: Vec3) -> f32 {
    let level = |place: Vec3| (place - view.eye()).with_z(0.0).normalize_or_zero();
    limbs.legs.ahead().map_or(1.0, |ahead| level(ahead).dot(level(at)))
}

fn spot_of(view: &View, id: WaypointId) -> Vec3 {
    view.field.terrain.waypoints.origin[id.index()]
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

/// Of a few waypoints in view, and not behind who goes on, the one the team has not looked at for the longest.
fn unwatched(view: &View, limbs: &mut Limbs) -> Option<WaypointId> {
    let terrain = &view.field.terrain;
    let count = terrain.waypoints.len();
    let mut best: Option<(Time, WaypointId)> = None;
    for _ in 0..DRAWS {
        let id = WaypointId::from(limbs.chance.below(count));
        let seen = view.team.last_seen(id);
        let is_in_view = id != view.here && terrain.sight.sees(view.here, id);
        let is_better = best.is_none_or(|(known, _)| seen < known);
        if is_in_view && is_better && along(view, limbs, spot_of(view, id)) >= ASIDE {
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
        let chosen = self.choose(view, limbs);
        self.settle(view, limbs, chosen);
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
