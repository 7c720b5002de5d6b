//! Embree 3, in a process of its own (`bench/embree`), given the same map as triangles and the same rays.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fireteam_openarena::fetch::packages_in_cache;
use fireteam_world::{Sweep, Vec3};

const PROGRAM: &str = "fireteam-embree";
const BUILD: &str = "cargo build --release --manifest-path bench/embree/Cargo.toml --target-dir target";
const PACKAGES: [&str; 2] = ["libembree3-3", "libtbb12"];
const LIBRARIES: [&str; 2] = ["libtbb.so.12", "libembree3.so.3"];
const LIBRARY_FOLDER: &str = "lib/x86_64-linux-gnu";

/// A running contender.
#[derive(Debug)]
pub(crate) struct Embree {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    file: PathBuf,
}

/// What one round came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) time: Duration,
    pub(crate) hits: usize,
}

impl Embree {
    /// Hands over the map and the rays: those for `closest`, then those for `any`.
    pub(crate) fn start(triangles: &[[Vec3; 3]], closest: &[Sweep], any: &[Sweep]) -> Result<Embree> {
        let program = std::env::current_exe()?.with_file_name(PROGRAM);
        if !program.is_file() {
            bail!("{PROGRAM} is not beside this program: `{BUILD}`");
        }
        let libraries = libraries()?;
        let file = std::env::temp_dir().join(format!("fireteam-embree-{}", std::process::id()));
        write_scene(&file, triangles, closest, any).with_context(|| file.display().to_string())?;
        let mut child = Command::new(&program)
            .args(&libraries)
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { bail!("{PROGRAM} takes no orders") };
        Ok(Embree { child, input, output: BufReader::new(output), file })
    }

    pub(crate) fn closest(&mut self) -> Result<Round> {
        self.round("closest")
    }

    pub(crate) fn any(&mut self) -> Result<Round> {
        self.round("any")
    }

    fn round(&mut self, order: &str) -> Result<Round> {
        let mut line = String::new();
        writeln!(self.input, "{order}").with_context(|| format!("{PROGRAM} has ended"))?;
        self.output.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (Some(nanoseconds), Some(hits)) = (number(), number()) else { bail!("{PROGRAM} has ended") };
        Ok(Round { time: Duration::from_nanos(nanoseconds), hits: hits as usize })
    }
}

impl Drop for Embree {
    fn drop(&mut self) {
        // All fail only for what is already gone, which is what we want.
        self.child.kill().ok();
        self.child.wait().ok();
        std::fs::remove_file(&self.file).ok();
    }
}

/// TBB and Embree: installed, or fetched into the cache folder.
fn libraries() -> Result<[PathBuf; 2]> {
    let in_folder = |usr: &Path| LIBRARIES.map(|name| usr.join(LIBRARY_FOLDER).join(name));
    let installed = in_folder(Path::new("/usr"));
    if installed.iter().all(|library| library.is_file()) {
        return Ok(installed);
    }
    let folder = packages_in_cache("embree", &PACKAGES, &mut |line| eprintln!("{line}"))?;
    let fetched = in_folder(&folder.join("usr"));
    match fetched.iter().find(|library| !library.is_file()) {
        Some(lacks) => bail!("{} is missing: remove {} and try again", lacks.display(), folder.display()),
        None => Ok(fetched),
    }
}

/// Three lists, each a count and then floats, as `bench/embree` reads them.
fn write_scene(path: &Path, triangles: &[[Vec3; 3]], closest: &[Sweep], any: &[Sweep]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut list = |count: usize, corners: &mut dyn Iterator<Item = Vec3>| {
        file.write_all(&(count as u32).to_le_bytes())?;
        corners.flat_map(|corner| corner.to_array()).try_for_each(|float| file.write_all(&float.to_le_bytes()))
    };
    list(triangles.len(), &mut triangles.iter().flatten().copied())?;
    for rays in [closest, any] {
        list(rays.len(), &mut rays.iter().flat_map(|ray| [ray.start, ray.end]))?;
    }
    file.flush()
}
