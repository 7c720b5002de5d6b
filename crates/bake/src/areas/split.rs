//! Where does one area end and the next begin? At doors, at narrowings, under eaves, at the foot of stairs.
//!
//! The widest ground first: from its widest place an area spreads as long as the ground stays nearly as wide and what is
//! overhead stays the same; what is left is narrower, and spreads next. Then scraps, doorways and niches join what they
//! lie at, and pieces between which nothing narrows (a corridor under its arches) become one.

use std::collections::{BTreeMap, BTreeSet};

use fireteam_terrain::{MoverId, SpanFlags, WaypointId};
use fireteam_world::{Bounds, Vec3};

use super::shapes::{NONE, Shapes, is_level};
use crate::ground::Survey;

/// Ground belongs to an area while it is at least this share as wide as the area's widest.
const WIDTH_SHARE: f32 = 0.72;
/// Fewer places than this are a doorway, a crate or a scrap between walls: about five body widths squared.
const PLACES_MIN: usize = 40;
/// With one neighbour alone, fewer than this are a niche of it.
const NICHE_MAX: usize = 110;
/// A piece of which this share touches one neighbour is that neighbour's rim.
const RIM_SHARE: f32 = 0.3;
/// A piece of whose rim this share touches one neighbour lies in its midst: the floor under a skylight, the shade of a tree.
const MIDST_SHARE: f32 = 0.6;
/// Ground one has to jump onto, but no higher than this, and with fewer places than that, is the top of what stands there:
/// crates, a low wall, a car.
const TOP_HEIGHT: usize = 72;
const TOP_MAX: usize = 200;
/// Two pieces are one if what joins them is at least this share as wide as the narrower of them.
const JOINT_SHARE: f32 = 0.8;
/// A door reaches so far beyond its panel: at least one row of cells lies in it.
const DOOR_DEPTH: f32 = 8.0;

/// What may not be mixed in one area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inside,
    Outside,
    Stairs,
    Swimming,
    /// In a door, or on a ladder: joins whatever is beside it.
    Between,
}

/// By place, the number of its area; numbers are dense, in the order of their first places.
pub(super) fn split(
    survey: &Survey,
    shapes: &Shapes,
    doors: &[(MoverId, Bounds)],
    waypoint_places: &[usize],
) -> Vec<u16> {
    let kinds = kinds(survey, shapes, doors);
    let mut pieces = Pieces::spread(survey, shapes, &kinds);
    pieces.join_scraps();
    pieces.join_even();
    pieces.join_scraps();
    pieces.join_homeless(survey, waypoint_places);
    pieces.numbered()
}

fn kinds(survey: &Survey, shapes: &Shapes, doors: &[(MoverId, Bounds)]) -> Vec<Kind> {
    let kind = |(place, here): (usize, &crate::ground::Place)| {
        let point = Bounds { mins: here.origin, maxs: here.origin };
        if here.flags.meets(SpanFlags::LADDER) || doors.iter().any(|(_, door)| door.meets(&point)) {
            Kind::Between
        } else if shapes.is_stairs[place] {
            Kind::Stairs
        } else if here.is_hanging() {
            Kind::Swimming
        } else if shapes.is_outside[place] {
            Kind::Outside
        } else {
            Kind::Inside
        }
    };
    survey.places.iter().enumerate().map(kind).collect()
}

/// The box in which a player's origin is in this door, if it is one that is walked through.
pub(super) fn doorway_of(door: &Bounds, body_height: f32) -> Option<Bounds> {
    let size = door.maxs - door.mins;
    let is_panel = size.z >= body_height && size.x.min(size.y) * 1.5 <= size.x.max(size.y);
    let axis = if size.x < size.y { Vec3::X } else { Vec3::Y };
    let middle = (door.mins + door.maxs) * 0.5;
    let across = Vec3::new(1.0, 1.0, 0.0) - axis;
    let half = size * 0.5 * (across + Vec3::Z) + axis * DOOR_DEPTH;
    is_panel.then_some(Bounds { mins: middle - half, maxs: middle + half })
}

#[derive(Debug)]
struct Pieces {
    /// By place: its piece.
    of: Vec<u32>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    kind: Kind,
    /// Half its width, in cells.
    half: u8,
    places: Vec<u32>,
    /// Its places at a wall, an edge or another piece.
    rim: usize,
    /// How it meets each neighbour.
    touching: BTreeMap<u32, Touch>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Touch {
    /// Its places from which one walks or swims over, and from which one falls, jumps or climbs.
    on_foot: usize,
    otherwise: usize,
    /// How far those lead up or down, in units and in all.
    height: usize,
}

impl Touch {
    fn add(&mut self, other: Touch) {
        self.on_foot += other.on_foot;
        self.otherwise += other.otherwise;
        self.height += other.height;
    }
}

impl Pieces {
    /// The widest first, from one seed each.
    fn spread(survey: &Survey, shapes: &Shapes, kinds: &[Kind]) -> Pieces {
        let count = survey.places.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|place| (std::cmp::Reverse(shapes.half[*place as usize]), *place));
        let mut pieces = Pieces { of: vec![NONE; count], pieces: Vec::new() };
        for seed in order {
            if pieces.of[seed as usize] == NONE {
                pieces.grow(survey, shapes, kinds, seed);
            }
        }
        pieces.touch(survey, shapes);
        pieces
    }

    fn grow(&mut self, survey: &Survey, shapes: &Shapes, kinds: &[Kind], seed: u32) {
        let number = self.pieces.len() as u32;
        let kind = kinds[seed as usize];
        let half = shapes.half[seed as usize];
        let least = if kind == Kind::Stairs { 0.0 } else { f32::from(half) * WIDTH_SHARE };
        let mut places = vec![seed];
        self.of[seed as usize] = number;
        let mut next = 0;
        while next < places.len() {
            for way in survey.ways_of(places[next] as usize).iter().filter(|way| is_level(way.kind)) {
                let to = way.to as usize;
                if self.of[to] == NONE && kinds[to] == kind && f32::from(shapes.half[to]) >= least {
                    self.of[to] = number;
                    places.push(way.to);
                }
            }
            next += 1;
        }
        self.pieces.push(Piece { kind, half, places, rim: 0, touching: BTreeMap::new() });
    }

    /// Counts the places at which pieces touch.
    fn touch(&mut self, survey: &Survey, shapes: &Shapes) {
        for (place, here) in survey.places.iter().enumerate() {
            let from = self.of[place];
            let mut met: BTreeMap<u32, Touch> = BTreeMap::new();
            for way in survey.ways_of(place) {
                let to = self.of[way.to as usize];
                let there = &survey.places[way.to as usize];
                if to == from || here.sent_by.or(there.sent_by).is_some() {
                    continue;
                }
                let touch = met.entry(to).or_default();
                if is_level(way.kind) {
                    touch.on_foot = 1;
                } else if touch.otherwise == 0 {
                    *touch = Touch { otherwise: 1, height: (there.origin.z - here.origin.z).abs() as usize, ..*touch };
                }
            }
            let is_rim = shapes.is_bounded(place) || met.values().any(|touch| touch.on_foot > 0);
            self.pieces[from as usize].rim += usize::from(is_rim);
            for (to, touch) in met {
                self.pieces[from as usize].touching.entry(to).or_default().add(touch);
                // A fall touches both ends, though nothing leads back.
                self.pieces[to as usize].touching.entry(from).or_default();
            }
        }
    }

    /// One becomes part of another.
    fn join(&mut self, from: u32, into: u32) {
        let places = std::mem::take(&mut self.pieces[from as usize].places);
        let touching = std::mem::take(&mut self.pieces[from as usize].touching);
        self.pieces[into as usize].rim += std::mem::take(&mut self.pieces[from as usize].rim);
        for place in &places {
            self.of[*place as usize] = into;
        }
        self.pieces[into as usize].places.extend(places);
        for (other, forth) in touching {
            let back = self.pieces[other as usize].touching.remove(&from).unwrap_or_default();
            if other == into {
                continue;
            }
            for (a, b, touch) in [(into, other, forth), (other, into, back)] {
                self.pieces[a as usize].touching.entry(b).or_default().add(touch);
            }
        }
    }

    /// Scraps, rims and niches join their neighbour, the smallest first.
    fn join_scraps(&mut self) {
        let mut waiting: BTreeSet<(usize, u32)> = self.sizes().collect();
        while let Some((_, piece)) = waiting.pop_first() {
            let Some(into) = self.host_of(piece) else { continue };
            waiting.remove(&(self.pieces[into as usize].places.len(), into));
            self.join(piece, into);
            waiting.insert((self.pieces[into as usize].places.len(), into));
        }
    }

    fn sizes(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.pieces
            .iter()
            .zip(0..)
            .filter(|(piece, _)| !piece.places.is_empty())
            .map(|(piece, n)| (piece.places.len(), n))
    }

    /// The neighbour a piece is only a part of, if it is one.
    fn host_of(&self, number: u32) -> Option<u32> {
        let piece = &self.pieces[number as usize];
        let size = piece.places.len();
        let likes = |other: &u32| self.pieces[*other as usize].kind == piece.kind;
        let (host, touch) = piece
            .touching
            .iter()
            .max_by_key(|(other, touch)| (touch.on_foot, likes(other), touch.otherwise, u32::MAX - **other))?;
        let doors = piece.touching.iter().filter(|(_, touch)| touch.on_foot > 0).count();
        let is_kin = likes(host) && piece.kind != Kind::Stairs;
        let is_scrap = size < PLACES_MIN || piece.kind == Kind::Between;
        let is_niche = is_kin && doors == 1 && size < NICHE_MAX;
        let is_rim = is_kin && touch.on_foot as f32 >= RIM_SHARE * size as f32;
        let is_dry = |kind: Kind| matches!(kind, Kind::Inside | Kind::Outside);
        let is_smaller = size < self.pieces[*host as usize].places.len();
        let is_midst = is_dry(piece.kind)
            && is_dry(self.pieces[*host as usize].kind)
            && is_smaller
            && touch.on_foot as f32 >= MIDST_SHARE * piece.rim as f32;
        let is_top = doors == 0 && is_smaller && size < TOP_MAX && touch.height <= TOP_HEIGHT * touch.otherwise;
        (is_scrap || is_niche || is_rim || is_midst || is_top).then_some(*host)
    }

    /// Pieces of one kind and about one width become one where nothing narrows between them.
    fn join_even(&mut self) {
        let mut number = 0;
        while number < self.pieces.len() as u32 {
            match self.even_neighbour(number) {
                Some(other) => self.join(other, number),
                None => number += 1,
            }
        }
    }

    fn even_neighbour(&self, number: u32) -> Option<u32> {
        let piece = &self.pieces[number as usize];
        let is_even = |other: &u32, touch: &Touch| {
            let there = &self.pieces[*other as usize];
            let (low, high) = (f32::from(piece.half.min(there.half)), f32::from(piece.half.max(there.half)));
            piece.kind == there.kind
                && low >= high * WIDTH_SHARE
                && touch.on_foot as f32 >= JOINT_SHARE * (low * 2.0 - 1.0)
        };
        piece.touching.iter().find(|(other, touch)| is_even(other, touch)).map(|(other, _)| *other)
    }

    /// Pieces without a waypoint join what they touch most, or the area of the waypoint that owns them.
    fn join_homeless(&mut self, survey: &Survey, waypoint_places: &[usize]) {
        loop {
            let mut has_waypoint = vec![false; self.pieces.len()];
            for place in waypoint_places {
                has_waypoint[self.of[*place] as usize] = true;
            }
            let homeless = self.sizes().find(|(_, piece)| !has_waypoint[*piece as usize]);
            let Some((_, piece)) = homeless else { return };
            let here = &self.pieces[piece as usize];
            let nearest = here.touching.iter().max_by_key(|(other, touch)| (**touch, u32::MAX - **other));
            let owner =
                here.places.iter().map(|place| survey.ground.spans[*place as usize].waypoint).find_map(WaypointId::get);
            let into = nearest.map(|(other, _)| *other).or(owner.map(|owner| self.of[waypoint_places[owner.index()]]));
            // A place that nothing leads to or from and nobody owns: the survey finds none.
            let Some(into) = into else { return };
            self.join(piece, into);
        }
    }

    fn numbered(&self) -> Vec<u16> {
        let mut number = vec![u16::MAX; self.pieces.len()];
        let mut count = 0;
        self.of
            .iter()
            .map(|piece| {
                let slot = &mut number[*piece as usize];
                if *slot == u16::MAX {
                    *slot = count;
                    count += 1;
                }
                *slot
            })
            .collect()
    }
}
