//! The keys of `[movement]`: the numbers `crate::movement` moves a body by, with their limits.

use std::ops::RangeInclusive;

use super::described::describes;
use crate::movement::{
    AirRules, BodyRules, FallRules, GroundRules, KnockRules, LadderRules, MovementRules, ProneRules, TeleportRules,
    WaterRules,
};

const SPEED: RangeInclusive<f32> = 0.0..=20_000.0;
const SHARE: RangeInclusive<f32> = 0.0..=1.0;
const PER_SECOND: RangeInclusive<f32> = 0.0..=100.0;
/// Along one axis of a body, from its origin.
const BODY: RangeInclusive<f32> = -256.0..=256.0;
const BODY_WHOLE: RangeInclusive<i32> = -256..=256;
const TIME_MS: RangeInclusive<i32> = 0..=600_000;

describes! {
    MovementRules {
        /// Running; whole units.
        speed: i32, in 1..=20_000;
        /// What haste multiplies the speed by.
        haste_factor: f64 = 1.0, in 1.0..=10.0;
        /// What pulls bodies down, in units per second squared.
        gravity: i32, in 0..=10_000;
        /// Upward speed of a jump.
        jump_speed: f32, in SPEED;
        /// Highest step that is walked up.
        step_height: f32, in 0.0..=128.0;
        /// A surface whose normal rises at least this is ground.
        floor_normal_min: f32, in SHARE;
        /// How much more than the speed into a wall is taken away.
        overclip: f32 = 1.001, in 1.0..=2.0;
        /// A command is carried out in pieces no longer than this.
        piece_ms: i32 = 66, in 1..=1_000;
        /// Whether speeds are rounded to whole units after every piece.
        whole_speeds: bool = false;
        /// The box and the eyes.
        body: BodyRules;
        /// On the ground.
        ground: GroundRules;
        /// In the air.
        air: AirRules;
        /// In water.
        water: WaterRules;
        /// On landing.
        fall: FallRules;
        /// On being hit.
        knock: KnockRules;
        /// Out of a teleporter.
        teleport: TeleportRules = TeleportRules::default();
        /// Where there are ladders.
        ladder: Option<LadderRules> = None;
        /// Where people lie down.
        prone: Option<ProneRules> = None;
    }

    BodyRules {
        /// From the middle to each side.
        half_width: f32, in 1.0..=256.0;
        /// Where the feet are, relative to the origin.
        feet: f32, in -256.0..=0.0;
        /// Height of a standing body over the origin.
        standing_top: f32, in BODY;
        /// Height of a crouched body over the origin.
        crouched_top: f32, in BODY;
        /// Height of a dead body over the origin.
        dead_top: f32, in BODY;
        /// Height of standing eyes over the origin.
        standing_eye: i32, in BODY_WHOLE;
        /// Height of crouched eyes over the origin.
        crouched_eye: i32, in BODY_WHOLE;
        /// Height of dead eyes over the origin.
        dead_eye: i32, in BODY_WHOLE;
    }

    GroundRules {
        /// Acceleration, per second.
        accelerate: f32, in PER_SECOND;
        /// Friction, per second.
        friction: f32, in PER_SECOND;
        /// Below this speed friction works as if it were this.
        stop_speed: f32, in SPEED;
        /// Crouched speed over running speed.
        crouch_scale: f32, in SHARE;
        /// Speed a dead body loses in each piece of movement.
        dead_drag: f32 = 20.0, in SPEED;
    }

    AirRules {
        /// Acceleration, per second.
        accelerate: f32, in PER_SECOND;
    }

    WaterRules {
        /// Acceleration, per second.
        accelerate: f32, in PER_SECOND;
        /// Friction, per second and level of immersion.
        friction: f32, in PER_SECOND;
        /// Swimming speed over running speed.
        swim_scale: f32, in SHARE;
        /// Speed at which an idle swimmer sinks.
        sink_speed: f32 = 60.0, in SPEED;
        /// Speed forwards of a leap out of the water.
        leap_forward: f32 = 200.0, in SPEED;
        /// Speed upwards of it.
        leap_up: f32 = 350.0, in SPEED;
        /// Longest time without control in it.
        leap_ms: i32 = 2_000, in TIME_MS;
        /// How far ahead the edge is felt.
        leap_reach: f32 = 30.0, in 0.0..=256.0;
    }

    FallRules {
        /// Landing with more than this energy (a ten-thousandth of the squared speed) is heard.
        short_energy: f32, in 0.0..=10_000.0;
        /// With more than this it hurts.
        medium_energy: f32, in 0.0..=10_000.0;
        /// With more than this it hurts more.
        far_energy: f32, in 0.0..=10_000.0;
        /// Points lost by a medium fall.
        medium_damage: i32, in 0..=10_000;
        /// Points lost by a far fall.
        far_damage: i32, in 0..=10_000;
        /// Landing faster than this costs a pause.
        pause_speed: f32 = 200.0, in SPEED;
        /// How long.
        pause_ms: i32 = 250, in TIME_MS;
    }

    KnockRules {
        /// Speed given by `damage_max` points of damage.
        strength: f32, in SPEED;
        /// More points than this push no harder.
        damage_max: i32 = 200, in 1..=10_000;
        /// Time without ground friction, per point.
        ms_per_damage: i32 = 2, in 0..=1_000;
        /// The shortest such time.
        ms_min: i32 = 50, in TIME_MS;
        /// The longest.
        ms_max: i32 = 200, in TIME_MS;
    }

    TeleportRules {
        /// Speed on coming out.
        exit_speed: f32, in SPEED;
        /// Time without ground friction on coming out.
        hold_ms: i32, in TIME_MS;
    }

    LadderRules {
        /// Climbing.
        climb_speed: f32, in SPEED;
        /// How close in front a ladder must be.
        reach: f32 = 2.0, in 0.0..=64.0;
        /// Looking down more than this many degrees, forward climbs down.
        down_pitch: f32 = 30.0, in 0.0..=90.0;
        /// Speed away from the ladder when jumping off.
        leap_speed: f32 = 200.0, in SPEED;
        /// Speed onto the ledge when the ladder ends above it.
        ledge_speed: f32 = 100.0, in SPEED;
    }

    ProneRules {
        /// Height of a lying body over the origin.
        top: f32, in BODY;
        /// Height of its eyes over the origin.
        eye: i32, in BODY_WHOLE;
        /// Crawling speed over running speed.
        crawl_scale: f32, in SHARE;
        /// Time to lie down.
        down_ms: i32, in TIME_MS;
        /// Time to get up.
        up_ms: i32, in TIME_MS;
    }
}
