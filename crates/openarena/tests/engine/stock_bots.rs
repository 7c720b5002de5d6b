//! What the game's own bots claim and do, as it is kept: the ways they know, the places they went.

use std::path::{Path, PathBuf};

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::navigation::{NavigationLine, Reach, StockNavigation};
use fireteam_openarena::capture::visits::{VisitLine, Visits};
use fireteam_world::map::Files;
use fireteam_world::{Contents, Hull, Solids, Sweep, Vec3};

fn capture(subject: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/captures/openarena/{subject}.txt.gz"))
}

fn kept_ways() -> Vec<StockNavigation> {
    let kept = Kept::<NavigationLine>::load(&capture("navigation")).unwrap_or_else(|error| panic!("{error}"));
    StockNavigation::from_lines(&kept.lines).expect("a spawn follows its map, with a time for every item")
}

/// Counted by another program that asked the same server (game type 3, the usual travel flags).
#[test]
fn stock_bots_reach_what_was_counted_before() {
    let maps = kept_ways();
    let reach = |name: &str| maps.iter().find(|map| map.map == name).expect("kept").items_reached();
    assert_eq!(reach("oa_dm1"), Reach { pairs: 248, usual: 248, rocket: 248 });
    assert_eq!(reach("oa_dm2"), Reach { pairs: 352, usual: 181, rocket: 247 });
    assert_eq!(reach("kaos2"), Reach { pairs: 720, usual: 708, rocket: 708 });
    assert_eq!(reach("oa_dm6"), Reach { pairs: 280, usual: 280, rocket: 280 });
}

#[test]
fn nobody_was_ever_inside_a_wall() {
    // Visits are rounded to whole units, so the box is a unit smaller, and as low as a crouched player's.
    const BOX: Hull = Hull::new(Vec3::new(-14.0, -14.0, -23.0), Vec3::new(14.0, 14.0, 15.0));
    let kept = Kept::<VisitLine>::load(&capture("visits")).unwrap_or_else(|error| panic!("{error}"));
    let matches = Visits::from_lines(&kept.lines).expect("a visit follows its map");
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap_or_else(|error| panic!("{error}"));
    assert!(matches.len() >= 12, "only {} matches were watched", matches.len());
    for Visits { map, visits } in matches {
        let solids = Solids::build(&files.map(&map).unwrap_or_else(|error| panic!("{error}")));
        assert!(visits.len() > 500, "{map}: only {} visits", visits.len());
        assert!(visits.iter().any(|visit| visit.is_walker), "{map}: the walker was never seen");
        for visit in &visits {
            let sweep = Sweep::hull(visit.origin(), visit.origin(), BOX, Contents::MASK_PLAYER);
            assert!(!solids.sweep(&sweep).start_solid, "{map}: {visit:?} is inside something");
        }
    }
}
