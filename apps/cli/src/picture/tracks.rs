//! A match from above: where everyone went, and where they fell.

use anyhow::{Context, Result};
use fireteam::snapshot::{Snapshot, Team};
use fireteam_world::units::EntityId;
use fireteam_world::{Map, Scene, Vec3};
use tiny_skia::Pixmap;

use super::colours::{INK, PAPER, Rgb, ink, mix};
use super::ink::{Canvas, Side};
use super::plan::{self, View};
use super::sheet::{BODY, CUT_HEIGHT, HEADING, MARGIN, Scenery, draw_movers, draw_names, draw_north_and_scale, framed};

/// The plan's longer side, in pixels.
const PLAN: f32 = 1120.0;
/// Room for the title.
const HEAD: f32 = 56.0;
const RED: Rgb = [0.78, 0.16, 0.12];
const BLUE: Rgb = [0.10, 0.33, 0.72];
/// A place is kept this often.
const EVERY_MS: i32 = 200;

/// What there is to draw, gathered frame by frame.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    lives: Vec<Life>,
    deaths: Vec<(Team, Vec3)>,
    /// Heights of all places, to find the storey that is shown.
    heights: Vec<f32>,
}

#[derive(Debug)]
struct Life {
    player: EntityId,
    team: Team,
    number: u32,
    points: Vec<Vec3>,
    is_over: bool,
}

impl Tracks {
    pub(crate) fn look(&mut self, snapshot: &Snapshot) {
        let is_due = snapshot.time.0 % EVERY_MS < snapshot.frame_ms;
        for own in &snapshot.own {
            let known = self.lives.iter_mut().rev().find(|life| life.player == own.entity && life.number == own.life);
            let origin = own.body.origin;
            match known {
                Some(life) if own.body.is_dead && !life.is_over => {
                    life.is_over = true;
                    life.points.push(origin);
                    self.deaths.push((own.team, origin));
                }
                Some(life) if is_due && !life.is_over => {
                    life.points.push(origin);
                    self.heights.push(origin.z);
                }
                Some(_) => {}
                None if own.body.is_dead => {}
                None => self.lives.push(Life {
                    player: own.entity,
                    team: own.team,
                    number: own.life,
                    points: vec![origin],
                    is_over: false,
                }),
            }
        }
    }

    /// The height most of the time was spent at.
    fn storey(&self) -> f32 {
        let mut sorted = self.heights.clone();
        sorted.sort_by(f32::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Draws a map as a match left it. `feet` is where a body's feet are, seen from its origin.
pub(crate) fn draw(map: &Map, scene: Scene<'_>, tracks: &Tracks, feet: f32, title: &str) -> Result<Pixmap> {
    let view = View::fitting(map, tracks.storey() + feet + CUT_HEIGHT, PLAN, PLAN);
    let ground = plan::draw(map, scene.solids, &view).context("the map is too large to draw")?;
    let (width, height) = (ground.width() as f32, ground.height() as f32);
    let (sheet_width, sheet_height) = (width + MARGIN * 2.0, height + MARGIN * 2.0 + HEAD);
    let pixmap = Pixmap::new(sheet_width as u32, sheet_height as u32).context("the map is too large to draw")?;
    let mut sheet = Canvas { pixmap };
    sheet.pixmap.fill(ink(PAPER, 1.0));
    let mut plan = Canvas { pixmap: ground };
    draw_movers(&mut plan, &Scenery { map, scene, game_title: "" }, &view);
    for life in &tracks.lives {
        let points: Vec<(f32, f32)> = life.points.iter().map(|point| view.place(*point)).collect();
        plan.line(&points, 1.6, ink(colour(life.team), 0.42));
    }
    for (team, place) in &tracks.deaths {
        cross(&mut plan, view.place(*place), colour(*team));
    }
    draw_names(&mut plan, map, &view);
    draw_north_and_scale(&mut plan, &view);
    sheet.write(&map.name, (MARGIN, MARGIN + 16.0), Side::Right, HEADING, ink(INK, 1.0));
    sheet.write(title, (MARGIN, MARGIN + 38.0), Side::Right, BODY, ink(INK, 0.8));
    framed(&mut sheet, &plan.pixmap, MARGIN, MARGIN + HEAD);
    Ok(sheet.pixmap)
}

fn colour(team: Team) -> Rgb {
    match team {
        Team(1) => RED,
        Team(2) => BLUE,
        Team(_) => INK,
    }
}

fn cross(plan: &mut Canvas, (x, y): (f32, f32), colour: Rgb) {
    const ARM: f32 = 5.0;
    for (width, tint) in [(5.0, ink([1.0; 3], 0.9)), (2.4, ink(mix(colour, INK, 0.2), 1.0))] {
        plan.line(&[(x - ARM, y - ARM), (x + ARM, y + ARM)], width, tint);
        plan.line(&[(x - ARM, y + ARM), (x + ARM, y - ARM)], width, tint);
    }
}
