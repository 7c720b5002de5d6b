//! Compiled Quake III maps: an IBSP version 46 file becomes a [`Map`].
//!
//! In: the bytes of a .bsp file. Out: the tables of a [`Map`], every index in them valid, every number finite and in the
//! world, every normal of length 1, no brush inside out, the tree free of loops and no deeper than [`TREE_DEPTH_MAX`],
//! every patch one that can be cut into facets; or an error with file, lump and byte.
//! Lists that overlap are refused as well: no compiler makes them, and a small file could ask for a huge table by them.
//!
//! The engine collides with brushes and curved patches only, so flat faces and meshes are dropped. Model 0 gets what the
//! leafs under node 0 list: the leaf lumps also hold the brushes of doors and lifts, which are not part of the map.
//!
//! Not here: which planes clip a sweep (`crate::solids`), how a patch is cut (`crate::patch`).
//! Cost: one pass over the lumps; about a millisecond a map.

use super::lump::{Lump, Record};
use super::{
    Brush, BspProblem, Leaf, LightGrid, Map, MapError, Model, Node, Patch, Plane, Shader, Side, Tree, Visibility,
    entity,
};
use crate::contents::{Contents, SurfaceFlags};
use crate::patch;
use crate::units::{BrushId, ModelId, PatchId};

/// Deepest tree accepted; the deepest of OpenArena's 72 maps is 74. Recursive walks rely on it.
pub const TREE_DEPTH_MAX: usize = 1024;

/// Most control points a patch may have, as in the engine.
pub const PATCH_POINTS_MAX: u32 = 1024;

const MAGIC: &[u8; 4] = b"IBSP";
const VERSION: i32 = 46;
const LUMP_NAMES: [&str; 17] = [
    "entities",
    "shaders",
    "planes",
    "nodes",
    "leafs",
    "leaf surfaces",
    "leaf brushes",
    "models",
    "brushes",
    "brush sides",
    "draw vertices",
    "mesh vertices",
    "fogs",
    "surfaces",
    "light maps",
    "light grid",
    "visibility",
];
const HEADER_BYTES: usize = 8 + 8 * LUMP_NAMES.len();

const SHADER_BYTES: usize = 72;
const SHADER_NAME_BYTES: usize = 64;
const PLANE_BYTES: usize = 16;
const NODE_BYTES: usize = 36;
const LEAF_BYTES: usize = 48;
const INDEX_BYTES: usize = 4;
const MODEL_BYTES: usize = 40;
const BRUSH_BYTES: usize = 12;
const SIDE_BYTES: usize = 8;
const VERTEX_BYTES: usize = 44;
const SURFACE_BYTES: usize = 104;

/// How far the square of a normal's length may be from 1. Compilers write single precision: OpenArena's worst is 3e-7.
const NORMAL_TOLERANCE: f32 = 1e-3;

/// The surface type that is a curved patch; 1, 3 and 4 are flat faces, meshes and flares.
const SURFACE_PATCH: i32 = 2;

/// The lumps a map is made from.
struct Lumps<'a> {
    entities: Lump<'a>,
    shaders: Lump<'a>,
    planes: Lump<'a>,
    nodes: Lump<'a>,
    leafs: Lump<'a>,
    leaf_surfaces: Lump<'a>,
    leaf_brushes: Lump<'a>,
    models: Lump<'a>,
    brushes: Lump<'a>,
    sides: Lump<'a>,
    vertices: Lump<'a>,
    surfaces: Lump<'a>,
    light_grid: Lump<'a>,
    visibility: Lump<'a>,
}

impl Map {
    /// Reads a compiled map. `name` stands in errors and becomes the map's name.
    pub fn from_bsp(name: &str, bytes: &[u8]) -> Result<Map, MapError> {
        let lumps = lumps(name, bytes)?;
        let entities = read_entities(&lumps.entities)?;
        let shaders = read_shaders(&lumps.shaders)?;
        let planes = read_planes(&lumps.planes)?;
        let sides = read_sides(&lumps, shaders.len() as u32)?;
        let brushes = read_brushes(&lumps, &planes, &sides)?;
        let (patches, patch_of_surface) = read_patches(&lumps, shaders.len() as u32)?;
        let visibility = read_visibility(&lumps.visibility)?;
        let tree = read_tree(&lumps, &patch_of_surface, visibility.as_ref())?;
        let models = read_models(&lumps, &tree, &patch_of_surface)?;
        let light_grid = LightGrid::read(&lumps.light_grid, &models[0], entities.first())?;
        Ok(Map {
            name: name.to_owned(),
            digest: *blake3::hash(bytes).as_bytes(),
            entities,
            shaders,
            planes,
            sides,
            brushes,
            patches,
            models,
            tree: Some(tree),
            visibility,
            light_grid,
        })
    }
}

fn lumps<'a>(file: &'a str, bytes: &'a [u8]) -> Result<Lumps<'a>, MapError> {
    let header = Lump { file, name: "header", offset: 0, bytes };
    if !bytes.starts_with(MAGIC) {
        return Err(header.error(0, BspProblem::NotBsp));
    }
    let Some(directory) = bytes.get(..HEADER_BYTES) else {
        return Err(header.error(bytes.len(), BspProblem::HeaderCut { needed: HEADER_BYTES }));
    };
    let version = i32::from_le_bytes([directory[4], directory[5], directory[6], directory[7]]);
    if version != VERSION {
        return Err(header.error(4, BspProblem::Version(version)));
    }
    let lump = |index: usize| {
        let at = 8 + 8 * index;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        let (offset, length) = (word(at), word(at + 4));
        let lump = Lump { file, name: LUMP_NAMES[index], offset, bytes: &[] };
        match bytes.get(offset..offset.saturating_add(length)) {
            Some(bytes) => Ok(Lump { bytes, ..lump }),
            None => {
                let problem = BspProblem::LumpOutside { offset, length, file_length: bytes.len() };
                Err(Lump { offset: 0, ..lump }.error(at, problem))
            }
        }
    };
    Ok(Lumps {
        entities: lump(0)?,
        shaders: lump(1)?,
        planes: lump(2)?,
        nodes: lump(3)?,
        leafs: lump(4)?,
        leaf_surfaces: lump(5)?,
        leaf_brushes: lump(6)?,
        models: lump(7)?,
        brushes: lump(8)?,
        sides: lump(9)?,
        vertices: lump(10)?,
        surfaces: lump(13)?,
        light_grid: lump(15)?,
        visibility: lump(16)?,
    })
}

fn read_entities(lump: &Lump<'_>) -> Result<Vec<super::Entity>, MapError> {
    entity::parse(lump.bytes).map_err(|error| lump.error(error.offset, BspProblem::Entity(error.problem)))
}

fn read_shaders(lump: &Lump<'_>) -> Result<Vec<Shader>, MapError> {
    let shader = |mut record: Record<'_>| {
        let name: [u8; SHADER_NAME_BYTES] = record.bytes();
        let name = name.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect();
        Shader { name, surface: SurfaceFlags(record.u32()), contents: Contents(record.u32()) }
    };
    Ok(lump.some_records(SHADER_BYTES)?.map(shader).collect())
}

fn read_planes(lump: &Lump<'_>) -> Result<Vec<Plane>, MapError> {
    lump.some_records(PLANE_BYTES)?
        .map(|mut record| {
            let start = record;
            let plane = Plane { normal: record.vector()?, dist: record.float()? };
            if (plane.normal.length_squared() - 1.0).abs() > NORMAL_TOLERANCE {
                return Err(start.error(BspProblem::NormalLength));
            }
            Ok(plane)
        })
        .collect()
}

fn read_sides(lumps: &Lumps<'_>, shader_count: u32) -> Result<Vec<Side>, MapError> {
    let plane_count = lumps.planes.count(PLANE_BYTES);
    lumps
        .sides
        .records(SIDE_BYTES)?
        .map(|mut record| {
            Ok(Side { plane: record.index("planes", plane_count)?, shader: record.index("shaders", shader_count)? })
        })
        .collect()
}

fn read_brushes(lumps: &Lumps<'_>, planes: &[Plane], sides: &[Side]) -> Result<Vec<Brush>, MapError> {
    let shader_count = lumps.shaders.count(SHADER_BYTES);
    let mut budget = Budget::of("brush sides", sides.len() as u32);
    lumps
        .brushes
        .records(BRUSH_BYTES)?
        .map(|mut record| {
            let start = record;
            let (side_first, side_count) = record.range("brush sides", sides.len() as u32)?;
            budget.spend(side_count, &start)?;
            let own = &sides[side_first as usize..(side_first + side_count) as usize];
            if !begins_with_bounds(own, planes) {
                return Err(start.error(BspProblem::NoBounds));
            }
            let dist = |side: usize| planes[own[side].plane as usize].dist;
            if (0..3).any(|axis| -dist(2 * axis) > dist(2 * axis + 1)) {
                return Err(start.error(BspProblem::InsideOut));
            }
            Ok(Brush { side_first, side_count, shader: record.index("shaders", shader_count)? })
        })
        .collect()
}

/// Whether the first six sides face -x, +x, -y, +y, -z, +z: the engine takes a brush's bounds from them.
fn begins_with_bounds(sides: &[Side], planes: &[Plane]) -> bool {
    sides.len() >= 6
        && (0..6).all(|n| {
            let mut normal = [0.0; 3];
            normal[n / 2] = if n % 2 == 0 { -1.0 } else { 1.0 };
            planes[sides[n].plane as usize].normal.to_array() == normal
        })
}

/// The patches among the surfaces, and for each surface which patch it is.
fn read_patches(lumps: &Lumps<'_>, shader_count: u32) -> Result<(Vec<Patch>, Vec<Option<PatchId>>), MapError> {
    let vertices: Vec<Record<'_>> = lumps.vertices.records(VERTEX_BYTES)?.collect();
    let mut budget = Budget::of("draw vertices", vertices.len() as u32);
    let mut patches = Vec::new();
    let mut patch_of_surface = Vec::with_capacity(lumps.surfaces.count(SURFACE_BYTES) as usize);
    for mut record in lumps.surfaces.records(SURFACE_BYTES)? {
        let start = record;
        let mut shader = record;
        record.skip(8);
        if record.i32() != SURFACE_PATCH {
            patch_of_surface.push(None);
            continue;
        }
        let shader = shader.index("shaders", shader_count)?;
        let (first, count) = record.range("draw vertices", vertices.len() as u32)?;
        record.skip(SURFACE_BYTES - 20 - 8);
        let (width, height) = (record.i32(), record.i32());
        budget.spend(count, &start)?;
        if !is_patch_size(width, height, count) {
            return Err(start.error(BspProblem::PatchSize { width, height, points: count }));
        }
        let (width, height) = (width as u32, height as u32);
        let points = vertices[first as usize..(first + width * height) as usize].iter();
        let points = points.map(|vertex| { *vertex }.vector()).collect::<Result<_, _>>()?;
        let patch = Patch { width, height, points, shader };
        patch::check(&patch).map_err(|error| start.error(BspProblem::Patch(error)))?;
        patch_of_surface.push(Some(PatchId(patches.len() as u32)));
        patches.push(patch);
    }
    Ok((patches, patch_of_surface))
}

/// Quadratic pieces share their ends, so a grid of them is odd both ways.
fn is_patch_size(width: i32, height: i32, points: u32) -> bool {
    let is_odd = |n: i32| n >= 3 && n % 2 == 1;
    is_odd(width)
        && is_odd(height)
        && width.checked_mul(height).is_some_and(|n| n as u32 <= PATCH_POINTS_MAX.min(points))
}

fn read_visibility(lump: &Lump<'_>) -> Result<Option<Visibility>, MapError> {
    const HEADER: usize = 8;
    if lump.bytes.is_empty() {
        return Ok(None);
    }
    let Some(mut record) = Lump { bytes: lump.bytes.get(..HEADER).unwrap_or(&[]), ..*lump }.records(HEADER)?.next()
    else {
        return Err(lump.error(0, BspProblem::PartialRecord { length: lump.bytes.len(), record: HEADER }));
    };
    let start = record;
    let (cluster_count, row_bytes) = (record.u32(), record.u32());
    let rows = &lump.bytes[HEADER..];
    let size = u64::from(cluster_count) * u64::from(row_bytes);
    if size > rows.len() as u64 || cluster_count > i32::MAX as u32 || row_bytes < cluster_count.div_ceil(8) {
        return Err(start.error(BspProblem::Visibility { cluster_count, row_bytes, available: rows.len() }));
    }
    Ok(Some(Visibility { cluster_count, row_bytes, bits: rows[..size as usize].to_vec() }))
}

fn read_tree(
    lumps: &Lumps<'_>,
    patch_of_surface: &[Option<PatchId>],
    visibility: Option<&Visibility>,
) -> Result<Tree, MapError> {
    let brush_count = lumps.brushes.count(BRUSH_BYTES);
    let leaf_brushes = lumps
        .leaf_brushes
        .records(INDEX_BYTES)?
        .map(|mut record| record.index("brushes", brush_count).map(BrushId))
        .collect::<Result<_, _>>()?;

    // Leafs list surfaces; ours list patches. `patches_before[n]` patches stand before entry n of the surface list.
    let mut leaf_patches = Vec::new();
    let mut patches_before = vec![0];
    for mut record in lumps.leaf_surfaces.records(INDEX_BYTES)? {
        let surface = record.index("surfaces", patch_of_surface.len() as u32)?;
        leaf_patches.extend(patch_of_surface[surface as usize]);
        patches_before.push(leaf_patches.len() as u32);
    }

    let leafs = read_leafs(lumps, &patches_before, visibility)?;
    let nodes = read_nodes(lumps, leafs.len() as u32)?;
    Ok(Tree { nodes, leafs, leaf_brushes, leaf_patches })
}

fn read_leafs(
    lumps: &Lumps<'_>,
    patches_before: &[u32],
    visibility: Option<&Visibility>,
) -> Result<Vec<Leaf>, MapError> {
    let list_lengths = (lumps.leaf_surfaces.count(INDEX_BYTES), lumps.leaf_brushes.count(INDEX_BYTES));
    let mut surface_budget = Budget::of("leaf surfaces", list_lengths.0);
    let mut brush_budget = Budget::of("leaf brushes", list_lengths.1);
    lumps
        .leafs
        .some_records(LEAF_BYTES)?
        .map(|mut record| {
            let start = record;
            let (cluster, area) = (record.i32(), record.i32());
            let cluster_end = visibility.map_or(i32::MAX, |table| table.cluster_count as i32);
            if cluster < -1 || cluster >= cluster_end {
                return Err(start.error(BspProblem::Index {
                    things: "clusters",
                    index: cluster,
                    count: cluster_end as u32,
                }));
            }
            // The bounds of a leaf: no trace asks for them.
            record.skip(24);
            let (surface_first, surface_count) = record.range("leaf surfaces", list_lengths.0)?;
            surface_budget.spend(surface_count, &start)?;
            let (brush_first, brush_count) = record.range("leaf brushes", list_lengths.1)?;
            brush_budget.spend(brush_count, &start)?;
            let patch_first = patches_before[surface_first as usize];
            let patch_count = patches_before[(surface_first + surface_count) as usize] - patch_first;
            Ok(Leaf { cluster, area, brush_first, brush_count, patch_first, patch_count })
        })
        .collect()
}

fn read_nodes(lumps: &Lumps<'_>, leaf_count: u32) -> Result<Vec<Node>, MapError> {
    let plane_count = lumps.planes.count(PLANE_BYTES);
    let node_count = lumps.nodes.count(NODE_BYTES);
    let child = |record: &mut Record<'_>| {
        let start = *record;
        let child = record.i32();
        let (things, index, count) =
            if child < 0 { ("leafs", -1 - child, leaf_count) } else { ("nodes", child, node_count) };
        if (index as u32) < count { Ok(child) } else { Err(start.error(BspProblem::Index { things, index, count })) }
    };
    let nodes = lumps
        .nodes
        .some_records(NODE_BYTES)?
        .map(|mut record| {
            let plane = record.index("planes", plane_count)?;
            Ok(Node { plane, children: [child(&mut record)?, child(&mut record)?] })
        })
        .collect::<Result<Vec<_>, MapError>>()?;
    check_tree(&nodes, &lumps.nodes)?;
    Ok(nodes)
}

/// No node is reached twice from the root (so no walk loops), and none lies too deep.
fn check_tree(nodes: &[Node], lump: &Lump<'_>) -> Result<(), MapError> {
    let mut is_reached = vec![false; nodes.len()];
    let mut open = vec![(0_usize, 1_usize)];
    while let Some((index, depth)) = open.pop() {
        let problem = if is_reached[index] {
            BspProblem::NodeTwice
        } else if depth > TREE_DEPTH_MAX {
            BspProblem::TooDeep
        } else {
            is_reached[index] = true;
            open.extend(nodes[index].children.iter().filter(|&&c| c >= 0).map(|&c| (c as usize, depth + 1)));
            continue;
        };
        return Err(lump.error(index * NODE_BYTES, problem));
    }
    Ok(())
}

fn read_models(lumps: &Lumps<'_>, tree: &Tree, patch_of_surface: &[Option<PatchId>]) -> Result<Vec<Model>, MapError> {
    let brush_count = lumps.brushes.count(BRUSH_BYTES);
    let mut surface_budget = Budget::of("surfaces", patch_of_surface.len() as u32);
    let mut brush_budget = Budget::of("brushes", brush_count);
    let mut models = Vec::new();
    for mut record in lumps.models.some_records(MODEL_BYTES)? {
        let start = record;
        if models.len() > usize::from(ModelId(u16::MAX).0) {
            return Err(start.error(BspProblem::TooManyModels));
        }
        let (mins, maxs) = (record.vector()?, record.vector()?);
        let (surface_first, surface_count) = record.range("surfaces", patch_of_surface.len() as u32)?;
        surface_budget.spend(surface_count, &start)?;
        let (brush_first, brush_count) = record.range("brushes", brush_count)?;
        brush_budget.spend(brush_count, &start)?;
        let (brushes, patches) = if models.is_empty() {
            solids_in_tree(tree)
        } else {
            let surfaces = &patch_of_surface[surface_first as usize..(surface_first + surface_count) as usize];
            (
                (brush_first..brush_first + brush_count).map(BrushId).collect(),
                surfaces.iter().copied().flatten().collect(),
            )
        };
        models.push(Model { mins, maxs, brushes, patches });
    }
    Ok(models)
}

/// What the leafs under node 0 list, each once, in file order.
fn solids_in_tree(tree: &Tree) -> (Vec<BrushId>, Vec<PatchId>) {
    let (mut brushes, mut patches) = (Vec::new(), Vec::new());
    let mut is_listed = vec![false; tree.leafs.len()];
    let mut open = vec![0];
    while let Some(child) = open.pop() {
        if child >= 0 {
            open.extend(tree.nodes[child as usize].children);
            continue;
        }
        let leaf = (-1 - child) as usize;
        if std::mem::replace(&mut is_listed[leaf], true) {
            continue;
        }
        let leaf = &tree.leafs[leaf];
        brushes.extend_from_slice(tree.brushes_of(leaf));
        patches.extend_from_slice(tree.patches_of(leaf));
    }
    brushes.sort_unstable();
    brushes.dedup();
    patches.sort_unstable();
    patches.dedup();
    (brushes, patches)
}

/// How many entries of a list its users may claim together: each entry once.
struct Budget {
    things: &'static str,
    left: u32,
}

impl Budget {
    fn of(things: &'static str, count: u32) -> Budget {
        Budget { things, left: count }
    }

    fn spend(&mut self, count: u32, claimant: &Record<'_>) -> Result<(), MapError> {
        let left = self.left.checked_sub(count);
        self.left = left.ok_or_else(|| claimant.error(BspProblem::Overlap(self.things)))?;
        Ok(())
    }
}
