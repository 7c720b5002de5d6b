use super::*;

const TWO_ROOMS: &str = include_str!("../../../../testdata/maps/two_rooms_one_door.map");
const STAIRS: &str = include_str!("../../../../testdata/maps/stairs.map");
const WATER: &str = include_str!("../../../../testdata/maps/water.map");

struct Drawn {
    pixmap: Pixmap,
    view: View,
}

impl Drawn {
    fn of(text: &str, cut: f32) -> Drawn {
        let map = Map::from_source("test.map", text).unwrap();
        let view = View::fitting(&map, cut, 200.0, 200.0);
        Drawn { pixmap: draw(&map, &Solids::build(&map), &view).unwrap(), view }
    }

    /// Red, green and blue at a place of the map.
    fn at(&self, x: f32, y: f32) -> [u8; 3] {
        let (px, py) = self.view.place(Vec3::new(x, y, 0.0));
        let pixel = self.pixmap.pixel(px as u32, py as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }
}

fn is_cut(colour: [u8; 3]) -> bool {
    colour.iter().all(|part| *part < 75)
}

#[test]
fn walls_are_dark_rooms_are_light_and_the_doorway_is_open() {
    let drawn = Drawn::of(TWO_ROOMS, 72.0);
    assert!(is_cut(drawn.at(0.0, -100.0)), "{:?}", drawn.at(0.0, -100.0));
    assert!(is_cut(drawn.at(-408.0, 0.0)));
    for (x, y) in [(-200.0, 0.0), (200.0, 0.0), (0.0, 64.0)] {
        assert!(!is_cut(drawn.at(x, y)), "{x} {y} {:?}", drawn.at(x, y));
    }
}

#[test]
fn the_room_with_the_lamp_is_the_brighter_one() {
    let drawn = Drawn::of(TWO_ROOMS, 72.0);
    let brightness = |x: f32| drawn.at(x, -60.0).iter().map(|part| u32::from(*part)).sum::<u32>();
    assert!(brightness(-240.0) > brightness(240.0) + 20, "{} {}", brightness(-240.0), brightness(240.0));
}

#[test]
fn north_is_up_and_east_is_right() {
    let view = Drawn::of(TWO_ROOMS, 72.0).view;
    let (west, north) = view.place(Vec3::new(view.mins.x, view.maxs.y, 0.0));
    assert_eq!((west, north), (0.0, 0.0));
    assert!(view.place(Vec3::ZERO).0 < view.place(Vec3::X).0 && view.place(Vec3::Y).1 < view.place(Vec3::ZERO).1);
}

#[test]
fn stairs_are_shown_past_the_cut() {
    let drawn = Drawn::of(STAIRS, 72.0);
    // The last step is 160 high, far above the cut, but it stands on the floor.
    assert!(!is_cut(drawn.at(110.0, 0.0)), "{:?}", drawn.at(110.0, 0.0));
}

#[test]
fn water_is_blue() {
    let [red, _, blue] = Drawn::of(WATER, 40.0).at(-140.0, 0.0);
    assert!(blue > red + 20, "{red} {blue}");
}

#[test]
fn a_view_without_size_is_refused() {
    let map = Map::from_source("test.map", TWO_ROOMS).unwrap();
    let view = View { pixels_per_unit: 1e9, ..View::fitting(&map, 72.0, 200.0, 200.0) };
    assert!(draw(&map, &Solids::build(&map), &view).is_none());
}
