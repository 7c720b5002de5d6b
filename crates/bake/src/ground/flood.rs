//! The flood itself: from a place into the eight cells around it, on foot.

use std::collections::{BTreeSet, VecDeque};

use fireteam_terrain::{Ground, SpanFlags};
use fireteam_world::movement::Stance;
use fireteam_world::units::EntityId;
use fireteam_world::walker::Travel;
use fireteam_world::{Hull, Vec3};

use super::body::{Feeling, Touched};
use super::columns::Columns;
use super::triggers::Flights;
use super::{GroundSettings, Place, Way};

/// Neighbours counter-clockwise from east: the opposite of `d` is `(d + 4) % 8`, and odd ones are diagonal.
pub(crate) const AROUND: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];
pub(super) const NONE: u32 = u32::MAX;
/// A diagonal step is this much longer, and on a slope that much higher.
const DIAGONAL: f32 = std::f32::consts::SQRT_2;
/// Most floors are this near below; only where none is, a long and slower look follows.
const FLOOR_NEAR: f32 = 40.0;

/// Floors no further apart than this are one.
const FLUSH: f32 = 1.0;

/// Somewhere a body came down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Landing {
    pub(super) origin: Vec3,
    pub(super) is_steep: bool,
    pub(super) mover: Option<EntityId>,
}

/// The ground around some spots, in coarse cells.
#[derive(Debug)]
pub(super) struct Fence {
    inside: BTreeSet<[i32; 3]>,
}

/// Sides of such a cell.
const FENCE_CELL: f32 = 64.0;

impl Fence {
    pub(super) fn around(spots: &[Vec3], reach: f32) -> Fence {
        let mut inside = BTreeSet::new();
        let cells = (reach / FENCE_CELL).ceil() as i32;
        for spot in spots {
            let middle = Fence::cell_of(*spot);
            for x in -cells..=cells {
                for y in -cells..=cells {
                    let away = Vec3::new(x as f32, y as f32, 0.0) * FENCE_CELL;
                    if away.length() <= reach {
                        inside.extend((-1..=1).map(|z| [middle[0] + x, middle[1] + y, middle[2] + z]));
                    }
                }
            }
        }
        Fence { inside }
    }

    fn cell_of(point: Vec3) -> [i32; 3] {
        (point / FENCE_CELL).floor().to_array().map(|along| along as i32)
    }

    fn holds(&self, point: Vec3) -> bool {
        self.inside.contains(&Fence::cell_of(point))
    }
}

#[derive(Debug)]
pub(super) struct Flood<'a> {
    pub(super) body: &'a Feeling<'a>,
    pub(super) settings: &'a GroundSettings,
    pub(super) places: Vec<Place>,
    pub(super) ways: Vec<(u32, Way)>,
    /// Where a plain walk in each of the eight directions leads.
    near: Vec<[u32; 8]>,
    columns: Columns,
    open: VecDeque<u32>,
    /// By trigger.
    pub(super) sent: Vec<Flights>,
    /// Places from which a fall or a leap ends in a trigger, by its number.
    pub(super) caught: Vec<(u32, usize)>,
    /// Nothing outside is looked at; none for the whole map.
    pub(super) fence: Option<Fence>,
}

impl<'a> Flood<'a> {
    pub(super) fn new(body: &'a Feeling<'a>, settings: &'a GroundSettings) -> Flood<'a> {
        Flood {
            body,
            settings,
            places: Vec::new(),
            ways: Vec::new(),
            near: Vec::new(),
            columns: Columns::default(),
            open: VecDeque::new(),
            sent: vec![Flights::default(); body.triggers.len()],
            caught: Vec::new(),
            fence: None,
        }
    }

    /// From all places known so far to all that can be reached.
    pub(super) fn run(&mut self) {
        while let Some(index) = self.open.pop_front() {
            self.expand(index);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.places.len() >= Ground::SPANS_MAX
    }

    pub(super) fn cell_of(&self, point: Vec3) -> [i32; 2] {
        let cell = |along: f32| (along / self.settings.cell).floor() as i32;
        [cell(point.x), cell(point.y)]
    }

    /// The middle of a cell, at the height of `at`.
    fn centre(&self, cell: [i32; 2], at: Vec3) -> Vec3 {
        let middle = |cell: i32| (cell as f32 + 0.5) * self.settings.cell;
        Vec3::new(middle(cell[0]), middle(cell[1]), at.z)
    }

    pub(super) fn neighbour(&self, origin: Vec3, direction: usize) -> [i32; 2] {
        let [x, y] = self.cell_of(origin);
        [x + AROUND[direction][0], y + AROUND[direction][1]]
    }

    /// Notes that a body came here, as a new place unless one of about this height is known in this cell.
    /// None where nobody survives.
    pub(super) fn arrive(&mut self, from: Option<(u32, Travel)>, at: Landing, extra: SpanFlags) -> Option<u32> {
        let touched = self.body.touched(at.origin);
        let is_outside = self.fence.as_ref().is_some_and(|fence| !fence.holds(at.origin));
        if touched == Touched::Death || is_outside || self.is_full() {
            return None;
        }
        let known = self.columns.at(self.cell_of(at.origin)).find(|index| self.is_same(*index, &at));
        let index = match known {
            // What was thought a slide turns out to have firm footing elsewhere in the cell.
            Some(index) if self.is_steep(index) && !at.is_steep && extra.is_empty() => {
                self.places[index as usize] = self.describe(at, extra, touched);
                self.open.push_back(index);
                index
            }
            // A lift that comes to rest flush with the floor is a lift all the same.
            Some(index) if at.mover.is_some() && self.places[index as usize].mover.is_none() => {
                self.places[index as usize].mover = at.mover;
                self.open.push_back(index);
                index
            }
            Some(index) => index,
            None => {
                let index = self.places.len() as u32;
                self.places.push(self.describe(at, extra, touched));
                self.near.push([NONE; 8]);
                self.columns.add(self.cell_of(at.origin));
                self.open.push_back(index);
                index
            }
        };
        if let Some((from, kind)) = from {
            self.ways.push((from, Way { to: index, kind }));
        }
        Some(index)
    }

    fn is_steep(&self, index: u32) -> bool {
        self.places[index as usize].flags.meets(SpanFlags::STEEP)
    }

    /// Whether a body that came down there is in this place of the same cell: about as high, on the same thing. The top of
    /// a lift that rests a few units above the floor is a place beside the floor's, unless the two are flush.
    fn is_same(&self, index: u32, at: &Landing) -> bool {
        let place = &self.places[index as usize];
        let apart = (place.origin.z - at.origin.z).abs();
        if place.mover == at.mover {
            return apart <= self.body.rules.step_height;
        }
        let is_either_fixed = place.mover.is_none() || at.mover.is_none();
        is_either_fixed && !place.is_hanging() && apart < FLUSH
    }

    fn describe(&self, at: Landing, extra: SpanFlags, touched: Touched) -> Place {
        let headroom = self.body.headroom(at.origin);
        let mut flags = self.body.wetness(at.origin) | extra;
        if extra.meets(SpanFlags::SWIM | SpanFlags::LADDER) {
            // Nothing carries it, and nothing needs to.
        } else if at.is_steep || (at.mover.is_none() && !self.body.is_held(at.origin)) {
            flags |= SpanFlags::STEEP;
        } else {
            flags |= self.body.stances(headroom);
        }
        if touched == Touched::Harm {
            flags |= SpanFlags::HARM;
        }
        let sent_by = match touched {
            Touched::Sent(trigger) => Some(self.body.triggers[trigger].place.entity),
            Touched::Nothing | Touched::Harm | Touched::Death => None,
        };
        let is_filled = at.mover.is_none() && self.body.is_filled(at.origin);
        Place { origin: at.origin, headroom, flags, mover: at.mover, sent_by, is_filled }
    }

    fn expand(&mut self, index: u32) {
        let place = self.places[index as usize];
        if let Touched::Sent(trigger) = self.body.touched(place.origin) {
            self.send(index, trigger, place.origin);
            self.spread_within(index);
            return;
        }
        self.ride(index);
        if place.flags.meets(SpanFlags::SWIM) {
            self.swim(index);
        }
        if self.body.has_ladder {
            self.climb(index);
        }
        if place.flags.meets(SpanFlags::STEEP) {
            self.slide(index);
        } else if !place.is_hanging() {
            self.walk(index);
        }
    }

    /// Over the rest of a pad's or teleporter's own ground, which nobody crosses but where many come down.
    fn spread_within(&mut self, index: u32) {
        let place = self.places[index as usize];
        let hull = self.body.lowest;
        for direction in 0..AROUND.len() {
            let Some(over) = self.across(place.origin, direction, hull, self.body.rules.step_height) else { continue };
            let mut landings = Vec::new();
            self.settle(over, hull, &mut landings);
            for landing in landings {
                let fall = (place.origin.z - landing.origin.z).abs();
                let is_within = matches!(self.body.touched(landing.origin), Touched::Sent(_));
                if is_within && !landing.is_steep && fall <= self.body.rules.step_height {
                    self.arrive(Some((index, Travel::Walk)), landing, SpanFlags::NONE);
                }
            }
        }
    }

    fn walk(&mut self, index: u32) {
        let mut edges = [false; 8];
        for (direction, is_edge) in edges.iter_mut().enumerate() {
            *is_edge = self.stride(index, direction);
        }
        if edges.contains(&true) {
            let flags = &mut self.places[index as usize].flags;
            *flags |= SpanFlags::LEDGE;
            if flags.meets(SpanFlags::STAND) && !flags.meets(SpanFlags::SWIM) {
                self.leap(index, &edges);
            }
        }
    }

    /// One step in one of the eight directions, upright or as low as it takes. Tells whether a fall or harm is there.
    fn stride(&mut self, index: u32, direction: usize) -> bool {
        let place = self.places[index as usize];
        if let Some(other) = self.came_from(index, direction) {
            self.near[index as usize][direction] = other;
            self.ways.push((index, Way { to: other, kind: Travel::Walk }));
            return self.is_worse(index, other);
        }
        let step_height = self.body.rules.step_height;
        for stance in self.body.hulls(place.flags) {
            let hull = self.body.hull(*stance);
            if let Some(over) = self.across(place.origin, direction, hull, step_height) {
                return self.come_down(index, direction, over, *stance);
            }
        }
        if direction.is_multiple_of(2) {
            self.hop(index, direction);
        }
        false
    }

    /// The neighbour in this direction from which a walk led here: what was walked one way can be walked back.
    fn came_from(&self, index: u32, direction: usize) -> Option<u32> {
        let cell = self.neighbour(self.places[index as usize].origin, direction);
        let back = (direction + 4) % 8;
        self.columns.at(cell).find(|other| self.near[*other as usize][back] == index)
    }

    fn is_worse(&self, here: u32, there: u32) -> bool {
        let harms = |index: u32| self.places[index as usize].flags.meets(SpanFlags::HARM);
        harms(there) && !harms(here)
    }

    /// Into the neighbouring cell: straight, or raised by up to `rise`. To its middle, else straight on from where the
    /// body stands (which a way as narrow as the body needs), else as far into it as there is room.
    pub(super) fn across(&self, from: Vec3, direction: usize, hull: Hull, rise: f32) -> Option<Vec3> {
        let cell = self.neighbour(from, direction);
        let [x, y] = AROUND[direction];
        let ahead = Vec3::new(x as f32, y as f32, 0.0) * self.settings.cell;
        let goals = [self.centre(cell, from), from + ahead];
        let mut lifted = None;
        for goal in goals {
            let straight = self.body.sweep(from, goal, hull);
            if straight.start_solid {
                return None;
            }
            if straight.fraction == 1.0 {
                return Some(goal);
            }
            let up = *lifted.get_or_insert_with(|| self.body.sweep(from, from + Vec3::Z * rise, hull).end);
            let over = self.body.sweep(up, up + (goal - from), hull);
            if over.fraction == 1.0 {
                return Some(over.end);
            }
            for partial in [straight.end, over.end] {
                if self.cell_of(partial) == cell {
                    return Some(partial);
                }
            }
        }
        None
    }

    /// Down from above a neighbouring cell to everything that may carry a body there. Tells whether it is a fall.
    fn come_down(&mut self, index: u32, direction: usize, over: Vec3, stance: Stance) -> bool {
        let place = self.places[index as usize];
        let rules = self.body.rules;
        let diagonal = if direction.is_multiple_of(2) { 1.0 } else { DIAGONAL };
        let step = rules.step_height * diagonal + 0.25;
        let mut landings = Vec::new();
        self.settle(over, self.body.hull(stance), &mut landings);
        let mut is_edge = landings.is_empty();
        if landings.is_empty() {
            self.falls_freely(index, over, self.body.bottom);
        }
        for landing in landings {
            let fall = place.origin.z - landing.origin.z;
            if fall.abs() <= step && !landing.is_steep {
                let kind = if stance == Stance::Standing { Travel::Walk } else { Travel::Crouch };
                let Some(to) = self.arrive(Some((index, kind)), landing, SpanFlags::NONE) else { continue };
                if stance == Stance::Standing {
                    self.near[index as usize][direction] = to;
                }
                is_edge |= self.is_worse(index, to);
            } else if self.falls_freely(index, over, landing.origin.z) {
                let to = self.arrive(Some((index, Travel::Drop)), landing, SpanFlags::NONE);
                is_edge |= fall > self.body.jump_height() || to.is_none_or(|to| self.is_worse(index, to));
            } else {
                is_edge = true;
            }
        }
        is_edge
    }

    /// What is below: the floor, and platforms that may stand above it.
    pub(super) fn settle(&self, from: Vec3, hull: Hull, landings: &mut Vec<Landing>) {
        let mut down = self.body.sweep(from, from - Vec3::Z * FLOOR_NEAR, hull);
        if down.fraction == 1.0 && !down.start_solid {
            down = self.body.sweep(from, Vec3::new(from.x, from.y, self.body.bottom), hull);
        }
        if down.start_solid {
            return;
        }
        if down.fraction < 1.0 {
            let is_steep = down.normal.z < self.body.rules.floor_normal_min;
            landings.push(Landing { origin: down.end, is_steep, mover: None });
        }
        self.body.platforms_below(from, down.end.z, hull, landings);
    }

    /// Up onto something by a jump, upright or crouched in the air.
    fn hop(&mut self, index: u32, direction: usize) {
        let place = self.places[index as usize];
        let rules = self.body.rules;
        let rise = self.body.jump_height() + rules.step_height;
        for stance in self.body.hulls(place.flags).iter().filter(|stance| **stance != Stance::Prone) {
            if self.mount(index, direction, *stance, rise, Travel::Jump) {
                return;
            }
        }
    }

    /// Raised by `rise`, across, and down onto something higher than a step.
    pub(super) fn mount(&mut self, index: u32, direction: usize, stance: Stance, rise: f32, kind: Travel) -> bool {
        let origin = self.places[index as usize].origin;
        let hull = self.body.hull(stance);
        let Some(over) = self.across(origin, direction, hull, rise) else { return false };
        let mut landings = Vec::new();
        self.settle(over, hull, &mut landings);
        let mut has_mounted = false;
        for landing in landings {
            if !landing.is_steep && landing.origin.z > origin.z {
                has_mounted |= self.arrive(Some((index, kind)), landing, SpanFlags::NONE).is_some();
            }
        }
        has_mounted
    }

    /// Down a slope too steep to stand on.
    fn slide(&mut self, index: u32) {
        let origin = self.places[index as usize].origin;
        let hull = self.body.lowest;
        for direction in 0..AROUND.len() {
            let Some(over) = self.across(origin, direction, hull, 0.0) else { continue };
            let mut landings = Vec::new();
            self.settle(over, hull, &mut landings);
            for landing in landings {
                if landing.origin.z < origin.z && self.falls_freely(index, over, landing.origin.z) {
                    self.arrive(Some((index, Travel::Drop)), landing, SpanFlags::NONE);
                }
            }
        }
    }
}

impl Place {
    /// In the water or on a ladder, with nothing to stand on.
    pub fn is_hanging(&self) -> bool {
        self.flags.meets(SpanFlags::LADDER)
            || (self.flags.meets(SpanFlags::SWIM) && !self.flags.meets(SpanFlags::CROUCH))
    }
}
