//! Checks on the manifests: who may know whom, under which licence, and that the lint table holds everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Fault, Tree};
use crate::steps;

const PERMISSIVE: &str = "MIT OR Apache-2.0";
const GPL: &str = "GPL-2.0-or-later";

/// A crate of ours, the crates of ours it may know, its licence, and crates of others that must not come into it by
/// any way.
struct Room {
    name: &'static str,
    knows: &'static [&'static str],
    license: &'static str,
    never: &'static [&'static str],
}

const ROOMS: [Room; 11] = [
    Room { name: "fireteam-world", knows: &[], license: PERMISSIVE, never: UNFIT_FOR_A_LIBRARY },
    Room { name: "fireteam-terrain", knows: &["fireteam-world"], license: PERMISSIVE, never: UNFIT_FOR_A_LIBRARY },
    Room {
        name: "fireteam-bake",
        knows: &["fireteam-world", "fireteam-terrain"],
        license: PERMISSIVE,
        never: UNFIT_FOR_A_LIBRARY,
    },
    Room {
        name: "fireteam",
        // The bake only in tests.
        knows: &["fireteam-world", "fireteam-terrain", "fireteam-bake"],
        license: PERMISSIVE,
        never: UNFIT_FOR_A_LIBRARY,
    },
    Room {
        name: "fireteam-sim",
        knows: &["fireteam-world", "fireteam-terrain", "fireteam-bake", "fireteam"],
        license: PERMISSIVE,
        never: UNFIT_FOR_A_LIBRARY,
    },
    Room {
        name: "fireteam-openarena",
        knows: &["fireteam-world", "fireteam-bake"],
        license: PERMISSIVE,
        never: UNFIT_FOR_A_LIBRARY,
    },
    Room {
        name: "fireteam-quake3",
        knows: &["fireteam-world", "fireteam-terrain", "fireteam-bake", "fireteam", "fireteam-openarena"],
        license: GPL,
        never: UNFIT_FOR_A_MODULE,
    },
    Room {
        name: "fireteam-cli",
        knows: &[
            "fireteam-world",
            "fireteam-terrain",
            "fireteam-bake",
            "fireteam",
            "fireteam-sim",
            "fireteam-openarena",
        ],
        license: PERMISSIVE,
        never: &[],
    },
    Room { name: "xtask", knows: &["fireteam-world", "fireteam-openarena"], license: PERMISSIVE, never: &[] },
    Room {
        name: "fireteam-fuzz",
        knows: &["fireteam-world", "fireteam-terrain", "fireteam"],
        license: PERMISSIVE,
        never: &[],
    },
    Room { name: "fireteam-embree", knows: &["fireteam-world"], license: PERMISSIVE, never: &[] },
];

/// Threads, clocks and chance belong to whoever calls a library.
const UNFIT_FOR_A_LIBRARY: &[&str] = &["anyhow", "clap", "rand", "rayon", "tokio"];
/// The engine unloads the module at every map change: a pool of threads would be left without its code.
const UNFIT_FOR_A_MODULE: &[&str] = &["clap", "indicatif", "rand", "rayon", "tokio"];

/// A package as cargo or its manifest describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Package {
    name: String,
    manifest: String,
    license: String,
    /// Names of our own crates it depends on, in any way.
    knows: BTreeSet<String>,
    /// Names of all crates that end up in it, over any number of steps. Empty for packages outside the workspace.
    holds: BTreeSet<String>,
}

pub(crate) fn check(root: &Path, tree: &Tree) -> Result<Vec<Fault>> {
    let metadata = read_metadata(root)?;
    let mut packages = workspace_packages(root, &metadata)?;
    let members: BTreeSet<String> = packages.iter().map(|package| package.manifest.clone()).collect();
    let mut faults = Vec::new();
    for (file, text) in tree.texts().filter(|(file, _)| file.path.ends_with("Cargo.toml")) {
        let manifest: toml::Table = text.parse().with_context(|| file.path.clone())?;
        if members.contains(&file.path) {
            faults.extend(check_lints(&file.path, &manifest));
        } else if manifest.contains_key("package") {
            packages.push(outside_package(&file.path, &manifest));
        }
    }
    for package in &packages {
        faults.extend(check_package(package));
    }
    faults.extend(check_gpl_text(tree));
    Ok(faults)
}

fn check_package(package: &Package) -> Vec<Fault> {
    let fault = |what: String| Fault::of(&package.manifest, what);
    let Some(room) = ROOMS.iter().find(|room| room.name == package.name) else {
        return vec![fault(format!("`{}` is no room that tidy knows: add it to the table of rooms", package.name))];
    };
    let mut faults = Vec::new();
    if package.license != room.license {
        faults.push(fault(format!("has the licence `{}`, not `{}`", package.license, room.license)));
    }
    for known in package.knows.iter().filter(|known| !room.knows.contains(&known.as_str())) {
        faults.push(fault(format!("`{}` must not know `{known}`", room.name)));
    }
    for held in room.never.iter().filter(|never| package.holds.contains(**never)) {
        faults.push(fault(format!("`{held}` must not come into `{}`", room.name)));
    }
    faults
}

fn check_lints(path: &str, manifest: &toml::Table) -> Option<Fault> {
    let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
    (inherits != Some(true)).then(|| Fault::of(path, "does not take the workspace's lints"))
}

fn check_gpl_text(tree: &Tree) -> Option<Fault> {
    let text = tree.text("hosts/quake3/LICENSE").unwrap_or_default();
    let is_there = text.contains("GNU GENERAL PUBLIC LICENSE") && text.contains("Version 2, June 1991");
    (!is_there).then(|| Fault::of("hosts/quake3/LICENSE", "is not the text of the GPL, version 2"))
}

fn read_metadata(root: &Path) -> Result<Value> {
    let output = steps::cargo(root, ["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"])
        .output()
        .context("could not start cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

fn workspace_packages(root: &Path, metadata: &Value) -> Result<Vec<Package>> {
    let described = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let by_id: BTreeMap<&str, &Value> =
        described.iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let members = metadata["workspace_members"].as_array().context("cargo metadata lists no members")?;
    let links = links_of(metadata);
    let mut packages = Vec::new();
    for id in members.iter().filter_map(Value::as_str) {
        let package = by_id.get(id).with_context(|| format!("cargo metadata does not describe {id}"))?;
        let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ours = dependencies.iter().filter(|dependency| dependency["path"].is_string());
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        packages.push(Package {
            name: package["name"].as_str().unwrap_or_default().to_owned(),
            manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().replace('\\', "/"),
            license: package["license"].as_str().unwrap_or_default().to_owned(),
            knows: ours.filter_map(|dependency| dependency["name"].as_str()).map(str::to_owned).collect(),
            holds: reached_from(id, &links)
                .into_iter()
                .filter_map(|id| Some(by_id.get(id)?["name"].as_str()?.to_owned()))
                .collect(),
        });
    }
    Ok(packages)
}

/// Ids of the packages each package is built from; those only its tests use do not count.
fn links_of(metadata: &Value) -> BTreeMap<&str, Vec<&str>> {
    let is_built_in = |dependency: &&Value| {
        let kinds = dependency["dep_kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
        kinds.iter().any(|kind| kind["kind"].is_null())
    };
    let nodes = metadata["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let links = nodes.iter().filter_map(|node| {
        let dependencies = node["deps"].as_array()?.iter().filter(is_built_in);
        Some((node["id"].as_str()?, dependencies.filter_map(|dependency| dependency["pkg"].as_str()).collect()))
    });
    links.collect()
}

fn reached_from<'a>(start: &'a str, links: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        for &next in links.get(id).map(Vec::as_slice).unwrap_or_default() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

/// A package that stands outside the workspace: the fuzz targets, the peers in C++.
fn outside_package(path: &str, manifest: &toml::Table) -> Package {
    let text = |key: &str| manifest["package"].get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let dependencies = tables.iter().filter_map(|table| manifest.get(*table)?.as_table()).flatten();
    let ours = dependencies.filter(|(_, value)| value.get("path").is_some()).map(|(name, _)| name.clone());
    Package {
        name: text("name"),
        manifest: path.to_owned(),
        license: text("license"),
        knows: ours.collect(),
        holds: BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, license: &str, knows: &[&str], holds: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: "Cargo.toml".to_owned(),
            license: license.to_owned(),
            knows: knows.iter().map(|&name| name.to_owned()).collect(),
            holds: holds.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    #[test]
    fn nothing_points_up_and_nothing_permissive_knows_a_host() {
        assert_eq!(check_package(&package("fireteam-openarena", PERMISSIVE, &["fireteam-world"], &[])), []);
        assert_eq!(check_package(&package("fireteam-world", PERMISSIVE, &["fireteam-openarena"], &[])).len(), 1);
        assert_eq!(check_package(&package("fireteam-cli", PERMISSIVE, &["fireteam-quake3"], &[])).len(), 1);
        for room in ROOMS.iter().filter(|room| room.license == PERMISSIVE) {
            assert!(!room.knows.contains(&"fireteam-quake3"), "{} is permissive and knows the GPL module", room.name);
        }
    }

    #[test]
    fn the_module_brings_no_thread_pool_into_a_server() {
        assert_eq!(check_package(&package("fireteam-quake3", GPL, &[], &["glam", "rayon"])).len(), 1);
    }

    #[test]
    fn a_wrong_licence_and_an_unknown_room_are_faults() {
        assert_eq!(check_package(&package("fireteam-quake3", PERMISSIVE, &[], &[])).len(), 1);
        assert_eq!(check_package(&package("fireteam-magic", PERMISSIVE, &[], &[])).len(), 1);
    }

    #[test]
    fn a_manifest_without_the_lint_table_is_a_fault() {
        let manifest = |text: &str| text.parse::<toml::Table>().expect("the sample is TOML");
        assert!(check_lints("a/Cargo.toml", &manifest("[lints.rust]\nunsafe_code = \"warn\"\n")).is_some());
        assert_eq!(check_lints("a/Cargo.toml", &manifest("[lints]\nworkspace = true\n")), None);
    }
}
