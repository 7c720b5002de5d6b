//! Recorded traces asked again of `fireteam_world`.
//!
//! Brushes and curves are counted apart, because the engine's own curves are less exact. A trace belongs to the curves if
//! our answer is that it met one; where we miss a curve that the engine met, that counts against the brushes.

use fireteam_world::trace::Struck;
use fireteam_world::{Crowd, Scene, Solids, Sweep, Trace};

use crate::capture::rows::TraceAnswer;
use crate::capture::traces::TraceScene;

/// How near the end of a trace must come to the engine's, in units.
pub const BRUSH_REACH: f32 = 1.0 / 32.0;
pub const PATCH_REACH: f32 = 1.0 / 8.0;

/// How a number of traces compare with their record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    pub traces: usize,
    /// One met something and the other did not.
    pub hit_differs: usize,
    /// Ended farther apart than the reach.
    pub end_differs: usize,
    /// The largest distance between two ends.
    pub worst: f32,
}

impl Agreement {
    fn count(&mut self, ours: &Trace, theirs: &TraceAnswer, reach: f32) {
        let distance = ours.end.distance(theirs.end);
        self.traces += 1;
        self.hit_differs += usize::from(ours.is_hit() != (theirs.fraction < 1.0 || theirs.start_solid));
        // Written so that an end that is no number differs.
        self.end_differs += usize::from(!matches!(distance.partial_cmp(&reach), Some(o) if o.is_le()));
        self.worst = self.worst.max(distance);
    }

    pub fn add(&mut self, other: &Agreement) {
        self.traces += other.traces;
        self.hit_differs += other.hit_differs;
        self.end_differs += other.end_differs;
        self.worst = self.worst.max(other.worst);
    }
}

/// What a scene's traces come to: brushes, then curves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceAgreement {
    pub brushes: Agreement,
    pub curves: Agreement,
}

/// Asks every trace of a scene again.
pub fn compare(solids: &Solids, record: &TraceScene) -> TraceAgreement {
    let crowd = Crowd::of(solids, &record.placed, &[]);
    let scene = Scene { solids, crowd: &crowd };
    let mut agreement = TraceAgreement::default();
    for (sweep, theirs) in &record.traces {
        agreement.count(&scene, sweep, theirs);
    }
    agreement
}

/// The traces of a scene that do not end where the engine's did, with our answer.
pub fn misses<'a>(
    solids: &'a Solids,
    record: &'a TraceScene,
) -> impl Iterator<Item = (&'a Sweep, &'a TraceAnswer, Trace)> {
    let crowd = Crowd::of(solids, &record.placed, &[]);
    record.traces.iter().filter_map(move |(sweep, theirs)| {
        let scene = Scene { solids, crowd: &crowd };
        let mut agreement = TraceAgreement::default();
        agreement.count(&scene, sweep, theirs);
        let missed = |one: &Agreement| one.hit_differs + one.end_differs > 0;
        let is_miss = missed(&agreement.brushes) || missed(&agreement.curves);
        is_miss.then(|| (sweep, theirs, scene.sweep(sweep, None)))
    })
}

impl TraceAgreement {
    fn count(&mut self, scene: &Scene<'_>, sweep: &Sweep, theirs: &TraceAnswer) {
        let ours = scene.sweep(sweep, None);
        match ours.struck {
            Struck::Patch(_) => self.curves.count(&ours, theirs, PATCH_REACH),
            Struck::Nothing | Struck::Brush(_) | Struck::Body => self.brushes.count(&ours, theirs, BRUSH_REACH),
        }
    }

    pub fn add(&mut self, other: &TraceAgreement) {
        self.brushes.add(&other.brushes);
        self.curves.add(&other.curves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_world::Vec3;

    #[test]
    fn ends_apart_and_ends_that_are_no_number_differ() {
        let free = Trace::free(Vec3::X);
        let answer = |end| TraceAnswer { fraction: 1.0, end, ..TraceAnswer::default() };
        let mut agreement = Agreement::default();
        agreement.count(&free, &answer(Vec3::X), BRUSH_REACH);
        assert_eq!((agreement.traces, agreement.hit_differs, agreement.end_differs), (1, 0, 0));
        agreement.count(&free, &answer(Vec3::ZERO), BRUSH_REACH);
        agreement.count(&free, &answer(Vec3::NAN), BRUSH_REACH);
        assert_eq!((agreement.traces, agreement.hit_differs, agreement.end_differs), (3, 0, 2));
    }

    #[test]
    fn a_hit_against_a_miss_differs() {
        let mut agreement = Agreement::default();
        let stopped = TraceAnswer { fraction: 0.5, end: Vec3::X, ..TraceAnswer::default() };
        agreement.count(&Trace::free(Vec3::X), &stopped, BRUSH_REACH);
        assert_eq!((agreement.hit_differs, agreement.end_differs), (1, 0));
    }
}
