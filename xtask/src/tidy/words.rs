//! Checks on every text file: leftover marks, paths and hosts of one machine, talk about the making, size and line ends.
//!
//! The refused words are written in two pieces here, or this file would find itself.

use super::{Fault, Tree};

/// Larger files belong into a package that the tests fetch.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Whoever meets such a mark cannot know whether it still holds: mend it, or write down why it stays as it is.
const MARKS: [&str; 4] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

/// Folders at the root of a disk that mean something on one machine only.
const MACHINE_FOLDERS: [&str; 8] = ["Users", "farm", "home", "media", "mnt", "root", "tmp", "work"];

/// Package mirrors: what is fetched comes from where the user's own settings say.
const REGISTRY_HOSTS: [&str; 5] = [
    concat!("artif", "actory"),
    concat!("jf", "rog"),
    concat!("pypi.", "org"),
    concat!("verd", "accio"),
    concat!("registry.npm", "js"),
];

/// The project speaks of itself, not of how it came about; git remembers that.
const MAKING: [&str; 7] = [
    concat!("this ", "session"),
    concat!("as ", "requested"),
    concat!("as ", "instructed"),
    concat!("the task ", "text"),
    concat!("language ", "model"),
    concat!("issue", " #"),
    concat!("ticket", " #"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| file.bytes > FILE_BYTES_MAX) {
        faults.push(Fault::of(&file.path, format!("{} kB: too large for git", file.bytes / 1024)));
    }
    for (file, text) in tree.texts() {
        if !text.is_empty() && !text.ends_with('\n') {
            faults.push(Fault::of(&file.path, "does not end with a line end"));
        }
        for (index, line) in text.lines().enumerate() {
            faults.extend(check_line(line).map(|what| Fault::at(&file.path, index + 1, what)));
        }
    }
    faults
}

/// The first thing wrong with a line.
fn check_line(line: &str) -> Option<String> {
    if line.ends_with('\r') {
        return Some("ends with a carriage return".to_owned());
    }
    if let Some(mark) = MARKS.iter().find(|mark| has_word(line, mark)) {
        return Some(format!("`{mark}` is left over"));
    }
    if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| has_root_folder(line, folder)) {
        return Some(format!("a path of one machine: `/{folder}`"));
    }
    let lower = line.to_lowercase();
    if let Some(host) = REGISTRY_HOSTS.iter().find(|host| lower.contains(*host)) {
        return Some(format!("names a package host: `{host}`"));
    }
    let making = MAKING.iter().find(|words| lower.contains(*words))?;
    Some(format!("speaks of how the project is made: `{making}`"))
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

/// `/name/` where a path begins, not in the middle of one.
fn has_root_folder(line: &str, name: &str) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || "_.-~)}/".contains(letter);
    line.match_indices(&format!("/{name}/")).any(|(at, _)| !line[..at].ends_with(is_inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_words_and_not_parts_of_words() {
        assert!(check_line(&format!("// {}: later", MARKS[0])).is_some());
        assert_eq!(check_line(&format!("{}S_MAX", MARKS[0])), None);
    }

    #[test]
    fn a_path_of_one_machine_is_found_and_a_folder_in_a_path_is_not() {
        let home = ["", "home", "ann", "maps"].join("/");
        assert!(check_line(&format!("see {home}")).is_some());
        assert!(check_line(&format!("\"{home}\"")).is_some());
        assert_eq!(check_line("docs/work/plan and $XDG/tmp/x"), None);
        assert_eq!(check_line("/usr/lib/openarena-server/baseoa"), None);
    }

    #[test]
    fn hosts_and_talk_are_found_in_any_case() {
        assert!(check_line(&REGISTRY_HOSTS[2].to_uppercase()).is_some());
        assert!(check_line(&format!("See {}12.", MAKING[5])).is_some());
    }

    #[test]
    fn large_files_and_missing_line_ends_are_faults_of_the_file() {
        let mut tree = Tree::of(&[("a.txt", "no end")]);
        assert_eq!(check(&tree).len(), 1);
        tree.files[0].bytes = FILE_BYTES_MAX + 1;
        assert_eq!(check(&tree).len(), 2);
    }
}
