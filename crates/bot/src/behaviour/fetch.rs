//! Going for something useful that is believed to lie there: better weapons first, then what heals and protects.
//!
//! After FrikBot (1999): of everything in reach, what is worth most for the time it takes. Worth is what it adds: a gun
//! by how much harder it hits than those carried, health and armour by how much longer one lives with it. What a mate is
//! heard to be after, and will have sooner, is left to him; and before anybody could have said a word, what each mate would take
//! from where he is seen to stand.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::game::Interest;
use fireteam_world::units::{EntityId, Time};

use super::{Behaviour, Limbs, View, duty};
use crate::arsenal::ItemKindId;
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery::{self, Marksman};
use crate::journal::Tenths;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::BelievedItem;
use crate::mood;
use crate::snapshot::{Arm, WEAPONS_MAX, WeaponId};
use crate::team::Claim;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Fetch {
    shelf: Shelf,
    wanted: Option<Want>,
    claim: Option<Claim>,
    /// It had the legs in the turn before.
    is_going: bool,
    /// It has chosen something in this life.
    has_chosen: bool,
    /// When it last left something to a mate, and until when it runs after nothing more but a gun.
    outrun: Time,
    rests_until: Time,
}

const AVOIDED: usize = 4;
const AVOIDED_MS: i32 = 20_000;
/// What is left to a mate is left to him for so long, whatever keeps him: else, where many want the same few things, everyone
/// turns round whenever somebody is held up by a fight.
const LEFT_MS: i32 = 5000;
/// Who leaves something to a mate twice within so long is among too many who want the same few things. He runs after nothing for a
/// while, instead of after the next thing that somebody has before him.
const AGAIN_MS: i32 = 3000;

/// An item worth going for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) kind: ItemKindId,
    pub(super) origin: Vec3,
    pub(super) waypoint: WaypointId,
    pub(super) destination: Destination,
    /// It heals or protects.
    pub(super) mends: bool,
    /// What it adds, and that for a second of the way.
    pub(super) worth: f32,
    rate: f32,
    pub(super) travel_ms: u32,
}

impl Want {
    /// The item, and when the bot could be there.
    fn claim(&self, now: Time) -> Claim {
        Claim { item: self.origin, arrives: now + self.travel_ms as i32 }
    }

    /// Whether a mate will have it, as far as was heard.
    fn is_taken(&self, view: &View) -> bool {
        view.team.is_taken(view.own, self.claim(view.now), view.now, view.field, view.convars)
    }

    /// How much longer the way to somewhere is past it. A much better gun is worth twice the way.
    fn detour_ms(&self, view: &View, to: WaypointId) -> u32 {
        let past = self.travel_ms.saturating_add(duty::travel_ms(view, self.waypoint, to));
        let detour = past.saturating_sub(duty::travel_ms(view, view.here, to));
        if self.is_better_gun(view) { detour / 2 } else { detour }
    }

    /// It is a gun that hits much harder than those carried.
    fn is_better_gun(&self, view: &View) -> bool {
        view.field.arsenal.item(self.kind).is == Interest::Weapon && self.worth > ARM_WORTH * view.convars.fetch_guns
    }
}

/// Believed items, without those that could not be got at.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    /// Left alone until then.
    avoided: [(Vec3, Time); AVOIDED],
    next: usize,
    fire: Option<Fire>,
    /// The item that one is on the way to, and how long the rest of the way takes: times between waypoints jump with every waypoint
    /// that one comes by, most of all in the air.
    under_way: Option<(Vec3, u32)>,
}

/// Seconds that going for anything costs besides the way.
const BOTHER_S: f32 = 2.0;
/// Farther than this nothing is fetched.
const FAR_MS: u32 = 20_000;
/// Items are picked up this far from their middle.
const PICK_UP: f32 = 20.0;
/// And no higher or lower than this.
const ITEM_HEIGHT: f32 = 36.0;
/// Player origins lie this far above items on the same floor: 24 and 15 units over it in Quake III.
const ITEM_TO_PLAYER: f32 = 9.0;
/// Below this rate it is not worth a bid.
const RATE_MIN: f32 = 0.5;

impl Shelf {
    /// The best of those wanted that lie there, this near and about as high: most things do not, and cost next to nothing to ask.
    pub(super) fn best_within(&mut self, view: &View, reach: f32, is_allowed: impl Fn(&Want) -> bool) -> Option<Want> {
        let is_near = |item: &BelievedItem| {
            let way = item.origin - view.origin();
            item.is_there && way.z.abs() < ITEM_HEIGHT && way.length_squared() < reach * reach
        };
        view.memory.items().iter().any(is_near).then(|| self.best_of(view, is_near, is_allowed))?
    }

    /// The best of those wanted.
    pub(super) fn best(&mut self, view: &View, is_allowed: impl Fn(&Want) -> bool) -> Option<Want> {
        self.best_of(view, |_| true, is_allowed)
    }

    fn best_of(
        &mut self,
        view: &View,
        is_meant: impl Fn(&BelievedItem) -> bool,
        is_allowed: impl Fn(&Want) -> bool,
    ) -> Option<Want> {
        let mut best: Option<Want> = None;
        // As long as nothing has changed in its hands, guns are worth what they were.
        let fire = self.fire.take().filter(|fire| fire.is_of(view));
        let fire = self.fire.insert(fire.unwrap_or_else(|| Fire::of(view)));
        for item in view.memory.items().iter().filter(|item| is_meant(item)) {
            let worth = worth(view, item.kind, fire);
            let Some(waypoint) = item.waypoint.filter(|_| worth > 0.0) else { continue };
            if is_avoided(&self.avoided, item.origin, view.now) {
                continue;
            }
            let rate_known = best.map_or(f32::NEG_INFINITY, |known: Want| known.rate);
            let left_ms = self.under_way.and_then(|(to, ms)| (to == item.origin).then_some(ms));
            let Some(want) = want(view, item, waypoint, worth, left_ms, rate_known) else { continue };
            if is_allowed(&want) && !want.is_taken(view) {
                best = Some(want);
            }
        }
        best
    }

    /// Nothing to be had there for a while.
    pub(super) fn avoid(&mut self, origin: Vec3, now: Time) {
        self.avoid_until(origin, now + AVOIDED_MS);
    }

    fn avoid_until(&mut self, origin: Vec3, until: Time) {
        self.avoided[self.next] = (origin, until);
        self.next = (self.next + 1) % AVOIDED;
    }
}

impl Shelf {
    /// A life begins for many at once, and all would run for the same until a word has gone round. Where mates stand everyone is
    /// shown: whoever gets most for a second of his way, by what things are worth to this bot, is taken to go for that, then the
    /// next of those who are left, until it is this bot's turn. What the others have by then is left to them until they could be
    /// heard.
    fn leave_to_mates(&mut self, view: &View) {
        let terrain = &view.field.terrain;
        let mut mates = [None; MATES_SEEN];
        let seen =
            view.mates.living().map(|mate| terrain.nearest(mate.origin).map(|near| (mate.entity, near.waypoint)));
        mates.iter_mut().zip(seen).for_each(|(mate, seen)| *mate = seen);
        let fire = &mut Fire::of(view);
        let until = view.now + view.convars.voice_delay_ms + HEARD_MS;
        for _ in 0..AVOIDED {
            let mut best: Option<(f32, EntityId, Vec3)> = None;
            for item in view.memory.items() {
                let worth = worth(view, item.kind, fire);
                let Some(to) = item.waypoint.filter(|_| worth > 0.0) else { continue };
                if is_avoided(&self.avoided, item.origin, view.now) || !item.will_be_there(view.now) {
                    continue;
                }
                for (who, from) in mates.iter().flatten().copied().chain([(view.own.entity, view.here)]) {
                    let Some(ms) = terrain.times.about_ms(from, to).filter(|ms| *ms < FAR_MS) else { continue };
                    let rate = worth / (ms as f32 * 0.001 + BOTHER_S);
                    // Of two at one place the one with the lower number: else each would leave it to the other.
                    if best.is_none_or(|(known, by, _)| rate > known || rate == known && who < by) {
                        best = Some((rate, who, item.origin));
                    }
                }
            }
            let Some((_, who, origin)) = best.filter(|(_, who, _)| *who != view.own.entity) else { return };
            mates.iter_mut().for_each(|mate| *mate = mate.filter(|(entity, _)| *entity != who));
            self.avoid_until(origin, until);
        }
    }
}

fn is_avoided(avoided: &[(Vec3, Time)], origin: Vec3, now: Time) -> bool {
    avoided.iter().any(|(place, until)| *place == origin && now < *until)
}

/// So many mates are watched when a life begins; more than can be avoided for them do not matter.
const MATES_SEEN: usize = 8;
/// Turns come ten a second: a mate's claim is made, and looked at, within two of them after the delay of voice.
const HEARD_MS: i32 = 200;

/// None if it is no better than what is known already, or would not be there.
fn want(
    view: &View,
    item: &BelievedItem,
    waypoint: WaypointId,
    worth: f32,
    left_ms: Option<u32>,
    rate_known: f32,
) -> Option<Want> {
    let travel_ms = left_ms.or_else(|| view.travel_ms(waypoint)).filter(|ms| *ms < FAR_MS)?;
    let rate = worth / (travel_ms as f32 * 0.001 + BOTHER_S);
    if rate <= rate_known {
        return None;
    }
    // Whoever does not time items goes for what lies there, and for what is about to.
    let ahead_ms = (travel_ms as i32).min(view.craft.timing_ms);
    // Whoever is on his way to it waits a moment for it: he may be there sooner than he thought.
    let wait_ms = if left_ms.is_some() { WAIT_MS } else { 0 };
    if !item.will_be_there(view.now + ahead_ms + wait_ms) {
        return None;
    }
    let spot = view.field.terrain.waypoints.origin[waypoint.index()];
    let is_at = spot.truncate().distance(item.origin.truncate()) < PICK_UP;
    let place = item.origin + Vec3::Z * ITEM_TO_PLAYER;
    let destination = if is_at { Destination::Waypoint(waypoint) } else { Destination::Place(place) };
    let interest = view.field.arsenal.item(item.kind).is;
    let mends = matches!(interest, Interest::Health | Interest::Armour);
    Some(Want { kind: item.kind, origin: item.origin, waypoint, destination, mends, worth, rate, travel_ms })
}

/// As much longer a way may be than its rest seems from somewhere along it.
const WAIT_MS: i32 = 1000;
/// Weapons are compared at these distances: a quarter, half and three quarters of the kills against OpenArena's own bots
/// were nearer.
const RANGES: [f32; 3] = [120.0, 230.0, 370.0];
/// Points that a doubling of one's fire power, or of one's life, is worth.
const DOUBLING: f32 = 60.0;
/// What guns would add to the bot's fire power; each is reckoned once, since of some dozens lie about.
#[derive(Clone, Debug)]
struct Fire {
    /// Who shoots, and with what.
    who: Marksman,
    arms: [Arm; WEAPONS_MAX],
    in_hand: WeaponId,
    /// What its best weapons do at those distances.
    armed: [f32; RANGES.len()],
    known: [Option<f32>; WEAPONS_MAX],
}

impl Fire {
    fn of(view: &View) -> Fire {
        let armed = RANGES.map(|range| gunnery::best(&view.field.arsenal, view.own, range, view.marksman()).1);
        let (who, arms, in_hand) = (view.marksman(), view.own.arms, view.own.weapon);
        Fire { who, arms, in_hand, armed, known: [None; WEAPONS_MAX] }
    }

    fn is_of(&self, view: &View) -> bool {
        self.in_hand == view.own.weapon && self.arms == view.own.arms && self.who == view.marksman()
    }

    /// What a gun is worth besides those carried, as a mean over the distances of fights.
    fn more_with(&mut self, weapon: WeaponId, view: &View) -> f32 {
        let armed = &self.armed;
        *self.known[usize::from(weapon.0)].get_or_insert_with(|| {
            let at = |(range, have): (f32, &f32)| {
                let new = gunnery::worth(&view.field.arsenal, weapon, range, view.marksman());
                1.0 - have / new.max(*have).max(1.0)
            };
            let sum: f32 = RANGES.into_iter().zip(armed).map(at).sum();
            2.0 * DOUBLING * sum / RANGES.len() as f32
        })
    }
}

/// What an item adds, in points. Life times fire power decides a fight, so that what counts is by which factor either grows:
/// a factor f is worth 2 (1 - 1/f) doublings.
fn worth(view: &View, kind: ItemKindId, fire: &mut Fire) -> f32 {
    let (arsenal, own, rules) = (&view.field.arsenal, view.own, &view.field.game.rules.health);
    let item = arsenal.item(kind);
    let amount = item.amount as f32;
    let max = rules.max as f32;
    match item.is {
        Interest::Health => {
            // What mends much mends beyond full.
            let most = if amount > max * 0.5 { 2.0 * max } else { max };
            more_life(view, amount.min(most - own.health as f32))
        }
        // Armour takes its share of blows only.
        Interest::Armour => more_life(view, amount.min(2.0 * max - own.armour as f32) * rules.armour_share as f32),
        Interest::Powerup => item.holds.as_deref().map_or(0.0, power_worth),
        Interest::Weapon => arsenal.holds[usize::from(kind.0)].map_or(0.0, |weapon| {
            if own.arms[usize::from(weapon.0)].is_loaded() {
                0.0
            } else {
                fire.more_with(weapon, view) * view.convars.fetch_guns
            }
        }),
        Interest::Ammo => arsenal.holds[usize::from(kind.0)].map_or(0.0, |weapon| {
            let arm = own.arms[usize::from(weapon.0)];
            let full = arsenal.weapon(weapon).ammo.max(1) as f32;
            let missing = 1.0 - (f32::from(arm.rounds) / full).min(1.0);
            if arm.is_carried && view.may_use(weapon) { missing * 15.0 } else { 0.0 }
        }),
        _ => 0.0,
    }
}

/// By what it does, like all else: what multiplies fire power or life by a factor f is worth 2 (1 - 1/f) doublings. The others
/// are guesses: what mends is like having twice the life, and who is hardly seen, or faster, is hit less often.
fn power_worth(power: &str) -> f32 {
    let factor = match power {
        "quad" => mood::STRONG,
        "enviro" | "guard" | "doubler" => mood::SHIELDED,
        "regen" => 2.0,
        "haste" | "scout" => mood::FAST * 1.3,
        "invis" => 1.6,
        "flight" | "ammoregen" => 1.2,
        _ => 1.5,
    };
    2.0 * DOUBLING * (1.0 - 1.0 / factor)
}

/// What so many points more are worth to who has what he has.
fn more_life(view: &View, points: f32) -> f32 {
    let points = points.max(0.0);
    2.0 * DOUBLING * points / (crate::mood::life(view).max(1.0) + points)
}

impl Behaviour for Fetch {
    fn name(&self) -> &'static str {
        "fetching"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let was_going = std::mem::take(&mut self.is_going);
        self.shelf.under_way = None;
        if let Some(want) = &mut self.wanted
            && let Some(left_ms) = limbs.legs.left_ms(want.destination)
        {
            want.travel_ms = left_ms;
            self.shelf.under_way = Some((want.origin, left_ms));
        }
        if let Some(want) = self.wanted.take_if(|want| want.is_taken(view)) {
            self.shelf.avoid_until(want.origin, view.now + LEFT_MS);
            if view.now - self.outrun < AGAIN_MS {
                self.rests_until = view.now + LEFT_MS;
            }
            self.outrun = view.now;
        }
        if !std::mem::replace(&mut self.has_chosen, true) {
            self.shelf.leave_to_mates(view);
        }
        let before = self.wanted;
        let duty = duty::leads_to(view);
        // What it is on its way to may be farther off it: else two ways of the same length are run to and fro between.
        let is_meant = |want: &Want| before.is_some_and(|old| old.origin == want.origin);
        let slack = |want: &Want, ms: u32| if is_meant(want) { 2 * ms } else { ms };
        let lies_by = |want: &Want| duty.is_none_or(|(to, ms)| want.detour_ms(view, to) <= slack(want, ms));
        let rests = view.now < self.rests_until;
        let is_due = |want: &Want| !rests || is_meant(want) || want.is_better_gun(view);
        let best = self.shelf.best(view, |want| want.rate > RATE_MIN && is_due(want) && lies_by(want))?;
        // What it is on its way to stays, unless something is much better.
        let kept = before
            .filter(|old| old.origin != best.origin)
            .and_then(|old| self.shelf.best(view, |want| want.origin == old.origin && want.rate * STAY > best.rate));
        let want = kept.unwrap_or(best);
        (self.wanted, self.claim) = (Some(want), Some(want.claim(view.now)));
        let name = view.field.arsenal.item_name(want.kind);
        let reason = words!("{name} {} s away", Tenths(want.travel_ms as i32));
        // A much better gun is worth more than running after anybody; close by, more than a fight with a poor one.
        if want.is_better_gun(view) {
            let is_at_hand = want.travel_ms < ARM_MS && view.mood.prospect < ARM_PROSPECT;
            let score = if is_at_hand { ARM_SCORE.1 } else { ARM_SCORE.0 };
            return Some(Bid { channels: Channels::LEGS, band: Band::Fight, score, reason });
        }
        if was_going && is_meant(&want) && want.travel_ms < NEARLY_MS {
            return Some(Bid { channels: Channels::LEGS, band: Band::Fight, score: NEARLY_SCORE, reason });
        }
        if duty.is_some() {
            return Some(Bid { channels: Channels::LEGS, band: Band::Objective, score: BY_THE_WAY, reason });
        }
        let score = want.rate / (want.rate + RATE_HALF);
        Some(Bid { channels: Channels::LEGS, band: Band::Need, score, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(want) = self.wanted else { return Outcome::Done(words!("nothing to fetch")) };
        self.is_going = true;
        // In a fight every second counts.
        let manner = if view.mood.enemies_in_sight > 0 { Manner::RUN } else { Manner::GO_ABOUT };
        limbs.legs.go(want.destination, manner);
        match limbs.legs.state() {
            // Standing where it should be and not having it: somebody else has.
            Travelling::Arrived => {
                self.shelf.avoid(want.origin, view.now);
                self.wanted = None;
                Outcome::Done(words!("got there"))
            }
            Travelling::Failed(trouble) => {
                self.shelf.avoid(want.origin, view.now);
                self.wanted = None;
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn claim(&self) -> Option<Claim> {
        self.claim.filter(|_| self.wanted.is_some())
    }

    fn forget(&mut self) {
        (self.wanted, self.has_chosen, self.is_going) = (None, false, false);
    }
}

/// A gun is got during a fight if it is this near and the fight promises no better than this; by how much it then outbids
/// manoeuvring.
const ARM_MS: u32 = 3000;
const ARM_PROSPECT: f32 = 1.5;
/// Between hunting and manoeuvring; above manoeuvring.
const ARM_SCORE: (f32, f32) = (0.6, 0.82);
/// Who is on his way to something and this near does not set off after anybody out of sight before he has it: above hunting, and
/// below picking up even with `goal_hysteresis` on top.
const NEARLY_MS: u32 = 1500;
const NEARLY_SCORE: f32 = 0.54;
/// A quarter more fire power.
const ARM_WORTH: f32 = DOUBLING * 0.4;
/// What lies by the way of a duty is taken along: above the duty itself.
const BY_THE_WAY: f32 = 0.7;
/// Something else must be so many times as good.
const STAY: f32 = 1.6;
/// A rate that makes half a score.
const RATE_HALF: f32 = 10.0;
