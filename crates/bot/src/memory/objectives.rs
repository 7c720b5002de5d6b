//! What is played for, as believed: how it is said to stand, and where it was last known to be while away from its place.
//!
//! Everyone is told whether a flag is at home, carried or dropped. Where it is then, one has to see: the flag on the ground, the
//! enemy who has it on his back, or be told by a mate who saw it. Who carries it on one's own side is shown like all
//! mates. A place that was looked at and found empty is forgotten; so are all places once the flag is said to be home.

use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use crate::perceive::{Sense, is_same_place};
use crate::snapshot::{Item, Objective, ObjectiveKind, Power, Standing, Team};

/// Objectives a game may have.
pub(crate) const OBJECTIVES_MAX: usize = 16;

/// An objective as believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelievedObjective {
    /// As everyone is told, once the bot has read it.
    pub told: Objective,
    /// When it was first told to stand so, or ground to be held by whoever holds it.
    pub since: Time,
    /// Where it was last known to be, if it is not at home.
    pub sighting: Option<Sighting>,
}

/// Where an objective was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    pub place: Vec3,
    pub at: Time,
    /// Seen, or heard of.
    pub by: Sense,
    /// On whose back.
    pub bearer: Option<EntityId>,
}

impl BelievedObjective {
    /// Where it is believed to be: at home, or where it was last known to be.
    pub fn place(&self) -> Option<Vec3> {
        match self.told.standing {
            Standing::Home => Some(self.told.home),
            Standing::Carried | Standing::Dropped => self.sighting.map(|sighting| sighting.place),
        }
    }

    /// A flag whose bearers are of this team.
    fn is_borne_by(&self, team: Team) -> bool {
        self.told.kind == ObjectiveKind::Flag && self.told.owner != Some(team)
    }
}

/// The two flags of a game for them.
#[derive(Clone, Copy, Debug)]
pub struct Flags<'a> {
    pub ours: &'a BelievedObjective,
    pub theirs: &'a BelievedObjective,
}

/// All objectives a bot was told of, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Objectives {
    all: Vec<BelievedObjective>,
}

impl Objectives {
    pub(super) fn new() -> Objectives {
        Objectives { all: Vec::with_capacity(OBJECTIVES_MAX) }
    }

    pub(super) fn all(&self) -> &[BelievedObjective] {
        &self.all
    }

    /// As a team sees them; none where each side has not one.
    pub(super) fn flags(&self, team: Team) -> Option<Flags<'_>> {
        let mut flags = self.all.iter().filter(|known| known.told.kind == ObjectiveKind::Flag);
        let ours = flags.clone().find(|known| known.told.owner == Some(team))?;
        let theirs = flags.find(|known| known.told.owner.is_some_and(|owner| owner != team))?;
        Some(Flags { ours, theirs })
    }

    /// It is told how one stands. They come in their order, so that a new one is the next.
    pub(super) fn read(&mut self, index: u8, told: Objective, at: Time) {
        let index = usize::from(index);
        let Some(known) = self.all.get_mut(index) else {
            if index == self.all.len() && index < OBJECTIVES_MAX {
                self.all.push(BelievedObjective { told, since: at, sighting: None });
            }
            return;
        };
        let is_lost = told.kind == ObjectiveKind::Ground && known.told.holder != told.holder;
        if known.told.standing != told.standing || is_lost {
            known.since = at;
        }
        known.told = told;
        if told.standing == Standing::Home {
            known.sighting = None;
        }
    }

    /// A flag that lies about is an item like others.
    pub(super) fn see_item(&mut self, item: &Item, at: Time) {
        let flags = self.all.iter_mut().filter(|known| known.told.item == Some(item.kind));
        for known in flags.filter(|known| !is_same_place(item.origin, known.told.home)) {
            known.hear(Sighting { place: item.origin, at, by: Sense::Sight, bearer: None });
        }
    }

    /// Nothing lies at a place any more.
    pub(super) fn miss_item(&mut self, place: Vec3, at: Time) {
        for known in &mut self.all {
            known.sighting = known
                .sighting
                .filter(|sighting| sighting.at > at || sighting.bearer.is_some() || sighting.place != place);
        }
    }

    /// Somebody is seen, or told of, who may have one on his back.
    pub(super) fn see_player(&mut self, entity: EntityId, team: Team, powers: u32, sighting: Sighting) {
        if !Power::Bearer.is_in(powers) {
            return;
        }
        let flags = self.all.iter_mut().filter(|known| known.is_borne_by(team));
        flags.for_each(|known| known.hear(Sighting { bearer: Some(entity), ..sighting }));
    }

    /// A mate says where one lies.
    pub(super) fn hear(&mut self, index: u8, sighting: Sighting) {
        if let Some(known) = self.all.get_mut(usize::from(index)) {
            known.hear(Sighting { by: Sense::Words, ..sighting });
        }
    }
}

impl BelievedObjective {
    /// The later word counts. One that is older than its coming home is old news.
    fn hear(&mut self, sighting: Sighting) {
        let is_old = self.told.standing == Standing::Home && sighting.at <= self.since;
        if !is_old && self.sighting.is_none_or(|known| known.at <= sighting.at) {
            self.sighting = Some(sighting);
        }
    }
}
