//! Tidy: what the compiler does not check and readers get tired of.
//!
//! In: the files git knows or would add, and what cargo says of the workspace. Out: a list of faults, each with file
//! and line; none means tidy. The checks are grouped by what they read: [`rooms`] the manifests, [`source`] the Rust
//! files, [`words`] every text file, [`papers`] the Markdown. It runs as a step of `cargo xtask test` and as a test.
//!
//! Not here: what clippy and rustfmt already say (`clippy.toml` keeps `f32::sin` out, for one).

mod papers;
mod rooms;
mod rust;
mod source;
mod tree;
mod words;

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

pub(crate) use tree::Tree;

/// Something to mend, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    pub(crate) file: String,
    /// Counted from 1; 0 stands for the file as a whole.
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl Fault {
    fn at(file: &str, line: usize, what: impl Into<String>) -> Fault {
        Fault { file: file.to_owned(), line, what: what.into() }
    }

    fn of(file: &str, what: impl Into<String>) -> Fault {
        Fault::at(file, 0, what)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what),
            line => write!(f, "{}:{line}: {}", self.file, self.what),
        }
    }
}

/// Prints every fault and the longest functions; an error if there is a fault.
pub(crate) fn run(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let long = source::long_functions(&tree);
    for function in &long {
        println!("{}:{}: `{}` has {} lines", function.file, function.line, function.name, function.lines);
    }
    let faults = check(root, &tree)?;
    for fault in &faults {
        println!("{fault}");
    }
    match faults.len() {
        0 => Ok(()),
        count => bail!("{count} untidy places"),
    }
}

/// Every fault of the tree, sorted by file and line.
pub(crate) fn check(root: &Path, tree: &Tree) -> Result<Vec<Fault>> {
    let mut faults = rooms::check(root, tree)?;
    faults.extend(source::check(tree));
    faults.extend(words::check(tree));
    faults.extend(papers::check(tree));
    faults.sort();
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let root = crate::project_root();
        let tree = Tree::read(&root).expect("git lists the files");
        let faults = check(&root, &tree).expect("cargo describes the workspace");
        let listed: Vec<String> = faults.iter().map(Fault::to_string).collect();
        assert!(faults.is_empty(), "{}", listed.join("\n"));
    }
}
