//! Curved patches and the collision facets cut from them.
