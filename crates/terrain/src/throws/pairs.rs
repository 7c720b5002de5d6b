//! A square table that few or many pairs are in, with `B` bytes for each: small, and asked in a few nanoseconds.
//!
//! A row is the words of its bits that are not 0; a summary has a bit for each word of the row that is kept. Where a
//! pair's bytes are follows from counting: words kept before its own, pairs before its word, bits before its bit.
//!
//! Cost: presence is two looks, bytes are two more. A kept word is 10 bytes, a row 12 and 4 for each 4,096 columns.
//! `fireteam bench throws` prints bytes a pair, and the rate beside a hash table's.

/// Rows and columns from 0 to `size`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs<const B: usize> {
    size: usize,
    /// For each row, [`Pairs::parts`] words with a bit for each word of the row.
    summary: Vec<u64>,
    /// Kept words before those of each word of `summary`.
    kept_before: Vec<u32>,
    /// Words that are not 0, row by row.
    words: Vec<u64>,
    /// Pairs of the row before each word.
    before_in_row: Vec<u16>,
    /// Pairs before each row; one more at the end.
    first: Vec<u32>,
    bytes: Vec<[u8; B]>,
}

/// Columns of a row in one word of its summary.
const PER_PART: usize = 64 * 64;

impl<const B: usize> Pairs<B> {
    /// From pairs sorted by row, then by column, without doubles.
    pub fn of(size: usize, pairs: impl IntoIterator<Item = (usize, usize, [u8; B])>) -> Pairs<B> {
        let parts = size.div_ceil(PER_PART);
        let mut all = Pairs { size, summary: vec![0; size * parts], ..Pairs::default() };
        let mut last: Option<(usize, usize)> = None;
        for (row, column, bytes) in pairs {
            assert!(row < size && column < size, "{row},{column} is not in a table of {size}");
            assert!(last < Some((row, column)), "{row},{column} is not after {last:?}");
            while all.first.len() <= row {
                all.first.push(all.bytes.len() as u32);
            }
            let word = column / 64;
            if last.is_none_or(|(last_row, last_column)| (last_row, last_column / 64) != (row, word)) {
                all.summary[row * parts + word / 64] |= 1 << (word % 64);
                all.words.push(0);
                all.before_in_row.push((all.bytes.len() as u32 - all.first[row]) as u16);
            }
            if let Some(bits) = all.words.last_mut() {
                *bits |= 1 << (column % 64);
            }
            all.bytes.push(bytes);
            last = Some((row, column));
        }
        while all.first.len() <= size {
            all.first.push(all.bytes.len() as u32);
        }
        all.count_kept();
        all
    }

    fn count_kept(&mut self) {
        let mut kept = 0;
        let counted = self.summary.iter().map(|bits| {
            kept += bits.count_ones();
            kept - bits.count_ones()
        });
        self.kept_before = counted.collect();
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Words in the summary of a table of this size.
    pub fn summary_words(size: usize) -> usize {
        size * size.div_ceil(PER_PART)
    }

    fn parts(&self) -> usize {
        self.size.div_ceil(PER_PART)
    }

    /// Which of the kept words has this pair's bit, if one does.
    #[inline]
    fn word_of(&self, row: usize, column: usize) -> Option<usize> {
        let part = row * self.parts() + column / PER_PART;
        let bit = column / 64 % 64;
        let summary = self.summary[part];
        let before = (summary & ((1 << bit) - 1)).count_ones();
        (summary >> bit & 1 == 1).then_some(self.kept_before[part] as usize + before as usize)
    }

    #[inline]
    pub fn contains(&self, row: usize, column: usize) -> bool {
        assert!(column < self.size, "column {column} of {}", self.size);
        self.word_of(row, column).is_some_and(|word| self.words[word] >> (column % 64) & 1 == 1)
    }

    #[inline]
    pub fn find(&self, row: usize, column: usize) -> Option<&[u8; B]> {
        assert!(column < self.size, "column {column} of {}", self.size);
        let word = self.word_of(row, column)?;
        let bits = self.words[word];
        let before = (bits & ((1 << (column % 64)) - 1)).count_ones() as usize;
        let index = self.first[row] as usize + usize::from(self.before_in_row[word]) + before;
        (bits >> (column % 64) & 1 == 1).then(|| &self.bytes[index])
    }

    /// The pairs of a row, by column.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[u8; B])> {
        let (first, end) = (self.first[row] as usize, self.first[row + 1] as usize);
        let parts = self.parts();
        let summaries = self.summary[row * parts..(row + 1) * parts].iter().enumerate();
        let words = summaries.flat_map(|(part, &bits)| bits_of(bits).map(move |bit| part * 64 + bit));
        let kept = self.kept_before.get(row * parts).map_or(0, |&kept| kept as usize);
        let columns = words
            .enumerate()
            .flat_map(move |(index, word)| bits_of(self.words[kept + index]).map(move |bit| word * 64 + bit));
        columns.zip(&self.bytes[first..end])
    }

    /// Every pair, by row and column.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &[u8; B])> {
        (0..self.size).flat_map(|row| self.row(row).map(move |(column, bytes)| (row, column, bytes)))
    }

    /// Bytes all of it takes.
    pub fn bytes(&self) -> usize {
        self.summary.len() * 12 + self.words.len() * 10 + self.first.len() * 4 + self.bytes.len() * B
    }

    /// The parts a file keeps; all else follows from them.
    pub fn columns(&self) -> (&[u64], &[u64], &[[u8; B]]) {
        (&self.summary, &self.words, &self.bytes)
    }

    /// From what [`Pairs::columns`] gives; none if it does not fit together.
    pub fn from_columns(size: usize, summary: Vec<u64>, words: Vec<u64>, bytes: Vec<[u8; B]>) -> Option<Pairs<B>> {
        let parts = size.div_ceil(PER_PART);
        let mut all = Pairs { size, summary, words, bytes, ..Pairs::default() };
        let kept: usize = all.summary.iter().map(|bits| bits.count_ones() as usize).sum();
        let pairs: usize = all.words.iter().map(|bits| bits.count_ones() as usize).sum();
        if all.summary.len() != size * parts || kept != all.words.len() || pairs != all.bytes.len() {
            return None;
        }
        all.count_kept();
        let mut words = all.words.iter();
        let mut before = 0_u32;
        for row in 0..size {
            all.first.push(before);
            let first = before;
            for part in 0..parts {
                for bit in bits_of(all.summary[row * parts + part]) {
                    let word = *words.next()?;
                    let columns_left = size - (part * 64 + bit).checked_mul(64).filter(|first| *first < size)?;
                    let is_clean = word != 0 && (columns_left >= 64 || word >> columns_left == 0);
                    if !is_clean {
                        return None;
                    }
                    all.before_in_row.push((before - first) as u16);
                    before += word.count_ones();
                }
            }
        }
        all.first.push(before);
        Some(all)
    }
}

/// Numbers of the bits that are set.
fn bits_of(word: u64) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
    rest.take_while(|&rest| rest != 0).map(|rest| rest.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_holds_what_was_put_in_and_nothing_else(
            size in 1_usize..300,
            pairs in proptest::collection::btree_map((0_usize..300, 0_usize..300), any::<[u8; 3]>(), 0..400),
        ) {
            let pairs: BTreeMap<_, _> =
                pairs.into_iter().map(|((row, column), bytes)| ((row % size, column % size), bytes)).collect();
            let table = Pairs::of(size, pairs.iter().map(|(&(row, column), &bytes)| (row, column, bytes)));
            prop_assert_eq!(table.len(), pairs.len());
            for row in 0..size {
                for column in 0..size {
                    prop_assert_eq!(table.find(row, column), pairs.get(&(row, column)));
                    prop_assert_eq!(table.contains(row, column), pairs.contains_key(&(row, column)));
                }
            }
            let back: Vec<_> = table.iter().map(|(row, column, bytes)| ((row, column), *bytes)).collect();
            prop_assert_eq!(back, pairs.into_iter().collect::<Vec<_>>());
            let (summary, words, bytes) = table.columns();
            let again = Pairs::from_columns(size, summary.to_vec(), words.to_vec(), bytes.to_vec());
            prop_assert_eq!(again, Some(table));
        }
    }

    #[test]
    fn rows_of_more_than_one_summary_word() {
        let columns = [0, 63, 64, 4095, 4096, 5000, 8191];
        let table = Pairs::of(8192, columns.map(|column| (8191, column, [column as u8; 1])));
        assert!(columns.iter().all(|&column| table.find(8191, column) == Some(&[column as u8])));
        assert_eq!(table.row(8191).map(|(column, _)| column).collect::<Vec<_>>(), columns);
        assert!(!table.contains(8191, 4097) && !table.contains(0, 0));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let whole = || (vec![1_u64, 0], vec![0b11_u64], vec![[7_u8], [8]]);
        let (summary, words, bytes) = whole();
        assert!(Pairs::from_columns(2, summary, words, bytes).is_some());
        type Break = fn(&mut Vec<u64>, &mut Vec<u64>, &mut Vec<[u8; 1]>);
        let broken: [Break; 4] = [
            |summary, _, _| summary[1] = 1,
            |_, words, _| words[0] = 0b101,
            |_, _, bytes| bytes.truncate(1),
            |summary, _, _| summary[0] = 2,
        ];
        for break_it in broken {
            let (mut summary, mut words, mut bytes) = whole();
            break_it(&mut summary, &mut words, &mut bytes);
            assert_eq!(Pairs::from_columns(2, summary, words, bytes), None);
        }
    }
}
