//! What could be perceived at all, by anybody of a side: the judge, who shares nothing with the bots' `perceive`.
//!
//! In: where the side's eyes are, whichever way they look, and the movers as they truly stand. Out: whether any point of a box
//! might be seen or touched. It says "could not" only when it is sure.
//!
//! How it is sure: whatever is seen of a box is seen through the sides of it that face the eye. If the rays to the four
//! corners of such a side all pass through the **same brush**, the whole side is hidden: with points p of a convex body on
//! the rays to the corners q, p = e + t (q - e), every point between the corners has one on its own ray, since a sum of the p
//! with positive weights is again on it. **Two brushes** hide a side if each of its edges is behind the one or the other all
//! along: a point that neither hid would have a line between it and each shadow, and between those lines there would be
//! light on the edge. Sides of which neither can be said are cut in two, and again, down to [`SEAM`]. Before all that, what the map's compiler ruled out needs no rays, and what is plainly in
//! sight needs few.
//!
//! Cost: two rays a cut; a few for what is hidden by one wall, some thousand for what shows nearly through a fence.

use std::collections::VecDeque;

use fireteam::Field;
use fireteam::snapshot::{Figure, Own, Power, Snapshot};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Bounds, Placed, Struck, Sweep};
use fireteam_world::units::{BrushId, EntityId};
use fireteam_world::{Contents, Map, Scene, Vec3};

/// Boxes are looked at a little larger than they are.
const MARGIN: f32 = 2.0;
/// What is this near to a body may be touched.
const TOUCH: f32 = 96.0;
/// How deep inside a box the point nearest to an eye is looked for.
const CRACKS: [f32; 4] = [0.0, 1.0, 2.0, 3.0];
/// Where three solids meet, or one that is not convex, nothing is looked for that is narrower than this.
const SEAM: f32 = 0.5;
/// Two brushes no farther apart than this, as seen on what they hide, touch.
const TOUCHING: f32 = 0.03;
/// Halvings until the end of a shadow is known: to a hundredth of a unit on the edge of a player's box.
const HALVINGS: usize = 13;
/// A curve is no convex body: what it hides is cut into pieces of this size.
const CURVE: f32 = 8.0;
/// What takes more cuts than this is taken to be in sight.
const CUTS_MAX: usize = 8192;
/// Places tried for somebody who is to stand elsewhere.
const TRIES: usize = 6;

/// Every mover where it truly is.
pub(super) fn stand(truth: &Snapshot, placed: &mut Vec<Placed>) {
    placed.clear();
    let standing = truth.movers.iter().filter(|mover| !mover.is_gone);
    placed.extend(standing.map(|mover| Placed {
        model: mover.model,
        entity: mover.entity,
        origin: mover.position.at(truth.time),
        angles: mover.angles.at(truth.time),
        contents: Contents(u32::MAX),
    }));
}

/// What a side could perceive at all.
pub(super) struct Oracle<'a> {
    bodies: &'a [Own],
    eyes: Vec<Vec3>,
    pub(super) field: &'a Field,
    pub(super) scene: Scene<'a>,
}

impl<'a> Oracle<'a> {
    /// For these bodies. Their eyes are where they are, and where the game shows them to be to everyone: a server rounds. Who is
    /// blinded has none.
    pub(super) fn new(bodies: &'a [Own], shown: &[Figure], field: &'a Field, scene: Scene<'a>) -> Oracle<'a> {
        let mut eyes = Vec::with_capacity(bodies.len() * 2);
        let is_blind = |own: &Own| own.body.is_dead || Power::Blinded.is_in(own.powers);
        for own in bodies.iter().filter(|own| !is_blind(own)) {
            let eye = own.body.eye();
            eyes.push(eye);
            let shown = shown.iter().find(|figure| figure.entity == own.entity).map(|figure| figure.origin);
            eyes.extend(shown.map(|shown| eye + (shown - own.body.origin)).filter(|shown| *shown != eye));
        }
        Oracle { bodies, eyes, field, scene }
    }

    /// Whether it is one of these bodies.
    pub(super) fn is_own(&self, entity: Option<EntityId>) -> bool {
        self.bodies.iter().any(|own| Some(own.entity) == entity)
    }

    /// Whether a sound that carries so far reaches any of them.
    pub(super) fn could_hear(&self, origin: Vec3, range: f32) -> bool {
        self.bodies.iter().any(|own| own.body.eye().distance(origin) <= range)
    }

    /// Whether any point of a box might be seen or touched by anybody.
    pub(super) fn could_perceive(&self, mins: Vec3, maxs: Vec3, pass: Option<EntityId>) -> bool {
        let bounds = Bounds { mins: mins - MARGIN, maxs: maxs + MARGIN };
        let light = Light { map: &self.field.map, scene: self.scene };
        let is_near = |own: &Own| nearest(own.body.origin, &bounds).distance(own.body.origin) < TOUCH;
        self.bodies.iter().any(is_near) || self.eyes.iter().any(|eye| light.could_see(*eye, &bounds, pass))
    }

    /// A place where nobody of this side could perceive a body.
    pub(super) fn hidden_place(&self, chance: &mut Pcg, reach: Vec3) -> Option<Vec3> {
        let origins = &self.field.terrain.waypoints.origin;
        (0..TRIES)
            .map(|_| *chance.pick(origins))
            .find(|place| !self.could_perceive(*place - reach, *place + reach, None))
    }
}

/// Where light goes: the map and what stands in it.
#[derive(Clone, Copy)]
struct Light<'a> {
    map: &'a Map,
    scene: Scene<'a>,
}

impl Light<'_> {
    fn could_see(&self, eye: Vec3, bounds: &Bounds, pass: Option<EntityId>) -> bool {
        let sees = |place: Vec3| self.scene.is_clear(&Sweep::ray(eye, place, Contents::MASK_OPAQUE), pass);
        let inside =
            |inset: f32| Bounds { mins: bounds.mins + inset, maxs: (bounds.maxs - inset).max(bounds.mins + inset) };
        if sees((bounds.mins + bounds.maxs) * 0.5) || CRACKS.iter().any(|&inset| sees(nearest(eye, &inside(inset)))) {
            return true;
        }
        self.map.may_see_into(eye, bounds)
            && (0..3).filter_map(|axis| Side::facing(axis, bounds, eye)).any(|side| self.sees_side(eye, side, pass))
    }

    /// Whether anything of a side is in sight, or cannot be said to be hidden.
    fn sees_side(&self, eye: Vec3, side: [Vec3; 4], pass: Option<EntityId>) -> bool {
        let mut blocked = [Blocker::Eyelid; 4];
        for (blocker, corner) in blocked.iter_mut().zip(side) {
            let Some(met) = self.blocker(eye, corner, pass) else { return true };
            *blocker = met;
        }
        // First in, first out: large pieces before small ones, so that what is in sight is found early.
        let mut open = VecDeque::from([Side { corners: side, blocked }]);
        for _ in 0..CUTS_MAX {
            let Some(side) = open.pop_front() else { return false };
            match self.judge(eye, &side) {
                Verdict::Hidden => continue,
                Verdict::Open => return true,
                Verdict::Unsure => {}
            }
            let [from, to] = side.cut();
            let (Some(met_from), Some(met_to)) = (self.blocker(eye, from, pass), self.blocker(eye, to, pass)) else {
                return true;
            };
            open.extend(side.halves([(from, met_from), (to, met_to)]));
        }
        !open.is_empty()
    }

    /// What can be said of a piece all corners of which are hidden.
    fn judge(&self, eye: Vec3, side: &Side) -> Verdict {
        let is_small = side.size() <= SEAM;
        let is_hidden = if side.blocked == [side.blocked[0]; 4] {
            match side.blocked[0] {
                Blocker::Eyelid | Blocker::Brush(..) => true,
                Blocker::Curve(..) => side.size() <= CURVE,
                Blocker::Unknown => false,
            }
        } else {
            self.is_behind_brushes(eye, side)
        };
        match (is_hidden, is_small) {
            (true, _) => Verdict::Hidden,
            // Between two brushes that do not touch, light comes through, however little.
            (false, true) if side.is_between_two() => Verdict::Open,
            (false, true) => Verdict::Hidden,
            (false, false) => Verdict::Unsure,
        }
    }

    /// Whether one brush of the map, or two between them, hide a piece.
    fn is_behind_brushes(&self, eye: Vec3, side: &Side) -> bool {
        let mut shadows = [None::<Shadow>; 4];
        for (index, (shadow, blocker)) in shadows.iter_mut().zip(side.blocked).enumerate() {
            let Blocker::Brush(None, brush) = blocker else { continue };
            if side.blocked[..index].contains(&blocker) {
                continue;
            }
            let corners = side.corners.map(|corner| self.is_through(brush, eye, corner));
            if corners == [true; 4] {
                return true;
            }
            *shadow = Some(Shadow { brush, corners });
        }
        let known = || shadows.iter().flatten();
        let is_pair = |one: &Shadow, other: &Shadow| {
            let hides_corner = |corner: usize| one.corners[corner] || other.corners[corner];
            (0..4).all(hides_corner) && (0..4).all(|edge| self.is_edge_behind(eye, side, edge, [one, other]))
        };
        known().enumerate().any(|(index, one)| known().skip(index + 1).any(|other| is_pair(one, other)))
    }

    /// Whether one edge of a piece, both ends of which are hidden, is behind the one brush or the other all along. What is
    /// behind a convex body is one stretch of it.
    fn is_edge_behind(&self, eye: Vec3, side: &Side, edge: usize, [one, other]: [&Shadow; 2]) -> bool {
        let (start, end) = (edge, (edge + 1) % 4);
        if one.corners[start] && one.corners[end] || other.corners[start] && other.corners[end] {
            return true;
        }
        let (near, far) = if one.corners[start] { (one, other) } else { (other, one) };
        let (from, to) = (side.corners[start], side.corners[end]);
        let (mut inside, mut outside) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = (inside + outside) * 0.5;
            if self.is_through(near.brush, eye, from.lerp(to, middle)) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        let next = (inside + TOUCHING / from.distance(to).max(TOUCHING)).min(1.0);
        self.is_through(far.brush, eye, from.lerp(to, next))
    }

    /// Whether the way between two points leads through a brush of the map.
    fn is_through(&self, brush: BrushId, from: Vec3, to: Vec3) -> bool {
        let (mut enters, mut leaves) = (0.0f32, 1.0f32);
        let brush = &self.map.brushes[brush.index()];
        for side in &self.map.sides[brush.side_first as usize..][..brush.side_count as usize] {
            let plane = &self.map.planes[side.plane as usize];
            let [above_from, above_to] = [from, to].map(|point| plane.normal.dot(point) - plane.dist);
            let share = above_from / (above_from - above_to);
            match (above_from > 0.0, above_to > 0.0) {
                (true, true) => return false,
                (true, false) => enters = enters.max(share),
                (false, true) => leaves = leaves.min(share),
                (false, false) => {}
            }
        }
        enters < leaves
    }

    /// What is in the way; none if nothing is.
    fn blocker(&self, eye: Vec3, place: Vec3, pass: Option<EntityId>) -> Option<Blocker> {
        let trace = self.scene.sweep(&Sweep::ray(eye, place, Contents::MASK_OPAQUE), pass);
        if !trace.is_hit() {
            return None;
        }
        Some(match trace.struck {
            _ if trace.start_solid => Blocker::Eyelid,
            Struck::Brush(brush) => Blocker::Brush(trace.entity, brush),
            Struck::Patch(patch) => Blocker::Curve(trace.entity, patch.index()),
            Struck::Body | Struck::Nothing => Blocker::Unknown,
        })
    }
}

/// What an eye sees instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocker {
    /// The eye itself is inside something.
    Eyelid,
    Brush(Option<EntityId>, BrushId),
    Curve(Option<EntityId>, usize),
    Unknown,
}

/// Whether a piece of a side can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Hidden,
    Open,
    /// It has to be cut.
    Unsure,
}

/// Which corners of a piece a brush hides.
#[derive(Clone, Copy)]
struct Shadow {
    brush: BrushId,
    corners: [bool; 4],
}

/// A piece of a box's side, corners in turn, with what hides each.
struct Side {
    corners: [Vec3; 4],
    blocked: [Blocker; 4],
}

impl Side {
    /// The side of a box across an axis that faces an eye.
    fn facing(axis: usize, bounds: &Bounds, eye: Vec3) -> Option<[Vec3; 4]> {
        let depth = match eye[axis] {
            at if at < bounds.mins[axis] => bounds.mins[axis],
            at if at > bounds.maxs[axis] => bounds.maxs[axis],
            _ => return None,
        };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        Some([(false, false), (true, false), (true, true), (false, true)].map(|(far_u, far_v)| {
            let mut corner = Vec3::ZERO;
            corner[axis] = depth;
            corner[u] = if far_u { bounds.maxs[u] } else { bounds.mins[u] };
            corner[v] = if far_v { bounds.maxs[v] } else { bounds.mins[v] };
            corner
        }))
    }

    /// Its longer edge.
    fn size(&self) -> f32 {
        let [a, b, c, _] = self.corners;
        a.distance(b).max(b.distance(c))
    }

    /// Two brushes of the map are before it, and nothing else.
    fn is_between_two(&self) -> bool {
        let is_brush = |blocker: &Blocker| matches!(blocker, Blocker::Brush(None, _));
        let is_new = |index: &usize| !self.blocked[..*index].contains(&self.blocked[*index]);
        self.blocked.iter().all(is_brush) && (0..4).filter(is_new).count() == 2
    }

    /// The two points in the middle of its longer edges.
    fn cut(&self) -> [Vec3; 2] {
        let [a, b, c, d] = self.corners;
        if self.is_wide() { [(a + b) * 0.5, (c + d) * 0.5] } else { [(b + c) * 0.5, (d + a) * 0.5] }
    }

    fn is_wide(&self) -> bool {
        let [a, b, c, _] = self.corners;
        a.distance_squared(b) >= b.distance_squared(c)
    }

    /// Both pieces, once it is known what hides the points of the cut.
    fn halves(&self, cut: [(Vec3, Blocker); 2]) -> [Side; 2] {
        let [a, b, c, d] = std::array::from_fn(|index| (self.corners[index], self.blocked[index]));
        let [from, to] = cut;
        let pieces =
            if self.is_wide() { [[a, from, to, d], [from, b, c, to]] } else { [[a, b, from, to], [to, from, c, d]] };
        pieces.map(|piece| Side { corners: piece.map(|corner| corner.0), blocked: piece.map(|corner| corner.1) })
    }
}

fn nearest(point: Vec3, bounds: &Bounds) -> Vec3 {
    point.clamp(bounds.mins, bounds.maxs)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use fireteam_world::Solids;

    use super::*;

    /// A map of upright boxes.
    fn map_of(boxes: &[(Vec3, Vec3)]) -> Map {
        let mut text = "{\n\"classname\" \"worldspawn\"\n".to_owned();
        for (mins, maxs) in boxes {
            text += "{\n";
            for (at, steps) in [
                (mins, [[Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X], [Vec3::X, Vec3::Y]]),
                (maxs, [[Vec3::Z, Vec3::Y], [Vec3::X, Vec3::Z], [Vec3::Y, Vec3::X]]),
            ] {
                for [u, v] in steps {
                    let corners = [*at, *at + u, *at + v].map(|p| format!("( {} {} {} )", p.x, p.y, p.z));
                    writeln!(text, "{} wall 0 0 0 1 1", corners.join(" ")).expect("memory");
                }
            }
            text += "}\n";
        }
        Map::from_source("boxes", &(text + "}\n")).unwrap_or_else(|error| panic!("{error}"))
    }

    fn around(at: Vec3, reach: f32) -> Bounds {
        Bounds { mins: at - reach, maxs: at + reach }
    }

    #[test]
    fn a_slit_is_looked_through_and_a_seam_is_not() {
        let wall = |from: f32, to: f32| (Vec3::new(0.0, from, -500.0), Vec3::new(16.0, to, 500.0));
        let (eye, target) = (Vec3::new(-100.0, 0.0, 0.0), around(Vec3::new(100.0, 0.0, 0.0), 20.0));
        let sees = |boxes: &[(Vec3, Vec3)]| {
            let map = map_of(boxes);
            let solids = Solids::build(&map);
            Light { map: &map, scene: Scene::of(&solids) }.could_see(eye, &target, None)
        };
        assert!(!sees(&[wall(-500.0, 500.0)]), "one wall");
        assert!(!sees(&[wall(-500.0, 3.0), wall(3.0, 500.0)]), "two walls that meet");
        assert!(sees(&[wall(-500.0, 3.0), wall(5.0, 500.0)]), "a slit");
        let board = |from: f32, to: f32| (Vec3::new(0.0, from, -500.0), Vec3::new(2.0, to, 500.0));
        assert!(sees(&[board(-500.0, 3.125), board(3.375, 500.0)]), "a slit narrower than the smallest piece");
        assert!(!sees(&[board(-500.0, 3.125), board(3.125, 500.0)]), "two boards that meet");
        assert!(sees(&[wall(-500.0, 9.0)]), "past the end of a wall");
        assert!(sees(&[]), "nothing");
    }

    #[test]
    fn what_any_ray_reaches_is_never_said_to_be_hidden() {
        let mut chance = Pcg::named(1, "oracle");
        let (mut hidden, mut seen) = (0, 0);
        for _ in 0..40 {
            let boxes: Vec<(Vec3, Vec3)> = (0..8)
                .map(|_| {
                    let at =
                        Vec3::new(chance.range(-60.0, 60.0), chance.range(-150.0, 150.0), chance.range(-150.0, 150.0))
                            .round();
                    let size = Vec3::new(chance.range(4.0, 40.0), chance.range(20.0, 200.0), chance.range(20.0, 200.0))
                        .round();
                    (at - size * 0.5, at + size * 0.5)
                })
                .map(|(mins, maxs)| (mins.round(), maxs.round() + 1.0))
                .collect();
            let map = map_of(&boxes);
            let solids = Solids::build(&map);
            let light = Light { map: &map, scene: Scene::of(&solids) };
            let eye = Vec3::new(-200.0, chance.range(-80.0, 80.0), chance.range(-80.0, 80.0));
            let target = around(Vec3::new(200.0, chance.range(-80.0, 80.0), chance.range(-80.0, 80.0)), 20.0);
            let is_seen = (0..4000).any(|_| {
                let share = Vec3::new(chance.unit(), chance.unit(), chance.unit());
                let place = target.mins + (target.maxs - target.mins) * share;
                light.scene.is_clear(&Sweep::ray(eye, place, Contents::MASK_OPAQUE), None)
            });
            let could = light.could_see(eye, &target, None);
            assert!(could || !is_seen, "{eye} {target:?} {boxes:?}");
            hidden += u32::from(!could);
            seen += u32::from(is_seen);
        }
        assert!(hidden > 5 && seen > 5, "{hidden} hidden, {seen} seen");
    }
}
