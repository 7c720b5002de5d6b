//! Chance that can be repeated: PCG-XSH-RR 64/32 (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation", HMC-CS-2014-0905, 2014).

use glam::Vec3;

#[derive(Clone, Debug)]
pub struct Pcg {
    state: u64,
    stream: u64,
}

impl Pcg {
    /// The same seed and stream give the same numbers for ever; captures depend on it.
    pub fn new(seed: u64, stream: u64) -> Pcg {
        let mut pcg = Pcg { state: 0, stream: (stream << 1) | 1 };
        pcg.draw();
        pcg.state = pcg.state.wrapping_add(seed);
        pcg.draw();
        pcg
    }

    /// A stream of its own for every name, so that adding a map does not change the rows of another.
    pub fn named(seed: u64, name: &str) -> Pcg {
        // FNV-1a.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Pcg::new(seed, hash)
    }

    pub fn draw(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.stream);
        let xorshifted = (((old >> 18) ^ old) >> 27) as u32;
        xorshifted.rotate_right((old >> 59) as u32)
    }

    /// Uniform in `0..count`; `count` must not be 0.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "nothing to choose from");
        ((u64::from(self.draw()) * count as u64) >> 32) as usize
    }

    /// Uniform in `[0, 1)`, all 24 bits of an `f32`.
    pub fn unit(&mut self) -> f32 {
        (self.draw() >> 8) as f32 / (1 << 24) as f32
    }

    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn chance(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Uniform on the sphere, by rejection from the cube.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let square = v.length_squared();
            if square > 1e-4 && square <= 1.0 {
                return v / square.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of O'Neill's reference implementation with seed 42, stream 54.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut pcg = Pcg::new(42, 54);
        let numbers: Vec<u32> = (0..6).map(|_| pcg.draw()).collect();
        assert_eq!(numbers, [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e]);
    }
}
