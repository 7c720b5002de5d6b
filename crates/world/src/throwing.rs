//! One throw, judged: what it does to a target, what to the thrower, and whether a person would throw like that.
//!
//! In: a [`Range`] (game, throwable, what is flown through), who throws from where, at whom. Out: [`Marks`], one for each
//! of eight properties, and their [`Verdict`] over a [`Salvo`]: the same throw as an unsteady hand and an inexact place
//! make it, of which the weaker half counts. A throw that only works when done perfectly is no good throw.
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 5.3: the properties, and the "pessimistic
//! average" over deviations. Departures: who stands elsewhere aims for the same spot, as the bot will (5.1), and only turns
//! by the angle of the hand; a target stands anywhere in its cell.
//!
//! Not here: looking for throws (`seek`, and the bake). Cost: a salvo is [`DEVIATIONS`] + 1 flights and up to 4 rays,
//! shared by all targets; a verdict is as many blasts.

use glam::Vec3;

use crate::blast::{self, Target};
use crate::contents::Contents;
use crate::flight::{self, Air, EndReason, Throw, Thrower};
use crate::game::{Blast, Game, Throwable};
use crate::maths::dot;
use crate::movement::Stance;
use crate::pcg::Pcg;
use crate::trace::Sweep;
use crate::units::{EntityId, Time};

pub mod seek;

/// Somebody somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    pub origin: Vec3,
    pub stance: Stance,
}

/// What stays the same for all throws: whose rules, what is thrown, and through what.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    pub game: &'a Game,
    pub throwable: &'a Throwable,
    pub blast: &'a Blast,
    pub air: Air<'a>,
}

/// What is kept of a flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flown {
    /// Where it goes off.
    pub place: Vec3,
    /// Whether it goes off at all, and does not vanish in the sky.
    pub explodes: bool,
    /// Where it first touched anything, or where it went off if it touched nothing: the spot to aim for.
    pub first: Vec3,
    /// From leaving the hand to that; to lying still (or going off); to going off.
    pub first_ms: i32,
    pub rest_ms: i32,
    pub end_ms: i32,
    /// Bounces, and on how many planes: those that follow each other on a like plane count once.
    pub bounces: u32,
    pub planes: u32,
    /// The first mover it bounced off, or went off at.
    pub mover: Option<EntityId>,
}

/// How unsteady a hand is: each the most it is off, either way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    pub degrees: f32,
    pub speed: f32,
    pub place: f32,
}

/// How many unsteady throws a steady one is judged by.
pub const DEVIATIONS: usize = 12;

/// Normals with a dot product above this are of like planes.
const LIKE_NORMALS: f32 = 0.93;

impl Hand {
    /// As unsteady as the game makes it, and at least as a good player's is where a game leaves the hand alone.
    pub fn of(throwable: &Throwable) -> Hand {
        /// A bot's aim settles to this.
        const AIM_DEGREES: f32 = 0.5;
        Hand {
            degrees: throwable.deviation_degrees.max(AIM_DEGREES),
            speed: throwable.deviation_speed,
            place: throwable.deviation_place,
        }
    }

    /// The throw as it leaves the hand this time.
    pub fn unsteady(&self, throw: &Throw, chance: &mut Pcg) -> Throw {
        Throw {
            yaw: throw.yaw + chance.range(-self.degrees, self.degrees),
            pitch: throw.pitch + chance.range(-self.degrees, self.degrees),
            speed: throw.speed + chance.range(-self.speed, self.speed),
            ..*throw
        }
    }
}

impl<'a> Range<'a> {
    /// None if what is thrown does not explode.
    pub fn of(game: &'a Game, throwable: &'a Throwable, air: Air<'a>) -> Option<Range<'a>> {
        Some(Range { game, throwable, blast: throwable.blast.as_ref()?, air })
    }

    pub fn thrower(&self, stand: &Stand) -> Thrower {
        let view_height = self.game.rules.movement.eye_height(stand.stance) as f32;
        Thrower { origin: stand.origin, view_height, velocity: Vec3::ZERO, entity: None }
    }

    pub fn fly(&self, from: &Stand, throw: &Throw) -> Flown {
        let launch = self.throwable.launch(&self.thrower(from), throw, Time(0));
        let mut flown = Flown {
            place: launch.muzzle,
            explodes: false,
            first: launch.muzzle,
            first_ms: 0,
            rest_ms: 0,
            end_ms: 0,
            bounces: 0,
            planes: 0,
            mover: None,
        };
        let mut normal = Vec3::ZERO;
        let ending = flight::fly_noting(&launch, self.throwable, self.game.flight_rules(), &self.air, |bounce| {
            if flown.bounces == 0 {
                (flown.first, flown.first_ms) = (bounce.point, bounce.time.0);
            }
            flown.bounces += 1;
            flown.planes += u32::from(dot(normal, bounce.normal) <= LIKE_NORMALS);
            flown.mover = flown.mover.or(bounce.entity);
            flown.rest_ms = bounce.time.0;
            normal = bounce.normal;
        });
        flown.place = ending.place;
        flown.end_ms = ending.time.0;
        flown.explodes = ending.reason != EndReason::Gone;
        flown.mover = flown.mover.or(ending.entity);
        if flown.bounces == 0 {
            (flown.first, flown.first_ms) = (ending.place, ending.time.0);
        }
        if !ending.rested {
            flown.rest_ms = ending.time.0;
        }
        flown
    }

    /// Points it costs somebody if it goes off there.
    pub fn points(&self, place: Vec3, who: &Stand, is_thrower: bool) -> i32 {
        let target = self.target(who, is_thrower);
        // Most are far away, and asking the blast costs more than looking.
        let reach = self.blast.radius + target.hull.maxs.z - target.hull.mins.z;
        if place.distance_squared(who.origin) > reach * reach {
            return 0;
        }
        blast::harm(place, self.blast, self.game, &target, &self.air.scene).map_or(0, |harm| harm.points)
    }

    fn target(&self, who: &Stand, is_thrower: bool) -> Target {
        Target {
            origin: who.origin,
            hull: self.game.rules.movement.hull(who.stance),
            stance: who.stance,
            entity: None,
            is_self: is_thrower,
            is_carried: false,
        }
    }

    /// The most it may cost a target, known without a look at what stands between.
    fn points_max_of(&self, flown: &Flown, who: &Stand) -> i32 {
        if !flown.explodes {
            return 0;
        }
        blast::points_max(flown.place, self.blast, self.game, &self.target(who, false))
    }

    /// The same throw from beside: the one that comes by the same spot. As it was, if none does.
    pub fn aimed_again(&self, from: &Stand, throw: &Throw, spot: Vec3) -> Throw {
        let off = |other: &Throw| (turn(other.yaw, throw.yaw)).abs() + (other.pitch - throw.pitch).abs();
        let aims = self.throwable.aims(&self.thrower(from), spot, throw.speed).into_iter().flatten();
        let nearest = aims.min_by(|a, b| off(a).total_cmp(&off(b)));
        nearest.map_or(*throw, |aim| Throw { cooked_ms: throw.cooked_ms, ..aim })
    }

    /// How well the thrower sees where it first touches: 1 if he does, less if only a place above it, as behind a sill or
    /// in a pit, little if not even that.
    fn sees_first(&self, from: &Stand, flown: &Flown) -> f32 {
        /// Heights above the spot that are looked at.
        const ABOVE: [f32; 3] = [24.0, 56.0, 96.0];
        let thrower = self.thrower(from);
        let eye = thrower.origin + Vec3::Z * thrower.view_height;
        let scene = &self.air.scene;
        let is_free = |from: Vec3, to: Vec3| !scene.sweep(&Sweep::ray(from, to, Contents::MASK_OPAQUE), None).is_hit();
        if is_free(eye, flown.first) {
            return 1.0;
        }
        let above = ABOVE.map(|height| flown.first + Vec3::Z * height);
        let mut open = above.iter().take_while(|above| is_free(flown.first, **above));
        if open.any(|above| is_free(eye, *above)) { ALMOST_SEEN } else { UNSEEN }
    }
}

const ALMOST_SEEN: f32 = 0.8;
const UNSEEN: f32 = 0.2;

/// By how many degrees one yaw lies to the left of another, from -180 to 180.
pub fn turn(to: f32, from: f32) -> f32 {
    let turn = (to - from).rem_euclid(360.0);
    if turn > 180.0 { turn - 360.0 } else { turn }
}

/// A throw, steady and unsteady: flown once, judged for as many targets as one likes.
#[derive(Clone, Copy, Debug)]
pub struct Salvo {
    pub throw: Throw,
    pub from: Stand,
    pub steady: Flown,
    pub unsteady: [Flown; DEVIATIONS],
    /// What each unsteady one costs the thrower, and the most any of them does, the steady one included.
    pub unsteady_own_points: [i32; DEVIATIONS],
    pub own_points: i32,
    /// As [`Marks::sees_first`].
    pub sees_first: f32,
}

/// Where the thrower and the target really are in unsteady throw number so and so: somewhere in their cells.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The middle, which the throw is stored for.
    pub stand: Stand,
    /// Origins all over the cell; one is as good as none, and empty is the middle.
    pub origins: &'a [Vec3],
}

impl Cell<'_> {
    /// Where in the cell somebody is, the `number`th time.
    pub fn stand(&self, number: usize) -> Stand {
        if self.origins.is_empty() {
            return self.stand;
        }
        Stand { origin: self.origins[number % self.origins.len()], ..self.stand }
    }
}

impl Salvo {
    /// Flies a throw steadily from the middle, and unsteadily from all over the cell.
    pub fn fly(range: &Range<'_>, hand: &Hand, from: &Cell<'_>, throw: &Throw) -> Salvo {
        let mut volley = Volley::begin(range, from, throw);
        while volley.fly_one(range, hand, from) {}
        *volley.finish(range)
    }

    /// The unsteady throws, each with where in the cell it is thrown from; `steady` is the flight of the steady one.
    pub fn unsteady_throws(
        range: &Range<'_>,
        hand: &Hand,
        from: &Cell<'_>,
        throw: &Throw,
        steady: &Flown,
    ) -> [(Stand, Throw); DEVIATIONS] {
        let mut chance = Salvo::chance();
        std::array::from_fn(|number| {
            let stand = from.stand(number);
            (stand, hand.unsteady(&aimed(range, &stand, throw, steady), &mut chance))
        })
    }

    /// The same unsteadiness for every throw, so that of two the steadier wins and not the luckier.
    fn chance() -> Pcg {
        Pcg::new(1, DEVIATIONS as u64)
    }

    /// How many of the unsteady throws hurt the thrower.
    pub fn own_hits(&self) -> usize {
        self.unsteady_own_points.iter().filter(|&&points| points > 0).count()
    }

    /// What it is worth against somebody.
    pub fn verdict(&self, range: &Range<'_>, at: &Cell<'_>) -> Verdict {
        let hits = std::array::from_fn(|number| range.points_of(&self.unsteady[number], &at.stand(number), false));
        self.verdict_of(range, at, &hits)
    }

    /// The same, where it is known what each unsteady throw costs him.
    fn verdict_of(&self, range: &Range<'_>, at: &Cell<'_>, hits: &[i32; DEVIATIONS]) -> Verdict {
        let scores: [f32; DEVIATIONS] = std::array::from_fn(|number| self.score(range, at, number, hits[number]));
        let delivered = hits.iter().filter(|points| **points > 0).count();
        let steady_points = range.points_of(&self.steady, &at.stand, false);
        Verdict {
            score: weaker_mean(&scores),
            delivered: delivered as f32 / DEVIATIONS as f32,
            points: hits.iter().sum::<i32>() as f32 / DEVIATIONS as f32,
            marks: self.marks(range, &self.steady, &at.stand, [steady_points, self.own_points]),
        }
    }

    /// Of one of the unsteady throws, which costs the target so many points.
    fn score(&self, range: &Range<'_>, at: &Cell<'_>, number: usize, points: i32) -> f32 {
        let harm = [points, self.unsteady_own_points[number]];
        self.marks(range, &self.unsteady[number], &at.stand(number), harm).score()
    }

    /// `harm` is what it costs the target and the thrower.
    fn marks(&self, range: &Range<'_>, flown: &Flown, at: &Stand, harm: [i32; 2]) -> Marks {
        let [points, own_points] = harm;
        /// A bounce this far away is half as good as one at the end of the world.
        const FAR: f32 = 128.0;
        /// Of planes touched, from none.
        const PLANES: [f32; 6] = [1.0, 1.0, 0.8, 0.5, 0.25, 0.1];
        /// Throwing up to this far aside from the target looks natural; from there on less, and at the other not at all.
        const CONE: [f32; 2] = [30.0, 120.0];
        let full = range.blast.damage.min(range.game.rules.health.spawn) as f32;
        let way = at.origin - self.from.origin;
        let aside = turn(self.throw.yaw, crate::maths::atan2(way.y, way.x).to_degrees()).abs();
        let fastest = range.throwable.speeds.iter().copied().fold(0.0, f32::max);
        let far = flown.first.distance(self.from.origin);
        Marks {
            damage: (points as f32 / full).min(1.0),
            nearness: (1.0 - flown.place.distance(at.origin) / (2.0 * range.blast.radius)).max(0.0),
            safety: (1.0 - own_points as f32 / full * 4.0).max(0.0),
            far_first: far / (far + FAR),
            sees_first: self.sees_first,
            planes: PLANES[(flown.planes as usize).min(PLANES.len() - 1)],
            cone: 1.0 - ((aside - CONE[0]) / (CONE[1] - CONE[0])).clamp(0.0, 1.0),
            speed: (self.throw.speed / fastest).min(1.0),
        }
    }
}

/// How many of the unsteady throws count: the weaker half.
const WEAKER: usize = DEVIATIONS / 2;

fn weaker_mean(scores: &[f32; DEVIATIONS]) -> f32 {
    let mut scores = *scores;
    scores.sort_unstable_by(f32::total_cmp);
    scores[..WEAKER].iter().sum::<f32>() / WEAKER as f32
}

/// The throw as it is aimed from beside.
fn aimed(range: &Range<'_>, stand: &Stand, throw: &Throw, steady: &Flown) -> Throw {
    if steady.bounces > 0 { range.aimed_again(stand, throw, steady.first) } else { *throw }
}

/// A [`Salvo`] under way: its unsteady throws are flown one by one, as far as somebody needs to know.
#[derive(Clone, Debug)]
pub struct Volley {
    salvo: Salvo,
    /// As each was aimed, before the hand's error.
    aimed: [Throw; DEVIATIONS],
    chance: Pcg,
    /// So many of the unsteady throws have been flown.
    flown: usize,
    own_hits: usize,
    has_looked: bool,
}

/// What a throw must be to be asked further about.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Most of the unsteady throws that may miss, and that may hurt the thrower.
    pub misses_max: usize,
    pub own_hits_max: usize,
    /// A better score than this.
    pub score: f32,
}

/// What a [`Verdict`] says of a throw that met a demand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    pub score: f32,
    pub delivered: f32,
}

/// A throw that did not meet a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// How many of the unsteady throws had hurt the target when that was known.
    pub hits: usize,
}

impl Volley {
    /// Flies the steady throw.
    pub fn begin(range: &Range<'_>, from: &Cell<'_>, throw: &Throw) -> Volley {
        Volley::of(range, from, throw, range.fly(&from.stand, throw))
    }

    /// The same, if it has been flown before.
    pub fn of(range: &Range<'_>, from: &Cell<'_>, throw: &Throw, steady: Flown) -> Volley {
        let salvo = Salvo {
            throw: *throw,
            from: from.stand,
            steady,
            unsteady: [steady; DEVIATIONS],
            unsteady_own_points: [0; DEVIATIONS],
            own_points: range.points_of(&steady, &from.stand, true),
            sees_first: 0.0,
        };
        let aimed = [*throw; DEVIATIONS];
        Volley { salvo, aimed, chance: Salvo::chance(), flown: 0, own_hits: 0, has_looked: false }
    }

    pub fn own_hits(&self) -> usize {
        self.own_hits
    }

    /// Whether none of it hurts the thrower; flies it up to the first that does.
    pub fn is_safe(&mut self, range: &Range<'_>, hand: &Hand, from: &Cell<'_>) -> bool {
        while self.salvo.own_points == 0 && self.fly_one(range, hand, from) {}
        self.salvo.own_points == 0
    }

    /// What it is worth against somebody, if it meets the demand; it is flown no further than it takes to know.
    pub fn worth(
        &mut self,
        range: &Range<'_>,
        hand: &Hand,
        from: &Cell<'_>,
        at: &Cell<'_>,
        demand: &Demand,
    ) -> Result<Worth, Refused> {
        // Only against a rival is it worth while to reckon what it could score at best: else misses decide.
        let has_rival = demand.score > best_score(demand.misses_max);
        let mut scores = if has_rival { self.scores_max(range, at) } else { [1.0; DEVIATIONS] };
        let mut points = [0; DEVIATIONS];
        let mut hits = 0;
        for number in 0..DEVIATIONS {
            if has_rival && weaker_mean(&scores) <= demand.score {
                return Err(Refused { hits });
            }
            if number == self.flown {
                self.fly_one(range, hand, from);
            }
            points[number] = range.points_of(&self.salvo.unsteady[number], &at.stand(number), false);
            hits += usize::from(points[number] > 0);
            let misses = number + 1 - hits;
            let is_too_bad = misses > demand.misses_max || self.own_hits > demand.own_hits_max;
            if is_too_bad || best_score(misses) <= demand.score {
                return Err(Refused { hits });
            }
            if has_rival {
                scores[number] = self.salvo.score(range, at, number, points[number]);
            }
        }
        if !has_rival {
            let salvo = self.finish(range);
            scores = std::array::from_fn(|number| salvo.score(range, at, number, points[number]));
        }
        let worth = Worth { score: weaker_mean(&scores), delivered: hits as f32 / DEVIATIONS as f32 };
        if worth.score > demand.score { Ok(worth) } else { Err(Refused { hits }) }
    }

    /// The most that each of the unsteady throws can score: those that have been flown, if nothing hides the target; others,
    /// if they go off at his feet.
    fn scores_max(&mut self, range: &Range<'_>, at: &Cell<'_>) -> [f32; DEVIATIONS] {
        let flown = self.flown;
        let salvo = self.finish(range);
        std::array::from_fn(|number| {
            let stand = at.stand(number);
            if number < flown {
                return salvo.score(range, at, number, range.points_max_of(&salvo.unsteady[number], &stand));
            }
            let known = salvo.marks(range, &salvo.steady, &stand, [0, 0]);
            Marks { damage: 1.0, nearness: 1.0, safety: 1.0, far_first: 1.0, planes: 1.0, ..known }.score()
        })
    }

    pub fn steady(&self) -> &Flown {
        &self.salvo.steady
    }

    /// Flies the next unsteady throw; false if there is none.
    fn fly_one(&mut self, range: &Range<'_>, hand: &Hand, from: &Cell<'_>) -> bool {
        let (number, salvo) = (self.flown, &mut self.salvo);
        if number == DEVIATIONS {
            return false;
        }
        let stand = from.stand(number);
        // Who stands where he stood before aims as he did.
        self.aimed[number] = match number.checked_sub(from.origins.len().max(1)) {
            Some(before) => self.aimed[before],
            None => aimed(range, &stand, &salvo.throw, &salvo.steady),
        };
        let flown = range.fly(&stand, &hand.unsteady(&self.aimed[number], &mut self.chance));
        let own_points = range.points_of(&flown, &stand, true);
        (salvo.unsteady[number], salvo.unsteady_own_points[number]) = (flown, own_points);
        salvo.own_points = salvo.own_points.max(own_points);
        self.own_hits += usize::from(own_points > 0);
        self.flown += 1;
        true
    }

    /// With how well the first bounce is seen.
    fn finish(&mut self, range: &Range<'_>) -> &Salvo {
        if !self.has_looked {
            self.has_looked = true;
            self.salvo.sees_first = range.sees_first(&self.salvo.from, &self.salvo.steady);
        }
        &self.salvo
    }
}

/// The best score of a throw of which so many unsteady ones miss.
fn best_score(misses: usize) -> f32 {
    let misses = misses.min(WEAKER) as f32 / WEAKER as f32;
    1.0 - misses * (1.0 - Marks::USELESS)
}

impl Range<'_> {
    pub(crate) fn points_of(&self, flown: &Flown, who: &Stand, is_thrower: bool) -> i32 {
        if flown.explodes { self.points(flown.place, who, is_thrower) } else { 0 }
    }
}

/// Eight properties of one flight, each from 0 (bad) to 1 (good).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// What it does to the target.
    pub damage: f32,
    /// How near it goes off, walls or not: what leads a search to throws that hurt.
    pub nearness: f32,
    /// What it does not do to the thrower.
    pub safety: f32,
    /// How far away it first touches: near the hand, small errors become large ones.
    pub far_first: f32,
    /// Whether the thrower sees that spot.
    pub sees_first: f32,
    /// How few planes it bounces off.
    pub planes: f32,
    /// How much it goes towards the target.
    pub cone: f32,
    /// How fast it is: the faster, the less a hand's error weighs.
    pub speed: f32,
}

impl Marks {
    /// In the order of the fields; what hurts whom outweighs all looks.
    pub const WEIGHTS: [f32; 8] = [8.0, 1.0, 4.0, 1.5, 1.5, 2.0, 1.0, 0.5];
    /// What is left of a throw that hurts nobody, or its thrower.
    const USELESS: f32 = 0.2;

    pub fn each(&self) -> [(&'static str, f32); 8] {
        [
            ("damage", self.damage),
            ("nearness", self.nearness),
            ("safety", self.safety),
            ("far first bounce", self.far_first),
            ("sees first bounce", self.sees_first),
            ("few planes", self.planes),
            ("towards the target", self.cone),
            ("fast", self.speed),
        ]
    }

    pub fn score(&self) -> f32 {
        let sum: f32 = self.each().iter().zip(Marks::WEIGHTS).map(|((_, mark), weight)| mark * weight).sum();
        let mean = sum / Marks::WEIGHTS.iter().sum::<f32>();
        if self.damage > 0.0 && self.safety >= 1.0 { mean } else { mean * Marks::USELESS }
    }
}

/// A throw against a target, with all that an unsteady hand makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The mean of the weaker half of the unsteady throws' scores.
    pub score: f32,
    /// The share of them that hurts the target, and by how much on average.
    pub delivered: f32,
    pub points: f32,
    /// Of the steady throw.
    pub marks: Marks,
}
