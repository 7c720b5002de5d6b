//! Hiding to reload: who has a few rounds left and cover near goes out of sight, loads there, and comes back.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 9.4 (`CBV_HLDM_HideReload`), which asks for a clip under 15 % or two rounds and
//! an enemy in sight. Departures: nobody hides who has another gun at hand that is about as good, who has no cover within
//! `reload_hide_ms`, or who has a flag; the spot is one that nobody sees whom the bot knows to be about, and none of them reaches
//! first; and afterwards he goes back to where the fight was. On the way the last rounds are fired at whoever is in sight
//! (`shoot`). Who does not hide draws another gun or reloads where he stands (`shoot`), or when it is quiet (`reload`).
//!
//! Cost: while it lasts a ray a turn for each of those about, and twice a second a row of travel times if the spot is seen by then.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, Time};

use super::{Behaviour, Limbs, View, heaviest, look_of, refuge};
use crate::aim::{Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::Threat;
use crate::perceive::Sense;
use crate::snapshot::WeaponId;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Hide {
    stage: Stage,
    /// Cover that was none is not run for again before then.
    not_before: Time,
}

#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    #[default]
    Off,
    Away(Cover),
    Back {
        to: WaypointId,
        since: Time,
    },
}

/// Where it loads which gun.
#[derive(Clone, Copy, Debug)]
struct Cover {
    gun: WeaponId,
    /// The worst of those it hides from.
    from: EntityId,
    /// Where it was when it set out.
    left: WaypointId,
    to: WaypointId,
    since: Time,
    chosen: Time,
    arrived: Option<Time>,
}

/// Somebody seen this long ago is still about.
const FRESH_MS: i32 = 2500;
/// So many of them are hidden from.
const FOES_MAX: usize = 8;
/// Another gun that is worth this share of the one in hand is about as good.
const AS_GOOD: f32 = 0.7;
/// Whether a spot is still out of their sight is looked at so often.
const AGAIN_MS: i32 = 500;
/// Who is there and still seen after so long has no cover.
const SEEN_MS: i32 = 1000;
/// Where there is no cover, none is looked for again for so long.
const NO_COVER_MS: i32 = 1000;
/// So far beside a spot has to be out of sight too: a body's width.
const BESIDE: f32 = 32.0;
/// Besides the way and the reload it takes no longer than this.
const SPARE_MS: i32 = 2500;
/// The way back may take this long.
const BACK_MS: i32 = 4000;
/// Above stepping about in a fight and, once begun, above shooting; below laying hands on a flag.
const AWAY: f32 = 0.88;
/// Below running after somebody.
const BACK: f32 = 0.15;

impl Behaviour for Hide {
    fn name(&self) -> &'static str {
        "hiding to reload"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let bid = match self.stage {
            Stage::Back { .. } => return_bid(view),
            Stage::Off | Stage::Away(_) => self.away_bid(view, limbs),
        };
        if bid.is_none() {
            self.stage = Stage::Off;
        }
        bid
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        match self.stage {
            Stage::Off => Outcome::Done(words!("nowhere to hide")),
            Stage::Away(cover) => self.load(view, limbs, cover),
            Stage::Back { to, since } => {
                limbs.legs.go(Destination::Waypoint(to), Manner::RUN);
                let is_over = matches!(limbs.legs.state(), Travelling::Arrived | Travelling::Failed(_));
                if is_over || view.now - since > BACK_MS {
                    self.stage = Stage::Off;
                    return Outcome::Done(words!("back where it was"));
                }
                Outcome::Continue
            }
        }
    }

    fn aim(&mut self, view: &View, limbs: &mut Limbs) {
        // Eyes are its own only while somebody sees it with an empty gun.
        let Stage::Away(_) = self.stage else { return };
        if let Some(threat) = watcher(view).filter(|_| is_empty(view)) {
            let at = threat.place_at(view.now);
            limbs.aim.look(Look { at, velocity: threat.velocity, what: look_of(threat.entity), care: Care::Aim });
        }
    }

    fn forget(&mut self) {
        *self = Hide::default();
    }
}

/// Back to where the fight was, if nobody is in sight and nothing else is to be done.
fn return_bid(view: &View) -> Option<Bid> {
    if view.memory.in_sight().next().is_some() || view.has_duty() {
        return None;
    }
    let reason = words!("loaded; back to where the fight was");
    Some(Bid { channels: Channels::LEGS, band: Band::Fight, score: BACK, reason })
}

fn is_empty(view: &View) -> bool {
    gunnery::clip(&view.field.arsenal, view.own).is_some_and(|(left, _)| left == 0)
}

/// Who may see it: whoever is in sight, or has a clear line to it from where he is believed to be. Whoever only turned his eyes
/// from an enemy is not hidden from him.
fn watcher<'a>(view: &View<'a>) -> Option<&'a Threat> {
    let eye = view.eye();
    heaviest(about(view).filter(|threat| threat.in_sight || is_clear(view, threat.place, eye)))
}

/// Those who are about.
fn about<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Threat> {
    view.memory.seen_since(view.now + -FRESH_MS).take(FOES_MAX)
}

fn is_clear(view: &View, from: Vec3, to: Vec3) -> bool {
    view.field.solids.is_clear(&Sweep::ray(from, to, Contents::MASK_SHOT))
}

impl Hide {
    fn away_bid(&mut self, view: &View, limbs: &Limbs) -> Option<Bid> {
        let cover = match self.stage {
            Stage::Away(cover) => self.keep(view, cover)?,
            Stage::Off | Stage::Back { .. } => self.set_out(view, limbs)?,
        };
        self.stage = Stage::Away(cover);
        let channels = match watcher(view) {
            None => Channels::LEGS.and(Channels::HANDS),
            Some(_) if is_empty(view) => Channels::LEGS.and(Channels::HANDS).and(Channels::EYES),
            Some(_) => Channels::LEGS,
        };
        let (left, _) = gunnery::clip(&view.field.arsenal, view.own)?;
        let reason = words!("{left} rounds in the clip; w{} is out of sight of player {}", cover.to.0, cover.from.0);
        Some(Bid { channels, band: Band::Fight, score: AWAY, reason })
    }

    /// Whether it is worth it, and where to.
    fn set_out(&mut self, view: &View, limbs: &Limbs) -> Option<Cover> {
        let (own, arsenal) = (view.own, &view.field.arsenal);
        let is_changing = limbs.hands.wanted() != own.weapon;
        let is_low = gunnery::needs_reload(arsenal, own, view.convars) && own.armed_ms.is_none();
        if !is_low || is_changing || view.is_bearer() || view.now < self.not_before {
            return None;
        }
        let from = view.threat_within(FRESH_MS).filter(|threat| threat.by == Sense::Sight)?;
        let range = from.place.distance(view.origin());
        let mine = gunnery::worth(arsenal, own.weapon, range, view.marksman());
        let is_as_good = |(_, worth): &(WeaponId, f32)| *worth >= mine * AS_GOOD;
        if gunnery::spare(arsenal, own, range, view.marksman()).is_some_and(|spare| is_as_good(&spare)) {
            return None;
        }
        let Some(to) = nearest_cover(view) else {
            self.not_before = view.now + NO_COVER_MS;
            return None;
        };
        let (since, chosen, arrived) = (view.now, view.now, None);
        Some(Cover { gun: own.weapon, from: from.entity, left: view.here, to, since, chosen, arrived })
    }

    /// Goes on with it, elsewhere if somebody sees the spot by now; none if it is of no use any more.
    fn keep(&mut self, view: &View, mut cover: Cover) -> Option<Cover> {
        if view.own.weapon != cover.gun || gunnery::clip(&view.field.arsenal, view.own).is_none() {
            return None;
        }
        let takes_ms = view.convars.reload_hide_ms as i32 + view.field.arsenal.weapon(cover.gun).reload_ms + SPARE_MS;
        let is_seen = watcher(view).is_some() && cover.arrived.is_some_and(|at| view.now - at > SEEN_MS);
        if is_seen || view.now - cover.since > takes_ms {
            self.not_before = view.now + NO_COVER_MS;
            return None;
        }
        if view.now - cover.chosen >= AGAIN_MS {
            cover.chosen = view.now;
            let (foes, count) = foes(view);
            if !refuge::is_hidden(view, &foes[..count], cover.to) {
                (cover.to, cover.arrived) = (nearest_cover(view)?, None);
            }
        }
        Some(cover)
    }

    fn load(&mut self, view: &View, limbs: &mut Limbs, mut cover: Cover) -> Outcome {
        if !gunnery::needs_reload(&view.field.arsenal, view.own, view.convars) {
            let is_away = cover.left != view.here;
            self.stage = if is_away { Stage::Back { to: cover.left, since: view.now } } else { Stage::Off };
            return Outcome::Done(words!("loaded"));
        }
        if watcher(view).is_none() || is_empty(view) {
            limbs.hands.select(cover.gun);
            if !view.own.is_reloading {
                limbs.hands.reload(view.now);
            }
        }
        if cover.to == view.here && watcher(view).is_none() {
            limbs.legs.stay(false, "reloads out of sight");
            cover.arrived.get_or_insert(view.now);
        } else {
            limbs.legs.go(Destination::Waypoint(cover.to), Manner::RUN);
            match limbs.legs.state() {
                Travelling::Arrived => {
                    cover.arrived.get_or_insert(view.now);
                }
                Travelling::Failed(trouble) => {
                    self.stage = Stage::Off;
                    self.not_before = view.now + NO_COVER_MS;
                    return Outcome::Done(words!("{trouble}"));
                }
                Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {}
            }
        }
        self.stage = Stage::Away(cover);
        Outcome::Continue
    }
}

/// Waypoints of those who are about.
fn foes(view: &View) -> ([WaypointId; FOES_MAX], usize) {
    let mut foes = ([WaypointId(0); FOES_MAX], 0);
    for threat in about(view) {
        if let Some(near) = view.field.terrain.nearest(threat.place) {
            foes.0[foes.1] = near.waypoint;
            foes.1 += 1;
        }
    }
    foes
}

/// The nearest spot that none of those who are about sees or gets to first. Where it stands is one if nobody is in sight.
fn nearest_cover(view: &View) -> Option<WaypointId> {
    let (foes, count) = foes(view);
    let foes = &foes[..count];
    let is_seen_here = watcher(view).is_some();
    let within_ms = view.convars.reload_hide_ms;
    refuge::nearest_hidden(view, foes, |id| {
        if id == view.here {
            return !is_seen_here && within_ms > 0;
        }
        foes.iter().all(|foe| refuge::is_out_of_reach(view, *foe, id, within_ms)) && !is_in_view_of_any(view, id)
    })
}

/// Whether anybody has a clear line to it, or to beside it, from where he is believed to be: waypoints are coarse, and whoever runs to
/// one stops a little before it.
fn is_in_view_of_any(view: &View, id: WaypointId) -> bool {
    let spot = view.field.terrain.waypoints.origin[id.index()];
    about(view).any(|threat| {
        let across = (spot - threat.place).cross(Vec3::Z).normalize_or_zero() * BESIDE;
        [spot, spot + across, spot - across].into_iter().any(|point| is_clear(view, threat.place, point))
    })
}
