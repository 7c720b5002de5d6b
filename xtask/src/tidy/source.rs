//! Checks on Rust files: leftovers, where `unsafe` may stand, how long functions are, which names are refused.

use super::rust::Facts;
use super::{Fault, Tree};

/// Longer than this does not fit a screen.
const FUNCTION_LINES_MAX: usize = 70;
/// At most this share of all functions may be longer, in percent: a table or one long match is sometimes best whole.
const LONG_FUNCTIONS_PERCENT_MAX: usize = 2;
/// Nine functions of ten are at most this long.
const FUNCTION_LINES_P90_MAX: usize = 40;

/// Beginnings of paths under which `unsafe` may stand: where an engine's memory is read, where a vector instruction
/// is called, where a C++ library is measured.
const UNSAFE_ROOMS: [&str; 4] =
    ["hosts/", "crates/world/src/solids/simd", "crates/world/src/solids/stack", "bench/embree/"];

/// Words that say nothing of the field, refused in our names together with the glossary's right column.
const OFFICE_WORDS: [&str; 9] =
    ["manager", "helper", "util", "utils", "handler", "processor", "impl", "common", "factory"];

/// A function and the file it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) lines: usize,
}

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let refused = refused_words(tree.text("docs/glossary.md").unwrap_or_default());
    let mut faults = Vec::new();
    for (path, facts) in rust_files(tree) {
        for word in &facts.leftovers {
            faults.push(Fault::at(path, word.line, format!("`{}` is left over", word.text)));
        }
        if !UNSAFE_ROOMS.iter().any(|room| path.starts_with(room)) {
            faults.extend(facts.unsafes.iter().map(|&line| Fault::at(path, line, "`unsafe` outside its rooms")));
        }
        for name in &facts.names {
            if let Some(word) = refused_part(&name.text, &refused) {
                let what = format!("`{}`: the glossary has a better word than `{word}`", name.text);
                faults.push(Fault::at(path, name.line, what));
            }
        }
    }
    faults.extend(check_function_lengths(tree));
    faults
}

/// Every function that does not fit a screen, longest first.
pub(crate) fn long_functions(tree: &Tree) -> Vec<Placed> {
    let mut long: Vec<Placed> = functions(tree).filter(|function| function.lines > FUNCTION_LINES_MAX).collect();
    long.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.file.cmp(&b.file)));
    long
}

fn check_function_lengths(tree: &Tree) -> Option<Fault> {
    let mut lengths: Vec<usize> = functions(tree).map(|function| function.lines).collect();
    lengths.sort_unstable();
    let &p90 = lengths.get(lengths.len() * 9 / 10)?;
    let long = lengths.iter().filter(|&&lines| lines > FUNCTION_LINES_MAX).count();
    let is_bad = p90 > FUNCTION_LINES_P90_MAX || long * 100 > lengths.len() * LONG_FUNCTIONS_PERCENT_MAX;
    is_bad.then(|| {
        let count = lengths.len();
        Fault::of(".", format!("{long} of {count} functions exceed {FUNCTION_LINES_MAX} lines, nine of ten have {p90}"))
    })
}

fn functions(tree: &Tree) -> impl Iterator<Item = Placed> {
    rust_files(tree).flat_map(|(path, facts)| {
        let place = move |function: super::rust::Function| Placed {
            file: path.to_owned(),
            line: function.line,
            name: function.name,
            lines: function.lines,
        };
        facts.functions.into_iter().map(place)
    })
}

fn rust_files(tree: &Tree) -> impl Iterator<Item = (&str, Facts)> {
    let rust = tree.texts().filter(|(file, _)| file.has_extension("rs"));
    rust.filter_map(|(file, text)| Some((file.path.as_str(), Facts::of(text)?)))
}

/// The words in code font in the last column of the glossary's tables, and the office words.
fn refused_words(glossary: &str) -> Vec<String> {
    let mut words: Vec<String> = OFFICE_WORDS.map(str::to_owned).to_vec();
    for row in glossary.lines().filter(|line| line.starts_with('|')) {
        let Some(last) = row.trim_end().trim_end_matches('|').rsplit('|').next() else { continue };
        words.extend(last.split('`').skip(1).step_by(2).map(str::to_lowercase));
    }
    words
}

/// A refused word among the parts of a name, be it `snake_case`, `CamelCase` or `SHOUTED`.
fn refused_part<'a>(name: &str, refused: &'a [String]) -> Option<&'a str> {
    let snake = snake_case(name);
    let padded = format!("_{snake}_");
    refused.iter().map(String::as_str).find(|word| padded.contains(&format!("_{word}_")))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str =
        "| word | means | not |\n| --- | --- | --- |\n| hull | a box that moves | `aabb`, a crate |\n";

    fn faults(path: &str, source: &str) -> Vec<String> {
        let tree = Tree::of(&[(path, source), ("docs/glossary.md", GLOSSARY)]);
        check(&tree).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn refused_words_are_found_as_whole_parts_of_a_name() {
        assert_eq!(
            faults("crates/world/src/x.rs", "struct PlayerAabb;\nfn crate_mass(aabbs: u8) {}"),
            ["crates/world/src/x.rs:1: `PlayerAabb`: the glossary has a better word than `aabb`"]
        );
        assert_eq!(faults("a.rs", "const SOUND_MANAGER: u8 = 0;").len(), 1);
        assert_eq!(faults("a.rs", "fn manage_helpful_utility() {}"), [""; 0]);
    }

    #[test]
    fn unsafe_stays_in_its_rooms() {
        let source = "fn f() { unsafe { g() } }";
        assert_eq!(faults("crates/world/src/trace.rs", source).len(), 1);
        assert_eq!(faults("crates/world/src/solids/simd.rs", source), [""; 0]);
        assert_eq!(faults("hosts/quake3/src/lib.rs", source), [""; 0]);
    }

    #[test]
    fn one_long_function_among_many_is_listed_and_two_of_fifty_are_refused() {
        let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(80));
        let short = "fn short() {}\n".repeat(49);
        let one = Tree::of(&[("a.rs", &format!("{long}{short}"))]);
        assert_eq!(long_functions(&one).len(), 1);
        assert_eq!(check_function_lengths(&one), None);
        let two = Tree::of(&[("a.rs", &format!("{long}{long}{short}"))]);
        assert!(check_function_lengths(&two).is_some());
    }
}
