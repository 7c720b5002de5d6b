//! Which colour a surface has in a picture: by the first parts of its texture's name.

use tiny_skia::Color;

pub(crate) type Rgb = [f32; 3];

/// The sheet the picture is drawn on, and the ink on it.
pub(crate) const PAPER: Rgb = [0.965, 0.953, 0.925];
pub(crate) const INK: Rgb = [0.16, 0.17, 0.20];
pub(crate) const FAINT_INK: Rgb = [0.45, 0.45, 0.46];
/// Walls where the plan cuts them.
pub(crate) const CUT: Rgb = [0.21, 0.225, 0.26];
pub(crate) const BLAST: Rgb = [0.95, 0.42, 0.10];
pub(crate) const THROWER: Rgb = [0.10, 0.33, 0.62];

/// Longer names first: the first that a texture's name contains counts.
const SURFACES: &[(&str, Rgb)] = &[
    ("asphalt", [0.56, 0.57, 0.59]),
    ("cobble", [0.76, 0.72, 0.65]),
    ("gravel", [0.71, 0.67, 0.60]),
    ("dirt", [0.75, 0.67, 0.54]),
    ("park", [0.62, 0.71, 0.48]),
    ("grass", [0.66, 0.73, 0.50]),
    ("floor/wood", [0.83, 0.70, 0.52]),
    ("floor/tile", [0.84, 0.80, 0.74]),
    ("pad_red", [0.78, 0.36, 0.30]),
    ("pad_blue", [0.32, 0.48, 0.72]),
    ("floor", [0.76, 0.75, 0.72]),
    ("crate", [0.79, 0.61, 0.38]),
    ("wood/step", [0.72, 0.56, 0.39]),
    ("wood", [0.64, 0.48, 0.33]),
    ("brick/blue", [0.44, 0.53, 0.67]),
    ("brick/red", [0.71, 0.43, 0.36]),
    ("brick", [0.79, 0.66, 0.47]),
    ("ochre", [0.85, 0.71, 0.47]),
    ("roof/tile", [0.69, 0.42, 0.33]),
    ("roof", [0.52, 0.51, 0.50]),
    ("_red", [0.75, 0.30, 0.25]),
    ("_blue", [0.27, 0.45, 0.62]),
    ("_green", [0.35, 0.52, 0.38]),
    ("_yellow", [0.85, 0.67, 0.25]),
    ("tyre", [0.20, 0.20, 0.21]),
    ("metal/cabin", [0.30, 0.33, 0.37]),
    ("dumpster", [0.33, 0.46, 0.38]),
    ("metal", [0.60, 0.62, 0.64]),
    ("/red", [0.76, 0.30, 0.25]),
    ("/blue", [0.28, 0.46, 0.66]),
    ("/green", [0.37, 0.52, 0.36]),
    ("/yellow", [0.88, 0.71, 0.30]),
    ("truck", [0.62, 0.63, 0.64]),
    ("tree/trunk", [0.42, 0.32, 0.23]),
    ("tree", [0.46, 0.60, 0.36]),
    ("ladder", [0.87, 0.56, 0.20]),
    ("glass", [0.62, 0.80, 0.88]),
    ("water", [0.36, 0.60, 0.72]),
    ("slime", [0.50, 0.66, 0.24]),
    ("lava", [0.90, 0.38, 0.12]),
];

const PLASTER: Rgb = [0.80, 0.78, 0.74];

pub(crate) fn of_texture(name: &str) -> Rgb {
    let name = name.to_ascii_lowercase();
    SURFACES.iter().find(|(part, _)| name.contains(part)).map_or(PLASTER, |(_, colour)| *colour)
}

/// How high above the thrower's feet a grenade is: plum at the floor, red, then yellow at [`HEIGHT_TOP`] and above.
pub(crate) fn of_height(height: f32) -> Rgb {
    const RAMP: [Rgb; 4] = [[0.36, 0.07, 0.36], [0.80, 0.15, 0.30], [0.96, 0.48, 0.13], [1.0, 0.84, 0.25]];
    let place = (height / HEIGHT_TOP).clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let low = (place as usize).min(RAMP.len() - 2);
    mix(RAMP[low], RAMP[low + 1], place - low as f32)
}

pub(crate) const HEIGHT_TOP: f32 = 320.0;

pub(crate) fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * share)
}

pub(crate) fn ink(colour: Rgb, alpha: f32) -> Color {
    let [r, g, b] = colour.map(|part| part.clamp(0.0, 1.0));
    Color::from_rgba(r, g, b, alpha.clamp(0.0, 1.0)).unwrap_or(Color::BLACK)
}
