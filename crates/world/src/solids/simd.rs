//! Eight floats at a time: AVX2 where the CPU has it, plain arrays elsewhere, with the same bits from both.
//!
//! Every tracing routine is written once over [`Lanes`]. No operation here fuses or reorders, but for one that only culls,
//! so IEEE arithmetic makes the two implementations agree to the last bit; `fast_and_portable_paths_agree` in the tests
//! of `solids` checks it. Here is `unsafe`: intrinsics, and the jump into code compiled for AVX2; the only other place in
//! the crate is `stack`.

use glam::Vec3;

/// What the tracers need of eight lanes. Comparisons are false for NaN, `min`/`max` follow the second operand then,
/// as the x86 instructions do.
pub(crate) trait Lanes: Copy {
    type F: Copy;
    type M: Copy;

    fn splat(x: f32) -> Self::F;
    fn load(x: &[f32; 8]) -> Self::F;
    fn store(x: Self::F) -> [f32; 8];
    fn add(a: Self::F, b: Self::F) -> Self::F;
    fn sub(a: Self::F, b: Self::F) -> Self::F;
    fn mul(a: Self::F, b: Self::F) -> Self::F;
    fn div(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b - c`, rounded once or twice as is quicker: only for what decides nothing by its last bits.
    fn about_mul_sub(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn min(a: Self::F, b: Self::F) -> Self::F;
    fn max(a: Self::F, b: Self::F) -> Self::F;
    fn gt(a: Self::F, b: Self::F) -> Self::M;
    fn ge(a: Self::F, b: Self::F) -> Self::M;
    fn le(a: Self::F, b: Self::F) -> Self::M;
    fn eq(a: Self::F, b: Self::F) -> Self::M;
    fn and(a: Self::M, b: Self::M) -> Self::M;
    fn or(a: Self::M, b: Self::M) -> Self::M;
    /// `b` without `a`.
    fn without(b: Self::M, a: Self::M) -> Self::M;
    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::M, yes: Self::F, no: Self::F) -> Self::F;
    /// `negative` where the sign bit of `by` is set, `positive` elsewhere.
    fn select_sign(by: Self::F, negative: Self::F, positive: Self::F) -> Self::F;
    /// One bit a lane, lane 0 lowest.
    fn bits(mask: Self::M) -> u32;
    /// Lanes of `words` that share a bit with `mask`.
    fn meets(words: &[u32; 8], mask: u32) -> Self::M;
    /// The greatest lane.
    fn reduce_max(x: Self::F) -> f32;
    /// The least lane.
    fn reduce_min(x: Self::F) -> f32;
    /// Two points side by side, in lanes 0 to 2 and 4 to 6; zero elsewhere.
    fn pair(a: Vec3, b: Vec3) -> Self::F;
    /// Each lane cut down to a whole number.
    fn floor(x: Self::F) -> Self::F;
    /// The lesser and the greater coordinates of two points, in lanes 0 to 2 and 4 to 6; zero elsewhere.
    fn corners(a: Vec3, b: Vec3) -> Self::F;
    /// The greatest difference between lanes 4 to 7 and lanes 0 to 3.
    fn width_max(corners: Self::F) -> f32;
    /// Lane `I` in all lanes.
    fn spread<const I: i32>(x: Self::F) -> Self::F;
    /// Lanes that are not negative, cut to whole numbers and multiplied, then the lower and the upper four summed.
    fn places(x: Self::F, strides: &[i32; 8]) -> [i32; 2];
    /// Goes on with rare work in a routine of its own, so that the usual way need not keep registers for it.
    fn call<W: Work>(work: W) -> W::Output;
}

/// Plain arrays: compiles for any CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[inline(always)]
fn zip(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn compare(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> bool) -> [bool; 8] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Portable {
    type F = [f32; 8];
    type M = [bool; 8];

    #[inline(always)]
    fn splat(x: f32) -> [f32; 8] {
        [x; 8]
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> [f32; 8] {
        *x
    }
    #[inline(always)]
    fn store(x: [f32; 8]) -> [f32; 8] {
        x
    }
    #[inline(always)]
    fn add(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn about_mul_sub(a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        zip(zip(a, b, |a, b| a * b), c, |product, c| product - c)
    }
    #[inline(always)]
    fn min(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn gt(a: [f32; 8], b: [f32; 8]) -> [bool; 8] {
        compare(a, b, |a, b| a > b)
    }
    #[inline(always)]
    fn ge(a: [f32; 8], b: [f32; 8]) -> [bool; 8] {
        compare(a, b, |a, b| a >= b)
    }
    #[inline(always)]
    fn le(a: [f32; 8], b: [f32; 8]) -> [bool; 8] {
        compare(a, b, |a, b| a <= b)
    }
    #[inline(always)]
    fn eq(a: [f32; 8], b: [f32; 8]) -> [bool; 8] {
        compare(a, b, |a, b| a == b)
    }
    #[inline(always)]
    fn and(a: [bool; 8], b: [bool; 8]) -> [bool; 8] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn or(a: [bool; 8], b: [bool; 8]) -> [bool; 8] {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn without(b: [bool; 8], a: [bool; 8]) -> [bool; 8] {
        std::array::from_fn(|i| b[i] & !a[i])
    }
    #[inline(always)]
    fn select(mask: [bool; 8], yes: [f32; 8], no: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| if mask[i] { yes[i] } else { no[i] })
    }
    #[inline(always)]
    fn select_sign(by: [f32; 8], negative: [f32; 8], positive: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| if by[i].is_sign_negative() { negative[i] } else { positive[i] })
    }
    #[inline(always)]
    fn bits(mask: [bool; 8]) -> u32 {
        mask.iter().enumerate().fold(0, |bits, (i, &set)| bits | (u32::from(set) << i))
    }
    #[inline(always)]
    fn meets(words: &[u32; 8], mask: u32) -> [bool; 8] {
        std::array::from_fn(|i| words[i] & mask != 0)
    }
    #[inline(always)]
    fn reduce_max(x: [f32; 8]) -> f32 {
        x.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
    #[inline(always)]
    fn reduce_min(x: [f32; 8]) -> f32 {
        x.into_iter().fold(f32::INFINITY, f32::min)
    }
    #[inline(always)]
    fn pair(a: Vec3, b: Vec3) -> [f32; 8] {
        [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0]
    }
    #[inline(always)]
    fn floor(x: [f32; 8]) -> [f32; 8] {
        x.map(f32::floor)
    }
    #[inline(always)]
    fn corners(a: Vec3, b: Vec3) -> [f32; 8] {
        let low = [a.x, a.y, a.z, 0.0, a.x, a.y, a.z, 0.0];
        let high = [b.x, b.y, b.z, 0.0, b.x, b.y, b.z, 0.0];
        let (least, most) = (Portable::min(low, high), Portable::max(low, high));
        [least[0], least[1], least[2], 0.0, most[4], most[5], most[6], 0.0]
    }
    #[inline(always)]
    fn width_max([a, b, c, d, e, f, g, h]: [f32; 8]) -> f32 {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        larger(larger(e - a, g - c), larger(f - b, h - d))
    }
    #[inline(always)]
    fn spread<const I: i32>(x: [f32; 8]) -> [f32; 8] {
        [x[I as usize]; 8]
    }
    #[inline(always)]
    fn places(x: [f32; 8], strides: &[i32; 8]) -> [i32; 2] {
        let at: [i32; 8] = std::array::from_fn(|i| x[i] as i32 * strides[i]);
        [at[0] + at[1] + at[2] + at[3], at[4] + at[5] + at[6] + at[7]]
    }
    #[inline(always)]
    fn call<W: Work>(work: W) -> W::Output {
        run_portable(work)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use glam::Vec3;
    use std::arch::x86_64::*;

    use super::{Lanes, Work, run_avx2};

    /// AVX2 registers. Its methods may only run on a CPU that has AVX2 and FMA; see [`super::Path`], the one door to them.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2;

    // SAFETY (all of this block): the intrinsics need AVX2 and FMA, and every caller is reached through `Path::detect`, which
    // hands out `Path::Avx2` only after asking the CPU. Loads and stores are unaligned ones on whole `[f32; 8]`s.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Lanes for Avx2 {
        type F = __m256;
        type M = __m256;

        #[inline(always)]
        fn splat(x: f32) -> __m256 {
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn load(x: &[f32; 8]) -> __m256 {
            unsafe { _mm256_loadu_ps(x.as_ptr()) }
        }
        #[inline(always)]
        fn store(x: __m256) -> [f32; 8] {
            let mut out = [0.0; 8];
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), x) };
            out
        }
        #[inline(always)]
        fn add(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn div(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_div_ps(a, b) }
        }
        #[inline(always)]
        fn about_mul_sub(a: __m256, b: __m256, c: __m256) -> __m256 {
            unsafe { _mm256_fmsub_ps(a, b, c) }
        }
        #[inline(always)]
        fn min(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_min_ps(a, b) }
        }
        #[inline(always)]
        fn max(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn gt(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(a, b) }
        }
        #[inline(always)]
        fn ge(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_cmp_ps::<_CMP_GE_OQ>(a, b) }
        }
        #[inline(always)]
        fn le(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(a, b) }
        }
        #[inline(always)]
        fn eq(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b) }
        }
        #[inline(always)]
        fn and(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_and_ps(a, b) }
        }
        #[inline(always)]
        fn or(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_or_ps(a, b) }
        }
        #[inline(always)]
        fn without(b: __m256, a: __m256) -> __m256 {
            unsafe { _mm256_andnot_ps(a, b) }
        }
        #[inline(always)]
        fn select(mask: __m256, yes: __m256, no: __m256) -> __m256 {
            unsafe { _mm256_blendv_ps(no, yes, mask) }
        }
        #[inline(always)]
        fn select_sign(by: __m256, negative: __m256, positive: __m256) -> __m256 {
            unsafe { _mm256_blendv_ps(positive, negative, by) }
        }
        #[inline(always)]
        fn bits(mask: __m256) -> u32 {
            unsafe { _mm256_movemask_ps(mask) as u32 }
        }
        #[inline(always)]
        fn meets(words: &[u32; 8], mask: u32) -> __m256 {
            unsafe {
                let words = _mm256_loadu_si256(words.as_ptr().cast());
                let shared = _mm256_and_si256(words, _mm256_set1_epi32(mask as i32));
                let none = _mm256_cmpeq_epi32(shared, _mm256_setzero_si256());
                _mm256_castsi256_ps(_mm256_xor_si256(none, _mm256_set1_epi32(-1)))
            }
        }
        #[inline(always)]
        fn reduce_max(x: __m256) -> f32 {
            unsafe {
                let half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                let pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
                _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
            }
        }
        #[inline(always)]
        fn reduce_min(x: __m256) -> f32 {
            unsafe {
                let half = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                let pair = _mm_min_ps(half, _mm_movehl_ps(half, half));
                _mm_cvtss_f32(_mm_min_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
            }
        }
        #[inline(always)]
        fn pair(a: Vec3, b: Vec3) -> __m256 {
            unsafe { _mm256_setr_ps(a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0) }
        }
        #[inline(always)]
        fn floor(x: __m256) -> __m256 {
            unsafe { _mm256_floor_ps(x) }
        }
        #[inline(always)]
        fn corners(a: Vec3, b: Vec3) -> __m256 {
            unsafe {
                let (a, b) = (_mm_setr_ps(a.x, a.y, a.z, 0.0), _mm_setr_ps(b.x, b.y, b.z, 0.0));
                _mm256_set_m128(_mm_max_ps(a, b), _mm_min_ps(a, b))
            }
        }
        #[inline(always)]
        fn width_max(corners: __m256) -> f32 {
            unsafe {
                let widths = _mm_sub_ps(_mm256_extractf128_ps::<1>(corners), _mm256_castps256_ps128(corners));
                let pair = _mm_max_ps(widths, _mm_movehl_ps(widths, widths));
                _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
            }
        }
        #[inline(always)]
        fn spread<const I: i32>(x: __m256) -> __m256 {
            unsafe { _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(I)) }
        }
        #[inline(always)]
        fn places(x: __m256, strides: &[i32; 8]) -> [i32; 2] {
            unsafe {
                let strides = _mm256_loadu_si256(strides.as_ptr().cast());
                let at = _mm256_mullo_epi32(_mm256_cvttps_epi32(x), strides);
                let pairs = _mm256_add_epi32(at, _mm256_shuffle_epi32::<0b11_11_01_01>(at));
                let sums = _mm256_add_epi32(pairs, _mm256_unpackhi_epi64(pairs, pairs));
                let upper = _mm256_extracti128_si256::<1>(sums);
                [_mm_cvtsi128_si32(_mm256_castsi256_si128(sums)), _mm_cvtsi128_si32(upper)]
            }
        }
        #[inline(always)]
        fn call<W: Work>(work: W) -> W::Output {
            unsafe { run_avx2(work) }
        }
    }
}

/// Which implementation a set of solids uses, chosen once when they are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Path {
    /// The fastest this CPU can run.
    pub(crate) fn detect() -> Path {
        #[cfg(target_arch = "x86_64")]
        let has_all =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("fma");
        if has_all {
            return Path::Avx2;
        }
        Path::Portable
    }

    /// Runs `work` compiled for this path.
    #[inline(always)]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Path::Portable => run_portable(work),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Path::Avx2` exists only where `detect` found AVX2, BMI1 and FMA.
            Path::Avx2 => unsafe { run_avx2(work) },
        }
    }
}

/// A piece of tracing that can be compiled for either path. `run` must be `#[inline(always)]`, or it would not be
/// compiled with the path's instructions.
pub(crate) trait Work {
    type Output;
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Never inlined: where the CPU has better, callers would only save registers for it.
#[inline(never)]
fn run_portable<W: Work>(work: W) -> W::Output {
    work.run::<Portable>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,fma")]
#[inline(never)]
fn run_avx2<W: Work>(work: W) -> W::Output {
    work.run::<Avx2>()
}
