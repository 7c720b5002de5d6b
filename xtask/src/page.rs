//! `cargo xtask page`: the viewer's page, built from `apps/viewer/src` into `apps/viewer/dist`.
//!
//! What is built is committed, so that the command can be compiled without Node. `--check` builds it once more, elsewhere, and
//! compares every byte: what is served is what the sources say. The same sources and `package-lock.json` give the same
//! bytes in any folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::debian;
use crate::steps::{Counts, run};

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Changes nothing: builds it elsewhere and wants what is committed to be the same.
    #[arg(long)]
    check: bool,
}

/// Below this, Node lacks what the tools are written in.
const NODE_MIN: u32 = 20;
/// The lock that the installed packages are from, kept beside them.
const STAMP: &str = "node_modules/.installed-from";

pub(crate) fn run_command(root: &Path, options: &Options) -> Result<()> {
    if options.check {
        check(root).map(|_| ())
    } else {
        install_packages(root)?;
        build(root, &folder(root).join("dist"))
    }
}

/// Whether what is committed is what the sources build; counts files.
pub(crate) fn check(root: &Path) -> Result<Counts> {
    install_packages(root)?;
    let scratch = root.join("target/page");
    build(root, &scratch)?;
    let committed = files(&folder(root).join("dist"))?;
    let built = files(&scratch)?;
    let faults = differences(&committed, &built);
    if !faults.is_empty() {
        bail!("{}\n`cargo xtask page` builds it anew; commit what it writes", faults.join("\n"));
    }
    println!("{} files of apps/viewer/dist are what its sources build", built.len());
    Ok(Counts { passed: built.len() as u64, failed: 0 })
}

/// The page's own folder.
pub(crate) fn folder(root: &Path) -> PathBuf {
    root.join("apps/viewer")
}

/// A Node that is new enough, and every package of `package-lock.json`; fetched only if they are not there already.
pub(crate) fn install_packages(root: &Path) -> Result<()> {
    find_node()?;
    let folder = folder(root);
    let lock = std::fs::read(folder.join("package-lock.json")).context("reading apps/viewer/package-lock.json")?;
    let stamp = folder.join(STAMP);
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(&mut npm(root, &["ci", "--no-audit", "--no-fund"]))?;
    std::fs::write(&stamp, lock).with_context(|| format!("writing {}", stamp.display()))
}

fn find_node() -> Result<()> {
    let missing: Vec<&str> = [("node", "nodejs"), ("npm", "npm")]
        .iter()
        .filter(|(name, _)| debian::find(name).is_none())
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        debian::install(&missing)?;
    }
    let said = Command::new("node").arg("--version").stdin(Stdio::null()).output().context("could not start node")?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    match parse_major(&version) {
        Some(major) if major >= NODE_MIN => Ok(()),
        _ => bail!("the page needs Node {NODE_MIN} or newer, and this is {version}"),
    }
}

/// `v20.11.1`
fn parse_major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

fn build(root: &Path, into: &Path) -> Result<()> {
    let into = into.to_str().context("the project's folder has a name that is no text")?;
    run(&mut npm(root, &["run", "build", "--", "--outDir", into, "--emptyOutDir", "--logLevel", "warn"])).map(|_| ())
}

fn npm(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    // What is set outside must not show in what is built.
    command
        .current_dir(folder(root))
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("NODE_ENV")
        .env_remove("NODE_OPTIONS");
    command
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("reading {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            let name = path.strip_prefix(folder).expect("it was found below that folder");
            found.insert(name.to_string_lossy().into_owned(), bytes);
        }
    }
    Ok(found)
}

/// A line for each file that is not the same in both.
fn differences(committed: &BTreeMap<String, Vec<u8>>, built: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let missing = built.keys().filter(|name| !committed.contains_key(*name));
    let missing = missing.map(|name| format!("apps/viewer/dist/{name} is built and not committed"));
    let others = committed.iter().filter_map(|(name, bytes)| match built.get(name) {
        None => Some(format!("apps/viewer/dist/{name} is committed and no longer built")),
        Some(new) if new == bytes => None,
        Some(new) => {
            let same = bytes.iter().zip(new).take_while(|(old, new)| old == new).count();
            Some(format!("apps/viewer/dist/{name} differs from what is built, from byte {same} on"))
        }
    });
    missing.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_page_that_is_not_what_the_sources_build_is_named_file_by_file() {
        let committed = folder_of(&[("page.js", "let a=1"), ("old.css", ""), ("index.html", "<p>")]);
        let built = folder_of(&[("page.js", "let b=1"), ("new.css", ""), ("index.html", "<p>")]);
        let faults = differences(&committed, &built);
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].contains("new.css is built and not committed"), "{faults:?}");
        assert!(faults[1].contains("old.css is committed and no longer built"), "{faults:?}");
        assert!(faults[2].contains("page.js differs from what is built, from byte 4 on"), "{faults:?}");
        assert!(differences(&built, &built).is_empty());
    }

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(parse_major("v20.11.1"), Some(20));
        assert_eq!(parse_major("v8.0.0"), Some(8));
        assert_eq!(parse_major("command not found"), None);
    }
}
