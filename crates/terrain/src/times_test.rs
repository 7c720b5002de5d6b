use proptest::prelude::*;

use super::*;
use crate::samples;

/// Travel times as anybody would compute them who has time: relax every link until nothing changes.
fn relaxed(links: &Links, start: usize) -> Vec<Option<u32>> {
    let mut ms = vec![None; links.waypoints()];
    ms[start] = Some(0_u32);
    for _ in 0..links.waypoints() {
        for (from, link) in links.iter() {
            if let Some(through) = ms[from.index()].map(|ms| ms + u32::from(link.time_ms)) {
                let known = &mut ms[link.to.index()];
                *known = Some(known.map_or(through, |known| known.min(through)));
            }
        }
    }
    ms
}

#[test]
fn a_step_is_the_largest_that_is_not_above_the_time() {
    let steps: Vec<u32> = (0..=254).map(TravelTimes::at_least_ms).collect();
    assert!(steps.is_sorted_by(|a, b| a < b));
    for ms in (0..400_000).step_by(7) {
        let expected = steps.partition_point(|&at_least| at_least <= ms) - 1;
        assert_eq!(usize::from(TravelTimes::step_of(ms)), expected, "{ms} ms");
    }
    assert_eq!(TravelTimes::step_of(u32::MAX), 254);
}

#[test]
fn a_time_is_off_by_half_a_frame_or_two_percent() {
    for ms in (0..250_000).step_by(13) {
        let table = TravelTimes { waypoints: 2, steps: vec![0, TravelTimes::step_of(ms), 0, 0] };
        let about = table.about_ms(WaypointId(0), WaypointId(1)).unwrap();
        let allowed = (ms / 50).max(TravelTimes::UNIT_MS / 2);
        assert!(about.abs_diff(ms) <= allowed, "{ms} ms comes back as {about}");
    }
}

proptest! {
    #[test]
    fn times_are_those_of_relaxing_every_link(links in samples::any_links(20)) {
        let times = TravelTimes::of(&links);
        for from in 0..links.waypoints() {
            let expected: Vec<u8> =
                relaxed(&links, from).into_iter().map(|ms| ms.map_or(TravelTimes::NEVER, TravelTimes::step_of)).collect();
            prop_assert_eq!(times.row(WaypointId::from(from)), &expected[..]);
        }
    }

    #[test]
    fn landmarks_never_promise_too_much(links in samples::any_links(20), count in 0_usize..6) {
        let landmarks = Landmarks::choose(&links, &Islands::of(&links), count);
        for from in 0..links.waypoints() {
            for (to, ms) in relaxed(&links, from).into_iter().enumerate() {
                let bound = landmarks.at_least_ms(WaypointId::from(from), WaypointId::from(to));
                prop_assert!(bound <= ms.unwrap_or(Landmarks::NEVER), "{from} to {to}: {bound} of {ms:?}");
            }
        }
    }
}

#[test]
fn landmarks_stand_apart() {
    // A corridor: the ends first, then the middle.
    let each = (1..9).flat_map(|to| [samples::walk(to - 1, to, 100), samples::walk(to, to - 1, 100)]).collect();
    let links = Links::gather(9, each);
    let landmarks = Landmarks::choose(&links, &Islands::of(&links), 3);
    assert_eq!(landmarks.waypoints(), [WaypointId(8), WaypointId(0), WaypointId(4)]);
    assert_eq!(landmarks.at_least_ms(WaypointId(2), WaypointId(7)), 500);
}
