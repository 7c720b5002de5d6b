//! The sheet: a plan of the ground floor with the throws on it, and beside it the storey above, the best throw from
//! the side, a legend and a scale.

use anyhow::{Context, Result};
use fireteam_world::flight::Trajectory;
use fireteam_world::{Contents, Map, Scene, Solids, Sweep, Vec3};
use tiny_skia::Pixmap;

use super::colours::{self, BLAST, CUT, FAINT_INK, HEIGHT_TOP, INK, PAPER, Rgb, THROWER, ink, mix};
use super::ink::{Canvas, Side, glow, paint};
use super::letters::Lettering;
use super::plan::{self, View};
use crate::fan::{self, Demonstration, Flown};

/// The plan's longer side, in pixels.
const PLAN: f32 = 1120.0;
pub(super) const MARGIN: f32 = 44.0;
const COLUMN: f32 = 440.0;
/// Above the thrower's feet: over crates and window sills, under ceilings.
pub(super) const CUT_HEIGHT: f32 = 72.0;
const STOREY: f32 = 160.0;

pub(super) const TITLE: Lettering = Lettering { size: 34.0, pen: 4.4 };
pub(super) const HEADING: Lettering = Lettering { size: 12.5, pen: 1.9 };
pub(super) const BODY: Lettering = Lettering { size: 11.0, pen: 1.35 };
pub(super) const NAME: Lettering = Lettering { size: 10.0, pen: 1.4 };
pub(super) const SMALL: Lettering = Lettering { size: 9.0, pen: 1.15 };

/// What is drawn.
pub(crate) struct Scenery<'a> {
    pub(crate) map: &'a Map,
    /// With doors, lifts and panes where they stand.
    pub(crate) scene: Scene<'a>,
    pub(crate) game_title: &'a str,
}

/// Draws the whole sheet. `floor` is the height the ground floor is cut above.
pub(crate) fn draw(scenery: &Scenery<'_>, demonstration: Option<&Demonstration>, floor: f32) -> Result<Pixmap> {
    let view = View::fitting(scenery.map, floor + CUT_HEIGHT, PLAN, PLAN);
    let ground = plan::draw(scenery.map, scenery.scene.solids, &view).context("the map is too large to draw")?;
    let (width, height) = (ground.width() as f32, ground.height() as f32);
    let sheet_height = height.max(860.0) + MARGIN * 2.0;
    let sheet_width = width + COLUMN + MARGIN * 3.0;
    let pixmap = Pixmap::new(sheet_width as u32, sheet_height as u32).context("the map is too large to draw")?;
    let mut sheet = Canvas { pixmap };
    sheet.pixmap.fill(ink(PAPER, 1.0));

    let mut plan = Canvas { pixmap: ground };
    draw_movers(&mut plan, scenery, &view);
    if let Some(demonstration) = demonstration {
        draw_throws(&mut plan, scenery, demonstration, &view);
    }
    draw_names(&mut plan, scenery.map, &view);
    draw_north_and_scale(&mut plan, &view);
    framed(&mut sheet, &plan.pixmap, MARGIN, MARGIN);
    draw_column(&mut sheet, scenery, demonstration, floor, (MARGIN * 2.0 + width, MARGIN, height.max(860.0)))?;
    Ok(sheet.pixmap)
}

/// Pastes a picture with a thin frame and a soft edge.
pub(super) fn framed(sheet: &mut Canvas, picture: &Pixmap, x: f32, y: f32) {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    for step in 0..8 {
        let grow = 8.0 - step as f32;
        let shade = ink(INK, 0.012 + 0.004 * step as f32);
        sheet.block(x - grow + 3.0, y - grow + 4.0, width + grow * 2.0, height + grow * 2.0, shade);
    }
    sheet.paste(picture, x as i32, y as i32);
    let (right, bottom) = (x + width, y + height);
    sheet.line(&[(x, y), (right, y), (right, bottom), (x, bottom), (x, y)], 1.2, ink(INK, 0.9));
}

/// Doors as bars of wood, panes as thin blue lines.
pub(super) fn draw_movers(plan: &mut Canvas, scenery: &Scenery<'_>, view: &View) {
    for placed in scenery.scene.crowd.placed() {
        let model = &scenery.map.models[placed.model.index()];
        let (mins, maxs) = (model.mins + placed.origin, model.maxs + placed.origin);
        if mins.z > view.cut || maxs.z < view.cut - CUT_HEIGHT {
            continue;
        }
        let shader = model.brushes.first().map(|id| scenery.map.brushes[id.index()].shader);
        let name = shader.map_or("", |shader| scenery.map.shaders[shader as usize].name.as_str());
        let (left, top) = view.place(Vec3::new(mins.x, maxs.y, 0.0));
        let (right, bottom) = view.place(Vec3::new(maxs.x, mins.y, 0.0));
        let colour = colours::of_texture(name);
        plan.block(left - 0.5, top - 0.5, right - left + 1.0, bottom - top + 1.0, ink(mix(colour, INK, 0.35), 1.0));
        plan.block(
            left + 0.5,
            top + 0.5,
            (right - left - 1.0).max(0.5),
            (bottom - top - 1.0).max(0.5),
            ink(colour, 1.0),
        );
    }
}

/// What places are called: `target_location`, as Quake III's team games have it.
pub(super) fn draw_names(plan: &mut Canvas, map: &Map, view: &View) {
    for entity in map.entities.iter().filter(|entity| entity.class() == "target_location") {
        let (at, Some(name)) = (entity.origin(), entity.get("message")) else { continue };
        if (view.cut - CUT_HEIGHT - 8.0..view.cut + 48.0).contains(&at.z) {
            let halo = Lettering { pen: NAME.pen + 3.2, ..NAME };
            plan.write(name, view.place(at), Side::Middle, halo, ink(PAPER, 0.72));
            plan.write(name, view.place(at), Side::Middle, NAME, ink(INK, 0.92));
        }
    }
}

fn draw_throws(plan: &mut Canvas, scenery: &Scenery<'_>, show: &Demonstration, view: &View) {
    let feet = feet_of(show);
    for one in &show.flown {
        draw_trajectory(plan, view, &one.trajectory, feet, Weight { width: 1.1, alpha: 0.34, shadow: 0.05 });
    }
    for one in &show.flown {
        plan.dot(view.place(one.ending.place), 1.9, ink(mix(BLAST, INK, 0.15), 0.75));
    }
    if let Some(best) = show.best.map(|index| &show.flown[index]) {
        draw_blast(plan, scenery, show, best, view);
        draw_trajectory(plan, view, &best.trajectory, feet, Weight { width: 4.6, alpha: 0.0, shadow: 0.38 });
        casing(plan, view, &best.trajectory);
        draw_trajectory(plan, view, &best.trajectory, feet, Weight { width: 3.4, alpha: 1.0, shadow: 0.0 });
        for bounce in &best.trajectory.bounces {
            let at = view.place(bounce.point);
            plan.dot(at, 4.4, ink(INK, 1.0));
            plan.dot(at, 3.0, ink([1.0; 3], 1.0));
        }
        star(plan, view.place(best.ending.place));
    }
    let at = view.place(show.thrower.origin);
    plan.dot(at, 9.0, ink([1.0; 3], 0.95));
    plan.dot(at, 7.0, ink(THROWER, 1.0));
    plan.dot(at, 2.4, ink([1.0; 3], 1.0));
}

fn feet_of(show: &Demonstration) -> f32 {
    show.thrower.origin.z - 24.0
}

#[derive(Clone, Copy)]
struct Weight {
    width: f32,
    alpha: f32,
    shadow: f32,
}

/// A flight from above: its shadow on the ground, fallen to the south-east by its height, then itself.
fn draw_trajectory(plan: &mut Canvas, view: &View, trajectory: &Trajectory, feet: f32, weight: Weight) {
    const SHADOW_SLOPE: f32 = 0.32;
    let path = drawn_path(trajectory);
    if weight.shadow > 0.0 {
        let fall = |point: &Vec3| {
            let (x, y) = view.place(*point);
            let drop = (point.z - feet).max(0.0) * view.pixels_per_unit * SHADOW_SLOPE;
            (x + drop * 0.62, y + drop * 0.785)
        };
        let shadow: Vec<(f32, f32)> = path.iter().map(fall).collect();
        plan.line(&shadow, weight.width, ink([0.05, 0.06, 0.12], weight.shadow));
    }
    if weight.alpha > 0.0 {
        for pair in path.windows(2) {
            let height = (pair[0].z + pair[1].z) * 0.5 - feet;
            let colour = ink(colours::of_height(height), weight.alpha);
            plan.line(&[view.place(pair[0]), view.place(pair[1])], weight.width, colour);
        }
    }
}

fn casing(plan: &mut Canvas, view: &View, trajectory: &Trajectory) {
    let path: Vec<(f32, f32)> = drawn_path(trajectory).iter().map(|point| view.place(*point)).collect();
    plan.line(&path, 6.4, ink([1.0; 3], 0.95));
}

/// The places after each frame, with the bounces between them put in: frames alone cut corners.
pub(super) fn drawn_path(trajectory: &Trajectory) -> Vec<Vec3> {
    let mut path: Vec<Vec3> = Vec::with_capacity(trajectory.points.len() + trajectory.bounces.len());
    let mut bounces = trajectory.bounces.iter().peekable();
    for pair in trajectory.points.windows(2) {
        path.push(pair[0]);
        // A bounce belongs between two places if going by it is hardly a detour.
        while let Some(bounce) = bounces.peek() {
            let detour = pair[0].distance(bounce.point) + bounce.point.distance(pair[1]);
            if detour > pair[0].distance(pair[1]) * 1.6 + 24.0 {
                break;
            }
            path.push(bounce.point);
            bounces.next();
        }
    }
    path.extend(trajectory.points.last());
    path
}

/// What the explosion reaches in plan: a disc, cut where a wall hides it.
fn draw_blast(plan: &mut Canvas, scenery: &Scenery<'_>, show: &Demonstration, best: &Flown, view: &View) {
    const RAYS: u32 = 720;
    let centre = best.ending.place + Vec3::Z * 16.0;
    let outline: Vec<(f32, f32)> = (0..RAYS)
        .map(|ray| {
            let turn = ray as f32 / RAYS as f32 * std::f32::consts::TAU;
            let way = Vec3::new(fireteam_world::maths::cos(turn), fireteam_world::maths::sin(turn), 0.0);
            let sweep = Sweep::ray(centre, centre + way * show.blast.radius, Contents::MASK_SOLID);
            view.place(scenery.scene.sweep(&sweep, None).end)
        })
        .collect();
    let at = view.place(best.ending.place);
    let radius = show.blast.radius * view.pixels_per_unit;
    plan.polygon(&outline, &glow(at, radius, ink([1.0, 0.62, 0.18], 0.80), ink(BLAST, 0.16)));
    let mut closed = outline.clone();
    closed.extend(outline.first());
    plan.line(&closed, 1.6, ink(mix(BLAST, INK, 0.25), 0.85));
}

pub(super) fn star(plan: &mut Canvas, (x, y): (f32, f32)) {
    let point = |index: u32, radius: f32| {
        let turn = index as f32 / 16.0 * std::f32::consts::TAU;
        (x + fireteam_world::maths::cos(turn) * radius, y + fireteam_world::maths::sin(turn) * radius)
    };
    let shape = |long: f32, short: f32| -> Vec<(f32, f32)> {
        (0..16).map(|index| point(index, if index % 2 == 0 { long } else { short })).collect()
    };
    plan.polygon(&shape(16.0, 8.0), &paint(ink([1.0; 3], 1.0)));
    plan.polygon(&shape(13.0, 6.0), &paint(ink([0.86, 0.16, 0.08], 1.0)));
    plan.dot((x, y), 3.2, ink([1.0, 0.93, 0.55], 1.0));
}

pub(super) fn draw_north_and_scale(plan: &mut Canvas, view: &View) {
    const SCALE_UNITS: f32 = 256.0;
    let (width, height) = (plan.pixmap.width() as f32, plan.pixmap.height() as f32);
    let length = SCALE_UNITS * view.pixels_per_unit;
    let (left, bottom) = (26.0, height - 26.0);
    plan.block(left - 10.0, bottom - 24.0, length + 20.0, 34.0, ink(PAPER, 0.86));
    plan.line(
        &[(left, bottom - 5.0), (left, bottom), (left + length, bottom), (left + length, bottom - 5.0)],
        1.6,
        ink(INK, 1.0),
    );
    plan.write("256 units", (left + length * 0.5, bottom - 7.0), Side::Middle, SMALL, ink(INK, 1.0));
    let (x, y) = (width - 34.0, 44.0);
    plan.dot((x, y), 20.0, ink(PAPER, 0.86));
    plan.polygon(&[(x, y - 15.0), (x + 6.0, y + 9.0), (x, y + 4.0)], &paint(ink(INK, 1.0)));
    plan.polygon(&[(x, y - 15.0), (x - 6.0, y + 9.0), (x, y + 4.0)], &paint(ink(FAINT_INK, 1.0)));
}

fn draw_column(
    sheet: &mut Canvas,
    scenery: &Scenery<'_>,
    show: Option<&Demonstration>,
    floor: f32,
    (x, top, height): (f32, f32, f32),
) -> Result<()> {
    let mut y = top + TITLE.size;
    sheet.write(&scenery.map.name, (x, y), Side::Right, TITLE, ink(INK, 1.0));
    y += 26.0;
    for line in wrapped(scenery.map.entities.first().and_then(|world| world.get("message")).unwrap_or(""), COLUMN, BODY)
    {
        sheet.write(&line, (x, y), Side::Right, BODY, ink(FAINT_INK, 1.0));
        y += 18.0;
    }
    y += 12.0;
    if let Some(show) = show {
        y = draw_figures(sheet, scenery, show, x, y);
    }
    let above = View::fitting(scenery.map, floor + STOREY + CUT_HEIGHT, COLUMN, COLUMN);
    sheet.write("one storey up", (x, y + 12.0), Side::Right, HEADING, ink(INK, 1.0));
    let upper = plan::draw(scenery.map, scenery.scene.solids, &above).context("the map is too large to draw")?;
    let upper_height = upper.height() as f32;
    framed(sheet, &upper, x, y + 24.0);
    y += 24.0 + upper_height + 34.0;
    if let Some(best) = show.and_then(|show| show.best.map(|index| (show, &show.flown[index]))) {
        y = draw_profile(sheet, scenery, best.0, best.1, (x, y));
    }
    if show.is_some() {
        draw_legend(sheet, x, y.min(top + height - 118.0));
    }
    Ok(())
}

fn draw_figures(sheet: &mut Canvas, scenery: &Scenery<'_>, show: &Demonstration, x: f32, y: f32) -> f32 {
    let bounces: usize = show.flown.iter().map(|one| one.trajectory.bounces.len()).sum();
    let mut lines = vec![
        format!("{} throws of a {} ({})", show.flown.len(), show.throwable_name, scenery.game_title),
        format!("{bounces} bounces, {} of {} places out of sight", show.hidden_places, show.places),
    ];
    if let Some(best) = show.best.map(|index| &show.flown[index]) {
        let walls = best.trajectory.bounces.len();
        let distance = best.ending.place.distance(show.thrower.origin);
        lines.push(format!("best: {walls} bounces, {distance:.0} units away,"));
        lines.push(format!(
            "reaches {} hidden places, up to {} points",
            best.effect.hidden_places, best.effect.points_max
        ));
    }
    let mut y = y;
    for line in lines {
        sheet.write(&line, (x, y), Side::Right, BODY, ink(INK, 1.0));
        y += 18.0;
    }
    y + 10.0
}

/// The best throw from the side: way along the ground to the right, height upwards.
struct Profile {
    path: Vec<Vec3>,
    /// How far each point of the path lies along the ground.
    way: Vec<f32>,
    /// Heights at the lower and the upper edge.
    low: f32,
    high: f32,
    left: f32,
    top: f32,
    bottom: f32,
}

impl Profile {
    const HEIGHT: f32 = 118.0;

    fn new(best: &Flown, feet: f32, (left, top): (f32, f32)) -> Profile {
        let path = drawn_path(&best.trajectory);
        let mut way = vec![0.0];
        for pair in path.windows(2) {
            way.push(way[way.len() - 1] + pair[0].truncate().distance(pair[1].truncate()));
        }
        let low = path.iter().map(|point| point.z).fold(feet, f32::min) - 16.0;
        let high = path.iter().map(|point| point.z).fold(feet + 128.0, f32::max) + 24.0;
        Profile { path, way, low, high, left, top, bottom: top + Profile::HEIGHT }
    }

    fn place(&self, index: usize, z: f32) -> (f32, f32) {
        let across = COLUMN / self.way[self.way.len() - 1].max(1.0);
        let upward = Profile::HEIGHT / (self.high - self.low);
        (self.left + self.way[index] * across, self.bottom - (z - self.low) * upward)
    }

    fn nearest(&self, point: Vec3) -> usize {
        let distance = |index: &usize| self.path[*index].distance(point);
        (0..self.path.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }
}

fn draw_profile(
    sheet: &mut Canvas,
    scenery: &Scenery<'_>,
    show: &Demonstration,
    best: &Flown,
    (x, y): (f32, f32),
) -> f32 {
    let feet = feet_of(show);
    let profile = Profile::new(best, feet, (x, y + 14.0));
    let (top, bottom) = (profile.top, profile.bottom);
    sheet.write("the best throw, from the side", (x, y), Side::Right, HEADING, ink(INK, 1.0));
    sheet.block(x, top, COLUMN, Profile::HEIGHT, ink(mix(PAPER, [1.0; 3], 0.6), 1.0));
    for (index, pair) in profile.path.windows(2).enumerate() {
        let ground = floor_below(scenery.scene.solids, (pair[0] + pair[1]) * 0.5).max(profile.low);
        let (left, y) = profile.place(index, ground);
        let width = profile.place(index + 1, ground).0 - left;
        sheet.block(left, y.min(bottom - 1.0), width.max(0.6), bottom - y.min(bottom - 1.0), ink(CUT, 0.9));
    }
    for (index, pair) in profile.path.windows(2).enumerate() {
        let colour = colours::of_height((pair[0].z + pair[1].z) * 0.5 - feet);
        let line = [profile.place(index, pair[0].z), profile.place(index + 1, pair[1].z)];
        sheet.line(&line, 2.4, ink(colour, 1.0));
    }
    for bounce in &best.trajectory.bounces {
        let at = profile.place(profile.nearest(bounce.point), bounce.point.z);
        if bounce.normal.z.abs() < fan::WALL_NORMAL_Z {
            sheet.dashes(&[(at.0, top), (at.0, bottom)], 1.2, 3.0, ink(INK, 0.55));
        }
        sheet.dot(at, 3.2, ink(INK, 1.0));
        sheet.dot(at, 1.9, ink([1.0; 3], 1.0));
    }
    let right = x + COLUMN;
    sheet.line(&[(x, top), (right, top), (right, bottom), (x, bottom), (x, top)], 1.0, ink(INK, 0.8));
    bottom + 34.0
}

fn floor_below(solids: &Solids, point: Vec3) -> f32 {
    let deep = point - Vec3::Z * 2048.0;
    solids.sweep(&Sweep::ray(point + Vec3::Z, deep, Contents::MASK_SOLID)).end.z
}

fn draw_legend(sheet: &mut Canvas, x: f32, y: f32) {
    let row = |index: u32| y + 22.0 * index as f32;
    let half = x + COLUMN * 0.42;
    sheet.dot((x + 8.0, row(0) - 4.0), 7.0, ink(THROWER, 1.0));
    sheet.dot((x + 8.0, row(0) - 4.0), 2.4, ink([1.0; 3], 1.0));
    sheet.write("thrower", (x + 26.0, row(0)), Side::Right, BODY, ink(INK, 1.0));
    star(sheet, (half + 8.0, row(0) - 4.0));
    sheet.write("where the best goes off", (half + 28.0, row(0)), Side::Right, BODY, ink(INK, 1.0));
    sheet.dot((x + 8.0, row(1) - 4.0), 4.4, ink(INK, 1.0));
    sheet.dot((x + 8.0, row(1) - 4.0), 3.0, ink([1.0; 3], 1.0));
    sheet.write("bounce", (x + 26.0, row(1)), Side::Right, BODY, ink(INK, 1.0));
    let glow = glow((half + 8.0, row(1) - 4.0), 10.0, ink([1.0, 0.62, 0.18], 0.9), ink(BLAST, 0.3));
    sheet.polygon(
        &[
            (half - 2.0, row(1) - 12.0),
            (half + 18.0, row(1) - 12.0),
            (half + 18.0, row(1) + 4.0),
            (half - 2.0, row(1) + 4.0),
        ],
        &glow,
    );
    sheet.write("what its blast reaches", (half + 28.0, row(1)), Side::Right, BODY, ink(INK, 1.0));
    sheet.block(x + 2.0, row(2) - 11.0, 14.0, 14.0, ink(CUT, 1.0));
    sheet.write("wall, cut", (x + 26.0, row(2)), Side::Right, BODY, ink(INK, 1.0));
    let (from, length) = (half - 2.0, 96.0);
    for step in 0..48 {
        let share = step as f32 / 48.0;
        let colour: Rgb = colours::of_height(share * HEIGHT_TOP);
        sheet.block(from + share * length, row(2) - 10.0, length / 48.0 + 0.6, 10.0, ink(colour, 1.0));
    }
    sheet.write("0 to 320 units up", (from + length + 10.0, row(2)), Side::Right, BODY, ink(INK, 1.0));
}

pub(super) fn wrapped(text: &str, width: f32, letters: Lettering) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer {
            Some(line) if letters.width(&line) <= width => {
                lines.pop();
                lines.push(line);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
