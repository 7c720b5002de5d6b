//! Moving as combat wants it, without falling off, burning or running against walls.
//!
//! Where the grid says that the ground ahead is plain, the wish is pressed as it is. Elsewhere it and a few moves like it (turned
//! aside, slower, none) are tried out in thought, by the game's own movement, among what is believed to stand there; the
//! first that is safe and gets on is pressed, and kept until the next look a tenth of a second later.
//!
//! Cost: a handful of look-ups on plain ground; eight short steps of movement for each move tried near a hazard.

use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::movement::{self, Player, TriggerAction};
use fireteam_world::trace::Bounds;
use fireteam_world::units::Time;
use fireteam_world::walker::Keys;

use super::fires;
use super::footing::{harms, is_plain};
use super::{Walk, flat};

/// How far ahead a move is thought through.
const AHEAD_MS: i32 = 400;
/// The least that counts as jumping.
const JUMP: i8 = 10;
const CROUCH: i8 = -127;
/// Wishes turned by so many degrees, and slowed to such shares, are tried when the wish itself will not do.
const OTHERS: [(f32, f32); 7] =
    [(30.0, 1.0), (-30.0, 1.0), (60.0, 1.0), (-60.0, 1.0), (0.0, 0.5), (90.0, 0.7), (-90.0, 0.7)];
/// A wish that gets on by this share of what it would in the open is good enough.
const GETS_ON: f32 = 0.6;
/// Nobody lets himself drop deeper than this in a fight.
const DROP_MAX: f32 = 64.0;
/// A wish that changed by less is the same.
const SAME_WISH: f32 = 0.05;
/// Steps are as long as the game's frames, so that what is thought is what will be; of short frames several at once.
const STEP_MS_MIN: i32 = 32;
/// A body stops within about this time; a jump takes this long.
const BRAKE_SECONDS: f32 = 0.2;
const JUMP_SECONDS: f32 = 0.75;
/// In the air keys matter little and falls are long: so much is looked ahead there.
const AIR_MS: i32 = 1200;
const AIR_STEP_MS: i32 = 100;
/// What nobody wants to be in.
const HARM: Contents = Contents(Contents::LAVA.0 | Contents::SLIME.0);

/// The move that was found good, and for which wish.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Careful {
    wish: Vec3,
    jumps: bool,
    /// Whether the body flew when it was chosen.
    flew: bool,
    chosen: Vec3,
    until: Time,
}

/// A move to be tried.
#[derive(Clone, Copy)]
struct Move {
    velocity: Vec3,
    up: i8,
}

impl Careful {
    /// Keys for a wish: level, of length 1 at full speed.
    pub(super) fn press(&mut self, walk: &Walk, wish: Vec3, jump: bool, crouch: bool) -> Keys {
        let body = walk.body();
        let wish = flat(wish).clamp_length_max(1.0);
        let speed = body.speed as f32;
        let up = if crouch { CROUCH } else { 0 };
        let flies = body.ground.is_air();
        let is_known = flies == self.flew && jump == self.jumps && walk.now < self.until;
        if !is_known || (wish - self.wish).length() > SAME_WISH {
            self.flew = flies;
            self.wish = wish;
            self.jumps = jump;
            self.until = walk.now + walk.convars.think_ms;
            self.chosen = if is_easy(walk, wish, jump) { wish } else { choose(walk, wish, jump, crouch) };
        }
        // A jump is pressed anew only when the key has been let go and there is ground to leave.
        let jumps = jump && !body.jump_is_held && walk.has_hold() && (self.chosen - wish).length() < SAME_WISH;
        Keys { up: if jumps { JUMP } else { up }, ..walk.urge(self.chosen * speed) }
    }
}

/// Nothing to think about: standing on plain ground, and plain ground the way one goes and wants to go.
fn is_easy(walk: &Walk, wish: Vec3, jump: bool) -> bool {
    let body = walk.body();
    if body.ground.is_air() || body.immersion.level > 1 {
        return body.immersion.level > 1;
    }
    let reach = body.speed as f32 * AHEAD_MS as f32 * 0.001;
    let drift = flat(body.velocity);
    // Who jumps flies on the way he goes, whatever he wishes.
    let drift_seconds = if jump { JUMP_SECONDS } else { BRAKE_SECONDS };
    let there = body.origin + wish * reach;
    fires::fires(walk).all(|fire| !fires::reaches(fire, body.origin, there))
        && is_plain(walk.field, body.origin, wish.normalize_or_zero(), reach * wish.length())
        && is_plain(walk.field, body.origin, drift.normalize_or_zero(), drift.length() * drift_seconds)
}

/// The best of the moves that are safe; the wish itself for who burns already.
fn choose(walk: &Walk, wish: Vec3, jump: bool, crouch: bool) -> Vec3 {
    let body = walk.body();
    let speed = body.speed as f32;
    if body.immersion.contents.meets(HARM) || harms(walk.field, body.origin) || fires::burns(walk, body.origin) {
        return wish;
    }
    let up = if jump {
        JUMP
    } else if crouch {
        CROUCH
    } else {
        0
    };
    let along = wish.normalize_or_zero();
    let enough = speed * wish.length() * AHEAD_MS as f32 * 0.001 * GETS_ON;
    let mut best: Option<(f32, Vec3)> = None;
    let others = OTHERS.iter().map(|(degrees, share)| turned(wish, *degrees) * *share);
    for (index, option) in std::iter::once(wish).chain(others).enumerate() {
        // Only the wish itself is jumped: what is turned aside is done on the ground.
        let up = if index == 0 { up } else { up.min(0) };
        let Some(end) = tried(walk, Move { velocity: option * speed, up }) else { continue };
        let progress = (end - body.origin).dot(along);
        if progress >= enough {
            return option;
        }
        if best.is_none_or(|(most, _)| progress > most) {
            best = Some((progress, option));
        }
    }
    match best {
        Some((progress, option)) if progress > 0.0 => option,
        Some(_) | None => stop(walk).or(best.map(|(_, option)| option)).unwrap_or(Vec3::ZERO),
    }
}

/// To stand still, or, for who is too fast for that, to go on the way he goes or back; none if nothing of that is safe.
fn stop(walk: &Walk) -> Option<Vec3> {
    let drift = flat(walk.body().velocity) / walk.body().speed.max(1) as f32;
    let options = [Vec3::ZERO, drift, -drift.normalize_or_zero()].into_iter();
    let mut options = options.map(|option| option.clamp_length_max(1.0));
    options.find(|option| tried(walk, Move { velocity: *option * walk.body().speed as f32, up: 0 }).is_some())
}

/// Where a move leads, or none if it is not safe.
fn tried(walk: &Walk, tried: Move) -> Option<Vec3> {
    let setting = walk.setting();
    let start = walk.body();
    let mut player = *start;
    let flies = start.ground.is_air();
    let (step_ms, total_ms) = if flies { (AIR_STEP_MS, AIR_MS) } else { (walk.frame_ms.max(STEP_MS_MIN), AHEAD_MS) };
    let mut spent = 0;
    // A flight is thought through until it ends: from the air there is no way back.
    while spent < total_ms || player.ground.is_air() && player.immersion.level == 0 && spent < AIR_MS {
        let keys = Keys::for_velocity(tried.velocity, &player, &setting, step_ms);
        let keys = Keys { up: if spent == 0 || tried.up < 0 { tried.up } else { 0 }, ..keys };
        let command = keys.command_facing_ahead(&player);
        let before = (player.origin, player.velocity);
        player = movement::step(&player, &command, step_ms, &setting).player;
        spent += step_ms;
        if !flies && start.origin.z - player.origin.z > DROP_MAX || is_harmed(walk, &player) {
            return None;
        }
        // Whoever runs against something, or is caught in it, gets no farther in the steps that are left.
        let is_caught = player.ground.is_air() && player.velocity.z == 0.0;
        let is_stopped = player.origin == before.0 && (is_caught || player.velocity == before.1);
        if is_stopped || flies && !player.ground.is_air() {
            break;
        }
    }
    // Whoever is still in the air then comes down somewhere: not into nothing.
    let hovers = player.ground.is_air() && player.immersion.level == 0;
    (!hovers || lands(walk, player.origin)).then_some(player.origin)
}

/// In something that hurts, or in a trigger that does or leads elsewhere.
pub(super) fn is_harmed(walk: &Walk, player: &Player) -> bool {
    let hull = player.hull(&walk.field.game.rules.movement);
    let body = Bounds { mins: player.origin + hull.mins, maxs: player.origin + hull.maxs };
    let is_trap = |action: &TriggerAction| match action {
        TriggerAction::Hurt { .. } | TriggerAction::Teleport { .. } | TriggerAction::Launch { .. } => true,
        TriggerAction::Fire => false,
    };
    player.immersion.contents.meets(HARM)
        || fires::burns(walk, player.origin)
        || walk.field.triggers.iter().any(|(bounds, trigger)| bounds.meets(&body) && is_trap(&trigger.action))
}

/// Whether ground that does no harm is below.
fn lands(walk: &Walk, origin: Vec3) -> bool {
    let terrain = &walk.field.terrain;
    let span = terrain.ground.span_below(origin + Vec3::Z * terrain.feet);
    span.is_some_and(|span| !span.flags.meets(fireteam_terrain::SpanFlags::HARM))
}

/// A level vector turned to the left.
pub(super) fn turned(v: Vec3, degrees: f32) -> Vec3 {
    let axes = fireteam_world::maths::game_axes(0.0, degrees, 0.0);
    let (cos, sin) = (axes.forward.x, axes.forward.y);
    Vec3::new(v.x * cos - v.y * sin, v.x * sin + v.y * cos, 0.0)
}
