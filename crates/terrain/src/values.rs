//! What a waypoint is worth to a soldier, before anybody is there: one byte a value and waypoint, as parallel columns.

/// Each column has a row a waypoint. 0 is the least and 255 the most that the bake's scale for that column knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// How many ways lead off from here.
    pub freedom: Vec<u8>,
    /// How many places are seen from here.
    pub overlooks: Vec<u8>,
    /// How far one sees from here.
    pub range: Vec<u8>,
    /// From how many places one is seen here, standing.
    pub exposure: Vec<u8>,
    /// How much cover is near.
    pub cover: Vec<u8>,
    /// How brightly one is lit here.
    pub light: Vec<u8>,
    /// How many routes of others lead through here.
    pub choke: Vec<u8>,
    /// How high this is above what it overlooks; 128 is level.
    pub height: Vec<u8>,
}

impl Values {
    /// The columns' names, as they are listed and asked for.
    pub const NAMES: [&'static str; 8] =
        ["freedom", "overlooks", "range", "exposure", "cover", "light", "choke", "height"];

    pub fn columns(&self) -> [&Vec<u8>; 8] {
        let Values { freedom, overlooks, range, exposure, cover, light, choke, height } = self;
        [freedom, overlooks, range, exposure, cover, light, choke, height]
    }

    pub fn columns_mut(&mut self) -> [&mut Vec<u8>; 8] {
        let Values { freedom, overlooks, range, exposure, cover, light, choke, height } = self;
        [freedom, overlooks, range, exposure, cover, light, choke, height]
    }
}
