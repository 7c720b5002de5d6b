//! Pictures of maps and of what flies through them: plans seen from above, on a sheet with a title and a legend.
//!
//! [`plan`] draws the map, [`ink`] what is drawn over it, [`letters`] what is written, [`sheet`] puts it together.
//! [`floors`] draws a terrain's ground, [`chart`] what is known of it, [`tracks`] where a match went, [`heat`] where it was busy.
//! [`plot`] draws figures over time. [`throw`] draws one throw, [`section`] its way from the side, [`eye`] what its thrower sees.

pub(crate) mod chart;
pub(crate) mod colours;
pub(crate) mod eye;
pub(crate) mod floors;
pub(crate) mod heat;
pub(crate) mod ink;
pub(crate) mod letters;
pub(crate) mod palette;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod section;
pub(crate) mod sheet;
pub(crate) mod throw;
pub(crate) mod tracks;

use anyhow::{Context, Result};
use tiny_skia::Pixmap;

/// A picture as the bytes of a PNG file.
pub(crate) fn png(pixmap: &Pixmap) -> Result<Vec<u8>> {
    let rgb: Vec<u8> = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    // The sheet is opaque, so colours need no alpha beside them.
    encode(pixmap, png::ColorType::Rgb, None, &rgb)
}

/// The same in as few colours as a palette has: a quarter of the bytes, and hardly seen.
pub(crate) fn small_png(pixmap: &Pixmap) -> Result<Vec<u8>> {
    let (palette, indices) = palette::reduce(pixmap.data());
    encode(pixmap, png::ColorType::Indexed, Some(palette), &indices)
}

fn encode(pixmap: &Pixmap, colours: png::ColorType, palette: Option<Vec<u8>>, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixmap.width(), pixmap.height());
    encoder.set_color(colours);
    encoder.set_depth(png::BitDepth::Eight);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
        encoder.set_compression(png::Compression::High);
        // Neighbours in a palette are no neighbours in colour: what a filter subtracts means nothing.
        encoder.set_filter(png::Filter::NoFilter);
    }
    let mut writer = encoder.write_header().context("cannot encode the picture")?;
    writer.write_image_data(bytes).context("cannot encode the picture")?;
    writer.finish().context("cannot encode the picture")?;
    Ok(file)
}
