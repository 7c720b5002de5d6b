//! Marks on the time line: kills, throws, explosions, rounds, objectives, variables that changed, and who got stuck.
//!
//! In: frames as they come. Out: a [`Mark`] for whatever somebody who scrubs through a match would stop at.

use fireteam::snapshot::{Missile, Objective, ObjectiveKind, Said, Snapshot, Standing, Team};
use fireteam::{Command, Field};
use fireteam_sim::stuck::Watch as StuckWatch;
use fireteam_world::Vec3;
use fireteam_world::game::ThrowableKind;
use fireteam_world::units::EntityId;
use serde::Serialize;

use crate::play::side;

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MarkKind {
    Kill,
    Throw,
    Explosion,
    Round,
    Objective,
    Changed,
    Stuck,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Mark {
    pub(crate) frame: u32,
    pub(crate) time: i32,
    pub(crate) kind: MarkKind,
    pub(crate) text: String,
    pub(crate) who: Option<u16>,
    pub(crate) whom: Option<u16>,
    pub(crate) place: Option<[f32; 3]>,
}

/// What was there a frame ago.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    missiles: Vec<EntityId>,
    objectives: Vec<Objective>,
    stuck: StuckWatch,
}

/// One frame, and who is called what.
pub(crate) struct Scene<'a> {
    pub(crate) frame: u32,
    pub(crate) shown: &'a Snapshot,
    pub(crate) field: &'a Field,
    pub(crate) name: &'a dyn Fn(EntityId) -> String,
}

impl Scene<'_> {
    pub(crate) fn mark(&self, kind: MarkKind, text: String) -> Mark {
        Mark { frame: self.frame, time: self.shown.time.0, kind, text, who: None, whom: None, place: None }
    }

    fn place_of(&self, entity: EntityId) -> Option<[f32; 3]> {
        let figure = self.shown.players.iter().find(|figure| figure.entity == entity);
        figure.map(|figure| figure.origin.to_array())
    }
}

impl Marker {
    pub(crate) fn look(&mut self, scene: &Scene, commands: &[Command], out: &mut Vec<Mark>) {
        self.missiles(scene, out);
        said(scene, out);
        self.objectives(scene, out);
        let before = self.stuck.cases.len();
        self.stuck.look(scene.shown, commands);
        for case in &self.stuck.cases[before..] {
            let (who, place) = (Some(case.player.0), Some(case.origin.to_array()));
            let text = format!("{} is stuck", (scene.name)(case.player));
            out.push(Mark { who, place, ..scene.mark(MarkKind::Stuck, text) });
        }
    }

    /// Grenades that have just left a hand, and those that have just gone off.
    fn missiles(&mut self, scene: &Scene, out: &mut Vec<Mark>) {
        let is_thrown = |missile: &&Missile| {
            let kind = scene.field.arsenal.throwable(missile.kind).kind;
            !matches!(kind, ThrowableKind::Rocket | ThrowableKind::Bolt) && !self.missiles.contains(&missile.entity)
        };
        for missile in scene.shown.missiles.iter().filter(is_thrown) {
            let by = missile.owner.map_or_else(|| "somebody".to_owned(), scene.name);
            let text = format!("{by} throws a {}", scene.field.arsenal.throwable_name(missile.kind));
            let (who, place) = (missile.owner.map(|owner| owner.0), Some(missile.origin.to_array()));
            out.push(Mark { who, place, ..scene.mark(MarkKind::Throw, text) });
        }
        self.missiles.clear();
        self.missiles.extend(scene.shown.missiles.iter().map(|missile| missile.entity));
        let is_blast = |sound: &&fireteam::snapshot::Sound| sound.kind == fireteam::snapshot::SoundKind::Explosion;
        for blast in scene.shown.sounds.iter().filter(is_blast) {
            let place = Some(Vec3::to_array(&blast.origin));
            out.push(Mark { place, ..scene.mark(MarkKind::Explosion, "an explosion".to_owned()) });
        }
    }

    fn objectives(&mut self, scene: &Scene, out: &mut Vec<Mark>) {
        for (now, (before, number)) in scene.shown.objectives.iter().zip(self.objectives.iter().zip(1..)) {
            if (now.holder, now.standing) == (before.holder, before.standing) {
                continue;
            }
            let text = match (now.kind, now.standing, now.holder) {
                (ObjectiveKind::Ground, _, Some(team)) => format!("{} takes ground {number}", side(Some(team))),
                (ObjectiveKind::Ground, _, None) => format!("nobody holds ground {number}"),
                (ObjectiveKind::Flag, Standing::Home, _) => format!("{} is home", flag(now.owner)),
                (ObjectiveKind::Flag, Standing::Carried, _) => format!("{} is taken", flag(now.owner)),
                (ObjectiveKind::Flag, Standing::Dropped, _) => format!("{} lies on the ground", flag(now.owner)),
            };
            let place = Some(now.home.to_array());
            out.push(Mark { place, ..scene.mark(MarkKind::Objective, text) });
        }
        self.objectives.clone_from(&scene.shown.objectives);
    }
}

fn flag(owner: Option<Team>) -> String {
    owner.map_or_else(|| "the flag".to_owned(), |team| format!("the flag of {}", side(Some(team))))
}

fn said(scene: &Scene, out: &mut Vec<Mark>) {
    for message in &scene.shown.messages {
        match message.said {
            Said::Obituary { victim, killer, weapon } => {
                let with = weapon.map(|weapon| format!(" ({})", scene.field.arsenal.weapon_name(weapon)));
                let (fallen, with) = ((scene.name)(victim), with.unwrap_or_default());
                let text = match killer {
                    Some(killer) if killer == victim => format!("{fallen} kills himself{with}"),
                    Some(killer) => format!("{} kills {fallen}{with}", (scene.name)(killer)),
                    None => format!("{fallen} dies"),
                };
                let (who, whom) = (killer.map(|killer| killer.0), Some(victim.0));
                out.push(Mark { who, whom, place: scene.place_of(victim), ..scene.mark(MarkKind::Kill, text) });
            }
            Said::RoundStarts => out.push(scene.mark(MarkKind::Round, "a round begins".to_owned())),
            Said::RoundEnds { winner } => {
                out.push(scene.mark(MarkKind::Round, format!("the round goes to {}", side(winner))));
            }
            Said::Taken { .. } | Said::Voice(_) => {}
        }
    }
}
