//! Throws of our own maps: round the corner, over the wall and through the window, through the door only while it is open.

use std::sync::OnceLock;

use fireteam_bake::{BakeSettings, OneThread, ThrowSettings, Unwatched, bake};
use fireteam_terrain::throws::{DoorThrow, Needs, Stored};
use fireteam_terrain::{Terrain, ThrowTable, WaypointId};
use fireteam_world::flight::{self, Air, Trajectory};
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers;
use fireteam_world::throwing::{Cell, Demand, Hand, Range, Salvo, Stand, Volley};
use fireteam_world::units::Time;
use fireteam_world::{Crowd, Game, Map, Placed, Scene, Solids, Vec3};

use crate::map;

/// A map of ours with its throws, and what is needed to fly them.
struct Yard {
    game: Game,
    map: Map,
    solids: Solids,
    terrain: Terrain,
}

impl Yard {
    fn bake(name: &str, game: &str) -> Yard {
        let (map, game) = (map(name), Game::named(game).unwrap());
        let settings =
            BakeSettings { throws: ThrowSettings { finer: 0, ..ThrowSettings::default() }, ..BakeSettings::default() };
        let terrain = bake(&map, &game, &settings, &OneThread, &Unwatched).unwrap();
        Yard { solids: Solids::build(&map), game, map, terrain }
    }

    fn table(&self, throwable: &str) -> &ThrowTable {
        self.terrain.throws.of(throwable).unwrap()
    }

    fn stand(&self, waypoint: WaypointId) -> Stand {
        Stand { origin: self.terrain.waypoints.origin[waypoint.index()], stance: Stance::Standing }
    }

    /// What of the movers stands in the way, those shifted that `open` names.
    fn crowd(&self, open: Option<(Vec3, &[Placed])>) -> Crowd {
        let moving = Movers::of(&self.map, &self.game, Time(0));
        let place = |placed: &Placed| match open {
            Some((shift, doors)) if doors.contains(placed) => Placed { origin: placed.origin + shift, ..*placed },
            Some(_) | None => *placed,
        };
        Crowd::of(&self.solids, &moving.placed().iter().map(place).collect::<Vec<Placed>>(), &[])
    }

    /// The stored throw with an unsteady hand, against somebody.
    fn delivered(
        &self,
        throwable: &str,
        crowd: &Crowd,
        from: WaypointId,
        at: WaypointId,
        stored: &Stored,
    ) -> (f32, i32) {
        let throwable = self.game.throwable(throwable).unwrap();
        let air = Air::from(Scene { solids: &self.solids, crowd });
        let range = Range::of(&self.game, throwable, air).unwrap();
        let stand = Stand { stance: stored.stance(), ..self.stand(from) };
        let throw = stored.throw(&self.terrain.throws.tables[0]);
        let salvo = Salvo::fly(&range, &Hand::of(throwable), &Cell { stand, origins: &[] }, &throw);
        let verdict = salvo.verdict(&range, &Cell { stand: self.stand(at), origins: &[] });
        (verdict.delivered, salvo.own_points)
    }

    fn trajectory(&self, throwable: &str, from: WaypointId, stored: &Stored) -> Trajectory {
        let throwable = self.game.throwable(throwable).unwrap();
        let crowd = self.crowd(None);
        let air = Air::from(Scene { solids: &self.solids, crowd: &crowd });
        let range = Range::of(&self.game, throwable, air).unwrap();
        let stand = Stand { stance: stored.stance(), ..self.stand(from) };
        let launch = throwable.launch(&range.thrower(&stand), &stored.throw(&self.terrain.throws.tables[0]), Time(0));
        let mut trajectory = Trajectory::default();
        flight::fly(&launch, throwable, self.game.flight_rules(), &air, &mut trajectory);
        trajectory
    }

    fn nearest(&self, place: Vec3) -> WaypointId {
        self.terrain.nearest(place).unwrap().waypoint
    }
}

fn corner() -> &'static Yard {
    static YARD: OnceLock<Yard> = OnceLock::new();
    YARD.get_or_init(|| Yard::bake("corner_bounce", "action"))
}

#[test]
fn a_grenade_comes_round_the_corner_off_a_wall() {
    let yard = corner();
    let (from, at) = (yard.nearest(Vec3::new(-160.0, -240.0, 24.0)), yard.nearest(Vec3::new(240.0, 160.0, 24.0)));
    assert!(!yard.terrain.sight.sees(from, at), "the corner hides them from each other");
    let stored = yard.table("frag").get(from, at, |_| false).expect("somebody there can be reached");
    let trajectory = yard.trajectory("frag", from, &stored);
    assert!(trajectory.bounces.iter().any(|bounce| bounce.normal.z.abs() < 0.1), "{:?}", trajectory.bounces);
    let (delivered, own_points) = yard.delivered("frag", &yard.crowd(None), from, at, &stored);
    assert!(delivered >= 0.5 && own_points == 0, "{delivered} {own_points}");
}

#[test]
fn a_stored_throw_hurts_its_target_and_not_its_thrower() {
    let yard = corner();
    let crowd = yard.crowd(None);
    let (mut count, mut hits, mut harmed) = (0, 0.0, 0);
    for (at, from, bytes) in yard.table("frag").always.iter().step_by(7) {
        let (from, at, stored) = (WaypointId::from(from), WaypointId::from(at), Stored::from_bytes(bytes));
        let (delivered, own_points) = yard.delivered("frag", &crowd, from, at, &stored);
        (count, hits, harmed) = (count + 1, hits + delivered, harmed + u32::from(own_points > 0));
    }
    assert!(count > 50 && hits / count as f32 > 0.8, "{hits} of {count}");
    // Of the salvos from the middle of the cell; one unsteady throw of many is enough.
    assert!(harmed * 20 <= count, "{harmed} of {count}");
}

#[test]
fn what_is_refused_early_would_be_refused_in_the_end() {
    let yard = corner();
    let (crowd, throwable) = (yard.crowd(None), yard.game.throwable("frag").unwrap());
    let range = Range::of(&yard.game, throwable, Air::from(Scene { solids: &yard.solids, crowd: &crowd })).unwrap();
    let hand = Hand::of(throwable);
    let around = |stand: Stand| [0.0, 12.0, -12.0].map(|x| stand.origin + Vec3::X * x);
    let (mut met, mut refused) = (0, 0);
    for (at, from, bytes) in yard.table("frag").always.iter().step_by(23) {
        // At the next one too, whom it was not meant for.
        for at in [at, (at + 1) % yard.terrain.waypoints.len()] {
            let [from, at] = [from, at].map(|waypoint| yard.stand(WaypointId::from(waypoint)));
            let (origins, places) = (around(from), around(at));
            let stored = Stored::from_bytes(bytes);
            let from = Cell { stand: Stand { stance: stored.stance(), ..from }, origins: &origins };
            let at = Cell { stand: at, origins: &places };
            let throw = stored.throw(yard.table("frag"));
            let salvo = Salvo::fly(&range, &hand, &from, &throw);
            let verdict = salvo.verdict(&range, &at);
            let mut again = Volley::begin(&range, &from, &throw);
            let rivals = [0.12, 0.4, verdict.score.next_down(), verdict.score, verdict.score + 0.05, 0.9];
            for score in rivals {
                let demand = Demand { misses_max: 5, own_hits_max: 1, score };
                let is_met = verdict.delivered >= 0.58 && salvo.own_hits() <= 1 && verdict.score > score;
                let expected = is_met.then_some((verdict.score, verdict.delivered));
                // One of which nothing is flown, and one of which the rivals before have seen some or all.
                for volley in [&mut Volley::begin(&range, &from, &throw), &mut again] {
                    let worth = volley.worth(&range, &hand, &from, &at, &demand);
                    assert_eq!(worth.ok().map(|worth| (worth.score, worth.delivered)), expected, "{demand:?}");
                }
                (met, refused) = (met + u32::from(is_met), refused + u32::from(!is_met));
            }
        }
    }
    assert!(met > 100 && refused > 100, "{met} met, {refused} refused");
}

#[test]
fn a_grenade_is_lobbed_over_the_wall_and_through_the_window() {
    let yard = Yard::bake("window_lob", "action");
    let table = yard.table("frag");
    let is_yard = |id: &WaypointId| yard.terrain.waypoints.origin[id.index()].x < -300.0;
    let is_house = |id: &WaypointId| yard.terrain.waypoints.origin[id.index()].x > 250.0;
    let hidden = yard.terrain.waypoints.ids().filter(is_house).flat_map(|at| {
        let sources = table.sources(at, |_| false).filter(|(from, _)| is_yard(from));
        sources.map(move |(from, throw)| (from, at, throw)).collect::<Vec<_>>()
    });
    let hidden: Vec<_> = hidden.filter(|(from, at, _)| !yard.terrain.sight.sees(*from, *at)).collect();
    assert!(!hidden.is_empty(), "nobody in the house can be reached from the yard");
    let crowd = yard.crowd(None);
    let sure = hidden.iter().filter(|(from, at, throw)| yard.delivered("frag", &crowd, *from, *at, throw).0 >= 0.5);
    assert!(sure.count() * 2 > hidden.len());
}

#[test]
fn what_needs_an_open_door_does_not_get_through_a_shut_one() {
    let yard = Yard::bake("two_rooms_one_door", "openarena");
    let table = yard.table("grenade");
    let throws = table.doors.iter().map(|(at, from, bytes)| (at, from, DoorThrow::from_bytes(bytes)));
    let open: Vec<_> = throws.filter(|(.., throw)| throw.needs == Needs::Open).collect();
    assert!(!open.is_empty(), "the door stops nothing");
    let shut = yard.crowd(None);
    let mut delivered = [0.0, 0.0];
    for (at, from, throw) in &open {
        let (from, at) = (WaypointId::from(*from), WaypointId::from(*at));
        assert_eq!(table.get(from, at, |_| false), None);
        assert_eq!(table.get(from, at, |mover| mover == throw.mover), Some(throw.throw));
        let door = yard.terrain.movers.get(throw.mover).unwrap();
        let doors: Vec<Placed> = shut.placed().iter().filter(|placed| placed.entity == door.entity).copied().collect();
        let opened = yard.crowd(Some((door.shift, &doors)));
        for (sum, crowd) in delivered.iter_mut().zip([&shut, &opened]) {
            *sum += yard.delivered("grenade", crowd, from, at, &throw.throw).0 / open.len() as f32;
        }
    }
    assert!(delivered[0] < 0.2 && delivered[1] > 0.6, "{delivered:?} of {}", open.len());
}

#[test]
fn a_grenade_that_burns_can_be_got_rid_of() {
    let yard = corner();
    let table = yard.table("frag");
    let crowd = yard.crowd(None);
    let disposals = yard.terrain.waypoints.ids().filter_map(|from| Some((from, table.disposal(from)?)));
    let mut count = 0;
    for (from, throw) in disposals {
        assert_eq!(yard.delivered("frag", &crowd, from, from, &throw).1, 0, "{from:?}: {throw:?}");
        count += 1;
    }
    assert!(count * 10 > yard.terrain.waypoints.len() * 9, "{count} of {}", yard.terrain.waypoints.len());
}
