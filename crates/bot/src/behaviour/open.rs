//! What legs need eyes and hands for: a button to shoot at, a ladder to face.

use super::{Behaviour, LOOK_THINGS, Limbs, View};
use crate::aim::{self, Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::words;
use fireteam_world::Vec3;

#[derive(Clone, Debug)]
pub(super) struct Open;

/// The view must lie this close before a button is shot at.
const CLOSE: f32 = 2.0;

impl Behaviour for Open {
    fn name(&self) -> &'static str {
        "opening the way"
    }

    fn bid(&mut self, _: &View, limbs: &mut Limbs) -> Option<Bid> {
        limbs.legs.look_needed()?;
        let (reason, channels) = if limbs.legs.wants_attack() {
            (words!("the way has to be shot open"), Channels::EYES.and(Channels::HANDS))
        } else {
            (words!("the way has to be faced"), Channels::EYES)
        };
        Some(Bid { channels, band: Band::Objective, score: 0.5, reason })
    }

    fn update(&mut self, _: &View, _: &mut Limbs) -> Outcome {
        Outcome::Continue
    }

    fn aim(&mut self, _: &View, limbs: &mut Limbs) {
        if let Some(at) = limbs.legs.look_needed() {
            limbs.aim.look(Look { at, velocity: Vec3::ZERO, what: LOOK_THINGS, care: Care::Glance });
        }
    }

    fn fire(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(at) = limbs.legs.look_needed().filter(|_| limbs.legs.wants_attack()) else { return };
        let (pitch, yaw) = aim::angles_to(at - view.eye());
        let now = limbs.aim.view();
        if aim::off(now.0, pitch) < CLOSE && aim::off(now.1, yaw) < CLOSE {
            limbs.hands.attack_for(view.now, view.frame_ms);
        }
    }
}
