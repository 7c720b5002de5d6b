//! Watching players, ten times a second: waypoints where none is near or where a corner was turned, links where a walker follows.

use std::collections::BTreeSet;
use std::sync::Arc;

use fireteam_terrain::overlay::{Edit, LinedEdit, Spot};
use fireteam_terrain::{Link, LinkFlags, Movers, Overlay, WAYPOINTS_MAX, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::game::Interest;
use fireteam_world::movement::Stance;
use fireteam_world::trace::{Scene, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::outing::Course;
use fireteam_world::{Contents, Game, Map, Solids, Vec3};

use crate::Survey;
use crate::links::{Grounds, LinkSettings, Pair};

/// A player as a spectator sees him.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub player: EntityId,
    pub origin: Vec3,
    pub is_dead: bool,
}

/// Milliseconds between two looks: ten a second, as JoeBOT XP does.
const LOOK_MS: i32 = 100;
/// With no waypoint this near, there is to be one.
const NEAR: f32 = 128.0;
/// Corners closer than this to a waypoint are that waypoint.
const APART: f32 = 44.0;
/// Nobody gets so far between two looks on his own legs: he was teleported, or is somebody else by now.
const LEAP: f32 = 220.0;
/// Positions kept since the last waypoint: ten seconds.
const TRAIL: usize = 100;
/// A waypoint at another height than a storey's is not near.
const STOREY: f32 = 48.0;
/// Feet so near above a floor stand on it.
const ON_FLOOR: f32 = 3.0;
/// A way that cannot be walked in one go is cut in two, and each half again, so often.
const CUTS: u32 = 3;
/// Ways that are walked in one look at most: some milliseconds.
const PROOFS: usize = 4;
/// Above the floor that map makers put spawns and items on.
const RAISED: f32 = 24.0;
const FALL: f32 = 256.0;

/// Records a mesh.
#[derive(Debug)]
pub struct Recorder {
    map: Arc<Map>,
    solids: Arc<Solids>,
    game: Arc<Game>,
    movers: Movers,
    waypoints: Waypoints,
    names: Vec<String>,
    reasons: Vec<String>,
    links: Vec<(WaypointId, Link)>,
    tried: BTreeSet<(WaypointId, WaypointId)>,
    /// Ways that somebody took and that have not been walked after him yet.
    pending: Vec<Taken>,
    tracks: Vec<Track>,
    next_look: Time,
    /// What was read and is no waypoint and no link: kept as it was.
    others: Vec<LinedEdit>,
}

/// Somebody on his way since the last waypoint.
#[derive(Debug)]
struct Track {
    player: EntityId,
    last: Option<WaypointId>,
    trail: Vec<Vec3>,
    before: Vec3,
}

/// From waypoint to waypoint, by these positions.
#[derive(Debug)]
struct Taken {
    from: WaypointId,
    to: WaypointId,
    trail: Vec<Vec3>,
    cuts: u32,
}

impl Recorder {
    /// Begins with a waypoint for every spawn, item and ladder, or with what was recorded before.
    pub fn new(map: Arc<Map>, solids: Arc<Solids>, game: Arc<Game>, before: Option<&Overlay>) -> Recorder {
        let mut recorder = Recorder {
            map,
            solids,
            game,
            movers: Movers::default(),
            waypoints: Waypoints::default(),
            names: Vec::new(),
            reasons: Vec::new(),
            links: Vec::new(),
            tried: BTreeSet::new(),
            pending: Vec::new(),
            tracks: Vec::new(),
            next_look: Time(i32::MIN),
            others: Vec::new(),
        };
        if let Some(before) = before {
            recorder.take_over(before);
        }
        recorder.sow();
        recorder
    }

    /// Looks, if it is time to. What is shown is all that is used.
    pub fn look(&mut self, now: Time, seen: impl Iterator<Item = Seen>) {
        if now < self.next_look {
            return;
        }
        self.next_look = now + LOOK_MS;
        for seen in seen {
            self.follow(seen);
        }
        self.walk_after(PROOFS);
    }

    /// Walks whatever has not been walked yet: to be called when nobody waits for a frame.
    pub fn settle(&mut self) {
        self.walk_after(usize::MAX);
    }

    /// A new match: its clock begins anew, and nobody goes on from where he was.
    pub fn begin_match(&mut self) {
        self.tracks.clear();
        self.next_look = Time(i32::MIN);
    }

    pub fn waypoints(&self) -> &Waypoints {
        &self.waypoints
    }

    /// Links so far, each with its start.
    pub fn links(&self) -> &[(WaypointId, Link)] {
        &self.links
    }

    /// What was recorded, as text that can be read and merged.
    pub fn overlay(&self) -> Overlay {
        let mut edits = Vec::new();
        let mut write = |edit: Edit, note: String| edits.push(LinedEdit { line: 0, edit, note });
        for (id, (name, reason)) in self.waypoints.ids().zip(self.names.iter().zip(&self.reasons)) {
            let (origin, flags) = (self.waypoints.origin[id.index()], self.waypoints.flags[id.index()]);
            write(Edit::Add { name: name.clone(), origin, flags }, reason.clone());
        }
        for (from, link) in &self.links {
            let spot = |id: WaypointId| Spot::Name(self.names[id.index()].clone());
            write(Edit::Link { from: spot(*from), to: spot(link.to), link: *link }, String::new());
        }
        edits.extend(self.others.iter().cloned());
        Overlay { file: String::new(), map: Some(self.map.name.clone()), fitted_to: None, edits }
    }

    fn take_over(&mut self, before: &Overlay) {
        for lined in &before.edits {
            match &lined.edit {
                Edit::Add { name, origin, flags } => {
                    self.waypoints.push(*origin, *flags);
                    self.names.push(name.clone());
                    self.reasons.push(lined.note.clone());
                }
                Edit::Link { from: Spot::Name(from), to: Spot::Name(to), link } => {
                    let find = |name: &str| self.names.iter().position(|known| known == name).map(WaypointId::from);
                    if let (Some(from), Some(to)) = (find(from), find(to)) {
                        self.tried.insert((from, to));
                        self.links.push((from, Link { to, ..*link }));
                    }
                }
                _ => self.others.push(lined.clone()),
            }
        }
    }

    /// A waypoint for everything that bodies come from or go for.
    fn sow(&mut self) {
        let map = Arc::clone(&self.map);
        for entity in &map.entities {
            let Some(kind) = self.game.rules.entities.get(entity.class()) else { continue };
            let flags = match kind.is {
                Interest::Spawn => WaypointFlags::SPAWN,
                Interest::Ladder => WaypointFlags::LADDER_END,
                Interest::Weapon
                | Interest::Ammo
                | Interest::Health
                | Interest::Armour
                | Interest::Powerup
                | Interest::Holdable
                | Interest::Key
                | Interest::Flag => WaypointFlags::ITEM,
                Interest::Zone
                | Interest::Door
                | Interest::Button
                | Interest::Lift
                | Interest::Breakable
                | Interest::Teleporter
                | Interest::JumpPad
                | Interest::Hazard => continue,
            };
            let Some(origin) = self.floor_below(entity.origin() + Vec3::Z * RAISED) else { continue };
            match self.waypoints.origin.iter().position(|known| known.distance(origin) < APART) {
                Some(known) => self.waypoints.flags[known] |= flags,
                None => drop(self.add(origin, flags, format!("a {}", entity.class()))),
            }
        }
    }

    fn add(&mut self, origin: Vec3, flags: WaypointFlags, reason: String) -> Option<WaypointId> {
        if self.waypoints.len() >= WAYPOINTS_MAX {
            return None;
        }
        self.names.push(format!("r{}", self.waypoints.len()));
        self.reasons.push(reason);
        Some(self.waypoints.push(origin, flags))
    }

    /// Where a body that is let go here comes to stand; none if it is in something solid or over nothing.
    fn floor_below(&self, origin: Vec3) -> Option<Vec3> {
        let rules = &self.game.rules.movement;
        let hull = rules.hull(Stance::Standing);
        let fall = self.scene().sweep(&Sweep::hull(origin, origin - Vec3::Z * FALL, hull, Contents::MASK_BOT), None);
        (!fall.start_solid && fall.is_hit()).then_some(fall.end)
    }

    fn scene(&self) -> Scene<'_> {
        Scene::of(&self.solids)
    }

    fn follow(&mut self, seen: Seen) {
        let track = self.tracks.iter().position(|track| track.player == seen.player).unwrap_or_else(|| {
            self.tracks.push(Track { player: seen.player, last: None, trail: Vec::new(), before: seen.origin });
            self.tracks.len() - 1
        });
        let before = std::mem::replace(&mut self.tracks[track].before, seen.origin);
        if seen.is_dead || before.distance(seen.origin) > LEAP {
            self.tracks[track].last = None;
            self.tracks[track].trail.clear();
            return;
        }
        let trail = &mut self.tracks[track].trail;
        if trail.len() == TRAIL {
            trail.remove(0);
        }
        trail.push(seen.origin);
        // Who flies or falls is on his way; where he comes down will be seen.
        if !self.stands(seen.origin) {
            return;
        }
        if let Some(near) = self.nearest(seen.origin) {
            self.arrive(track, near);
            return;
        }
        let last = self.tracks[track].last;
        let turned = last.filter(|last| !self.is_open(self.waypoints.origin[last.index()], seen.origin));
        let is_corner = turned.is_some() && self.stands(before) && self.is_alone(before);
        let (origin, reason) = match is_corner {
            true => (before, "a corner: from here on the last one was out of line"),
            false => (seen.origin, "nothing was near"),
        };
        if let Some(new) =
            self.is_alone(origin).then(|| self.add(origin, WaypointFlags::NONE, reason.to_owned())).flatten()
        {
            self.arrive(track, new);
        }
    }

    /// Somebody came to a waypoint: perhaps from another.
    fn arrive(&mut self, track: usize, at: WaypointId) {
        let track = &mut self.tracks[track];
        let trail = std::mem::take(&mut track.trail);
        let Some(from) = track.last.replace(at).filter(|from| *from != at) else { return };
        self.pending.push(Taken { from, to: at, trail, cuts: CUTS });
    }

    /// Walks what was taken, there and back, the latest first.
    fn walk_after(&mut self, most: usize) {
        if self.pending.is_empty() {
            return;
        }
        let (map, solids, game) = (Arc::clone(&self.map), Arc::clone(&self.solids), Arc::clone(&self.game));
        let course = Course::new(&map, &solids, &game);
        let survey = Survey::default();
        let settings = LinkSettings::default();
        let mut left = most;
        while left > 0 {
            let Some(taken) = self.pending.pop() else { return };
            if self.tried.contains(&(taken.from, taken.to)) {
                continue;
            }
            left -= 1;
            let grounds =
                Grounds { map: &map, solids: &solids, game: &game, survey: &survey, waypoints: &self.waypoints };
            let pair = Pair { course: &course, grounds: &grounds, movers: &self.movers, settings: &settings };
            let forth = pair.prove(taken.from, taken.to);
            let is_new = !self.tried.contains(&(taken.to, taken.from));
            let back = if is_new { pair.prove(taken.to, taken.from) } else { None };
            self.tried.insert((taken.from, taken.to));
            self.tried.insert((taken.to, taken.from));
            self.keep(taken.from, forth);
            self.keep(taken.to, back);
            if forth.is_none() && taken.cuts > 0 {
                self.cut(&taken);
            }
        }
    }

    fn keep(&mut self, from: WaypointId, link: Option<Link>) {
        self.links.extend(link.map(|link| (from, Link { flags: link.flags | LinkFlags::PLAYED, ..link })));
    }

    /// He got there, so there is a way: by a position in between.
    fn cut(&mut self, taken: &Taken) {
        let middle = taken.trail.len() / 2;
        // The one nearest to the middle where he stood.
        let stood = |index: &usize| self.stands(taken.trail[*index]);
        let Some(at) = (0..taken.trail.len()).filter(stood).min_by_key(|index| index.abs_diff(middle)) else { return };
        let place = taken.trail[at];
        let known = self.waypoints.origin.iter().position(|known| known.distance(place) < APART).map(WaypointId::from);
        let between = known.or_else(|| {
            let reason = "on the way between two that are not in line".to_owned();
            self.add(place, WaypointFlags::NONE, reason)
        });
        let Some(between) = between.filter(|id| *id != taken.from && *id != taken.to) else { return };
        let (first, second) = taken.trail.split_at(at);
        let cuts = taken.cuts - 1;
        self.pending.push(Taken { from: taken.from, to: between, trail: first.to_vec(), cuts });
        self.pending.push(Taken { from: between, to: taken.to, trail: second.to_vec(), cuts });
    }

    /// The nearest waypoint, if it is near and nothing is between.
    fn nearest(&self, origin: Vec3) -> Option<WaypointId> {
        let mut near: Vec<(f32, usize)> = Vec::new();
        for (index, known) in self.waypoints.origin.iter().enumerate() {
            let distance = known.distance(origin);
            if distance < NEAR && (known.z - origin.z).abs() < STOREY {
                near.push((distance, index));
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let open = near.into_iter().find(|(_, index)| self.is_open(self.waypoints.origin[*index], origin));
        open.map(|(_, index)| WaypointId::from(index))
    }

    fn is_alone(&self, origin: Vec3) -> bool {
        self.waypoints.origin.iter().all(|known| known.distance(origin) >= APART)
    }

    /// Whether a body a step above the floor gets straight from one to the other.
    fn is_open(&self, from: Vec3, to: Vec3) -> bool {
        let rules = &self.game.rules.movement;
        let mut hull = rules.hull(Stance::Crouched);
        hull.mins.z += rules.step_height;
        self.scene().is_clear(&Sweep::hull(from, to, hull, Contents::MASK_BOT), None)
    }

    fn stands(&self, origin: Vec3) -> bool {
        let rules = &self.game.rules.movement;
        let hull = rules.hull(Stance::Crouched);
        let down = Sweep::hull(origin, origin - Vec3::Z * ON_FLOOR, hull, Contents::MASK_BOT);
        let floor = self.scene().sweep(&down, None);
        !floor.start_solid && floor.is_hit() && floor.normal.z >= rules.floor_normal_min
    }
}
