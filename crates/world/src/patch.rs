//! Curved patches: from a grid of control points to the flat facets the engine collides with.
//!
//! In: a [`Patch`]. Out: [`Facets`], each a surface plane with the planes around it. How finely a curve is cut, which
//! planes are shared and with which tolerance decide where a grenade bounces, so every tolerance here is the engine's,
//! as is the order in which planes are looked for; on all of OpenArena's 5,539 patches the 27,129 facets are equal
//! to the engine's to the bit (built without fast maths; the shipped one differs in last bits of normals).
//!
//! [`grid`] cuts curves, [`planes`] shares planes, [`polygon`] measures what planes leave of a facet, [`bevel`] adds
//! what boxes need. Not here: sweeping against facets (`crate::solids`).
//!
//! What a sweep must know. A box clips a facet as if it were a brush of all its planes, pushed out by the box, surface
//! first; but a facet is never started inside of, and its last plane, the back, lets everything through. A point looks
//! only at surfaces it starts in front of; where it crosses one, it must be inside all the other planes, with no
//! tolerance, and then stops 1/8 unit short.

mod bevel;
mod grid;
mod planes;
mod polygon;

use glam::Vec3;

use crate::map::{Patch, Plane};
use bevel::bevels;
use grid::Grid;
use planes::Planes;
use polygon::Polygon;

/// Most facets a patch may be cut into; the engine stops with an error there.
pub const FACETS_MAX: usize = 1024;

/// Most planes the facets of a patch may have together, likewise.
pub const PLANES_MAX: usize = 2048;

/// Most planes around one surface: four edges, six axial and sixteen edge bevels.
pub const BORDERS_MAX: usize = 4 + 6 + 16;

/// The facets of a patch, in the order the engine tries them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// Bounds of the surface, a unit wider on every side: what does not touch them cannot touch a facet.
    pub mins: Vec3,
    pub maxs: Vec3,
    /// Planes shared by the facets.
    pub planes: Vec<Plane>,
    pub borders: Vec<Border>,
    pub facets: Vec<Facet>,
}

/// One flat piece: a surface and the planes around it, the last of which is its back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facet {
    pub surface: u32,
    pub border_first: u32,
    pub border_count: u32,
}

/// A plane around a facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    pub plane: u32,
    /// The facet lies in front of the shared plane, so it is used turned around. A point that starts exactly on such a
    /// plane counts as outside; on others as inside.
    pub is_inward: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("{width} x {height} control points with {points} given: both must be odd and at least 3")]
    Size { width: u32, height: u32, points: usize },
    #[error("the curve bends so far that it would be cut into more than {} columns", grid::SIDE_MAX)]
    TooFine,
    #[error("the curve would be cut into more than {FACETS_MAX} facets")]
    TooManyFacets,
    #[error("the curve's facets would have more than {PLANES_MAX} planes")]
    TooManyPlanes,
}

impl Facets {
    pub fn borders_of(&self, facet: &Facet) -> &[Border] {
        &self.borders[facet.border_first as usize..][..facet.border_count as usize]
    }

    /// All planes of a facet, facing out of it, as a sweep tries them: surface, edges, bevels, back.
    pub fn planes_of(&self, facet: &Facet) -> impl ExactSizeIterator<Item = Plane> {
        let surface = Border { plane: facet.surface, is_inward: false };
        let count = facet.border_count as usize + 1;
        let borders = self.borders_of(facet);
        (0..count).map(move |n| self.facing_out(if n == 0 { surface } else { borders[n - 1] }))
    }

    fn facing_out(&self, border: Border) -> Plane {
        let plane = self.planes[border.plane as usize];
        if border.is_inward { turned(plane) } else { plane }
    }
}

/// Cuts a patch into the facets the engine would.
pub fn facets(patch: &Patch) -> Result<Facets, PatchError> {
    let grid = Grid::cut(patch)?;
    let (mins, maxs) = grid.bounds();
    let mut cutter =
        Cutter { planes: Planes::default(), surfaces: Vec::new(), grid, borders: Vec::new(), facets: Vec::new() };
    cutter.find_surfaces()?;
    for column in 0..cutter.grid.columns() - 1 {
        for row in 0..cutter.grid.rows() - 1 {
            cutter.cut_cell(column, row)?;
        }
    }
    Ok(Facets {
        mins: mins - Vec3::ONE,
        maxs: maxs + Vec3::ONE,
        planes: cutter.planes.table,
        borders: cutter.borders,
        facets: cutter.facets,
    })
}

/// Whether [`facets`] will succeed. Far cheaper for all but the largest patches: few cells cannot need many planes.
pub fn check(patch: &Patch) -> Result<(), PatchError> {
    const CELL_PLANES_MAX: usize = 2 + 4 + 2 + 2 * (BORDERS_MAX - 4);
    const { assert!(PLANES_MAX / CELL_PLANES_MAX * 2 <= FACETS_MAX, "a cell makes two facets at most") };
    let grid = Grid::cut(patch)?;
    let cells = (grid.columns() - 1) * (grid.rows() - 1);
    if cells * CELL_PLANES_MAX <= PLANES_MAX { Ok(()) } else { facets(patch).map(drop) }
}

/// A cell of the grid has corners a, b, c, d in this order around it; triangle 0 is a b c, triangle 1 is c d a.
///
/// ```text
///   a --top-- b          rows downwards, columns to the right
///   |  \   0  |
///  left  \   right
///   |  1   \  |
///   d -bottom- c
/// ```
type Corners = [Vec3; 4];

/// An edge of a cell: the corners it runs between, the one whose normal is stood on it, the triangle it belongs to.
struct Edge {
    from: usize,
    to: usize,
    foot: usize,
    triangle: usize,
}

const TOP: Edge = Edge { from: 0, to: 1, foot: 0, triangle: 0 };
const RIGHT: Edge = Edge { from: 1, to: 2, foot: 1, triangle: 0 };
const BOTTOM: Edge = Edge { from: 2, to: 3, foot: 3, triangle: 1 };
const LEFT: Edge = Edge { from: 3, to: 0, foot: 0, triangle: 1 };
const DIAGONAL: [Edge; 2] =
    [Edge { from: 2, to: 0, foot: 2, triangle: 0 }, Edge { from: 0, to: 2, foot: 0, triangle: 1 }];

/// How far above an edge the third point of its plane is put.
const EDGE_RISE: f32 = 4.0;

struct Cutter {
    grid: Grid,
    planes: Planes,
    /// The planes of both triangles of each cell, column by column; none where a triangle has no area.
    surfaces: Vec<[Option<u32>; 2]>,
    borders: Vec<Border>,
    facets: Vec<Facet>,
}

impl Cutter {
    fn find_surfaces(&mut self) -> Result<(), PatchError> {
        for column in 0..self.grid.columns() - 1 {
            for row in 0..self.grid.rows() - 1 {
                let [a, b, c, d] = self.corners(column, row);
                let pair = [self.planes.through(a, b, c)?, self.planes.through(c, d, a)?];
                self.surfaces.push(pair);
            }
        }
        Ok(())
    }

    fn cut_cell(&mut self, column: usize, row: usize) -> Result<(), PatchError> {
        let corners = self.corners(column, row);
        let own = self.surface(column, row);
        let (last_column, last_row) = (self.grid.columns() - 2, self.grid.rows() - 2);
        let (wraps_columns, wraps_rows) = (self.grid.wraps_columns, self.grid.wraps_rows);
        let above = before(row, last_row, wraps_rows).and_then(|row| self.surface(column, row)[1]);
        let below = after(row, last_row, wraps_rows).and_then(|row| self.surface(column, row)[0]);
        let left = before(column, last_column, wraps_columns).and_then(|column| self.surface(column, row)[0]);
        let right = after(column, last_column, wraps_columns).and_then(|column| self.surface(column, row)[1]);
        // In this order, because the first of several matching planes is taken.
        let top = self.border(&TOP, above, own, &corners)?;
        let bottom = self.border(&BOTTOM, below, own, &corners)?;
        let left = self.border(&LEFT, left, own, &corners)?;
        let right = self.border(&RIGHT, right, own, &corners)?;

        let [a, b, c, d] = corners;
        if own[0] == own[1] {
            return self.add_facet(own[0], &[top, right, bottom, left], &[a, b, c, d]);
        }
        let diagonal = own[1].or(bottom);
        let diagonal = if diagonal.is_none() { self.edge_plane(&DIAGONAL[0], own, &corners)? } else { diagonal };
        self.add_facet(own[0], &[top, right, diagonal], &[a, b, c])?;
        let diagonal = own[0].or(top);
        let diagonal = if diagonal.is_none() { self.edge_plane(&DIAGONAL[1], own, &corners)? } else { diagonal };
        self.add_facet(own[1], &[bottom, left, diagonal], &[c, d, a])
    }

    /// The plane at an edge: the neighbour's surface, or if there is none (or it is our own) one stood on the edge.
    fn border(
        &mut self,
        edge: &Edge,
        neighbour: Option<u32>,
        own: [Option<u32>; 2],
        corners: &Corners,
    ) -> Result<Option<u32>, PatchError> {
        if neighbour.is_some() && neighbour != own[edge.triangle] {
            return Ok(neighbour);
        }
        self.edge_plane(edge, own, corners)
    }

    fn edge_plane(&mut self, edge: &Edge, own: [Option<u32>; 2], corners: &Corners) -> Result<Option<u32>, PatchError> {
        let Some(surface) = own[edge.triangle].or(own[1 - edge.triangle]) else { return Ok(None) };
        let foot = corners[edge.foot];
        let above = foot + self.planes.table[surface as usize].normal * EDGE_RISE;
        self.planes.through(corners[edge.from], corners[edge.to], above)
    }

    /// Keeps a facet, unless it has no area or its borders do not close around it.
    fn add_facet(&mut self, surface: Option<u32>, edges: &[Option<u32>], corners: &[Vec3]) -> Result<(), PatchError> {
        let Some(surface) = surface else { return Ok(()) };
        if self.facets.len() == FACETS_MAX {
            return Err(PatchError::TooManyFacets);
        }
        let facing = |edge: &Option<u32>| {
            let plane = (*edge)?;
            let is_inward = self.planes.faces_towards(plane, corners)?;
            Some(Border { plane, is_inward })
        };
        let Some(mut borders) = edges.iter().map(facing).collect::<Option<Vec<Border>>>() else { return Ok(()) };
        let Some(polygon) = self.polygon(surface, &borders).filter(Polygon::is_bounded) else { return Ok(()) };
        bevels(&mut self.planes, surface, &polygon, &mut borders)?;
        let border_first = self.borders.len() as u32;
        self.facets.push(Facet { surface, border_first, border_count: borders.len() as u32 });
        self.borders.append(&mut borders);
        Ok(())
    }

    /// What the borders leave of the surface.
    fn polygon(&self, surface: u32, borders: &[Border]) -> Option<Polygon> {
        let mut polygon = Polygon::on(self.planes.table[surface as usize]);
        for border in borders {
            polygon = polygon.in_front_of(self.planes.facing_in(*border))?;
        }
        Some(polygon)
    }

    fn corners(&self, column: usize, row: usize) -> Corners {
        let point = |column, row| self.grid.point(column, row);
        [point(column, row), point(column + 1, row), point(column + 1, row + 1), point(column, row + 1)]
    }

    fn surface(&self, column: usize, row: usize) -> [Option<u32>; 2] {
        self.surfaces[column * (self.grid.rows() - 1) + row]
    }
}

/// The cell before this one, around the end of a closed patch if need be.
fn before(cell: usize, last: usize, wraps: bool) -> Option<usize> {
    cell.checked_sub(1).or(wraps.then_some(last))
}

fn after(cell: usize, last: usize, wraps: bool) -> Option<usize> {
    if cell < last { Some(cell + 1) } else { wraps.then_some(0) }
}

fn turned(plane: Plane) -> Plane {
    Plane { normal: -plane.normal, dist: -plane.dist }
}

/// A vector of length 1 and the length it had; computed in single precision in the engine's order.
fn normalized(v: Vec3) -> (Vec3, f32) {
    let square = v.x * v.x + v.y * v.y + v.z * v.z;
    if square == 0.0 {
        return (v, 0.0);
    }
    let inverse = 1.0 / square.sqrt();
    (v * inverse, square * inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip along y, `span` units long: three columns at the given (x, z).
    fn strip(columns: [(f32, f32); 3], span: f32) -> Patch {
        let row = |y: f32| columns.map(|(x, z)| Vec3::new(x, y, z));
        let points = [row(0.0), row(span / 2.0), row(span)].concat();
        Patch { width: 3, height: 3, points, shader: 0 }
    }

    fn assert_point_on(facets: &Facets, facet: &Facet, point: Vec3) {
        for (n, plane) in facets.planes_of(facet).enumerate() {
            let distance = plane.normal.dot(point) - plane.dist;
            assert!(distance < 0.1, "plane {n} of {facet:?} leaves {point} out by {distance}");
        }
    }

    #[test]
    fn a_flat_patch_is_one_facet_in_a_box_of_its_size() {
        let facets = facets(&strip([(0.0, 8.0), (32.0, 8.0), (64.0, 8.0)], 128.0)).unwrap();
        assert_eq!(facets.facets.len(), 1);
        assert_eq!((facets.mins, facets.maxs), (Vec3::new(-1.0, -1.0, 7.0), Vec3::new(65.0, 129.0, 9.0)));
        let planes: Vec<Plane> = facets.planes_of(&facets.facets[0]).collect();
        // Its edges are axial already, and so is its surface: no bevel is missing.
        assert_eq!(planes.len(), 6);
        assert_eq!(planes[5], turned(planes[0]));
        assert_point_on(&facets, &facets.facets[0], Vec3::new(1.0, 127.0, 8.0));
    }

    #[test]
    fn a_quarter_pipe_is_cut_until_no_chord_leaves_the_curve_by_sixteen_units() {
        // The middle of a quarter of radius r is 0.354 r off its chord, of its halves a quarter of that.
        for (radius, expected) in [(40.0, 1), (64.0, 2), (256.0, 4), (1024.0, 8)] {
            let pipe = strip([(0.0, 0.0), (0.0, radius), (radius, radius)], 64.0);
            let facets = facets(&pipe).unwrap();
            assert_eq!(facets.facets.len(), expected, "radius {radius}");
            for (n, facet) in facets.facets.iter().enumerate() {
                let t = (n as f32 + 0.5) / expected as f32;
                let on_chord = |t: f32| Vec3::new(t * t * radius, 32.0, (2.0 * t - t * t) * radius);
                let half = 0.5 / expected as f32;
                assert_point_on(&facets, facet, (on_chord(t - half) + on_chord(t + half)) / 2.0);
            }
        }
    }

    #[test]
    fn neighbours_share_the_plane_between_them() {
        let facets = facets(&strip([(0.0, 0.0), (0.0, 64.0), (64.0, 64.0)], 64.0)).unwrap();
        let [first, second] = facets.facets[..] else { panic!("{facets:?}") };
        let uses = |facet: &Facet, plane: u32| facets.borders_of(facet).iter().any(|border| border.plane == plane);
        assert!(uses(&first, second.surface) && uses(&second, first.surface));
    }

    #[test]
    fn a_twisted_cell_becomes_two_triangles_and_a_collapsed_one_none() {
        let mut twisted = strip([(0.0, 0.0), (32.0, 0.0), (64.0, 0.0)], 64.0);
        twisted.points[8].z = 12.0;
        assert_eq!(facets(&twisted).unwrap().facets.len(), 2);
        assert_eq!(facets(&strip([(5.0, 5.0); 3], 64.0)).unwrap().facets, []);
    }

    #[test]
    fn a_closed_pipe_finds_its_neighbours_across_the_seam() {
        let ring = [(64, 0), (64, 64), (0, 64), (-64, 64), (-64, 0), (-64, -64), (0, -64), (64, -64), (64, 0)];
        let row = |z: f32| ring.map(|(x, y)| Vec3::new(x as f32, y as f32, z));
        let points = [row(0.0), row(32.0), row(64.0)].concat();
        let facets = facets(&Patch { width: 9, height: 3, points, shader: 0 }).unwrap();
        assert_eq!(facets.facets.len(), 8);
        let (first, last) = (facets.facets[0], facets.facets[7]);
        assert!(facets.borders_of(&first).iter().any(|border| border.plane == last.surface));
        assert!(facets.borders_of(&last).iter().any(|border| border.plane == first.surface));
    }

    #[test]
    fn curves_the_engine_has_no_room_for_are_refused() {
        let huge = strip([(0.0, 0.0), (0.0, 1e7), (1e7, 1e7)], 64.0);
        assert_eq!(facets(&huge), Err(PatchError::TooFine));
        assert_eq!(check(&huge), Err(PatchError::TooFine));
        let mut short = strip([(0.0, 0.0); 3], 1.0);
        short.points.pop();
        assert_eq!(check(&short), Err(PatchError::Size { width: 3, height: 3, points: 8 }));
        let bumps = |n: u32| Vec3::new((n % 31) as f32 * 64.0, (n / 31) as f32 * 64.0, (n * 7919 % 97) as f32 * 4.0);
        let rough = Patch { width: 31, height: 33, points: (0..31 * 33).map(bumps).collect(), shader: 0 };
        assert_eq!(check(&rough), facets(&rough).map(drop));
        assert_eq!(check(&rough), Err(PatchError::TooManyPlanes));
    }
}
