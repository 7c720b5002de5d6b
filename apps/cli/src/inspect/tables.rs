//! What a table of throws holds, in numbers.

use fireteam_terrain::ThrowTable;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// What is thrown so; the first is what it was judged by.
    throwables: Vec<String>,
    throws: usize,
    /// Of them, those that hold only while a door is open, or shut.
    need_door: usize,
    /// Throws at a target, on average and at most.
    per_target: f32,
    per_target_max: usize,
    /// Waypoints from which a grenade that burns can be got rid of.
    disposals: usize,
    bytes: usize,
    bytes_per_throw: f32,
}

impl Table {
    pub(super) fn of(table: &ThrowTable) -> Table {
        let (throws, targets) = (table.len(), table.always.size());
        let of_target = |at: usize| table.always.row(at).count() + table.doors.row(at).count();
        Table {
            throwables: table.throwables.clone(),
            throws,
            need_door: table.doors.len(),
            per_target: throws as f32 / targets.max(1) as f32,
            per_target_max: (0..targets).map(of_target).max().unwrap_or(0),
            disposals: table.disposals.iter().flatten().count(),
            bytes: table.bytes(),
            bytes_per_throw: table.bytes() as f32 / throws.max(1) as f32,
        }
    }

    pub(super) fn told(&self) -> String {
        format!(
            "{} of {}, {} need a door; {:.1} a target, at most {}; {} disposals; {} bytes, {:.2} a throw",
            self.throws,
            self.throwables.join(", "),
            self.need_door,
            self.per_target,
            self.per_target_max,
            self.disposals,
            self.bytes,
            self.bytes_per_throw
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_terrain::throws::{Listed, Pairs, Stored};

    #[test]
    fn throws_are_counted_by_target_and_by_door() {
        let throw = Stored::default().to_bytes();
        let door = [0, 0, 0, 7, 0];
        let table = ThrowTable {
            throwables: vec!["frag".to_owned(), "smoke".to_owned()],
            disposals: vec![None, Some(Stored::default()), None],
            always: Pairs::of(3, [(0, 1, throw), (0, 2, throw), (2, 0, throw)]),
            doors: Listed::of(3, [(1, 0, door), (1, 2, door), (2, 1, door)]),
            ..ThrowTable::default()
        };
        let Table { throws, need_door, per_target, per_target_max, disposals, .. } = Table::of(&table);
        assert_eq!((throws, need_door, per_target_max, disposals), (6, 3, 2, 1));
        assert_eq!(per_target, 2.0);
    }
}
