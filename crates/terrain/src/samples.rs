//! Made-up terrains for tests: a lattice of waypoints over ground with steps and a second storey, with everything in it
//! that a terrain can have.

use fireteam_world::units::{EntityId, ModelId};
use fireteam_world::walker::Travel;
use glam::Vec3;
use proptest::prelude::*;

use crate::throws::{DoorThrow, Listed, Needs, Pairs, Stored};
use crate::*;

/// Splitmix: a number for each question, the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit as u64) as usize
    }
}

pub(crate) fn walk(from: usize, to: usize, time_ms: u16) -> (WaypointId, Link) {
    let link = Link {
        to: WaypointId::from(to),
        kind: Travel::Walk,
        flags: LinkFlags::NONE,
        time_ms,
        damage: 0,
        trust: 255,
        mover: MoverId::NONE,
        opener: MoverId::NONE,
    };
    (WaypointId::from(from), link)
}

/// Links of any shape between up to `waypoints_max` waypoints.
pub(crate) fn any_links(waypoints_max: usize) -> impl Strategy<Value = Links> {
    (1..=waypoints_max).prop_flat_map(|count| {
        prop::collection::vec((0..count, 0..count, 1..2000_u16), 0..count * 3).prop_map(move |each| {
            let ways = each.into_iter().filter(|(from, to, _)| from != to);
            Links::gather(count, ways.map(|(from, to, ms)| walk(from, to, ms)).collect())
        })
    })
}

/// Units from one waypoint of the lattice to the next: four cells.
const SPACING: f32 = 64.0;

pub(crate) fn terrain(waypoints: usize, seed: u64) -> Terrain {
    Terrain::assemble(parts(waypoints, seed)).expect("the sample is sound")
}

pub(crate) fn parts(count: usize, seed: u64) -> Parts {
    let mut dice = Dice(seed);
    let side = (1..).find(|side| side * side >= count).expect("there is a root");
    let mut waypoints = Waypoints::default();
    for index in 0..count {
        let height = (dice.below(4) * 8) as f32 + 24.0;
        let origin = Vec3::new((index % side) as f32 * SPACING + 32.5, (index / side) as f32 * SPACING + 32.25, height);
        waypoints.push(origin, WaypointFlags(1 << dice.below(14)));
    }
    let provenance =
        Provenance { map_name: "lattice".to_owned(), map: [1; 32], physics: [2; 32], settings: [3; 32], overlay: 0 };
    let movers = movers(&mut dice);
    let (areas, portals) = areas(&waypoints, &mut dice);
    let mut values = Values::default();
    for column in values.columns_mut() {
        column.extend((0..count).map(|_| dice.roll() as u8));
    }
    Parts {
        provenance,
        feet: -24.0,
        ground: ground(side, &waypoints, &mut dice),
        links: links(side, count, movers.spots.len(), &mut dice),
        sight: sight(&waypoints, movers.spots.len(), &mut dice),
        hiding: hiding(&waypoints, &mut dice),
        throws: throws(waypoints.len(), &mut dice),
        waypoints,
        movers,
        areas,
        portals,
        values,
    }
}

fn movers(dice: &mut Dice) -> Movers {
    let spot = |entity: u16, dice: &mut Dice| MoverSpot {
        entity: EntityId(entity),
        model: ModelId(entity + 1),
        kind: MoverKind::ALL[dice.below(MoverKind::ALL.len())],
        opens_by: OpensBy::ALL[dice.below(OpensBy::ALL.len())],
        opener: dice.below(2).eq(&0).then_some(EntityId(77)),
        stand: Vec3::new(1.5, 2.0, f32::from(entity)),
        aim: Vec3::new(-1.25, 0.0, 7.0),
        shift: Vec3::new(0.0, 0.0, 96.0),
        travel_ms: 1500,
        wait_ms: -1,
    };
    Movers { spots: (0..4).map(|index| spot(index * 3 + 1, dice)).collect() }
}

fn ground(side: usize, waypoints: &Waypoints, dice: &mut Dice) -> Ground {
    let cells = side * 4;
    let mut ground = Ground { size: [cells as u32; 2], ..Ground::default() };
    for column in 0..cells * cells {
        let owner = (column / cells / 4) * side + (column % cells) / 4;
        if owner < waypoints.len() && dice.below(8) != 0 {
            let feet = waypoints.origin[owner].z as i16 - 24;
            let low = Span {
                feet,
                headroom: 30,
                flags: SpanFlags::STAND | SpanFlags::CROUCH,
                waypoint: WaypointId::from(owner),
            };
            ground.spans.push(low);
            if column / cells < cells / 2 {
                let flags = SpanFlags(dice.roll() as u8);
                ground.spans.push(Span { feet: feet + 128, headroom: 255, flags, waypoint: WaypointId::NONE });
            }
        }
        ground.column_first.push(ground.spans.len() as u32);
    }
    ground
}

fn links(side: usize, count: usize, movers: usize, dice: &mut Dice) -> Links {
    let mut each = Vec::new();
    for from in 0..count {
        let (x, y) = ((from % side) as i32, (from / side) as i32);
        for (dx, dy, ms) in
            [(1, 0, 200), (0, 1, 200), (-1, 0, 200), (0, -1, 200), (1, 1, 283), (-1, -1, 283), (1, -1, 283)]
        {
            let (to_x, to_y) = (x + dx, y + dy);
            let to = (to_y * side as i32 + to_x) as usize;
            let is_inside = to_x >= 0 && to_y >= 0 && to_x < side as i32 && to < count;
            if is_inside && dice.below(5) != 0 {
                let (start, mut link) = walk(from, to, ms + dice.below(80) as u16);
                if dice.below(20) == 0 {
                    link.kind = Travel::ALL[dice.below(Travel::ALL.len())];
                    link.flags = LinkFlags(1 << dice.below(6));
                    link.mover = MoverId::from(dice.below(movers));
                    link.trust = dice.roll() as u8;
                    link.damage = dice.below(50) as u8;
                }
                each.push((start, link));
            }
        }
    }
    Links::gather(count, each)
}

fn sight(waypoints: &Waypoints, movers: usize, dice: &mut Dice) -> Sight {
    let count = waypoints.len();
    let mut sight = Sight { standing: BitRows::new(count), crouched: BitRows::new(count), openings: Vec::new() };
    for from in 0..count {
        for to in 0..count {
            if waypoints.origin[from].distance(waypoints.origin[to]) > SPACING * 12.0 {
                continue;
            }
            match dice.below(40) {
                0..30 => {
                    sight.standing.set(from, to);
                    if dice.below(3) != 0 {
                        sight.crouched.set(from, to);
                    }
                }
                30 => {
                    let mover = MoverId::from(dice.below(movers));
                    let adds = OpeningFlags::STANDING | OpeningFlags(dice.below(4) as u8);
                    sight.openings.push(Opening {
                        from: WaypointId::from(from),
                        to: WaypointId::from(to),
                        mover,
                        adds,
                    });
                }
                _ => {}
            }
        }
    }
    sight
}

fn areas(waypoints: &Waypoints, dice: &mut Dice) -> (Areas, Portals) {
    let area = |dice: &mut Dice| Area {
        class: AreaClass::ALL[dice.below(AreaClass::ALL.len())],
        sky: dice.roll() as u8,
        light: dice.roll() as u8,
        exits: 2,
        waypoints: 10,
        floor: dice.below(100_000) as f32 / 8.0,
        mins: Vec3::new(0.5, -1.0, 0.0),
        maxs: Vec3::new(100.0, 100.0, 128.0),
    };
    let areas: Vec<Area> = (0..5).map(|_| area(dice)).collect();
    let mut of_waypoint: Vec<AreaId> = (0..waypoints.len()).map(|_| AreaId::from(dice.below(areas.len()))).collect();
    if let Some(first) = of_waypoint.first_mut() {
        *first = AreaId::NONE;
    }
    let portal = |index: usize, dice: &mut Dice| Portal {
        areas: [AreaId::from(index), AreaId::from(index + 1)],
        waypoints: [0, 1].map(|_| WaypointId::from(dice.below(waypoints.len()))),
        kind: PortalKind::ALL[dice.below(PortalKind::ALL.len())],
        flags: PortalFlags::FORTH,
        mover: MoverId::NONE,
        centre: Vec3::new(8.0, 0.1, 1.0 / 3.0),
        width: 64.0,
        height: 112.5,
    };
    let portals = if waypoints.is_empty() { Vec::new() } else { (0..4).map(|index| portal(index, dice)).collect() };
    (Areas { areas, of_waypoint }, Portals { portals })
}

fn throws(waypoints: usize, dice: &mut Dice) -> Throws {
    let pairs = |share: usize, dice: &mut Dice| -> Vec<(usize, usize)> {
        let all = (0..waypoints).flat_map(|at| (0..waypoints).map(move |from| (at, from)));
        all.filter(|(at, from)| at != from && dice.below(share) == 0).collect()
    };
    let throw = |dice: &mut Dice| {
        let [a, b, c, _] = (dice.roll() as u32).to_le_bytes();
        Stored { speed: 1, ..Stored::from_bytes(&[a, b, c]) }
    };
    let always = pairs(3, dice).into_iter().map(|(at, from)| (at, from, throw(dice).to_bytes())).collect::<Vec<_>>();
    let doors = pairs(20, dice).into_iter().map(|(at, from)| {
        let needs = if dice.below(2) == 0 { Needs::Open } else { Needs::Shut };
        (at, from, DoorThrow { throw: throw(dice), mover: MoverId(dice.below(4) as u16), needs }.to_bytes())
    });
    let doors = Listed::of(waypoints, doors.collect::<Vec<_>>());
    let table = ThrowTable {
        throwables: vec!["frag".to_owned(), "a, smoke".to_owned()],
        speeds: vec![400.5, 700.0],
        cook_step_ms: 400,
        disposals: (0..waypoints).map(|_| (dice.below(5) != 0).then(|| throw(dice))).collect(),
        always: Pairs::of(waypoints, always),
        doors,
    };
    Throws { tables: vec![table] }
}

fn hiding(waypoints: &Waypoints, dice: &mut Dice) -> HidingSpots {
    let every_third = waypoints.ids().step_by(3);
    let spots = every_third.map(|waypoint| HidingSpot {
        waypoint,
        origin: waypoints.origin[waypoint.index()] + Vec3::X,
        standing: Sides(dice.roll() as u8),
        crouched: Sides(dice.roll() as u8),
        hidden: dice.roll() as u8,
    });
    HidingSpots { spots: spots.collect() }
}
