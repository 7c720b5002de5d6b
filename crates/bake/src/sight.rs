//! Who sees whom: a bit for each pair of waypoints, standing eye to standing eye, and standing eye to crouched body.

use fireteam_terrain::{BitRows, Movers, Sight, Waypoints};
use fireteam_world::movement::Stance;
use fireteam_world::{Contents, Sweep, Vec3};

use crate::progress::Step;
use crate::units::{Batch, Unit, Workshop};
use crate::{BakeError, Site};

/// Waypoints whose view is one unit of work.
const ROWS: usize = 64;

/// The view from the waypoints of one unit, row by row.
struct View {
    standing: Vec<u64>,
    crouched: Vec<u64>,
}

pub fn measure(
    workshop: &Workshop,
    site: &Site,
    waypoints: &Waypoints,
    _movers: &Movers,
    inputs: [u8; 32],
) -> Result<Sight, BakeError> {
    let count = waypoints.len();
    let rules = &site.game.rules.movement;
    let eye = Vec3::Z * rules.eye_height(Stance::Standing) as f32;
    let crouched = rules.hull(Stance::Crouched);
    let middle = (crouched.mins + crouched.maxs) * 0.5;
    let batch = Batch { step: Step::Sight, count: count.div_ceil(ROWS), inputs };
    let stride = BitRows::stride(count);
    let views = workshop.units(&batch, |unit| {
        let rows = unit * ROWS..((unit + 1) * ROWS).min(count);
        let mut view = View { standing: vec![0; rows.len() * stride], crouched: vec![0; rows.len() * stride] };
        for (row, from) in rows.enumerate() {
            for to in 0..count {
                let bit = 1_u64 << (to % 64);
                let clear = |offset: Vec3| {
                    let (a, b) = (waypoints.origin[from] + eye, waypoints.origin[to] + offset);
                    site.solids.is_clear(&Sweep::ray(a, b, Contents::MASK_OPAQUE))
                };
                if clear(eye) {
                    view.standing[row * stride + to / 64] |= bit;
                }
                if clear(middle) {
                    view.crouched[row * stride + to / 64] |= bit;
                }
            }
        }
        view
    })?;
    let join = |rows: fn(&View) -> &Vec<u64>| {
        let words = views.iter().flat_map(rows).copied().collect();
        BitRows::from_words(count, words).expect("each row is as wide as there are waypoints")
    };
    Ok(Sight { standing: join(|view| &view.standing), crouched: join(|view| &view.crouched), openings: Vec::new() })
}

impl Unit for View {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.standing.len() as u32).to_le_bytes());
        self.standing.iter().chain(&self.crouched).for_each(|word| bytes.extend(word.to_le_bytes()));
    }

    fn read(bytes: &[u8]) -> Option<View> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (words, []) = rest.as_chunks::<8>() else { return None };
        let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let (standing, crouched) = words.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(View { standing: standing.to_vec(), crouched: crouched.to_vec() })
    }
}
