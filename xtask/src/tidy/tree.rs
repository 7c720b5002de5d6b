//! The files of the project: those git knows, and those it would add.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// One file, by its path from the root, with `/` between folders.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// What it says, if it is text.
    pub(crate) text: Option<String>,
}

impl File {
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, last)| last == extension)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Sorted by path.
    pub(crate) files: Vec<File>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Tree> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .context("could not start git, which lists the project's files")?;
        if !listed.status.success() {
            bail!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim());
        }
        let names = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
        let mut paths: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            // Removed in the working tree but not yet in the index: no longer part of the project.
            let Ok(content) = std::fs::read(root.join(path)) else { continue };
            files.push(File {
                path: path.to_owned(),
                bytes: content.len() as u64,
                text: String::from_utf8(content).ok().filter(|text| !text.contains('\0')),
            });
        }
        Ok(Tree { files })
    }

    /// Text files with their text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&File, &str)> {
        self.files.iter().filter_map(|file| Some((file, file.text.as_deref()?)))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    /// Whether a file or folder of this name is there; one `*` stands for anything but a `/`.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        match path.split_once('*') {
            Some((before, after)) => self.files.iter().any(|file| {
                let middle = file.path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                middle.is_some_and(|middle| !middle.contains('/'))
            }),
            None => self
                .files
                .iter()
                .any(|file| file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))),
        }
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.to_owned(),
            bytes: text.len() as u64,
            text: Some(text.to_owned()),
        };
        Tree { files: files.iter().map(file).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_stars_are_found_and_beginnings_of_names_are_not() {
        let tree = Tree::of(&[("docs/notes/speed.md", ""), ("games/action.toml", "")]);
        assert!(tree.has("docs/notes/") && tree.has("docs/notes/speed.md") && tree.has("games/*.toml"));
        assert!(!tree.has("docs/note") && !tree.has("docs/*.md") && !tree.has("games/action"));
    }
}
