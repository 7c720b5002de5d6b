//! The ways in which a leg of a route is travelled, and their names.

/// How a leg of a route is travelled. The order is from plain to hard: where two ways lead to the same place, the
/// earlier kind is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Travel {
    /// Along the ground, up and down steps and slopes.
    Walk,
    /// The same, ducked.
    Crouch,
    /// Off an edge without a jump.
    Drop,
    /// Up a ledge or across a gap, from a plain run.
    Jump,
    /// Across a gap that a plain run does not clear: speed is gained in the air on the way.
    StrafeJump,
    Swim,
    /// From the water onto the land beside it.
    WaterExit,
    Ladder,
    /// Into a jump pad, then through the air.
    Push,
    Teleport,
    /// On a platform that goes up and down.
    Lift,
    /// On a platform that travels.
    Train,
    /// Through a door that opens to whoever comes near.
    Door,
    /// Through a door that a button opens.
    ButtonDoor,
    /// Through a door that a key opens.
    KeyDoor,
}

impl Travel {
    /// Every kind, in the order of its number.
    pub const ALL: [Travel; 15] = [
        Travel::Walk,
        Travel::Crouch,
        Travel::Drop,
        Travel::Jump,
        Travel::StrafeJump,
        Travel::Swim,
        Travel::WaterExit,
        Travel::Ladder,
        Travel::Push,
        Travel::Teleport,
        Travel::Lift,
        Travel::Train,
        Travel::Door,
        Travel::ButtonDoor,
        Travel::KeyDoor,
    ];

    /// The kind with this number, if there is one.
    pub fn from_number(number: u8) -> Option<Travel> {
        Travel::ALL.get(usize::from(number)).copied()
    }

    /// The word for it in dumps, tables and commands.
    pub fn name(self) -> &'static str {
        match self {
            Travel::Walk => "walk",
            Travel::Crouch => "crouch",
            Travel::Drop => "drop",
            Travel::Jump => "jump",
            Travel::StrafeJump => "strafe-jump",
            Travel::Swim => "swim",
            Travel::WaterExit => "water-exit",
            Travel::Ladder => "ladder",
            Travel::Push => "push",
            Travel::Teleport => "teleport",
            Travel::Lift => "lift",
            Travel::Train => "train",
            Travel::Door => "door",
            Travel::ButtonDoor => "button-door",
            Travel::KeyDoor => "key-door",
        }
    }

    pub fn from_name(name: &str) -> Option<Travel> {
        Travel::ALL.into_iter().find(|travel| travel.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_number_and_its_name() {
        for travel in Travel::ALL {
            assert_eq!(Travel::from_number(travel as u8), Some(travel));
            assert_eq!(Travel::from_name(travel.name()), Some(travel));
        }
        assert_eq!(Travel::from_number(Travel::ALL.len() as u8), None);
    }
}
