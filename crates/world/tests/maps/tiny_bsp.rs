//! A compiled map small enough to read in a hex editor: a room with a curved ramp, and a door in it.
//!
//! The room is 512 x 512 x 256 around the origin, walls 16 thick; the tree splits it at x = 0 into two leafs, which are
//! clusters 0 and 1; below the floor is the outside. Brush 6 is the door, and as compilers do it stands in the leaf
//! lists too. Only the draw vertices of the ramp are written.

pub(crate) const ENTITIES: usize = 0;
pub(crate) const SHADERS: usize = 1;
pub(crate) const PLANES: usize = 2;
pub(crate) const NODES: usize = 3;
pub(crate) const LEAFS: usize = 4;
pub(crate) const LEAF_SURFACES: usize = 5;
pub(crate) const LEAF_BRUSHES: usize = 6;
pub(crate) const MODELS: usize = 7;
pub(crate) const BRUSHES: usize = 8;
pub(crate) const SIDES: usize = 9;
pub(crate) const VERTICES: usize = 10;
pub(crate) const SURFACES: usize = 13;
pub(crate) const LIGHT_GRID: usize = 15;
pub(crate) const VISIBILITY: usize = 16;
pub(crate) const LUMP_COUNT: usize = 17;

const HEADER_BYTES: usize = 8 + 8 * LUMP_COUNT;

/// The whole file.
pub(crate) fn tiny_bsp() -> Vec<u8> {
    let mut lumps = vec![Vec::new(); LUMP_COUNT];
    lumps[ENTITIES] = b"{\n\"classname\" \"worldspawn\"\n\"message\" \"tiny\"\n}\n\
        {\n\"classname\" \"func_door\"\n\"model\" \"*1\"\n\"angle\" \"90\"\n}\n\
        {\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"64 0 -100\"\n}\n\0"
        .to_vec();
    for (name, surface, contents) in [("textures/tiny/wall", 0, 1), ("textures/tiny/ice", 2, 1)] {
        let mut padded = name.as_bytes().to_vec();
        padded.resize(64, 0);
        lumps[SHADERS].extend(padded);
        ints(&mut lumps[SHADERS], &[surface, contents]);
    }
    let boxes: [[f32; 6]; 7] = [
        [-272.0, -272.0, -144.0, -256.0, 272.0, 144.0],
        [256.0, -272.0, -144.0, 272.0, 272.0, 144.0],
        [-256.0, -272.0, -144.0, 256.0, -256.0, 144.0],
        [-256.0, 256.0, -144.0, 256.0, 272.0, 144.0],
        [-256.0, -256.0, -144.0, 256.0, 256.0, -128.0],
        [-256.0, -256.0, 128.0, 256.0, 256.0, 144.0],
        [-8.0, -64.0, -128.0, 8.0, 64.0, 0.0],
    ];
    for (n, bounds) in boxes.iter().enumerate() {
        for side in 0..6 {
            let (axis, sign) = (side / 2, if side % 2 == 0 { -1.0 } else { 1.0 });
            let mut plane = [0.0; 4];
            plane[axis] = sign;
            plane[3] = sign * bounds[axis + if side % 2 == 0 { 0 } else { 3 }];
            floats(&mut lumps[PLANES], &plane);
            ints(&mut lumps[SIDES], &[(n * 6 + side) as i32, 0]);
        }
        ints(&mut lumps[BRUSHES], &[n as i32 * 6, 6, 0]);
    }
    // Two more planes split the tree: the underside of the floor, and x = 0.
    floats(&mut lumps[PLANES], &[0.0, 0.0, 1.0, -144.0, 1.0, 0.0, 0.0, 0.0]);
    ints(&mut lumps[NODES], &[42, 1, -3, -272, -272, -144, 272, 272, 144]);
    ints(&mut lumps[NODES], &[43, -1, -2, -272, -272, -144, 272, 272, 144]);
    ints(&mut lumps[LEAFS], &[0, 0, 0, -272, -144, 272, 272, 144, 0, 2, 0, 6]);
    ints(&mut lumps[LEAFS], &[1, 0, -272, -272, -144, 0, 272, 144, 2, 1, 6, 5]);
    ints(&mut lumps[LEAFS], &[-1, -1, -272, -272, -400, 272, 272, -144, 3, 0, 11, 0]);
    ints(&mut lumps[LEAF_SURFACES], &[0, 1, 0]);
    ints(&mut lumps[LEAF_BRUSHES], &[5, 4, 3, 2, 1, 5, 4, 3, 2, 0, 4, 6]);
    floats(&mut lumps[MODELS], &[-272.0, -272.0, -144.0, 272.0, 272.0, 144.0]);
    ints(&mut lumps[MODELS], &[0, 2, 0, 6]);
    floats(&mut lumps[MODELS], &[-8.0, -64.0, -128.0, 8.0, 64.0, 0.0]);
    ints(&mut lumps[MODELS], &[2, 0, 6, 1]);
    ramp(&mut lumps);
    for n in 0..9 * 9 * 3 {
        lumps[LIGHT_GRID].extend([64 + n as u8 / 2, 64, 64, 0, 0, 0, 0, 0]);
    }
    ints(&mut lumps[VISIBILITY], &[2, 4]);
    lumps[VISIBILITY].extend([0b01, 0, 0, 0, 0b11, 0, 0, 0]);
    assemble(&lumps)
}

/// A flat face that collides with nothing, and a patch of 3 x 3 in ice.
fn ramp(lumps: &mut [Vec<u8>]) {
    for (kind, vertex_count, width) in [(1, 0, 0), (2, 9, 3)] {
        ints(&mut lumps[SURFACES], &[1, -1, kind, 0, vertex_count, 0, 0, -1, 0, 0, 0, 0]);
        floats(&mut lumps[SURFACES], &[0.0; 12]);
        ints(&mut lumps[SURFACES], &[width, width]);
    }
    for y in [-64.0, 0.0, 64.0] {
        for (x, z) in [(64.0, -128.0), (192.0, -128.0), (192.0, 0.0)] {
            floats(&mut lumps[VERTICES], &[x, y, z]);
            lumps[VERTICES].extend([0; 32]);
        }
    }
}

fn assemble(lumps: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"IBSP".to_vec();
    ints(&mut file, &[46]);
    let mut offset = HEADER_BYTES;
    for lump in lumps {
        ints(&mut file, &[offset as i32, lump.len() as i32]);
        offset += lump.len();
    }
    file.extend(lumps.concat());
    file
}

/// Where a lump lies in a file made by [`tiny_bsp`].
pub(crate) fn lump_range(file: &[u8], lump: usize) -> std::ops::Range<usize> {
    let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]) as usize;
    let (offset, length) = (word(8 + 8 * lump), word(12 + 8 * lump));
    offset..offset + length
}

fn ints(to: &mut Vec<u8>, values: &[i32]) {
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn floats(to: &mut Vec<u8>, values: &[f32]) {
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}
