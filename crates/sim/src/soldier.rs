//! A soldier: a body with hands, pockets and a score.

use fireteam::Command;
use fireteam::snapshot::{Arm, Figure, Hurt, Own, Power, Team, WEAPONS_MAX, WeaponId};
use fireteam_world::game::Side;
use fireteam_world::movement::{Buttons, Ground, MovementRules, Player};
use fireteam_world::mover::Rider;
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Body;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Vec3};

use crate::arms::Hold;
use crate::civilians::Civilian;

#[derive(Clone, Debug)]
pub(crate) struct Soldier {
    pub(crate) entity: EntityId,
    pub(crate) team: Team,
    pub(crate) name: String,
    pub(crate) life: u32,
    pub(crate) body: Player,
    pub(crate) health: i32,
    pub(crate) armour: i32,
    pub(crate) arms: [Arm; WEAPONS_MAX],
    pub(crate) weapon: WeaponId,
    pub(crate) hold: Hold,
    /// When what is in his hands can be used again.
    pub(crate) ready_at: Time,
    /// Degrees the muzzle stands above and beside the view.
    pub(crate) kick: [f32; 2],
    pub(crate) keys: u32,
    pub(crate) hurt: Option<Hurt>,
    pub(crate) has_hit: bool,
    pub(crate) is_firing: bool,
    pub(crate) died_at: Time,
    pub(crate) protected_until: Time,
    /// Until then a flash keeps his eyes from seeing.
    pub(crate) blind_until: Time,
    /// How long he has held his breath.
    pub(crate) under_ms: i32,
    /// Harm that has not yet added up to a bite.
    pub(crate) smart: f32,
    /// When a trigger that hurts bites again.
    pub(crate) bitten_next: Time,
    pub(crate) command: Command,
    /// What he is at, if he is of no side.
    pub(crate) civilian: Option<Civilian>,
    pub(crate) chance: Pcg,
    pub(crate) score: Score,
}

/// What a player has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Enemies.
    pub kills: u32,
    pub deaths: u32,
    /// Deaths by his own hand, falls and the like.
    pub suicides: u32,
    /// Killed of his own side.
    pub team_kills: u32,
    /// Killed of no side.
    pub civilians: u32,
    /// Bullets and blows, one a pull of the trigger.
    pub shots: u32,
    /// Of those, how many met an enemy.
    pub hits: u32,
    /// Points taken from enemies.
    pub damage: u32,
    pub throws: u32,
    /// Pieces of ground that he helped to take.
    pub ground: u32,
}

impl Soldier {
    pub(crate) fn new(entity: EntityId, team: Team, name: &str, chance: Pcg, rules: &MovementRules) -> Soldier {
        let press = Default::default();
        let idle = Command { bot: entity, press, weapon: WeaponId(0), reload: false, throw_speed: 0, voice: None };
        let mut body = Player::at(Vec3::ZERO, rules);
        body.is_dead = true;
        Soldier {
            entity,
            team,
            name: name.to_owned(),
            life: 0,
            body,
            health: 0,
            armour: 0,
            arms: [Arm::default(); WEAPONS_MAX],
            weapon: WeaponId(0),
            hold: Hold::default(),
            ready_at: Time(0),
            kick: [0.0; 2],
            keys: 0,
            hurt: None,
            has_hit: false,
            is_firing: false,
            died_at: Time(0),
            protected_until: Time(0),
            blind_until: Time(0),
            under_ms: 0,
            smart: 0.0,
            bitten_next: Time(0),
            command: idle,
            civilian: None,
            chance,
            score: Score::default(),
        }
    }

    pub(crate) fn heed(&mut self, given: Option<&Command>, is_frozen: bool) {
        (self.hurt, self.has_hit, self.is_firing) = (None, false, false);
        match given {
            Some(command) => self.command = *command,
            None => {
                let press = &mut self.command.press;
                (press.forward, press.right, press.up, press.buttons) = (0, 0, 0, Buttons::default());
                self.command.reload = false;
                self.command.weapon = self.weapon;
            }
        }
        if is_frozen {
            let press = &mut self.command.press;
            (press.forward, press.right, press.up, press.buttons) = (0, 0, 0, Buttons::default());
        }
    }

    pub(crate) fn is_civilian(&self) -> bool {
        self.civilian.is_some()
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.body.is_dead
    }

    pub(crate) fn attacks(&self) -> bool {
        self.command.press.buttons.meets(Buttons::ATTACK)
    }

    pub(crate) fn arm(&mut self, weapon: WeaponId) -> &mut Arm {
        &mut self.arms[usize::from(weapon.0)]
    }

    pub(crate) fn as_obstacle(&self, rules: &MovementRules) -> Body {
        let contents = if self.body.is_dead { Contents::NONE } else { Contents::BODY };
        Body { entity: self.entity, origin: self.body.origin, hull: self.body.hull(rules), contents }
    }

    pub(crate) fn as_rider(&self, rules: &MovementRules) -> Rider {
        let ground = match self.body.ground {
            Ground::Floor { entity, .. } => entity,
            Ground::Air => None,
        };
        Rider {
            entity: self.entity,
            origin: self.body.origin,
            hull: self.body.hull(rules),
            ground,
            turned: 0.0,
            is_alive: !self.body.is_dead,
            is_player: true,
            side: side_of(self.team),
            keys: self.keys,
        }
    }

    pub(crate) fn figure(&self, now: Time) -> Figure {
        Figure {
            entity: self.entity,
            team: self.team,
            origin: self.body.origin,
            velocity: self.body.velocity,
            pitch: self.body.view.x,
            yaw: self.body.view.y,
            stance: self.body.stance,
            weapon: self.weapon,
            is_firing: self.is_firing,
            is_dead: self.body.is_dead,
            powers: self.powers(now),
        }
    }

    pub(crate) fn own(&self, now: Time, may_respawn: bool) -> Own {
        Own {
            entity: self.entity,
            team: self.team,
            life: self.life,
            body: self.body,
            health: self.health,
            armour: self.armour,
            weapon: self.weapon,
            ready_in_ms: (self.ready_at - now).max(0),
            is_reloading: self.hold.is_reloading(),
            arms: self.arms,
            armed_ms: self.hold.armed_ms(now),
            keys: self.keys,
            powers: self.powers(now) | if now < self.blind_until { Power::Blinded as u32 } else { 0 },
            hurt: self.hurt,
            has_hit: self.has_hit,
            may_respawn,
        }
    }

    /// What others see of it as well.
    fn powers(&self, now: Time) -> u32 {
        if now < self.protected_until { Power::Protected as u32 } else { 0 }
    }
}

/// The first team is what maps call red.
pub(crate) fn side_of(team: Team) -> Side {
    match team {
        Team(1) => Side::Red,
        Team(2) => Side::Blue,
        Team(_) => Side::Anyone,
    }
}
