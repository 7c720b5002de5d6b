//! What an operator typed after `ft`, understood: from words to [`Asked`], or a sentence that says what is wrong and what to do.
//!
//! Makes no engine call and owns nothing afterwards: names are kept in place ([`Words`]), so that whoever carries a
//! command out may call the engine meanwhile. Not here: carrying it out (`console`).

use fireteam::journal::Words;
use fireteam_openarena::play::lineup::Colour;

use super::quota::{Mode, Quota};
use crate::abi;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asked {
    /// What is left out is chosen.
    Add {
        count: usize,
        grade: Option<u8>,
        colour: Option<Colour>,
        name: Option<Words>,
    },
    Kick(Whom),
    /// None only asks for it.
    Quota(Option<Quota>),
    List,
    Why(Words),
    /// None only asks for it.
    Skill(Option<(u8, Whom)>),
    /// None turns it over.
    Freeze(Option<bool>),
    Grenades(Grenades),
    Stats,
    Report,
    Profile(Profiling),
    /// Empty for the list of all.
    Help(Words),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Whom {
    All,
    Named(Words),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grenades {
    Show,
    All(bool),
    /// One of [`KINDS`].
    Kind(usize, bool),
    Cap(u32),
}

/// Kinds of grenades by what an operator calls them; each is a variable `grenades_KIND` of the bots.
pub(super) const KINDS: [&str; 5] = ["frag", "smoke", "flash", "incendiary", "rifle"];
/// The most that `grenades_per_life` takes.
pub(super) const CAP_MAX: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Profiling {
    /// A scope and what is within it; empty for all.
    Show(Words),
    Switch(bool),
    Reset,
}

/// A command as `ft help` shows it.
pub(super) struct Usage {
    pub(super) word: &'static str,
    pub(super) form: &'static str,
    pub(super) does: &'static str,
    pub(super) example: &'static str,
}

pub(super) const USAGES: [Usage; 13] = [
    Usage {
        word: "add",
        form: "ft add [COUNT] [SKILL] [red|blue] [NAME]",
        does: "more bots; raises the quota. SKILL is 1 to 5 or a grade's name, and comes after COUNT",
        example: "ft add 2 4 red; ft add 1 veteran Mallory",
    },
    Usage {
        word: "kick",
        form: "ft kick NAME|all",
        does: "sends a bot of ours away and lowers the quota",
        example: "ft kick Mallory",
    },
    Usage {
        word: "fill",
        form: "ft fill COUNT",
        does: "keeps so many players in all: bots leave as people join",
        example: "ft fill 8",
    },
    Usage {
        word: "quota",
        form: "ft quota [normal|fill|match] [COUNT]",
        does: "normal: always so many bots; fill: so many players in all; match: so many bots for each person",
        example: "ft quota match 2",
    },
    Usage { word: "list", form: "ft list", does: "our bots: skill, team, score, what each is at", example: "ft list" },
    Usage {
        word: "why",
        form: "ft why NAME",
        does: "who a bot is, what it wants, why, and how it came to it",
        example: "ft why Ash",
    },
    Usage {
        word: "skill",
        form: "ft skill [SKILL] [NAME]",
        does: "of all of ours and those to come, or of one: 1 recruit, 2 regular, 3 veteran, 4 and 5 elite",
        example: "ft skill 3; ft skill elite Ash",
    },
    Usage {
        word: "freeze",
        form: "ft freeze [on|off]",
        does: "our bots stand still and press nothing",
        example: "ft freeze on",
    },
    Usage {
        word: "grenades",
        form: "ft grenades [on|off | KIND on|off | cap COUNT]",
        does: "whether bots use grenades, which kinds, and how many in one life",
        example: "ft grenades off; ft grenades frag on; ft grenades cap 2",
    },
    Usage {
        word: "stats",
        form: "ft stats",
        does: "what our bots cost: memory, milliseconds a frame",
        example: "ft stats",
    },
    Usage {
        word: "report",
        form: "ft report",
        does: "how good this map's terrain is: what is reached, what is not",
        example: "ft report",
    },
    Usage {
        word: "profile",
        form: "ft profile [on|off|reset|SCOPE]",
        does: "where the time goes, scope by scope",
        example: "ft profile on; ft profile; ft profile turn",
    },
    Usage { word: "help", form: "ft help [WORD]", does: "this, or more of one command", example: "ft help add" },
];

/// Grades by name, in the order of the server's scale.
pub(super) const GRADES: [&str; 4] = ["recruit", "regular", "veteran", "elite"];
/// The server's scale of skills: as its own `addbot` has it.
pub(super) const GRADE_MAX: u8 = 5;

/// What stands after `ft`.
pub(super) fn understand(words: &[&str]) -> Result<Asked, String> {
    let Some((&verb, rest)) = words.split_first() else { return Ok(Asked::Help(Words::NONE)) };
    let asked = match verb.to_ascii_lowercase().as_str() {
        "add" => add(rest)?,
        "kick" => Asked::Kick(whom(rest, "kick")?),
        "fill" => Asked::Quota(Some(Quota { mode: Mode::Fill, count: count(rest, "fill")? })),
        "quota" => Asked::Quota(quota(rest)?),
        "list" => Asked::List,
        "why" => match rest {
            [name] => Asked::Why(Words::from(*name)),
            _ => return Err(wrong("why", "whose reasons?")),
        },
        "skill" => Asked::Skill(skill(rest)?),
        "freeze" => Asked::Freeze(switch_or_none(rest)?),
        "grenades" => Asked::Grenades(grenades(rest)?),
        "stats" => Asked::Stats,
        "report" => Asked::Report,
        "profile" => Asked::Profile(profiling(rest)),
        "help" => Asked::Help(rest.first().map_or(Words::NONE, |word| Words::from(*word))),
        _ => return Err(format!("there is no `ft {verb}`: `ft help` lists what there is")),
    };
    Ok(asked)
}

/// What is wrong, and how it is meant.
fn wrong(word: &str, what: &str) -> String {
    let usage = USAGES.iter().find(|usage| usage.word == word);
    usage.map_or_else(|| what.to_owned(), |usage| format!("{what} It goes: {} (such as {})", usage.form, usage.example))
}

fn add(words: &[&str]) -> Result<Asked, String> {
    let (mut count, mut grade, mut colour, mut name) = (None, None, None, None);
    for &word in words {
        let number = word.parse::<usize>().ok();
        match (number, grade_named(word)) {
            (Some(number), _) if count.is_none() => count = Some(number),
            (Some(_), Ok(given)) if grade.is_none() => grade = Some(given),
            (Some(_), Err(error)) => return Err(error),
            (None, Ok(given)) if grade.is_none() => grade = Some(given),
            (None, _) if colour.is_none() && colour_named(word).is_some() => colour = colour_named(word),
            (None, _) if name.is_none() => name = Some(Words::from(word)),
            _ => return Err(wrong("add", &format!("`{word}` is one word too many."))),
        }
    }
    let count = count.unwrap_or(1);
    if !(1..=abi::CLIENTS_MAX).contains(&count) {
        return Err(format!("{count} bots are none, or more than a server holds: 1 to {}", abi::CLIENTS_MAX));
    }
    if count > 1 && name.is_some() {
        return Err("several bots cannot have one name: add them one by one, or leave the name out".to_owned());
    }
    Ok(Asked::Add { count, grade, colour, name })
}

fn whom(words: &[&str], verb: &str) -> Result<Whom, String> {
    match words {
        [name] if name.eq_ignore_ascii_case("all") => Ok(Whom::All),
        [name] => Ok(Whom::Named(Words::from(*name))),
        [] => Err(wrong(verb, "whom? `ft list` has their names.")),
        _ => Err(wrong(verb, "one name at a time.")),
    }
}

fn count(words: &[&str], verb: &str) -> Result<usize, String> {
    let number = words.first().and_then(|word| word.parse::<usize>().ok()).filter(|_| words.len() == 1);
    let fits = number.filter(|number| *number <= abi::CLIENTS_MAX);
    fits.ok_or_else(|| wrong(verb, &format!("how many? A number from 0 to {}.", abi::CLIENTS_MAX)))
}

fn quota(words: &[&str]) -> Result<Option<Quota>, String> {
    let Some((&first, rest)) = words.split_first() else { return Ok(None) };
    match Mode::named(first) {
        Some(mode) => count(rest, "quota").map(|count| Some(Quota { mode, count })),
        // The number alone is what it mostly means.
        None if first.parse::<usize>().is_ok() => {
            count(words, "quota").map(|count| Some(Quota { mode: Mode::Normal, count }))
        }
        None => Err(wrong("quota", &format!("`{first}` is no mode: normal, fill or match."))),
    }
}

fn skill(words: &[&str]) -> Result<Option<(u8, Whom)>, String> {
    let Some((&first, rest)) = words.split_first() else { return Ok(None) };
    let whom = if rest.is_empty() { Whom::All } else { whom(rest, "skill")? };
    Ok(Some((grade_named(first)?, whom)))
}

/// A grade by its number on the server's scale or by its name.
pub(super) fn grade_named(word: &str) -> Result<u8, String> {
    let named = GRADES.iter().position(|grade| grade.eq_ignore_ascii_case(word)).map(|index| index as u8 + 1);
    let numbered = || word.parse::<u8>().ok().filter(|grade| (1..=GRADE_MAX).contains(grade));
    named.or_else(numbered).ok_or_else(|| {
        format!("`{word}` is no skill: 1 recruit, 2 regular, 3 veteran, 4 and 5 elite; the number or the name")
    })
}

/// The name of a grade that is given by its number.
pub(super) fn grade_word(grade: u8) -> &'static str {
    GRADES[usize::from(grade.clamp(1, GRADES.len() as u8)) - 1]
}

fn colour_named(word: &str) -> Option<Colour> {
    match word.to_ascii_lowercase().as_str() {
        "red" => Some(Colour::Red),
        "blue" => Some(Colour::Blue),
        "free" => Some(Colour::Free),
        _ => None,
    }
}

fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "1" => Some(true),
        "off" | "0" => Some(false),
        _ => None,
    }
}

fn switch_or_none(words: &[&str]) -> Result<Option<bool>, String> {
    match words {
        [] => Ok(None),
        [word] => switch(word).map(Some).ok_or_else(|| wrong("freeze", &format!("`{word}` is neither on nor off."))),
        _ => Err(wrong("freeze", "on or off?")),
    }
}

fn grenades(words: &[&str]) -> Result<Grenades, String> {
    match words {
        [] => Ok(Grenades::Show),
        ["cap", number] => match number.parse().ok().filter(|cap| *cap <= CAP_MAX) {
            Some(cap) => Ok(Grenades::Cap(cap)),
            None => Err(format!("`{number}` is no cap: a number from 0 (none) to {CAP_MAX} (no limit)")),
        },
        [word] => switch(word).map(Grenades::All).ok_or_else(|| wrong("grenades", "on or off?")),
        [kind, word] => {
            let kind = KINDS.iter().position(|known| known.eq_ignore_ascii_case(kind)).ok_or_else(|| {
                format!("`{kind}` is no kind of grenade: {}. Rockets are none either", KINDS.join(", "))
            })?;
            switch(word).map(|on| Grenades::Kind(kind, on)).ok_or_else(|| wrong("grenades", "on or off?"))
        }
        _ => Err(wrong("grenades", "too many words.")),
    }
}

fn profiling(words: &[&str]) -> Profiling {
    match words.first().copied() {
        Some("reset") => Profiling::Reset,
        Some(word) if switch(word).is_some() => Profiling::Switch(switch(word) == Some(true)),
        // Names of scopes may have several words.
        Some(_) => Profiling::Show(Words::from(words.join(" ").as_str())),
        None => Profiling::Show(Words::NONE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Asked, String> {
        understand(&line.split_whitespace().collect::<Vec<_>>())
    }

    fn adding(count: usize, grade: Option<u8>, colour: Option<Colour>, name: Option<&str>) -> Result<Asked, String> {
        Ok(Asked::Add { count, grade, colour, name: name.map(Words::from) })
    }

    #[test]
    fn bots_are_added_with_what_is_said_and_nothing_else() {
        assert_eq!(asked("add"), adding(1, None, None, None));
        assert_eq!(asked("add 3"), adding(3, None, None, None));
        assert_eq!(asked("add 3 4 red"), adding(3, Some(4), Some(Colour::Red), None));
        assert_eq!(asked("add 1 5 blue Mallory"), adding(1, Some(5), Some(Colour::Blue), Some("Mallory")));
        assert_eq!(asked("ADD Mallory veteran"), adding(1, Some(3), None, Some("Mallory")));
        for wrong in ["add 0", "add 65", "add 2 9", "add 2 Mallory", "add 1 2 3", "add a b"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_quota_has_a_mode_and_a_number() {
        let quota = |mode, count| Ok(Asked::Quota(Some(Quota { mode, count })));
        assert_eq!(asked("fill 8"), quota(Mode::Fill, 8));
        assert_eq!(asked("quota match 2"), quota(Mode::Match, 2));
        assert_eq!(asked("quota 5"), quota(Mode::Normal, 5));
        assert_eq!(asked("quota"), Ok(Asked::Quota(None)));
        for wrong in ["fill", "fill x", "fill 8 9", "quota full 3", "quota normal", "quota 900"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn grenades_are_switched_at_large_by_kind_and_by_number() {
        let grenades = |grenades| Ok(Asked::Grenades(grenades));
        assert_eq!(asked("grenades off"), grenades(Grenades::All(false)));
        assert_eq!(asked("grenades smoke on"), grenades(Grenades::Kind(1, true)));
        assert_eq!(asked("grenades cap 2"), grenades(Grenades::Cap(2)));
        assert_eq!(asked("grenades"), grenades(Grenades::Show));
        for wrong in ["grenades maybe", "grenades rocket off", "grenades cap -1", "grenades cap 1001", "grenades frag"]
        {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn skills_go_by_number_or_name() {
        assert_eq!(asked("skill 3"), Ok(Asked::Skill(Some((3, Whom::All)))));
        assert_eq!(asked("skill Elite Ash"), Ok(Asked::Skill(Some((4, Whom::Named(Words::from("Ash")))))));
        assert_eq!(asked("skill"), Ok(Asked::Skill(None)));
        assert!(asked("skill 6").is_err() && asked("skill 0").is_err() && asked("skill Ash").is_err());
        assert_eq!([1, 2, 3, 4, 5].map(grade_word), ["recruit", "regular", "veteran", "elite", "elite"]);
    }

    #[test]
    fn every_command_is_understood_as_its_examples_show_it() {
        for usage in &USAGES {
            for example in usage.example.split("; ") {
                let line = example.strip_prefix("ft ").expect("examples are whole");
                assert!(asked(line).is_ok(), "{example}");
            }
        }
        assert_eq!(asked(""), Ok(Asked::Help(Words::NONE)));
        assert!(asked("dance").is_err_and(|error| error.contains("ft help")));
        assert_eq!(asked("profile bids"), Ok(Asked::Profile(Profiling::Show(Words::from("bids")))));
        assert_eq!(asked("profile on"), Ok(Asked::Profile(Profiling::Switch(true))));
    }
}
