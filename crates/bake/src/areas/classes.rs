//! What would a player call it? A few rules on what was measured, the plainest first.
//!
//! Outdoors is what lies under the sky: roofs have edges or rooms beneath them, alleys are narrow, streets are long, the
//! rest is open. Indoors, corridors are narrow and lead somewhere, tunnels are low corridors beneath other ground, halls
//! hold much air, the rest are rooms. Where the numbers come from: the labels in `testdata/areas`, made before the rules;
//! `docs/areas.md` has the table of agreement.

use fireteam_terrain::AreaClass;

use super::Measure;

/// More than half of the floor decides.
const MOST: f32 = 0.5;
/// A floor of which this share has another floor beneath it is a roof, parapet or not.
const ROOF_ABOVE: f32 = 0.6;
/// Where half of the rim is an edge, less is enough: the roof of a shed stands on a street.
const ROOF_ABOVE_EDGED: f32 = 0.3;
/// More ground than this under the sky, in square units, is open whatever its shape: 550 units by 550.
const OPEN_FLOOR: f32 = 300_000.0;
/// An alley is at most as wide as two and a half men with their arms out.
const ALLEY_WIDTH: f32 = 180.0;
/// A street is at least this often as long as wide.
const STREET_ASPECT: f32 = 2.0;
/// Wider than this nothing is a corridor.
const CORRIDOR_WIDTH: f32 = 272.0;
/// A corridor is at least this often as long as wide, taken as a box; winding corridors fill little of their box.
const CORRIDOR_ASPECT: f32 = 1.6;
const CORRIDOR_FILL: f32 = 0.68;
const CORRIDOR_WINDING: f32 = 2.4;
/// A tunnel's ceiling is lower than this: an arm's length above the head.
const TUNNEL_CEILING: f32 = 120.0;
const TUNNEL_BENEATH: f32 = 0.8;
const TUNNEL_WINDING: f32 = 2.5;
/// A hall holds at least this much air, in cubic units: 420 by 420 by 200.
const HALL_AIR: f32 = 35_000_000.0;

pub(super) fn classify(area: &Measure) -> AreaClass {
    if area.stairs >= MOST {
        AreaClass::Stairs
    } else if area.sky >= MOST {
        outdoors(area)
    } else {
        indoors(area)
    }
}

fn outdoors(area: &Measure) -> AreaClass {
    let is_edged = area.edge >= MOST && area.above >= ROOF_ABOVE_EDGED;
    if area.above >= ROOF_ABOVE || is_edged {
        AreaClass::Rooftop
    } else if area.floor >= OPEN_FLOOR {
        AreaClass::Open
    } else if area.width <= ALLEY_WIDTH {
        AreaClass::Alley
    } else if area.length >= STREET_ASPECT * area.width {
        AreaClass::Street
    } else {
        AreaClass::Open
    }
}

fn indoors(area: &Measure) -> AreaClass {
    let is_winding = |least: f32| area.length >= least * area.width;
    let sides = area.maxs.truncate() - area.mins.truncate();
    let (short, long) = (sides.min_element(), sides.max_element());
    let fill = area.floor / (short * long);
    let is_straight = short <= CORRIDOR_WIDTH && long >= CORRIDOR_ASPECT * short;
    let is_bent = fill <= CORRIDOR_FILL && is_winding(CORRIDOR_WINDING);
    if area.width <= CORRIDOR_WIDTH && (is_straight || is_bent) {
        let is_low = area.ceiling <= TUNNEL_CEILING && area.beneath >= TUNNEL_BENEATH;
        if is_low && is_winding(TUNNEL_WINDING) { AreaClass::Tunnel } else { AreaClass::Corridor }
    } else if area.floor * area.ceiling >= HALL_AIR {
        AreaClass::Hall
    } else {
        AreaClass::Room
    }
}

#[cfg(test)]
mod tests {
    use fireteam_world::Vec3;

    use super::*;

    /// A plain box of floor under a ceiling, as wide as its shorter side.
    fn roofed(long: f32, short: f32, ceiling: f32) -> Measure {
        Measure {
            floor: long * short,
            width: short,
            length: long,
            ceiling,
            maxs: Vec3::new(long, short, ceiling),
            ..Measure::default()
        }
    }

    #[test]
    fn roofed_ground_goes_by_its_shape_and_its_air() {
        assert_eq!(classify(&roofed(256.0, 256.0, 160.0)), AreaClass::Room);
        assert_eq!(classify(&roofed(768.0, 512.0, 160.0)), AreaClass::Hall);
        assert_eq!(classify(&roofed(512.0, 128.0, 160.0)), AreaClass::Corridor);
        let beneath = Measure { beneath: 1.0, ..roofed(512.0, 128.0, 96.0) };
        assert_eq!(classify(&beneath), AreaClass::Tunnel);
    }

    #[test]
    fn ground_under_the_sky_goes_by_its_width_and_what_is_beneath() {
        let outside = |long, short| Measure { sky: 1.0, ..roofed(long, short, 0.0) };
        assert_eq!(classify(&outside(800.0, 128.0)), AreaClass::Alley);
        assert_eq!(classify(&outside(800.0, 256.0)), AreaClass::Street);
        assert_eq!(classify(&outside(300.0, 256.0)), AreaClass::Open);
        assert_eq!(classify(&outside(1600.0, 512.0)), AreaClass::Open);
        assert_eq!(classify(&Measure { above: 0.9, ..outside(300.0, 256.0) }), AreaClass::Rooftop);
        let shed = Measure { above: 0.4, edge: 1.0, ..outside(128.0, 128.0) };
        assert_eq!(classify(&shed), AreaClass::Rooftop);
    }

    #[test]
    fn stairs_are_stairs_with_or_without_a_roof() {
        for sky in [0.0, 1.0] {
            assert_eq!(classify(&Measure { stairs: 0.7, sky, ..roofed(256.0, 128.0, 200.0) }), AreaClass::Stairs);
        }
    }
}
