//! The operator's commands: `ft WORD …` on the server's console or by rcon, carried out.
//!
//! In: words that the engine has split. Out: what was asked for, done or answered in lines that begin with `fireteam:`. Clients
//! cannot get here: what they type reaches the game by another way. What has to outlive the level is kept in the server's
//! variables, so that a configuration file can set it too. Not here: what words mean (`asked`).
//!
//! Frames that call the engine own nothing: words lie in [`Playing`], an [`Asked`] is plain data.

use fireteam::journal::{Words, with_names};
use fireteam::profile::table;
use fireteam::{Skill, Traits};
use fireteam_openarena::play::lineup::Colour;
use fireteam_terrain::Terrain;
use fireteam_terrain::readiness::Readiness;
use fireteam_world::units::EntityId;

use super::asked::{self, Asked, CAP_MAX, GRADES, Grenades, KINDS, Profiling, USAGES, Whom, grade_word};
use super::crew::{Crew, skill_of};
use super::quota::{Mode, Quota};
use super::{Lines, Playing, dismiss_all, read_wishes};
use crate::abi::{self, persistent, stat, team};
use crate::engine::{Engine, Game};
use crate::wrap;

/// More words than any command has.
const WORDS_MAX: usize = 8;
/// Lines of the journal that `ft why` shows.
const WHY_LINES: usize = 8;
/// Of each remark on a terrain so many places are named.
const PLACES_SHOWN: usize = 3;

/// Carries out `ft …`; false if the command is not ours.
pub(crate) fn obey(playing: &mut Playing, engine: Engine, game: Option<Game>) -> bool {
    if !read_words(playing, engine) {
        return false;
    }
    let asked = {
        let words: Vec<&str> = playing.words.iter().skip(1).map(String::as_str).collect();
        asked::understand(&words).map_err(|error| playing.lines.say(error)).ok()
    };
    match (asked, game) {
        (None, _) => {}
        (Some(Asked::Help(word)), _) => help(word.as_str(), &mut playing.lines),
        (Some(asked), Some(game)) if !playing.is_aside => carry_out(playing, engine, game, asked),
        (Some(_), _) => playing.lines.say(
            "our bots have stepped aside in this level; a line further up says why. The next map may be another matter"
                .to_owned(),
        ),
    }
    playing.lines.print(engine);
    true
}

/// The words of the command; false if the first is not ours.
fn read_words(playing: &mut Playing, engine: Engine) -> bool {
    let mut buffer = [0; 256];
    if engine.word(0, &mut buffer) != "ft" {
        return false;
    }
    playing.words.clear();
    for index in 0..WORDS_MAX {
        let word = engine.word(index, &mut buffer);
        if word.is_empty() {
            break;
        }
        playing.words.push(word.to_owned());
    }
    true
}

fn carry_out(playing: &mut Playing, engine: Engine, game: Game, asked: Asked) {
    // Whatever a configuration or the console has set since the last look counts.
    read_wishes(playing, engine);
    match asked {
        Asked::Add { count, grade, colour, name } => add(playing, engine, game, Adding { count, grade, colour, name }),
        Asked::Kick(whom) => kick(playing, engine, whom),
        Asked::Quota(quota) => set_quota(playing, engine, game, quota),
        Asked::List => list(playing, engine, &game),
        Asked::Why(name) => why(playing, engine, &game, name),
        Asked::Skill(None) => tell_skill(playing),
        Asked::Skill(Some((grade, whom))) => regrade(playing, engine, grade, whom),
        Asked::Freeze(is_on) => freeze(playing, engine, is_on),
        Asked::Grenades(wish) => grenades(playing, engine, wish),
        Asked::Stats => stats(playing, &game),
        Asked::Report => report(playing),
        Asked::Profile(wish) => profile(playing, wish),
        Asked::Help(word) => help(word.as_str(), &mut playing.lines),
    }
}

fn help(word: &str, lines: &mut Lines) {
    match USAGES.iter().find(|usage| usage.word.eq_ignore_ascii_case(word)) {
        Some(usage) => {
            lines.say(format!("{}: {}", usage.form, usage.does));
            lines.say(format!("such as: {}", usage.example));
        }
        None => {
            if !word.is_empty() {
                lines.say(format!("there is no `ft {word}`"));
            }
            USAGES.iter().for_each(|usage| lines.say(format!("{:<48} {}", usage.form, usage.does)));
        }
    }
}

/// Who is to come.
#[derive(Clone, Copy)]
struct Adding {
    count: usize,
    grade: Option<u8>,
    colour: Option<Colour>,
    name: Option<Words>,
}

fn add(playing: &mut Playing, engine: Engine, game: Game, adding: Adding) {
    let Adding { count, grade, colour, name } = adding;
    let ours = wrap::ours().count_ones() as usize;
    let quota = playing.orders.quota.unwrap_or(Quota { mode: Mode::Normal, count: ours });
    if quota.mode == Mode::Match {
        let told = quota.told();
        playing.lines.say(format!("{told}, and not more: `ft quota normal {}` first", ours + count));
        return;
    }
    if let Some(name) = name.filter(|name| playing.crew.find(name.as_str()).is_some()) {
        playing.lines.say(format!("there is a bot called {name} already: choose another name"));
        return;
    }
    let grade = grade.unwrap_or(playing.orders.skill);
    let colour = colour.unwrap_or(playing.orders.colour);
    for _ in 0..count {
        playing.crew.ask_for(name.as_ref().map_or("", Words::as_str), grade, colour);
    }
    let more = Quota { count: (quota.count + count).min(abi::CLIENTS_MAX), ..quota };
    let present = playing.present(&game);
    let wanted = more.wanted(&present);
    playing.lines.say(format!("{count} more, {}; {}", grade_word(grade), more.told()));
    if wanted < more.asked(&present) {
        playing.lines.say(format!(
            "there is room for {} bots only: raise sv_maxclients (now {}), or kick somebody",
            present.room(),
            present.slots
        ));
    }
    playing.orders.set_quota(engine, more);
}

fn kick(playing: &mut Playing, engine: Engine, whom: Whom) {
    let quota = playing.orders.quota.unwrap_or_default();
    match whom {
        Whom::All => {
            playing.lines.say(format!("{} bots go", wrap::ours().count_ones()));
            playing.crew.ask_for_nobody();
            playing.orders.set_quota(engine, Quota { count: 0, ..quota });
            dismiss_all(playing, engine);
        }
        Whom::Named(name) => {
            let Some(client) = found(playing, name) else { return };
            playing.crew.dismiss(engine, client, c"was dismissed");
            let left = Quota { count: playing.orders.quota.map_or(0, |_| quota.without(1).count), ..quota };
            if playing.orders.quota.is_some() {
                playing.orders.set_quota(engine, left);
            }
            let rest = match quota.mode {
                Mode::Match => format!("{}: another comes", quota.told()),
                Mode::Normal | Mode::Fill => left.told(),
            };
            playing.lines.say(format!("{name} goes; {rest}"));
        }
    }
}

/// The slot of a bot of ours; says so if there is none of that name.
fn found(playing: &mut Playing, name: Words) -> Option<usize> {
    let client = playing.crew.find(name.as_str());
    if client.is_none() {
        playing.lines.say(format!("no bot of ours is called `{name}`: `ft list` has their names"));
    }
    client
}

fn set_quota(playing: &mut Playing, engine: Engine, game: Game, quota: Option<Quota>) {
    if let Some(quota) = quota {
        playing.orders.set_quota(engine, quota);
    }
    let present = playing.present(&game);
    match playing.orders.quota {
        None => playing.lines.say("no quota: nobody has asked for bots; such as `ft quota normal 4`".to_owned()),
        Some(quota) => {
            let (wanted, ours) = (quota.wanted(&present), wrap::ours().count_ones());
            let tight =
                if wanted < quota.asked(&present) { ", for want of slots (sv_maxclients, ft_reserve)" } else { "" };
            playing.lines.say(format!(
                "{}; {} people and {} of the game's own are here, so {wanted} of ours{tight}; {ours} are here",
                quota.told(),
                present.people,
                present.stock
            ));
        }
    }
}

fn list(playing: &mut Playing, engine: Engine, game: &Game) {
    playing.crew.read_names(engine, game);
    let mut count = 0;
    playing
        .lines
        .say(format!("{:>4} {:<20} {:<8} {:<5} {:>5} {:>6}  at", "slot", "name", "skill", "team", "score", "health"));
    for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) != 0) {
        let Some(member) = playing.crew.member(client) else { continue };
        count += 1;
        let state = game.player(client);
        let goal = playing.post.as_ref().and_then(|post| post.goals(client).next());
        let is_benched = playing.post.as_ref().is_some_and(|post| post.is_benched(client));
        let at = match goal {
            _ if is_benched => "benched after a fault".to_owned(),
            _ if playing.orders.is_frozen => "frozen".to_owned(),
            _ if state.stats[stat::HEALTH] <= 0 => "dead".to_owned(),
            Some((goal, reason)) => {
                format!("{goal}: {}", with_names(reason.as_str(), |entity| called(&playing.crew, entity)))
            }
            None => "nothing in particular".to_owned(),
        };
        playing.lines.say(format!(
            "{client:>4} {:<20} {:<8} {:<5} {:>5} {:>6}  {at}",
            member.name,
            grade_of(member.skill),
            side_word(state.persistent[persistent::TEAM]),
            state.persistent[persistent::SCORE],
            state.stats[stat::HEALTH].max(0),
        ));
    }
    let present = playing.present(game);
    let quota = playing.orders.quota.map_or_else(|| "no quota".to_owned(), Quota::told);
    playing.lines.say(format!(
        "{count} of ours, {} people, {} of the game's own, {} slots; {quota}",
        present.people, present.stock, present.slots
    ));
}

fn grade_of(skill: Skill) -> &'static str {
    match skill {
        Skill::Recruit => GRADES[0],
        Skill::Regular => GRADES[1],
        Skill::Veteran => GRADES[2],
        Skill::Elite => GRADES[3],
    }
}

fn side_word(side: i32) -> &'static str {
    match side {
        team::RED => "red",
        team::BLUE => "blue",
        team::SPECTATOR => "none",
        _ => "free",
    }
}

fn why(playing: &mut Playing, engine: Engine, game: &Game, name: Words) {
    let Some(client) = found(playing, name) else { return };
    playing.crew.read_names(engine, game);
    let Playing { post, crew, lines, .. } = playing;
    let Some(post) = post else { return };
    if let (Some(traits), Some(member)) = (post.traits(client), crew.member(client)) {
        lines.say(format!("{} is a {}: {traits}", crew.name(client), grade_of(member.skill)));
        let values = Traits::NAMES.iter().zip(traits.values()).map(|(name, value)| format!("{name} {value}"));
        lines.say(values.collect::<Vec<_>>().join(", "));
    }
    let mut goals = 0;
    for (goal, reason) in post.goals(client) {
        goals += 1;
        let reason = with_names(reason.as_str(), |entity| called(crew, entity));
        lines.say(format!("{} is {goal}: {reason}", crew.name(client)));
    }
    if goals == 0 {
        let state = if post.is_benched(client) { "is benched after a fault" } else { "wants nothing at the moment" };
        lines.say(format!("{} {state}", crew.name(client)));
    }
    let latest = post.latest(client, WHY_LINES, |entity| called(crew, entity));
    latest.into_iter().for_each(|line| lines.say(line));
}

/// What a player called himself when names were read.
fn called(crew: &Crew, entity: EntityId) -> Option<&str> {
    (entity.index() < abi::CLIENTS_MAX).then(|| crew.name(entity.index())).filter(|name| !name.is_empty())
}

fn tell_skill(playing: &mut Playing) {
    let grade = playing.orders.skill;
    let word = grade_word(grade);
    playing
        .lines
        .say(format!("who joins is a {word} (ft_skill {grade}); `ft list` has the skill of those who are here"));
}

fn regrade(playing: &mut Playing, engine: Engine, grade: u8, whom: Whom) {
    let clients = match whom {
        Whom::All => {
            engine.set_number(c"ft_skill", usize::from(grade));
            playing.orders.skill = grade;
            wrap::ours()
        }
        Whom::Named(name) => match found(playing, name) {
            Some(client) => 1 << client,
            None => return,
        },
    };
    for client in (0..abi::CLIENTS_MAX).filter(|client| clients & (1 << client) != 0) {
        playing.crew.regrade(engine, client, grade);
        let Playing { orders, post, crew, .. } = playing;
        if let (Some(post), Some(member)) = (post, crew.member(client)) {
            // Somebody else in the same body: what the other remembered is gone.
            post.leave(client);
            post.join(client, orders.character(&member.name, skill_of(grade)));
        }
    }
    let word = grade_word(grade);
    match whom {
        Whom::All => playing.lines.say(format!("{} bots, and whoever joins: {word}", clients.count_ones())),
        Whom::Named(name) => playing.lines.say(format!("{name}: {word}")),
    }
}

fn freeze(playing: &mut Playing, engine: Engine, is_on: Option<bool>) {
    let is_on = is_on.unwrap_or(!playing.orders.is_frozen);
    engine.set_number(c"ft_freeze", usize::from(is_on));
    playing.orders.is_frozen = is_on;
    let told = if is_on { "our bots stand still until `ft freeze off`" } else { "our bots play on" };
    playing.lines.say(told.to_owned());
}

fn grenades(playing: &mut Playing, engine: Engine, wish: Grenades) {
    match wish {
        Grenades::Show => {}
        Grenades::All(is_on) => engine.set_number(c"ft_grenades", usize::from(is_on)),
        Grenades::Kind(kind, is_on) => engine.set_number(KIND_CVARS[kind], usize::from(is_on)),
        Grenades::Cap(cap) => engine.set_number(c"ft_grenades_per_life", cap as usize),
    }
    read_wishes(playing, engine);
    let convars = &playing.orders.convars;
    let is_on = |name: &str| convars.get(name) == Some(1.0);
    let off: Vec<&str> = KINDS.into_iter().filter(|kind| !is_on(&format!("grenades_{kind}"))).collect();
    let kinds = if off.is_empty() { "all kinds".to_owned() } else { format!("but no {}", off.join(", no ")) };
    let told = match convars.grenades_per_life {
        0 => "grenades are off: none in a life (`ft grenades cap`)".to_owned(),
        _ if convars.grenades == 0 => "grenades are off, whatever else is set (`ft grenades on`)".to_owned(),
        CAP_MAX.. => format!("grenades are on, {kinds}, as many as a bot has"),
        cap => format!("grenades are on, {kinds}, {cap} in a life"),
    };
    playing.lines.say(told);
}

/// In the order of [`KINDS`].
const KIND_CVARS: [&std::ffi::CStr; KINDS.len()] =
    [c"ft_grenades_frag", c"ft_grenades_smoke", c"ft_grenades_flash", c"ft_grenades_incendiary", c"ft_grenades_rifle"];

fn stats(playing: &mut Playing, game: &Game) {
    let present = playing.present(game);
    let Playing { orders, post, tally, lines, .. } = playing;
    lines.say(format!("{} is played with seed {}", orders.map, orders.seed as i32));
    let turns = post.as_ref().map_or(0, super::Post::turns);
    lines.say(format!(
        "{} bots of ours, {} people, {} of the game's own; {turns} turns taken in this level, {} faults",
        wrap::ours().count_ones(),
        present.people,
        present.stock,
        tally.faults
    ));
    for (what, lengths) in [("whole frames", &tally.frame), ("our thinking", &tally.think)] {
        let spread = lengths.spread();
        let [p99, max] = [spread.p99, spread.max].map(|us| f64::from(us) / 1000.0);
        let mean = lengths.mean_ms();
        lines.say(format!("{what}: mean {mean:.2} ms, p99 {p99:.2} ms, longest {max:.2} ms, of {}", spread.frames));
    }
    if let Some(us) = tally.ours().us_per_bot_second() {
        lines.say(format!("a bot of ours takes {us:.0} us of CPU time a second of the game"));
    }
    match resident_bytes() {
        Some(bytes) => lines.say(format!("memory: {:.0} MB, the whole server", bytes as f64 / 1e6)),
        None => lines.say("memory: this system does not say".to_owned()),
    }
}

/// Memory of the whole process, as Linux counts it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn report(playing: &mut Playing) {
    let Playing { post, lines, is_quick, .. } = playing;
    match post {
        Some(post) => tell_terrain(&post.field.terrain, *is_quick, lines),
        None => lines
            .say("no terrain was needed yet: `ft add` or `ft quota` asks for bots, and with them for one".to_owned()),
    }
}

fn tell_terrain(terrain: &Terrain, is_quick: bool, lines: &mut Lines) {
    let readiness = Readiness::of(terrain);
    let Readiness { spawns, items, islands, places, unreached, without_return, .. } = readiness;
    let quality = if is_quick { "quick, a full one is better" } else { "full" };
    lines.say(format!(
        "terrain of {} ({quality}): {} waypoints, {} links, {islands} islands; {spawns} spawns, {items} items",
        terrain.provenance.map_name,
        terrain.waypoints.len(),
        terrain.links.links.len()
    ));
    lines.say(format!(
        "{:.1} % of {places} places are reached; {unreached} waypoints are not, {without_return} lead nowhere back",
        readiness.coverage * 100.0
    ));
    let throws: usize = terrain.throws.tables.iter().map(|table| table.len()).sum();
    let throws = if throws == 0 { "none in it".to_owned() } else { format!("{throws}") };
    lines.say(format!("throws: {throws}"));
    for remark in &readiness.remarks {
        let weight = if remark.is_serious { "PROBLEM" } else { "remark" };
        let places = remark.examples.iter().take(PLACES_SHOWN).cloned().collect::<Vec<_>>().join("; ");
        lines.say(format!("{weight}: {} {}: {places}", remark.count, remark.what));
    }
    let verdict = match (readiness.is_ready(), is_quick) {
        (true, false) => "ready",
        (true, true) => "ready; `fireteam bake` makes a full one",
        (false, _) => "bots play, but not everywhere: look at the problems (`fireteam inspect FILE --picture links`)",
    };
    lines.say(format!("verdict: {verdict}"));
}

fn profile(playing: &mut Playing, wish: Profiling) {
    let Playing { post, lines, .. } = playing;
    let Some(post) = post else {
        return lines.say("there is nothing to measure: no bots of ours are here".to_owned());
    };
    match wish {
        Profiling::Reset => {
            post.profile().reset();
            lines.say("measuring begins anew".to_owned());
        }
        Profiling::Switch(is_on) => {
            post.set_profiling(is_on);
            lines.say(format!("measuring is {}", if is_on { "on: `ft profile` shows it" } else { "off" }));
        }
        Profiling::Show(name) => {
            let figures =
                if name.is_empty() { post.profile().figures() } else { post.profile().figures_of(name.as_str()) };
            match (figures.is_empty(), post.profile().is_on()) {
                (false, _) => table(&figures).to_string().lines().for_each(|line| lines.say(line.to_owned())),
                (true, false) => lines.say("measuring is off: `ft profile on`, and ask again after a while".to_owned()),
                (true, true) if name.is_empty() => lines.say("nothing was measured yet: ask again".to_owned()),
                (true, true) => lines.say(format!("no scope is called `{name}`: `ft profile` lists them")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam::ConVars;

    #[test]
    fn every_kind_of_grenade_is_a_variable_of_the_bots() {
        for (kind, cvar) in KINDS.iter().zip(KIND_CVARS) {
            let name = format!("grenades_{kind}");
            assert!(ConVars::default().get(&name).is_some(), "{name}");
            assert_eq!(cvar.to_str(), Ok(format!("ft_{name}").as_str()));
        }
        let cap = ConVars::LISTINGS.iter().find(|listing| listing.name == "grenades_per_life").expect("a variable");
        assert_eq!(cap.max, f64::from(CAP_MAX));
    }

    #[test]
    fn the_process_knows_how_much_memory_it_has() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100_000));
    }
}
