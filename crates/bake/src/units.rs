//! Long steps are cut into numbered units of work. Here they are handed out, watched, stopped, and kept on disk.
//!
//! A unit is a pure function of the map, the physics, the settings and its number. So it does not matter which thread,
//! which process or which machine works it off, or whether it was read from the journal of a bake that was killed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::BakeError;
use crate::executor::Executor;
use crate::journal::{Journal, JournalError, Pages, Units};
use crate::progress::{Progress, Step};

/// What a unit of work results in, and its form in a journal.
pub(crate) trait Unit: Sized + Send + Sync {
    fn write(&self, bytes: &mut Vec<u8>);

    /// None if that is nothing [`Unit::write`] wrote.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// A part of the units: those whose number leaves `index` when divided by `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: usize,
    pub count: usize,
}

impl Shard {
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };
    /// No unit at all: everything has been worked off elsewhere.
    pub const NOTHING: Shard = Shard { index: 1, count: 1 };

    fn has(self, unit: usize) -> bool {
        unit % self.count == self.index
    }
}

/// Where and for whom a bake works.
#[derive(Clone, Copy)]
pub struct Workshop<'a> {
    pub executor: &'a dyn Executor,
    pub progress: &'a dyn Progress,
    /// Where finished units are kept; without one, a bake that is killed begins anew.
    pub journal: Option<&'a Journal>,
    /// Journals of other shards, read and never written.
    pub others: &'a [Journal],
    /// Which units are worked off here.
    pub shard: Shard,
}

impl std::fmt::Debug for Workshop<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Workshop { journal, others, shard, .. } = self;
        f.debug_struct("Workshop").field("journal", journal).field("others", others).field("shard", shard).finish()
    }
}

/// A step's units: how many there are, and what they are worked off from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    pub(crate) step: Step,
    pub(crate) count: usize,
    /// Names everything a unit's result depends on.
    pub(crate) inputs: [u8; 32],
}

impl<'a> Workshop<'a> {
    /// All of the work, kept nowhere.
    pub fn new(executor: &'a dyn Executor, progress: &'a dyn Progress) -> Workshop<'a> {
        Workshop { executor, progress, journal: None, others: &[], shard: Shard::WHOLE }
    }

    /// A step that is one piece of work.
    pub(crate) fn piece<T>(&self, step: Step, work: impl FnOnce() -> T) -> Result<T, BakeError> {
        self.stop_if_cancelled()?;
        self.progress.advance(step, 0, 1);
        let done = work();
        self.progress.advance(step, 1, 1);
        Ok(done)
    }

    /// The results of all units, in the order of their numbers; those of other shards must be there already.
    pub(crate) fn units<T: Unit>(&self, batch: &Batch, job: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, BakeError> {
        let results = self.work_off(batch, job)?;
        let missing = results.iter().filter(|result| result.is_none()).count();
        if missing > 0 {
            return Err(BakeError::Missing { step: batch.step, missing, total: batch.count });
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// Works off this shard's units. Results of other shards are there if a journal has them.
    pub(crate) fn work_off<T: Unit>(
        &self,
        batch: &Batch,
        job: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<Option<T>>, BakeError> {
        self.stop_if_cancelled()?;
        let mut kept: Vec<Option<T>> = (0..batch.count).map(|_| None).collect();
        for other in self.others {
            take_in(&mut kept, other.read(batch)?);
        }
        let pages = match self.journal {
            Some(journal) => {
                let (pages, units) = journal.open(batch)?;
                take_in(&mut kept, units);
                Some(pages)
            }
            None => None,
        };
        let to_do: Vec<usize> = (0..batch.count).filter(|&unit| kept[unit].is_none() && self.shard.has(unit)).collect();
        let done = self.run(batch, &to_do, pages.as_ref(), job)?;
        for (unit, result) in to_do.into_iter().zip(done) {
            kept[unit] = Some(result);
        }
        Ok(kept)
    }

    fn run<T: Unit>(
        &self,
        batch: &Batch,
        to_do: &[usize],
        pages: Option<&Pages>,
        job: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, BakeError> {
        let results: Vec<OnceLock<T>> = to_do.iter().map(|_| OnceLock::new()).collect();
        let fault: OnceLock<JournalError> = OnceLock::new();
        let is_over = AtomicBool::new(false);
        let done = AtomicUsize::new(0);
        self.progress.advance(batch.step, 0, to_do.len());
        self.executor.run(to_do.len(), &|number| {
            if is_over.load(Ordering::Relaxed) || self.progress.is_cancelled() {
                is_over.store(true, Ordering::Relaxed);
                return;
            }
            let result = job(to_do[number]);
            if let Some(Err(error)) = pages.map(|pages| pages.write(to_do[number], &result)) {
                // Of several faults the first is told; the others follow from it.
                fault.set(error).ok();
                is_over.store(true, Ordering::Relaxed);
            }
            let is_first = results[number].set(result).is_ok();
            assert!(is_first, "an executor ran job {number} twice");
            self.progress.advance(batch.step, done.fetch_add(1, Ordering::Relaxed) + 1, to_do.len());
        });
        if let Some(fault) = fault.into_inner() {
            return Err(BakeError::Journal(fault));
        }
        if is_over.into_inner() {
            return Err(BakeError::Cancelled);
        }
        let take = |result: OnceLock<T>| result.into_inner().expect("an executor runs every job");
        Ok(results.into_iter().map(take).collect())
    }

    fn stop_if_cancelled(&self) -> Result<(), BakeError> {
        if self.progress.is_cancelled() { Err(BakeError::Cancelled) } else { Ok(()) }
    }
}

/// What cannot be read is worked off anew.
fn take_in<T: Unit>(kept: &mut [Option<T>], units: Units) {
    for (unit, bytes) in units {
        kept[unit] = T::read(&bytes);
    }
}
