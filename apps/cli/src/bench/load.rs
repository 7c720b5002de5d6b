//! How long a map takes from its archive to its solids: unpacked, read, checked, laid out.

use anyhow::Result;
use fireteam_openarena::clock::timed;
use fireteam_world::Solids;

use super::Course;
use super::report::{Must, Row, median};

const SECONDS_MUST: Must = Must::AtMost(0.5);
/// As often as this each map is loaded; once is too few on a machine that does other things too.
const LOADS: usize = 3;

pub(crate) fn load(course: &Course) -> Result<Vec<Row>> {
    let maps = course.maps_or(&course.install.maps()?);
    let mut rows = vec![Row::new("maps".to_owned(), maps.len() as f64, "", Must::AtLeast(72.0), String::new())];
    for name in &maps {
        let mut times = Vec::new();
        let mut bytes = 0;
        for _ in 0..LOADS {
            let (solids, time) = timed(|| Ok::<_, anyhow::Error>(Solids::build(&course.map(name)?)));
            bytes = solids?.bytes();
            times.push(time.as_secs_f64());
        }
        rows.push(Row::new(format!("{name}: load"), median(times), "s", SECONDS_MUST, format!("{bytes} bytes")));
    }
    Ok(rows)
}
