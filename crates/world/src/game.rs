//! A game, described by numbers: which bodies, which grenades, which items, under which rules.
//!
//! In: `games/*.toml`, three of them built in, or a file of the reader's own. Out: a [`Game`], or a [`GameError`] that
//! shows the line at fault and says what is allowed. What cannot be a number (how a body moves, how a grenade
//! bounces, who wins) is Rust code, chosen by name under `[kernels]`; a name nobody answers to is refused.
//!
//! The schema is `tables`: every key with kind, limits and meaning. `docs/games.md` lists it.
//! Not here: what the numbers do (`movement`, `flight`, `blast`, `mover`).

use std::collections::BTreeMap;

use glam::Vec3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use described::Row;
pub use error::GameError;
pub use tables::*;

use crate::movement::MovementRules;
use crate::trace::Hull;
use described::{Canonical, Described, Fault};

pub(crate) mod described;
mod error;
mod legs;
mod tables;

/// A checked description and the name it goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub name: String,
    pub rules: Description,
}

/// The descriptions that come with Fireteam.
const BUILT_IN: [(&str, &str); 3] = [
    ("openarena", include_str!("../../../games/openarena.toml")),
    ("skirmish", include_str!("../../../games/skirmish.toml")),
    ("action", include_str!("../../../games/action.toml")),
];

impl Game {
    /// One of the games that come with Fireteam; none if there is no such name.
    pub fn named(name: &str) -> Option<Game> {
        let (name, text) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name)?;
        Some(Game::from_toml(name, text).expect("a test reads every description that is built in"))
    }

    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Reads a description; `file` names it in errors, and its stem becomes the game's name.
    pub fn from_toml(file: &str, text: &str) -> Result<Game, GameError> {
        let fault_at = |fault| GameError::at(file, text, fault);
        let table = DeTable::parse(text).map_err(|error| {
            fault_at(Fault { span: error.span().unwrap_or(0..0), message: error.message().to_owned() })
        })?;
        let document = Spanned::new(0..0, DeValue::Table(table.into_inner()));
        let rules = Description::read(&document, &()).map_err(fault_at)?;
        check(&rules).map_err(|(path, message)| fault_at(Fault { span: span_of(&document, &path), message }))?;
        let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
        Ok(Game { name: stem.strip_suffix(".toml").unwrap_or(stem).to_owned(), rules })
    }

    pub fn throwable(&self, name: &str) -> Option<&Throwable> {
        self.rules.throwables.get(name)
    }

    /// Names every number of the description: two games with the same digest play alike.
    pub fn digest(&self) -> [u8; 32] {
        let mut form = Canonical::default();
        self.rules.write(&mut form);
        *blake3::hash(form.text.as_bytes()).as_bytes()
    }

    /// Names the numbers that decide how bodies and missiles move and what a blast does: what is baked for one
    /// set of physics is no use under another, but a different round length does not spoil it.
    pub fn physics_digest(&self) -> [u8; 32] {
        let rules = &self.rules;
        let mut form = Canonical::default();
        form.under("frame_ms", &rules.frame_ms);
        form.under("kernels", &rules.kernels);
        form.under("movement", &rules.movement);
        form.under("throwables", &rules.throwables);
        form.under("health", &rules.health);
        *blake3::hash(form.text.as_bytes()).as_bytes()
    }

    /// Every key a description may have, in the order of the tables.
    pub fn schema() -> Vec<Row> {
        let mut rows = Vec::new();
        Description::rows("", &mut rows);
        rows
    }

    /// The schema as the table in `docs/games.md`.
    pub fn schema_markdown() -> String {
        let mut text = "| key | takes | without it | means |\n|---|---|---|---|\n".to_owned();
        for Row { key, kind, default, meaning } in Game::schema() {
            let default = default.map_or_else(|| "must be there".to_owned(), |default| format!("`{default}`"));
            text += &format!("| `{key}` | {kind} | {default} | {meaning} |\n");
        }
        text
    }
}

impl Throwable {
    pub fn hull(&self) -> Hull {
        Hull::new(Vec3::splat(-self.half_width), Vec3::splat(self.half_width))
    }
}

type Path = Vec<String>;

/// What one table says about another: names that must exist, numbers that must be in order.
fn check(rules: &Description) -> Result<(), (Path, String)> {
    check_body(&rules.movement)?;
    if rules.kernels.objective == Objective::Domination && rules.holding.is_none() {
        return Err((path(&["kernels", "objective"]), "who plays for ground must describe `[holding]`".to_owned()));
    }
    for (name, throwable) in &rules.throwables {
        let at = |key: &str| path(&["throwables", name, key]);
        if throwable.speeds.is_empty() {
            return Err((at("speeds"), "at least one speed is needed".to_owned()));
        }
        if throwable.impact == Impact::Bounce && throwable.bounce == 0.0 {
            return Err((at("impact"), "what bounces needs a `bounce` above 0".to_owned()));
        }
    }
    for (name, weapon) in &rules.weapons {
        check_weapon(name, weapon, &rules.throwables)?;
    }
    for (class, entity) in &rules.entities {
        if let (Interest::Weapon | Interest::Ammo, Some(held)) = (entity.is, &entity.holds)
            && !rules.weapons.contains_key(held)
        {
            return Err((path(&["entities", class, "holds"]), format!("there is no weapon `{held}`")));
        }
    }
    Ok(())
}

fn check_body(movement: &MovementRules) -> Result<(), (Path, String)> {
    let body = &movement.body;
    let stances =
        [("standing_top", body.standing_top), ("crouched_top", body.crouched_top), ("dead_top", body.dead_top)];
    for (key, top) in stances {
        if top <= body.feet {
            return Err((path(&["movement", "body", key]), "the top must be above the feet".to_owned()));
        }
    }
    if movement.prone.is_some_and(|prone| prone.top <= body.feet) {
        return Err((path(&["movement", "prone", "top"]), "the top must be above the feet".to_owned()));
    }
    Ok(())
}

fn check_weapon(name: &str, weapon: &Weapon, throwables: &BTreeMap<String, Throwable>) -> Result<(), (Path, String)> {
    let at = |key: &str| path(&["weapons", name, key]);
    match (&weapon.fires, weapon.kind) {
        (Some(fired), WeaponKind::Projectile) if !throwables.contains_key(fired) => {
            let known: Vec<&str> = throwables.keys().map(String::as_str).collect();
            Err((at("fires"), format!("there is no throwable `{fired}`; described are: {}", known.join(", "))))
        }
        (None, WeaponKind::Projectile) => Err((at("kind"), "a projectile weapon must say what it `fires`".to_owned())),
        (Some(_), WeaponKind::Hitscan | WeaponKind::Melee) => {
            Err((at("fires"), "only projectile weapons fire throwables".to_owned()))
        }
        (Some(_), WeaponKind::Projectile) | (None, WeaponKind::Hitscan | WeaponKind::Melee) => Ok(()),
    }
}

fn path(keys: &[&str]) -> Path {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Where in the file the last key of `path` that exists has its value.
fn span_of(document: &Spanned<DeValue<'_>>, path: &[String]) -> std::ops::Range<usize> {
    let mut value = document;
    for key in path {
        let Some(inner) = value.get_ref().as_table().and_then(|table| table.get(key.as_str())) else { break };
        value = inner;
    }
    value.span()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openarena_with(old: &str, new: &str) -> Result<Game, GameError> {
        let text = BUILT_IN[0].1;
        assert!(text.contains(old), "{old:?} is not in the description");
        Game::from_toml("mine/openarena.toml", &text.replacen(old, new, 1))
    }

    #[test]
    fn every_built_in_game_is_read() {
        for name in Game::built_in() {
            let text = BUILT_IN.iter().find(|(built_in, _)| *built_in == name).expect("listed").1;
            let game = Game::from_toml(&format!("games/{name}.toml"), text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(game.name, name);
            assert_eq!(Game::named(name), Some(game));
        }
        assert_eq!(Game::named("chess"), None);
    }

    #[test]
    fn openarena_moves_as_the_movement_kernel_does_by_default() {
        let game = Game::named("openarena").expect("built in");
        assert_eq!(game.rules.movement, MovementRules::openarena());
    }

    #[test]
    fn an_unknown_key_is_shown_with_what_is_allowed() {
        let error = openarena_with("rest_speed = 40", "rest_sped = 40").expect_err("must be refused");
        assert_eq!((error.file.as_str(), error.column), ("mine/openarena.toml", 1));
        assert!(error.message.starts_with("unknown key `rest_sped`; allowed here: kind, speeds,"), "{error}");
        let shown = error.to_string();
        assert!(shown.contains("| rest_sped = 40\n"), "{shown}");
        assert!(shown.ends_with("| ^^^^^^^^^"), "{shown}");
    }

    #[test]
    fn a_number_out_of_range_is_shown_with_its_limits_and_place() {
        let error = openarena_with("bounce = 0.65", "bounce = 1.65").expect_err("must be refused");
        assert_eq!(error.message, "1.65 is out of range; allowed: 0 to 1");
        assert_eq!(error.column, 10);
        assert!(error.to_string().ends_with("| bounce = 1.65\n   |          ^^^^"), "{error}");
    }

    #[test]
    fn what_is_missing_or_of_the_wrong_kind_is_named() {
        let missing = openarena_with("fuse_ms = 2500\n", "").expect_err("must be refused");
        assert_eq!(missing.message, "missing key `fuse_ms` (whole number, 1 to 600000)");
        assert!(missing.to_string().contains("[throwables.grenade]"), "{missing}");
        let wrong = openarena_with("fuse_ms = 2500", "fuse_ms = \"soon\"").expect_err("must be refused");
        assert_eq!(wrong.message, "expected a whole number, found string");
        let fraction = openarena_with("fuse_ms = 2500", "fuse_ms = 2.5").expect_err("must be refused");
        assert_eq!(fraction.message, "expected a whole number, found float");
    }

    #[test]
    fn a_kernel_nobody_wrote_is_refused() {
        let error = openarena_with("missile = \"quake3\"", "missile = \"quake4\"").expect_err("must be refused");
        assert_eq!(error.message, "there is no missile kernel `quake4`; allowed: quake3, quake2");
    }

    #[test]
    fn who_plays_for_ground_must_say_how() {
        let text = BUILT_IN[1].1.replacen("objective = \"elimination\"", "objective = \"domination\"", 1);
        assert!(Game::from_toml("held.toml", &text).is_ok());
        let (before, after) = text.split_once("[holding]").expect("skirmish describes it");
        let without = format!("{before}{}", &after[after.find("[hearing]").expect("comes next")..]);
        let error = Game::from_toml("held.toml", &without).expect_err("must be refused");
        assert_eq!(error.message, "who plays for ground must describe `[holding]`");
    }

    #[test]
    fn a_launcher_must_fire_something_that_is_described() {
        let error = openarena_with("fires = \"rocket\"", "fires = \"brick\"").expect_err("must be refused");
        assert!(error.message.starts_with("there is no throwable `brick`; described are: bfg, grenade"), "{error}");
        assert!(error.to_string().contains("fires = \"brick\""), "{error}");
    }

    #[test]
    fn broken_toml_is_shown_where_it_breaks() {
        let error = Game::from_toml("x.toml", "title = \"x\"\nframe_ms = = 50\n").expect_err("must be refused");
        assert_eq!(error.line, 2);
    }

    #[test]
    fn the_docs_list_every_key() {
        let docs = include_str!("../../../docs/games.md");
        let missing: Vec<String> =
            Game::schema_markdown().lines().filter(|line| !docs.contains(line)).map(str::to_owned).collect();
        assert!(
            missing.is_empty(),
            "`cargo run -p fireteam-world --example game_schema` prints what docs/games.md lacks:\n{missing:#?}"
        );
    }

    #[test]
    fn nan_and_infinity_are_out_of_range() {
        for odd in ["nan", "inf", "-inf"] {
            assert!(openarena_with("bounce = 0.65", &format!("bounce = {odd}")).is_err());
        }
    }

    #[test]
    fn a_digest_knows_numbers_and_not_how_they_are_written() {
        let game = Game::named("openarena").expect("built in");
        let reworded = openarena_with("speeds = [700]", "speeds = [ 7e2 ] # as ever").expect("the same game");
        assert_eq!(game.digest(), reworded.digest());
        let faster = openarena_with("speeds = [700]", "speeds = [701]").expect("another game");
        assert_ne!(game.physics_digest(), faster.physics_digest());
        let longer = openarena_with("round_ms = 600000", "round_ms = 900000").expect("another game");
        assert_ne!(game.digest(), longer.digest());
        assert_eq!(game.physics_digest(), longer.physics_digest());
    }
}
