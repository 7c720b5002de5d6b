//! Edits in the making: from what a person says (this waypoint, that place) to lines of an overlay, and back.
//!
//! In: a baked terrain, and edits as the viewer and the command speak of them: waypoints by number, added ones counted on
//! from the last that was baked. Out: an [`Overlay`] that speaks of places, since numbers change when a map is baked again,
//! with links walked to know how long they take; and the terrain it makes.

use anyhow::{Context, Result, bail, ensure};
use fireteam_bake::mend::Mender;
use fireteam_terrain::overlay::{Edit, LinedEdit, Overlay, Spot};
use fireteam_terrain::{Link, LinkFlags, MoverId, Terrain, WaypointFlags, WaypointId};
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Map, Solids, Vec3};
use serde::{Deserialize, Serialize};

/// Most edits that are taken at once.
const EDITS_MAX: usize = 10_000;
/// A place names the nearest waypoint that is this near.
const NEAR: f32 = 48.0;
/// How long a link takes that nobody can walk: as if one ran straight there, and not less than this.
const LEAST_MS: f32 = 50.0;

/// What edits are made to.
pub(crate) struct Site<'a> {
    pub(crate) map: &'a Map,
    pub(crate) solids: &'a Solids,
    pub(crate) game: &'a Game,
    /// As it was baked, without edits.
    pub(crate) baked: &'a Terrain,
}

/// An edit as it is spoken of. What is read from a file carries its line in `text`, which then counts instead of the rest.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Spoken {
    #[serde(flatten)]
    pub(crate) act: Act,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Act {
    Add {
        place: [f32; 3],
    },
    Move {
        waypoint: Named,
        place: [f32; 3],
    },
    Remove {
        waypoint: Named,
    },
    Link {
        from: Named,
        to: Named,
        kind: String,
    },
    Unlink {
        from: Named,
        to: Named,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    Flag {
        waypoint: Named,
        flag: String,
    },
    Unflag {
        waypoint: Named,
        flag: String,
    },
    Trust {
        from: Named,
        to: Named,
        kind: String,
        trust: u8,
    },
}

/// A waypoint by number, or as an overlay has it: `17`, `@name`, `x,y,z`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Named {
    Number(u16),
    Text(String),
}

impl From<Act> for Spoken {
    fn from(act: Act) -> Spoken {
        Spoken { act, text: None }
    }
}

/// Edits made so far, and where every waypoint is after them.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) overlay: Overlay,
    origins: Vec<Vec3>,
    /// Names of those that were added, in order.
    added: Vec<String>,
    baked: usize,
    /// Lines whose time is not known before they are walked.
    unwalked: Vec<usize>,
}

impl Draft {
    pub(crate) fn new(baked: &Terrain) -> Draft {
        let map = Some(baked.provenance.map_name.clone());
        Draft {
            overlay: Overlay { map, file: "edits".to_owned(), ..Overlay::default() },
            origins: baked.waypoints.origin.clone(),
            added: Vec::new(),
            baked: baked.waypoints.len(),
            unwalked: Vec::new(),
        }
    }

    /// The edits of a file, as they stand.
    pub(crate) fn of(baked: &Terrain, overlay: &Overlay) -> Draft {
        let mut draft = Draft::new(baked);
        draft.overlay = Overlay { edits: Vec::new(), map: draft.overlay.map, ..overlay.clone() };
        overlay.edits.iter().for_each(|lined| draft.keep(lined.clone()));
        draft
    }

    /// Everything that was spoken of, one after the other.
    pub(crate) fn spoken(site: &Site<'_>, edits: &[Spoken]) -> Result<Draft> {
        ensure!(edits.len() <= EDITS_MAX, "{} edits are too many: {EDITS_MAX} are taken at once", edits.len());
        let mut draft = Draft::new(site.baked);
        for (edit, number) in edits.iter().zip(1..) {
            draft.take(edit).with_context(|| format!("edit {number}"))?;
        }
        draft.walk(site)?;
        Ok(draft)
    }

    /// Adds one. Whether its links can be walked is found out by [`Draft::walk`].
    pub(crate) fn take(&mut self, spoken: &Spoken) -> Result<()> {
        if let Some(text) = &spoken.text {
            let read =
                Overlay::parse("edit", &format!("fireteam overlay {}\n{text}\n", fireteam_terrain::overlay::VERSION))?;
            let [lined] = &read.edits[..] else { bail!("`{text}` is not one edit") };
            self.keep(lined.clone());
            return Ok(());
        }
        let edit = self.edit_of(&spoken.act)?;
        if matches!(edit, Edit::Link { .. }) {
            self.unwalked.push(self.overlay.edits.len());
        }
        self.keep(LinedEdit { line: 0, edit, note: String::new() });
        Ok(())
    }

    /// The last edit is taken back.
    pub(crate) fn undo(&mut self, baked: &Terrain) -> Option<LinedEdit> {
        let mut overlay = self.overlay.clone();
        let last = overlay.edits.pop();
        *self = Draft::of(baked, &overlay);
        last
    }

    /// Every edit with its numbers, for who draws them.
    pub(crate) fn speak(baked: &Terrain, overlay: &Overlay) -> Vec<Spoken> {
        let mut draft = Draft::new(baked);
        let mut all = Vec::new();
        for lined in &overlay.edits {
            let text = if lined.note.is_empty() {
                lined.edit.to_string()
            } else {
                format!("{}   # {}", lined.edit, lined.note)
            };
            all.extend(draft.act_of(&lined.edit).into_iter().map(|act| Spoken { act, text: Some(text.clone()) }));
            draft.keep(lined.clone());
        }
        all
    }

    /// The terrain as it will be.
    pub(crate) fn terrain(&self, baked: &Terrain) -> Result<Terrain> {
        Ok(baked.with_overlay(&self.overlay)?)
    }

    /// Walks the links that are new: how long they take, and what they cost. Those that nobody can walk stay as they were
    /// asked for, at a guess.
    pub(crate) fn walk(&mut self, site: &Site<'_>) -> Result<()> {
        if self.unwalked.is_empty() {
            return Ok(());
        }
        let merged = self.terrain(site.baked)?;
        let mender = Mender::new(site.map, site.solids, site.game, &merged);
        let speed = site.game.rules.movement.speed as f32;
        // Numbers as they are when all edits are made: waypoints may have moved since.
        let mut steps = Draft::new(site.baked);
        let mut walked = Vec::new();
        for (index, lined) in self.overlay.edits.iter().enumerate() {
            if let (Edit::Link { from, to, link }, true) = (&lined.edit, self.unwalked.contains(&index)) {
                let ends = (WaypointId::from(steps.find(from)?), WaypointId::from(steps.find(to)?));
                walked.push((index, ends, *link));
            }
            steps.keep(lined.clone());
        }
        for (index, (from, to), asked) in walked {
            let found = mender.prove(from, &Link { to, ..asked }).filter(|found| found.kind == asked.kind);
            let [start, end] = [from, to].map(|id| merged.waypoints.origin[id.index()]);
            let guess = (start.distance(end) / speed.max(1.0) * 1000.0).clamp(LEAST_MS, f32::from(u16::MAX)) as u16;
            let walked = found.unwrap_or(Link { time_ms: guess, ..asked });
            if let Edit::Link { link, .. } = &mut self.overlay.edits[index].edit {
                *link = Link { to: WaypointId::NONE, ..walked };
            }
        }
        self.unwalked.clear();
        Ok(())
    }

    fn keep(&mut self, lined: LinedEdit) {
        match &lined.edit {
            Edit::Add { name, origin, .. } => {
                self.origins.push(*origin);
                self.added.push(name.clone());
            }
            Edit::Move { waypoint, origin } => {
                if let Ok(index) = self.find(waypoint) {
                    self.origins[index] = *origin;
                }
            }
            Edit::Remove { .. }
            | Edit::Link { .. }
            | Edit::Unlink { .. }
            | Edit::Trust { .. }
            | Edit::Flag { .. }
            | Edit::Unflag { .. } => {}
        }
        let line = self.overlay.edits.len() + 1;
        self.overlay.edits.push(LinedEdit { line, ..lined });
    }

    fn edit_of(&self, act: &Act) -> Result<Edit> {
        Ok(match act {
            Act::Add { place } => {
                Edit::Add { name: self.new_name(), origin: vector(*place)?, flags: WaypointFlags::NONE }
            }
            Act::Move { waypoint, place } => Edit::Move { waypoint: self.spot(waypoint)?, origin: vector(*place)? },
            Act::Remove { waypoint } => Edit::Remove { waypoint: self.spot(waypoint)? },
            Act::Link { from, to, kind } => {
                let (from, to) = (self.spot(from)?, self.spot(to)?);
                ensure!(from != to, "a link leads from one waypoint to another, not from {from} to itself");
                let link = Link {
                    to: WaypointId::NONE,
                    kind: travel(kind)?,
                    flags: LinkFlags::NONE,
                    time_ms: 1,
                    damage: 0,
                    trust: u8::MAX,
                    mover: MoverId::NONE,
                    opener: MoverId::NONE,
                };
                Edit::Link { from, to, link }
            }
            Act::Unlink { from, to, kind } => {
                let kind = kind.as_deref().map(travel).transpose()?;
                Edit::Unlink { from: self.spot(from)?, to: self.spot(to)?, kind }
            }
            Act::Flag { waypoint, flag } => Edit::Flag { waypoint: self.spot(waypoint)?, flags: flags(flag)? },
            Act::Unflag { waypoint, flag } => Edit::Unflag { waypoint: self.spot(waypoint)?, flags: flags(flag)? },
            Act::Trust { from, to, kind, trust } => {
                let (from, to) = (self.spot(from)?, self.spot(to)?);
                Edit::Trust { from, to, kind: travel(kind)?, trust: *trust }
            }
        })
    }

    /// In words of the viewer; flags one by one. What speaks of a waypoint that is not there is left out.
    fn act_of(&self, edit: &Edit) -> Vec<Act> {
        let number = |spot: &Spot| self.find(spot).ok().map(|index| Named::Number(index as u16));
        let both = |from: &Spot, to: &Spot| number(from).zip(number(to));
        let named = |kind: Travel| kind.name().to_owned();
        let joined = |flags: WaypointFlags| flags.words().collect::<Vec<_>>().join("+");
        let act = match edit {
            Edit::Add { origin, .. } => Some(Act::Add { place: origin.to_array() }),
            Edit::Move { waypoint, origin } => {
                number(waypoint).map(|waypoint| Act::Move { waypoint, place: origin.to_array() })
            }
            Edit::Remove { waypoint } => number(waypoint).map(|waypoint| Act::Remove { waypoint }),
            Edit::Link { from, to, link } => {
                both(from, to).map(|(from, to)| Act::Link { from, to, kind: named(link.kind) })
            }
            Edit::Unlink { from, to, kind } => {
                both(from, to).map(|(from, to)| Act::Unlink { from, to, kind: kind.map(named) })
            }
            Edit::Trust { from, to, kind, trust } => {
                both(from, to).map(|(from, to)| Act::Trust { from, to, kind: named(*kind), trust: *trust })
            }
            Edit::Flag { waypoint, flags } => {
                number(waypoint).map(|waypoint| Act::Flag { waypoint, flag: joined(*flags) })
            }
            Edit::Unflag { waypoint, flags } => {
                number(waypoint).map(|waypoint| Act::Unflag { waypoint, flag: joined(*flags) })
            }
        };
        act.into_iter().collect()
    }

    /// Names nobody has: hand1, hand2, ...
    fn new_name(&self) -> String {
        let numbers = 1usize..;
        let names = numbers.map(|number| format!("hand{number}"));
        names.into_iter().find(|name| !self.added.contains(name)).expect("numbers do not run out")
    }

    /// A waypoint as the overlay is to speak of it: by name if it was added, otherwise by where it is now.
    fn spot(&self, named: &Named) -> Result<Spot> {
        let index = match named {
            Named::Number(number) => usize::from(*number),
            Named::Text(text) => {
                let spot = Spot::parse(text.strip_prefix('w').unwrap_or(text));
                self.find(&spot.with_context(|| format!("`{text}` is no waypoint: write 17, @name or x,y,z"))?)?
            }
        };
        let count = self.origins.len();
        ensure!(index < count, "there is no waypoint {index}: they are numbered from 0 to {}", count - 1);
        Ok(match index.checked_sub(self.baked) {
            Some(added) => Spot::Name(self.added[added].clone()),
            None => Spot::Place(self.origins[index]),
        })
    }

    pub(crate) fn find(&self, spot: &Spot) -> Result<usize> {
        match spot {
            Spot::Number(id) => Ok(id.index()),
            Spot::Name(name) => {
                let at = self.added.iter().position(|known| known == name);
                at.map(|at| at + self.baked).with_context(|| format!("no edit before this adds `{name}`"))
            }
            Spot::Place(place) => {
                let distance = |index: &usize| self.origins[*index].distance(*place);
                let nearest = (0..self.origins.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
                let near = nearest.filter(|index| distance(index) <= NEAR);
                near.with_context(|| format!("no waypoint is within {NEAR} units of {spot}"))
            }
        }
    }
}

fn vector(place: [f32; 3]) -> Result<Vec3> {
    let place = Vec3::from_array(place);
    ensure!(place.is_finite() && place.abs().max_element() < 65_536.0, "{place} is no place on any map");
    Ok(place)
}

fn travel(name: &str) -> Result<Travel> {
    Travel::from_name(name).with_context(|| {
        let known: Vec<&str> = Travel::ALL.into_iter().map(Travel::name).collect();
        format!("there is no way of going called {name}: there are {}", known.join(", "))
    })
}

pub(crate) fn flags(text: &str) -> Result<WaypointFlags> {
    let mut flags = WaypointFlags::NONE;
    for word in text.split('+') {
        flags |= WaypointFlags::from_word(word).with_context(|| {
            let known: Vec<&str> = WaypointFlags::all_words().collect();
            format!("no waypoint is flagged {word}: there are {}", known.join(", "))
        })?;
    }
    Ok(flags)
}
