//! What a body feels where it is tried: what is in its way, what is below and above it, what it stands in.

use fireteam_terrain::SpanFlags;
use fireteam_world::map::Entity;
use fireteam_world::movement::{MovementRules, Setting, Stance, Trigger, TriggerAction};
use fireteam_world::mover::Movers;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Bounds, Contents, Crowd, Game, Hull, Map, Placed, Scene, Solids, Sweep, Trace, Vec3};

use super::liquids::Liquids;
use super::platforms::Platform;

/// What stops a bot's body.
pub(crate) const MASK: Contents = Contents::MASK_BOT;
/// A sweep stops this far short of what it strikes.
pub(crate) const BACK_OFF: f32 = 0.125;
/// How far below the feet a floor still carries, to the legs.
const GROUND_REACH: f32 = 0.25;
/// Free heights are measured up to this.
const HEADROOM_MAX: f32 = 1020.0;
/// Below the lowest brush of the map there is nothing.
const VOID: f32 = 64.0;

/// The map as a body meets it: doors open, lifts nowhere and everywhere, what never moves in its place.
#[derive(Debug)]
pub(crate) struct Feeling<'a> {
    pub(crate) solids: &'a Solids,
    pub(crate) rules: &'a MovementRules,
    pub(crate) frame_ms: i32,
    /// Every mover, where it rests.
    resting: Vec<Placed>,
    /// Buttons, statues, blades at rest.
    fixtures: Crowd,
    pub(super) platforms: Vec<Platform>,
    pub(crate) triggers: Vec<Trigger>,
    trigger_bounds: Vec<Bounds>,
    standing: Hull,
    crouched: Hull,
    /// The smallest box the game allows.
    pub(crate) lowest: Hull,
    liquids: Liquids,
    pub(crate) has_ladder: bool,
    health_max: i32,
    pub(crate) bottom: f32,
}

/// What a body in some place stands in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touched {
    Nothing,
    Harm,
    /// Not a place to be.
    Death,
    /// A pad or a teleporter, by its number among the triggers: nobody stays here.
    Sent(usize),
}

impl<'a> Feeling<'a> {
    pub(crate) fn of(map: &Map, solids: &'a Solids, game: &'a Game) -> Feeling<'a> {
        let rules = &game.rules.movement;
        let movers = Movers::of(map, game, Time(0));
        let (moving, fixed): (Vec<Placed>, Vec<Placed>) =
            movers.placed().iter().partition(|placed| gives_way(&map.entities[placed.entity.index()]));
        let triggers = Trigger::all_in(map, rules);
        let standing = rules.hull(Stance::Standing);
        let lowest = rules.hull(if rules.prone.is_some() { Stance::Prone } else { Stance::Crouched });
        let surface = |flags| map.shaders.iter().any(|shader| shader.surface.meets(flags));
        Feeling {
            solids,
            rules,
            frame_ms: game.rules.frame_ms,
            resting: movers.placed().to_vec(),
            fixtures: Crowd::of(solids, &fixed, &[]),
            platforms: Platform::all(&movers, &moving, solids),
            trigger_bounds: triggers.iter().map(|trigger| solids.placed_bounds(&trigger.place)).collect(),
            triggers,
            standing,
            crouched: rules.hull(Stance::Crouched),
            lowest,
            liquids: Liquids::of(map),
            has_ladder: rules.ladder.is_some() && surface(fireteam_world::SurfaceFlags::LADDER),
            health_max: game.rules.health.max,
            bottom: map.models.first().map_or(0.0, |world| world.mins.z) - VOID,
        }
    }

    /// The box around a mover where it rests.
    pub(crate) fn bounds_of(&self, entity: EntityId) -> Option<Bounds> {
        let placed = self.resting.iter().find(|placed| placed.entity == entity)?;
        Some(self.solids.placed_bounds(placed))
    }

    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene { solids: self.solids, crowd: &self.fixtures }
    }

    pub(crate) fn setting<'s>(&'s self, scene: &'s Scene<'s>) -> Setting<'s> {
        Setting { scene, rules: self.rules, me: None, mask: MASK }
    }

    /// How far below the origin the feet are: a negative number.
    pub(crate) fn feet(&self) -> f32 {
        self.rules.body.feet
    }

    /// How high the feet get by a jump.
    pub(crate) fn jump_height(&self) -> f32 {
        self.rules.jump_speed * self.rules.jump_speed / (2.0 * self.rules.gravity.max(1) as f32)
    }

    /// The boxes that fit into this free height, the upright one first.
    pub(crate) fn hulls(&self, flags: SpanFlags) -> &'static [Stance] {
        const ALL: [Stance; 3] = [Stance::Standing, Stance::Crouched, Stance::Prone];
        let from = if flags.meets(SpanFlags::STAND) {
            0
        } else if flags.meets(SpanFlags::CROUCH) {
            1
        } else {
            2
        };
        &ALL[from..if self.rules.prone.is_some() { 3 } else { 2.max(from) }]
    }

    pub(crate) fn hull(&self, stance: Stance) -> Hull {
        self.rules.hull(stance)
    }

    #[inline]
    pub(crate) fn sweep(&self, start: Vec3, end: Vec3, hull: Hull) -> Trace {
        self.scene().sweep(&Sweep::hull(start, end, hull, MASK), None)
    }

    pub(crate) fn fits(&self, origin: Vec3, hull: Hull) -> bool {
        !self.sweep(origin, origin, hull).start_solid
    }

    /// Whether the legs feel ground here: a body that came down on the very corner of an edge may have missed it by a
    /// rounding, and falls on.
    pub(crate) fn is_held(&self, origin: Vec3) -> bool {
        self.sweep(origin, origin - Vec3::Z * GROUND_REACH, self.lowest).fraction < 1.0
    }

    /// Free height above the feet of a body of the smallest kind.
    pub(crate) fn headroom(&self, origin: Vec3) -> f32 {
        let up = self.sweep(origin, origin + Vec3::Z * HEADROOM_MAX, self.lowest);
        let rise = if up.start_solid { 0.0 } else { up.end.z - origin.z };
        self.lowest.maxs.z - self.lowest.mins.z + rise
    }

    /// Which stances this free height allows.
    pub(crate) fn stances(&self, headroom: f32) -> SpanFlags {
        let has_room = |hull: &Hull| headroom + BACK_OFF > hull.maxs.z - hull.mins.z;
        let mut flags = SpanFlags::NONE;
        if has_room(&self.standing) {
            flags |= SpanFlags::STAND;
        }
        if has_room(&self.crouched) {
            flags |= SpanFlags::CROUCH;
        }
        flags
    }

    /// What liquid does to a body here: wet feet, swimming, harm.
    pub(crate) fn wetness(&self, origin: Vec3) -> SpanFlags {
        let contents = self.liquids.at(origin + Vec3::Z * (self.feet() + 1.0));
        if contents.is_empty() {
            return SpanFlags::NONE;
        }
        let mut flags = SpanFlags::LIQUID;
        if contents.meets(Contents::LAVA | Contents::SLIME) {
            flags |= SpanFlags::HARM;
        }
        if self.is_waist_wet(origin) {
            flags |= SpanFlags::SWIM;
        }
        flags
    }

    /// Halfway from feet to eyes, where walking ends and swimming begins.
    pub(crate) fn is_waist_wet(&self, origin: Vec3) -> bool {
        self.is_wet(origin, 0.5)
    }

    pub(crate) fn are_eyes_wet(&self, origin: Vec3) -> bool {
        self.is_wet(origin, 1.0)
    }

    fn is_wet(&self, origin: Vec3, share: f32) -> bool {
        let eyes = self.rules.body.standing_eye as f32 - self.feet();
        !self.liquids.at(origin + Vec3::Z * (self.feet() + eyes * share)).is_empty()
    }

    /// What a body here stands in. Death outweighs everything, being sent away outweighs harm.
    pub(crate) fn touched(&self, origin: Vec3) -> Touched {
        let body = Bounds { mins: origin + self.crouched.mins, maxs: origin + self.crouched.maxs };
        let mut touched = Touched::Nothing;
        for (index, bounds) in self.trigger_bounds.iter().enumerate() {
            if !bounds.meets(&body) || !self.reaches_into(index, origin) {
                continue;
            }
            match self.triggers[index].action {
                TriggerAction::Hurt { damage } if self.kills(damage) => return Touched::Death,
                TriggerAction::Hurt { .. } if touched == Touched::Nothing => touched = Touched::Harm,
                TriggerAction::Launch { .. } | TriggerAction::Teleport { .. }
                    if !matches!(touched, Touched::Sent(_)) =>
                {
                    touched = Touched::Sent(index);
                }
                TriggerAction::Hurt { .. }
                | TriggerAction::Launch { .. }
                | TriggerAction::Teleport { .. }
                | TriggerAction::Fire => {}
            }
        }
        touched
    }

    pub(crate) fn kills(&self, damage: i32) -> bool {
        damage >= self.health_max
    }

    fn reaches_into(&self, trigger: usize, origin: Vec3) -> bool {
        let body = Hull::new(origin + self.crouched.mins, origin + self.crouched.maxs);
        let sweep = Sweep::hull(Vec3::ZERO, Vec3::ZERO, body, Contents::ALL);
        self.solids.sweep_placed(&self.triggers[trigger].place, &sweep).start_solid
    }

    /// The first thing on a straight piece of flight that kills or sends elsewhere, and where it is met.
    pub(crate) fn touched_between(&self, from: Vec3, to: Vec3) -> Option<(Touched, Vec3)> {
        let hull = self.standing;
        let around = Bounds { mins: from.min(to) + hull.mins, maxs: from.max(to) + hull.maxs };
        if !self.trigger_bounds.iter().any(|bounds| bounds.meets(&around)) {
            return None;
        }
        // Triggers may be thin, but a body is not.
        let looks = (from.distance(to) / hull.maxs.x.max(1.0)).ceil().max(1.0) as u32;
        (1..=looks).find_map(|look| {
            let point = from.lerp(to, look as f32 / looks as f32);
            match self.touched(point) {
                Touched::Nothing | Touched::Harm => None,
                touched @ (Touched::Death | Touched::Sent(_)) => Some((touched, point)),
            }
        })
    }
}

/// What opens, breaks or comes and goes is not in the way; everything else of its kind is.
fn gives_way(entity: &Entity) -> bool {
    matches!(
        entity.class(),
        "func_door" | "func_plat" | "func_train" | "func_bobbing" | "func_pendulum" | "func_breakable"
    )
}
