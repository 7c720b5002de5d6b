//! Merging an overlay: edit by edit into a copy of the terrain's tables, which are then assembled anew.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Edit, Fit, LinedEdit, Overlay, Spot};
use crate::text::TextError;
use crate::throws::{Listed, Pairs};
use crate::*;

/// A place in an overlay names the nearest waypoint, if it is this near: less than waypoints stand apart.
const PLACE_DISTANCE_MAX: f32 = 48.0;

/// An edit that could not be made.
pub type Misfit = TextError;

impl Terrain {
    /// A fresh terrain with the edits merged. This one stays as it is.
    pub fn with_overlay(&self, overlay: &Overlay) -> Result<Terrain, TextError> {
        match self.with_what_fits(overlay)? {
            (terrain, misfits) if misfits.is_empty() => Ok(terrain),
            (_, mut misfits) => Err(misfits.remove(0)),
        }
    }

    /// The same for what was learnt from play: an edit of a link or a waypoint that this terrain does not have (any more) is
    /// left out and told. What is for another map is refused.
    pub fn with_what_fits(&self, overlay: &Overlay) -> Result<(Terrain, Vec<Misfit>), TextError> {
        let whole = |message: String| TextError { file: overlay.file.clone(), line: None, message };
        if let Some(fit) = overlay.fitted_to.filter(|fit| *fit != Fit::of(&self.waypoints)) {
            let Fit { waypoints, checksum } = Fit::of(&self.waypoints);
            let (wanted, found) = (fit.checksum, fit.waypoints);
            return Err(whole(format!(
                "it was written for {found} waypoints ({wanted:08x}), the terrain has {waypoints} ({checksum:08x}): \
                 name waypoints by place (x,y,z) instead of by number"
            )));
        }
        if let Some(map) = overlay.map.as_ref().filter(|map| **map != self.provenance.map_name) {
            return Err(whole(format!("it was written for the map {map}, this is {}", self.provenance.map_name)));
        }
        let mut misfits = Vec::new();
        let mut merge = Merge {
            base: self,
            allows_numbers: overlay.fitted_to.is_some(),
            parts: self.clone().into_parts(),
            links: self.links.iter().map(|(from, link)| (from, *link)).collect(),
            names: BTreeMap::new(),
            likes: Vec::new(),
        };
        for LinedEdit { line, edit, .. } in &overlay.edits {
            let at_line = |message| TextError { file: overlay.file.clone(), line: Some(*line), message };
            misfits.extend(merge.apply(edit).map_err(at_line).err());
        }
        let mut parts = merge.finish();
        parts.provenance.overlay = overlay.checksum();
        let terrain = Terrain::assemble(parts).map_err(|unsound| whole(unsound.to_string()))?;
        Ok((terrain, misfits))
    }
}

struct Merge<'a> {
    base: &'a Terrain,
    allows_numbers: bool,
    parts: Parts,
    links: Vec<(WaypointId, Link)>,
    names: BTreeMap<&'a str, WaypointId>,
    /// For each waypoint that was added, the one of `base` it stands at.
    likes: Vec<WaypointId>,
}

impl<'a> Merge<'a> {
    fn apply(&mut self, edit: &'a Edit) -> Result<(), String> {
        match edit {
            Edit::Add { name, origin, flags } => self.add(name, *origin, *flags)?,
            Edit::Move { waypoint, origin } => {
                let id = self.find(waypoint)?;
                self.shift(id, *origin);
            }
            Edit::Remove { waypoint } => {
                let id = self.find(waypoint)?;
                self.remove(id);
            }
            Edit::Link { from, to, link } => {
                let (from, to) = (self.find(from)?, self.find(to)?);
                let drawn = if link.flags.meets(LinkFlags::PLAYED) { LinkFlags::NONE } else { LinkFlags::BY_HAND };
                let link = Link { to, flags: link.flags | drawn, ..*link };
                self.links.retain(|(start, known)| (*start, known.order()) != (from, link.order()));
                self.links.push((from, link));
            }
            Edit::Unlink { from, to, kind } => {
                let (from, to) = (self.find(from)?, self.find(to)?);
                let before = self.links.len();
                let is_meant = |link: &Link| link.to == to && kind.is_none_or(|kind| kind == link.kind);
                self.links.retain(|(start, link)| *start != from || !is_meant(link));
                if self.links.len() == before {
                    return Err(format!("there is no such link from {} to {}", from.0, to.0));
                }
            }
            Edit::Trust { from, to, kind, trust } => {
                let (from, to) = (self.find(from)?, self.find(to)?);
                let is_meant = |start: WaypointId, link: &Link| start == from && link.to == to && link.kind == *kind;
                let mut known = self.links.iter_mut().filter(|(start, link)| is_meant(*start, link)).peekable();
                if known.peek().is_none() {
                    return Err(format!("there is no such link from {} to {}", from.0, to.0));
                }
                known.for_each(|(_, link)| link.trust = *trust);
            }
            Edit::Flag { waypoint, flags } => {
                let id = self.find(waypoint)?;
                self.parts.waypoints.flags[id.index()] |= *flags;
            }
            Edit::Unflag { waypoint, flags } => {
                let id = self.find(waypoint)?;
                let known = &mut self.parts.waypoints.flags[id.index()];
                *known = known.without(*flags);
            }
        }
        Ok(())
    }

    fn find(&self, spot: &Spot) -> Result<WaypointId, String> {
        match spot {
            Spot::Name(name) => {
                self.names.get(name.as_str()).copied().ok_or_else(|| format!("no line before this adds `{name}`"))
            }
            Spot::Number(_) if !self.allows_numbers => {
                let Fit { waypoints, checksum } = Fit::of(&self.base.waypoints);
                Err(format!("numbers need a line `waypoints {waypoints} {checksum:08x}` that says for which terrain"))
            }
            Spot::Number(id) if id.index() < self.base.waypoints.len() => Ok(*id),
            Spot::Number(id) => Err(format!("there is no waypoint {}", id.0)),
            Spot::Place(place) => {
                let distance = |id: &WaypointId| self.parts.waypoints.origin[id.index()].distance(*place);
                let nearest = self.parts.waypoints.ids().min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest
                    .filter(|id| distance(id) <= PLACE_DISTANCE_MAX)
                    .ok_or_else(|| format!("no waypoint is within {PLACE_DISTANCE_MAX} units of {spot}"))
            }
        }
    }

    fn add(&mut self, name: &'a str, origin: Vec3, flags: WaypointFlags) -> Result<(), String> {
        if self.parts.waypoints.len() >= WAYPOINTS_MAX {
            return Err(format!("a terrain has at most {WAYPOINTS_MAX} waypoints"));
        }
        let like = self.base.nearest(origin).map(|near| near.waypoint).ok_or("the terrain has no waypoint yet")?;
        if self.names.contains_key(name) {
            return Err(format!("`{name}` is added twice"));
        }
        let id = self.parts.waypoints.push(origin, flags | WaypointFlags::BY_HAND);
        self.names.insert(name, id);
        self.likes.push(like);
        let area = self.parts.areas.of_waypoint[like.index()];
        self.parts.areas.of_waypoint.push(area);
        for column in self.parts.values.columns_mut() {
            column.push(column[like.index()]);
        }
        self.own_ground_near(id, like);
        Ok(())
    }

    /// Takes over the ground that is nearer to a new waypoint than to its owner, but only ground of the waypoint it stands at:
    /// what lies behind a wall belongs to others.
    fn own_ground_near(&mut self, id: WaypointId, like: WaypointId) {
        let base_count = self.base.waypoints.len();
        let home_of =
            |owner: WaypointId| owner.index().checked_sub(base_count).map_or(owner, |added| self.likes[added]);
        let (origin, feet) = (&self.parts.waypoints.origin, self.parts.feet);
        let ground = &mut self.parts.ground;
        for column in 0..ground.columns() {
            let centre = ground.centre(column);
            for span in
                &mut ground.spans[ground.column_first[column] as usize..ground.column_first[column + 1] as usize]
            {
                let Some(owner) = span.waypoint.get() else { continue };
                let here = centre.with_z(f32::from(span.feet) - feet);
                let distance = |id: WaypointId| origin[id.index()].distance_squared(here);
                if home_of(owner) == like && distance(id) < distance(owner) {
                    span.waypoint = id;
                }
            }
        }
    }

    /// Takes a waypoint out of use. Whoever stands on its ground is at the nearest of those it was linked with.
    fn remove(&mut self, id: WaypointId) {
        let is_its = |(from, link): &&(WaypointId, Link)| *from == id || link.to == id;
        let ends = self.links.iter().filter(is_its).flat_map(|(from, link)| [*from, link.to]);
        let heirs: Vec<WaypointId> = ends.filter(|end| *end != id).collect();
        self.links.retain(|known| !is_its(&known));
        let (origin, feet) = (&self.parts.waypoints.origin, self.parts.feet);
        let ground = &mut self.parts.ground;
        for column in 0..ground.columns() {
            let centre = ground.centre(column);
            let spans = ground.column_first[column] as usize..ground.column_first[column + 1] as usize;
            for span in ground.spans[spans].iter_mut().filter(|span| span.waypoint == id) {
                let here = centre.with_z(f32::from(span.feet) - feet);
                let distance = |id: &WaypointId| origin[id.index()].distance_squared(here);
                let heir = heirs.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
                span.waypoint = heir.copied().unwrap_or(WaypointId::NONE);
            }
        }
    }

    fn shift(&mut self, id: WaypointId, origin: Vec3) {
        let origins = &mut self.parts.waypoints.origin;
        let before = std::mem::replace(&mut origins[id.index()], origin);
        self.parts.waypoints.flags[id.index()] |= WaypointFlags::BY_HAND;
        for (from, link) in self.links.iter_mut().filter(|(from, link)| *from == id || link.to == id) {
            let other = origins[if *from == id { link.to } else { *from }.index()];
            let stretch = origin.distance(other) / before.distance(other).max(1.0);
            link.time_ms = (f32::from(link.time_ms) * stretch).round().clamp(1.0, f32::from(u16::MAX)) as u16;
            link.flags |= LinkFlags::BY_HAND;
        }
    }

    fn finish(mut self) -> Parts {
        let count = self.parts.waypoints.len();
        let sight = &mut self.parts.sight;
        for rows in [&mut sight.standing, &mut sight.crouched] {
            *rows = grown(rows, &self.likes);
        }
        for table in &mut self.parts.throws.tables {
            let disposals: Vec<_> =
                self.likes.iter().filter_map(|like| table.disposals.get(like.index()).copied()).collect();
            table.disposals.extend(disposals);
            if self.likes.is_empty() {
                continue;
            }
            let before = count - self.likes.len();
            let always = grown_pairs(before, &self.likes, |at, from| table.always.find(at, from).copied());
            let doors = grown_pairs(before, &self.likes, |at, from| table.doors.find(at, from).copied());
            (table.always, table.doors) = (Pairs::of(count, always), Listed::of(count, doors));
        }
        self.parts.links = Links::gather(count, self.links);
        self.parts
    }
}

/// A table of sight in which those who were added see what those see at whom they stand, and are seen by the same.
fn grown(rows: &BitRows, likes: &[WaypointId]) -> BitRows {
    let base_count = rows.size();
    let like_of = |index: usize| index.checked_sub(base_count).map_or(index, |added| likes[added].index());
    let mut grown = BitRows::new(base_count + likes.len());
    for from in 0..grown.size() {
        for to in 0..grown.size() {
            // Two at the same spot see each other.
            let is_seen = like_of(from) == like_of(to) || rows.get(like_of(from), like_of(to));
            let is_new = from >= base_count || to >= base_count;
            if if is_new { is_seen } else { rows.get(from, to) } {
                grown.set(from, to);
            }
        }
    }
    grown
}

/// A table of throws in which those who were added throw as those do at whom they stand, and are thrown at alike: what is
/// decoded is flown again from where one really is. Nobody throws at the spot he stands at.
fn grown_pairs<const B: usize>(
    before: usize,
    likes: &[WaypointId],
    find: impl Fn(usize, usize) -> Option<[u8; B]>,
) -> Vec<(usize, usize, [u8; B])> {
    let size = before + likes.len();
    let like_of = |index: usize| index.checked_sub(before).map_or(index, |added| likes[added].index());
    let all = (0..size).flat_map(|at| (0..size).map(move |from| (at, from)));
    all.filter_map(|(at, from)| Some((at, from, find(like_of(at), like_of(from))?))).collect()
}
