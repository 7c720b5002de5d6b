//! The delay line: percepts on their way to the mind, until each is due.
//!
//! Percepts lie in as many places as were ever needed at once, and a place that is given up is the first to be taken
//! again: a bot touches the same few of them all the time, however many frames it has lived. What is walked over every
//! frame is only when each is due.

use fireteam_world::units::Time;

use super::Percept;

/// Percepts on their way at most; a frame that would bring more brings the first of them. A bot that has 16 enemies in
/// sight at 20 frames a second with the slowest reaction has 200 on the line.
pub(crate) const LINE_MAX: usize = 512;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// In the order in which they were sensed.
    order: Vec<Waiting>,
    places: Vec<Percept>,
    /// Places that hold nothing; the last is taken next.
    free: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    due: Time,
    place: u16,
}

const _: () = assert!(LINE_MAX <= u16::MAX as usize);

impl Line {
    pub(super) fn new() -> Line {
        Line {
            order: Vec::with_capacity(LINE_MAX),
            places: Vec::with_capacity(LINE_MAX),
            free: Vec::with_capacity(LINE_MAX),
        }
    }

    pub(super) fn put(&mut self, percept: Percept) {
        if self.order.len() == LINE_MAX {
            return;
        }
        let place = match self.free.pop() {
            Some(place) => {
                self.places[usize::from(place)] = percept;
                place
            }
            None => {
                self.places.push(percept);
                (self.places.len() - 1) as u16
            }
        };
        self.order.push(Waiting { due: percept.due, place });
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &Percept> {
        self.order.iter().map(|waiting| &self.places[usize::from(waiting.place)])
    }

    /// Takes off what is due, in the order in which it was sensed.
    pub(super) fn mature(&mut self, now: Time, mut take: impl FnMut(&Percept)) {
        let Line { order, places, free } = self;
        // Sightings take a little longer or shorter, so that some overtake others.
        order.retain(|waiting| {
            let is_due = waiting.due <= now;
            if is_due {
                take(&places[usize::from(waiting.place)]);
                free.push(waiting.place);
            }
            !is_due
        });
    }

    /// Drops all but those that are to be kept.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&Percept) -> bool) {
        let Line { order, places, free } = self;
        order.retain(|waiting| {
            let stays = is_kept(&places[usize::from(waiting.place)]);
            if !stays {
                free.push(waiting.place);
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sense, What};
    use super::*;
    use fireteam_world::units::EntityId;

    fn percept(number: u16, due: i32) -> Percept {
        Percept { at: Time(0), due: Time(due), sense: Sense::Sight, what: What::OutOfSight(EntityId(number)) }
    }

    fn matured(line: &mut Line, now: i32) -> Vec<u16> {
        let mut taken = Vec::new();
        line.mature(Time(now), |percept| {
            let What::OutOfSight(entity) = percept.what else { panic!("nothing else was put there") };
            taken.push(entity.0);
        });
        taken
    }

    #[test]
    fn what_is_due_comes_off_in_the_order_it_was_sensed() {
        let mut line = Line::new();
        for (number, due) in [(1, 300), (2, 100), (3, 200), (4, 100)] {
            line.put(percept(number, due));
        }
        assert_eq!(matured(&mut line, 99), []);
        assert_eq!(matured(&mut line, 100), [2, 4]);
        line.put(percept(5, 250));
        assert_eq!(matured(&mut line, 300), [1, 3, 5]);
        assert_eq!(matured(&mut line, 1000), []);
    }

    #[test]
    fn places_are_used_again() {
        let mut line = Line::new();
        for round in 0..10 * LINE_MAX as i32 {
            line.put(percept(1, round));
            line.put(percept(2, round));
            assert_eq!(matured(&mut line, round), [1, 2]);
        }
        assert_eq!(line.places.len(), 2);
    }

    #[test]
    fn a_full_line_takes_no_more_until_there_is_room() {
        let mut line = Line::new();
        (0..LINE_MAX as u16 + 3).for_each(|number| line.put(percept(number, i32::from(number))));
        assert_eq!(matured(&mut line, 0), [0]);
        line.put(percept(7, 0));
        line.retain(|percept| percept.due == Time(0));
        assert_eq!(matured(&mut line, i32::MAX), [7]);
    }
}
