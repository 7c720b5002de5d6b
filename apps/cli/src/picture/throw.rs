//! One throw, on a sheet: from above, from the side, with its marks and with what an unsteady hand makes of it.
//!
//! The plan is cut above the thrower's floor, and where the target stands on another one, above that on his side of the
//! picture. Unsteady throws that hurt the target and those that miss have two colours that nobody takes for each other.

use anyhow::{Context, Result};
use fireteam_terrain::throws::Needs;
use fireteam_world::throwing::Flown;
use fireteam_world::{Contents, Crowd, Scene, Sweep, Vec3};
use tiny_skia::{Color, Pixmap};

use super::colours::{self, BLAST, FAINT_INK, INK, PAPER, Rgb, THROWER, ink, mix};
use super::ink::{Canvas, Side, glow, paint};
use super::plan::{self, View};
use super::section;
use super::sheet::{
    BODY, CUT_HEIGHT, HEADING, MARGIN, SMALL, Scenery, TITLE, draw_movers, draw_names, draw_north_and_scale,
    drawn_path, framed, star, wrapped,
};
use crate::exhibit::{Exhibit, Stage};

pub(super) const HIT: Rgb = [0.0, 0.50, 0.46];
pub(super) const MISS: Rgb = [0.85, 0.22, 0.06];
pub(super) const TARGET: Rgb = [0.72, 0.10, 0.16];

/// The plan's size on the sheet, in pixels.
const PLAN: (f32, f32) = (880.0, 700.0);
const COLUMN: f32 = 400.0;
const SECTION_HEIGHT: f32 = 300.0;
/// Around what flies, in units.
const RIM: f32 = 72.0;
/// Floors that differ by more are two storeys.
const STOREY: f32 = 44.0;

/// The whole sheet; `crowd` is as the throw needs it.
pub(crate) fn draw(stage: &Stage, exhibit: &Exhibit, crowd: &Crowd) -> Result<Pixmap> {
    let scene = Scene { solids: &stage.solids, crowd };
    let plan = plan(stage, exhibit, crowd, PLAN)?;
    let width = PLAN.0 + COLUMN + MARGIN * 3.0;
    let side = section::draw(exhibit, &scene, radius(stage), width - MARGIN * 2.0, SECTION_HEIGHT);
    let side = side.context("the throw is too long to draw")?;
    let below = MARGIN + PLAN.1 + 42.0;
    let height = below + side.height() as f32 + MARGIN;
    let mut sheet =
        Canvas { pixmap: Pixmap::new(width as u32, height as u32).context("the throw is too long to draw")? };
    sheet.pixmap.fill(ink(PAPER, 1.0));
    framed(&mut sheet, &plan, MARGIN, MARGIN);
    let unfolded = "from the side: cut along the flight and unfolded where it comes off a wall";
    sheet.write(unfolded, (MARGIN, below - 12.0), Side::Right, HEADING, ink(INK, 1.0));
    framed(&mut sheet, &side, MARGIN, below);
    let x = MARGIN * 2.0 + PLAN.0;
    let y = write_facts(&mut sheet, stage, exhibit, x);
    let y = draw_marks(&mut sheet, exhibit, x, y + 16.0);
    draw_legend(&mut sheet, x, y + 20.0);
    Ok(sheet.pixmap)
}

fn radius(stage: &Stage) -> f32 {
    stage.throwable().blast.as_ref().map_or(0.0, |blast| blast.radius)
}

/// The throw from above, in so many pixels.
pub(crate) fn plan(stage: &Stage, exhibit: &Exhibit, crowd: &Crowd, size: (f32, f32)) -> Result<Pixmap> {
    let scenery =
        Scenery { map: &stage.map, scene: Scene { solids: &stage.solids, crowd }, game_title: &stage.game.rules.title };
    let view = view(stage, exhibit, size);
    let mut canvas = Canvas { pixmap: ground(stage, &scenery, exhibit, &view)? };
    draw_names(&mut canvas, &stage.map, &view);
    draw_blast(&mut canvas, &scenery.scene, exhibit, radius(stage), &view);
    for flight in &exhibit.unsteady {
        let colour = if flight.points > 0 { HIT } else { MISS };
        let path: Vec<(f32, f32)> = drawn_path(&flight.trajectory).iter().map(|point| view.place(*point)).collect();
        canvas.line(&path, 1.3, ink(colour, 0.62));
    }
    for flight in &exhibit.unsteady {
        let colour = if flight.points > 0 { HIT } else { MISS };
        let at = view.place(flight.ending.place);
        canvas.dot(at, 4.4, ink([1.0; 3], 0.9));
        canvas.dot(at, 3.2, ink(colour, 1.0));
    }
    draw_steady(&mut canvas, exhibit, &view);
    draw_target(&mut canvas, view.place(exhibit.at.origin));
    draw_thrower(&mut canvas, exhibit, &view);
    draw_north_and_scale(&mut canvas, &view);
    Ok(canvas.pixmap)
}

/// All of the flight, the thrower and what the blast reaches, in a rectangle of this shape.
fn view(stage: &Stage, exhibit: &Exhibit, (width, height): (f32, f32)) -> View {
    const PIXELS_PER_UNIT_MAX: f32 = 1.5;
    let reach = Vec3::splat(radius(stage));
    let end = exhibit.steady.ending.place;
    let points = exhibit.steady.trajectory.points.iter().copied();
    let all = points.chain([exhibit.from.origin, exhibit.at.origin, end - reach, end + reach]);
    let (mut mins, mut maxs) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for point in all {
        mins = mins.min(point);
        maxs = maxs.max(point);
    }
    let (middle, size) = ((mins + maxs) * 0.5, maxs - mins + Vec3::splat(RIM * 2.0));
    let pixels_per_unit = (width / size.x).min(height / size.y).min(PIXELS_PER_UNIT_MAX);
    let half = Vec3::new(width, height, 0.0) * (0.5 / pixels_per_unit);
    let world = &stage.map.models[0];
    View {
        mins: (middle - half).with_z(world.mins.z),
        maxs: (middle + half).with_z(world.maxs.z),
        cut: exhibit.from.origin.z + stage.terrain.feet + CUT_HEIGHT,
        pixels_per_unit,
    }
}

/// The floors: the thrower's, and the target's on his side of the picture if it is another.
fn ground(stage: &Stage, scenery: &Scenery<'_>, exhibit: &Exhibit, view: &View) -> Result<Pixmap> {
    let (from, at) = (exhibit.from.origin, exhibit.at.origin);
    let floor = |origin: Vec3| -> Result<Pixmap> {
        let view = View { cut: origin.z + stage.terrain.feet + CUT_HEIGHT, ..*view };
        let ground = plan::draw(scenery.map, scenery.scene.solids, &view).context("the throw is too long to draw")?;
        let mut canvas = Canvas { pixmap: ground };
        draw_movers(&mut canvas, scenery, &view);
        Ok(canvas.pixmap)
    };
    if (from.z - at.z).abs() <= STOREY {
        return floor(if from.z > at.z { from } else { at });
    }
    let (mut here, there) = (floor(from)?, floor(at)?);
    let (thrower, target) = (view.place(from), view.place(at));
    let width = here.width() as usize;
    let pixels = here.data_mut().chunks_exact_mut(4).zip(there.data().chunks_exact(4)).enumerate();
    for (index, (here, there)) in pixels {
        let (x, y) = ((index % width) as f32, (index / width) as f32);
        let apart = |(px, py): (f32, f32)| (px - x) * (px - x) + (py - y) * (py - y);
        if apart(target) < apart(thrower) {
            here.copy_from_slice(there);
        }
    }
    Ok(here)
}

/// What the explosion reaches in plan: a disc, cut where a wall hides it.
fn draw_blast(canvas: &mut Canvas, scene: &Scene<'_>, exhibit: &Exhibit, radius: f32, view: &View) {
    const RAYS: u32 = 360;
    let centre = exhibit.steady.ending.place + Vec3::Z * 16.0;
    let outline: Vec<(f32, f32)> = (0..=RAYS)
        .map(|ray| {
            let turn = ray as f32 / RAYS as f32 * std::f32::consts::TAU;
            let way = Vec3::new(fireteam_world::maths::cos(turn), fireteam_world::maths::sin(turn), 0.0);
            let sweep = Sweep::ray(centre, centre + way * radius, Contents::MASK_SOLID);
            view.place(scene.sweep(&sweep, None).end)
        })
        .collect();
    let at = view.place(exhibit.steady.ending.place);
    let glow = glow(at, radius * view.pixels_per_unit, ink([1.0, 0.62, 0.18], 0.72), ink(BLAST, 0.14));
    canvas.polygon(&outline, &glow);
    canvas.line(&outline, 1.6, ink(mix(BLAST, INK, 0.25), 0.85));
}

fn draw_steady(canvas: &mut Canvas, exhibit: &Exhibit, view: &View) {
    let path = drawn_path(&exhibit.steady.trajectory);
    let line: Vec<(f32, f32)> = path.iter().map(|point| view.place(*point)).collect();
    canvas.line(&line, 6.8, ink([1.0; 3], 0.95));
    let feet = exhibit.from.origin.z - 24.0;
    for pair in path.windows(2) {
        let colour = colours::of_height((pair[0].z + pair[1].z) * 0.5 - feet);
        canvas.line(&[view.place(pair[0]), view.place(pair[1])], 3.8, ink(colour, 1.0));
    }
    star(canvas, view.place(exhibit.steady.ending.place));
    let mut numbered = Numbered::default();
    for (number, bounce) in exhibit.steady.trajectory.bounces.iter().enumerate() {
        numbered.draw(canvas, view.place(bounce.point), number + 1);
    }
}

/// Bounces with their numbers; those that come too close to another's get a dot.
#[derive(Default)]
pub(super) struct Numbered {
    drawn: Vec<(f32, f32)>,
}

impl Numbered {
    pub(super) fn draw(&mut self, canvas: &mut Canvas, at: (f32, f32), number: usize) {
        const APART: f32 = 17.0;
        const UNDER_STAR: usize = 9;
        let is_near = |other: &(f32, f32)| (other.0 - at.0).hypot(other.1 - at.1) < APART;
        if number > UNDER_STAR || self.drawn.iter().any(is_near) {
            canvas.dot(at, 3.0, ink(INK, 1.0));
            canvas.dot(at, 1.8, ink([1.0; 3], 1.0));
            return;
        }
        canvas.dot(at, 8.6, ink(INK, 1.0));
        canvas.dot(at, 7.2, ink([1.0; 3], 1.0));
        canvas.write(&number.to_string(), (at.0 + 1.0, at.1 + 4.4), Side::Middle, SMALL, ink(INK, 1.0));
        self.drawn.push(at);
    }
}

fn draw_target(canvas: &mut Canvas, (x, y): (f32, f32)) {
    for (width, colour) in [(5.4, ink([1.0; 3], 0.95)), (2.6, ink(TARGET, 1.0))] {
        canvas.ring((x, y), 10.0, width, colour);
        for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            canvas.line(&[(x + dx * 6.0, y + dy * 6.0), (x + dx * 15.0, y + dy * 15.0)], width, colour);
        }
    }
}

/// A disc with a nose that shows where he looks.
fn draw_thrower(canvas: &mut Canvas, exhibit: &Exhibit, view: &View) {
    let ahead = fireteam_world::maths::game_axes(0.0, exhibit.throw.yaw, 0.0).forward;
    let (x, y) = view.place(exhibit.from.origin);
    let (dx, dy) = (ahead.x, -ahead.y);
    let nose = |long: f32, wide: f32| {
        [(x + dx * long, y + dy * long), (x - dy * wide, y + dx * wide), (x + dy * wide, y - dx * wide)]
    };
    canvas.polygon(&nose(21.0, 9.0), &paint(ink([1.0; 3], 0.95)));
    canvas.dot((x, y), 9.6, ink([1.0; 3], 0.95));
    canvas.polygon(&nose(18.0, 7.0), &paint(ink(THROWER, 1.0)));
    canvas.dot((x, y), 7.6, ink(THROWER, 1.0));
    canvas.dot((x, y), 2.6, ink([1.0; 3], 1.0));
}

/// A player from the side, `at` his origin: a box as wide and high as he is.
pub(super) fn draw_body(canvas: &mut Canvas, (x, y): (f32, f32), scale: f32, colour: Rgb) {
    const HALF: f32 = 15.0;
    const BELOW: f32 = 24.0;
    const ABOVE: f32 = 32.0;
    let block = |grow: f32| {
        let (left, top) = (x - HALF * scale - grow, y - ABOVE * scale - grow);
        (left, top, HALF * 2.0 * scale + grow * 2.0, (ABOVE + BELOW) * scale + grow * 2.0)
    };
    let (left, top, width, height) = block(1.5);
    canvas.block(left, top, width, height, ink([1.0; 3], 0.95));
    let (left, top, width, height) = block(0.0);
    canvas.block(left, top, width, height, ink(colour, 0.9));
}

/// What the throw is and does, in words; returns where the next line may go.
fn write_facts(sheet: &mut Canvas, stage: &Stage, exhibit: &Exhibit, x: f32) -> f32 {
    let mut y = MARGIN + TITLE.size;
    sheet.write(&stage.map.name, (x, y), Side::Right, TITLE, ink(INK, 1.0));
    y += 30.0;
    let (from, at) = (exhibit.pick.from.0, exhibit.pick.at.0);
    let heading = format!("{} from w{from} at w{at}", stage.throwable_name);
    sheet.write(&heading, (x, y), Side::Right, HEADING, ink(INK, 1.0));
    y += 24.0;
    for line in facts(stage, exhibit) {
        for line in wrapped(&line, COLUMN, BODY) {
            sheet.write(&line, (x, y), Side::Right, BODY, ink(INK, 1.0));
            y += 18.0;
        }
    }
    y
}

fn facts(stage: &Stage, exhibit: &Exhibit) -> Vec<String> {
    let place = |at: Vec3| format!("{:.0},{:.0},{:.0}", at.x, at.y, at.z);
    let (throw, verdict, flown) = (&exhibit.throw, &exhibit.verdict, &exhibit.salvo.steady);
    let mut lines = vec![
        format!("stands at {}, target at {}", place(exhibit.from.origin), place(exhibit.at.origin)),
        format!(
            "yaw {:.1}°, pitch {:.0}°, {:.0} units a second{}{}",
            throw.yaw,
            throw.pitch,
            throw.speed,
            if exhibit.pick.stored.is_crouched { ", crouched" } else { "" },
            if throw.cooked_ms > 0 { format!(", held for {:.1} s", seconds(throw.cooked_ms)) } else { String::new() },
        ),
        format!("{} on {}; {}", counted(flown.bounces, "bounce"), counted(flown.planes, "plane"), when(flown)),
        format!(
            "{} of {} unsteady throws hit, for {:.0} points on average; the steady one for {}",
            exhibit.hits(),
            exhibit.unsteady.len(),
            verdict.points,
            exhibit.steady.points
        ),
        format!("may be {}° off sideways, {}° up or down", exhibit.tolerance.sideways(), exhibit.tolerance.upwards()),
    ];
    let sees = stage.terrain.sight.sees(exhibit.pick.from, exhibit.pick.at);
    lines.push(format!(
        "thrower {} the target, and {} where it goes off",
        if sees { "sees" } else { "does not see" },
        if exhibit.sees_end { "sees" } else { "does not see" }
    ));
    lines.extend(door_words(stage, exhibit));
    lines
}

/// What a throw asks of a door; none if it holds whatever doors do.
pub(crate) fn door_words(stage: &Stage, exhibit: &Exhibit) -> Option<String> {
    let (mover, needs) = exhibit.pick.door?;
    let spot = stage.terrain.movers.get(mover)?;
    let state = match needs {
        Needs::Open => "open",
        Needs::Shut => "shut",
    };
    let Vec3 { x, y, .. } = spot.aim;
    Some(format!("needs the {} near {x:.0},{y:.0} {state}", spot.kind.word()))
}

/// When it lies there and when it goes off.
pub(crate) fn when(flown: &Flown) -> String {
    let end = seconds(flown.end_ms);
    match flown.rest_ms < flown.end_ms {
        true => format!("lies there after {:.1} s, goes off after {end:.1} s", seconds(flown.rest_ms)),
        false => format!("goes off on its way, after {end:.1} s"),
    }
}

pub(crate) fn counted(count: u32, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

fn seconds(milliseconds: i32) -> f64 {
    f64::from(milliseconds) / 1000.0
}

/// The eight marks as bars, and their verdict.
fn draw_marks(sheet: &mut Canvas, exhibit: &Exhibit, x: f32, y: f32) -> f32 {
    const BAR: f32 = 176.0;
    const ROW: f32 = 22.0;
    let title = format!("score {:.2}: the weaker half of them", exhibit.verdict.score);
    sheet.write(&title, (x, y), Side::Right, HEADING, ink(INK, 1.0));
    let mut y = y + 26.0;
    let left = x + COLUMN - BAR - 44.0;
    for (name, mark) in exhibit.verdict.marks.each() {
        sheet.write(name, (x, y), Side::Right, BODY, ink(INK, 1.0));
        sheet.block(left, y - 10.0, BAR, 11.0, ink(mix(PAPER, INK, 0.12), 1.0));
        sheet.block(left, y - 10.0, BAR * mark, 11.0, bar_colour(mark));
        sheet.write(&format!("{mark:.2}"), (left + BAR + 8.0, y), Side::Right, BODY, ink(FAINT_INK, 1.0));
        y += ROW;
    }
    y
}

fn bar_colour(mark: f32) -> Color {
    ink(mix([0.80, 0.34, 0.16], [0.14, 0.50, 0.42], mark), 1.0)
}

fn draw_legend(sheet: &mut Canvas, x: f32, y: f32) {
    let row = |index: u32| y + 24.0 * index as f32;
    let half = x + COLUMN * 0.5;
    let word = |sheet: &mut Canvas, text: &str, x: f32, index: u32| {
        sheet.write(text, (x + 32.0, row(index)), Side::Right, BODY, ink(INK, 1.0));
    };
    sheet.dot((x + 10.0, row(0) - 4.0), 7.0, ink(THROWER, 1.0));
    word(sheet, "thrower", x, 0);
    draw_target(sheet, (half + 10.0, row(0) - 4.0));
    word(sheet, "target", half, 0);
    Numbered::default().draw(sheet, (x + 10.0, row(1) - 4.0), 1);
    word(sheet, "bounce", x, 1);
    star(sheet, (half + 10.0, row(1) - 4.0));
    word(sheet, "goes off", half, 1);
    for (x, colour, text) in [(x, HIT, "unsteady, hits"), (half, MISS, "unsteady, misses")] {
        sheet.line(&[(x, row(2) - 4.0), (x + 18.0, row(2) - 4.0)], 1.6, ink(colour, 0.9));
        sheet.dot((x + 18.0, row(2) - 4.0), 3.4, ink(colour, 1.0));
        word(sheet, text, x, 2);
    }
}
