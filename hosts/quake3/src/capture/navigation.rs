//! What the stock bots' library knows of the map, in its own words. It answers only with `bot_enable` on.

use std::ffi::CStr;

use fireteam_openarena::capture::navigation::{Goal, Trips};
use fireteam_openarena::capture::wire::{Answer, StockQuestion};
use fireteam_world::Vec3;

use crate::engine::Engine;

/// The library keeps 256 items of a level.
const GOALS_OF_A_NAME_MAX: usize = 256;
const NAME_BYTES_MAX: usize = 64;

/// Room for each answer is made first, then filled by functions that own nothing; without navigation it stays empty.
pub(super) fn serve(engine: Engine, question: &StockQuestion, answer: &mut Answer) {
    let is_ready = engine.has_navigation();
    match question {
        StockQuestion::Areas(points) => {
            *answer = Answer::Areas(vec![0; points.len()]);
            if let (true, Answer::Areas(answers)) = (is_ready, answer) {
                areas(engine, points, answers);
            }
        }
        StockQuestion::Goals(names) => {
            *answer = Answer::Goals(Vec::new());
            if let (true, Answer::Goals(answers)) = (is_ready, answer) {
                goals(engine, names, answers);
            }
        }
        StockQuestion::TravelTimes(trips) => {
            *answer = Answer::TravelTimes(vec![0; trips.trips.len()]);
            if let (true, Answer::TravelTimes(answers)) = (is_ready, answer) {
                travel_times(engine, trips, answers);
            }
        }
    }
}

fn areas(engine: Engine, points: &[Vec3], answers: &mut [i32]) {
    points.iter().zip(answers).for_each(|(&point, answer)| *answer = engine.reachability_area(point));
}

/// Adds every goal of these names. A name too long for the library is no goal's.
fn goals(engine: Engine, names: &[String], goals: &mut Vec<Goal>) {
    for name in names {
        let mut buffer = [0u8; NAME_BYTES_MAX];
        let Some(room) = buffer.get_mut(..name.len()) else { continue };
        room.copy_from_slice(name.as_bytes());
        let Ok(text) = CStr::from_bytes_until_nul(&buffer) else { continue };
        let mut number = -1;
        for _ in 0..GOALS_OF_A_NAME_MAX {
            let Some(goal) = engine.level_item_goal(number, text) else { break };
            number = goal.number;
            let entity = u16::try_from(goal.entity).unwrap_or(0);
            goals.push(Goal { name: name.clone(), origin: goal.origin.into(), area: goal.area, entity });
        }
    }
}

fn travel_times(engine: Engine, Trips { travel_flags, trips }: &Trips, answers: &mut [i32]) {
    for (trip, answer) in trips.iter().zip(answers) {
        // The library complains on the console about area 0.
        if trip.from_area != 0 && trip.to_area != 0 {
            *answer = engine.travel_time(trip.from_area, trip.from, trip.to_area, *travel_flags);
        }
    }
}
