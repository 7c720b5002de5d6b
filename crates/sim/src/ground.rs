//! Ground that is held: taken by standing on it with nobody of another side there, worth points for as long as it is kept.
//!
//! In: where the living are, frame by frame. Out: who holds each piece, as everyone is told, and points. A map says where its
//! ground is (entities of interest `zone`); on one that does not, pieces are laid out between the two ends, each where
//! both sides get by ways that are about as short as any.
//! Not here: what wins a round (`rounds`).

use fireteam::Field;
use fireteam::snapshot::{Objective, ObjectiveKind, Standing, Team};
use fireteam_terrain::{WaypointFlags, WaypointId};
use fireteam_world::game::{Holding, Interest};
use fireteam_world::{Contents, Sweep, Vec3};

use crate::Match;
use crate::spawns::Spawns;

#[derive(Clone, Debug, Default)]
pub(crate) struct Grounds {
    pieces: Vec<Piece>,
    /// Of this round, by team: team 1 first.
    points: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where a body's origin is that stands in the middle of it.
    middle: Vec3,
    radius: f32,
    holder: Option<Team>,
    /// Who is about to take it, and for how long that side has been alone on it.
    taker: Option<Team>,
    alone_ms: i32,
    /// Of its next point.
    held_ms: i32,
}

/// Who stands on a piece of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Nobody,
    Only(Team),
    Several,
}

/// Nobody puts up more; bots read no more.
const PIECES_MAX: usize = 16;
/// Ground that the map has in the air lies below it.
const DROP: f32 = 256.0;
/// A piece laid out by us may lie so much off the shortest way between the ends, as a share of it.
const DETOUR: f32 = 0.4;
/// What a share of the way costs by which it lies too near to one end, beside a share of detour.
const UNEVEN: f32 = 4.0;
/// Nobody holds ground from there, or stands about.
pub(crate) const UNFIT: WaypointFlags = WaypointFlags(
    WaypointFlags::CROUCH_ONLY.0
        | WaypointFlags::PAD.0
        | WaypointFlags::TELEPORTER.0
        | WaypointFlags::ON_MOVER.0
        | WaypointFlags::SWIM.0
        | WaypointFlags::HARM.0,
);

impl Grounds {
    pub(crate) fn of(field: &Field, rules: &Holding, spawns: &Spawns) -> Grounds {
        let of_map = field.map.entities.iter().filter(|entity| {
            let described = field.game.rules.entities.get(entity.class());
            entity.model().is_none() && described.is_some_and(|described| described.is == Interest::Zone)
        });
        let mut places: Vec<(Vec3, f32)> = of_map
            .map(|entity| (floor_below(field, entity.origin()), entity.number("radius").unwrap_or(rules.radius)))
            .take(PIECES_MAX)
            .collect();
        if places.is_empty() {
            places = laid_out(field, rules, spawns).into_iter().map(|place| (place, rules.radius)).collect();
        }
        let piece = |(middle, radius)| Piece { middle, radius, holder: None, taker: None, alone_ms: 0, held_ms: 0 };
        let teams = field.game.rules.teams.count.max(1) as usize;
        Grounds { pieces: places.into_iter().map(piece).collect(), points: vec![0; teams] }
    }

    /// Nobody's again.
    pub(crate) fn begin_round(&mut self) {
        for piece in &mut self.pieces {
            (piece.holder, piece.taker, piece.alone_ms, piece.held_ms) = (None, None, 0, 0);
        }
        self.points.fill(0);
    }

    pub(crate) fn points(&self) -> &[u32] {
        &self.points
    }

    /// Who has most points; none if several do.
    pub(crate) fn leader(&self) -> Option<Team> {
        let most = *self.points.iter().max()?;
        let mut leaders = self.points.iter().zip(1..).filter(|(points, _)| **points == most);
        let leader = leaders.next().map(|(_, team)| Team(team));
        leader.filter(|_| leaders.next().is_none())
    }

    pub(crate) fn is_won(&self, rules: &Holding) -> bool {
        rules.points_to_win > 0 && self.points.iter().any(|points| *points >= rules.points_to_win as u32)
    }

    /// As everyone is told: where it is and who holds it, not who is about to take it.
    pub(crate) fn told(&self) -> impl Iterator<Item = Objective> {
        self.pieces.iter().map(|piece| Objective {
            kind: ObjectiveKind::Ground,
            home: piece.middle,
            radius: piece.radius,
            owner: None,
            holder: piece.holder,
            standing: Standing::Home,
            item: None,
        })
    }
}

impl Piece {
    /// A frame with these on it. Whether it was taken in it.
    fn go_on(&mut self, there: Presence, frame_ms: i32, rules: &Holding) -> bool {
        match there {
            // Two sides on it: nobody gets on.
            Presence::Several => {}
            Presence::Only(team) if self.holder != Some(team) => {
                if self.taker != Some(team) {
                    (self.taker, self.alone_ms) = (Some(team), 0);
                }
                self.alone_ms += frame_ms;
                if self.alone_ms >= rules.capture_ms {
                    (self.holder, self.taker, self.alone_ms, self.held_ms) = (Some(team), None, 0, 0);
                    return true;
                }
            }
            Presence::Only(_) => (self.taker, self.alone_ms) = (None, 0),
            Presence::Nobody => self.alone_ms = (self.alone_ms - frame_ms).max(0),
        }
        false
    }
}

impl Match {
    /// Who takes ground in this frame, and what is earned by it.
    pub(crate) fn hold_ground(&mut self) {
        let Some(rules) = self.rounds.holding() else { return };
        if !self.rounds.is_fought() {
            return;
        }
        let frame_ms = self.field.game.rules.frame_ms;
        for index in 0..self.grounds.pieces.len() {
            let there = self.presence(&self.grounds.pieces[index]);
            let piece = &mut self.grounds.pieces[index];
            if piece.go_on(there, frame_ms, &rules) {
                let (middle, radius) = (piece.middle, piece.radius);
                let takers = self.soldiers.iter_mut().filter(|soldier| soldier.is_alive());
                for soldier in takers.filter(|soldier| stands_on(soldier.body.origin, middle, radius)) {
                    soldier.score.ground += 1;
                }
                continue;
            }
            let Some(holder) = piece.holder else { continue };
            piece.held_ms += frame_ms;
            if piece.held_ms >= rules.point_ms {
                piece.held_ms -= rules.point_ms;
                if let Some(points) = self.grounds.points.get_mut(usize::from(holder.0).wrapping_sub(1)) {
                    *points += 1;
                }
            }
        }
    }

    fn presence(&self, piece: &Piece) -> Presence {
        let on_it = self.soldiers.iter().filter(|soldier| soldier.is_alive() && !soldier.is_civilian());
        let on_it = on_it.filter(|soldier| stands_on(soldier.body.origin, piece.middle, piece.radius));
        on_it.fold(Presence::Nobody, |there, soldier| match there {
            Presence::Nobody => Presence::Only(soldier.team),
            Presence::Only(team) if team == soldier.team => there,
            Presence::Only(_) | Presence::Several => Presence::Several,
        })
    }
}

fn stands_on(origin: Vec3, middle: Vec3, radius: f32) -> bool {
    origin.distance_squared(middle) <= radius * radius
}

/// Where a body would stand.
fn floor_below(field: &Field, place: Vec3) -> Vec3 {
    let hull = field.game.rules.movement.hull(fireteam_world::movement::Stance::Standing);
    let down = field.solids.sweep(&Sweep::hull(place, place - Vec3::Z * DROP, hull, Contents::MASK_BOT));
    if down.start_solid { place } else { down.end }
}

/// Pieces of ground for a map that has none: at even shares of the way from one end to the other, and not on each other.
fn laid_out(field: &Field, rules: &Holding, spawns: &Spawns) -> Vec<Vec3> {
    let terrain = &field.terrain;
    let ends = spawns.ends().map(|end| end.and_then(|place| terrain.nearest(place)).map(|near| near.waypoint));
    let [Some(red), Some(blue)] = ends else { return Vec::new() };
    let ms = |from: WaypointId, to: WaypointId| terrain.times.about_ms(from, to).map(|ms| ms as f32);
    let Some(whole) = ms(red, blue).filter(|whole| *whole > 0.0) else { return Vec::new() };
    let fit = terrain.waypoints.ids().filter(|id| !terrain.waypoints.flags[id.index()].meets(UNFIT));
    let between: Vec<(f32, f32, Vec3)> = fit
        .filter_map(|id| {
            let (from_red, from_blue) = (ms(red, id)?, ms(blue, id)?);
            // There must be a way back as well.
            ms(id, red).and(ms(id, blue))?;
            let detour = (from_red + from_blue) / whole - 1.0;
            let place = terrain.waypoints.origin[id.index()];
            (detour < DETOUR).then_some((from_red / (from_red + from_blue).max(1.0), detour.max(0.0), place))
        })
        .collect();
    let mut pieces: Vec<Vec3> = Vec::new();
    let count = rules.pieces as usize;
    for number in 1..=count {
        let share = number as f32 / (count + 1) as f32;
        let apart = |place: Vec3| pieces.iter().all(|other| other.distance(place) > 2.0 * rules.radius);
        let cost = |(at, detour, _): &(f32, f32, Vec3)| (at - share).abs() * UNEVEN + detour;
        let free = between.iter().filter(|(_, _, place)| apart(*place));
        if let Some((_, _, place)) = free.min_by(|a, b| cost(a).total_cmp(&cost(b))) {
            pieces.push(*place);
        }
    }
    pieces
}
