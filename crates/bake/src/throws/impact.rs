//! What explodes where it strikes is aimed, not searched for: at the target's feet, at a ceiling close above him, at a wall
//! close behind him; and where none of that works, as at a neighbour whose explosion reaches him too.
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 5.2.1.

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::Stored;
use fireteam_world::flight::Throw;
use fireteam_world::{Contents, Sweep, Vec3};

use super::search::{Candidate, Search};

/// How far above or behind somebody a surface may be, as a share of the blast's radius.
const CLOSE: f32 = 0.5;

/// Tells of every target the throws at its own spots, and then those at its neighbours'.
pub(super) fn candidates(search: &Search, from: WaypointId, mut tell: impl FnMut(WaypointId, &[Candidate])) {
    let aimed: Vec<Vec<Candidate>> = search.yard.waypoints.ids().map(|at| aims_at(search, from, at)).collect();
    let mut throws: Vec<Candidate> = Vec::new();
    for at in search.yard.waypoints.ids() {
        throws.clear();
        throws.extend(&aimed[at.index()]);
        // A neighbour's come last, so that of two equal ones the target's own is taken.
        let origin = search.yard.waypoints.origin[at.index()];
        let around = search.yard.around(origin);
        let neighbours = around.iter().filter(|&&other| other != at);
        let near = |other: &&WaypointId| {
            search.yard.waypoints.origin[other.index()].distance(origin) < search.range.blast.radius * CLOSE
        };
        throws.extend(neighbours.filter(near).flat_map(|other| &aimed[other.index()]).take(search.settings.candidates));
        if !throws.is_empty() {
            tell(at, &throws);
        }
    }
}

/// Throws that strike where it hurts somebody at `at`: every speed and arc whose steady flight does.
fn aims_at(search: &Search, from: WaypointId, at: WaypointId) -> Vec<Candidate> {
    let (cell, target) = (search.yard.cell(from), search.yard.cell(at).stand);
    let thrower = search.range.thrower(&cell.stand);
    let mut throws = Vec::new();
    for spot in spots(search, cell.stand.origin, target.origin) {
        for (number, &speed) in search.range.throwable.speeds.iter().enumerate() {
            for aim in search.range.throwable.aims(&thrower, spot, speed).into_iter().flatten() {
                let candidate = search.candidate(&cell, on_lattice(&aim, number as u8));
                let flown = &candidate.flown;
                if flown.explodes
                    && search.range.points(flown.place, &target, false) > 0
                    && !search.may_hurt(flown, from)
                {
                    throws.push(candidate);
                }
            }
        }
    }
    throws
}

/// At the feet, above the head, behind the back.
fn spots(search: &Search, from: Vec3, at: Vec3) -> impl Iterator<Item = Vec3> {
    let scene = search.range.air.scene;
    let close = search.range.blast.radius * CLOSE;
    let feet = at + Vec3::Z * search.yard.site.game.rules.movement.body.feet;
    let struck = move |way: Vec3| {
        let trace = scene.sweep(&Sweep::ray(at, at + way, Contents::MASK_SHOT), None);
        trace.is_hit().then_some(trace.end)
    };
    let behind = (at - from).with_z(0.0).normalize_or_zero() * close;
    [Some(feet), struck(Vec3::Z * close), struck(behind)].into_iter().flatten()
}

/// The nearest throw that can be kept.
fn on_lattice(throw: &Throw, speed: u8) -> Stored {
    let yaw = (throw.yaw.rem_euclid(360.0) / Stored::YAW_STEP).round() as u16 % Stored::YAWS;
    let pitch = ((throw.pitch - Stored::PITCH_FIRST) / Stored::PITCH_STEP).round();
    Stored { yaw, pitch: pitch.clamp(0.0, f32::from(Stored::PITCHES - 1)) as u8, speed, ..Stored::default() }
}
