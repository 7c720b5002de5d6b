//! Finds, fetches and starts an OpenArena dedicated server.
