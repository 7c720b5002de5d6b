//! What a server's settings do to the game: speed, gravity, blows, frames, and what depends on the game type.
//!
//! In: the numbers in force on a server, or a line such as `speed=400 gravity=600`. Out: a [`Game`] that plays as that
//! server does, called `openarena:speed=400 gravity=600`, so that whoever is told its name can make it again: the child
//! that bakes beside a server, whoever replays a recording. A terrain made for other physics has another digest and is
//! refused.

use std::fmt;
use std::str::FromStr;

use fireteam_world::Game;
use fireteam_world::game::Interest;

use crate::cast::Stock;

/// The settings of a server that bodies feel. Those of an untouched server are [`Physics::usual`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Physics {
    /// `g_speed`.
    pub speed: i32,
    /// `g_gravity`.
    pub gravity: i32,
    /// `g_knockback`.
    pub knockback: i32,
    /// A frame of the server: 1000 / `sv_fps`.
    pub frame_ms: i32,
    /// Moves are carried out in pieces of this length: `pmove_msec`, where `pmove_fixed` is set.
    pub piece_ms: i32,
    /// Speeds are rounded to whole units: not with `pmove_float`.
    pub whole_speeds: bool,
    /// Falls hurt: not with the bit 8 of `dmflags`.
    pub falls_hurt: bool,
    /// What a bullet of the machinegun does: less in team deathmatch.
    pub bullet: i32,
    /// How long a weapon that was taken stays away, in seconds.
    pub weapons_s: i32,
    /// What there is to pick up.
    pub items: Stock,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPhysics {
    #[error(
        "`{0}` is no setting such as speed=320; there are speed, gravity, knockback, frame, piece, whole, falls, bullet, weapons, items"
    )]
    Unknown(String),
    #[error("{name}={value} is outside {min} to {max}, which is all that bots can move in")]
    OutOfRange { name: &'static str, value: i32, min: i32, max: i32 },
}

impl Physics {
    /// As the description of OpenArena has them.
    pub fn usual() -> Physics {
        let game = Game::named("openarena").expect("it is built in");
        let movement = &game.rules.movement;
        Physics {
            speed: movement.speed,
            gravity: movement.gravity,
            knockback: movement.knock.strength as i32,
            frame_ms: game.rules.frame_ms,
            piece_ms: movement.piece_ms,
            whole_speeds: movement.whole_speeds,
            falls_hurt: true,
            bullet: game.rules.weapons["machinegun"].damage,
            weapons_s: game.rules.entities["weapon_shotgun"].respawn_ms / 1000,
            items: Stock::All,
        }
    }

    /// Whether bodies move as on an untouched server.
    pub fn moves_as_usual(&self) -> bool {
        let Physics { bullet, weapons_s, items, .. } = *self;
        *self == Physics { bullet, weapons_s, items, ..Physics::usual() }
    }

    /// A folder's name that no other physics have.
    pub fn folder(&self) -> String {
        self.movement().replace('=', "").replace(' ', "-")
    }

    /// The game as this server plays it.
    pub fn game(&self) -> Game {
        let mut game = Game::named("openarena").expect("it is built in");
        if *self != Physics::usual() {
            self.put_into(&mut game);
            game.name = format!("openarena:{self}");
        }
        game
    }

    /// The game of a name that [`Physics::game`] gave; none if it is no such name.
    pub fn game_named(name: &str) -> Option<Result<Game, BadPhysics>> {
        let line = name.strip_prefix("openarena:")?;
        Some(line.parse::<Physics>().map(|physics| physics.game()))
    }

    fn movement(&self) -> String {
        let Physics { speed, gravity, knockback, frame_ms, piece_ms, whole_speeds, falls_hurt, .. } = self;
        let (whole, falls) = (i32::from(*whole_speeds), i32::from(*falls_hurt));
        format!(
            "speed={speed} gravity={gravity} knockback={knockback} frame={frame_ms} piece={piece_ms} whole={whole} \
             falls={falls}"
        )
    }

    fn put_into(&self, game: &mut Game) {
        let movement = &mut game.rules.movement;
        movement.speed = self.speed;
        movement.gravity = self.gravity;
        movement.knock.strength = self.knockback as f32;
        movement.piece_ms = self.piece_ms;
        movement.whole_speeds = self.whole_speeds;
        if !self.falls_hurt {
            movement.fall.medium_damage = 0;
            movement.fall.far_damage = 0;
        }
        game.rules.frame_ms = self.frame_ms;
        if let Some(machinegun) = game.rules.weapons.get_mut("machinegun") {
            machinegun.damage = self.bullet;
        }
        for item in game.rules.entities.values_mut().filter(|item| item.is == Interest::Weapon) {
            item.respawn_ms = self.weapons_s * 1000;
        }
        game.rules.entities.values_mut().for_each(|item| item.left_out = self.items.leaves_out(item.is));
    }

    /// Beyond these numbers nobody has compared our movement with the engine's.
    pub fn check(&self) -> Result<(), BadPhysics> {
        let limits = [
            ("speed", self.speed, 100, 1000),
            ("gravity", self.gravity, 100, 2000),
            ("knockback", self.knockback, 0, 5000),
            ("frame", self.frame_ms, 8, 100),
            ("piece", self.piece_ms, 8, 66),
            ("bullet", self.bullet, 1, 100),
            ("weapons", self.weapons_s, 0, 600),
        ];
        let wrong = limits.into_iter().find(|&(_, value, min, max)| !(min..=max).contains(&value));
        wrong.map_or(Ok(()), |(name, value, min, max)| Err(BadPhysics::OutOfRange { name, value, min, max }))
    }
}

/// By their numbers in the line.
const STOCKS: [Stock; 3] = [Stock::All, Stock::Flags, Stock::Nothing];

impl fmt::Display for Physics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = STOCKS.iter().position(|stock| *stock == self.items).unwrap_or_default();
        write!(f, "{} bullet={} weapons={} items={items}", self.movement(), self.bullet, self.weapons_s)
    }
}

impl FromStr for Physics {
    type Err = BadPhysics;

    /// What is not named stays as usual.
    fn from_str(line: &str) -> Result<Physics, BadPhysics> {
        let mut physics = Physics::usual();
        for word in line.split([' ', ',']).filter(|word| !word.is_empty()) {
            let unknown = || BadPhysics::Unknown(word.to_owned());
            let (name, value) = word.split_once('=').ok_or_else(unknown)?;
            let value: i32 = value.parse().map_err(|_| unknown())?;
            match name {
                "speed" => physics.speed = value,
                "gravity" => physics.gravity = value,
                "knockback" => physics.knockback = value,
                "frame" => physics.frame_ms = value,
                "piece" => physics.piece_ms = value,
                "whole" => physics.whole_speeds = value != 0,
                "falls" => physics.falls_hurt = value != 0,
                "bullet" => physics.bullet = value,
                "weapons" => physics.weapons_s = value,
                "items" => {
                    let stock = usize::try_from(value).ok().and_then(|number| STOCKS.get(number)).copied();
                    let (min, max) = (0, STOCKS.len() as i32 - 1);
                    physics.items = stock.ok_or(BadPhysics::OutOfRange { name: "items", value, min, max })?;
                }
                _ => return Err(unknown()),
            }
        }
        physics.check()?;
        Ok(physics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_physics_change_nothing_and_others_change_the_digest() {
        let game = Game::named("openarena").expect("built in");
        let with = |line: &str| line.parse::<Physics>().expect("within limits").game();
        assert_eq!(with(""), game);
        assert_eq!(with(&Physics::usual().to_string()), game);
        for line in ["speed=400", "gravity=600", "knockback=500", "frame=25", "piece=8", "whole=1", "falls=0"] {
            assert_ne!(with(line).physics_digest(), game.physics_digest(), "{line}");
            let physics: Physics = line.parse().expect("within limits");
            assert!(!physics.moves_as_usual());
            assert_eq!(physics.to_string().parse(), Ok(physics));
            assert_eq!(Physics::game_named(&physics.game().name), Some(Ok(physics.game())));
        }
        for line in ["bullet=7", "weapons=5", "items=1", "items=2"] {
            assert_eq!(with(line).physics_digest(), game.physics_digest(), "{line}");
            assert_ne!(with(line).digest(), game.digest(), "{line}");
            let physics: Physics = line.parse().expect("within limits");
            assert!(physics.moves_as_usual());
            assert_eq!(Physics::game_named(&physics.game().name), Some(Ok(physics.game())));
        }
        assert_eq!(Physics::game_named("skirmish"), None);
    }

    #[test]
    fn a_game_of_rounds_leaves_items_out_and_keeps_spawns() {
        let is_left_out = |line: &str, class: &str| {
            line.parse::<Physics>().expect("within limits").game().rules.entities[class].left_out
        };
        assert!(is_left_out("items=2", "item_health") && is_left_out("items=2", "team_CTF_redflag"));
        assert!(is_left_out("items=1", "item_quad") && !is_left_out("items=1", "team_CTF_redflag"));
        assert!(!is_left_out("items=2", "info_player_deathmatch") && !is_left_out("", "item_health"));
        assert!("items=3".parse::<Physics>().is_err());
    }

    #[test]
    fn what_bots_cannot_move_in_is_refused() {
        assert!("speed=9000".parse::<Physics>().expect_err("too fast").to_string().contains("100 to 1000"));
        for line in ["sped=300", "speed", "speed=fast"] {
            assert_eq!(line.parse::<Physics>(), Err(BadPhysics::Unknown(line.to_owned())));
        }
    }
}
