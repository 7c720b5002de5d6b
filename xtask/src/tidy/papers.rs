//! Checks on the Markdown: the paths it names exist, the commands it quotes exist, the change log is kept.

use super::{Fault, Tree};

/// Papers every reader looks for.
const PAPERS: [&str; 8] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "STYLE.md",
    "docs/glossary.md",
    "docs/reading.md",
];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let missing = PAPERS.iter().filter(|paper| !tree.has(paper)).map(|paper| Fault::of(paper, "is missing"));
    let mut faults: Vec<Fault> = missing.collect();
    let commands = crate::command_names();
    for (file, text) in tree.texts().filter(|(file, _)| file.has_extension("md")) {
        for (line, text) in prose_lines(text) {
            for path in paths_named(tree, &file.path, text) {
                if !tree.has(&path) {
                    faults.push(Fault::at(&file.path, line, format!("names `{path}`, which does not exist")));
                }
            }
        }
        for (index, line) in text.lines().enumerate() {
            for command in xtask_commands(line).filter(|name| !commands.iter().any(|known| known == name)) {
                faults.push(Fault::at(&file.path, index + 1, format!("there is no `cargo xtask {command}`")));
            }
        }
    }
    faults.extend(check_change_log(tree));
    faults
}

/// Lines outside fenced blocks, counted from 1. Blocks show output and sketches, not promises.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            return None;
        }
        (!is_fenced).then_some((index + 1, line))
    })
}

/// What a line of a paper names as a path of the project: in code font from the root, in a link from where it stands.
fn paths_named(tree: &Tree, paper: &str, line: &str) -> Vec<String> {
    let in_code = line.split('`').skip(1).step_by(2).filter(|code| looks_like_path(tree, code)).map(str::to_owned);
    let in_links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).filter_map(|(target, _)| {
        let target = target.split('#').next().unwrap_or_default();
        let is_ours = !target.is_empty() && !target.contains("://");
        is_ours.then(|| from_folder_of(paper, target))
    });
    in_code.chain(in_links).collect()
}

/// Code in a paper is a path of ours if it is one word with a `/` that starts at a folder of the root, or a file name
/// of the root's kinds.
fn looks_like_path(tree: &Tree, code: &str) -> bool {
    let is_word = code.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./*".contains(letter));
    if !is_word || code.is_empty() {
        return false;
    }
    match code.split_once('/') {
        Some((first, _)) => tree.has(first),
        None => [".md", ".toml"].iter().any(|extension| code.ends_with(extension)) && code.len() > 5,
    }
}

/// A link's target as a path from the root.
fn from_folder_of(paper: &str, target: &str) -> String {
    let mut parts: Vec<&str> = paper.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn xtask_commands(line: &str) -> impl Iterator<Item = &str> {
    line.split("cargo xtask ").skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    })
}

/// The log has a part for what is not yet released, or for the version the workspace has.
fn check_change_log(tree: &Tree) -> Option<Fault> {
    let log = tree.text("CHANGELOG.md")?;
    let manifest: toml::Table = tree.text("Cargo.toml")?.parse().ok()?;
    let version = manifest["workspace"]["package"]["version"].as_str()?;
    let is_kept = log.lines().any(|line| {
        line.strip_prefix("## ").is_some_and(|title| title.starts_with("Unreleased") || title.starts_with(version))
    });
    (!is_kept).then(|| Fault::of("CHANGELOG.md", format!("has no part `Unreleased` and none for {version}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let all = check(&Tree::of(files));
        all.iter().filter(|fault| fault.line > 0).map(Fault::to_string).collect()
    }

    #[test]
    fn dead_paths_are_found_in_code_and_in_links() {
        let notes = "`docs/gone.md` and `docs/notes.md`, [here](gone.md), [up](../README.md), `gone.toml`\n";
        assert_eq!(
            faults(&[("docs/notes.md", notes), ("README.md", "")]),
            [
                "docs/notes.md:1: names `docs/gone.md`, which does not exist",
                "docs/notes.md:1: names `gone.toml`, which does not exist",
                "docs/notes.md:1: names `docs/gone.md`, which does not exist",
            ]
        );
    }

    #[test]
    fn modules_sites_and_fenced_sketches_are_no_paths() {
        let text = "`world::trace` `a / b` `x/y` [site](https://example.org/docs/a)\n```\n`docs/no.md`\n```\n";
        assert_eq!(faults(&[("docs/a.md", text)]), [""; 0]);
    }

    #[test]
    fn commands_that_do_not_exist_are_found_even_in_fenced_blocks() {
        let text = "```\ncargo xtask test\ncargo xtask polish --hard\n```\n";
        assert_eq!(faults(&[("README.md", text)]), ["README.md:3: there is no `cargo xtask polish`"]);
    }

    #[test]
    fn the_change_log_names_this_version_or_the_next() {
        let manifest = ("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n");
        let check = |log| check_change_log(&Tree::of(&[manifest, ("CHANGELOG.md", log)]));
        assert_eq!(check("# Changes\n\n## 0.2.0\n"), None);
        assert_eq!(check("# Changes\n\n## Unreleased\n"), None);
        assert!(check("# Changes\n\n## 0.1.0\n").is_some());
    }
}
