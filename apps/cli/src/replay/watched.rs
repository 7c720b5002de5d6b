//! A recording to be watched: the page plays it, and minds are thought again in the background. Until Ctrl-C.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use fireteam::ConVars;
use fireteam::recording::Recording;
use fireteam_sim::fork;

use crate::bake::Watch;
use crate::reel::Reel;
use crate::view::chronicle::Chronicle;
use crate::view::show::Can;
use crate::view::{Billing, Kind, Showing, Viewer, Viewing};

pub(super) fn run(reel: &Reel, viewing: &Viewing) -> Result<ExitCode> {
    let (file, bytes): (String, Arc<[u8]>) = (reel.name(), reel.bytes()?.into());
    let recording = Recording::read(&file, &bytes)?;
    let watch = Watch::begin(1, false)?;
    let field = reel.field(&recording, &watch)?;
    let chronicle = Arc::new(Chronicle::of_recording(field.clone(), &recording, bytes.clone()));
    let can = Can {
        edit: true,
        // Only what the embedded game played can be played on: its first frame tells.
        fork: fork::is_forkable(&recording, &field).is_ok(),
        verify: recording.is_whole,
        ..Can::default()
    };
    let name = reel.file.file_name().map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
    let title = format!("{name}: {} ({})", field.map.name, field.game.name);
    let gametype = "recorded".to_owned();
    let billing = Billing { kind: Kind::Recording, title, gametype, can };
    let viewer = Viewer::open(viewing)?;
    viewer.show(Arc::new(Showing::new(billing, chronicle.clone(), None, ConVars::default())));
    if !recording.is_whole {
        watch.complain("the recording lost its beginning: it can be watched, but not what its bots thought");
    }
    viewer.invite(viewing);
    match chronicle.thread_in(&recording, || !watch.is_stopped()) {
        Ok(()) => chronicle.finish("the end of the recording"),
        Err(error) => {
            watch.complain(&format!("{error:#}: what came before can be watched"));
            chronicle.finish("the recording is damaged from here on");
        }
    }
    while !watch.is_stopped() {
        thread::sleep(Duration::from_millis(100));
    }
    Ok(ExitCode::SUCCESS)
}
