//! The book as one HTML page that needs nothing beside it: no script, no font, no file; pictures are data URIs.
//!
//! In: the chosen throws. Out: the page's text. It is read on paper and on a phone, by day and by night: figures stand side
//! by side where there is room, nothing is told by colour alone, and an entry is not torn apart between two sheets.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use fireteam_world::throwing::Flown;
use fireteam_world::{Crowd, Map, Scene, Vec3};
use tiny_skia::Pixmap;

use super::choose::{Found, Way};
use crate::exhibit::{Exhibit, Stage, Tolerance};
use crate::picture::plan::{self, View};
use crate::picture::{self, eye, section, throw};

/// Sizes of the pictures, in pixels.
const AIM: (u32, u32) = (560, 350);
const PLAN: (f32, f32) = (560.0, 420.0);
const SIDE: (f32, f32) = (760.0, 220.0);
const OVERVIEW: f32 = 640.0;

/// The look of it. Phones get one column, paper no background.
const STYLE: &str = "
:root{color-scheme:light dark;--paper:#f6f3ec;--card:#fffdf8;--ink:#292b33;--faint:#6b6b70;--line:#d8d3c6}
@media(prefers-color-scheme:dark){:root{--paper:#17181b;--card:#212327;--ink:#e9e6df;--faint:#a3a19b;--line:#3a3c42}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:1.2rem}
h1{font-size:2.1rem;margin:.3rem 0}h2{font-size:1.25rem;margin:0 0 .2rem}
h2 b{display:inline-block;min-width:1.9em;padding:0 .4em;margin-right:.5em;border-radius:1em;background:var(--ink);color:var(--card);text-align:center}
p{margin:.3rem 0}.faint,figcaption{color:var(--faint);font-size:.87rem}
article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem;margin:1.2rem 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.9rem;margin:.8rem 0;align-items:start}
figure{margin:0}img{width:100%;height:auto;display:block;border-radius:5px;border:1px solid var(--line)}
.wide{grid-column:1/-1}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;margin:0}dt{color:var(--faint)}dd{margin:0}
.where{position:relative;max-width:640px;margin:.8rem 0;border:1px solid var(--line);border-radius:5px;background-size:100% 100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.where i{position:absolute;width:1.9em;height:1.9em;margin:-.95em;border-radius:50%;background:#b3261e;color:#fff;font:600 .7rem/1.75em system-ui,sans-serif;text-align:center;border:1px solid #fff;text-decoration:none}
.where i.lone{width:1em;height:1em;margin:-.5em}
.facts{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}.facts dl{flex:1 1 20rem}.small{width:240px;margin:0}
nav{columns:17rem;font-size:.93rem}nav a{display:block;color:inherit}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--faint:#444;--line:#999;color-scheme:light}main{max-width:none;padding:0}article{break-inside:avoid;border:0;border-top:1px solid #999;border-radius:0}.figures{grid-template-columns:1fr 1fr}body{font-size:11pt}}
";

/// Writes the book. `goes_on` is told the number of each throw before it is drawn; None if it says to stop.
pub(super) fn write(
    stage: &Stage,
    found: &Found,
    wanted: usize,
    goes_on: impl Fn(usize) -> bool,
) -> Result<Option<String>> {
    let overview = Overview::draw(stage, found)?;
    let mut page = head(stage, found, wanted, &overview);
    for (index, (exhibit, way)) in found.lineups.iter().enumerate() {
        if !goes_on(index + 1) {
            return Ok(None);
        }
        let crowd = stage.crowd(exhibit.pick.door);
        page.push_str(&entry(stage, exhibit, *way, index + 1, &overview, &crowd)?);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    Ok(Some(page))
}

/// The whole map, small, once for all entries.
struct Overview {
    view: View,
    image: String,
}

impl Overview {
    fn draw(stage: &Stage, found: &Found) -> Result<Overview> {
        /// Over the heads of those who throw, under most ceilings.
        const CUT: f32 = 48.0;
        let mut heights: Vec<f32> = found.lineups.iter().map(|(exhibit, _)| exhibit.from.origin.z).collect();
        heights.sort_by(f32::total_cmp);
        let middle = heights.get(heights.len() / 2).copied().unwrap_or_default();
        let view = View::fitting(&stage.map, middle + CUT, OVERVIEW, OVERVIEW);
        let drawn = plan::draw(&stage.map, &stage.solids, &view).context("the map is too large to draw")?;
        Ok(Overview { view, image: data_uri(&drawn)? })
    }

    /// The picture as CSS has it: it is part of the page once, and shown in every entry.
    fn rule(&self) -> String {
        let (width, height) = (self.view.width(), self.view.height());
        format!(".where{{aspect-ratio:{width}/{height};background-image:url({})}}\n", self.image)
    }

    /// Where a place lies, as CSS has it.
    fn style(&self, place: Vec3) -> String {
        let (x, y) = self.view.place(place);
        let (width, height) = (self.view.width() as f32, self.view.height() as f32);
        format!("left:{:.1}%;top:{:.1}%", x / width * 100.0, y / height * 100.0)
    }
}

fn head(stage: &Stage, found: &Found, wanted: usize, overview: &Overview) -> String {
    let (map, game) = (escaped(&stage.map.name), escaped(&stage.game.rules.title));
    let message = stage.map.entities.first().and_then(|world| world.get("message")).unwrap_or_default();
    let count = found.lineups.len();
    let thrown = escaped(&stage.throwable_name);
    let fewer = if count < wanted {
        format!("<p>{}.</p>", escaped(&sentence(&found.why_fewer(wanted))))
    } else {
        String::new()
    };
    let mut marks = String::new();
    let mut list = String::new();
    for (index, (exhibit, way)) in found.lineups.iter().enumerate() {
        let number = index + 1;
        write!(marks, "<i style=\"{}\">{number}</i>", overview.style(exhibit.from.origin)).expect(STRING);
        write!(list, "<a href=\"#t{number}\">{number}. {}</a>", title(stage, exhibit, *way)).expect(STRING);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{map}: {count} line-ups</title>\n<style>{STYLE}{}</style>\n</head>\n<body>\n<main>\n\
         <h1>{map}</h1>\n<p class=\"faint\">{}</p>\n\
         <p>{count} throws of a {thrown} ({game}) at places you do not see from where you stand. Every one was flown \
         through the map, steadily and as an unsteady hand throws; what it does is what those flights did.</p>\n{fewer}\n\
         <p class=\"faint\">{READING}</p>\n\
         <div class=\"where\" role=\"img\" aria-label=\"Plan of {map} with where to stand\">{marks}</div>\n\
         <p class=\"faint\">Numbers stand where you throw from.</p>\n<nav>{list}</nav>\n",
        overview.rule(),
        escaped(message),
    )
}

/// How to read an entry.
const READING: &str = "In each aim picture the cross is your crosshair and the ring (or the arrow) the first bounce; lines on walls and \
     floors are 64 units apart. From above and from the side you are blue, the target is red, and bounces are numbered; thin \
     lines are throws of an unsteady hand, green ones hit, orange ones miss; the disc is what the blast reaches.";

/// Writing into a String cannot fail.
const STRING: &str = "a String takes everything";

fn entry(
    stage: &Stage,
    exhibit: &Exhibit,
    way: Way,
    number: usize,
    overview: &Overview,
    crowd: &Crowd,
) -> Result<String> {
    let scene = Scene { solids: &stage.solids, crowd };
    let radius = stage.throwable().blast.as_ref().map_or(0.0, |blast| blast.radius);
    let aim = eye::draw(&stage.map, &scene, exhibit, AIM).context("the aim picture has no size")?;
    let plan = throw::plan(stage, exhibit, crowd, PLAN)?;
    let side = section::draw(exhibit, &scene, radius, SIDE.0, SIDE.1).context("the throw is too long to draw")?;
    let figure = |class: &str, picture: &Pixmap, alt: &str, caption: &str| -> Result<String> {
        let image = data_uri(picture)?;
        Ok(format!("<figure{class}><img alt=\"{alt}\" src=\"{image}\"><figcaption>{caption}</figcaption></figure>"))
    };
    let mut text = format!("<article id=\"t{number}\">\n<h2><b>{number}</b>{}</h2>\n", title(stage, exhibit, way));
    writeln!(text, "<p>{}</p>\n<div class=\"figures\">", gist(exhibit)).expect(STRING);
    text += &figure("", &aim, "What you see as you throw", "Aim")?;
    text += &figure("", &plan, "The throw from above", "From above")?;
    let unfolded = "From the side: cut along the flight, unfolded at every wall it comes off";
    text += &figure(" class=\"wide\"", &side, "The throw from the side", unfolded)?;
    let dot = overview.style(exhibit.from.origin);
    write!(
        text,
        "</div>\n<div class=\"facts\"><dl>{}</dl>\n\
         <div class=\"where small\" role=\"img\" aria-label=\"Where to stand on the map\"><i class=\"lone\" style=\"{dot}\"></i></div>\
         </div>\n</article>\n",
        facts(stage, exhibit).iter().map(|(term, meaning)| format!("<dt>{term}</dt><dd>{meaning}</dd>")).collect::<String>()
    )
    .expect(STRING);
    Ok(text)
}

fn title(stage: &Stage, exhibit: &Exhibit, way: Way) -> String {
    let how = sentence(way.words());
    let at = place_name(&stage.map, exhibit.at.origin);
    let from = place_name(&stage.map, exhibit.from.origin);
    let (to, from) = match (at, from) {
        (Some(at), Some(from)) if at == from => (at, None),
        (Some(at), from) => (at, from),
        (None, from) => (format!("w{}", exhibit.pick.at.0), from),
    };
    let from = from.unwrap_or_else(|| format!("w{}", exhibit.pick.from.0));
    format!("{how}: {} to {}", escaped(&from), escaped(&to))
}

/// What people call a place: its name if the map has one, else what lies there.
fn place_name(map: &Map, place: Vec3) -> Option<String> {
    const NAMED: f32 = 480.0;
    const LYING: f32 = 160.0;
    const ITEMS: [&str; 4] = ["weapon_", "item_", "ammo_", "holdable_"];
    let nearest = |within: f32, name: &dyn Fn(&fireteam_world::map::Entity) -> Option<String>| {
        let named = map.entities.iter().filter_map(|entity| Some((entity.origin().distance(place), name(entity)?)));
        named.filter(|(distance, _)| *distance < within).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
    };
    let location = |entity: &fireteam_world::map::Entity| {
        entity.get("message").filter(|_| entity.class() == "target_location").map(str::to_owned)
    };
    let item = |entity: &fireteam_world::map::Entity| {
        let name = ITEMS.iter().find_map(|kind| entity.class().strip_prefix(kind))?;
        Some(name.replace('_', " "))
    };
    nearest(NAMED, &location).or_else(|| nearest(LYING, &item))
}

fn gist(exhibit: &Exhibit) -> String {
    let full = exhibit.unsteady.len();
    format!(
        "{} of {full} throws by an unsteady hand hurt a target there, for {:.0} points on average.",
        exhibit.hits(),
        exhibit.verdict.points,
    )
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn facts(stage: &Stage, exhibit: &Exhibit) -> Vec<(&'static str, String)> {
    let place = |at: Vec3| format!("{:.0} {:.0} {:.0}", at.x, at.y, at.z);
    let (throw, flown) = (&exhibit.throw, &exhibit.salvo.steady);
    let pitch =
        if throw.pitch < 0.0 { format!("{:.0}° up", -throw.pitch) } else { format!("{:.0}° down", throw.pitch) };
    let cooked = match throw.cooked_ms {
        0 => "at once".to_owned(),
        held => format!("after holding it for {:.1} s", f64::from(held) / 1000.0),
    };
    let stance = if exhibit.pick.stored.is_crouched { "crouched" } else { "standing" };
    let Tolerance { left, right, up, down } = exhibit.tolerance;
    vec![
        ("Stand", format!("w{} at {}, {stance}", exhibit.pick.from.0, place(exhibit.from.origin))),
        ("Look", format!("yaw {:.1}°, {pitch}", throw.yaw)),
        ("Throw", format!("{:.0} units a second, {cooked}", throw.speed)),
        ("Target", format!("w{} at {}, out of sight", exhibit.pick.at.0, place(exhibit.at.origin))),
        ("Way", format!("{} on {}", throw::counted(flown.bounces, "bounce"), throw::counted(flown.planes, "plane"))),
        ("Arrives", arrival(flown)),
        ("Tolerance", format!("{left}° left, {right}° right, {up}° up, {down}° down")),
        (
            "Does",
            format!(
                "{:.0} points on average, {:.0} % of throws hit",
                exhibit.verdict.points,
                exhibit.verdict.delivered * 100.0
            ),
        ),
        (
            "Doors",
            throw::door_words(stage, exhibit).map_or_else(|| "as they may be".to_owned(), |words| escaped(&words)),
        ),
        ("Score", format!("{:.2}", exhibit.verdict.score)),
    ]
}

fn arrival(flown: &Flown) -> String {
    let seconds = |milliseconds: i32| f64::from(milliseconds) / 1000.0;
    let (rest, end) = (seconds(flown.rest_ms), seconds(flown.end_ms));
    if flown.rest_ms < flown.end_ms {
        format!("lies there {rest:.1} s after it left your hand, goes off after {end:.1} s")
    } else {
        format!("first bounce after {:.1} s, goes off still moving after {end:.1} s", seconds(flown.first_ms))
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn data_uri(picture: &Pixmap) -> Result<String> {
    Ok(format!("data:image/png;base64,{}", base64(&picture::small_png(picture)?)))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - place * 6) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
#[path = "page_test.rs"]
mod tests;
