//! The numbers a player's body moves by. A game description fills them; the kernel has none of its own.
//!
//! The default is OpenArena 0.8.8 as it comes: what its server was seen to do, to the bit.

use serde::{Deserialize, Serialize};

use glam::Vec3;

use crate::trace::Hull;

/// Everything that differs between games whose players move like Quake III's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MovementRules {
    /// Top running speed. Whole units: the engine keeps it as an integer.
    pub speed: i32,
    /// What haste multiplies `speed` by, before it is cut to a whole number again.
    pub haste_factor: f64,
    /// Speed lost to gravity each second. Whole units, as `speed`.
    pub gravity: i32,
    /// Upward speed at take-off.
    pub jump_speed: f32,
    /// The highest edge that is walked up without jumping.
    pub step_height: f32,
    /// The least upward part of the normal of a floor that carries a standing player: 0.7 is about 45 degrees.
    pub floor_normal_min: f32,
    /// How much more than the speed into a wall is taken away, so that the next sweep starts clear of it.
    pub overclip: f32,
    /// A command is carried out in pieces no longer than this.
    pub piece_ms: i32,
    /// Whether speeds are rounded to whole units after every piece. Quake III does so to save bandwidth.
    pub whole_speeds: bool,
    pub body: BodyRules,
    pub ground: GroundRules,
    pub air: AirRules,
    pub water: WaterRules,
    pub fall: FallRules,
    pub knock: KnockRules,
    pub teleport: TeleportRules,
    /// Games without ladders have none of it, and nothing is traced for it.
    pub ladder: Option<LadderRules>,
    /// Games in which nobody lies down have none of it.
    pub prone: Option<ProneRules>,
}

/// The box around a player, measured from the origin, and the height of the eyes over it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BodyRules {
    pub half_width: f32,
    /// Where the feet are; negative, since the origin is inside the body.
    pub feet: f32,
    pub standing_top: f32,
    pub crouched_top: f32,
    pub dead_top: f32,
    pub standing_eye: i32,
    pub crouched_eye: i32,
    pub dead_eye: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GroundRules {
    pub accelerate: f32,
    pub friction: f32,
    /// Friction acts on at least this speed, so that slow players come to a halt.
    pub stop_speed: f32,
    pub crouch_scale: f32,
    /// Speed a dead body loses in each piece of movement while it lies on a floor.
    pub dead_drag: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AirRules {
    pub accelerate: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WaterRules {
    pub accelerate: f32,
    /// Per level of immersion: wading slows by one, diving by three times this.
    pub friction: f32,
    pub swim_scale: f32,
    /// Speed at which an idle swimmer sinks.
    pub sink_speed: f32,
    /// Leaping out over an edge: speed along the view, speed upwards, and how long there is no control at most.
    pub leap_forward: f32,
    pub leap_up: f32,
    pub leap_ms: i32,
    /// The edge is felt this far ahead.
    pub leap_reach: f32,
}

/// What a landing does, by its energy: a ten-thousandth of the square of the speed at which the floor was met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FallRules {
    pub short_energy: f32,
    pub medium_energy: f32,
    pub far_energy: f32,
    pub medium_damage: i32,
    pub far_damage: i32,
    /// Landings faster than this start the pause below.
    pub pause_speed: f32,
    pub pause_ms: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnockRules {
    /// Speed that 200 points of damage give: Quake III's g_knockback.
    pub strength: f32,
    pub damage_max: i32,
    pub ms_per_damage: i32,
    pub ms_min: i32,
    pub ms_max: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TeleportRules {
    pub exit_speed: f32,
    pub hold_ms: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LadderRules {
    pub climb_speed: f32,
    /// A ladder is held when it is this close in front.
    pub reach: f32,
    /// Looking down more than this many degrees, forward climbs down.
    pub down_pitch: f32,
    /// Speed away from the ladder when jumping off.
    pub leap_speed: f32,
    /// Speed onto the ledge when the ladder ends above it.
    pub ledge_speed: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProneRules {
    pub top: f32,
    pub eye: i32,
    pub crawl_scale: f32,
    /// How long lying down and getting up take; until then there is neither jumping nor another change.
    pub down_ms: i32,
    pub up_ms: i32,
}

impl MovementRules {
    /// OpenArena 0.8.8 with its own defaults. (Later Quake III engines default to whole speeds; this game does not.)
    pub fn openarena() -> MovementRules {
        MovementRules {
            speed: 320,
            haste_factor: 1.3,
            gravity: 800,
            jump_speed: 270.0,
            step_height: 18.0,
            floor_normal_min: 0.7,
            overclip: 1.001,
            piece_ms: 66,
            whole_speeds: false,
            body: BodyRules::default(),
            ground: GroundRules::default(),
            air: AirRules::default(),
            water: WaterRules::default(),
            fall: FallRules::default(),
            knock: KnockRules::default(),
            teleport: TeleportRules::default(),
            ladder: None,
            prone: None,
        }
    }

    /// The embedded game: the same legs, which also climb ladders and lie down.
    pub fn skirmish() -> MovementRules {
        MovementRules {
            ladder: Some(LadderRules::default()),
            prone: Some(ProneRules::default()),
            ..MovementRules::openarena()
        }
    }

    /// Top speed of a player with haste.
    pub fn hasted_speed(&self) -> i32 {
        (f64::from(self.speed) * self.haste_factor) as i32
    }

    /// The box of a living player in this stance.
    pub fn hull(&self, stance: super::Stance) -> Hull {
        let top = match stance {
            super::Stance::Standing => self.body.standing_top,
            super::Stance::Crouched => self.body.crouched_top,
            super::Stance::Prone => self.prone.map_or(self.body.crouched_top, |prone| prone.top),
        };
        self.body.hull_up_to(top)
    }

    pub fn dead_hull(&self) -> Hull {
        self.body.hull_up_to(self.body.dead_top)
    }

    /// How high over the origin the eyes of a living player are in this stance.
    pub fn eye_height(&self, stance: super::Stance) -> i32 {
        match stance {
            super::Stance::Standing => self.body.standing_eye,
            super::Stance::Crouched => self.body.crouched_eye,
            super::Stance::Prone => self.prone.map_or(self.body.crouched_eye, |prone| prone.eye),
        }
    }
}

impl BodyRules {
    fn hull_up_to(&self, top: f32) -> Hull {
        let w = self.half_width;
        Hull::new(Vec3::new(-w, -w, self.feet), Vec3::new(w, w, top))
    }
}

impl Default for MovementRules {
    fn default() -> MovementRules {
        MovementRules::openarena()
    }
}

impl Default for BodyRules {
    fn default() -> BodyRules {
        BodyRules {
            half_width: 15.0,
            feet: -24.0,
            standing_top: 32.0,
            crouched_top: 16.0,
            dead_top: -8.0,
            standing_eye: 26,
            crouched_eye: 12,
            dead_eye: -16,
        }
    }
}

impl Default for GroundRules {
    fn default() -> GroundRules {
        GroundRules { accelerate: 10.0, friction: 6.0, stop_speed: 100.0, crouch_scale: 0.25, dead_drag: 20.0 }
    }
}

impl Default for AirRules {
    fn default() -> AirRules {
        AirRules { accelerate: 1.0 }
    }
}

impl Default for WaterRules {
    fn default() -> WaterRules {
        WaterRules {
            accelerate: 4.0,
            friction: 1.0,
            swim_scale: 0.5,
            sink_speed: 60.0,
            leap_forward: 200.0,
            leap_up: 350.0,
            leap_ms: 2000,
            leap_reach: 30.0,
        }
    }
}

impl Default for FallRules {
    fn default() -> FallRules {
        FallRules {
            short_energy: 7.0,
            medium_energy: 40.0,
            far_energy: 60.0,
            medium_damage: 5,
            far_damage: 10,
            pause_speed: 200.0,
            pause_ms: 250,
        }
    }
}

impl Default for KnockRules {
    fn default() -> KnockRules {
        KnockRules { strength: 1000.0, damage_max: 200, ms_per_damage: 2, ms_min: 50, ms_max: 200 }
    }
}

impl Default for TeleportRules {
    fn default() -> TeleportRules {
        TeleportRules { exit_speed: 400.0, hold_ms: 160 }
    }
}

impl Default for LadderRules {
    /// About a player's own pace: a ladder of 128 units takes one second.
    fn default() -> LadderRules {
        LadderRules { climb_speed: 128.0, reach: 2.0, down_pitch: 30.0, leap_speed: 200.0, ledge_speed: 100.0 }
    }
}

impl Default for ProneRules {
    /// A body 18 units high crawls at an eighth of running speed.
    fn default() -> ProneRules {
        ProneRules { top: -6.0, eye: -12, crawl_scale: 0.125, down_ms: 500, up_ms: 600 }
    }
}
