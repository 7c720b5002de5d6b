//! Embree 3 as a contender of `fireteam bench trace`.
//!
//! Started with the paths of TBB and Embree and of a file of triangles and rays ([`scene`]). Each line on standard input
//! is a round to run, `closest` or `any`; each is answered by a line `NANOSECONDS HITS`, CPU time of this thread for
//! the whole list. So the asking process can take turns with us.
//!
//! Embree is opened at run time ([`library`]): this builds without it, and needs no root to try a downloaded one.

mod library;
mod scene;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

use library::Embree;
use scene::Scene;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fireteam-embree: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (Some(tbb), Some(embree), Some(file)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: fireteam-embree LIBTBB LIBEMBREE3 FILE; `fireteam bench trace` starts it".to_owned());
    };
    let scene = Scene::read(Path::new(&file))?;
    let embree = Embree::open(Path::new(&tbb), Path::new(&embree))?;
    let built = embree.build(&scene.triangles)?;
    let failed = |error: io::Error| error.to_string();
    for line in io::stdin().lock().lines() {
        let start = library::thread_nanoseconds();
        let hits = match line.map_err(failed)?.as_str() {
            "closest" => scene.closest.iter().filter(|ray| built.meets_closest(ray)).count(),
            "any" => scene.any.iter().filter(|ray| built.meets_any(ray)).count(),
            other => return Err(format!("`{other}` is neither `closest` nor `any`")),
        };
        let elapsed = library::thread_nanoseconds() - start;
        println!("{elapsed} {hits}");
        io::stdout().flush().map_err(failed)?;
    }
    Ok(())
}
