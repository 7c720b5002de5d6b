//! Where a match was busy: time spent as a glow over the plan, a ring where somebody killed from, a cross where somebody fell.

use anyhow::{Context, Result};
use fireteam_sim::stats::Heat;
use fireteam_world::mover::Movers;
use fireteam_world::units::Time;
use fireteam_world::{Crowd, Game, Map, Scene, Solids, Vec3};
use tiny_skia::Pixmap;

use super::colours::{INK, PAPER, Rgb, ink};
use super::ink::{Canvas, Side};
use super::plan::{self, View};
use super::sheet::{BODY, CUT_HEIGHT, HEADING, MARGIN, Scenery, draw_movers, draw_names, draw_north_and_scale, framed};

/// The plan's longer side, in pixels.
const PLAN: f32 = 1120.0;
/// Room for the title.
const HEAD: f32 = 56.0;
const BUSY: Rgb = [0.93, 0.45, 0.05];
const KILLS: Rgb = [0.10, 0.33, 0.72];
const DEATHS: Rgb = [0.70, 0.08, 0.10];
/// How much of the ground shows through where most time was spent.
const STRONGEST: f32 = 0.85;

pub(crate) fn draw(map: &Map, game: &Game, solids: &Solids, heat: &Heat, title: &str) -> Result<Pixmap> {
    let movers = Movers::of(map, game, Time(0));
    let crowd = Crowd::of(solids, movers.placed(), &[]);
    let scene = Scene { solids, crowd: &crowd };
    let view = View::fitting(map, heat.storey() + game.rules.movement.body.feet + CUT_HEIGHT, PLAN, PLAN);
    let ground = plan::draw(map, solids, &view).context("the map is too large to draw")?;
    let (width, height) = (ground.width() as f32, ground.height() as f32);
    let pixmap = Pixmap::new((width + MARGIN * 2.0) as u32, (height + MARGIN * 2.0 + HEAD) as u32)
        .context("the map is too large to draw")?;
    let mut sheet = Canvas { pixmap };
    sheet.pixmap.fill(ink(PAPER, 1.0));
    let mut plan = Canvas { pixmap: ground };
    draw_movers(&mut plan, &Scenery { map, scene, game_title: "" }, &view);
    draw_cells(&mut plan, heat, &view);
    draw_names(&mut plan, map, &view);
    draw_north_and_scale(&mut plan, &view);
    sheet.write(&map.name, (MARGIN, MARGIN + 16.0), Side::Right, HEADING, ink(INK, 1.0));
    let legend = format!("{title}; glow: time spent, ring: killed from there, cross: fell there");
    sheet.write(&legend, (MARGIN, MARGIN + 38.0), Side::Right, BODY, ink(INK, 0.8));
    framed(&mut sheet, &plan.pixmap, MARGIN, MARGIN + HEAD);
    Ok(sheet.pixmap)
}

fn draw_cells(plan: &mut Canvas, heat: &Heat, view: &View) {
    let most = heat.traffic.iter().copied().fold(0.0, f32::max).max(f32::MIN_POSITIVE);
    let corner = |column: usize, row: usize| {
        let [x, y] = heat.origin;
        view.place(Vec3::new(x + column as f32 * heat.cell, y + row as f32 * heat.cell, 0.0))
    };
    for (index, seconds) in heat.traffic.iter().enumerate().filter(|(_, seconds)| **seconds > 0.0) {
        let (column, row) = (index % heat.width, index / heat.width);
        let ((west, south), (east, north)) = (corner(column, row), corner(column + 1, row + 1));
        // By the root: corridors that were run through show beside places where somebody waited.
        let strength = (seconds / most).sqrt() * STRONGEST;
        plan.block(west, north, east - west, south - north, ink(BUSY, strength));
    }
    for (counts, is_kill) in [(&heat.kills, true), (&heat.deaths, false)] {
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (column, row) = (index % heat.width, index / heat.width);
            let ((west, south), (east, north)) = (corner(column, row), corner(column + 1, row + 1));
            let middle = ((west + east) * 0.5, (south + north) * 0.5);
            let size = 3.0 + 2.0 * (*count as f32).sqrt();
            if is_kill {
                plan.ring(middle, size + 2.0, 2.2, ink(KILLS, 0.95));
            } else {
                let (x, y) = middle;
                plan.line(&[(x - size, y - size), (x + size, y + size)], 2.4, ink(DEATHS, 1.0));
                plan.line(&[(x - size, y + size), (x + size, y - size)], 2.4, ink(DEATHS, 1.0));
            }
        }
    }
}
