//! What a weapon is worth at a distance, and where to point it.
//!
//! In: the game's numbers for a weapon, who holds it ([`Marksman`]), how far the target and how it moves. Out: points of damage
//! a second that may be hoped for ([`worth`]), how long what is fired takes to get there ([`flight_s`]), and how closely the
//! view must lie before a shot is worth its round ([`tolerance`]). Works for any weapon that can be described: nothing here knows a name.
//!
//! A shot is taken to err like a bell in two directions: with s the standard deviation at the target, the chance to
//! be within w of its middle is 1 - exp(-w² / 2s²).

use fireteam_world::Vec3;
use fireteam_world::game::{Impact, WeaponKind};
use fireteam_world::maths;

use crate::arsenal::{Arsenal, WeaponId};
use crate::convar::ConVars;
use crate::grenades::Barred;
use crate::snapshot::{Arm, Own};

/// Half the width of what is shot at, as an average of breadth and height.
const BODY: f32 = 18.0;
/// Units to a unit of distance and a degree.
const PER_DEGREE: f32 = 0.017_453;
/// How far off a target that dodges ends up, in units for each second since it was last known.
const DODGE: f32 = 60.0;
/// Nobody keeps at arm's length from who does not want it: so much of the time a blow lands.
const MELEE_SHARE: f32 = 0.2;
/// What throws in an arc are worth beside what flies straight: they are hard to place.
const ARC_SHARE: f32 = 0.35;
/// Out of a blast's own radius by this factor, one is safe from one's own.
const OWN_BLAST: f32 = 1.15;
/// A point of one's own health is worth so many of another's: there are more of them than of oneself.
const OWN_HEALTH: f32 = 2.0;
/// Share of a blast's damage that a near miss does.
const NEAR_MISS: f32 = 0.45;

/// Who shoots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marksman {
    /// Degrees the hand is off, as one standard deviation.
    pub error: f32,
    /// How far what he knows lags behind: whoever dodges has got on meanwhile.
    pub lag_s: f32,
    /// By how much another weapon must be better than the one he holds.
    pub habit: f32,
    /// What he thinks of what flies in an arc, beside what others do.
    pub throwing: f32,
    /// What he must leave alone.
    pub barred: Barred,
}

/// What an enemy is taken for of whom nothing is known.
const SOMEBODY: Marksman = Marksman { error: 2.0, lag_s: 0.25, habit: 1.0, throwing: 1.0, barred: Barred::NONE };

/// Points of damage a second this weapon may do at `range`; none if it must be left alone.
pub fn worth(arsenal: &Arsenal, id: WeaponId, range: f32, who: Marksman) -> f32 {
    if who.barred.holds(id) {
        return 0.0;
    }
    let weapon = arsenal.weapon(id);
    let shots = 1000.0 / weapon.refire_ms.max(1) as f32;
    match weapon.kind {
        WeaponKind::Melee if range > weapon.range + BODY => 0.0,
        WeaponKind::Melee => weapon.damage as f32 * shots * MELEE_SHARE,
        WeaponKind::Hitscan if range > weapon.range => 0.0,
        WeaponKind::Hitscan => {
            // A cone of half angle a has a standard deviation of about a / 2 in each direction.
            let spread = weapon.spread_degrees * 0.5;
            let aimed = (spread * spread + who.error * who.error).sqrt() * PER_DEGREE * range;
            let dodged = DODGE * who.lag_s;
            let off = (aimed * aimed + dodged * dodged).sqrt();
            weapon.damage as f32 * weapon.pellets as f32 * shots * within(BODY, off)
        }
        WeaponKind::Projectile => projectile_worth(arsenal, id, range, who) * shots,
    }
}

/// Points of damage a second that are to be feared of an enemy's weapon: he may not care what his own blasts do to him.
pub fn feared(arsenal: &Arsenal, id: WeaponId, range: f32) -> f32 {
    let blast = arsenal.fired_by(id).and_then(|(_, missile)| missile.blast.as_ref());
    let range = range.max(blast.map_or(0.0, |blast| blast.radius * OWN_BLAST));
    worth(arsenal, id, range, SOMEBODY)
}

fn projectile_worth(arsenal: &Arsenal, id: WeaponId, range: f32, who: Marksman) -> f32 {
    let Some((_, missile)) = arsenal.fired_by(id) else { return 0.0 };
    let speed = missile.speeds.last().copied().unwrap_or(0.0).max(1.0);
    let dodged = DODGE * (who.lag_s + range / speed);
    let aimed = who.error * PER_DEGREE * range;
    let off = (dodged * dodged + aimed * aimed).sqrt();
    let mut points = missile.damage as f32 * within(BODY, off);
    if let Some(blast) = &missile.blast {
        let near = within(blast.radius * 0.5, off) - within(BODY, off);
        points += blast.damage as f32 * NEAR_MISS * near.max(0.0);
        if range < (blast.radius * OWN_BLAST).max(arming_range(arsenal, id)) {
            points -= blast.damage as f32 * blast.self_share * OWN_HEALTH;
        }
    }
    if missile.gravity > 0.0 { points * ARC_SHARE * who.throwing } else { points }
}

/// How far what is fired flies before it is armed: nearer than that it bounces off whatever it meets.
pub fn arming_range(arsenal: &Arsenal, id: WeaponId) -> f32 {
    arsenal.fired_by(id).map_or(0.0, |(_, missile)| {
        let speed = missile.speeds.last().copied().unwrap_or(0.0);
        if missile.impact == Impact::Explode { speed * missile.arming_ms as f32 * 0.001 } else { 0.0 }
    })
}

/// Chance to be within `width` of the middle when one is off by `deviation`.
fn within(width: f32, deviation: f32) -> f32 {
    let ratio = width / deviation.max(0.1);
    1.0 - maths::exp(-0.5 * ratio * ratio)
}

/// The weapon of those carried that is worth most, and how much. Changing costs time, so the one in hand has an edge.
pub fn best(arsenal: &Arsenal, own: &Own, range: f32, who: Marksman) -> (WeaponId, f32) {
    let allowed = || carried(arsenal, own).map(|(id, _)| id).find(|id| !who.barred.holds(*id));
    let in_hand = if who.barred.holds(own.weapon) { allowed().unwrap_or(own.weapon) } else { own.weapon };
    let mut best = (in_hand, 0.0);
    let mut wanted = 0.0;
    for (id, arm) in carried(arsenal, own) {
        let (edge, habit) = if id == own.weapon { (IN_HAND, who.habit) } else { (1.0, 1.0) };
        let worth = worth(arsenal, id, range, who) * stocked(arsenal, id, arm);
        if worth * habit > wanted {
            wanted = worth * habit;
            best = (id, worth * edge);
        }
    }
    best
}

/// What one already holds is worth more by this: no time is lost over it.
const IN_HAND: f32 = 1.25;

/// Every weapon that could be fired now.
pub fn carried<'a>(arsenal: &'a Arsenal, own: &'a Own) -> impl Iterator<Item = (WeaponId, &'a Arm)> {
    let known = own.arms.iter().take(arsenal.weapons.len()).zip(0..);
    known
        .map(|(arm, id)| (WeaponId(id), arm))
        .filter(|(id, arm)| arm.is_loaded() || arm.is_carried && arsenal.weapon(*id).ammo == 0)
}

/// The clip of what is in hand and what fits into it; none if it has no clip, or nothing to fill it with.
pub fn clip(arsenal: &Arsenal, own: &Own) -> Option<(i16, i32)> {
    let arm = own.arms[usize::from(own.weapon.0)];
    let size = arsenal.weapon(own.weapon).clip;
    (size > 0 && arm.is_carried && arm.rounds > 0).then_some((arm.clip, size))
}

/// Whether so little is left in the clip of what is in hand that a fight will not end with it.
///
/// Less than a share of it or a few rounds, after J. Lampel, "JoeBOT XP, an overview", 2005, 9.4.
pub fn needs_reload(arsenal: &Arsenal, own: &Own, convars: &ConVars) -> bool {
    clip(arsenal, own).is_some_and(|(left, size)| {
        let is_low = f32::from(left) < size as f32 * convars.reload_share;
        i32::from(left) < size && (is_low || i32::from(left) <= convars.reload_rounds)
    })
}

/// The best gun besides the one in hand that could be fired as soon as it is up, and its worth.
pub fn spare(arsenal: &Arsenal, own: &Own, range: f32, who: Marksman) -> Option<(WeaponId, f32)> {
    let is_gun = |id: WeaponId| arsenal.fired_by(id).is_none_or(|(_, thrown)| thrown.wind_up_ms == 0);
    let is_ready = |id: WeaponId, arm: &Arm| {
        let weapon = arsenal.weapon(id);
        weapon.kind != WeaponKind::Melee && (weapon.clip == 0 || arm.clip > 0)
    };
    let guns = carried(arsenal, own).filter(|(id, arm)| *id != own.weapon && is_gun(*id) && is_ready(*id, arm));
    guns.map(|(id, _)| (id, worth(arsenal, id, range, who))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What to have in hand while somebody shoots: the weapon worth most, or if its clip is empty whichever does more of those
/// carried until a fight is over. A pistol is sooner drawn than a rifle loaded.
pub fn best_now(arsenal: &Arsenal, own: &Own, range: f32, who: Marksman) -> WeaponId {
    let (best, _) = best(arsenal, own, range, who);
    let is_empty = |id: WeaponId| arsenal.weapon(id).clip > 0 && own.arms[usize::from(id.0)].clip == 0;
    if !is_empty(best) {
        return best;
    }
    let gain = |id: WeaponId| {
        let ready_s = ready_ms(arsenal, own, id, is_empty(id)) as f32 * 0.001;
        worth(arsenal, id, range, who) * (FIGHT_S - ready_s).max(0.0)
    };
    // The one in hand may be loaded sooner than the best is up.
    let in_hand = carried(arsenal, own).map(|(id, _)| id).find(|id| *id == own.weapon && !who.barred.holds(*id));
    let others = [in_hand, spare(arsenal, own, range, who).map(|(id, _)| id)].into_iter().flatten();
    others.filter(|id| gain(*id) > gain(best)).max_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap_or(best)
}

/// Milliseconds until a weapon could be fired if it were taken up, and loaded if it is empty.
fn ready_ms(arsenal: &Arsenal, own: &Own, id: WeaponId, is_empty: bool) -> i32 {
    let weapon = arsenal.weapon(id);
    if id == own.weapon && own.is_reloading {
        return own.ready_in_ms;
    }
    let change_ms = if id == own.weapon { 0 } else { arsenal.weapon(own.weapon).drop_ms + weapon.raise_ms };
    change_ms + if is_empty { weapon.reload_ms } else { 0 }
}

/// Few rounds are worth less than their damage: they end in the middle of a fight.
fn stocked(arsenal: &Arsenal, id: WeaponId, arm: &Arm) -> f32 {
    let weapon = arsenal.weapon(id);
    if weapon.ammo == 0 {
        return 1.0;
    }
    let seconds = (i32::from(arm.rounds) + i32::from(arm.clip)) as f32 * weapon.refire_ms as f32 * 0.001;
    (seconds / FIGHT_S).clamp(0.2, 1.0)
}

/// A fight is rarely longer.
const FIGHT_S: f32 = 3.0;

/// Seconds until what is fired meets something that is `way` off and moves with `velocity`; 0 for what hits at once.
///
/// For what flies straight with speed s: |d + v t| = s t, so (v² - s²) t² + 2 d·v t + d² = 0, of which the smaller
/// positive root counts. What is launched with p seconds of its flight behind it (`prestep_ms`) meets it at t with
/// |d + v t| = s (t + p): with u = t + p that is the same for d - v p.
pub fn flight_s(arsenal: &Arsenal, id: WeaponId, way: Vec3, velocity: Vec3) -> f32 {
    let Some((_, missile)) = arsenal.fired_by(id) else { return 0.0 };
    let speed = missile.speeds.last().copied().unwrap_or(0.0).max(1.0);
    let behind = missile.prestep_ms as f32 * 0.001;
    (meeting_time(way - velocity * behind, velocity, speed) - behind).clamp(0.0, LEAD_S_MAX)
}

/// How much higher to aim what falls until then.
pub fn rise(arsenal: &Arsenal, id: WeaponId, distance: f32, seconds: f32) -> f32 {
    let drop = arsenal
        .fired_by(id)
        .map_or(0.0, |(_, missile)| 0.5 * missile.gravity * seconds * seconds - missile.upward_bias * distance);
    drop.max(0.0)
}

/// Nobody goes straight on for longer.
const LEAD_S_MAX: f32 = 1.2;

fn meeting_time(way: Vec3, velocity: Vec3, speed: f32) -> f32 {
    let a = velocity.length_squared() - speed * speed;
    let b = 2.0 * way.dot(velocity);
    let c = way.length_squared();
    if a.abs() < 1.0 {
        return if b < 0.0 { -c / b } else { way.length() / speed };
    }
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    let (first, second) = ((-b - root) / (2.0 * a), (-b + root) / (2.0 * a));
    let (early, late) = if first < second { (first, second) } else { (second, first) };
    if early > 0.0 {
        early
    } else if late > 0.0 {
        late
    } else {
        way.length() / speed
    }
}

/// Degrees the view may lie off the place aimed at for a shot to be worth its round.
pub fn tolerance(arsenal: &Arsenal, id: WeaponId, range: f32) -> f32 {
    let weapon = arsenal.weapon(id);
    let body = BODY / (range.max(BODY) * PER_DEGREE);
    let blast = arsenal.fired_by(id).and_then(|(_, missile)| missile.blast.as_ref());
    let splash = blast.map_or(0.0, |blast| blast.radius * 0.25 / (range.max(BODY) * PER_DEGREE));
    // A stream of cheap rounds may begin before the hand is quite there.
    let stream = if weapon.refire_ms <= STREAM_MS { STREAM } else { 1.0 };
    ((body + weapon.spread_degrees * 0.5) * stream).max(splash).min(TOLERANCE_MAX)
}

/// Weapons that fire so fast are streams, and may be this much farther off.
const STREAM_MS: i32 = 150;
const STREAM: f32 = 1.5;

/// However near: this far off is not aiming.
const TOLERANCE_MAX: f32 = 15.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Team;
    use fireteam_world::Game;
    use fireteam_world::movement::Player;
    use fireteam_world::units::EntityId;

    fn openarena() -> Arsenal {
        Arsenal::of(&Game::named("openarena").expect("built in"))
    }

    fn id(arsenal: &Arsenal, name: &str) -> WeaponId {
        arsenal.weapon_named(name).unwrap_or_else(|| panic!("{name} is described"))
    }

    #[test]
    fn weapons_are_worth_what_players_say_of_them() {
        let arsenal = openarena();
        let who = Marksman { error: 1.5, lag_s: 0.2, ..SOMEBODY };
        let worth = |name: &str, range| worth(&arsenal, id(&arsenal, name), range, who);
        assert!(worth("shotgun", 150.0) > worth("machinegun", 150.0), "close by, the shotgun");
        assert!(worth("machinegun", 1500.0) > worth("shotgun", 1500.0), "far off, the machinegun");
        assert!(worth("lightning", 500.0) > worth("machinegun", 500.0));
        assert_eq!(worth("lightning", 1000.0), 0.0, "lightning ends");
        assert_eq!(worth("gauntlet", 200.0), 0.0, "arms are short");
        assert!(worth("rocket-launcher", 60.0) < worth("machinegun", 60.0), "not at one's own feet");
        assert!(worth("rocket-launcher", 400.0) > worth("machinegun", 400.0));
    }

    #[test]
    fn a_rocket_is_feared_at_arms_length_too_and_blows_are_not_worth_running_after() {
        let arsenal = openarena();
        let rocket = id(&arsenal, "rocket-launcher");
        assert!(worth(&arsenal, rocket, 40.0, SOMEBODY) < 0.0, "oneself one would not");
        assert!(feared(&arsenal, rocket, 40.0) > 40.0);
        let who = Marksman { error: 0.6, lag_s: 0.15, ..SOMEBODY };
        let (gauntlet, gun) = (id(&arsenal, "gauntlet"), id(&arsenal, "machinegun"));
        assert!(worth(&arsenal, gauntlet, 40.0, who) < worth(&arsenal, gun, 40.0, who));
    }

    #[test]
    fn who_is_fond_of_grenades_has_the_launcher_out_where_others_shoot() {
        let arsenal = openarena();
        let (gun, launcher) = (id(&arsenal, "machinegun"), id(&arsenal, "grenade-launcher"));
        let rather = |throwing: f32, range: f32| {
            let who = Marksman { error: 3.0, lag_s: 0.45, throwing, ..SOMEBODY };
            worth(&arsenal, launcher, range, who) > worth(&arsenal, gun, range, who)
        };
        let ranges = |throwing: f32| (1..40).filter(|tens| rather(throwing, *tens as f32 * 25.0)).count();
        assert!(ranges(1.4) > ranges(0.6), "{} and {} of 39 distances", ranges(1.4), ranges(0.6));
    }

    /// Somebody with a rifle in his hand and a pistol, with so many rounds in their clips and besides.
    fn armed(arsenal: &Arsenal, rifle: [i16; 2], pistol: [i16; 2]) -> Own {
        let mut own = Own {
            entity: EntityId(1),
            team: Team(1),
            life: 1,
            body: Player::at(Vec3::ZERO, &Game::named("skirmish").expect("built in").rules.movement),
            health: 100,
            armour: 0,
            weapon: id(arsenal, "rifle"),
            ready_in_ms: 0,
            is_reloading: false,
            arms: Default::default(),
            armed_ms: None,
            keys: 0,
            powers: 0,
            hurt: None,
            has_hit: false,
            may_respawn: false,
        };
        for (name, [clip, rounds]) in [("rifle", rifle), ("pistol", pistol)] {
            own.arms[usize::from(id(arsenal, name).0)] = Arm { is_carried: true, rounds, clip };
        }
        own
    }

    #[test]
    fn a_pistol_is_drawn_when_the_rifle_is_empty_and_kept_only_while_it_is_loaded() {
        let arsenal = Arsenal::of(&Game::named("skirmish").expect("built in"));
        let [rifle, pistol] = ["rifle", "pistol"].map(|name| id(&arsenal, name));
        let now = |own: &Own| best_now(&arsenal, own, 300.0, SOMEBODY);
        assert_eq!(now(&armed(&arsenal, [2, 90], [15, 30])), rifle, "there is something in it");
        let mut own = armed(&arsenal, [0, 90], [15, 30]);
        assert_eq!(now(&own), pistol);
        (own.is_reloading, own.ready_in_ms) = (true, 200);
        assert_eq!(now(&own), rifle, "it is nearly loaded");
        let mut own = Own { weapon: pistol, ..armed(&arsenal, [0, 90], [5, 30]) };
        assert_eq!(now(&own), pistol, "nobody goes back to an empty rifle in a fight");
        own.arms[usize::from(pistol.0)] = Arm { is_carried: true, rounds: 0, clip: 0 };
        assert_eq!(now(&own), rifle, "a gun with nothing left is of no use");
    }

    #[test]
    fn a_clip_is_nearly_empty_below_a_share_or_at_a_few_rounds_but_never_full() {
        let mut arsenal = Arsenal::of(&Game::named("skirmish").expect("built in"));
        let convars = ConVars::default();
        let needs = |arsenal: &Arsenal, clip: i16, rounds: i16| {
            needs_reload(arsenal, &armed(arsenal, [clip, rounds], [0, 0]), &convars)
        };
        assert!(needs(&arsenal, 4, 90) && !needs(&arsenal, 5, 90), "15 % of 30");
        assert!(!needs(&arsenal, 2, 0), "nothing to load");
        let rifle = usize::from(id(&arsenal, "rifle").0);
        arsenal.weapons[rifle].clip = 10;
        assert!(needs(&arsenal, 2, 90) && !needs(&arsenal, 3, 90));
        arsenal.weapons[rifle].clip = 2;
        assert!(!needs(&arsenal, 2, 90), "full");
        arsenal.weapons[rifle].clip = 0;
        assert!(!needs(&arsenal, 0, 90), "no clip");
    }

    #[test]
    fn a_led_missile_meets_its_target() {
        let arsenal = openarena();
        let rocket = id(&arsenal, "rocket-launcher");
        let (place, velocity) = (Vec3::new(800.0, 0.0, 0.0), Vec3::new(0.0, 300.0, 0.0));
        let seconds = flight_s(&arsenal, rocket, place, velocity);
        // It leaves with 50 ms of its flight behind it.
        assert!(((place + velocity * seconds).length() - 900.0 * (seconds + 0.05)).abs() < 2.0, "{seconds} s");
        assert_eq!(flight_s(&arsenal, id(&arsenal, "railgun"), place, velocity), 0.0);
    }
}
