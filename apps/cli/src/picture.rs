//! Pictures of maps and of what flies through them: plans seen from above, on a sheet with a title and a legend.
//!
//! [`plan`] draws the map, [`ink`] what is drawn over it, [`letters`] what is written, [`sheet`] puts it together.
//! [`floors`] draws a terrain's ground, [`chart`] what is known of it, [`tracks`] where a match went.

pub(crate) mod chart;
pub(crate) mod colours;
pub(crate) mod floors;
pub(crate) mod ink;
pub(crate) mod letters;
pub(crate) mod plan;
pub(crate) mod sheet;
pub(crate) mod tracks;

use anyhow::{Context, Result};
use tiny_skia::Pixmap;

/// A picture as the bytes of a PNG file.
pub(crate) fn png(pixmap: &Pixmap) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    // The sheet is opaque, so colours need no alpha beside them.
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let rgb: Vec<u8> = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header().context("cannot encode the picture")?;
    writer.write_image_data(&rgb).context("cannot encode the picture")?;
    writer.finish().context("cannot encode the picture")?;
    Ok(bytes)
}
