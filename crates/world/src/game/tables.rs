//! The tables of a game description: every key, its kind, its limits, what it means. Nothing here computes.
//!
//! Lengths are units, speeds units per second, angles degrees, times milliseconds where the key says `_ms`.
//! Limits are wide: they catch a slip of the pen (a radius of 8.5 metres written as 8.5 units is legal, -150 is not).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::described::{choices, described};
use crate::movement::MovementRules;

/// Anything measured in units along one axis.
const LENGTH: RangeInclusive<f32> = 0.0..=131_072.0;
const SPEED: RangeInclusive<f32> = 0.0..=20_000.0;
const SHARE: RangeInclusive<f32> = 0.0..=1.0;
/// Up to ten minutes.
const TIME_MS: RangeInclusive<i32> = 0..=600_000;
/// Factors the engines keep in double precision.
const SHARE_DOUBLE: RangeInclusive<f64> = 0.0..=1.0;
const POINTS: RangeInclusive<i32> = 0..=10_000;

choices! {
    /// Which code moves a player's body.
    pub enum MovementKernel: "movement kernel" {
        /// Quake III's legs, which also climb ladders and lie down where the numbers for it are given.
        Quake3 = "quake3",
    }

    /// Which code flies a grenade.
    pub enum MissileKernel: "missile kernel" {
        /// One straight trace a frame; a bounce costs the rest of the frame; velocities and places cut to integers.
        Quake3 = "quake3",
        /// Contacts inside a frame, only the part along the normal is reflected, friction on the ground.
        Quake2 = "quake2",
    }

    /// Which code hurts those near an explosion.
    pub enum BlastKernel: "blast kernel" {
        /// All or nothing: any of five lines to the middle of the body clear means full damage for the distance.
        Quake3 = "quake3",
        /// The part of the body that is in the open counts, and stance with it.
        Exposure = "exposure",
    }

    /// What a match is about.
    pub enum Objective: "objective" {
        FreeForAll = "free-for-all",
        TeamFight = "team-fight",
        CaptureTheFlag = "capture-the-flag",
        /// Rounds: the last team standing wins.
        Elimination = "elimination",
        /// Hold the ground.
        Domination = "domination",
    }

    /// What a throwable is for.
    pub enum ThrowableKind: "kind of throwable" {
        Frag = "frag",
        Smoke = "smoke",
        Flash = "flash",
        Incendiary = "incendiary",
        RifleGrenade = "rifle-grenade",
        Rocket = "rocket",
        /// Plasma and the like: a small rocket, fired in streams.
        Bolt = "bolt",
    }

    /// What meeting a wall does to a missile that is armed.
    pub enum Impact: "way of impact" {
        Bounce = "bounce",
        Explode = "explode",
    }

    /// How damage falls with distance.
    pub enum Falloff: "falloff" {
        /// All at the edge of the body's box, none at the radius.
        Linear = "linear",
        /// With the square of what is left of the radius: gentler at the edge.
        Quadratic = "quadratic",
    }

    /// How a weapon reaches its victim.
    pub enum WeaponKind: "kind of weapon" {
        /// At once, along a line.
        Hitscan = "hitscan",
        /// At once, within arm's length.
        Melee = "melee",
        /// By something that flies.
        Projectile = "projectile",
    }

    /// What an entity of the map is to a player.
    pub enum Interest: "kind of interest" {
        Weapon = "weapon",
        Ammo = "ammo",
        Health = "health",
        Armour = "armour",
        Powerup = "powerup",
        Holdable = "holdable",
        Key = "key",
        Flag = "flag",
        Spawn = "spawn",
        Ladder = "ladder",
        Zone = "zone",
        Door = "door",
        Button = "button",
        Lift = "lift",
        Breakable = "breakable",
        Teleporter = "teleporter",
        JumpPad = "jump-pad",
        Hazard = "hazard",
    }

    /// What a waypoint near such an entity is marked with.
    pub enum WaypointMark: "waypoint mark" {
        None = "none",
        Item = "item",
        Spawn = "spawn",
        Ladder = "ladder",
        Door = "door",
        Button = "button",
        Lift = "lift",
        Teleporter = "teleporter",
        JumpPad = "jump-pad",
        Objective = "objective",
        Harm = "harm",
    }

    /// Who an entity is for.
    pub enum Side: "side" {
        Anyone = "anyone",
        Red = "red",
        Blue = "blue",
    }
}

described! {
    /// Code the numbers are given to.
    pub struct Kernels {
        /// Moves bodies.
        pub movement: MovementKernel;
        /// Flies missiles.
        pub missile: MissileKernel;
        /// Hurts.
        pub blast: BlastKernel;
        /// Scores.
        pub objective: Objective;
    }

    /// What a body can take.
    pub struct Health {
        /// On spawning.
        pub spawn: i32, in 1..=10_000;
        /// Above it, health falls back to it.
        pub max: i32, in 1..=10_000;
        /// Armour on spawning.
        pub armour: i32 = 0, in POINTS;
        /// Share of damage that armour takes, rounded up.
        pub armour_share: f64 = 0.0, in SHARE_DOUBLE;
        /// Share of a blast's damage that reaches a crouched body, beyond what its smaller box already spares it.
        pub crouched_blast_share: f32 = 1.0, in SHARE;
        /// The same for who lies down.
        pub prone_blast_share: f32 = 1.0, in SHARE;
    }

    /// Something that flies: thrown, launched or fired.
    pub struct Throwable {
        /// What it is for.
        pub kind: ThrowableKind;
        /// The speeds it can be given; a player picks one.
        pub speeds: Vec<f32>, in 1.0..=20_000.0;
        /// Added to the height of the unit view direction before that is made unit again.
        pub upward_bias: f32 = 0.0, in -2.0..=2.0;
        /// How far before the eye it starts.
        pub muzzle_forward: f32 = 0.0, in -128.0..=128.0;
        /// How far above the eye it starts.
        pub muzzle_up: f32 = 0.0, in -128.0..=128.0;
        /// Whether place and velocity are cut to integers on launching and on exploding.
        pub cut_to_integers: bool = false;
        /// Whether the thrower's own velocity is added.
        pub inherits_velocity: bool = false;
        /// How long it is taken to have flown when it leaves.
        pub prestep_ms: i32 = 0, in 0..=1_000;
        /// Pulled down by this, in units per second squared.
        pub gravity: f32, in 0.0..=10_000.0;
        /// What a wall does to it once it is armed.
        pub impact: Impact;
        /// What is left of the velocity (of its part along the normal, by the quake2 kernel) after a bounce.
        pub bounce: f64 = 0.0, in SHARE_DOUBLE;
        /// Friction while it slides on the ground, per second.
        pub friction: f32 = 0.0, in 0.0..=100.0;
        /// Slower than this after a bounce it stays where it is.
        pub rest_speed: f32 = 0.0, in SPEED;
        /// It rests only on what rises more than this.
        pub rest_normal: f64 = 0.2, in SHARE_DOUBLE;
        /// Half the side of the cube it is; 0 is a point.
        pub half_width: f32 = 0.0, in 0.0..=64.0;
        /// From throwing (or from the pin, if cooked) to exploding.
        pub fuse_ms: i32, in 1..=600_000;
        /// Before this it bounces even if impact makes it explode.
        pub arming_ms: i32 = 0, in TIME_MS;
        /// From pressing to leaving the hand.
        pub wind_up_ms: i32 = 0, in TIME_MS;
        /// From pulling the pin to being ready for the next.
        pub handling_ms: i32 = 0, in TIME_MS;
        /// Whether it can be held back with the fuse burning.
        pub can_cook: bool = false;
        /// Whether it can be picked up and thrown back.
        pub can_be_returned: bool = false;
        /// Random deviation of the speed, each way and axis.
        pub deviation_speed: f32 = 0.0, in SPEED;
        /// Random deviation of the direction, each way.
        pub deviation_degrees: f32 = 0.0, in 0.0..=90.0;
        /// Random deviation of the place it leaves from, each way.
        pub deviation_place: f32 = 0.0, in 0.0..=128.0;
        /// Points for what it strikes itself.
        pub damage: i32 = 0, in POINTS;
        /// What its explosion does to those around.
        pub blast: Option<Blast> = None;
        /// What it leaves behind.
        pub cloud: Option<Cloud> = None;
    }

    /// An explosion.
    pub struct Blast {
        /// Points at the centre.
        pub damage: i32, in POINTS;
        /// Where the damage ends.
        pub radius: f32, in 1.0..=8_192.0;
        /// How it falls on the way there.
        pub falloff: Falloff = Falloff::Linear;
        /// Share of it that the thrower himself takes.
        pub self_share: f32 = 1.0, in SHARE;
        /// Share of the push that so much damage would give by `movement.knock`.
        pub push_share: f32 = 1.0, in SHARE;
        /// How far above the body's origin the push is taken to act.
        pub push_up: f32 = 24.0, in -128.0..=128.0;
    }

    /// Smoke, fire or blinding light.
    pub struct Cloud {
        /// When full grown.
        pub radius: f32, in 1.0..=8_192.0;
        /// Time it takes to grow.
        pub grow_ms: i32 = 0, in TIME_MS;
        /// Time it lasts.
        pub last_ms: i32, in TIME_MS;
        /// Whether eyes are stopped by it.
        pub blocks_sight: bool = false;
        /// Points a second for who stands in it.
        pub damage_per_second: f32 = 0.0, in 0.0..=10_000.0;
        /// How long it blinds who looks at it from near.
        pub blinds_ms: i32 = 0, in TIME_MS;
    }

    /// Something to fire.
    pub struct Weapon {
        /// How it reaches its victim.
        pub kind: WeaponKind;
        /// Which throwable it fires; projectile weapons only.
        pub fires: Option<String> = None;
        /// Points a hit (a pellet).
        pub damage: i32 = 0, in POINTS;
        /// How far it reaches.
        pub range: f32 = 8_192.0, in LENGTH;
        /// Half angle of the cone its shots spread over.
        pub spread_degrees: f32 = 0.0, in 0.0..=90.0;
        /// Added to that at full running speed, and in the air.
        pub moving_spread_degrees: f32 = 0.0, in 0.0..=90.0;
        /// How far each shot throws the muzzle up; a third of it goes to either side by chance.
        pub recoil_degrees: f32 = 0.0, in 0.0..=45.0;
        /// The highest that recoil throws it.
        pub recoil_max_degrees: f32 = 0.0, in 0.0..=45.0;
        /// How much of the recoil a hand takes back, in degrees a second.
        pub recoil_recovery: f32 = 0.0, in 0.0..=3_600.0;
        /// Shots that leave at once.
        pub pellets: i32 = 1, in 1..=64;
        /// Bodies one shot goes through, the last one included.
        pub pierces: i32 = 1, in 1..=64;
        /// From shot to shot.
        pub refire_ms: i32, in 1..=600_000;
        /// Time to take it down.
        pub drop_ms: i32 = 200, in TIME_MS;
        /// Time to bring it up.
        pub raise_ms: i32 = 250, in TIME_MS;
        /// Rounds with the weapon.
        pub ammo: i32 = 0, in POINTS;
        /// Rounds before reloading; 0 where nothing is reloaded.
        pub clip: i32 = 0, in POINTS;
        /// Time to reload.
        pub reload_ms: i32 = 0, in TIME_MS;
        /// Whether a player spawns with it.
        pub at_spawn: bool = false;
    }

    /// What is left of spread and recoil for who is not on his feet.
    pub struct Steadiness {
        /// Crouched.
        pub crouched: f32 = 1.0, in SHARE;
        /// Lying.
        pub prone: f32 = 1.0, in SHARE;
    }

    /// An entity of the map that matters: what it is, what it holds, when it comes back.
    pub struct Interesting {
        /// What it is to a player.
        pub is: Interest;
        /// Which weapon, key or power it holds, by name.
        pub holds: Option<String> = None;
        /// How much of it.
        pub amount: i32 = 0, in POINTS;
        /// When it comes back; 0 for what stays.
        pub respawn_ms: i32 = 0, in TIME_MS;
        /// When it appears for the first time, at the latest; 0 for what is there from the start.
        pub first_ms: i32 = 0, in TIME_MS;
        /// The map has it and the type of game that is played leaves it out: it is nowhere.
        pub left_out: bool = false;
        /// Whether it stays where the map has it.
        pub stays: bool = true;
        /// Who it is for.
        pub side: Side = Side::Anyone;
        /// What a waypoint near it is marked with.
        pub mark: WaypointMark = WaypointMark::None;
    }

    /// Who plays.
    pub struct Teams {
        /// How many sides; 1 is everyone for himself.
        pub count: i32, in 1..=8;
        /// Largest side.
        pub size_max: i32, in 1..=64;
        /// Share of damage that reaches one's own side.
        pub friendly_fire: f32 = 0.0, in SHARE;
        /// Whether there are people who belong to no side.
        pub neutrals: bool = false;
    }

    /// How a match goes.
    pub struct Rounds {
        /// Length of a round; 0 is without end.
        pub round_ms: i32, in 0..=86_400_000;
        /// Time before a round in which nobody can move.
        pub freeze_ms: i32 = 0, in TIME_MS;
        /// From dying to being allowed back; 0 is at once.
        pub respawn_ms: i32 = 0, in TIME_MS;
        /// Whether the dead wait for the next round.
        pub one_life: bool = false;
        /// Time after spawning in which nothing hurts.
        pub protected_ms: i32 = 0, in TIME_MS;
        /// Rounds that win the match; 0 is without end.
        pub rounds_to_win: i32 = 0, in 0..=1_000;
    }

    /// Holding ground: what counts as standing on it, what takes it, what it is worth.
    pub struct Holding {
        /// Whoever is this near to the middle of a piece of ground stands on it; a map may give each its own `radius`.
        pub radius: f32, in 1.0..=8_192.0;
        /// How long a side must be on it, and no other, to take it.
        pub capture_ms: i32, in TIME_MS;
        /// A piece of ground that is held earns a point in so long.
        pub point_ms: i32, in 1..=600_000;
        /// Points that win a round; 0 is whoever has more when it ends.
        pub points_to_win: i32 = 0, in 0..=1_000_000;
        /// Whether the dead come back while a round lasts, whatever `rounds.one_life` says.
        pub reinforcements: bool = true;
        /// From dying to being allowed back.
        pub respawn_ms: i32 = 0, in TIME_MS;
        /// Pieces of ground on a map that has none of its own.
        pub pieces: i32 = 3, in 1..=16;
    }

    /// How far things are heard.
    pub struct Hearing {
        /// Running feet.
        pub steps: f32, in LENGTH;
        /// Shots.
        pub shots: f32, in LENGTH;
        /// Explosions.
        pub explosions: f32, in LENGTH;
        /// A grenade that bounces.
        pub bounces: f32, in LENGTH;
        /// Items taken, doors, jumps.
        pub small: f32, in LENGTH;
        /// A shouted word.
        pub voice: f32, in LENGTH;
    }

    /// All of it.
    pub struct Description {
        /// The game's name for people.
        pub title: String;
        /// Units to a metre.
        pub units_per_metre: f32 = 39.37, in 0.01..=10_000.0;
        /// Length of a game frame.
        pub frame_ms: i32, in 1..=1_000;
        /// Named code.
        pub kernels: Kernels;
        /// What bodies are and do.
        pub movement: MovementRules;
        /// What bodies take.
        pub health: Health;
        /// What flies.
        pub throwables: BTreeMap<String, Throwable>;
        /// What fires.
        pub weapons: BTreeMap<String, Weapon>;
        /// How stance steadies a gun.
        pub steadiness: Steadiness = Steadiness { crouched: 1.0, prone: 1.0 };
        /// What lies about, by entity class.
        pub entities: BTreeMap<String, Interesting>;
        /// Who plays.
        pub teams: Teams;
        /// How long.
        pub rounds: Rounds;
        /// How ground is held, where that can be played.
        pub holding: Option<Holding> = None;
        /// What is heard.
        pub hearing: Hearing;
    }
}
