//! Spots that matter and get a waypoint of their own: what the map's author put there, and what its walls make of it.

use fireteam_terrain::{SpanFlags, WaypointFlags};
use fireteam_world::game::Interest;
use fireteam_world::movement::{Stance, TriggerAction};
use fireteam_world::units::EntityId;
use fireteam_world::walker::Travel;
use fireteam_world::{Bounds, Contents, Game, Map, Sweep, Vec3};

use super::{Spacing, Spot, is_plain};
use crate::ground::{Feeling, Place, Seed, SeedKind, Survey};

/// A body standing before a door leaves this much between.
const DOOR_GAP: f32 = 24.0;
/// Mouths and landings of one thing get a waypoint on each side, no closer than this.
const SIDE_GAP: f32 = 64.0;
/// How far from where it should be a spot may be moved to find footing.
const SEARCH: i32 = 3;
/// A wall this near hides; an opening this deep shows.
const WALL_NEAR: f32 = 40.0;
const VIEW_FAR: f32 = 96.0;
/// A window's frame is met so far aside of its middle, at most.
const FRAME: f32 = 80.0;
/// How far beyond its inner face a wall still is one.
const FRAME_DEPTH: f32 = 6.0;
/// Out of cover and back.
const SIDESTEP: f32 = 36.0;
/// Below this over the feet a sill is a sill.
const SILL: f32 = 20.0;

pub(super) fn gather(survey: &Survey, map: &Map, game: &Game, body: &Feeling<'_>, spacing: &Spacing) -> Vec<Spot> {
    let mut gathering = Gathering { survey, map, game, body, merge: spacing.merge, spots: Vec::new() };
    gathering.seeds();
    gathering.mouths();
    gathering.items_in_flight();
    gathering.platforms();
    gathering.doors_and_buttons();
    gathering.ladders();
    gathering.shapes(spacing.edge);
    gathering.spots
}

struct Gathering<'a> {
    survey: &'a Survey,
    map: &'a Map,
    game: &'a Game,
    body: &'a Feeling<'a>,
    merge: f32,
    spots: Vec<Spot>,
}

impl Gathering<'_> {
    /// A waypoint here, unless one stands so near that it can be the same.
    fn add(&mut self, origin: Vec3, place: u32, flags: WaypointFlags) {
        let merge = self.merge;
        match self.spots.iter_mut().find(|spot| is_near(spot.origin, origin, merge)) {
            Some(spot) => spot.flags |= flags,
            None => self.spots.push(Spot { origin, place, flags }),
        }
    }

    fn add_place(&mut self, place: u32, flags: WaypointFlags) {
        self.add(self.survey.places[place as usize].origin, place, flags);
    }

    /// The same, unless one with these flags is within `apart`.
    fn add_apart(&mut self, place: u32, flags: WaypointFlags, apart: f32) {
        let origin = self.survey.places[place as usize].origin;
        if !self.spots.iter().any(|spot| spot.flags.meets(flags) && is_near(spot.origin, origin, apart)) {
            self.add(origin, place, flags);
        }
    }

    fn seeds(&mut self) {
        for seed in &self.survey.seeds {
            let Some(place) = seed.place else { continue };
            let flags = match seed.kind {
                SeedKind::Spawn => WaypointFlags::SPAWN,
                SeedKind::Item => WaypointFlags::ITEM,
                SeedKind::Exit => WaypointFlags::TELEPORTER,
            };
            if !self.is_sent(place as usize) {
                self.add(self.origin_over(seed, place), place, flags);
            }
        }
    }

    /// What hangs over a pad is taken in flight: whoever goes for it goes to the pad's mouth.
    fn items_in_flight(&mut self) {
        for seed in self.survey.seeds.iter().filter(|seed| seed.kind == SeedKind::Item) {
            let Some(place) = seed.place.filter(|place| self.is_sent(*place as usize)) else { continue };
            let pad = self.survey.places[place as usize].origin;
            let distance = |spot: &Spot| spot.origin.distance_squared(pad);
            let mouths = self.spots.iter_mut().filter(|spot| spot.flags.meets(WaypointFlags::PAD));
            if let Some(mouth) = mouths.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
                mouth.flags |= WaypointFlags::ITEM;
            }
        }
    }

    /// Right at the spot if a body can stand there at the height of its place, else at the place.
    fn origin_over(&self, seed: &Seed, place: u32) -> Vec3 {
        let here = &self.survey.places[place as usize];
        if here.mover.is_some() {
            return here.origin;
        }
        let step = self.body.rules.step_height;
        let above = Vec3::new(seed.spot.x, seed.spot.y, here.origin.z + step);
        let hull = self.body.hull(if here.flags.meets(SpanFlags::STAND) { Stance::Standing } else { Stance::Crouched });
        let down = self.body.sweep(above, above - Vec3::Z * (step * 2.0), hull);
        let holds = !down.start_solid && down.fraction < 1.0 && down.normal.z >= self.body.rules.floor_normal_min;
        if holds && self.survey.cell_of_point(down.end) == self.survey.cell_of(place as usize) {
            down.end
        } else {
            here.origin
        }
    }

    /// Before each pad and teleporter: the last places from which a step leads into it.
    fn mouths(&mut self) {
        for place in 0..self.survey.places.len() {
            if self.is_sent(place) {
                continue;
            }
            for way in self.survey.ways_of(place).iter().filter(|way| is_plain(way.kind)) {
                if let Some(flags) = self.mouth(way.to as usize) {
                    self.add_apart(place as u32, flags, SIDE_GAP);
                }
            }
        }
    }

    fn is_sent(&self, place: usize) -> bool {
        self.survey.places[place].sent_by.is_some()
    }

    /// What a body in this place is sent by.
    fn mouth(&self, place: usize) -> Option<WaypointFlags> {
        let trigger = self.survey.places[place].sent_by?;
        let is_pad = self
            .body
            .triggers
            .iter()
            .any(|known| known.place.entity == trigger && matches!(known.action, TriggerAction::Launch { .. }));
        Some(if is_pad { WaypointFlags::PAD } else { WaypointFlags::TELEPORTER })
    }

    /// On each platform at each stop, and where it is stepped on and off.
    fn platforms(&mut self) {
        let mut riders: Vec<u32> = (0..self.survey.places.len() as u32)
            .filter(|place| self.survey.places[*place as usize].mover.is_some())
            .collect();
        let key = |place: &u32| {
            let place = &self.survey.places[*place as usize];
            (place.mover, place.origin.z.round() as i32)
        };
        riders.sort_by_key(|place| (key(place), *place));
        for stop in riders.chunk_by(|a, b| key(a) == key(b)) {
            let middle =
                stop.iter().map(|place| self.survey.places[*place as usize].origin).sum::<Vec3>() / stop.len() as f32;
            let from_middle = |place: &u32| self.survey.places[*place as usize].origin.distance_squared(middle);
            let Some(centre) = stop.iter().min_by(|a, b| from_middle(a).total_cmp(&from_middle(b))) else { continue };
            self.add_place(*centre, WaypointFlags::ON_MOVER);
            for place in stop {
                for way in self.survey.ways_of(*place as usize).iter().filter(|way| is_plain(way.kind)) {
                    let beside = &self.survey.places[way.to as usize];
                    if is_quiet(beside) {
                        self.add_apart(way.to, WaypointFlags::OPENER, SIDE_GAP);
                    }
                }
            }
        }
    }

    fn doors_and_buttons(&mut self) {
        for (entity, number) in self.map.entities.iter().zip(0..) {
            let Some(interest) = self.game.rules.entities.get(entity.class()).map(|entity| entity.is) else { continue };
            let Some(bounds) = self.body.bounds_of(EntityId(number)) else { continue };
            match interest {
                Interest::Door | Interest::Breakable => self.door(&bounds),
                Interest::Button => self.button(&bounds),
                _ => {}
            }
        }
    }

    /// Both sides of the thinner side of a door.
    fn door(&mut self, door: &Bounds) {
        let size = door.maxs - door.mins;
        let normal = if size.x < size.y { Vec3::X } else { Vec3::Y };
        let reach = size.dot(normal) * 0.5 + self.body.rules.body.half_width + DOOR_GAP;
        let middle = (door.mins + door.maxs) * 0.5;
        let feet = Vec3::new(middle.x, middle.y, door.mins.z);
        for side in [normal, -normal] {
            if let Some(place) = self.footing(feet + side * reach) {
                self.add_place(place, WaypointFlags::DOOR_SIDE);
            }
        }
    }

    /// The place from which a button is nearest.
    fn button(&mut self, button: &Bounds) {
        let reach = self.body.rules.body.half_width + self.survey.ground.cell;
        let around = Bounds {
            mins: button.mins - Vec3::new(reach, reach, self.body.hull(Stance::Standing).maxs.z),
            maxs: button.maxs + Vec3::new(reach, reach, -self.body.feet() + self.body.jump_height()),
        };
        let middle = (button.mins + button.maxs) * 0.5;
        let distance = |place: &u32| self.survey.places[*place as usize].origin.distance_squared(middle);
        let near = (0..self.survey.places.len() as u32).filter(|place| {
            let here = &self.survey.places[*place as usize];
            let point = here.origin;
            !here.is_hanging() && around.meets(&Bounds { mins: point, maxs: point })
        });
        if let Some(place) = near.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            self.add_place(place, WaypointFlags::OPENER);
        }
    }

    /// A place near these feet, the nearest cell first.
    fn footing(&self, feet: Vec3) -> Option<u32> {
        let cell = self.survey.ground.cell;
        let height = self.body.rules.step_height * 2.0;
        let mut best: Option<(f32, u32)> = None;
        for x in -SEARCH..=SEARCH {
            for y in -SEARCH..=SEARCH {
                let Some(place) = self.survey.place_at(feet + Vec3::new(x as f32, y as f32, 0.0) * cell) else {
                    continue;
                };
                let here = &self.survey.places[place];
                let away = here.origin + Vec3::Z * self.body.feet() - feet;
                if here.is_hanging() || !is_quiet(here) || away.z.abs() > height {
                    continue;
                }
                if best.is_none_or(|(nearest, _)| away.length() < nearest) {
                    best = Some((away.length(), place as u32));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Where ladders are got onto and off.
    fn ladders(&mut self) {
        for place in 0..self.survey.places.len() {
            let is_rung = |place: usize| self.survey.places[place].flags.meets(SpanFlags::LADDER);
            let ends =
                self.survey.ways_of(place).iter().any(|way| way.kind == Travel::Ladder && is_rung(way.to as usize));
            if ends && !is_rung(place) {
                self.add_apart(place as u32, WaypointFlags::LADDER_END, SIDE_GAP);
            }
        }
    }

    /// What the walls make of the ground: windows, corners, edges.
    fn shapes(&mut self, apart: f32) {
        for place in 0..self.survey.places.len() {
            let here = &self.survey.places[place];
            if !here.flags.meets(SpanFlags::STAND) || !is_quiet(here) {
                continue;
            }
            let open = self.open_sides(place);
            if (0..8).step_by(2).any(|side| !open[side] && self.is_window(here.origin, side)) {
                self.add_apart(place as u32, WaypointFlags::WINDOW, SIDE_GAP);
            }
            if (0..8).step_by(2).any(|side| !open[side] && self.is_corner(here.origin, side)) {
                self.add_apart(place as u32, WaypointFlags::CORNER, apart * 0.5);
            }
        }
        for place in 0..self.survey.places.len() {
            let here = &self.survey.places[place];
            let is_edge = here.flags.meets(SpanFlags::LEDGE) && here.flags.meets(SpanFlags::STAND);
            if is_edge && is_quiet(here) {
                self.add_apart(place as u32, WaypointFlags::LEDGE, apart);
            }
        }
    }

    /// Which of the eight neighbouring cells can be walked into.
    fn open_sides(&self, place: usize) -> [bool; 8] {
        let here = self.survey.cell_of(place);
        let mut open = [false; 8];
        for way in self.survey.ways_of(place) {
            let there = self.survey.cell_of(way.to as usize);
            let step = [there[0] - here[0], there[1] - here[1]];
            if let Some(side) = crate::ground::AROUND.iter().position(|around| *around == step) {
                open[side] |= is_plain(way.kind) || way.kind == Travel::Drop;
            }
        }
        open
    }

    /// Whether the wall on this side ends within a sidestep: one stands in its cover, and sees past it after the step.
    fn is_corner(&self, origin: Vec3, side: usize) -> bool {
        let eye = self.eye(origin);
        let ahead = direction(side);
        if self.sees(eye, ahead * WALL_NEAR) {
            return false;
        }
        [direction((side + 2) % 8), direction((side + 6) % 8)].into_iter().any(|aside| {
            let stepped = eye + aside * SIDESTEP;
            self.sees(eye, aside * SIDESTEP) && self.sees(stepped, ahead * VIEW_FAR)
        })
    }

    /// Whether the eyes look out over a sill on this side, with a frame to the left and the right.
    fn is_window(&self, origin: Vec3, side: usize) -> bool {
        let ahead = direction(side);
        let aside = direction((side + 2) % 8) * FRAME;
        let eye = self.eye(origin);
        let low = origin + Vec3::Z * (self.body.feet() + SILL);
        let sill = self.body.solids.sweep(&Sweep::ray(low, low + ahead * WALL_NEAR, Contents::MASK_OPAQUE));
        if sill.fraction == 1.0 || !self.sees(eye, ahead * VIEW_FAR) {
            return false;
        }
        let between = eye + ahead * (sill.fraction * WALL_NEAR + FRAME_DEPTH);
        !self.sees(between, aside) && !self.sees(between, -aside)
    }

    fn eye(&self, origin: Vec3) -> Vec3 {
        origin + Vec3::Z * self.body.rules.body.standing_eye as f32
    }

    fn sees(&self, eye: Vec3, way: Vec3) -> bool {
        self.body.solids.is_clear(&Sweep::ray(eye, eye + way, Contents::MASK_OPAQUE))
    }
}

/// A place that is always there and stays where it is, and whoever stands there with it, unhurt.
pub(super) fn is_quiet(place: &Place) -> bool {
    let stays = place.mover.is_none() && place.sent_by.is_none() && !place.is_filled;
    stays && !place.flags.meets(SpanFlags::HARM)
}

fn direction(side: usize) -> Vec3 {
    let [x, y] = crate::ground::AROUND[side];
    Vec3::new(x as f32, y as f32, 0.0).normalize()
}

/// Within a distance on one floor.
fn is_near(a: Vec3, b: Vec3, distance: f32) -> bool {
    let away = a - b;
    away.z.abs() < distance.min(STOREY) && away.truncate().length() < distance
}

/// What is further above or below is on another floor.
const STOREY: f32 = 40.0;
