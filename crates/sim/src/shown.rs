//! The snapshot: what any client of this game could be told, and nothing that only the game knows.

use fireteam::snapshot::{Cloud, Item, Missile, Mover};
use fireteam_world::Contents;

use crate::Match;

impl Match {
    /// Fills the snapshot for the moment that is now; sounds and messages are in it already.
    pub(crate) fn show(&mut self) {
        let mut snapshot = std::mem::take(&mut self.snapshot);
        snapshot.time = self.now;
        snapshot.frame_ms = self.field.game.rules.frame_ms;
        // All bodies move before anyone shoots.
        snapshot.shot_lag_ms = snapshot.frame_ms;
        snapshot.phase = self.rounds.phase();
        snapshot.own.clear();
        let players = self.soldiers.iter().enumerate().filter(|(_, soldier)| !soldier.is_civilian());
        let own = players.map(|(slot, soldier)| soldier.own(self.now, self.may_respawn(slot)));
        snapshot.own.extend(own);
        snapshot.players.clear();
        snapshot.players.extend(self.soldiers.iter().map(|soldier| soldier.figure(self.now)));
        snapshot.missiles.clear();
        snapshot.missiles.extend(self.missiles.iter().map(|flying| Missile {
            entity: flying.entity,
            kind: flying.kind,
            origin: flying.course.place(),
            velocity: flying.course.velocity(),
            // A client is told who threw: the grenade comes out of somebody's hand.
            owner: flying.owner.map(|(entity, _)| entity),
        }));
        snapshot.items.clear();
        snapshot.items.extend(self.items.lying.iter().map(|item| Item {
            entity: item.entity,
            kind: item.kind,
            origin: item.origin,
            is_there: item.back_at.is_none(),
        }));
        snapshot.movers.clear();
        snapshot.movers.extend(self.movers.placed().iter().filter_map(|placed| {
            let report = self.movers.state(placed.entity)?;
            Some(Mover {
                entity: placed.entity,
                model: placed.model,
                position: report.position,
                angles: report.angles,
                is_gone: placed.contents == Contents::NONE,
            })
        }));
        snapshot.clouds.clear();
        snapshot.clouds.extend(self.clouds.iter().filter_map(|cloud| {
            let described = self.field.arsenal.throwable(cloud.kind).cloud.as_ref()?;
            Some(Cloud {
                origin: cloud.origin,
                radius: self.cloud_radius(cloud, self.now)?,
                blocks_sight: described.blocks_sight,
                harms: described.damage_per_second > 0.0,
            })
        }));
        snapshot.objectives.clear();
        snapshot.objectives.extend(self.grounds.told());
        self.snapshot = snapshot;
    }
}
