//! Programs that come from the system: used where they are, installed from Debian where they are not.
//!
//! Unattended: as root, or by a `sudo` that asks nothing; else an error with the line that somebody has to type.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::steps;

/// Where a program lies that a shell would find.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Installs Debian's packages and waits for it.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let wanted = packages.join(" ");
    if find("apt-get").is_none() {
        bail!("{wanted}: not found, and there is no apt-get here to install it with");
    }
    let Some(rights) = rights() else {
        bail!(
            "{wanted}: not found; as root, or with a sudo that asks nothing, it would be installed. By hand: sudo apt-get install {wanted}"
        );
    };
    println!("installing {wanted}");
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> = [rights, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments].concat();
        steps::run(Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()))
    };
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())?;
    Ok(())
}

/// What stands before a command that root has to run; nothing for root.
fn rights() -> Option<&'static [&'static str]> {
    let id = Command::new("id").arg("-u").stdin(Stdio::null()).output().ok()?;
    if id.stdout.trim_ascii() == b"0" {
        return Some(&[]);
    }
    let sudo = Command::new("sudo").args(["-n", "true"]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    sudo.is_ok_and(|status| status.success()).then_some(&["sudo", "-n"])
}
