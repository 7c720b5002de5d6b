//! What a texture's name says: the table behind `docs/mapping.md`.
//!
//! Compiled maps carry contents and surface flags per shader; a .map file carries only names. Mappers of Quake, Quake
//! III and their kin use the same few names for the same things, so names it is: the part after the last slash, in any
//! case, without the `*` or `{` that Quake puts before liquids and fences.

use crate::contents::{Contents, SurfaceFlags};

/// What a name makes of a face, and of the brush it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Names start with this, or equal it if `whole`.
    pub name: &'static str,
    pub whole: bool,
    pub contents: Contents,
    pub surface: SurfaceFlags,
    /// For the documentation.
    pub meaning: &'static str,
}

const fn named(name: &'static str, contents: Contents, surface: u32, meaning: &'static str) -> Texture {
    Texture { name, whole: true, contents, surface: SurfaceFlags(surface), meaning }
}

const fn starting(name: &'static str, contents: Contents, surface: u32, meaning: &'static str) -> Texture {
    Texture { name, whole: false, contents, surface: SurfaceFlags(surface), meaning }
}

const NO_DRAW: u32 = SurfaceFlags::NO_DRAW.0;
const UNSEEN_VOLUME: u32 = NO_DRAW | SurfaceFlags::NON_SOLID.0;
const LIQUID: u32 = SurfaceFlags::NON_SOLID.0 | SurfaceFlags::NO_MARKS.0;
const OPEN_SKY: u32 = SurfaceFlags::SKY.0 | SurfaceFlags::NO_IMPACT.0 | SurfaceFlags::NO_MARKS.0;

/// Rows are tried from the top; the first that fits counts. A name that fits none is an ordinary wall.
pub const TEXTURES: &[Texture] = &[
    starting("sky", Contents::SOLID, OPEN_SKY, "open sky: lights what sees it; swallows what is thrown at it"),
    starting("water", Contents(0x20 | 0x2000_0000), LIQUID, "water: swum in, seen through"),
    starting("slime", Contents::SLIME, LIQUID, "slime: swum in, hurts"),
    starting("lava", Contents::LAVA, LIQUID, "lava: swum in, kills"),
    starting("fog", Contents::FOG, UNSEEN_VOLUME, "fog: hides with depth, stops nothing"),
    named("clip", Contents(0x1_0000 | 0x2_0000), NO_DRAW, "stops bodies, not shots, not eyes"),
    named("playerclip", Contents::PLAYER_CLIP, NO_DRAW, "stops bodies, not shots, not eyes"),
    named("botclip", Contents::BOT_CLIP, NO_DRAW, "stops bots only"),
    named("weapclip", Contents(0x1 | 0x2000_0000), NO_DRAW, "stops bodies and shots, not eyes"),
    starting("glass", Contents(0x1 | 0x2000_0000), 0, "stops bodies and shots, not eyes"),
    starting("ladder", Contents::SOLID, SurfaceFlags::LADDER.0, "can be climbed (the covered faces)"),
    starting("slick", Contents::SOLID, SurfaceFlags::SLICK.0, "without friction"),
    named("trigger", Contents::TRIGGER, UNSEEN_VOLUME, "a volume that notices who touches it"),
    named("origin", Contents::ORIGIN, UNSEEN_VOLUME, "its centre is the point its entity turns about; not kept"),
    named("areaportal", Contents::AREA_PORTAL, UNSEEN_VOLUME, "divides areas for a compiler; stops nothing"),
    named("clusterportal", Contents::CLUSTER_PORTAL, UNSEEN_VOLUME, "divides areas for stock bots; stops nothing"),
    named("donotenter", Contents::DO_NOT_ENTER, UNSEEN_VOLUME, "asks bots to stay out"),
    named("nodrop", Contents::NO_DROP, UNSEEN_VOLUME, "what is dropped here vanishes"),
    starting("hint", Contents::NONE, UNSEEN_VOLUME | 0x100, "shapes a compiler's tree; not kept"),
    named("skip", Contents::NONE, UNSEEN_VOLUME | 0x200, "a face of a hint brush that shapes nothing"),
    named("caulk", Contents::SOLID, NO_DRAW, "solid, never seen"),
    named("nodraw", Contents::SOLID, NO_DRAW, "solid, never seen; on a liquid's sides: liquid"),
    named("nodrawnonsolid", Contents::NONE, UNSEEN_VOLUME, "nothing"),
];

const WALL: Texture = starting("", Contents::SOLID, 0, "an ordinary wall");

/// What this texture name means.
pub fn texture(name: &str) -> Texture {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let bare = last.trim_start_matches(['*', '{', '!', '+', '-']);
    // Skies are called by what they look like; their folder tells that they are skies: `sky/day`.
    let folder = name[..name.len() - last.len()].trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next();
    let is_sky = folder.is_some_and(|folder| folder.eq_ignore_ascii_case("sky"));
    let bare = if is_sky { "sky" } else { bare };
    TEXTURES.iter().copied().find(|row| row.fits(bare)).unwrap_or(WALL)
}

impl Texture {
    /// Ordinary walls and their kin: they leave it to another face to say what the brush is.
    pub fn is_plain(&self) -> bool {
        self.contents == Contents::SOLID
    }

    fn fits(&self, bare: &str) -> bool {
        let length_fits = if self.whole { bare.len() == self.name.len() } else { bare.len() >= self.name.len() };
        length_fits && bare.bytes().zip(self.name.bytes()).all(|(a, b)| a.eq_ignore_ascii_case(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_folder_case_and_prefix() {
        assert_eq!(texture("common/playerclip").contents, Contents::PLAYER_CLIP);
        assert_eq!(texture("textures\\Common\\CLIP").name, "clip");
        assert!(texture("*water1").contents.meets(Contents::WATER));
        assert_eq!(texture("sky_dusk").surface.0, OPEN_SKY);
        assert_eq!(texture("sky/day").surface.0, OPEN_SKY);
        assert_eq!(texture("skyscraper/day"), WALL);
        assert_eq!(texture("skip").contents, Contents::NONE);
    }

    #[test]
    fn ordinary_names_are_walls() {
        for name in ["brick/red", "clipboard", "originals/stone", "", "/", "é"] {
            assert_eq!(texture(name), WALL, "{name}");
        }
    }

    #[test]
    fn every_row_can_be_reached() {
        for row in TEXTURES {
            assert_eq!(texture(row.name), *row);
        }
    }

    #[test]
    fn the_mapping_page_lists_every_row() {
        let page = include_str!("../../../../../docs/mapping.md");
        for row in TEXTURES {
            let star = if row.whole { "" } else { "…" };
            let line = format!("| `{}{star}` | {} |", row.name, row.meaning);
            assert!(page.contains(&line), "docs/mapping.md lacks\n{line}");
        }
    }
}
