//! What is solid: a map's brushes and curves, asked with sweeps.
//!
//! In: a [`Map`]. Out: the answers of Quake III's collision code to rays and swept boxes, several times as fast.
//! Everything solid is laid out once as groups of eight planes ([`clip`]) under a wide box hierarchy ([`hierarchy`]).
//! For compiled maps the tree the engine walks is kept too ([`tree`]): wherever a brush is met that the tree does not
//! list everywhere ([`forgotten`]), the tree decides, so that we fly through the same holes as the engine.
//!
//! Cost: `fireteam bench trace` prints it beside the engine's own; `docs/notes/speed.md` has the last figures.

mod boxes;
mod burst;
mod cells;
mod clip;
mod corridor;
mod forgotten;
mod gaze;
mod hierarchy;
mod layout;
mod nearest;
mod openness;
mod simd;
mod stack;
mod tree;

#[cfg(test)]
#[path = "solids_test.rs"]
mod test;

use std::marker::PhantomData;

use glam::Vec3;

use crate::contents::{Contents, SurfaceFlags};
use crate::flight::{Flight, Tracer};
use crate::map::Map;
use crate::maths::{axes, dot};
use crate::trace::{Body, Bounds, Hull, Placed, Scene, Struck, Sweep, Trace};
use crate::units::{EntityId, ModelId};

pub(crate) use boxes::Boxes;
use boxes::{Child, PathBox, Slabs, Visit};
pub(crate) use burst::Reached;
use cells::Cells;
use clip::{Clip, Moving, PlaneGroup, contains_point};
pub use corridor::Corridor;
pub use gaze::{Eight, Gaze, Obstacles};
use hierarchy::{Hierarchy, Root};
use layout::Owner;
use nearest::{Any, Closest, Nearest, Search, clip_child};
use simd::{Lanes, Path, Work};
use tree::EngineTree;

/// A sweep is a step, and everything around it is looked at at once, while the box around it is no longer than this on any
/// side. Measured: beyond two or three player widths, looking from near to far pays.
const STEP_MAX: f32 = 112.0;
const _: () = assert!(STEP_MAX < cells::CELL_MIN, "a step reaches into two cells along each axis at most");

/// All that is solid in a map, and what moves in it as separate models.
#[derive(Clone, Debug)]
pub struct Solids {
    path: Path,
    groups: Vec<PlaneGroup>,
    /// Surface flags, one a lane of `groups`.
    surfaces: Vec<[u32; 8]>,
    /// Which of `owners` each group belongs to.
    owner_of_group: Vec<u32>,
    owners: Vec<Owner>,
    hierarchy: Hierarchy,
    /// The map itself once more, for steps and, unless it is open, for rays.
    cells: Cells,
    is_open: bool,
    models: Vec<ModelSolids>,
    tree: Option<EngineTree>,
}

#[derive(Clone, Copy, Debug)]
struct ModelSolids {
    root: Root,
    mins: Vec3,
    maxs: Vec3,
}

/// Whose answers are wanted where a compiled tree and the geometry disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The engine's: brushes its tree forgot do not stop anything there.
    Engine,
    /// The geometry's: every brush is solid all through.
    Geometry,
}

impl Solids {
    /// The solids of a map as its game's engine sees them; a map without a compiled tree is plain geometry.
    pub fn build(map: &Map) -> Solids {
        Solids::with_fidelity(map, Fidelity::Engine)
    }

    pub fn with_fidelity(map: &Map, fidelity: Fidelity) -> Solids {
        layout::lay_out(map, fidelity, Path::detect())
    }

    /// The same solids, traced without instructions that only some CPUs have: slower, equal to the bit.
    pub fn portable(mut self) -> Solids {
        self.path = Path::Portable;
        self
    }

    /// Bytes of everything a query may touch.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.groups[..])
            + size_of_val(&self.surfaces[..])
            + size_of_val(&self.owner_of_group[..])
            + size_of_val(&self.owners[..])
            + self.hierarchy.bytes()
            + self.cells.bytes()
            + size_of_val(&self.models[..])
            + self.tree.as_ref().map_or(0, EngineTree::bytes)
    }

    /// How many solids (brushes and facets) the engine's tree does not list everywhere they reach.
    pub fn forgotten_count(&self) -> usize {
        self.owners.iter().filter(|owner| owner.is_uncertain).count()
    }

    pub fn model_count(&self) -> usize {
        self.models.len()
    }

    /// The box around a model as the map gives it, before it is placed anywhere.
    pub fn bounds(&self, model: ModelId) -> (Vec3, Vec3) {
        let model = &self.models[model.index()];
        (model.mins, model.maxs)
    }

    /// A box that a placed model lies in: for a turned one as wide as it reaches in any direction.
    #[inline]
    pub fn placed_bounds(&self, placed: &Placed) -> Bounds {
        let model = &self.models[placed.model.index()];
        if placed.angles == Vec3::ZERO {
            return Bounds { mins: placed.origin + model.mins, maxs: placed.origin + model.maxs };
        }
        let radius = Vec3::splat(model.mins.abs().max(model.maxs.abs()).length());
        Bounds { mins: placed.origin - radius, maxs: placed.origin + radius }
    }

    /// What stops this hull in the bare map.
    #[inline]
    pub fn sweep(&self, sweep: &Sweep) -> Trace {
        self.sweep_among(sweep, &[], &mut false)
    }

    /// What stops this hull in the bare map, and whether any of these boxes may be met before that.
    #[inline]
    pub(crate) fn sweep_among(&self, sweep: &Sweep, crowd: &[Boxes], is_crowded: &mut bool) -> Trace {
        let among = Among { solids: self, sweep, crowd };
        let mut look = Look::Clear;
        let mut trace = match Kind::of(sweep) {
            Kind::PointStep => self.path.run(Closely(Around::<POINT>, &among, &mut look)),
            Kind::PointLong if self.is_open => self.path.run(Closely(Down::<POINT>, &among, &mut look)),
            Kind::PointLong => self.path.run(Closely(Along, &among, &mut look)),
            Kind::HullStep => self.path.run(Closely(Around::<HULL>, &among, &mut look)),
            Kind::HullLong => self.path.run(Closely(Down::<HULL>, &among, &mut look)),
            Kind::Beside => among.sweep_beside(&mut look),
        };
        if look == Look::Doubtful {
            trace = self.trace(self.ask_tree(sweep), sweep);
        }
        // The tree's walk may go on beyond what the search saw, so others have to be looked at anew then.
        *is_crowded = look == Look::Crowded || look == Look::Doubtful;
        trace
    }

    /// Answers many sweeps into a buffer that the caller keeps.
    pub fn sweep_all(&self, sweeps: &[Sweep], traces: &mut Vec<Trace>) {
        traces.clear();
        traces.extend(sweeps.iter().map(|sweep| self.sweep(sweep)));
    }

    /// Whether nothing at all is in the way.
    #[inline]
    pub fn is_clear(&self, sweep: &Sweep) -> bool {
        self.look_among(sweep, &[]) == Look::Clear
    }

    /// Whether the map is in the way, and if not, whether any of these boxes may be.
    #[inline]
    pub(crate) fn look_among(&self, sweep: &Sweep, crowd: &[Boxes]) -> Look {
        let among = Among { solids: self, sweep, crowd };
        let look = match Kind::of(sweep) {
            Kind::PointStep => self.path.run(AtAll(Around::<POINT>, &among)),
            Kind::PointLong if self.is_open => self.path.run(AtAll(Down::<POINT>, &among)),
            Kind::PointLong => self.path.run(AtAll(Along, &among)),
            Kind::HullStep => self.path.run(AtAll(Around::<HULL>, &among)),
            Kind::HullLong => self.path.run(AtAll(Down::<HULL>, &among)),
            Kind::Beside => {
                let mut look = Look::Clear;
                let trace = among.sweep_beside(&mut look);
                if trace.is_hit() && look != Look::Doubtful { Look::Blocked } else { look }
            }
        };
        if look != Look::Doubtful {
            return look;
        }
        let nearest = self.ask_tree(sweep);
        if nearest.fraction < 1.0 || nearest.start_solid { Look::Blocked } else { among.perhaps_crowded() }
    }

    /// The same as [`Solids::look_among`], asked again and again along nearly the same way: what was in the way last time is
    /// looked at first, and nearly always still is.
    pub(crate) fn look_again_among(&self, sweep: &Sweep, crowd: &[Boxes], known: &mut Blocker) -> Look {
        if !sweep.hull.is_point() {
            return self.look_among(sweep, crowd);
        }
        let among = Among { solids: self, sweep, crowd };
        let before = known.0.filter(|child| self.contents_of(*child).meets(sweep.mask));
        let (look, met) = match Kind::of(sweep) {
            Kind::PointLong if self.is_open => self.path.run(Again(Down::<POINT>, &among, before)),
            Kind::PointLong => self.path.run(Again(Along, &among, before)),
            Kind::PointStep | Kind::HullStep | Kind::HullLong | Kind::Beside => {
                self.path.run(Again(Around::<POINT>, &among, before))
            }
        };
        // Where the way is free just now, what was in it before is a better guess than none.
        known.0 = met.or(known.0);
        // Doubt needs the tree, and is rare.
        if look == Look::Doubtful { self.look_among(sweep, crowd) } else { look }
    }

    fn contents_of(&self, child: Child) -> Contents {
        self.owners[self.owner_of_group[child.group_first()] as usize].contents
    }

    /// Answers many times whether nothing is in the way.
    pub fn are_clear(&self, sweeps: &[Sweep], clear: &mut Vec<bool>) {
        clear.clear();
        clear.extend(sweeps.iter().map(|sweep| self.is_clear(sweep)));
    }

    /// What stops this hull at a model that stands somewhere, perhaps turned.
    pub fn sweep_placed(&self, placed: &Placed, sweep: &Sweep) -> Trace {
        let local = Turned::of(placed).sweep_in(sweep);
        let moving = Moving::of(&local);
        let mut closest = Closest::new(&self.groups);
        self.search_model(placed.model, &moving, &mut closest);
        // Only the map itself has a tree, so nothing of another model is ever doubtful.
        let mut trace = self.trace(closest.nearest(), sweep);
        if trace.fraction < 1.0 && placed.angles != Vec3::ZERO {
            trace.normal = Turned::of(placed).outwards(trace.normal);
        }
        trace
    }

    /// What fills this point of the bare map.
    pub fn contents_at(&self, point: Vec3) -> Contents {
        match &self.tree {
            Some(tree) => {
                let mut contents = Contents::NONE;
                for listed in tree.listed_at(point) {
                    if !listed.child.is_facet() && contains_point(&self.groups[listed.child.group_range()], point) {
                        contents |= listed.contents;
                    }
                }
                contents
            }
            None => self.contents_in(ModelId::WORLD, point),
        }
    }

    /// Whether something of `mask` fills this point of the bare map. Solids of other kinds are not even looked at.
    pub fn has_contents_at(&self, point: Vec3, mask: Contents) -> bool {
        match &self.tree {
            Some(tree) => tree.listed_at(point).iter().any(|listed| {
                listed.contents.meets(mask)
                    && !listed.child.is_facet()
                    && contains_point(&self.groups[listed.child.group_range()], point)
            }),
            None => self.contents_in(ModelId::WORLD, point).meets(mask),
        }
    }

    /// What fills this point inside a model that stands somewhere.
    pub fn contents_at_placed(&self, placed: &Placed, point: Vec3) -> Contents {
        let local = Turned::of(placed).point_in(point);
        self.contents_in(placed.model, local)
    }

    fn contents_in(&self, model: ModelId, point: Vec3) -> Contents {
        let sweep = Sweep::ray(point, point, Contents::ALL);
        let moving = Moving::of(&sweep);
        let mut filled = Filled { solids: self, point, contents: Contents::NONE };
        self.search_model(model, &moving, &mut filled);
        filled.contents
    }

    /// Puts into words what a search found.
    #[inline(always)]
    fn trace(&self, nearest: Nearest, sweep: &Sweep) -> Trace {
        let (start_solid, all_solid) = (nearest.start_solid, nearest.all_solid);
        if nearest.fraction == 1.0 {
            return Trace { start_solid, all_solid, ..Trace::free(sweep.end) };
        }
        let (group, lane) = (nearest.plane as usize >> 3, nearest.plane as usize & 7);
        let owner = &self.owners[self.owner_of_group[group] as usize];
        let planes = &self.groups[group];
        // What never gets out of a solid has met none of its planes.
        let met = |value: f32| if all_solid { 0.0 } else { value };
        Trace {
            fraction: nearest.fraction,
            end: sweep.start + nearest.fraction * (sweep.end - sweep.start),
            normal: Vec3::new(met(planes.x[lane]), met(planes.y[lane]), met(planes.z[lane])),
            dist: met(planes.dist[lane]),
            surface: SurfaceFlags(if all_solid { 0 } else { self.surfaces[group][lane] }),
            contents: owner.contents,
            start_solid,
            all_solid,
            struck: owner.struck,
            entity: None,
        }
    }
}

/// A solid that was in somebody's way: of the same [`Solids`] only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocker(Option<Child>);

/// How a look along a path went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Clear,
    Blocked,
    /// Not by the map before somebody's box, which is on the way.
    Crowded,
    /// Only the engine's own tree can tell.
    Doubtful,
}

/// What moves how far. Each kind has a routine of its own, compiled to just what it needs: a grenade's step would
/// otherwise carry a player's box through all its registers.
enum Kind {
    PointStep,
    PointLong,
    HullStep,
    HullLong,
    /// A point beside the path, which nobody has a use for; by the engine's rules it is a point all the same.
    Beside,
}

const POINT: bool = true;
const HULL: bool = false;

impl Kind {
    #[inline(always)]
    fn of(sweep: &Sweep) -> Kind {
        let is_long = |size: Vec3| ((sweep.end - sweep.start).abs() + size).max_element() > STEP_MAX;
        if sweep.hull.is_point() {
            return if is_long(Vec3::ZERO) { Kind::PointLong } else { Kind::PointStep };
        }
        let size = sweep.hull.maxs - sweep.hull.mins;
        if size == Vec3::ZERO {
            Kind::Beside
        } else if is_long(size) {
            Kind::HullLong
        } else {
            Kind::HullStep
        }
    }
}

/// A sweep through the map itself, with an eye on the boxes of others.
struct Among<'a> {
    solids: &'a Solids,
    sweep: &'a Sweep,
    crowd: &'a [Boxes],
}

/// How a sweep is looked for: where, and in which order.
trait Way {
    fn search<'a, L: Lanes, S: Search<'a>>(self, among: &Among<'a>) -> (S, Look);
}

/// A step: the cells around it, all at once.
struct Around<const IS_POINT: bool>;

/// A point's long way: from cell to cell.
struct Along;

/// A box's long way, and in an open map a point's: down the hierarchy.
struct Down<const IS_POINT: bool>;

impl<const IS_POINT: bool> Way for Around<IS_POINT> {
    #[inline(always)]
    fn search<'a, L: Lanes, S: Search<'a>>(self, among: &Among<'a>) -> (S, Look) {
        among.search_around::<L, S, IS_POINT>(&PathBox::of::<IS_POINT>(among.sweep))
    }
}

impl Way for Along {
    #[inline(always)]
    fn search<'a, L: Lanes, S: Search<'a>>(self, among: &Among<'a>) -> (S, Look) {
        let moving = Moving::shaped::<POINT>(among.sweep);
        let slabs = Slabs::<L>::of(&moving);
        let mut search = S::new(&among.solids.groups);
        among.solids.cells.along(&moving, &slabs, &mut search);
        among.judged(search, &slabs)
    }
}

impl<const IS_POINT: bool> Way for Down<IS_POINT> {
    #[inline(always)]
    fn search<'a, L: Lanes, S: Search<'a>>(self, among: &Among<'a>) -> (S, Look) {
        let moving = Moving::shaped::<IS_POINT>(among.sweep);
        let slabs = Slabs::<L>::of(&moving);
        let mut search = S::new(&among.solids.groups);
        among.solids.hierarchy.along(among.solids.models[0].root, &moving, &slabs, &mut search);
        among.judged(search, &slabs)
    }
}

/// Looks for the first thing in the way. The answer is put into words by the routine that found it: whatever passes
/// through memory on its way out stalls where it is read.
struct Closely<'a, W>(W, &'a Among<'a>, &'a mut Look);

impl<W: Way> Work for Closely<'_, W> {
    type Output = Trace;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Trace {
        let Closely(way, among, look) = self;
        let (closest, how): (Closest<'_>, Look) = way.search::<L, _>(among);
        *look = how;
        among.solids.trace(closest.nearest(), among.sweep)
    }
}

/// Looks for anything in the way.
struct AtAll<'a, W>(W, &'a Among<'a>);

impl<W: Way> Work for AtAll<'_, W> {
    type Output = Look;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Look {
        let AtAll(way, among) = self;
        let (_, look): (Any<'_>, Look) = way.search::<L, _>(among);
        look
    }
}

/// The same for a point, with a solid that is looked at first; also which it was.
struct Again<'a, W>(W, &'a Among<'a>, Option<Child>);

impl<W: Way> Work for Again<'_, W> {
    type Output = (Look, Option<Child>);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (Look, Option<Child>) {
        let Again(way, among, before) = self;
        if let Some(child) = before {
            let moving = Moving::shaped::<POINT>(among.sweep);
            if clip_child::<L>(&among.solids.groups, &moving, child, 1.0) != Clip::Miss {
                return (Look::Blocked, before);
            }
        }
        let (any, look): (Any<'_>, Look) = way.search::<L, _>(among);
        (look, any.met())
    }
}

impl<'a> Among<'a> {
    #[inline(always)]
    fn search_around<L: Lanes, S: Search<'a>, const IS_POINT: bool>(&self, around: &PathBox<L>) -> (S, Look) {
        let mut search = S::new(&self.solids.groups);
        self.solids.cells.around::<L, IS_POINT>(self.sweep, around, &mut search);
        let is_crowded = around.is_any_met(self.crowd, self.sweep.mask.0);
        let look = self.look(&search, is_crowded);
        (search, look)
    }

    /// A search that has ended, and how it looks with the others.
    #[inline(always)]
    fn judged<L: Lanes, S: Search<'a>>(&self, search: S, slabs: &Slabs<L>) -> (S, Look) {
        let is_crowded = slabs.is_any_met(self.crowd, search.limit(), self.sweep.mask.0);
        let look = self.look(&search, is_crowded);
        (search, look)
    }

    #[cold]
    fn sweep_beside(&self, look: &mut Look) -> Trace {
        let mut closest = Closest::new(&self.solids.groups);
        self.solids.search_model(ModelId::WORLD, &Moving::of(self.sweep), &mut closest);
        *look = if closest.is_doubtful() { Look::Doubtful } else { self.perhaps_crowded() };
        self.solids.trace(closest.nearest(), self.sweep)
    }

    /// How it looks where nobody has looked at the others yet.
    fn perhaps_crowded(&self) -> Look {
        if self.crowd.is_empty() { Look::Clear } else { Look::Crowded }
    }

    #[inline(always)]
    fn look<S: Search<'a>>(&self, search: &S, is_crowded: bool) -> Look {
        if search.is_doubtful() {
            Look::Doubtful
        } else if search.limit() < 0.0 {
            Look::Blocked
        } else if is_crowded {
            Look::Crowded
        } else {
            Look::Clear
        }
    }
}

impl Solids {
    /// Carries out a flight inside the routine that answers its sweeps, so that from frame to frame everything stays in
    /// registers.
    pub(crate) fn carry<F: Flight>(&self, scene: &Scene<'_>, flight: F) -> F::Output {
        self.path.run(Carry { scene, flight })
    }
}

struct Carry<'a, F> {
    scene: &'a Scene<'a>,
    flight: F,
}

impl<F: Flight> Work for Carry<'_, F> {
    type Output = F::Output;

    #[inline(always)]
    fn run<L: Lanes>(self) -> F::Output {
        self.flight.run(&Inside::<L> { scene: self.scene, lanes: PhantomData })
    }
}

/// A scene as seen from inside a routine.
struct Inside<'a, L> {
    scene: &'a Scene<'a>,
    lanes: PhantomData<L>,
}

impl<L: Lanes> Tracer for Inside<'_, L> {
    #[inline(always)]
    fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace {
        if sweep.hull.is_point() {
            let Scene { solids, crowd } = *self.scene;
            let around = PathBox::<L>::of::<POINT>(sweep);
            if around.width_max() <= STEP_MAX {
                let among = Among { solids, sweep, crowd: crowd.boxes() };
                let (closest, look): (Closest<'_>, Look) = among.search_around::<L, _, POINT>(&around);
                if look == Look::Clear {
                    return solids.trace(closest.nearest(), sweep);
                }
            }
        }
        ask(self.scene, *sweep, pass)
    }
}

/// Asks a scene from inside a routine. By value: a sweep whose address is known elsewhere would have to lie in memory.
#[inline(never)]
fn ask(scene: &Scene<'_>, sweep: Sweep, pass: Option<EntityId>) -> Trace {
    scene.sweep(&sweep, pass)
}

/// Any way through any one model: its hierarchy.
struct AlongModel<'a, V> {
    solids: &'a Solids,
    root: Root,
    moving: &'a Moving,
    visit: &'a mut V,
}

impl<V: Visit> Work for AlongModel<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.solids.hierarchy.along(self.root, self.moving, &Slabs::<L>::of(self.moving), self.visit);
    }
}

impl Solids {
    /// Shows the visitor everything of a model that may be in the way.
    #[inline(always)]
    fn search_model<V: Visit>(&self, model: ModelId, moving: &Moving, visit: &mut V) {
        self.path.run(AlongModel { solids: self, root: self.models[model.index()].root, moving, visit })
    }
}

/// Gathers everything that fills one point of a model.
struct Filled<'a> {
    solids: &'a Solids,
    point: Vec3,
    contents: Contents,
}

impl Visit for Filled<'_> {
    #[inline(always)]
    fn solid<L: Lanes>(&mut self, _: &Moving, child: Child) -> f32 {
        if !child.is_facet() && contains_point(&self.solids.groups[child.group_range()], self.point) {
            let owner = self.solids.owner_of_group[child.group_first()];
            self.contents |= self.solids.owners[owner as usize].contents;
        }
        1.0
    }
}

impl Solids {
    /// The engine's own walk, whatever the hierarchy says: slow, a check on it. None where the map has no tree.
    pub fn sweep_by_tree(&self, sweep: &Sweep) -> Option<Trace> {
        self.tree.as_ref()?;
        Some(self.trace(self.ask_tree(sweep), sweep))
    }

    #[cold]
    fn ask_tree(&self, sweep: &Sweep) -> Nearest {
        let tree = self.tree.as_ref().expect("only solids of a map with a tree are ever doubtful");
        tree.sweep(self.path, &self.groups, &Moving::of(sweep))
    }
}

/// A placed model's own frame.
struct Turned {
    origin: Vec3,
    /// Rows that turn a world direction into the model's; none while it stands straight.
    rows: Option<[Vec3; 3]>,
}

impl Turned {
    fn of(placed: &Placed) -> Turned {
        let rows = (placed.angles != Vec3::ZERO).then(|| {
            let axes = axes(placed.angles.x, placed.angles.y, placed.angles.z);
            [axes.forward, -axes.right, axes.up]
        });
        Turned { origin: placed.origin, rows }
    }

    fn point_in(&self, point: Vec3) -> Vec3 {
        let moved = point - self.origin;
        self.rows.map_or(moved, |rows| Vec3::from_array(rows.map(|row| dot(row, moved))))
    }

    /// The sweep as the model sees it: the box is centred first, then moved and turned about its centre.
    fn sweep_in(&self, sweep: &Sweep) -> Sweep {
        let centre = (sweep.hull.mins + sweep.hull.maxs) * 0.5;
        let hull = Hull::new(sweep.hull.mins - centre, sweep.hull.maxs - centre);
        let (start, end) = (self.point_in(sweep.start + centre), self.point_in(sweep.end + centre));
        Sweep { start, end, hull, mask: sweep.mask }
    }

    fn outwards(&self, normal: Vec3) -> Vec3 {
        self.rows.map_or(normal, |[x, y, z]| x * normal.x + y * normal.y + z * normal.z)
    }
}

/// What stops this hull at a body: a box in the world, with nothing inside it.
pub fn sweep_body(body: &Body, sweep: &Sweep) -> Trace {
    let mut group = PlaneGroup::EMPTY;
    for axis in 0..3 {
        let normal = [Vec3::X, Vec3::Y, Vec3::Z][axis];
        group.set(axis * 2, normal, body.hull.maxs[axis]);
        group.set(axis * 2 + 1, -normal, -body.hull.mins[axis]);
    }
    let local = Turned { origin: body.origin, rows: None }.sweep_in(sweep);
    let moving = Moving::of(&local);
    let mut trace = Trace::free(sweep.end);
    match clip::clip::<simd::Portable>(&[group], &moving, 1.0) {
        clip::Clip::Miss => return trace,
        clip::Clip::StartInside => {
            trace.start_solid = true;
            return trace;
        }
        clip::Clip::AllInside => {
            (trace.start_solid, trace.all_solid, trace.fraction) = (true, true, 0.0);
        }
        clip::Clip::Enter { fraction, plane } => {
            trace.fraction = fraction;
            trace.normal = group.normal(plane as usize);
            trace.dist = group.dist[plane as usize];
        }
    }
    trace.end = sweep.start + trace.fraction * (sweep.end - sweep.start);
    trace.contents = Contents::BODY;
    trace.struck = Struck::Body;
    trace
}
