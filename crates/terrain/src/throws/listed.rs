//! A square table that few pairs are in, with `B` bytes for each: two bytes more for its column, and four a row.
//!
//! [`Pairs`](super::Pairs) answers sooner and is smaller where many are in it; throws that need a door are few and far between.

/// Rows and columns from 0 to `size`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed<const B: usize> {
    /// Pairs up to the end of each row.
    ends: Vec<u32>,
    /// Row by row, each in order.
    columns: Vec<u16>,
    bytes: Vec<[u8; B]>,
}

impl<const B: usize> Listed<B> {
    /// From pairs sorted by row, then by column, without doubles.
    pub fn of(size: usize, pairs: impl IntoIterator<Item = (usize, usize, [u8; B])>) -> Listed<B> {
        assert!(size <= 1 << u16::BITS, "a column is 16 bits, which {size} do not fit into");
        let mut all = Listed { ends: vec![0; size], columns: Vec::new(), bytes: Vec::new() };
        let mut last: Option<(usize, usize)> = None;
        for (row, column, bytes) in pairs {
            assert!(row < size && column < size, "{row},{column} is not in a table of {size}");
            assert!(last < Some((row, column)), "{row},{column} is not after {last:?}");
            all.columns.push(column as u16);
            all.bytes.push(bytes);
            all.ends[row] = all.bytes.len() as u32;
            last = Some((row, column));
        }
        for row in 1..size {
            all.ends[row] = all.ends[row].max(all.ends[row - 1]);
        }
        all
    }

    pub fn size(&self) -> usize {
        self.ends.len()
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn span(&self, row: usize) -> std::ops::Range<usize> {
        let first = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[row] as usize
    }

    pub fn find(&self, row: usize, column: usize) -> Option<&[u8; B]> {
        let span = self.span(row);
        let at = self.columns[span.clone()].binary_search(&u16::try_from(column).ok()?).ok()?;
        Some(&self.bytes[span.start + at])
    }

    /// The pairs of a row, by column.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[u8; B])> {
        let span = self.span(row);
        self.columns[span.clone()].iter().map(|&column| usize::from(column)).zip(&self.bytes[span])
    }

    /// Every pair, by row and column.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &[u8; B])> {
        (0..self.size()).flat_map(|row| self.row(row).map(move |(column, bytes)| (row, column, bytes)))
    }

    /// Bytes all of it takes.
    pub fn bytes(&self) -> usize {
        self.ends.len() * 4 + self.columns.len() * 2 + self.bytes.len() * B
    }

    /// The parts a file keeps.
    pub fn columns(&self) -> (&[u32], &[u16], &[[u8; B]]) {
        (&self.ends, &self.columns, &self.bytes)
    }

    /// From what [`Listed::columns`] gives; none if it does not fit together.
    pub fn from_columns(ends: Vec<u32>, columns: Vec<u16>, bytes: Vec<[u8; B]>) -> Option<Listed<B>> {
        let size = ends.len();
        let is_whole = ends.last().map_or(0, |end| *end as usize) == columns.len() && columns.len() == bytes.len();
        let all = Listed { ends, columns, bytes };
        if !is_whole || !all.ends.is_sorted() {
            return None;
        }
        let is_row = |row: usize| {
            let columns = &all.columns[all.span(row)];
            columns.is_sorted_by(|a, b| a < b) && columns.last().is_none_or(|last| usize::from(*last) < size)
        };
        (0..size).all(is_row).then_some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_holds_what_was_put_in_and_nothing_else(
            size in 1_usize..60,
            pairs in proptest::collection::btree_map((0_usize..60, 0_usize..60), any::<[u8; 5]>(), 0..80),
        ) {
            let pairs: BTreeMap<_, _> =
                pairs.into_iter().map(|((row, column), bytes)| ((row % size, column % size), bytes)).collect();
            let table = Listed::of(size, pairs.iter().map(|(&(row, column), &bytes)| (row, column, bytes)));
            prop_assert_eq!((table.size(), table.len()), (size, pairs.len()));
            for row in 0..size {
                for column in 0..size {
                    prop_assert_eq!(table.find(row, column), pairs.get(&(row, column)));
                }
            }
            let back: Vec<_> = table.iter().map(|(row, column, bytes)| ((row, column), *bytes)).collect();
            prop_assert_eq!(back, pairs.into_iter().collect::<Vec<_>>());
            let (ends, columns, bytes) = table.columns();
            let again = Listed::from_columns(ends.to_vec(), columns.to_vec(), bytes.to_vec());
            prop_assert_eq!(again, Some(table));
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let refused = |ends: &[u32], columns: &[u16], pairs: usize| {
            Listed::from_columns(ends.to_vec(), columns.to_vec(), vec![[0_u8; 1]; pairs]).is_none()
        };
        assert!(!refused(&[2, 2], &[0, 1], 2));
        assert!(refused(&[2, 1], &[0, 1], 2), "rows that end before they begin");
        assert!(refused(&[2, 2], &[1, 0], 2) && refused(&[2, 2], &[1, 1], 2), "columns out of order");
        assert!(refused(&[2, 2], &[0, 2], 2), "a column beyond the table");
        assert!(refused(&[2, 3], &[0, 1], 2) && refused(&[2, 2], &[0, 1], 1), "more or fewer than there are");
    }
}
