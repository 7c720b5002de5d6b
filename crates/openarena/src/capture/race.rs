//! A race: the engine and we answer the same questions in turn, inside one server process.
//!
//! The asking side makes up the lists, our module runs them (`hosts/quake3`), each contender by the CPU time of the one
//! thread they share. What is compared is what a game would get: the engine's whole TRACE call, through its system call
//! and with everything linked into the world, against a sweep of ours through a scene with the same movers.

use fireteam_world::flight::Launch;
use fireteam_world::units::Time;
use fireteam_world::{Sweep, Vec3};

use super::field::rows;

rows! {
    /// What is raced: each list of sweeps on its own, then all grenades.
    Race {
        /// Each contender runs everything this many times, the two in turn.
        rounds: i32,
        lists: Vec<Vec<Sweep>>,
        grenades: Vec<Toss>,
    }

    /// A grenade leaving the launcher.
    Toss {
        muzzle: Vec3,
        velocity: Vec3,
        fuse_ms: i32,
    }

    /// How one list went.
    Lap {
        /// Nanoseconds of CPU time an item, one number a round.
        engine_ns: Vec<f32>,
        ours_ns: Vec<f32>,
        /// Items on which only one contender met something (for grenades: ended for another reason or by another bounce).
        hit_differs: i32,
        /// Items that ended farther apart than a trace may (for grenades: than half a unit).
        end_differs: i32,
    }

    /// One lap a list, in order.
    Laps {
        sweeps: Vec<Lap>,
        grenades: Lap,
    }
}

impl From<&Launch> for Toss {
    fn from(launch: &Launch) -> Toss {
        Toss { muzzle: launch.muzzle, velocity: launch.velocity, fuse_ms: launch.fuse_ms }
    }
}

impl Toss {
    /// Nobody's grenade, launched at the beginning of time.
    pub fn launch(&self) -> Launch {
        let Toss { muzzle, velocity, fuse_ms } = *self;
        Launch { time: Time(0), muzzle, velocity, fuse_ms, owner: None }
    }
}
