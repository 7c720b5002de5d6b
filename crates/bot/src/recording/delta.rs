//! What changed since the frame before: zeros are counted, the rest is kept.
//!
//! The bytes of a section are taken apart from those of the same section one frame earlier (exclusive or); where a table
//! grew, the new part stands as it is. Most of what a game shows did not change within 50 ms.

use super::wire::{Fault, Reader, put_short};

/// Fewer zeros than this between two changes cost more to count than to keep.
const GAP_MIN: usize = 3;

/// Writes `now` as seen from `before`: its length, then runs of unchanged and of changed bytes in turn.
pub(super) fn put(before: &[u8], now: &[u8], out: &mut Vec<u8>) {
    put_short(now.len(), out);
    let both = before.len().min(now.len());
    let mut at = 0;
    while at < both {
        let same_end = at + same_run(&before[at..both], &now[at..both]);
        let changed_end = same_end + changed_run(&before[same_end..both], &now[same_end..both]);
        put_short(same_end - at, out);
        put_short(changed_end - same_end, out);
        let changed = before[same_end..changed_end].iter().zip(&now[same_end..changed_end]);
        out.extend(changed.map(|(before, now)| before ^ now));
        at = changed_end;
    }
    if now.len() > both {
        put_short(0, out);
        put_short(now.len() - both, out);
        out.extend_from_slice(&now[both..]);
    }
}

/// How many bytes are the same, eight at a time while they last.
fn same_run(before: &[u8], now: &[u8]) -> usize {
    let (words_before, _) = before.as_chunks::<8>();
    let (words_now, _) = now.as_chunks::<8>();
    let words = words_before.iter().zip(words_now).take_while(|(before, now)| before == now).count();
    let rest = before[words * 8..].iter().zip(&now[words * 8..]);
    words * 8 + rest.take_while(|(before, now)| before == now).count()
}

/// How many bytes go by before so many are the same that it pays to count them.
fn changed_run(before: &[u8], now: &[u8]) -> usize {
    let (mut end, mut same) = (0, 0);
    for (index, (before, now)) in before.iter().zip(now).enumerate() {
        if before == now {
            same += 1;
            if same == GAP_MIN {
                break;
            }
        } else {
            same = 0;
            end = index + 1;
        }
    }
    end
}

/// Makes `section`, which holds the frame before, into this frame's; `room` is what may still be unfolded.
pub(super) fn take(from: &mut Reader<'_>, section: &mut Vec<u8>, room: &mut usize) -> Result<(), Fault> {
    let length = from.short()?;
    *room = room.checked_sub(length).ok_or(Fault::Absurd)?;
    section.resize(length, 0);
    let mut at = 0;
    while at < length {
        let same = from.short()?;
        let changed = from.short()?;
        if same == 0 && changed == 0 {
            return Err(Fault::Absurd);
        }
        let target = section.get_mut(at + same..at + same + changed).ok_or(Fault::Absurd)?;
        for (byte, change) in target.iter_mut().zip(from.bytes(changed)?) {
            *byte ^= change;
        }
        at += same + changed;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(before: &[u8], now: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(before, now, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn changes_lead_from_one_frame_to_the_next(
            before in prop::collection::vec(0u8..4, 0..200),
            now in prop::collection::vec(0u8..4, 0..200),
        ) {
            let bytes = folded(&before, &now);
            let mut section = before;
            let mut reader = Reader(&bytes);
            take(&mut reader, &mut section, &mut 1000).unwrap();
            prop_assert_eq!(section, now);
            prop_assert!(reader.end().is_ok());
        }

        #[test]
        fn made_up_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut room = 10_000;
            take(&mut Reader(&bytes), &mut vec![7; 20], &mut room).ok();
        }
    }

    #[test]
    fn what_did_not_change_costs_two_numbers() {
        assert_eq!(folded(&[7; 100], &[7; 100]).len(), 3);
    }
}
