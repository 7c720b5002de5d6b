use super::*;
use crate::map::brush::FACES_MAX;
use crate::units::BrushId;

/// A cube from 0 to 64 as TrenchBroom writes it, in the Valve 220 dialect.
const CUBE_VALVE: &str = "{
( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) wall/stone [ 0 -1 0 0 ] [ 0 0 -1 0 ] 0 1 1
( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) wall/stone [ 1 0 0 0 ] [ 0 0 -1 0 ] 0 1 1
( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) wall/stone [ -1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1
( 64 64 64 ) ( 64 65 64 ) ( 65 64 64 ) wall/stone [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1
( 64 64 64 ) ( 65 64 64 ) ( 64 64 65 ) wall/stone [ -1 0 0 0 ] [ 0 0 -1 0 ] 0 1 1
( 64 64 64 ) ( 64 64 65 ) ( 64 65 64 ) wall/stone [ 0 1 0 0 ] [ 0 0 -1 0 ] 0 1 1
}";

fn classic(cube: &str) -> String {
    let mut lines = Vec::new();
    for line in cube.lines() {
        match line.split_once(" [") {
            Some((face, _)) => lines.push(format!("{face} 0 0 0 1 1 0 0 0")),
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

fn world(brushes: &str) -> String {
    format!("// Format: Valve\n{{\n\"classname\" \"worldspawn\"\n{brushes}\n}}\n")
}

fn error_of(text: &str) -> String {
    Map::from_source("some/folder/bad.map", text).unwrap_err().to_string()
}

#[test]
fn both_dialects_give_the_same_brush() {
    let valve = Map::from_source("a.map", &world(CUBE_VALVE)).unwrap();
    let old = Map::from_source("a.map", &world(&classic(CUBE_VALVE))).unwrap();
    assert_eq!((&valve.planes, &valve.sides, &valve.brushes), (&old.planes, &old.sides, &old.brushes));
    assert_eq!(valve.models[0].maxs, glam::Vec3::splat(64.0));
    assert_eq!(valve.name, "a");
    assert_ne!(valve.digest, old.digest, "the digest is of the text");
}

#[test]
fn groups_and_details_are_the_map_and_doors_are_not() {
    let text = format!(
        "{}{{\n\"classname\" \"func_group\"\n{CUBE_VALVE}\n}}\n{{\n\"classname\" \"func_detail\"\n{CUBE_VALVE}\n}}\n\
         {{\n\"classname\" \"func_door\"\n\"model\" \"*77\"\n{CUBE_VALVE}\n}}\n",
        world(CUBE_VALVE)
    );
    let map = Map::from_source("a.map", &text).unwrap();
    assert_eq!(map.models.len(), 2);
    assert_eq!(map.models[0].brushes, [BrushId(0), BrushId(1), BrushId(2)]);
    assert_eq!(map.models[1].brushes, [BrushId(3)]);
    let classes: Vec<&str> = map.entities.iter().map(Entity::class).collect();
    assert_eq!(classes, ["worldspawn", "func_door"]);
    assert_eq!(map.entities[1].get("model"), Some("*1"), "the model is the one just made");
    let contents = |brush: usize| map.shaders[map.brushes[brush].shader as usize].contents;
    assert!(contents(0).meets(Contents::STRUCTURAL) && contents(2).meets(Contents::DETAIL));
}

#[test]
fn an_origin_brush_becomes_the_origin() {
    let origin = CUBE_VALVE.replace("wall/stone", "common/origin").replace("64", "16");
    let text = format!("{}{{\n\"classname\" \"func_rotating\"\n{CUBE_VALVE}\n{origin}\n}}", world(CUBE_VALVE));
    let map = Map::from_source("a.map", &text).unwrap();
    assert_eq!(map.entities[1].origin(), glam::Vec3::splat(8.0));
    assert_eq!((map.models[1].mins.x, map.models[1].maxs.x), (-8.0, 56.0));
    assert_eq!(map.models[1].brushes.len(), 1);
}

#[test]
fn one_face_of_water_makes_the_brush_water() {
    let pool = CUBE_VALVE.replace("wall/stone", "common/nodraw").replacen("common/nodraw", "liquid/water1", 1);
    let map = Map::from_source("a.map", &world(&pool)).unwrap();
    let shader = &map.shaders[map.brushes[0].shader as usize];
    assert_eq!(shader.name, "liquid/water1");
    assert!(shader.contents.meets(Contents::WATER) && !shader.contents.meets(Contents::SOLID));
}

#[test]
fn hints_are_left_out() {
    let hint = CUBE_VALVE.replace("wall/stone", "common/skip").replacen("common/skip", "common/hint", 1);
    let map = Map::from_source("a.map", &world(&format!("{CUBE_VALVE}\n{hint}"))).unwrap();
    assert_eq!(map.brushes.len(), 1);
}

#[test]
fn errors_name_the_file_the_line_and_the_brush() {
    let cases = [
        ("", "some/folder/bad.map:1: the file holds no entity at all: is it a .map file?"),
        ("{\n\"classname\" \"light\"\n}", "some/folder/bad.map:1: the first entity must be worldspawn, not light"),
        ("IBSP\u{2e}", "some/folder/bad.map:1: expected an entity's {, found `IBSP.`"),
        ("{\n\"classname\" worldspawn }", "some/folder/bad.map:2: expected a value in quotes, found `worldspawn`"),
        ("{\n\"classname\" \"worldsp\n}", "some/folder/bad.map:2: a quote is opened and not closed on its line"),
        ("{\n\"classname\" \"worldspawn\"\n", "some/folder/bad.map:3: the file ends where the entity's } should be"),
    ];
    for (text, expected) in cases {
        assert_eq!(error_of(text), expected);
    }
}

#[test]
fn bad_brushes_are_named() {
    let swap = |from: &str, to: &str| error_of(&world(&CUBE_VALVE.replacen(from, to, 1)));
    let in_brush = "some/folder/bad.map:4: entity 0 (worldspawn), brush 0:";
    let open: String =
        CUBE_VALVE.lines().filter(|line| !line.contains("65 64 64 ) wall")).collect::<Vec<_>>().join("\n");
    assert_eq!(error_of(&world(&open)), format!("{in_brush} it is open towards +z: no plane closes that side"));
    let turned = CUBE_VALVE.replace("( 0 0 0 ) ( 0 1 0 )", "( 0 1 0 ) ( 0 0 0 )");
    assert_eq!(error_of(&world(&turned)), format!("{in_brush} it is open towards -x: no plane closes that side"));
    let apart = CUBE_VALVE.replace("( 64 64 64 ) ( 65 64 64 ) ( 64 64 65 )", "( 64 -8 64 ) ( 65 -8 64 ) ( 64 -8 65 )");
    assert_eq!(error_of(&world(&apart)), format!("{in_brush} it encloses nothing: its planes exclude each other"));
    assert_eq!(
        swap("( 0 1 0 ) ( 0 0 1 )", "( 0 1 0 ) ( 0 2 0 )"),
        "some/folder/bad.map:5: entity 0 (worldspawn), brush 0: the face's three points lie on one line"
    );
    assert_eq!(
        swap("( 64 64 65 )", "( 64 64 1e9 )"),
        "some/folder/bad.map:9: 1000000000 lies outside the world, which ends at 65536 units"
    );
    assert_eq!(swap("( 64 64 65 )", "( 64 nan 65 )"), "some/folder/bad.map:9: expected a number, found `nan`");
    assert_eq!(
        error_of(&world("{\npatchDef2\n{\n}\n}")),
        "some/folder/bad.map:5: patchDef2 is not read from .map files: compile the map and load the .bsp"
    );
}

#[test]
fn a_brush_of_endless_faces_is_refused() {
    let mut faces = String::from("{\n");
    for n in 0..2 * FACES_MAX {
        faces += &format!("( {n} 0 0 ) ( {n} 1 0 ) ( {n} 0 1 ) a 0 0 0 1 1\n");
    }
    faces += "}";
    assert!(
        error_of(&world(&faces)).ends_with("it has 257 planes; at most 256 are read"),
        "{}",
        error_of(&world(&faces))
    );
}

#[test]
fn no_cut_of_a_map_panics() {
    let text = include_str!("../../../../testdata/maps/button_door.map");
    for end in (0..text.len()).step_by(7) {
        let Err(error) = Map::from_source("cut.map", &text[..end]) else { continue };
        assert!(error.line as usize <= text[..end].lines().count() + 1, "{error}");
    }
}

/// The quake-map crate reads the same dialects; whatever it finds in our maps, we must find too.
#[test]
fn the_text_is_read_as_quake_map_reads_it() {
    for text in
        [include_str!("../../../../testdata/maps/water.map"), include_str!("../../../../testdata/maps/window_lob.map")]
    {
        let theirs = quake_map::parse(&mut text.as_bytes()).unwrap();
        let ours = text::read("a.map", text).unwrap();
        assert_eq!(theirs.entities.len(), ours.len());
        for (theirs, ours) in theirs.entities.iter().zip(&ours) {
            let pairs: Vec<(String, String)> =
                theirs.edict.iter().map(|(k, v)| (k.to_str().unwrap().into(), v.to_str().unwrap().into())).collect();
            assert_eq!(pairs, ours.pairs);
            let faces =
                |brush: &BrushText| brush.faces.iter().map(|f| f.points.map(|p| p.to_array())).collect::<Vec<_>>();
            let their_faces: Vec<Vec<_>> =
                theirs.brushes.iter().map(|brush| brush.iter().map(|face| face.half_space).collect()).collect();
            assert_eq!(their_faces, ours.brushes.iter().map(faces).collect::<Vec<_>>());
        }
    }
}
