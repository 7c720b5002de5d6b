//! A terrain from above, on a sheet: its floors, and over them links by kind, areas by class, sight or a value.
//!
//! The large plan shows the highest floors, the small one beside it the lowest, so that what lies under a roof or a
//! bridge is seen as well. What is drawn over a floor that the plan does not show is faint.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};
use fireteam_terrain::{AreaClass, Link, SpanFlags, Terrain, Values, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::walker::Travel;
use tiny_skia::Pixmap;

use super::colours::{FAINT_INK, INK, PAPER, Rgb, ink, mix};
use super::floors::{Floors, Meeting, Shown, Style};
use super::ink::{Canvas, Side, paint};
use super::plan::View;
use super::sheet::{self, BODY, HEADING, MARGIN, NAME, SMALL, TITLE};

/// The large plan's longer side, in pixels, and the small one's.
const PLAN: f32 = 1240.0;
const COLUMN: f32 = 430.0;
/// Around the ground, in units.
const RIM: f32 = 48.0;

/// What is drawn over the floors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Links,
    Areas,
    /// What is seen from a waypoint.
    Sight(WaypointId),
    /// A column of the values, by its place in [`Values::NAMES`].
    Value(usize),
}

impl Subject {
    pub(crate) fn name(self) -> String {
        match self {
            Subject::Links => "links".to_owned(),
            Subject::Areas => "areas".to_owned(),
            Subject::Sight(from) => format!("sight-w{}", from.0),
            Subject::Value(column) => Values::NAMES[column].to_owned(),
        }
    }

    fn title(self) -> String {
        match self {
            Subject::Links => "floors, and links by kind".to_owned(),
            Subject::Areas => "areas by class, and the portals between them".to_owned(),
            Subject::Sight(from) => format!("what is seen from w{}", from.0),
            Subject::Value(column) => format!("{}: {}", Values::NAMES[column], MEANINGS[column]),
        }
    }
}

/// What each value says, by its place in [`Values::NAMES`].
const MEANINGS: [&str; 8] = [
    "how many ways lead off",
    "how many places are seen",
    "how far one sees",
    "from how many places one is seen",
    "how much cover is near",
    "how brightly one is lit",
    "how many routes lead through",
    "how high above what is overlooked",
];

const WATER: Rgb = [0.36, 0.58, 0.72];
const HARM: Rgb = [0.86, 0.40, 0.20];
const PLAIN: Rgb = [0.80, 0.79, 0.76];
const SEEN: Rgb = [0.98, 0.84, 0.38];
const COVERED: Rgb = [0.62, 0.77, 0.55];
const HIDDEN: Rgb = [0.50, 0.51, 0.54];
const EYE: Rgb = [0.78, 0.16, 0.14];

/// Draws the sheet; `heights` leaves only the floors between them.
pub(crate) fn draw(terrain: &Terrain, subject: Subject, heights: Option<RangeInclusive<f32>>) -> Result<Pixmap> {
    let heights = heights.unwrap_or(f32::NEG_INFINITY..=f32::INFINITY);
    let chart = Chart::new(terrain, subject, heights)?;
    let large = chart.plan(Shown::Highest, PLAN)?;
    let small = chart.plan(Shown::Lowest, COLUMN)?;
    let (width, height) = (large.width() as f32, large.height() as f32);
    // How long the column gets is known when it has been written once, on a sheet that nobody sees.
    let mut draft = Canvas { pixmap: Pixmap::new(1, 1).context("a pixel is not too large")? };
    let head = chart.write_head(&mut draft, 0.0);
    let column = chart.write_legend(&mut draft, 0.0, head + 14.0) + 36.0 + small.height() as f32;
    let sheet_height = (height + MARGIN).max(column) + MARGIN;
    let sheet_width = width + COLUMN + MARGIN * 3.0;
    let pixmap = Pixmap::new(sheet_width as u32, sheet_height as u32).context("the map is too large to draw")?;
    let mut canvas = Canvas { pixmap };
    canvas.pixmap.fill(ink(PAPER, 1.0));
    sheet::framed(&mut canvas, &large, MARGIN, MARGIN);
    let x = MARGIN * 2.0 + width;
    let y = chart.write_head(&mut canvas, x);
    let y = chart.write_legend(&mut canvas, x, y + 14.0);
    canvas.write("the lowest floors", (x, y + 22.0), Side::Right, HEADING, ink(INK, 1.0));
    sheet::framed(&mut canvas, &small, x, y + 36.0);
    Ok(canvas.pixmap)
}

struct Chart<'a> {
    terrain: &'a Terrain,
    subject: Subject,
    heights: RangeInclusive<f32>,
    mins: Vec3,
    maxs: Vec3,
}

impl<'a> Chart<'a> {
    fn new(terrain: &'a Terrain, subject: Subject, heights: RangeInclusive<f32>) -> Result<Chart<'a>> {
        let ground = &terrain.ground;
        let (mut mins, mut maxs) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for column in 0..ground.columns() {
            let centre = ground.centre(column);
            let spans = ground.column(column).iter().map(|span| f32::from(span.feet));
            for feet in spans.filter(|feet| heights.contains(feet)) {
                mins = mins.min(centre.with_z(feet));
                maxs = maxs.max(centre.with_z(feet));
            }
        }
        ensure!(mins.is_finite(), "there is no floor at these heights: leave out --floors, or widen it");
        let rim = Vec3::new(RIM, RIM, 0.0);
        Ok(Chart { terrain, subject, heights, mins: mins - rim, maxs: maxs + rim })
    }

    /// The floors with everything drawn over them, in so many pixels.
    fn plan(&self, shown: Shown, pixels: f32) -> Result<Pixmap> {
        let size = self.maxs - self.mins;
        let view = View {
            mins: self.mins,
            maxs: self.maxs,
            cut: self.maxs.z,
            pixels_per_unit: (pixels / size.x).min(pixels / size.y),
        };
        let style = Style {
            view,
            shown,
            heights: self.heights.clone(),
            meeting: if self.subject == Subject::Areas { Meeting::Sharp } else { Meeting::Blended },
            // Where colours mean something, shadows must not change them much.
            light: if self.subject == Subject::Links { 0.8 } else { 0.5 },
            colour: &|span| self.floor_colour(span),
            border: &|span| if self.subject == Subject::Areas { u32::from(self.area_of(span)) } else { 0 },
        };
        let floors = Floors::draw(&self.terrain.ground, &style).context("the map is too large to draw")?;
        let mut plan =
            Plan { terrain: self.terrain, view, floors: &floors, canvas: Canvas { pixmap: floors.pixmap.clone() } };
        let is_large = shown == Shown::Highest;
        match self.subject {
            Subject::Links => plan.draw_links(is_large),
            Subject::Areas => plan.draw_portals(is_large),
            Subject::Sight(from) => plan.draw_eye(from),
            Subject::Value(_) => {}
        }
        if is_large {
            sheet::draw_north_and_scale(&mut plan.canvas, &view);
        }
        Ok(plan.canvas.pixmap)
    }

    fn area_of(&self, span: usize) -> u16 {
        let owner = self.terrain.ground.spans[span].waypoint.get();
        owner.map_or(u16::MAX, |owner| self.terrain.areas.of_waypoint[owner.index()].0)
    }

    fn floor_colour(&self, span: usize) -> Rgb {
        let row = &self.terrain.ground.spans[span];
        let owner = row.waypoint.get();
        let plain = match row.flags {
            flags if flags.meets(SpanFlags::HARM) => HARM,
            flags if flags.meets(SpanFlags::SWIM) => WATER,
            flags if flags.meets(SpanFlags::LIQUID) => mix(WATER, PLAIN, 0.5),
            _ => PLAIN,
        };
        match (self.subject, owner) {
            (Subject::Links, _) => {
                let height = (f32::from(row.feet) - self.mins.z) / (self.maxs.z - self.mins.z).max(1.0);
                if plain == PLAIN { of_height(height) } else { plain }
            }
            (_, None) => mix(plain, PAPER, 0.5),
            (Subject::Areas, Some(owner)) => {
                let area = self.terrain.areas.of_waypoint[owner.index()].get();
                area.map_or(plain, |area| of_class(self.terrain.areas.areas[area.index()].class))
            }
            (Subject::Sight(from), Some(to)) => {
                let sight = &self.terrain.sight;
                match (from == to || sight.sees(from, to), from == to || sight.sees_crouched(from, to)) {
                    (true, true) => SEEN,
                    (true, false) | (false, true) => COVERED,
                    (false, false) => HIDDEN,
                }
            }
            (Subject::Value(column), Some(owner)) => {
                of_heat(f32::from(self.terrain.values.columns()[column][owner.index()]) / 255.0)
            }
        }
    }

    fn write_head(&self, canvas: &mut Canvas, x: f32) -> f32 {
        let terrain = self.terrain;
        let mut y = MARGIN + TITLE.size;
        canvas.write(&terrain.provenance.map_name, (x, y), Side::Right, TITLE, ink(INK, 1.0));
        y += 28.0;
        for line in sheet::wrapped(&self.subject.title(), COLUMN, HEADING) {
            canvas.write(&line, (x, y), Side::Right, HEADING, ink(INK, 1.0));
            y += 20.0;
        }
        let (waypoints, links) = (terrain.waypoints.len(), terrain.links.links.len());
        let mut lines = vec![format!("{waypoints} waypoints, {links} links")];
        if !terrain.areas.areas.is_empty() {
            lines.push(format!("{} areas, {} portals", terrain.areas.areas.len(), terrain.portals.portals.len()));
        }
        let (low, high) = (self.mins.z, self.maxs.z);
        lines.push(format!("floors from {low:.0} to {high:.0} units"));
        if let Subject::Sight(from) = self.subject {
            lines.push(format!("sees {} waypoints", terrain.visible_from(from).count()));
        }
        for line in lines {
            canvas.write(&line, (x, y + 4.0), Side::Right, BODY, ink(FAINT_INK, 1.0));
            y += 19.0;
        }
        y
    }

    fn write_legend(&self, canvas: &mut Canvas, x: f32, y: f32) -> f32 {
        match self.subject {
            Subject::Links => self.link_legend(canvas, x, y),
            Subject::Areas => self.area_legend(canvas, x, y),
            Subject::Sight(_) => {
                let rows = [
                    (SEEN, "seen, standing and crouched"),
                    (COVERED, "seen standing, hidden crouched"),
                    (HIDDEN, "not seen"),
                ];
                blocks(canvas, x, y, rows.into_iter().map(|(colour, word)| (colour, word.to_owned())))
            }
            Subject::Value(_) => {
                ramp(canvas, x, y, of_heat, ["least", "most"]);
                y + 30.0
            }
        }
    }

    /// The kinds that occur, with how many there are.
    fn link_legend(&self, canvas: &mut Canvas, x: f32, y: f32) -> f32 {
        let mut y = y;
        let half = COLUMN * 0.5;
        let kinds = Travel::ALL.into_iter().filter_map(|kind| {
            let count = self.terrain.links.links.iter().filter(|link| link.kind == kind).count();
            (count > 0).then_some((kind, count))
        });
        for (index, (kind, count)) in kinds.enumerate() {
            let x = x + if index % 2 == 0 { 0.0 } else { half };
            let (colour, width) = of_kind(kind);
            canvas.line(&[(x, y), (x + 26.0, y)], width + 1.0, ink(colour, 1.0));
            canvas.write(&format!("{} {count}", kind.name()), (x + 36.0, y + 4.0), Side::Right, BODY, ink(INK, 1.0));
            y += if index % 2 == 1 { 21.0 } else { 0.0 };
        }
        y += 26.0;
        let mut left = x;
        for (mark, word) in [(Mark::Spawn, "spawn"), (Mark::Item, "item"), (Mark::Plain, "waypoint")] {
            mark.draw(canvas, (left + 6.0, y), 1.4, 1.0);
            canvas.write(word, (left + 18.0, y + 4.0), Side::Right, BODY, ink(INK, 1.0));
            left += 110.0;
        }
        y += 24.0;
        ramp(canvas, x, y, of_height, ["low", "high"]);
        y + 30.0
    }

    fn area_legend(&self, canvas: &mut Canvas, x: f32, y: f32) -> f32 {
        let areas = &self.terrain.areas.areas;
        let rows = AreaClass::ALL.iter().filter_map(|class| {
            let count = areas.iter().filter(|area| area.class == *class).count();
            (count > 0).then(|| (of_class(*class), format!("{} {count}", class.word())))
        });
        let y = blocks(canvas, x, y, rows);
        let row = y + 6.0;
        canvas.dot((x + 7.0, row), 5.0, ink(INK, 1.0));
        canvas.dot((x + 7.0, row), 3.2, ink([1.0; 3], 1.0));
        canvas.write("portal", (x + 24.0, row + 4.0), Side::Right, BODY, ink(INK, 1.0));
        row + 18.0
    }
}

fn blocks(canvas: &mut Canvas, x: f32, y: f32, rows: impl Iterator<Item = (Rgb, String)>) -> f32 {
    let mut y = y;
    for (colour, word) in rows {
        canvas.block(x, y - 10.0, 15.0, 15.0, ink(mix(colour, INK, 0.3), 1.0));
        canvas.block(x + 1.0, y - 9.0, 13.0, 13.0, ink(colour, 1.0));
        canvas.write(&word, (x + 24.0, y + 2.0), Side::Right, BODY, ink(INK, 1.0));
        y += 22.0;
    }
    y
}

fn ramp(canvas: &mut Canvas, x: f32, y: f32, colour: fn(f32) -> Rgb, [low, high]: [&str; 2]) {
    const STEPS: usize = 60;
    let left = x + BODY.width(low) + 8.0;
    let length = 180.0;
    canvas.write(low, (x, y + 4.0), Side::Right, BODY, ink(INK, 1.0));
    for step in 0..STEPS {
        let share = step as f32 / STEPS as f32;
        canvas.block(left + share * length, y - 7.0, length / STEPS as f32 + 0.6, 12.0, ink(colour(share), 1.0));
    }
    canvas.write(high, (left + length + 10.0, y + 4.0), Side::Right, BODY, ink(INK, 1.0));
}

/// What a waypoint is marked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Spawn,
    Item,
    Plain,
}

impl Mark {
    fn of(flags: WaypointFlags) -> Mark {
        if flags.meets(WaypointFlags::SPAWN) {
            Mark::Spawn
        } else if flags.meets(WaypointFlags::ITEM) {
            Mark::Item
        } else {
            Mark::Plain
        }
    }

    fn draw(self, canvas: &mut Canvas, (x, y): (f32, f32), size: f32, alpha: f32) {
        match self {
            Mark::Plain => canvas.dot((x, y), 1.5 * size, ink(INK, 0.75 * alpha)),
            Mark::Item => {
                let diamond = |reach: f32| [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)];
                canvas.polygon(&diamond(5.0 * size), &paint(ink(INK, 0.9 * alpha)));
                canvas.polygon(&diamond(3.4 * size), &paint(ink([0.98, 0.80, 0.20], alpha)));
            }
            Mark::Spawn => {
                canvas.dot((x, y), 4.2 * size, ink(INK, 0.9 * alpha));
                canvas.dot((x, y), 3.0 * size, ink([1.0; 3], alpha));
                canvas.dot((x, y), 1.4 * size, ink([0.10, 0.33, 0.62], alpha));
            }
        }
    }
}

/// A plan being drawn over.
struct Plan<'a> {
    terrain: &'a Terrain,
    view: View,
    floors: &'a Floors,
    canvas: Canvas,
}

impl Plan<'_> {
    /// What lies on a floor that the plan does not show is faint.
    fn strength(&self, feet: Vec3) -> f32 {
        if self.floors.shows(&self.view, feet) { 1.0 } else { 0.22 }
    }

    fn feet(&self, id: WaypointId) -> Vec3 {
        self.terrain.waypoints.origin[id.index()] + Vec3::Z * self.terrain.feet
    }

    /// Plain links first, so that the rare ones lie on top.
    fn draw_links(&mut self, is_large: bool) {
        let terrain = self.terrain;
        let mut links: Vec<(WaypointId, &Link)> = terrain.links.iter().collect();
        links.sort_by_key(|(_, link)| link.kind);
        let scale = if is_large { 1.0 } else { 0.45 };
        let alphas = Travel::ALL.map(|kind| alpha_of(kind, links.iter().filter(|(_, link)| link.kind == kind).count()));
        for (from, link) in links {
            // A walk both ways is one line.
            let is_back = link.to < from
                && terrain.links.from(link.to).iter().any(|back| back.to == from && back.kind == link.kind);
            if !is_back {
                self.draw_link(from, link, scale, alphas[link.kind as usize]);
            }
        }
        for id in terrain.waypoints.ids() {
            let feet = self.feet(id);
            let (strength, place) = (self.strength(feet), self.view.place(feet));
            Mark::of(terrain.waypoints.flags[id.index()]).draw(&mut self.canvas, place, scale, strength);
        }
    }

    fn draw_link(&mut self, from: WaypointId, link: &Link, scale: f32, alpha: f32) {
        let (start, end) = (self.feet(from), self.feet(link.to));
        let strength = self.strength(start).min(self.strength(end));
        let (colour, width) = of_kind(link.kind);
        let (a, b) = (self.view.place(start), self.view.place(end));
        let is_plain = link.kind <= Travel::Crouch;
        let alpha = alpha * strength;
        self.canvas.line(&[a, b], width * scale, ink(colour, alpha));
        if !is_plain && scale >= 1.0 {
            self.draw_head(a, b, width, ink(colour, alpha));
        }
    }

    /// Which way it goes: a head, a little before the end.
    fn draw_head(&mut self, a: (f32, f32), b: (f32, f32), width: f32, colour: tiny_skia::Color) {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = (dx * dx + dy * dy).sqrt();
        if length < 8.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let (tip, size) = ((b.0 - ux * 2.0, b.1 - uy * 2.0), 3.0 + width * 1.8);
        let base = (tip.0 - ux * size, tip.1 - uy * size);
        let half = size * 0.45;
        let sides = [tip, (base.0 - uy * half, base.1 + ux * half), (base.0 + uy * half, base.1 - ux * half)];
        self.canvas.polygon(&sides, &paint(colour));
    }

    fn draw_portals(&mut self, is_large: bool) {
        let scale = if is_large { 1.0 } else { 0.5 };
        for portal in &self.terrain.portals.portals {
            let at = self.view.place(portal.centre);
            let feet = portal.waypoints.map(|id| self.feet(id));
            let strength = self.strength(feet[0]).max(self.strength(feet[1]));
            self.canvas.dot(at, 4.2 * scale, ink(INK, strength));
            self.canvas.dot(at, 2.8 * scale, ink([1.0; 3], strength));
        }
        if !is_large {
            return;
        }
        for (id, area) in self.terrain.areas.areas.iter().enumerate() {
            let members =
                self.terrain.waypoints.ids().filter(|way| self.terrain.areas.of_waypoint[way.index()].index() == id);
            let feet: Vec<Vec3> = members.map(|member| self.feet(member)).collect();
            let centre = feet.iter().sum::<Vec3>() / feet.len().max(1) as f32;
            // The member nearest to the middle, since the middle of a corner is no floor.
            let Some(at) = feet.iter().min_by(|a, b| a.distance(centre).total_cmp(&b.distance(centre))) else {
                continue;
            };
            if self.floors.shows(&self.view, *at) && area.floor > 20_000.0 {
                let text = format!("{} a{id}", area.class.word());
                self.label(&text, *at);
            }
        }
    }

    fn label(&mut self, text: &str, at: Vec3) {
        let (x, y) = self.view.place(at);
        let halo = super::letters::Lettering { pen: SMALL.pen + 3.0, ..SMALL };
        self.canvas.write(text, (x, y + 4.0), Side::Middle, halo, ink(PAPER, 0.75));
        self.canvas.write(text, (x, y + 4.0), Side::Middle, SMALL, ink(INK, 0.95));
    }

    fn draw_eye(&mut self, from: WaypointId) {
        let at = self.view.place(self.feet(from));
        self.canvas.dot(at, 9.0, ink([1.0; 3], 0.95));
        self.canvas.dot(at, 7.0, ink(EYE, 1.0));
        self.canvas.dot(at, 2.4, ink([1.0; 3], 1.0));
        self.canvas.write(&format!("w{}", from.0), (at.0 + 13.0, at.1 + 4.0), Side::Right, NAME, ink(INK, 1.0));
    }
}

/// Colour and width of a link's line.
fn of_kind(kind: Travel) -> (Rgb, f32) {
    match kind {
        Travel::Walk => ([0.25, 0.28, 0.34], 0.9),
        Travel::Crouch => ([0.52, 0.38, 0.16], 1.2),
        Travel::Drop => ([0.16, 0.45, 0.75], 1.2),
        Travel::Jump => ([0.85, 0.25, 0.20], 1.3),
        Travel::StrafeJump => ([0.72, 0.10, 0.48], 1.5),
        Travel::Swim => ([0.05, 0.35, 0.55], 1.2),
        Travel::WaterExit => ([0.10, 0.55, 0.60], 1.5),
        Travel::Ladder => ([0.80, 0.50, 0.05], 2.2),
        Travel::Push => ([0.95, 0.50, 0.05], 2.2),
        Travel::Teleport => ([0.55, 0.20, 0.80], 1.8),
        Travel::Lift => ([0.05, 0.55, 0.25], 2.4),
        Travel::Train => ([0.30, 0.60, 0.10], 2.4),
        Travel::Door => ([0.60, 0.32, 0.10], 2.4),
        Travel::ButtonDoor => ([0.80, 0.10, 0.30], 2.6),
        Travel::KeyDoor => ([0.75, 0.62, 0.05], 2.6),
    }
}

/// Kinds of which there are thousands would bury the rest.
fn alpha_of(kind: Travel, count: usize) -> f32 {
    const FEW: f32 = 250.0;
    let is_leap = matches!(kind, Travel::Drop | Travel::Jump | Travel::StrafeJump);
    if is_leap { (0.9 * FEW / count.max(1) as f32).clamp(0.12, 0.9) } else { 0.75 }
}

fn of_class(class: AreaClass) -> Rgb {
    match class {
        AreaClass::Room => [0.93, 0.76, 0.55],
        AreaClass::Hall => [0.90, 0.60, 0.48],
        AreaClass::Corridor => [0.72, 0.66, 0.84],
        AreaClass::Street => [0.66, 0.70, 0.74],
        AreaClass::Alley => [0.55, 0.60, 0.66],
        AreaClass::Rooftop => [0.55, 0.78, 0.86],
        AreaClass::Tunnel => [0.52, 0.48, 0.62],
        AreaClass::Stairs => [0.95, 0.88, 0.50],
        AreaClass::Open => [0.70, 0.82, 0.56],
    }
}

/// From slate in the depth over sage and sand to clay up high.
fn of_height(share: f32) -> Rgb {
    along([[0.50, 0.58, 0.68], [0.60, 0.70, 0.66], [0.80, 0.80, 0.66], [0.90, 0.80, 0.62], [0.93, 0.74, 0.60]], share)
}

/// From dark blue over green to yellow: even steps look even, and it survives being printed grey.
fn of_heat(share: f32) -> Rgb {
    along([[0.27, 0.10, 0.40], [0.24, 0.32, 0.58], [0.14, 0.54, 0.56], [0.38, 0.76, 0.42], [0.97, 0.90, 0.25]], share)
}

fn along<const N: usize>(ramp: [Rgb; N], share: f32) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (N - 1) as f32;
    let low = (place as usize).min(N - 2);
    mix(ramp[low], ramp[low + 1], place - low as f32)
}
