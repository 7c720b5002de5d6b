//! Movers as believed: a door is shut until it is seen open, and shut again some time after.
//!
//! How movers stand when a level begins is known from the map. One that is seen is believed to follow the motion it was
//! seen in. One that is seen not to be where it was believed to be is believed at its other end. One that has not been
//! seen for longer than it takes to come back is believed at rest.

use fireteam_terrain::MoverSpot;
use fireteam_world::mover::{self, Motion, MotionKind};
use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Contents, Vec3};

use crate::convar::ConVars;
use crate::field::Field;
use crate::snapshot::Mover;

/// A mover as believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelievedMover {
    pub model: ModelId,
    /// Its number in the game; until it has been seen, its number in the map.
    pub entity: EntityId,
    pub position: Motion,
    pub angles: Motion,
    /// It is known not to be where it was, and where else it could be is not.
    pub is_away: bool,
    /// When it was last seen, or seen not to be there; none if never.
    pub seen: Option<Time>,
    /// Where it is now.
    now: Placed,
    /// How it stands when a level begins.
    rest: Rest,
    /// It does not move, and `now` says where it is.
    is_settled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rest {
    position: Motion,
    angles: Motion,
    /// After how long unseen it must be back there; none if it need not come back.
    back_ms: Option<i32>,
}

impl BelievedMover {
    /// Where it is believed to stand; none if it is only known where it is not.
    pub fn placed(&self) -> Option<Placed> {
        (!self.is_away).then_some(self.now)
    }

    fn set(&mut self, position: Motion, angles: Motion) {
        (self.position, self.angles, self.is_away) = (position, angles, false);
        self.is_settled = false;
    }

    fn set_away(&mut self) {
        (self.is_away, self.is_settled) = (true, false);
    }

    /// Believed to stand as it does when a level begins: a door shut.
    pub fn is_at_rest(&self) -> bool {
        !self.is_away && self.position == self.rest.position && self.angles == self.rest.angles
    }
}

/// All movers of the map, in its order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Movers {
    all: Vec<BelievedMover>,
    /// Where each of them is now.
    placed: Vec<Placed>,
    /// None of them is believed to move, or to be about to.
    are_still: bool,
}

impl Movers {
    pub(super) fn of(field: &Field) -> Movers {
        let movers = mover::Movers::of(&field.map, &field.game, Time(0));
        let believed = |placed: &Placed| {
            let report = movers.state(placed.entity)?;
            let stays = |motion: &Motion| motion.kind == MotionKind::Stationary;
            let comes_back = |spot: &&MoverSpot| spot.wait_ms >= 0 && stays(&report.position) && stays(&report.angles);
            let back_ms = spot_of(field, placed.model)
                .filter(comes_back)
                .map(|spot| spot.wait_ms.saturating_add(2 * spot.travel_ms.min(MINUTE_MS) as i32));
            Some(BelievedMover {
                model: placed.model,
                entity: placed.entity,
                position: report.position,
                angles: report.angles,
                is_away: false,
                seen: None,
                now: *placed,
                rest: Rest { position: report.position, angles: report.angles, back_ms },
                is_settled: false,
            })
        };
        let all: Vec<BelievedMover> = movers.placed().iter().filter_map(believed).collect();
        let placed = all.iter().map(|mover| mover.now).collect();
        Movers { all, placed, are_still: false }
    }

    pub(super) fn all(&self) -> &[BelievedMover] {
        &self.all
    }

    pub(super) fn placed(&self) -> &[Placed] {
        &self.placed
    }

    pub(super) fn of_model(&self, model: ModelId) -> Option<&BelievedMover> {
        self.all.iter().find(|mover| mover.model == model)
    }

    pub(super) fn see(&mut self, mover: &Mover, at: Time) {
        let Some(known) = self.all.iter_mut().find(|known| known.model == mover.model) else { return };
        known.seen = Some(at);
        if (known.entity, known.position, known.angles) != (mover.entity, mover.position, mover.angles) || known.is_away
        {
            known.entity = mover.entity;
            known.set(mover.position, mover.angles);
            self.are_still = false;
        }
    }

    /// It is not where it was believed to be: then at its other end, if it has two.
    pub(super) fn miss(&mut self, model: ModelId, at: Time, field: &Field) {
        let Some(known) = self.all.iter_mut().find(|known| known.model == model) else { return };
        // What was learnt since the look that this percept tells of counts more.
        if known.seen.is_some_and(|seen| seen >= at) {
            return;
        }
        self.are_still = false;
        known.seen = Some(at);
        let rest = known.rest;
        match spot_of(field, model).filter(|_| rest.position.kind == MotionKind::Stationary) {
            Some(spot) if spot.shift == Vec3::ZERO => known.set_away(),
            Some(spot) if known.is_at_rest() => {
                known.set(Motion::stationary(rest.position.base + spot.shift), rest.angles);
            }
            Some(_) => known.set(rest.position, rest.angles),
            None => known.set_away(),
        }
    }

    /// Everything is as the map has it again.
    pub(super) fn begin_round(&mut self) {
        self.are_still = false;
        for mover in &mut self.all {
            mover.set(mover.rest.position, mover.rest.angles);
            mover.seen = None;
        }
    }

    /// Motions go on, and what has long been out of sight is back at rest.
    pub(super) fn go_on(&mut self, now: Time, convars: &ConVars) {
        if self.are_still {
            return;
        }
        for (mover, placed) in self.all.iter_mut().zip(&mut self.placed) {
            if let (Some(seen), Some(back_ms)) = (mover.seen, mover.rest.back_ms)
                && now - seen > back_ms.max(convars.memory_mover_ms)
                && !mover.is_at_rest()
            {
                mover.set(mover.rest.position, mover.rest.angles);
            }
            if mover.is_settled {
                continue;
            }
            let stays = |motion: &Motion| motion.kind == MotionKind::Stationary;
            mover.is_settled = stays(&mover.position) && stays(&mover.angles);
            mover.now = Placed {
                model: mover.model,
                entity: mover.entity,
                origin: mover.position.at(now),
                angles: mover.angles.at(now),
                contents: Contents::ALL,
            };
            // What is somewhere else is in nobody's way here.
            *placed = Placed { contents: if mover.is_away { Contents::NONE } else { Contents::ALL }, ..mover.now };
        }
        let comes_back = |mover: &BelievedMover| mover.rest.back_ms.is_some() && !mover.is_at_rest();
        self.are_still = self.all.iter().all(|mover| mover.is_settled && !comes_back(mover));
    }
}

/// No door takes longer.
const MINUTE_MS: u32 = 60_000;

fn spot_of(field: &Field, model: ModelId) -> Option<&MoverSpot> {
    field.terrain.movers.spots.iter().find(|spot| spot.model == model)
}
