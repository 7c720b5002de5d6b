//! The bots' variables as the server's: `ft_` and the name, known to its console with their defaults, kept in their range.
//!
//! In: the server's variables, and a file of the operator's that may say other things for each map. Out: the [`ConVars`] that
//! minds read. When a level begins, whatever the file names is set as it says for that map; what is typed afterwards holds
//! until the next level. A value that makes no sense is told once and set back.

use std::ffi::CStr;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use fireteam::ConVars;
use fireteam::convar::{BadConVar, Listing};

use super::Lines;
use crate::engine::Engine;

/// Longest name of a variable and longest number, the zero behind them included.
const CVAR_MAX: usize = 64;
/// A file of all variables with their words has a hundredth of this.
const FILE_BYTES_MAX: u64 = 1 << 24;

/// Lets the console know all of them. Who set one before keeps his value.
pub(super) fn register(engine: Engine) {
    for listing in ConVars::LISTINGS {
        let (mut name, mut value) = ([0; CVAR_MAX], [0; CVAR_MAX]);
        if let (Some(name), Some(value)) =
            (cvar_of(listing.name, &mut name), text_of(listing.default as f32, &mut value))
        {
            engine.register_cvar(name, value);
        }
    }
}

/// What a file sets on a map: all it names anywhere, for other maps too, so that their numbers do not stay. Makes no engine call.
pub(super) fn of_file(path: &str, map: &str) -> Result<Vec<(&'static str, f64)>, String> {
    let told = |error: &dyn Display| format!("ft_convars: {path}: {error}; nothing of it is used");
    let size = Path::new(path).metadata().map_err(|error| told(&error))?.len();
    if size > FILE_BYTES_MAX {
        return Err(told(&"this is too large to be a file of variables"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    let convars = ConVars::default().with_text(&text, map).map_err(|error| told(&error))?;
    let names = ConVars::named_in(&text).map_err(|error| told(&error))?;
    Ok(names.into_iter().filter_map(|name| Some((name, convars.get(name)?))).collect())
}

/// Sets the server's variables to what a file says.
pub(super) fn follow(numbers: &[(&'static str, f64)], engine: Engine) {
    for &(name, number) in numbers {
        let (mut cvar, mut value) = ([0; CVAR_MAX], [0; CVAR_MAX]);
        if let (Some(cvar), Some(value)) = (cvar_of(name, &mut cvar), text_of(number as f32, &mut value)) {
            engine.set_cvar(cvar, value);
        }
    }
}

/// Takes all of them from the server's.
pub(super) fn read(convars: &mut ConVars, engine: Engine, lines: &mut Lines) {
    for listing in ConVars::LISTINGS {
        let (mut cvar, mut buffer) = ([0; CVAR_MAX], [0; 256]);
        let Some(cvar) = cvar_of(listing.name, &mut cvar) else { continue };
        let value = engine.cvar(cvar, &mut buffer);
        let Err(error) = set_or_default(convars, listing, value) else { continue };
        lines.say(format!("ft_{}: {error}; it is {} again", listing.name, listing.default as f32));
        let mut room = [0; CVAR_MAX];
        if let Some(usual) = text_of(listing.default as f32, &mut room) {
            engine.set_cvar(cvar, usual);
        }
    }
}

/// What is not set, or makes no sense, is as it comes.
fn set_or_default(convars: &mut ConVars, listing: &Listing, value: &str) -> Result<(), BadConVar> {
    let set = if value.is_empty() { Ok(()) } else { convars.set(listing.name, value) };
    if set.is_err() || value.is_empty() {
        // The default lies within its range: a test looks at all of them.
        convars.set(listing.name, &(listing.default as f32).to_string()).ok();
    }
    set
}

/// `ft_` and the name, on the stack: nothing may be owned while the engine is called.
fn cvar_of<'a>(name: &str, room: &'a mut [u8; CVAR_MAX]) -> Option<&'a CStr> {
    text_of(format_args!("ft_{name}"), room)
}

fn text_of(what: impl Display, room: &mut [u8; CVAR_MAX]) -> Option<&CStr> {
    let mut rest = &mut room[..];
    write!(rest, "{what}\0").ok()?;
    CStr::from_bytes_until_nul(room).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_a_name_on_the_server_and_none_is_ours_already() {
        let ours = [
            "bots",
            "quota",
            "quota_mode",
            "reserve",
            "skill",
            "team",
            "freeze",
            "profile",
            "lineup",
            "seed",
            "minutes",
            "check",
            "terrain",
            "program",
            "report",
            "record",
            "relay",
            "learn",
            "record_mesh",
            "journal",
            "stock_ways",
            "convars",
        ];
        for listing in ConVars::LISTINGS {
            let mut room = [0; CVAR_MAX];
            let cvar = cvar_of(listing.name, &mut room).expect("it is short enough");
            assert_eq!(cvar.to_str(), Ok(format!("ft_{}", listing.name).as_str()));
            assert!(!ours.contains(&listing.name), "{}", listing.name);
            assert!(text_of(listing.default as f32, &mut room).is_some());
        }
        assert_eq!(cvar_of(&"long".repeat(30), &mut [0; CVAR_MAX]), None);
    }

    #[test]
    fn what_nobody_set_and_what_is_out_of_range_is_as_it_comes() {
        let mut convars = ConVars::default();
        let mut set = |name: &str, value: &str| {
            let listing = ConVars::LISTINGS.iter().find(|listing| listing.name == name).expect("there is one");
            let is_fine = set_or_default(&mut convars, listing, value).is_ok();
            (is_fine, convars.get(name), convars == ConVars::default())
        };
        assert_eq!(set("think_ms", ""), (true, Some(100.0), true));
        assert_eq!(set("think_ms", "5"), (false, Some(100.0), true));
        assert_eq!(set("think_ms", "50"), (true, Some(50.0), false));
        assert_eq!(set("think_ms", ""), (true, Some(100.0), true), "it was taken back");
        assert!(!set("aim_glance_share", "7").0);
    }

    #[test]
    fn a_file_sets_back_what_it_says_for_other_maps() {
        let path = std::env::temp_dir().join(format!("fireteam-variables-{}", std::process::id()));
        let path = path.to_str().expect("a plain name");
        std::fs::write(path, "hunt_ms = 1000\n[kaos2]\nthink_ms = 50\n").expect("written");
        assert_eq!(of_file(path, "kaos2"), Ok(vec![("think_ms", 50.0), ("hunt_ms", 1000.0)]));
        assert_eq!(of_file(path, "oa_dm1"), Ok(vec![("think_ms", 100.0), ("hunt_ms", 1000.0)]));
        std::fs::write(path, "hunt_ms = 1000\nthink_ms = 5\n").expect("written");
        let fault = of_file(path, "oa_dm1").expect_err("out of range");
        assert!(fault.contains("line 2") && fault.contains("nothing of it is used"), "{fault}");
        std::fs::remove_file(path).expect("removed");
        assert!(of_file(path, "oa_dm1").is_err_and(|fault| fault.contains(path)));
    }
}
