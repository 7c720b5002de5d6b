//! The bake on our own maps: what must be true of any terrain, what each map asks, and what each step made of it before.

mod areas;
mod flights;
mod goldens;
mod ground_and_waypoints;
mod routes;
mod support;
