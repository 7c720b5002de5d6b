//! How a view arrives: overshoot and settling of the aim, by skill, and whether the length of frames matters.
//!
//! Turns of 10 to 150 degrees onto somebody who stands 500 units away, in frames of 5 ms, with a hand that does not err: what is
//! left is the oscillator (`fireteam::aim`). It overshoots by the share of the turn that it goes too far, and has settled when it
//! stays within half a body's width of the middle. Then the same with the hand's error, to say how much of it remains.
//! `--picture FILE` draws one turn of each grade.

use std::path::Path;

use anyhow::{Context, Result};
use fireteam::aim::{Aim, Care, Hand, Head, Look, off};
use fireteam::{ConVars, Skill};
use fireteam_terrain::file;
use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::pcg::Pcg;

use super::Course;
use super::report::{Must, Row};
use crate::picture::{self, plot};

const TURNS: usize = 400;
const DEGREES: (f32, f32) = (10.0, 150.0);
const RANGE: f32 = 500.0;
/// Half a body's width at that range.
const WITHIN: f32 = 1.7;
const FRAME_MS: f32 = 5.0;
const WATCHED_MS: f32 = 3000.0;
/// By grade: percent of the turn, and milliseconds.
const OVERSHOOT_MUST: [f64; 4] = [12.0, 5.0, 1.0, 0.1];
const SETTLED_MUST: [f64; 4] = [900.0, 400.0, 320.0, 300.0];
/// A recruit's hand must be seen to overshoot.
const RECRUIT_MUST: Must = Must::AtLeast(3.0);
const SOONER_MUST: Must = Must::AtLeast(1.0);
/// Degrees between views that came by long frames and by short ones.
const FRAMES_MUST: Must = Must::AtMost(0.1);
const FRAMES_MS: [f32; 3] = [8.0, 20.0, 50.0];

pub(crate) fn aim(course: &Course, picture: Option<&Path>) -> Result<Vec<Row>> {
    let convars = ConVars { aim_error_elite: 0.0, aim_error_recruit: 0.0, ..ConVars::default() };
    let count = course.count(TURNS);
    let mut rows = Vec::new();
    let found = Skill::ALL.map(|skill| measure(skill, count, course.seed, &convars));
    for (grade, (skill, found)) in Skill::ALL.into_iter().zip(&found).enumerate() {
        let name = skill.name();
        let note = format!("mean of {count} turns; worst {:.1} %", found.overshoot_max);
        let must = Must::AtMost(OVERSHOOT_MUST[grade]);
        rows.push(Row::new(format!("{name}: goes too far by"), found.overshoot, "%", must, note));
        let erring = remaining(skill, count, course.seed);
        let note = format!("a settled hand then errs by {erring:.2} degrees on average");
        let must = Must::AtMost(SETTLED_MUST[grade]);
        rows.push(Row::new(format!("{name}: settled after"), found.settled_ms, "ms", must, note));
    }
    rows.push(Row::new(
        "a recruit's hand overshoots".into(),
        found[0].overshoot,
        "%",
        RECRUIT_MUST,
        "as beginners' do".into(),
    ));
    let sooner = found.windows(2).map(|pair| pair[0].settled_ms / pair[1].settled_ms).fold(f64::INFINITY, f64::min);
    let note = "the least of the three steps from grade to grade".to_owned();
    rows.push(Row::new("each grade settles sooner than the one below".into(), sooner, "times", SOONER_MUST, note));
    rows.push(frames_row(&convars));
    if let Some(path) = picture {
        draw(path, &convars)?;
    }
    Ok(rows)
}

struct Found {
    overshoot: f64,
    overshoot_max: f64,
    settled_ms: f64,
}

fn measure(skill: Skill, count: usize, seed: u64, convars: &ConVars) -> Found {
    let mut chance = Pcg::named(seed, "aim");
    let (mut sum, mut most, mut settled) = (0.0, 0.0f64, 0.0);
    for _ in 0..count {
        let degrees = chance.range(DEGREES.0, DEGREES.1);
        let views = turned(skill, degrees, FRAME_MS, convars, &mut chance);
        let past = views.iter().map(|yaw| yaw - degrees).fold(0.0, f32::max);
        let overshoot = f64::from(past / degrees) * 100.0;
        let last_out = views.iter().rposition(|yaw| off(*yaw, degrees) > WITHIN).map_or(0, |index| index + 1);
        sum += overshoot;
        most = most.max(overshoot);
        settled += f64::from(last_out as f32 * FRAME_MS);
    }
    let each = count.max(1) as f64;
    Found { overshoot: sum / each, overshoot_max: most, settled_ms: settled / each }
}

/// Degrees off in the last second of a look, by a hand as it is.
fn remaining(skill: Skill, count: usize, seed: u64) -> f64 {
    let (convars, mut chance) = (ConVars::default(), Pcg::named(seed, "hands"));
    let mut sum = 0.0;
    let mut samples = 0;
    for _ in 0..count {
        let views = turned(skill, 45.0, FRAME_MS, &convars, &mut chance);
        for yaw in views.iter().skip(views.len() * 2 / 3) {
            sum += f64::from(off(*yaw, 45.0));
            samples += 1;
        }
    }
    sum / f64::from(samples.max(1))
}

/// Yaws of every frame of a turn from 0 to `degrees`.
fn turned(skill: Skill, degrees: f32, frame_ms: f32, convars: &ConVars, chance: &mut Pcg) -> Vec<f32> {
    let radians = degrees.to_radians();
    let at = Vec3::new(maths::cos(radians), maths::sin(radians), 0.0) * RANGE;
    let mut aim = Aim::default();
    let frames = (WATCHED_MS / frame_ms) as usize;
    (0..frames)
        .map(|_| {
            aim.look(Look { at, velocity: Vec3::ZERO, what: 1, care: Care::Aim });
            let head = Head { eye: Vec3::ZERO, velocity: Vec3::ZERO, view: aim.view(), life: 0, lag_s: 0.0 };
            aim.turn(&head, frame_ms / 1000.0, &mut Hand { skill, sway: 1.0, convars, chance });
            aim.view().1
        })
        .collect()
}

/// The same turn in long and in short frames, compared where both have a frame; slow enough for the wrist's limit not to matter,
/// which is kept frame by frame.
fn frames_row(convars: &ConVars) -> Row {
    let mut worst = 0.0f64;
    for skill in Skill::ALL {
        let mut chance = Pcg::named(1, "frames");
        let fine = turned(skill, 8.0, 1.0, convars, &mut chance);
        for ms in FRAMES_MS {
            let coarse = turned(skill, 8.0, ms, convars, &mut chance);
            for (index, yaw) in coarse.iter().enumerate() {
                let same = fine.get((index + 1) * ms as usize - 1).copied().unwrap_or(*yaw);
                worst = worst.max(f64::from(off(*yaw, same)));
            }
        }
    }
    let note = "a turn of 8 degrees in frames of 8, 20 and 50 ms, against frames of 1 ms".to_owned();
    Row::new("the length of frames changes the view by".into(), worst, "degrees", FRAMES_MUST, note)
}

fn draw(path: &Path, convars: &ConVars) -> Result<()> {
    const DRAWN: f32 = 60.0;
    const DRAWN_MS: usize = 800;
    let curves: Vec<plot::Curve> = Skill::ALL
        .iter()
        .map(|skill| {
            let yaws = turned(*skill, DRAWN, 1.0, convars, &mut Pcg::named(1, "drawn"));
            let points = yaws.iter().take(DRAWN_MS).enumerate().map(|(ms, yaw)| ((ms + 1) as f32, *yaw));
            plot::Curve { name: skill.name(), points: std::iter::once((0.0, 0.0)).chain(points).collect() }
        })
        .collect();
    let plot = plot::Plot {
        title: "A turn of 60 degrees, by skill",
        across: "milliseconds",
        up: "degrees",
        goal: Some(DRAWN),
        curves: &curves,
    };
    file::write_whole(path, &picture::small_png(&plot.draw()?)?)
        .with_context(|| format!("cannot write {}: choose another place with --picture", path.display()))?;
    eprintln!("picture  {}", path.display());
    Ok(())
}
