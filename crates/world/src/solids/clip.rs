//! Clipping a moving box against convex solids, by Quake's rules.
//!
//! A solid is a set of planes; the box becomes a point by moving each plane outwards by the box's reach along its
//! normal. The point enters through the last plane it crosses inwards, stops 1/8 unit before it, and has missed if it
//! left through another plane before. The rules at the edges (start inside, graze, both ends behind) are the engine's,
//! and so is the order of every float operation: recorded traces must come out equal to the bit.
//!
//! Planes stand in groups of eight, column by column, for [`Lanes`].

use glam::Vec3;

use super::simd::Lanes;
use crate::contents::Contents;
use crate::maths::dot;
use crate::trace::Sweep;

/// How far before a surface a moving thing stops.
pub(crate) const SURFACE_GAP: f32 = 0.125;

/// Eight planes. Unused lanes hold a plane that has everything behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct PlaneGroup {
    pub(crate) x: [f32; 8],
    pub(crate) y: [f32; 8],
    pub(crate) z: [f32; 8],
    pub(crate) dist: [f32; 8],
}

impl PlaneGroup {
    pub(crate) const EMPTY: PlaneGroup = PlaneGroup { x: [0.0; 8], y: [0.0; 8], z: [0.0; 8], dist: [f32::MAX; 8] };

    pub(crate) fn set(&mut self, lane: usize, normal: Vec3, dist: f32) {
        self.x[lane] = normal.x;
        self.y[lane] = normal.y;
        self.z[lane] = normal.z;
        self.dist[lane] = dist;
    }

    pub(crate) fn normal(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x[lane], self.y[lane], self.z[lane])
    }
}

/// A sweep made ready: the box centred on its path, as the engine does before it looks at any brush.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub(crate) start: Vec3,
    pub(crate) end: Vec3,
    /// The box around the path, symmetric: from `-reach` to `reach` but for rounding.
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
    pub(crate) is_point: bool,
    pub(crate) mask: Contents,
}

impl Moving {
    pub(crate) fn of(sweep: &Sweep) -> Moving {
        match sweep.hull {
            hull if hull.is_point() => Moving::of_point(sweep),
            // A point beside the path is a point too.
            hull if hull.mins == hull.maxs => Moving { is_point: true, ..Moving::of_hull(sweep) },
            _ => Moving::of_hull(sweep),
        }
    }

    #[inline(always)]
    pub(crate) fn shaped<const IS_POINT: bool>(sweep: &Sweep) -> Moving {
        if IS_POINT { Moving::of_point(sweep) } else { Moving::of_hull(sweep) }
    }

    /// For a hull without extent at the very path.
    #[inline(always)]
    pub(crate) fn of_point(&Sweep { start, end, mask, .. }: &Sweep) -> Moving {
        Moving { start, end, low: Vec3::ZERO, high: Vec3::ZERO, is_point: true, mask }
    }

    /// For any other hull.
    #[inline(always)]
    pub(crate) fn of_hull(sweep: &Sweep) -> Moving {
        let (mins, maxs) = (sweep.hull.mins, sweep.hull.maxs);
        let centre = (mins + maxs) * 0.5;
        let (low, high) = (mins - centre, maxs - centre);
        Moving { start: sweep.start + centre, end: sweep.end + centre, low, high, is_point: false, mask: sweep.mask }
    }
}

/// What clipping one solid found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clip {
    Miss,
    /// Entered at this fraction through this plane (counted over all the solid's groups).
    Enter {
        fraction: f32,
        plane: u32,
    },
    /// Started inside, and gets out.
    StartInside,
    /// Started inside and stays there.
    AllInside,
}

/// Distances of both ends of the path from eight planes moved outwards by the box.
type Distances<F> = (F, F);

/// What the box reaches over planes along one axis.
#[inline(always)]
fn reach<L: Lanes>(normals: L::F, low: f32, high: f32) -> L::F {
    L::mul(L::select_sign(normals, L::splat(high), L::splat(low)), normals)
}

/// The part of a dot product that lies in the plan.
#[inline(always)]
fn dot_xy<L: Lanes>(p: Vec3, x: L::F, y: L::F) -> L::F {
    L::add(L::mul(L::splat(p.x), x), L::mul(L::splat(p.y), y))
}

#[inline(always)]
fn dot_z<L: Lanes>(p: Vec3, z: L::F) -> L::F {
    L::mul(L::splat(p.z), z)
}

/// As the engine measures from the planes of a brush.
///
/// Its compiler was free to add in any order, and chose to take the plane's distance off the z term first. A path that
/// grazes a slanted plane is let through or stopped by the last bit of this.
#[inline(always)]
fn brush_distances<L: Lanes>(group: &PlaneGroup, moving: &Moving) -> Distances<L::F> {
    let (x, y, z) = (L::load(&group.x), L::load(&group.y), L::load(&group.z));
    let dist = L::load(&group.dist);
    let Moving { start, end, low, high, .. } = *moving;
    let (start_xy, end_xy) = (dot_xy::<L>(start, x, y), dot_xy::<L>(end, x, y));
    let (start_z, end_z) = (dot_z::<L>(start, z), dot_z::<L>(end, z));
    if moving.is_point {
        return (L::add(L::sub(start_z, dist), start_xy), L::add(L::sub(end_z, dist), end_xy));
    }
    let reach_xy = L::add(reach::<L>(x, low.x, high.x), reach::<L>(y, low.y, high.y));
    let shift = L::add(reach_xy, L::sub(reach::<L>(z, low.z, high.z), dist));
    (L::add(L::add(start_z, shift), start_xy), L::add(L::add(end_z, shift), end_xy))
}

/// As the engine measures from the planes of a facet: from x to z, the plane's distance last.
#[inline(always)]
fn facet_distances<L: Lanes>(group: &PlaneGroup, moving: &Moving) -> Distances<L::F> {
    let (x, y, z) = (L::load(&group.x), L::load(&group.y), L::load(&group.z));
    let Moving { start, end, low, high, .. } = *moving;
    let mut dist = L::load(&group.dist);
    if !moving.is_point {
        let reach_xy = L::add(reach::<L>(x, low.x, high.x), reach::<L>(y, low.y, high.y));
        dist = L::sub(dist, L::add(reach_xy, reach::<L>(z, low.z, high.z)));
    }
    let start_dot = L::add(dot_xy::<L>(start, x, y), dot_z::<L>(start, z));
    let end_dot = L::add(dot_xy::<L>(end, x, y), dot_z::<L>(end, z));
    (L::sub(start_dot, dist), L::sub(end_dot, dist))
}

/// Clips the moving box against the brush bounded by `groups`. Fractions from `limit` on may come back as a miss.
#[inline(always)]
pub(crate) fn clip<L: Lanes>(groups: &[PlaneGroup], moving: &Moving, limit: f32) -> Clip {
    clip_by::<L, false>(groups, moving, limit)
}

/// The same for a facet of a curve.
#[inline(always)]
pub(crate) fn clip_facet<L: Lanes>(groups: &[PlaneGroup], moving: &Moving, limit: f32) -> Clip {
    clip_by::<L, true>(groups, moving, limit)
}

/// A flag and not a function to call: a function handed over is not compiled for the path that calls it.
#[inline(always)]
fn clip_by<L: Lanes, const IS_FACET: bool>(groups: &[PlaneGroup], moving: &Moving, limit: f32) -> Clip {
    let zero = L::splat(0.0);
    let gap = L::splat(SURFACE_GAP);
    let (mut enter, mut leave) = (-1.0f32, 1.0f32);
    let mut plane = 0;
    let (mut starts_out, mut ends_out) = (0, 0);
    for (index, group) in groups.iter().enumerate() {
        let (d1, d2) = if IS_FACET { facet_distances::<L>(group, moving) } else { brush_distances::<L>(group, moving) };
        let out1 = L::gt(d1, zero);
        let in2 = L::le(d2, zero);
        // Outside all the way, or moving away outside: this plane keeps the box clear of the solid.
        let clear = L::and(out1, L::or(L::ge(d2, gap), L::ge(d2, d1)));
        if L::bits(clear) != 0 {
            return Clip::Miss;
        }
        starts_out |= L::bits(out1);
        ends_out |= L::bits(in2) ^ 0xff;
        let crossed = L::or(out1, L::gt(d2, zero));
        let inwards = L::and(crossed, L::gt(d1, d2));
        let outwards = L::without(crossed, inwards);
        let span = L::sub(d1, d2);
        if L::bits(inwards) != 0 {
            let fractions = L::max(L::div(L::sub(d1, gap), span), zero);
            let fractions = L::select(inwards, fractions, L::splat(-1.0));
            let deepest = L::reduce_max(fractions);
            if deepest > enter {
                enter = deepest;
                plane = index as u32 * 8 + L::bits(L::eq(fractions, L::splat(deepest))).trailing_zeros();
            }
        }
        if L::bits(outwards) != 0 {
            let fractions = L::min(L::div(L::add(d1, gap), span), L::splat(1.0));
            leave = leave.min(L::reduce_min(L::select(outwards, fractions, L::splat(1.0))));
        }
    }
    if starts_out == 0 {
        return if ends_out == 0 { Clip::AllInside } else { Clip::StartInside };
    }
    if enter < leave && enter > -1.0 && enter <= limit { Clip::Enter { fraction: enter, plane } } else { Clip::Miss }
}

/// Whether a bullet's path meets the facet whose surface is lane 0 of `groups`, and how far along.
///
/// The engine has a rule of its own for points and curves: only the front counts, and the place where the path meets
/// the surface has to be inside all borders, with no gap; only then is the end pulled back. Gives the fraction at which
/// the surface itself is met, and the one where the bullet stops.
#[inline(always)]
pub(crate) fn pierce<L: Lanes>(groups: &[PlaneGroup], moving: &Moving) -> Option<(f32, f32)> {
    /// What the engine writes for planes that the path never meets.
    const NEVER: f32 = 99999.0;
    let surface = &groups[0];
    let (normal, dist) = (surface.normal(0), surface.dist[0]);
    let (d1, d2) = (dot(moving.start, normal) - dist, dot(moving.end, normal) - dist);
    if d1 <= 0.0 || d1 == d2 {
        return None;
    }
    let met = d1 / (d1 - d2);
    // Beyond the end, behind the start, or running away from the surface.
    if met <= 0.0 || met > 1.0 {
        return None;
    }
    let zero = L::splat(0.0);
    for group in groups {
        let (b1, b2) = facet_distances::<L>(group, moving);
        let crossing = L::div(b1, L::sub(b1, b2));
        let usable = L::without(L::gt(crossing, zero), L::eq(b1, b2));
        let crossing = L::select(usable, crossing, L::splat(NEVER));
        let starts_out = L::gt(b1, zero);
        let met = L::splat(met);
        let too_late = L::and(starts_out, L::gt(crossing, met));
        let too_soon = L::without(L::gt(met, crossing), starts_out);
        if L::bits(L::or(too_late, too_soon)) != 0 {
            return None;
        }
    }
    Some((met, ((d1 - SURFACE_GAP) / (d1 - d2)).max(0.0)))
}

/// Whether a box that stands still is inside the solid (touching counts).
#[inline(always)]
pub(crate) fn contains_box<L: Lanes>(groups: &[PlaneGroup], moving: &Moving) -> bool {
    groups.iter().all(|group| {
        let (d1, _) = facet_distances::<L>(group, moving);
        L::bits(L::gt(d1, L::splat(0.0))) == 0
    })
}

/// Whether a point is inside the solid (touching counts).
pub(crate) fn contains_point(groups: &[PlaneGroup], point: Vec3) -> bool {
    groups.iter().all(|group| (0..8).all(|lane| dot(point, group.normal(lane)) <= group.dist[lane]))
}
