//! Cutting the curves of a patch: columns are added until no chord leaves its curve by 16 units, and columns that add
//! nothing are taken out; then the same is done to the rows.

use glam::Vec3;

use super::PatchError;
use crate::map::Patch;

/// Largest number of columns or rows after cutting; beyond it the engine overruns its table.
pub(super) const SIDE_MAX: usize = 129;

/// A curve whose middle is this far from the middle of its chord is halved.
const CHORD_ERROR_MAX: f32 = 16.0;

/// Points closer than this in every coordinate are the same, for closing a patch and for removing columns.
const SAME_POINT: f64 = 0.1;

/// Points on the curve, column by column.
pub(super) struct Grid {
    points: Vec<Vec<Vec3>>,
    /// The first column lies on the last: neighbours are looked for across the seam.
    pub(super) wraps_columns: bool,
    pub(super) wraps_rows: bool,
}

impl Grid {
    pub(super) fn cut(patch: &Patch) -> Result<Grid, PatchError> {
        let (width, height) = (patch.width as usize, patch.height as usize);
        let is_odd = |n: usize| n >= 3 && n % 2 == 1 && n <= SIDE_MAX;
        if !is_odd(width) || !is_odd(height) || patch.points.len() != width * height {
            let points = patch.points.len();
            return Err(PatchError::Size { width: patch.width, height: patch.height, points });
        }
        let column = |x: usize| (0..height).map(|y| patch.points[y * width + x]).collect();
        let mut columns: Vec<Vec<Vec3>> = (0..width).map(column).collect();
        let wraps_width = wraps(&columns);
        subdivide(&mut columns)?;
        remove_repeated(&mut columns);
        let mut rows = transposed(&columns);
        let wraps_height = wraps(&rows);
        subdivide(&mut rows)?;
        remove_repeated(&mut rows);
        // The engine leaves the grid lying on its side: what were rows are its columns from here on.
        Ok(Grid { points: rows, wraps_columns: wraps_height, wraps_rows: wraps_width })
    }

    pub(super) fn columns(&self) -> usize {
        self.points.len()
    }

    pub(super) fn rows(&self) -> usize {
        self.points[0].len()
    }

    pub(super) fn point(&self, column: usize, row: usize) -> Vec3 {
        self.points[column][row]
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let first = self.points[0][0];
        self.points.iter().flatten().fold((first, first), |(mins, maxs), &point| (mins.min(point), maxs.max(point)))
    }
}

fn wraps(columns: &[Vec<Vec3>]) -> bool {
    is_same_column(&columns[0], &columns[columns.len() - 1])
}

/// Columns 0, 2, 4, … lie on the surface, those between pull it towards them. Each such triple becomes points on the
/// curve: halved while it bends too much, then replaced by its chord.
fn subdivide(columns: &mut Vec<Vec<Vec3>>) -> Result<(), PatchError> {
    let mut first = 0;
    while first + 2 < columns.len() {
        let bends = (0..columns[0].len())
            .any(|row| bends_too_much(columns[first][row], columns[first + 1][row], columns[first + 2][row]));
        if !bends {
            columns.remove(first + 1);
            first += 1;
            continue;
        }
        if columns.len() + 2 > SIDE_MAX {
            return Err(PatchError::TooFine);
        }
        let before = halfway(&columns[first], &columns[first + 1]);
        let after = halfway(&columns[first + 1], &columns[first + 2]);
        let middle = halfway(&before, &after);
        columns.splice(first + 1..first + 2, [before, middle, after]);
    }
    Ok(())
}

fn bends_too_much(from: Vec3, control: Vec3, to: Vec3) -> bool {
    // Halves are summed in double precision before they are rounded once, as C does it.
    let half = |a: f32, b: f32| 0.5 * f64::from(a + b);
    let error = |a: f32, b: f32, c: f32| (0.5 * (half(a, b) + half(b, c))) as f32 - half(a, c) as f32;
    let delta =
        Vec3::new(error(from.x, control.x, to.x), error(from.y, control.y, to.y), error(from.z, control.z, to.z));
    (delta.x * delta.x + delta.y * delta.y + delta.z * delta.z).sqrt() >= CHORD_ERROR_MAX
}

fn halfway(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(&a, &b)| 0.5 * (a + b)).collect()
}

fn remove_repeated(columns: &mut Vec<Vec<Vec3>>) {
    let mut first = 0;
    while first + 1 < columns.len() {
        if is_same_column(&columns[first], &columns[first + 1]) {
            columns.remove(first + 1);
        } else {
            first += 1;
        }
    }
}

fn is_same_column(a: &[Vec3], b: &[Vec3]) -> bool {
    let is_near = |d: f32| (-SAME_POINT..=SAME_POINT).contains(&f64::from(d));
    a.iter().zip(b).all(|(&a, &b)| (a - b).to_array().into_iter().all(is_near))
}

fn transposed(columns: &[Vec<Vec3>]) -> Vec<Vec<Vec3>> {
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}
