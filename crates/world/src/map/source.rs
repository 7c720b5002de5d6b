//! Brush sources: .map files as TrenchBroom and Radiant write them, read without a compiler.
//!
//! In: the text. Out: a [`Map`] without a tree, whose contents and surface flags come from texture names
//! ([`TEXTURES`]), whose doors, lifts and triggers are brush models, and whose light grid is computed from open sky
//! and `light` entities ([`light`]). `docs/mapping.md` is the mapper's view of the same rules.
//!
//! worldspawn, func_group and func_detail become the map itself; every other entity with brushes becomes a model of its
//! own and gets a `model` key, as a compiled map has it. An origin brush moves its entity's brushes so that the
//! origin is their zero, and becomes the entity's `origin`.
//!
//! Not here: curved patches and brush primitives (compile such a map, and read the .bsp).

mod light;
mod text;
mod texture;

use glam::DVec3;
use thiserror::Error;

use self::text::{BrushText, EntityText};
pub use self::texture::{TEXTURES, Texture, texture};
use crate::contents::{Contents, SurfaceFlags};
use crate::map::brush::{Assembly, BrushFault, Face, Solid};
use crate::map::{Entity, Map};
use crate::units::ModelId;

/// Why a .map file was not read: where, then what.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{file}:{line}: {fault}")]
pub struct SourceError {
    pub file: String,
    pub line: u32,
    pub fault: SourceFault,
}

#[derive(Clone, Debug, Error, PartialEq)]
pub enum SourceFault {
    #[error("expected {wanted}, found `{found}`")]
    Unexpected { wanted: &'static str, found: String },
    #[error("the file ends where {wanted} should be")]
    EndOfFile { wanted: &'static str },
    #[error("a quote is opened and not closed on its line")]
    OpenQuote,
    #[error("{0} is not read from .map files: compile the map and load the .bsp")]
    OtherDialect(String),
    #[error("{0} lies outside the world, which ends at 65536 units")]
    TooFar(f64),
    #[error("the first entity must be worldspawn, not {0}")]
    NoWorldspawn(String),
    #[error("the file holds no entity at all: is it a .map file?")]
    NoEntity,
    #[error("entity {entity} ({class}), brush {brush}: the face's three points lie on one line")]
    FlatFace { entity: usize, class: String, brush: usize },
    #[error("entity {entity} ({class}), brush {brush}: {fault}")]
    Brush { entity: usize, class: String, brush: usize, fault: BrushFault },
    #[error("entity {entity} ({class}) has no brush left to be a model of")]
    NoBrush { entity: usize, class: String },
    #[error("more than 65535 entities have brushes")]
    TooManyModels,
    #[error("more than {0} lights")]
    TooManyLights(usize),
}

impl Map {
    /// Reads a .map brush source, classic or Valve 220. `file` names it in errors; the map is called as the file is,
    /// without folder and ending.
    pub fn from_source(file: &str, text: &str) -> Result<Map, SourceError> {
        let entities = text::read(file, text)?;
        let fail = |line, fault| SourceError { file: file.to_owned(), line, fault };
        let first = entities.first().ok_or_else(|| fail(1, SourceFault::NoEntity))?;
        if first.class() != "worldspawn" {
            return Err(fail(first.line, SourceFault::NoWorldspawn(first.class().to_owned())));
        }
        let mut assembly = Assembly::new(stem(file), *blake3::hash(text.as_bytes()).as_bytes());
        for (number, entity) in entities.iter().enumerate() {
            add_entity(&mut assembly, number, entity).map_err(|(line, fault)| fail(line, fault))?;
        }
        let mut map = assembly.finish();
        map.light_grid = light::grid(&map).map_err(|fault| fail(1, fault))?;
        Ok(map)
    }
}

type Fault = (u32, SourceFault);

/// How an entity's brushes join the map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    World { detail: bool },
    OwnModel,
}

fn joins(class: &str) -> Joins {
    match class {
        "worldspawn" | "func_group" => Joins::World { detail: false },
        _ if class.starts_with("func_detail") => Joins::World { detail: true },
        _ => Joins::OwnModel,
    }
}

fn add_entity(assembly: &mut Assembly, number: usize, entity: &EntityText) -> Result<(), Fault> {
    let joins = joins(entity.class());
    let mut pairs = entity.pairs.clone();
    if joins == Joins::OwnModel && !entity.brushes.is_empty() {
        let Drawn { solids, origin } = drawn_by(assembly, number, entity, joins)?;
        if solids.is_empty() {
            let class = entity.class().to_owned();
            return Err((entity.line, SourceFault::NoBrush { entity: number, class }));
        }
        let model = assembly.add_model().ok_or((entity.line, SourceFault::TooManyModels))?;
        for (solid, shader) in solids {
            assembly.add_brush(model, &solid.moved(-origin.unwrap_or(DVec3::ZERO)), shader);
        }
        pairs.retain(|(key, _)| key != "model" && (origin.is_none() || key != "origin"));
        pairs.push(("model".to_owned(), format!("*{}", model.0)));
        pairs.extend(origin.map(|at| ("origin".to_owned(), format!("{} {} {}", at.x, at.y, at.z))));
    } else {
        for (solid, shader) in drawn_by(assembly, number, entity, joins)?.solids {
            assembly.add_brush(ModelId::WORLD, &solid, shader);
        }
    }
    // A group is its mapper's way to order brushes, and has said all it can; other entities mean something to a game.
    if joins == Joins::OwnModel || number == 0 {
        assembly.map_mut().entities.push(Entity { pairs });
    }
    Ok(())
}

/// An entity's brushes, each with the shader that says what it is, and the centre of its origin brush.
#[derive(Default)]
struct Drawn {
    solids: Vec<(Solid, u32)>,
    origin: Option<DVec3>,
}

fn drawn_by(assembly: &mut Assembly, number: usize, entity: &EntityText, joins: Joins) -> Result<Drawn, Fault> {
    let mut drawn = Drawn::default();
    for (index, brush) in entity.brushes.iter().enumerate() {
        let kind = kind_of(brush);
        let contents = match joins {
            _ if kind.contents.is_empty() => continue,
            Joins::World { detail: true } => kind.contents | Contents::DETAIL,
            Joins::World { detail: false } => kind.contents | Contents::STRUCTURAL,
            Joins::OwnModel => kind.contents,
        };
        let faces = faces_of(assembly, brush, contents).map_err(|line| {
            let class = entity.class().to_owned();
            (line, SourceFault::FlatFace { entity: number, class, brush: index })
        })?;
        let solid = Solid::new(&faces).map_err(|fault| {
            let class = entity.class().to_owned();
            (brush.line, SourceFault::Brush { entity: number, class, brush: index, fault })
        })?;
        if kind.contents.meets(Contents::ORIGIN) {
            drawn.origin = Some((solid.mins + solid.maxs) * 0.5);
        } else {
            let shader = assembly.add_shader(&shader_name(brush), kind.surface, contents);
            drawn.solids.push((solid, shader));
        }
    }
    Ok(drawn)
}

/// What a brush is: as the first of its faces says that is no plain wall.
fn kind_of(brush: &BrushText) -> Texture {
    let mut kinds = brush.faces.iter().map(|face| texture(&face.texture));
    let first = kinds.clone().next().unwrap_or_else(|| texture(""));
    kinds.find(|kind| !kind.is_plain()).unwrap_or(first)
}

fn shader_name(brush: &BrushText) -> String {
    let special = brush.faces.iter().find(|face| !texture(&face.texture).is_plain());
    special.or(brush.faces.first()).map(|face| face.texture.clone()).unwrap_or_default()
}

/// The brush's faces, or the line of the one whose points span no plane.
fn faces_of(assembly: &mut Assembly, brush: &BrushText, contents: Contents) -> Result<Vec<Face>, u32> {
    let mut faces = Vec::with_capacity(brush.faces.len());
    for face in &brush.faces {
        let surface: SurfaceFlags = texture(&face.texture).surface;
        let shader = assembly.add_shader(&face.texture, surface, contents);
        faces.push(Face::through(face.points, shader).ok_or(face.line)?);
    }
    Ok(faces)
}

fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".map").unwrap_or(name)
}

#[cfg(test)]
#[path = "source_test.rs"]
mod tests;
