use std::sync::LazyLock;

use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_terrain::overlay::Edit;
use fireteam_terrain::{LinkFlags, NearBy, WaypointId};
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Vec3};

use super::*;

struct Ground {
    map: Map,
    solids: Solids,
    game: Game,
    baked: Terrain,
}

static GROUND: LazyLock<Ground> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maps/two_rooms_one_door.map");
    let map = maps::load(path.to_str().unwrap()).unwrap();
    let game = Game::named("skirmish").unwrap();
    let baked = bake(&map, &game, &BakeSettings::default().without_throws(), &OneThread, &Unwatched).unwrap();
    Ground { solids: Solids::build(&map), map, game, baked }
});

fn site() -> Site<'static> {
    let Ground { map, solids, game, baked } = &*GROUND;
    Site { map, solids, game, baked }
}

fn spoken(json: &str) -> Result<Draft> {
    let edits: Vec<Spoken> = serde_json::from_str(json).unwrap();
    Draft::spoken(&site(), &edits)
}

fn checked(draft: &Draft) -> Vec<Fault> {
    faults::faults(&site(), &draft.terrain(site().baked).unwrap(), Links::ByHand)
}

/// A waypoint that one walks to from another, and the other.
fn walked() -> (WaypointId, WaypointId) {
    let links = &site().baked.links;
    let is_pair = |(from, link): &(WaypointId, &fireteam_terrain::Link)| {
        let mut back = links.from(link.to).iter();
        link.kind == Travel::Walk && back.any(|other| other.to == *from && other.kind == Travel::Walk)
    };
    links.iter().find(is_pair).map(|(from, link)| (from, link.to)).expect("people walk there")
}

#[test]
fn a_waypoint_between_two_others_is_linked_and_walked() {
    let (a, b) = walked();
    let [from, to] = [a, b].map(|id| site().baked.waypoints.origin[id.index()]);
    let [x, y, z] = ((from + to) * 0.5).to_array();
    let count = site().baked.waypoints.len();
    let draft = spoken(&format!(
        r#"[{{"do":"add","place":[{x},{y},{z}]}}, {{"do":"link","from":{},"to":{count},"kind":"walk"}},
            {{"do":"link","from":"@hand1","to":{},"kind":"walk"}}]"#,
        a.0, b.0
    ));
    let draft = draft.unwrap();
    assert_eq!(checked(&draft), [], "{}", draft.overlay);
    let terrain = draft.terrain(site().baked).unwrap();
    let new = WaypointId::from(count);
    let near = terrain.nearest(Vec3::new(x, y, z)).unwrap();
    assert_eq!((near.waypoint, near.by), (new, NearBy::Ground));
    let link = terrain.links.from(a).iter().find(|link| link.to == new).unwrap();
    let straight = from.distance(to) * 0.5 / 320.0 * 1000.0;
    assert!(f32::from(link.time_ms) > straight * 0.4 && link.flags.meets(LinkFlags::BY_HAND), "{link:?}, {straight}");
    // No number of a waypoint stands in it: another bake may count otherwise.
    assert!(draft.overlay.fitted_to.is_none() && !draft.overlay.to_string().contains(&format!("link {} ", a.0)));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let (a, b) = walked();
    let [x, y, z] = site().baked.waypoints.origin[a.index()].to_array();
    let moved = |z: f32| spoken(&format!(r#"[{{"do":"move","waypoint":{},"place":[{x},{y},{z}]}}]"#, a.0)).unwrap();
    let faults = checked(&moved(z + 80.0));
    assert!(faults.iter().any(|fault| fault.text.contains("hangs in the air")), "{faults:?}");
    let faults = checked(&moved(z - 20.0));
    assert_eq!(faults[0].place, Some([x, y, z - 20.0]), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.severity == Severity::Error && fault.text.contains("something solid")));
    let far = moved(z + 80.0);
    assert!(checked(&far).iter().any(|fault| fault.text.contains("nobody gets there as walk")), "{far:?}");
    // Whatever leads to a spawn goes: then it is out of reach.
    let spawn = site()
        .baked
        .waypoints
        .ids()
        .find(|id| site().baked.waypoints.flags[id.index()].meets(fireteam_terrain::WaypointFlags::SPAWN));
    let spawn = spawn.expect("somebody appears");
    let faults = checked(&spoken(&format!(r#"[{{"do":"remove","waypoint":{}}}]"#, spawn.0)).unwrap());
    let is_lost = |fault: &Fault| fault.waypoint == Some(spawn.0) && fault.text.contains("a spawn is here");
    assert!(faults.iter().any(|fault| is_lost(fault) && fault.severity == Severity::Error), "{faults:?}");
    assert_eq!(checked(&spoken(&format!(r#"[{{"do":"flag","waypoint":{},"flag":"no-grenade"}}]"#, b.0)).unwrap()), []);
}

#[test]
fn edits_come_back_as_they_were_spoken_and_written() {
    let (a, b) = walked();
    let [x, y, z] = site().baked.waypoints.origin[a.index()].to_array();
    let draft = spoken(&format!(
        r#"[{{"do":"move","waypoint":{a},"place":[{},{y},{z}]}}, {{"do":"flag","waypoint":{a},"flag":"no-grenade"}},
            {{"do":"unlink","from":{a},"to":{b}}}]"#,
        x + 70.0,
        a = a.0,
        b = b.0
    ))
    .unwrap();
    // It is spoken of by where it is by then: 70 units on, where it could be taken for another.
    assert!(
        matches!(&draft.overlay.edits[1].edit, Edit::Flag { waypoint, .. } if draft.find(waypoint).unwrap() == a.index())
    );
    let read = Overlay::parse("edits", &draft.overlay.to_string()).unwrap();
    let back = Draft::speak(site().baked, &read);
    assert_eq!(back[1].act, Act::Flag { waypoint: Named::Number(a.0), flag: "no-grenade".to_owned() });
    let wire = serde_json::to_string(&back).unwrap();
    let again = spoken(&wire).unwrap();
    assert_eq!(again.overlay.to_string(), draft.overlay.to_string());
    let mut undone = again;
    assert!(matches!(undone.undo(site().baked).map(|lined| lined.edit), Some(Edit::Unlink { .. })));
    assert_eq!(undone.overlay.edits.len(), 2);
}

#[test]
fn what_cannot_be_edited_is_refused_with_a_reason() {
    let merged = |json: &str| spoken(json)?.terrain(site().baked);
    let told = |json: &str| format!("{:#}", merged(json).map(|_| ()).unwrap_err());
    let count = site().baked.waypoints.len();
    assert!(told(r#"[{"do":"remove","waypoint":60000}]"#).contains("there is no waypoint 60000"));
    assert!(told(r#"[{"do":"flag","waypoint":0,"flag":"shiny"}]"#).contains("no waypoint is flagged shiny"));
    assert!(told(r#"[{"do":"link","from":0,"to":1,"kind":"fly"}]"#).contains("no way of going called fly"));
    assert!(told(r#"[{"do":"link","from":0,"to":0,"kind":"walk"}]"#).contains("to itself"));
    assert!(told(r#"[{"do":"add","place":[1e9,0,0]}]"#).contains("no place on any map"));
    assert!(told(&format!(r#"[{{"do":"unlink","from":0,"to":{}}}]"#, count - 1)).contains("no such link"));
    assert!(serde_json::from_str::<Vec<Spoken>>(r#"[{"do":"dig","waypoint":0}]"#).is_err());
}
