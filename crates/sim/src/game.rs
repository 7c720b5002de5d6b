//! A match and its frame.
//!
//! Nobody gains by his place in the list: bodies move in an order that turns round every frame, everything that hurts is
//! gathered and done to all at once, and each soldier draws his chance from a stream of his own.

use std::sync::Arc;

use fireteam::snapshot::{Audience, Message, Said, Sound, SoundKind, Team};
use fireteam::{Command, Field, Snapshot};
use fireteam_world::flight::Launch;
use fireteam_world::game::{Description, Objective};
use fireteam_world::movement::Trigger;
use fireteam_world::mover::{Act, MoverEvent, Movers, Rider, ShooterKind};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Body;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Crowd, Scene, Vec3};

use crate::fingerprint::Fingerprint;
use crate::ground::Grounds;
use crate::harm::Blow;
use crate::items::Items;
use crate::missiles::{Cloud, Flying};
use crate::roster::Roster;
use crate::rounds::Rounds;
use crate::soldier::Soldier;
use crate::spawns::Spawns;

/// A match under way.
#[derive(Clone, Debug)]
pub struct Match {
    pub(crate) field: Arc<Field>,
    /// When the coming frame begins.
    pub(crate) now: Time,
    pub(crate) frames: u64,
    pub(crate) soldiers: Vec<Soldier>,
    pub(crate) movers: Movers,
    pub(crate) missiles: Vec<Flying>,
    pub(crate) clouds: Vec<Cloud>,
    pub(crate) items: Items,
    pub(crate) grounds: Grounds,
    pub(crate) rounds: Rounds,
    pub(crate) spawns: Spawns,
    pub(crate) chance: Pcg,
    /// Everyone and everything in the way, as it stands at this point of the frame.
    pub(crate) crowd: Crowd,
    /// What was done in this frame and has not been felt yet.
    pub(crate) blows: Vec<Blow>,
    pub(crate) acts: Vec<Act>,
    pub(crate) snapshot: Snapshot,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) near: Vec<Trigger>,
    seed: u64,
    riders: Vec<Rider>,
    bodies: Vec<Body>,
    entity_next: u16,
}

impl Match {
    /// A match of these players from its first frame on, about what the game's description says.
    pub fn new(field: Arc<Field>, roster: &Roster, seed: u64) -> Match {
        let objective = field.game.rules.kernels.objective;
        Match::about(objective, field, roster, seed)
    }

    /// The same, about something else. For ground the game must have rules ([`Match::can_be_about`]).
    pub fn about(objective: Objective, field: Arc<Field>, roster: &Roster, seed: u64) -> Match {
        let rules = &field.game.rules;
        assert!(Match::can_be_about(objective, rules), "{} has no rules for {objective:?}", field.game.name);
        let start = Time(field.game.rules.frame_ms);
        let movers = Movers::of(&field.map, &field.game, start);
        let mut this = Match {
            now: start,
            frames: 0,
            soldiers: Vec::new(),
            items: Items::of(&field, &movers),
            rounds: Rounds::new(rules, objective),
            grounds: Grounds::default(),
            spawns: Spawns::of(&field),
            movers,
            missiles: Vec::new(),
            clouds: Vec::new(),
            chance: Pcg::named(seed, "match"),
            crowd: Crowd::default(),
            blows: Vec::new(),
            acts: Vec::new(),
            snapshot: Snapshot::default(),
            fingerprint: Fingerprint::default(),
            near: Vec::new(),
            seed,
            riders: Vec::new(),
            bodies: Vec::new(),
            // Movers and items have the numbers of the map's entities; whoever joins comes after them.
            entity_next: u16::try_from(field.map.entities.len()).unwrap_or(u16::MAX / 2),
            field,
        };
        if let Some(rules) = this.rounds.holding() {
            this.grounds = Grounds::of(&this.field, &rules, &this.spawns);
        }
        for member in &roster.members {
            this.join(&member.name, member.team);
        }
        let civilians = if this.field.game.rules.teams.neutrals { roster.civilians } else { 0 };
        (1..=civilians).for_each(|number| this.add_civilian(number));
        this.begin_round();
        this.show();
        this
    }

    /// Whether a game has rules for this. Flags are no part of the embedded game.
    pub fn can_be_about(objective: Objective, rules: &Description) -> bool {
        match objective {
            Objective::Domination => rules.holding.is_some(),
            Objective::FreeForAll | Objective::TeamFight | Objective::Elimination | Objective::CaptureTheFlag => true,
        }
    }

    /// A player comes in, on the smaller side unless he says which. He waits for the next round where there are rounds.
    pub fn join(&mut self, name: &str, team: Option<Team>) -> EntityId {
        let entity = EntityId(self.entity_next);
        self.entity_next += 1;
        let team = team.unwrap_or_else(|| self.smallest_team());
        let chance = Pcg::new(self.seed, u64::from(entity.0));
        self.soldiers.push(Soldier::new(entity, team, name, chance, &self.field.game.rules.movement));
        entity
    }

    /// A player goes. What he threw flies on.
    pub fn leave(&mut self, entity: EntityId) {
        self.soldiers.retain(|soldier| soldier.entity != entity);
    }

    /// From here on chance falls otherwise: the same situation, another future.
    pub fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        self.chance = Pcg::named(seed, "match");
        self.soldiers.iter_mut().for_each(|soldier| soldier.chance = Pcg::new(seed, u64::from(soldier.entity.0)));
    }

    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// Names all that happened so far: the same for the same match, whatever machine it runs on.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Players in the order they joined, without those of no side.
    pub fn players(&self) -> impl Iterator<Item = (EntityId, &str)> {
        let all = self.soldiers.iter().filter(|soldier| !soldier.is_civilian());
        all.map(|soldier| (soldier.entity, soldier.name.as_str()))
    }

    /// One frame: everyone does what he presses. Follow it downwards; each call is one file.
    pub fn step(&mut self, commands: &[Command]) {
        self.frighten(); //        civilians.rs what was loud is run from
        self.snapshot.sounds.clear();
        self.snapshot.messages.clear();
        self.heed(commands);
        self.move_bodies(); //     legs.rs      bodies, triggers, falls
        self.use_hands(); //       arms.rs      weapons up and down, clips, shots, pins
        self.fly_missiles(); //    missiles.rs  grenades, explosions, smoke and fire
        self.run_movers(); //      world::mover doors, lifts, whoever stands on them
        self.burn_and_drown(); //  harm.rs      lava, fire, water
        self.settle_blows(); //    harm.rs      all that hurt in this frame, at once
        self.now = self.now + self.field.game.rules.frame_ms;
        self.frames += 1;
        self.hand_out_items(); //  items.rs
        self.hold_ground(); //     ground.rs    who takes it, what it earns
        self.judge(); //           rounds.rs    who has won, who comes back
        self.fingerprint.take(&self.soldiers, &self.missiles);
        self.show(); //            shown.rs     the snapshot
    }

    /// Whoever sends nothing goes on looking where he looked, and presses nothing.
    fn heed(&mut self, commands: &[Command]) {
        let is_frozen = self.rounds.is_frozen();
        for slot in 0..self.soldiers.len() {
            let led = self.lead(slot);
            let soldier = &mut self.soldiers[slot];
            let given = led.as_ref().or_else(|| commands.iter().find(|command| command.bot == soldier.entity));
            soldier.heed(given, is_frozen);
            if let Some(said) = given.and_then(|command| command.voice).filter(|_| !soldier.body.is_dead) {
                let to = Audience::Team(soldier.team);
                self.snapshot.messages.push(Message { to, from: Some(soldier.entity), said: Said::Voice(said) });
            }
            self.fingerprint.take_command(given);
        }
    }

    /// Slots in this frame's order.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let (count, is_reversed) = (self.soldiers.len(), self.frames % 2 == 1);
        (0..count).map(move |slot| if is_reversed { count - 1 - slot } else { slot })
    }

    /// Puts movers and bodies where they are now; slot by slot, the dead in nobody's way.
    pub(crate) fn gather_crowd(&mut self) {
        let rules = &self.field.game.rules.movement;
        self.bodies.clear();
        self.bodies.extend(self.soldiers.iter().map(|soldier| soldier.as_obstacle(rules)));
        self.crowd.set(&self.field.solids, self.movers.placed(), &self.bodies);
    }

    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene { solids: &self.field.solids, crowd: &self.crowd }
    }

    pub(crate) fn slot_of(&self, entity: EntityId) -> Option<usize> {
        self.soldiers.iter().position(|soldier| soldier.entity == entity)
    }

    pub(crate) fn sound(&mut self, kind: SoundKind, origin: Vec3, source: Option<EntityId>) {
        self.snapshot.sounds.push(Sound { kind, origin, source });
    }

    pub(crate) fn say(&mut self, said: Said) {
        self.snapshot.messages.push(Message { to: Audience::All, from: None, said });
    }

    pub(crate) fn new_entity(&mut self) -> EntityId {
        // Missiles live a few seconds: by the time numbers come round, those before are long gone.
        let entity = EntityId(self.entity_next);
        let first = self.soldiers.iter().map(|soldier| soldier.entity.0 + 1).max().unwrap_or(self.entity_next);
        self.entity_next = self.entity_next.checked_add(1).unwrap_or(first);
        entity
    }

    fn run_movers(&mut self) {
        let rules = &self.field.game.rules.movement;
        self.riders.clear();
        self.riders.extend(self.soldiers.iter().filter(|soldier| !soldier.body.is_dead).map(|s| s.as_rider(rules)));
        let end = self.now + self.field.game.rules.frame_ms;
        let events = self.movers.advance(end, &self.field.solids, &mut self.riders, &self.acts).to_vec();
        self.acts.clear();
        let living = self.soldiers.iter_mut().filter(|soldier| !soldier.body.is_dead);
        for (soldier, rider) in living.zip(&self.riders) {
            soldier.body.carry(rider.origin - soldier.body.origin, rider.turned);
        }
        for event in events {
            self.mover_event(event);
        }
        self.gather_crowd();
    }

    fn mover_event(&mut self, event: MoverEvent) {
        match event {
            MoverEvent::Started(mover) | MoverEvent::Stopped(mover) | MoverEvent::Broke(mover) => {
                let origin = self.middle_of(mover);
                self.sound(SoundKind::Mover, origin, None);
            }
            MoverEvent::Crushed { rider, damage, .. } => {
                if let Some(victim) = self.slot_of(rider) {
                    self.blows.push(Blow::by_nobody(victim, damage));
                }
            }
            MoverEvent::Fired { kind, muzzle, direction, .. } => self.fire_shooter(kind, muzzle, direction),
            MoverEvent::Launched { rider, velocity } => {
                if let Some(slot) = self.slot_of(rider) {
                    self.soldiers[slot].body.velocity = velocity;
                }
            }
            // Items are no riders here, and a locked door says nothing that others hear.
            MoverEvent::Removed { .. } | MoverEvent::Locked { .. } => {}
        }
    }

    fn middle_of(&self, mover: EntityId) -> Vec3 {
        let placed = self.movers.placed().iter().find(|placed| placed.entity == mover);
        placed.map_or(Vec3::ZERO, |placed| {
            let bounds = self.field.solids.placed_bounds(placed);
            (bounds.mins + bounds.maxs) * 0.5
        })
    }

    /// A launcher that the map's author put there; a game without such a missile has none.
    fn fire_shooter(&mut self, kind: ShooterKind, muzzle: Vec3, direction: Vec3) {
        let Some((id, throwable)) = self.throwable_for(kind) else { return };
        let velocity = direction * throwable.speeds[0];
        let launch = Launch { time: self.now, muzzle, velocity, fuse_ms: throwable.fuse_ms, owner: None };
        self.launch(id, None, launch);
    }
}
