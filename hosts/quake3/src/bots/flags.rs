//! Flags: where the map has them, and how the game tells everyone that they stand.
//!
//! In: the map's entities; the line that the game sends to all clients for the top of their screens, a figure for each flag. Out:
//! [`Objective`]s. Where a flag is that was taken is in no line: it lies there as an item, or shines on a bearer's back, and
//! whoever sees it there knows.

use fireteam::Field;
use fireteam::snapshot::{Objective, ObjectiveKind, Snapshot, Standing, Team};
use fireteam_openarena::cast::is_cast;
use fireteam_world::map::Entity;
use fireteam_world::trace::{Hull, Sweep};
use fireteam_world::{Contents, Vec3};

use crate::abi::team;

/// Games in which each side has a flag to take: by the game's number.
const CAPTURE_THE_FLAG: i32 = 4;
const CTF_ELIMINATION: i32 = 9;

/// The two flags, red first, as the line has them.
const FLAGS: [(&str, i32); 2] = [("team_CTF_redflag", team::RED), ("team_CTF_blueflag", team::BLUE)];

/// Items are dropped to the floor from where the map has them, no deeper than this.
const DROP: f32 = 4096.0;
const ITEM_SIZE: f32 = 15.0;

/// What the line says of the two flags, figure by figure.
pub(super) type Announced = [u8; 2];

/// The flags of a level.
#[derive(Debug, Default)]
pub(super) struct Flags {
    at_home: Vec<Objective>,
}

pub(super) fn are_played_for(game_type: i32) -> bool {
    matches!(game_type, CAPTURE_THE_FLAG | CTF_ELIMINATION)
}

impl Flags {
    /// Both, or none: with one alone nobody could score.
    pub(super) fn of(field: &Field, game_type: i32) -> Flags {
        if !are_played_for(game_type) {
            return Flags::default();
        }
        let stand = |(class, side): (&str, i32)| {
            // A map may have other flags, elsewhere, for another game.
            let is_meant = |entity: &&Entity| entity.class() == class && is_cast(entity, game_type);
            let entity = field.map.entities.iter().find(is_meant)?;
            Some(Objective {
                kind: ObjectiveKind::Flag,
                home: floor_below(field, entity.origin()),
                radius: 0.0,
                owner: Some(Team(side as u8)),
                holder: None,
                standing: Standing::Home,
                item: field.arsenal.item_named(class),
            })
        };
        let at_home: Option<Vec<Objective>> = FLAGS.into_iter().map(stand).collect();
        Flags { at_home: at_home.unwrap_or_default() }
    }

    pub(super) fn show(&self, announced: Announced, snapshot: &mut Snapshot) {
        for (flag, figure) in self.at_home.iter().zip(announced) {
            let standing = standing(figure);
            let other = flag.owner.map(|owner| Team((team::RED + team::BLUE) as u8 - owner.0));
            let holder = other.filter(|_| standing == Standing::Carried);
            snapshot.objectives.push(Objective { standing, holder, ..*flag });
        }
    }
}

/// Before the game has said anything, flags stand where the map has them.
fn standing(figure: u8) -> Standing {
    match figure {
        b'1' => Standing::Carried,
        b'2' => Standing::Dropped,
        _ => Standing::Home,
    }
}

fn floor_below(field: &Field, origin: Vec3) -> Vec3 {
    let hull = Hull::new(Vec3::splat(-ITEM_SIZE), Vec3::splat(ITEM_SIZE));
    let sweep = Sweep::hull(origin, origin - Vec3::Z * DROP, hull, Contents::SOLID);
    let trace = field.solids.sweep(&sweep);
    if trace.start_solid { origin } else { trace.end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(owner: u8) -> Objective {
        Objective {
            kind: ObjectiveKind::Flag,
            home: Vec3::X * f32::from(owner),
            radius: 0.0,
            owner: Some(Team(owner)),
            holder: None,
            standing: Standing::Home,
            item: None,
        }
    }

    #[test]
    fn the_line_tells_how_flags_stand_and_who_carries_them() {
        let flags = Flags { at_home: vec![flag(1), flag(2)] };
        let shown = |line: &[u8; 2]| {
            let mut snapshot = Snapshot::default();
            flags.show(*line, &mut snapshot);
            snapshot.objectives.iter().map(|flag| (flag.standing, flag.holder)).collect::<Vec<_>>()
        };
        assert_eq!(shown(b"00"), [(Standing::Home, None), (Standing::Home, None)]);
        assert_eq!(shown(b"12"), [(Standing::Carried, Some(Team(2))), (Standing::Dropped, None)]);
        assert_eq!(shown(b"01"), [(Standing::Home, None), (Standing::Carried, Some(Team(1)))]);
        assert_eq!(shown(&[0, 0]), [(Standing::Home, None), (Standing::Home, None)], "nothing was said yet");
    }

    #[test]
    fn other_games_have_none() {
        assert!(are_played_for(4) && are_played_for(9));
        assert!((0..13).filter(|game_type| are_played_for(*game_type)).count() == 2);
    }
}
