//! A map, whatever it was made from: solids, entities, sight and light, in tables.
//!
//! [`bsp`] reads compiled Quake III maps, [`source`] reads .map brush sources, [`geometry`] takes triangles and convex
//! brushes from a caller; all fill the same [`Map`]. [`files`] finds maps in .pk3 archives and folders in the order
//! the game searches them. Nothing here decides what is hit: that is [`crate::solids`].

use glam::Vec3;

use crate::contents::{Contents, SurfaceFlags};
use crate::units::{BrushId, PatchId};

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
