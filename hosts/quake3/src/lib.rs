//! The Quake III game module.
