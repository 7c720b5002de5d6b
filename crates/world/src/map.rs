//! A map, whatever it was made from: solids, entities, sight and light, in tables.
//!
//! [`bsp`] reads compiled Quake III maps, [`source`] reads .map brush sources, [`geometry`] takes triangles and convex
//! brushes from a caller; all fill the same [`Map`]. [`files`] finds maps in .pk3 archives and folders in the order
//! the game searches them. Nothing here decides what is hit: that is [`crate::solids`].

mod lump;

pub mod brush;
pub mod bsp;
pub mod entity;
pub mod files;
pub mod geometry;
pub mod light;
pub mod pk3;
pub mod source;
pub mod visibility;

use glam::Vec3;

use crate::contents::{Contents, SurfaceFlags};
use crate::maths::dot;
use crate::patch::PatchError;
use crate::trace::Bounds;
use crate::units::{BrushId, PatchId};

pub use entity::{EntityError, EntityProblem};
pub use files::{Files, FilesError};
pub use pk3::{Pk3, Pk3Error};

/// Everything known of a map before anything moves in it.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub name: String,
    /// BLAKE3 of the bytes it was read from: names the map in files made from it.
    pub digest: [u8; 32],
    pub entities: Vec<Entity>,
    pub shaders: Vec<Shader>,
    pub planes: Vec<Plane>,
    pub sides: Vec<Side>,
    pub brushes: Vec<Brush>,
    pub patches: Vec<Patch>,
    /// Model 0 is the map itself; `"model" "*3"` of an entity names model 3.
    pub models: Vec<Model>,
    /// The compiled tree, which the engine walks; maps that never met a compiler have none.
    pub tree: Option<Tree>,
    pub visibility: Option<Visibility>,
    pub light_grid: Option<LightGrid>,
}

/// Points `p` with `normal · p <= dist` are behind it: inside, for a brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    pub normal: Vec3,
    pub dist: f32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    pub name: String,
    pub surface: SurfaceFlags,
    pub contents: Contents,
}

/// One face of a brush: indices into `planes` and `shaders`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    pub plane: u32,
    pub shader: u32,
}

/// A convex solid. Its first six sides are its axial bounds: -x, +x, -y, +y, -z, +z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    pub side_first: u32,
    pub side_count: u32,
    pub shader: u32,
}

/// A curved surface: a grid of control points for quadratic Bezier pieces; width and height are odd.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    pub width: u32,
    pub height: u32,
    /// Row by row, `width` to a row.
    pub points: Vec<Vec3>,
    pub shader: u32,
}

/// The map itself, or a door, lift or trigger in it. The bounds are the file's; the engine grows them by a unit on
/// every side before it uses them ([`Model::linked_bounds`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub mins: Vec3,
    pub maxs: Vec3,
    pub brushes: Vec<BrushId>,
    pub patches: Vec<PatchId>,
}

/// The binary space partition a compiler made.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub leafs: Vec<Leaf>,
    pub leaf_brushes: Vec<BrushId>,
    pub leaf_patches: Vec<PatchId>,
}

/// A split: `children[0]` is in front of the plane. A negative child `c` is leaf `-1 - c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub plane: u32,
    pub children: [i32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Which row of the visibility table; -1 is outside the map.
    pub cluster: i32,
    pub area: i32,
    pub brush_first: u32,
    pub brush_count: u32,
    pub patch_first: u32,
    pub patch_count: u32,
}

/// Which clusters may be seen from which: one bit row a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    pub cluster_count: u32,
    pub row_bytes: u32,
    pub bits: Vec<u8>,
}

/// Light in the air, sampled on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct LightGrid {
    pub origin: Vec3,
    pub cell: Vec3,
    pub counts: [u32; 3],
    pub samples: Vec<LightSample>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightSample {
    pub ambient: [u8; 3],
    pub directed: [u8; 3],
    /// Where the directed light comes from: longitude and latitude, 256 to the circle.
    pub direction: [u8; 2],
}

/// A thing placed by the map's author, as keys and values in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    pub pairs: Vec<(String, String)>,
}

impl Model {
    /// Bounds as the engine hands them to a game: a unit larger on every side.
    pub fn linked_bounds(&self) -> (Vec3, Vec3) {
        (self.mins - Vec3::ONE, self.maxs + Vec3::ONE)
    }
}

impl Tree {
    /// The leaf a point lies in; a point on a splitting plane belongs to its front.
    pub fn leaf_at(&self, planes: &[Plane], point: Vec3) -> &Leaf {
        let mut child = 0;
        while child >= 0 {
            let node = &self.nodes[child as usize];
            let plane = &planes[node.plane as usize];
            child = node.children[usize::from(dot(plane.normal, point) - plane.dist < 0.0)];
        }
        &self.leafs[(-1 - child) as usize]
    }

    /// Whether any of the leafs that a box reaches into is of a kind. A box that touches a splitting plane is on both sides.
    pub fn any_leaf_in(&self, planes: &[Plane], bounds: &Bounds, is_so: &mut impl FnMut(&Leaf) -> bool) -> bool {
        self.any_leaf_below(0, planes, bounds, is_so)
    }

    fn any_leaf_below(
        &self,
        child: i32,
        planes: &[Plane],
        bounds: &Bounds,
        is_so: &mut impl FnMut(&Leaf) -> bool,
    ) -> bool {
        if child < 0 {
            return is_so(&self.leafs[(-1 - child) as usize]);
        }
        let node = &self.nodes[child as usize];
        let plane = &planes[node.plane as usize];
        let half = (bounds.maxs - bounds.mins) * 0.5;
        let height = dot(plane.normal, bounds.mins + half) - plane.dist;
        let reach = dot(plane.normal.abs(), half);
        let [front, back] = node.children;
        (height >= -reach && self.any_leaf_below(front, planes, bounds, is_so))
            || (height <= reach && self.any_leaf_below(back, planes, bounds, is_so))
    }

    /// Brushes that reach into a leaf, in the order the engine tries them.
    pub fn brushes_of(&self, leaf: &Leaf) -> &[BrushId] {
        &self.leaf_brushes[leaf.brush_first as usize..][..leaf.brush_count as usize]
    }

    /// Patches that reach into a leaf, in the order the engine tries them.
    pub fn patches_of(&self, leaf: &Leaf) -> &[PatchId] {
        &self.leaf_patches[leaf.patch_first as usize..][..leaf.patch_count as usize]
    }
}

/// Why a map could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    #[error("{file}: {lump} lump, byte {offset}: {problem}")]
    Bsp {
        file: String,
        /// Which of the parts listed in the file's header, or "header".
        lump: &'static str,
        /// Counted from the start of the file.
        offset: u64,
        problem: BspProblem,
    },
    #[error(transparent)]
    Source(#[from] source::SourceError),
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// What is wrong at a byte of a compiled map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BspProblem {
    #[error("not a compiled Quake III map: it does not begin with IBSP")]
    NotBsp,
    #[error("version {0}, only 46 (Quake III) is read")]
    Version(i32),
    #[error("the file ends inside its header of {needed} bytes")]
    HeaderCut { needed: usize },
    #[error("the lump's {length} bytes from {offset} reach past the end of the file at {file_length}")]
    LumpOutside { offset: usize, length: usize, file_length: usize },
    #[error("{length} bytes are no whole number of records of {record} bytes")]
    PartialRecord { length: usize, record: usize },
    #[error("the lump is empty, but a map needs it")]
    Empty,
    #[error("index {index}, but there are {count} {things}")]
    Index { things: &'static str, index: i32, count: u32 },
    #[error("{count} {things} from {first}, but there are {available}")]
    Range { things: &'static str, first: i32, count: i32, available: u32 },
    #[error("two lists share some {0}")]
    Overlap(&'static str),
    #[error("not a finite number")]
    NotFinite,
    #[error("a number far outside the world")]
    TooFar,
    #[error("a plane's normal must have length 1")]
    NormalLength,
    #[error("the brush is inside out: one of its sides lies beyond the opposite one")]
    InsideOut,
    #[error("a brush must begin with its six axial sides: -x, +x, -y, +y, -z, +z")]
    NoBounds,
    #[error("a patch of {width} x {height} with {points} points; both must be odd, 3 or more, 1024 points at most")]
    PatchSize { width: i32, height: i32, points: u32 },
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error("{cluster_count} rows of {row_bytes} bytes do not fit the {available} bytes there are")]
    Visibility { cluster_count: u32, row_bytes: u32, available: usize },
    #[error("this node has two parents")]
    NodeTwice,
    #[error("the tree is more than {} nodes deep here", bsp::TREE_DEPTH_MAX)]
    TooDeep,
    #[error("more than 65536 models")]
    TooManyModels,
    #[error(transparent)]
    Entity(#[from] EntityProblem),
}
