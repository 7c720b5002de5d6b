//! Legs on our own maps: they get there, through doors, up lifts and ladders, past each other, and not into pits.

mod bays;
mod company;
mod doors;
mod fights;
mod ground;
mod journeys;
mod leaps;
mod pads;
mod slices;
mod ways;
