//! What a bake shows while it works: a bar with rate and time left, or plain lines where there is no terminal.
//!
//! Ctrl-C asks it to stop: units under way are finished and kept, then the command ends. A second Ctrl-C ends it at once,
//! which costs those units and nothing else.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fireteam_bake::{Progress, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Where there is no terminal, a line this often at most.
const LINE_EVERY: Duration = Duration::from_secs(5);
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Watches the bakes of one command.
pub(crate) struct Watch {
    is_stopped: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    maps: usize,
    said: Mutex<Said>,
}

/// What was said last.
struct Said {
    map: String,
    /// Counted from 1.
    number: usize,
    step: Option<&'static str>,
    at: Instant,
    begun: Instant,
}

impl Watch {
    /// `is_quiet` leaves out everything but errors.
    pub(crate) fn begin(maps: usize, is_quiet: bool) -> Result<Watch> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        for signal in SIGNALS {
            let heard = "cannot listen for Ctrl-C";
            // In this order: only the second one ends the process.
            flag::register_conditional_shutdown(signal, 130, Arc::clone(&is_stopped)).context(heard)?;
            flag::register(signal, Arc::clone(&is_stopped)).context(heard)?;
        }
        let bar = (std::io::stderr().is_terminal() && !is_quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(8));
            let shape = "{prefix} {bar:30} {pos}/{len} {msg}, {per_sec}, {eta} left";
            bar.set_style(ProgressStyle::with_template(shape).expect("the template is ours").progress_chars("=> "));
            bar
        });
        let now = Instant::now();
        let said = Said { map: String::new(), number: 0, step: None, at: now, begun: now };
        Ok(Watch { is_stopped, bar, maps, said: Mutex::new(said) })
    }

    /// From here on, it is this map.
    pub(crate) fn map(&self, name: &str) {
        let mut said = self.said.lock().expect("nothing panics while it speaks");
        said.map = name.to_owned();
        said.number += 1;
        said.step = None;
        let of = if self.maps > 1 { format!(" ({} of {})", said.number, self.maps) } else { String::new() };
        if let Some(bar) = &self.bar {
            bar.set_prefix(format!("{name}{of}"));
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// A line of the result, on standard output. Whoever read it may have had enough and closed the pipe: the work goes on.
    pub(crate) fn say(&self, line: &str) {
        self.around(|| drop(writeln!(std::io::stdout(), "{line}")));
    }

    /// A line for people, on standard error.
    pub(crate) fn complain(&self, line: &str) {
        self.around(|| eprintln!("{line}"));
    }

    /// A bar and lines would write over each other.
    fn around(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// How far something is; `word` names it.
    pub(crate) fn count(&self, word: &'static str, done: usize, total: usize) {
        match &self.bar {
            None => self.plain(word, done, total),
            Some(bar) if done == 0 => {
                bar.reset();
                bar.set_length(total as u64);
                bar.set_message(word);
            }
            Some(bar) => bar.set_position(done as u64),
        }
    }

    fn plain(&self, step: &'static str, done: usize, total: usize) {
        let mut said = self.said.lock().expect("nothing panics while it speaks");
        if said.step != Some(step) {
            said.step = Some(step);
            said.begun = Instant::now();
        }
        if said.at.elapsed() < LINE_EVERY || done == 0 {
            return;
        }
        said.at = Instant::now();
        let seconds = said.begun.elapsed().as_secs_f64();
        let rate = done as f64 / seconds.max(1e-3);
        let left = (total - done) as f64 / rate;
        eprintln!("{}: {step} {done}/{total}, {rate:.0} a second, {left:.0} s left", said.map);
    }
}

impl Progress for Watch {
    fn advance(&self, step: Step, done: usize, total: usize) {
        self.count(step.word(), done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
