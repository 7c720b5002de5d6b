//! Spots as they are given on the command line: `x,y,z`, or a waypoint's number.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use fireteam_terrain::{Terrain, WaypointId};
use fireteam_world::Vec3;

/// A point given as `x,y,z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place(pub(crate) Vec3);

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let parts: Vec<f32> = text
            .split(',')
            .map(|part| part.trim().parse::<f32>().ok().filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or("expected three numbers, such as -64,128,24")?;
        match parts[..] {
            [x, y, z] => Ok(Place(Vec3::new(x, y, z))),
            _ => Err(format!("expected three numbers, such as -64,128,24, found {}", parts.len())),
        }
    }
}

/// Somewhere on a terrain: `w12`, `12`, or the waypoint that a player whose origin is `x,y,z` is at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spot {
    Waypoint(u16),
    Place(Vec3),
}

impl FromStr for Spot {
    type Err = String;

    fn from_str(text: &str) -> Result<Spot, String> {
        if text.contains(',') {
            return text.parse().map(|Place(place)| Spot::Place(place));
        }
        let number = text.strip_prefix('w').unwrap_or(text);
        let expected = || format!("`{text}` is neither a waypoint, such as w12, nor a place, such as -64,128,24");
        number.parse().map(Spot::Waypoint).map_err(|_| expected())
    }
}

impl Spot {
    pub(crate) fn on(self, terrain: &Terrain) -> Result<WaypointId> {
        let count = terrain.waypoints.len();
        match self {
            Spot::Waypoint(number) => {
                ensure!(
                    usize::from(number) < count,
                    "there is no waypoint w{number}: the terrain has {count}, from w0"
                );
                Ok(WaypointId(number))
            }
            Spot::Place(place) => Ok(terrain.nearest(place).context("the terrain has no waypoint")?.waypoint),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_three_finite_numbers() {
        assert_eq!("-64, 128,24.5".parse(), Ok(Place(Vec3::new(-64.0, 128.0, 24.5))));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,nan"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn spots_are_waypoints_or_places() {
        assert_eq!("w12".parse(), Ok(Spot::Waypoint(12)));
        assert_eq!("12".parse(), Ok(Spot::Waypoint(12)));
        assert_eq!("1,2,3".parse(), Ok(Spot::Place(Vec3::new(1.0, 2.0, 3.0))));
        for wrong in ["", "w", "w-1", "x12", "70000", "1,2"] {
            assert!(wrong.parse::<Spot>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_waypoint_that_is_not_there_is_refused() {
        let error = Spot::Waypoint(3).on(&Terrain::default()).unwrap_err();
        assert_eq!(error.to_string(), "there is no waypoint w3: the terrain has 0, from w0");
        assert!(Spot::Place(Vec3::ZERO).on(&Terrain::default()).is_err());
    }
}
