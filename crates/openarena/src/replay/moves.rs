//! A recorded player run, walked again.
//!
//! The player starts as recorded, gets the recorded commands, and is then left alone for the rest of the run: errors
//! add up. What surrounds it is taken from the record: movers where they were, the other players where they stood, the
//! top speed (haste is an item), and whether it still lives. A blow by a weapon is the one thing a run may contain that movement does not decide;
//! the player is set to the record in that frame, and the frame is counted.
//!
//! The game moves its clients first and its movers afterwards, which carry whoever stands on them: so a player moves
//! among the movers of the frame before, and is then taken along.

use fireteam_world::maths::game_axes;
use fireteam_world::movement::{
    Buttons, Command, Ground, Hold, MovementRules, Player, Setting, Stance, Trigger, frame,
};
use fireteam_world::mover::{Motion, MotionKind};
use fireteam_world::trace::{Body, Placed};
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Contents, Crowd, Scene, Solids, Sweep, Vec3};

use crate::capture::rows::{self, ENTITY_NONE, ENTITY_WORLD, Frame, MoverFrame, PlayerFrame, Trajectory};
use crate::capture::runs::{EVENT_MISSILE_HIT, EVENT_MISSILE_MISS_METAL};

/// Bits of the game's movement flags.
const DUCKED: i32 = 1;
const JUMP_HELD: i32 = 2;
const TIME_LAND: i32 = 32;
const TIME_KNOCKBACK: i32 = 64;
const TIME_WATERJUMP: i32 = 256;
const RESPAWNED: i32 = 512;
/// The bit of the entity flags that changes with every teleport.
const TELEPORT_BIT: i32 = 4;

/// The map in which runs took place, and the rules they were walked by.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    pub solids: &'a Solids,
    pub triggers: &'a [Trigger],
    pub rules: &'a MovementRules,
}

/// How a replayed run compares with its record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stray {
    /// Distance from the recorded origin at the end.
    pub end: f32,
    /// The largest distance on the way.
    pub worst: f32,
    /// Frames walked, without blows.
    pub frames: usize,
    /// Of these, the ones that come out to the last bit of origin and velocity when begun from the record.
    pub exact: usize,
    /// The first frame that does not.
    pub inexact_first: Option<usize>,
    /// Frames in which a weapon's blow was taken from the record.
    pub blows: usize,
}

impl Stray {
    fn note(&mut self, frame: usize, is_exact: bool) {
        self.frames += 1;
        if is_exact {
            self.exact += 1;
        } else {
            self.inexact_first.get_or_insert(frame);
        }
    }
}

/// Walks the run of the `index`th body of a drive again.
pub fn replay(course: &Course, frames: &[Frame], commands: &[rows::Command], index: usize) -> Stray {
    let mut stray = Stray::default();
    let Some(first) = frames.first() else { return stray };
    let mut movers = first.movers.clone();
    let mut player = player_of(&first.players[index], course.rules);
    for (number, pair) in frames.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let record = &after.players[index];
        let moved = moved(&movers, &after.movers);
        let pass = Pass { course, before, after, index, movers: &movers, moved: &moved };
        let command = command_of(commands, number);

        if is_blow(before, after, index) {
            player = player_of(record, course.rules);
            stray.blows += 1;
        } else {
            let afresh = pass.run(&player_of(&before.players[index], course.rules), &command);
            stray.note(number + 1, is_same(&afresh, record));
            player = pass.run(&player, &command);
        }
        stray.end = player.origin.distance(record.origin);
        stray.worst = stray.worst.max(stray.end);
        movers = moved;
    }
    stray
}

/// One frame of the record, to be walked once.
#[derive(Debug)]
pub struct Pass<'a> {
    course: &'a Course<'a>,
    before: &'a Frame,
    after: &'a Frame,
    index: usize,
    movers: &'a [MoverFrame],
    moved: &'a [MoverFrame],
}

impl Pass<'_> {
    fn run(&self, player: &Player, command: &Command) -> Player {
        let Pass { course, after, index, .. } = *self;
        let mut placed: Vec<Placed> = self.movers.iter().map(MoverFrame::placed).collect();
        let bodies = self.others();
        let crowd = Crowd::of(course.solids, &placed, &bodies);
        let scene = Scene { solids: course.solids, crowd: &crowd };
        let setting =
            Setting { scene: &scene, rules: course.rules, me: Some(EntityId(index as u16)), mask: Contents::MASK_BOT };
        let mut player = Player { speed: after.players[index].speed, ..*player };
        let before = &self.before.players[index];
        if before.health <= 0 {
            // The game turns the eyes of the dead towards their killer, and where they look a body still leaps.
            player.is_dead = true;
            player.view = before.view_angles;
        }
        player = frame(&player, command, after.time - self.before.time, &setting, course.triggers).player;
        self.ride(&mut player, &mut placed, &bodies);
        player
    }

    /// Everyone else: those before us in the game's order have moved already.
    fn others(&self) -> Vec<Body> {
        let mut bodies = Vec::new();
        for (other, moved) in self.after.players.iter().enumerate() {
            let row = match other.cmp(&self.index) {
                std::cmp::Ordering::Less => moved,
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => &self.before.players[other],
            };
            let hull = player_of(row, self.course.rules).hull(self.course.rules);
            let contents = if row.health > 0 { Contents::BODY } else { Contents::CORPSE };
            bodies.push(Body { entity: EntityId(other as u16), origin: row.origin, hull, contents });
        }
        bodies
    }

    /// The movers go where the record says they went, one after another, and take along or push aside.
    fn ride(&self, player: &mut Player, placed: &mut [Placed], bodies: &[Body]) {
        let rules = self.course.rules;
        for slot in 0..placed.len() {
            let before = placed[slot];
            let row = |rows: &'_ [MoverFrame]| rows.iter().position(|mover| mover.entity == before.entity.0);
            let (Some(was), Some(is)) = (row(self.movers), row(self.moved)) else { continue };
            let (was, after) = (&self.movers[was], &self.moved[is]);
            let (shift, turn) = (shift(was, after, self.after.time), after.angles - before.angles);
            if shift == Vec3::ZERO && turn == Vec3::ZERO {
                continue;
            }
            placed[slot] = after.placed();
            let crowd = Crowd::of(self.course.solids, placed, bodies);
            let scene = Scene { solids: self.course.solids, crowd: &crowd };
            let is_stuck = |player: &Player| {
                let sweep = Sweep::hull(player.origin, player.origin, player.hull(rules), Contents::MASK_PLAYER);
                scene.sweep(&sweep, Some(EntityId(self.index as u16))).start_solid
            };
            let rides = matches!(player.ground, Ground::Floor { entity, .. } if entity == Some(before.entity));
            let is_met = rides || (self.is_near(player, after) && is_stuck(player));
            if !is_met {
                continue;
            }
            let arm = player.origin - after.origin;
            let mut carried = *player;
            carried.carry(shift, turn.y);
            carried.origin += turned(arm, turn) - arm;
            if !is_stuck(&carried) {
                *player = carried;
            }
        }
    }

    /// Whether the boxes that the engine links for both overlap.
    fn is_near(&self, player: &Player, mover: &MoverFrame) -> bool {
        let (mins, maxs) = self.course.solids.bounds(ModelId(mover.model));
        let hull = player.hull(self.course.rules);
        let (low, high) = (player.origin + hull.mins - 1.0, player.origin + hull.maxs + 1.0);
        let far = Vec3::splat(if mover.angles == Vec3::ZERO { 0.0 } else { mins.length().max(maxs.length()) });
        low.cmplt(mover.origin + maxs + 2.0 + far).all() && high.cmpgt(mover.origin + mins - 2.0 - far).all()
    }
}

/// How far a mover went. The game takes the way to where its course says it is, and adds that: a last bit more than the
/// difference between two places. In the frame in which it starts or stops, either course may be the one.
fn shift(before: &MoverFrame, after: &MoverFrame, time: i32) -> Vec3 {
    let steps = [&after.pos, &before.pos].map(|course| motion(course).at(Time(time)) - before.origin);
    let leads_there = |shift: &&Vec3| before.origin + **shift == after.origin;
    steps.iter().find(leads_there).copied().unwrap_or(after.origin - before.origin)
}

fn motion(row: &Trajectory) -> Motion {
    let kind = match row.kind {
        2 => MotionKind::Linear,
        3 => MotionKind::LinearStop,
        4 => MotionKind::Sine,
        _ => MotionKind::Stationary,
    };
    Motion { kind, start: Time(row.time), duration_ms: row.duration, base: row.base, delta: row.delta }
}

/// A vector turned by pitch, yaw and roll.
fn turned(v: Vec3, angles: Vec3) -> Vec3 {
    if angles == Vec3::ZERO {
        return v;
    }
    let axes = game_axes(angles.x, angles.y, angles.z);
    axes.forward * v.x - axes.right * v.y + axes.up * v.z
}

/// All movers as they are after a frame that tells only of those that changed.
fn moved(movers: &[MoverFrame], changed: &[MoverFrame]) -> Vec<MoverFrame> {
    let mut moved = movers.to_vec();
    for mover in changed {
        match moved.iter_mut().find(|known| known.entity == mover.entity) {
            Some(known) => known.clone_from(mover),
            None => moved.push(mover.clone()),
        }
    }
    moved
}

fn is_same(player: &Player, record: &PlayerFrame) -> bool {
    player.origin == record.origin && player.velocity == record.velocity
}

/// Newly knocked, and not by a teleporter; or hurt in a frame in which a missile went off. (While another hold runs,
/// a blow changes the velocity without a mark in the flags.)
fn is_blow(before: &Frame, after: &Frame, index: usize) -> bool {
    let (was, is) = (&before.players[index], &after.players[index]);
    let is_knocked = is.move_flags & TIME_KNOCKBACK != 0 && was.move_flags & TIME_KNOCKBACK == 0;
    let is_teleported = (is.entity_flags ^ was.entity_flags) & TELEPORT_BIT != 0;
    let explodes = |event: i32| (EVENT_MISSILE_HIT..=EVENT_MISSILE_MISS_METAL).contains(&event);
    let is_blasted = is.health < was.health && after.missiles.iter().any(|missile| explodes(missile.event_number()));
    (is_knocked && !is_teleported) || is_blasted
}

/// The command of a frame; after the last one nothing is pressed and the view stays.
pub(super) fn command_of(commands: &[rows::Command], number: usize) -> Command {
    let at_rest = || commands.last().map(|last| rows::Command { angle_words: last.angle_words, ..Default::default() });
    let row = commands.get(number).cloned().or_else(at_rest).unwrap_or_default();
    Command {
        angles: row.angle_words,
        forward: row.forward,
        right: row.right,
        up: row.up,
        buttons: Buttons(row.buttons as u32),
    }
}

/// A recorded player in our words.
pub fn player_of(row: &PlayerFrame, rules: &MovementRules) -> Player {
    let has = |flag: i32| row.move_flags & flag != 0;
    let ground = match row.ground as u16 {
        ENTITY_NONE => Ground::Air,
        ENTITY_WORLD => Ground::Floor { entity: None, normal: Vec3::Z },
        entity => Ground::Floor { entity: Some(EntityId(entity)), normal: Vec3::Z },
    };
    Player {
        velocity: row.velocity,
        view: row.view_angles,
        view_offset: row.delta_angle_words,
        eye_height: row.view_height,
        ground,
        stance: if has(DUCKED) { Stance::Crouched } else { Stance::Standing },
        is_dead: row.health <= 0,
        speed: row.speed,
        hold: Hold {
            ms: row.move_time,
            landed: has(TIME_LAND),
            knocked: has(TIME_KNOCKBACK),
            leaping: has(TIME_WATERJUMP),
        },
        jump_is_held: has(JUMP_HELD),
        awaits_release: has(RESPAWNED),
        ..Player::at(row.origin, rules)
    }
}

/// The player of one frame, walked from the record of the frame before it: for looking into a difference.
pub fn again(course: &Course, frames: &[Frame], commands: &[rows::Command], index: usize, number: usize) -> Player {
    let mut movers = frames[0].movers.clone();
    for frame in &frames[1..number] {
        movers = moved(&movers, &frame.movers);
    }
    let (before, after) = (&frames[number - 1], &frames[number]);
    let moved = moved(&movers, &after.movers);
    let pass = Pass { course, before, after, index, movers: &movers, moved: &moved };
    pass.run(&player_of(&before.players[index], course.rules), &command_of(commands, number - 1))
}
