//! One bot's mind in words and numbers, beside the truth: what `/api/mind` answers.

use std::collections::BTreeMap;

use fireteam::aim::Care;
use fireteam::goal::{Band, Channels};
use fireteam::insight::{Insight, Lost, Wanted};
use fireteam::journal::with_names;
use fireteam::legs::{Holding, Travelling};
use fireteam::memory::{BelievedItem, BelievedMover, BelievedObjective, Noise, Threat};
use fireteam::perceive::{Percept, Sense, What};
use fireteam::snapshot::{Item, Said, Snapshot, SoundKind, Standing, Voice};
use fireteam::team::Role;
use fireteam::{Field, Traits};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Vec3, maths};
use serde_json::{Value, json};

use super::ground::place;

/// Percepts that are told of, the latest first.
const PERCEPTS_MAX: usize = 48;

/// Whose mind, when, and what was true then.
pub(crate) struct Moment<'a> {
    pub(crate) bot: EntityId,
    pub(crate) frame: u32,
    pub(crate) shown: &'a Snapshot,
    pub(crate) field: &'a Field,
    pub(crate) name: &'a dyn Fn(EntityId) -> String,
}

impl Moment<'_> {
    fn now(&self) -> Time {
        self.shown.time
    }

    /// What a mind writes of others it writes by their numbers.
    fn named(&self, told: &str) -> String {
        let names: BTreeMap<u16, String> =
            self.shown.players.iter().map(|figure| (figure.entity.0, (self.name)(figure.entity))).collect();
        with_names(told, |entity| names.get(&entity.0).map(String::as_str))
    }

    /// Where somebody really is.
    fn truth(&self, entity: EntityId) -> Option<[f64; 3]> {
        self.shown.players.iter().find(|figure| figure.entity == entity).map(|figure| place(figure.origin))
    }
}

pub(crate) fn traits(traits: &Traits) -> BTreeMap<&'static str, u8> {
    Traits::NAMES.into_iter().zip(traits.values()).collect()
}

/// Everything, with what matured on the delay line a moment ago.
pub(crate) fn told<'p>(
    moment: &Moment,
    insight: &Insight<'p>,
    ripe: impl Iterator<Item = &'p Percept>,
    target: Option<EntityId>,
) -> Value {
    let own = moment.shown.own.iter().find(|own| own.entity == moment.bot);
    let memory = insight.memory;
    json!({
        "bot": moment.bot.0,
        "frame": moment.frame,
        "time": moment.now().0,
        "health": own.map(|own| own.health),
        "armour": own.map(|own| own.armour),
        "weapon": own.map(|own| moment.field.arsenal.weapon_name(own.weapon)),
        "goals": insight.wants.goals().map(|wanted| goal(&wanted, moment)).collect::<Vec<_>>(),
        "lost": insight.wants.lost().map(|bid| lost(&bid, moment)).collect::<Vec<_>>(),
        "percepts": percepts(insight, ripe, moment),
        "threats": memory.threats().iter().map(|known| threat(known, moment)).collect::<Vec<_>>(),
        "missiles": memory.missiles().iter().map(|known| json!({
            "id": known.missile.entity.0,
            "kind": moment.field.arsenal.throwable_name(known.missile.kind),
            "place": place(known.missile.origin),
            "age_ms": moment.now() - known.seen,
        })).collect::<Vec<_>>(),
        "noises": memory.noises().iter().map(|known| noise(known, moment)).collect::<Vec<_>>(),
        "items": memory.items().iter().map(|known| item(known, moment)).collect::<Vec<_>>(),
        "movers": memory.believed_movers().iter().map(|known| mover(known, moment)).collect::<Vec<_>>(),
        "clouds": memory.clouds().iter().map(|known| json!({
            "place": place(known.cloud.origin),
            "radius": known.cloud.radius,
            "harms": known.cloud.harms,
            "blocks_sight": known.cloud.blocks_sight,
            "age_ms": moment.now() - known.seen,
        })).collect::<Vec<_>>(),
        "objectives": memory.objectives().iter().map(|known| objective(known, moment)).collect::<Vec<_>>(),
        "dangers": memory.dangers().iter().map(|known| json!({
            "place": place(known.place), "age_ms": moment.now() - known.at,
        })).collect::<Vec<_>>(),
        "route": route(insight, moment),
        "aim": aim(insight, moment),
        "mood": mood(insight),
        "traits": traits(insight.traits),
        "skill": insight.character.skill.name(),
        "here": insight.here.get().map(|here| here.0),
        "role": insight.role.map(role_name),
        "target": target.map(|target| target.0),
        "hurt": memory.hurt().map(|felt| json!({ "points": felt.points, "age_ms": moment.now() - felt.at })),
    })
}

fn role_name(role: Role) -> String {
    match role {
        Role::Attack => "attack".to_owned(),
        Role::Defend => "defend".to_owned(),
        Role::Recover => "recover".to_owned(),
        Role::Escort => "escort".to_owned(),
        Role::Bear => "bear".to_owned(),
        Role::Take { ground } => format!("take ground {}", ground + 1),
        Role::Keep { ground } => format!("keep ground {}", ground + 1),
    }
}

fn goal(wanted: &Wanted, moment: &Moment) -> Value {
    let Wanted { name, goal, serves, waits_for } = wanted;
    json!({
        "name": name,
        "band": band_name(goal.bid.band),
        "score": round(goal.bid.score),
        "channels": channel_names(goal.bid.channels),
        "reason": moment.named(goal.bid.reason.as_str()),
        "since": goal.since.0,
        "is_waiting": goal.is_waiting,
        "lease_until": goal.lease().map(|lease| lease.until.0).filter(|until| *until > moment.now().0),
        "serves": serves,
        "waits_for": waits_for,
    })
}

fn lost(lost: &Lost, moment: &Moment) -> Value {
    let why = match lost.to {
        Some(winner) => format!("{winner} has what it needs"),
        None => "it was over within the turn".to_owned(),
    };
    json!({
        "name": lost.name,
        "band": band_name(lost.bid.band),
        "score": round(lost.bid.score),
        "channels": channel_names(lost.bid.channels),
        "reason": moment.named(lost.bid.reason.as_str()),
        "why": why,
        "to": lost.to,
    })
}

fn band_name(band: Band) -> &'static str {
    match band {
        Band::Roam => "roam",
        Band::Need => "need",
        Band::Objective => "objective",
        Band::Order => "order",
        Band::Fight => "fight",
        Band::Survive => "survive",
        Band::Armed => "armed",
    }
}

fn channel_names(channels: Channels) -> Vec<&'static str> {
    let all =
        [(Channels::LEGS, "legs"), (Channels::EYES, "eyes"), (Channels::HANDS, "hands"), (Channels::VOICE, "voice")];
    all.into_iter().filter(|(channel, _)| channels.holds(*channel)).map(|(_, name)| name).collect()
}

/// A hundredth is fine enough to read; what is no number is none.
fn round(number: f32) -> Option<f64> {
    number.is_finite().then(|| f64::from((number * 100.0).round()) / 100.0)
}

/// What is on its way and what has just arrived; of the same thing sensed again and again the latest of each.
fn percepts<'p>(insight: &Insight<'p>, ripe: impl Iterator<Item = &'p Percept>, moment: &Moment) -> Vec<Value> {
    let mut latest: BTreeMap<(bool, String), (&Percept, Option<Vec3>)> = BTreeMap::new();
    let waiting: Vec<&Percept> = insight.senses.on_the_way().collect();
    for percept in ripe.chain(waiting) {
        let (what, place) = what(&percept.what, moment);
        let key = (percept.due.0 > moment.now().0, what);
        let is_newer = latest.get(&key).is_none_or(|(known, _)| known.at.0 <= percept.at.0);
        if is_newer {
            latest.insert(key, (percept, place));
        }
    }
    let mut told: Vec<_> = latest.into_iter().collect();
    told.sort_by_key(|(_, (percept, _))| std::cmp::Reverse(percept.due.0));
    told.truncate(PERCEPTS_MAX);
    let one = |((_, what), (percept, at)): ((bool, String), (&Percept, Option<Vec3>))| {
        json!({
            "what": what,
            "sense": sense_name(percept.sense),
            "place": at.map(place),
            "age_ms": moment.now() - percept.at,
            "matures_in_ms": percept.due - moment.now(),
        })
    };
    told.into_iter().map(one).collect()
}

fn sense_name(sense: Sense) -> &'static str {
    match sense {
        Sense::Sight => "sight",
        Sense::Hearing => "hearing",
        Sense::Touch => "touch",
        Sense::Words => "words",
    }
}

/// A percept in words, and where.
fn what(what: &What, moment: &Moment) -> (String, Option<Vec3>) {
    let name = moment.name;
    match what {
        What::Enemy { figure, .. } => {
            let how = if figure.is_dead { "the corpse of " } else { "" };
            (format!("{how}{}", name(figure.entity)), Some(figure.origin))
        }
        What::OutOfSight(entity) => (format!("{} is out of sight", name(*entity)), None),
        What::Missile(missile) => (moment.field.arsenal.throwable_name(missile.kind).to_owned(), Some(missile.origin)),
        What::MissileGone(_) => ("a missile is gone".to_owned(), None),
        What::Item(item) => (moment.field.arsenal.item_name(item.kind).to_owned(), Some(item.origin)),
        What::ItemGone { origin, .. } => ("an item is gone".to_owned(), Some(*origin)),
        What::Mover(mover) => (format!("mover {}", mover.model.0), None),
        What::MoverAway(model) => (format!("mover {} is away", model.0), None),
        What::Cloud(cloud) => (if cloud.harms { "fire" } else { "smoke" }.to_owned(), Some(cloud.origin)),
        What::Noise { kind, place, .. } => (format!("noise: {}", sound_name(*kind, moment.field)), Some(*place)),
        What::Pain(hurt) => (format!("pain: {} points", hurt.points), None),
        What::Said { from, said } => (words(*from, said, moment), None),
        What::Objective { index, .. } => (format!("news of objective {}", index + 1), None),
    }
}

fn words(from: Option<EntityId>, said: &Said, moment: &Moment) -> String {
    match said {
        Said::Obituary { victim, killer: Some(killer), .. } => {
            format!("{} killed {}", (moment.name)(*killer), (moment.name)(*victim))
        }
        Said::Obituary { victim, killer: None, .. } => format!("{} died", (moment.name)(*victim)),
        Said::RoundStarts => "the round begins".to_owned(),
        Said::RoundEnds { .. } => "the round is over".to_owned(),
        Said::Taken { kind } => format!("somebody took {}", moment.field.arsenal.item_name(*kind)),
        Said::Voice(voice) => {
            let said = match voice {
                Voice::EnemySpotted => "enemy spotted",
                Voice::Moving => "moving",
                Voice::FragOut => "frag out",
                Voice::Grenade => "grenade",
                Voice::NeedHelp => "need help",
                Voice::Clear => "clear",
            };
            format!("{}: {said}", from.map_or_else(|| "somebody".to_owned(), moment.name))
        }
    }
}

fn sound_name(kind: SoundKind, field: &Field) -> String {
    match kind {
        SoundKind::Step => "a step".to_owned(),
        SoundKind::Shot(weapon) => format!("a shot ({})", field.arsenal.weapon_name(weapon)),
        SoundKind::Explosion => "an explosion".to_owned(),
        SoundKind::Bounce => "a bounce".to_owned(),
        SoundKind::Pickup => "something taken".to_owned(),
        SoundKind::Jump => "a jump".to_owned(),
        SoundKind::Pain => "pain".to_owned(),
        SoundKind::Death => "death".to_owned(),
        SoundKind::Mover => "a door or lift".to_owned(),
        SoundKind::Teleport => "a teleporter".to_owned(),
        SoundKind::ItemBack => "an item back".to_owned(),
    }
}

fn threat(known: &Threat, moment: &Moment) -> Value {
    json!({
        "id": known.entity.0,
        "name": (moment.name)(known.entity),
        "place": place(known.place),
        "seen_at": place(known.origin),
        "truth": moment.truth(known.entity),
        "age_ms": known.age_ms(moment.now()),
        "in_sight": known.in_sight,
        "is_dead": known.is_dead,
        "spread": round(known.spread),
        "sense": sense_name(known.by),
        "wounds": round(known.wounds),
        "weapon": known.weapon.map(|weapon| moment.field.arsenal.weapon_name(weapon)),
    })
}

fn noise(known: &Noise, moment: &Moment) -> Value {
    json!({
        "kind": sound_name(known.kind, moment.field),
        "place": place(known.place),
        "spread": round(known.spread),
        "age_ms": moment.now() - known.heard,
        "is_explained": known.is_explained,
    })
}

fn item(known: &BelievedItem, moment: &Moment) -> Value {
    let is_it = |item: &&Item| match known.entity {
        Some(entity) => item.entity == entity,
        None => item.kind == known.kind && item.origin.distance_squared(known.origin) < 64.0 * 64.0,
    };
    json!({
        "id": known.entity.map(|entity| entity.0),
        "kind": moment.field.arsenal.item_name(known.kind),
        "place": place(known.origin),
        "is_there": known.is_there,
        "truth": moment.shown.items.iter().find(is_it).map(|item| item.is_there),
        "seen_ms_ago": known.known.map(|at| moment.now() - at),
        "back_in_ms": known.back.map(|at| at - moment.now()),
    })
}

fn mover(known: &BelievedMover, moment: &Moment) -> Value {
    let state = match (known.is_away, known.is_at_rest()) {
        (true, _) => "away",
        (false, true) => "at rest",
        (false, false) => "moved",
    };
    let truth = moment.shown.movers.iter().find(|mover| mover.model == known.model);
    let truth = truth.map(|mover| place(mover.position.at(moment.now())));
    json!({
        "id": known.model.0,
        "state": state,
        "place": known.placed().map(|placed| place(placed.origin)),
        "truth": truth,
        "seen_ms_ago": known.seen.map(|at| moment.now() - at),
    })
}

fn objective(known: &BelievedObjective, moment: &Moment) -> Value {
    let standing = match known.told.standing {
        Standing::Home => "home",
        Standing::Carried => "carried",
        Standing::Dropped => "dropped",
    };
    json!({
        "kind": format!("{:?}", known.told.kind).to_ascii_lowercase(),
        "standing": standing,
        "home": place(known.told.home),
        "place": known.place().map(place),
        "owner": known.told.owner.map(|team| team.0),
        "holder": known.told.holder.map(|team| team.0),
        "since_ms": moment.now() - known.since,
    })
}

fn route(insight: &Insight, moment: &Moment) -> Option<Value> {
    let legs = insight.legs;
    let holding = match legs.holding() {
        Some(Holding::Mover(mover)) => Some(format!("waits for mover {}", mover.0)),
        Some(Holding::Because(why)) => Some(why.to_owned()),
        None => None,
    };
    let state = match legs.state() {
        Travelling::Standing => "standing".to_owned(),
        Travelling::Searching => "searching".to_owned(),
        Travelling::OnTheWay => "on the way".to_owned(),
        Travelling::Arrived => "arrived".to_owned(),
        Travelling::Failed(why) => moment.named(&format!("failed: {why}")),
    };
    let (walked, at) = legs.route().unwrap_or((&[], 0));
    if walked.is_empty() && holding.is_none() {
        return None;
    }
    let terrain = &moment.field.terrain;
    let points: Vec<Vec3> =
        walked.first().map(|leg| leg.from).into_iter().chain(walked.iter().map(|leg| leg.to)).collect();
    let waypoints: Vec<Option<u16>> =
        points.iter().map(|point| terrain.nearest(*point).map(|near| near.waypoint.0)).collect();
    let kinds: Vec<&str> = walked.iter().map(|leg| leg.travel.name()).collect();
    let points: Vec<[f64; 3]> = points.into_iter().map(place).collect();
    Some(json!({
        "waypoints": waypoints, "at": at, "points": points, "kinds": kinds, "holding": holding, "state": state,
    }))
}

fn aim(insight: &Insight, moment: &Moment) -> Value {
    let (pitch, yaw) = insight.aim.view();
    let look = insight.aim.wanted();
    let care = look.map_or("rest", |look| match look.care {
        Care::Glance => "glance",
        Care::Aim => "aim",
    });
    let own = moment.shown.own.iter().find(|own| own.entity == moment.bot);
    let wanted = look.zip(own).map(|(look, own)| {
        let way = look.at - own.body.eye();
        let level = (way.x * way.x + way.y * way.y).sqrt();
        let degrees = |radians: f32| round(radians.to_degrees());
        [degrees(-maths::atan2(way.z, level)), degrees(maths::atan2(way.y, way.x))]
    });
    json!({
        "at": look.map(|look| place(look.at)),
        "care": care,
        "view": [round(pitch), round(yaw)],
        "wanted": wanted,
    })
}

fn mood(insight: &Insight) -> Value {
    let mood = insight.mood;
    json!({
        "enemies in sight": mood.enemies_in_sight,
        "mates near": mood.mates_near,
        "fear": round(mood.fear),
        "prospect": round(mood.prospect),
    })
}
