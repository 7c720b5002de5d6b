//! Errands: what takes longer than an answer may, on a thread of its own, one at a time.
//!
//! In: work that says how far it is and looks up whether it is still wanted. Out: a number to ask by, and what it came to. A
//! second errand is refused while one is under way, so that whoever asks a hundred times makes nobody else wait; the match runs on
//! a thread of its own and knows nothing of it. Errands end with the show they belong to.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::serve::{Answer, failed, missing};

/// Of errands that are done, so many are still told of.
const KEPT: usize = 8;

/// Which errand is asked about.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Number {
    pub(crate) id: u64,
}

/// What somebody is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Verify,
    Fork,
}

impl Task {
    fn name(self) -> &'static str {
        match self {
            Task::Verify => "a verification",
            Task::Fork => "a fork",
        }
    }
}

/// One errand, as it is told of and as it is worked on.
#[derive(Debug)]
pub(crate) struct Errand {
    id: u64,
    task: Task,
    done: AtomicU64,
    of: AtomicU64,
    is_stopped: AtomicBool,
    /// What is known before the end.
    early: Mutex<Map<String, Value>>,
    outcome: OnceLock<Result<Map<String, Value>, String>>,
}

impl Errand {
    /// How far it is; false if nobody wants it any more.
    pub(crate) fn go_on(&self, done: u64, of: u64) -> bool {
        self.done.store(done, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
        self.is_wanted()
    }

    pub(crate) fn is_wanted(&self) -> bool {
        !self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn tell_early(&self, name: &str, known: Value) {
        self.early.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), known);
    }

    fn is_running(&self) -> bool {
        self.outcome.get().is_none()
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn told(&self) -> Value {
        let mut told = self.early.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let state = match self.outcome.get() {
            None => "running",
            Some(Ok(known)) => {
                told.extend(known.clone());
                "done"
            }
            Some(Err(why)) => {
                told.insert("error".to_owned(), json!(why));
                "failed"
            }
        };
        told.insert("state".to_owned(), json!(state));
        told.insert("done".to_owned(), json!(self.done.load(Ordering::Relaxed)));
        told.insert("of".to_owned(), json!(self.of.load(Ordering::Relaxed).max(1)));
        Value::Object(told)
    }
}

/// Whoever is out, and who came back last.
#[derive(Debug, Default)]
pub(crate) struct Errands {
    sent: Mutex<Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    count: u64,
    all: Vec<Arc<Errand>>,
}

impl Errands {
    /// Sends somebody, unless somebody is out.
    pub(crate) fn send(
        &self,
        task: Task,
        work: impl FnOnce(&Errand) -> Result<Map<String, Value>, String> + Send + 'static,
    ) -> Answer<Value> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(out) = sent.all.iter().find(|errand| errand.is_running()) {
            let why = format!("{} is under way: wait until it is done, or stop it", out.task.name());
            return Err(failed(StatusCode::CONFLICT, why));
        }
        sent.count += 1;
        let errand = Arc::new(Errand {
            id: sent.count,
            task,
            done: 0.into(),
            of: 1.into(),
            is_stopped: false.into(),
            early: Mutex::default(),
            outcome: OnceLock::new(),
        });
        let worked_on = errand.clone();
        let spawned = thread::Builder::new().name(task.name().to_owned()).spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&worked_on)));
            let outcome =
                outcome.unwrap_or_else(|_| Err("it broke down: what was said is on standard error".to_owned()));
            let is_first = worked_on.outcome.set(outcome).is_ok();
            assert!(is_first, "an errand ends once");
        });
        if let Err(error) = spawned {
            return Err(failed(StatusCode::INTERNAL_SERVER_ERROR, format!("no thread for {}: {error}", task.name())));
        }
        let id = errand.id;
        sent.all.push(errand);
        let spare = sent.all.len().saturating_sub(KEPT);
        sent.all.drain(..spare);
        Ok(json!({ "id": id }))
    }

    pub(crate) fn ask(&self, task: Task, id: u64) -> Answer<Value> {
        Ok(self.find(task, id)?.told())
    }

    /// It is not wanted any more; it ends at its next look up.
    pub(crate) fn stop(&self, task: Task, id: u64) -> Answer<Value> {
        let errand = self.find(task, id)?;
        errand.stop();
        Ok(errand.told())
    }

    pub(crate) fn stop_all(&self) {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).all.iter().for_each(|errand| errand.stop());
    }

    fn find(&self, task: Task, id: u64) -> Answer<Arc<Errand>> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sent.all.iter().find(|errand| errand.id == id && errand.task == task);
        known.cloned().ok_or_else(|| missing(format!("{} of that number is not known here", task.name())))
    }
}
