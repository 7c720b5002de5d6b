//! Maps from end to end: our own as they are drawn, walked, thrown in and opened; and compiled ones that are broken.

mod broken;
mod drawn;
mod flights;
mod movers;
mod tiny_bsp;
mod walked;
