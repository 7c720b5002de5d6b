//! Where a frame's time goes: a tree of scopes, each with its calls, mean, longest time and share.
//!
//! In: a clock, handed over by whoever wants figures; [`Profile::enter`] where something begins, and the scope's end where it ends.
//! Out: [`Profile::figures`], or the whole as a table (`Display`). After J. Lampel, "JoeBOT XP, an overview", 2005, 4.2, who
//! follows S. Rabin, "Real-Time In-Game Profiling", Game Programming Gems, 2000. Departures: nothing global, so that two
//! matches do not mix; no clock of our own, so that bots stay a function of what they are shown; scopes end by themselves,
//! also when a thought breaks off, so that none is left open.
//!
//! Not here: what is measured; see [`crate::Bots::think`]. Cost: a branch a scope without a clock; with one, two looks at it
//! and a short walk among its siblings. `fireteam bench frame` has both. Nothing of it reaches a decision.

use std::cell::{Cell, RefCell};
use std::fmt;

/// Nanoseconds since whenever. It must not go backwards.
pub type Clock = fn() -> u64;

/// Most scopes of a tree; whatever comes later counts for the scope it is in.
const SCOPES_MAX: usize = 256;
/// The tree's root, which is nobody's scope.
const ROOT: u16 = 0;

/// The scopes of whatever was entered since the clock was handed over.
#[derive(Debug)]
pub struct Profile {
    clock: Cell<Option<Clock>>,
    tree: RefCell<Tree>,
}

#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    /// The scope that was entered last and not left.
    here: u16,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    name: &'static str,
    parent: u16,
    /// The first of its scopes and the next of its parent's; the root for none.
    first: u16,
    next: u16,
    /// Which of its scopes was entered last: mostly the one after it is next.
    latest: u16,
    calls: u64,
    total_ns: u64,
    max_ns: u64,
}

/// Ends with its life. Holds nothing while there is no clock.
#[derive(Debug)]
#[must_use = "a scope that is not kept ends at once"]
pub struct Scope<'a> {
    open: Option<Open<'a>>,
}

#[derive(Debug)]
struct Open<'a> {
    profile: &'a Profile,
    began: Began,
}

/// A scope that somebody else ends: for frames that must not own anything.
#[derive(Clone, Copy, Debug)]
pub struct Began {
    node: u16,
    clock: Clock,
    at_ns: u64,
}

/// One scope's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    /// 0 for what is in no other scope.
    pub depth: usize,
    pub calls: u64,
    pub total_ns: u64,
    pub max_ns: u64,
    /// Of the time of all outermost scopes together, 0 to 1.
    pub share: f64,
}

impl Figure {
    pub fn mean_ns(&self) -> f64 {
        self.total_ns as f64 / self.calls.max(1) as f64
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile { clock: Cell::new(None), tree: RefCell::new(Tree::new()) }
    }
}

/// A copy measures by the same clock, from nothing: what it goes on to do is not what was measured.
impl Clone for Profile {
    fn clone(&self) -> Profile {
        Profile { clock: self.clock.clone(), tree: RefCell::new(Tree::new()) }
    }
}

impl Profile {
    /// From now on scopes are measured by this clock; by none, they cost nothing but a look whether there is one.
    pub fn set_clock(&self, clock: Option<Clock>) {
        self.clock.set(clock);
    }

    pub fn is_on(&self) -> bool {
        self.clock.get().is_some()
    }

    /// Forgets everything measured so far. Between frames only: whatever is open is not counted any more.
    pub fn reset(&self) {
        *self.tree.borrow_mut() = Tree::new();
    }

    /// A scope within the one that is open; it ends with the life of what comes back.
    #[inline]
    pub fn enter(&self, name: &'static str) -> Scope<'_> {
        let open = self.begin(name).map(|began| Open { profile: self, began });
        Scope { open }
    }

    /// The same, to be ended by [`Profile::end`].
    #[inline]
    pub fn begin(&self, name: &'static str) -> Option<Began> {
        let clock = self.clock.get()?;
        self.tree.borrow_mut().open(name).map(|node| Began { node, clock, at_ns: clock() })
    }

    pub fn end(&self, began: Option<Began>) {
        if let Some(Began { node, clock, at_ns }) = began {
            self.tree.borrow_mut().close(node, clock().saturating_sub(at_ns));
        }
    }

    /// Scopes that follow upon each other, each ended by the next: with one look at the clock for both.
    pub fn laps(&self) -> Laps<'_> {
        Laps { profile: self, open: None }
    }

    /// Every scope, in the order in which they were first entered, those within another after it.
    pub fn figures(&self) -> Vec<Figure> {
        let tree = self.tree.borrow();
        let whole_ns: u64 = tree.within(ROOT).map(|node| tree.nodes[usize::from(node)].total_ns).sum();
        let mut figures = Vec::with_capacity(tree.nodes.len());
        tree.list(ROOT, 0, whole_ns, &mut figures);
        figures
    }

    /// A scope and those within it, by name; empty if nothing of that name was entered.
    pub fn figures_of(&self, name: &str) -> Vec<Figure> {
        let all = self.figures();
        let Some(first) = all.iter().position(|figure| figure.name.eq_ignore_ascii_case(name)) else {
            return Vec::new();
        };
        let depth = all[first].depth;
        let within = all[first + 1..].iter().take_while(|figure| figure.depth > depth).count();
        let lifted = |figure: &Figure| Figure { depth: figure.depth - depth, ..*figure };
        all[first..=first + within].iter().map(lifted).collect()
    }
}

/// One scope after the other, the last of them ended with its life.
#[derive(Debug)]
pub struct Laps<'a> {
    profile: &'a Profile,
    open: Option<Began>,
}

impl Laps<'_> {
    /// Ends the scope before, if there is one, and begins the next.
    #[inline]
    pub fn next(&mut self, name: &'static str) {
        let Some(clock) = self.profile.clock.get() else { return };
        let at_ns = clock();
        let mut tree = self.profile.tree.borrow_mut();
        if let Some(before) = self.open.take() {
            tree.close(before.node, at_ns.saturating_sub(before.at_ns));
        }
        self.open = tree.open(name).map(|node| Began { node, clock, at_ns });
    }
}

impl Drop for Laps<'_> {
    #[inline]
    fn drop(&mut self) {
        self.profile.end(self.open.take());
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(Open { profile, began }) = self.open.take() {
            profile.end(Some(began));
        }
    }
}

impl Tree {
    fn new() -> Tree {
        let mut nodes = Vec::with_capacity(SCOPES_MAX);
        nodes.push(Node::named("", ROOT));
        Tree { nodes, here: ROOT }
    }

    /// The scopes directly within another.
    fn within(&self, parent: u16) -> impl Iterator<Item = u16> + '_ {
        let known = |node: u16| (node != ROOT).then_some(node);
        let first = known(self.nodes[usize::from(parent)].first);
        std::iter::successors(first, move |&node| known(self.nodes[usize::from(node)].next))
    }

    /// None if the tree is full.
    fn open(&mut self, name: &'static str) -> Option<u16> {
        let is_it = |node: &u16| {
            let known = self.nodes[usize::from(*node)].name;
            std::ptr::eq(known, name) || known == name
        };
        let parent = &self.nodes[usize::from(self.here)];
        let next = match parent.latest {
            ROOT => parent.first,
            latest => self.nodes[usize::from(latest)].next,
        };
        let expected = Some(next).filter(|node| *node != ROOT).filter(is_it);
        if let Some(node) = expected.or_else(|| self.within(self.here).find(is_it)) {
            self.nodes[usize::from(self.here)].latest = node;
            self.here = node;
            return Some(node);
        }
        let last = self.within(self.here).last();
        let node = u16::try_from(self.nodes.len()).ok().filter(|_| self.nodes.len() < SCOPES_MAX)?;
        self.nodes.push(Node::named(name, self.here));
        match last {
            Some(last) => self.nodes[usize::from(last)].next = node,
            None => self.nodes[usize::from(self.here)].first = node,
        }
        self.here = node;
        Some(node)
    }

    /// A scope that was open when the tree was forgotten is no longer in it.
    fn close(&mut self, node: u16, ns: u64) {
        let Some(scope) = self.nodes.get_mut(usize::from(node)).filter(|_| node != ROOT) else { return };
        scope.calls += 1;
        scope.total_ns += ns;
        scope.max_ns = scope.max_ns.max(ns);
        self.here = scope.parent;
    }

    fn list(&self, parent: u16, depth: usize, whole_ns: u64, figures: &mut Vec<Figure>) {
        for node in self.within(parent) {
            let Node { name, calls, total_ns, max_ns, .. } = self.nodes[usize::from(node)];
            let share = total_ns as f64 / whole_ns.max(1) as f64;
            figures.push(Figure { name, depth, calls, total_ns, max_ns, share });
            self.list(node, depth + 1, whole_ns, figures);
        }
    }
}

impl Node {
    fn named(name: &'static str, parent: u16) -> Node {
        Node { name, parent, first: ROOT, next: ROOT, latest: ROOT, calls: 0, total_ns: 0, max_ns: 0 }
    }
}

/// Figures as a table, a line each.
pub fn table(figures: &[Figure]) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        writeln!(f, "{:<28} {:>10} {:>10} {:>10} {:>7}", "scope", "calls", "mean us", "max us", "share")?;
        for figure in figures {
            let name = format_args!("{:indent$}{}", "", figure.name, indent = figure.depth * 2).to_string();
            let (mean, max) = (figure.mean_ns() / 1000.0, figure.max_ns as f64 / 1000.0);
            let share = figure.share * 100.0;
            writeln!(f, "{name:<28} {:>10} {mean:>10.2} {max:>10.1} {share:>5.1} %", figure.calls)?;
        }
        Ok(())
    })
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        table(&self.figures()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }

    fn clock() -> u64 {
        NOW.get()
    }

    fn pass(ns: u64) {
        NOW.set(NOW.get() + ns);
    }

    fn told(profile: &Profile) -> Vec<(usize, &'static str, u64, u64, u64)> {
        profile.figures().iter().map(|f| (f.depth, f.name, f.calls, f.total_ns, f.max_ns)).collect()
    }

    fn frame(profile: &Profile, ns: u64) {
        let _think = profile.enter("think");
        for own in [ns, 2 * ns] {
            let _turn = profile.enter("turn");
            pass(1);
            let _bids = profile.enter("bids");
            pass(own);
        }
        let _legs = profile.enter("legs");
        pass(5);
    }

    #[test]
    fn scopes_add_up_below_the_scope_they_are_in() {
        let profile = Profile::default();
        profile.set_clock(Some(clock));
        frame(&profile, 10);
        frame(&profile, 20);
        {
            let _press = profile.enter("press");
            // The same name elsewhere is another scope.
            let _legs = profile.enter("legs");
            pass(1);
        }
        let expected = [
            (0, "think", 2, 104, 67),
            (1, "turn", 4, 94, 41),
            (2, "bids", 4, 90, 40),
            (1, "legs", 2, 10, 5),
            (0, "press", 1, 1, 1),
            (1, "legs", 1, 1, 1),
        ];
        assert_eq!(told(&profile), expected);
        let figures = profile.figures();
        assert!((figures[0].share - 104.0 / 105.0).abs() < 1e-9 && figures[0].mean_ns() == 52.0);
        let turn: Vec<_> = profile.figures_of("TURN").iter().map(|f| (f.depth, f.name)).collect();
        assert_eq!(turn, [(0, "turn"), (1, "bids")]);
        assert!(profile.figures_of("song").is_empty());
        assert_eq!(profile.to_string().lines().count(), 7);
    }

    #[test]
    fn laps_end_each_other_and_the_last_ends_with_them() {
        let profile = Profile::default();
        let race = || {
            let _bids = profile.enter("bids");
            let mut laps = profile.laps();
            for (name, ns) in [("evading", 3), ("shooting", 7), ("hunting", 2)] {
                laps.next(name);
                pass(ns);
                let _within = profile.enter("gunnery");
                pass(1);
            }
        };
        race();
        assert!(told(&profile).is_empty(), "there is no clock");
        profile.set_clock(Some(clock));
        race();
        let within = |name| [(1, name), (2, "gunnery")];
        let names: Vec<_> = told(&profile).iter().map(|(depth, name, ..)| (*depth, *name)).collect();
        assert_eq!(names[1..], [within("evading"), within("shooting"), within("hunting")].concat());
        let totals: Vec<u64> = told(&profile).iter().map(|(.., total, _)| *total).collect();
        assert_eq!(totals, [15, 4, 1, 8, 1, 3, 1]);
        let _next = profile.enter("goals");
        assert_eq!(
            told(&profile).last().map(|(depth, name, ..)| (*depth, *name)),
            Some((0, "goals")),
            "none is left open"
        );
    }

    #[test]
    fn without_a_clock_nothing_is_counted_and_a_reset_forgets() {
        let profile = Profile::default();
        frame(&profile, 10);
        assert!(told(&profile).is_empty() && !profile.is_on());
        profile.set_clock(Some(clock));
        frame(&profile, 10);
        profile.reset();
        assert!(told(&profile).is_empty() && profile.is_on());
        frame(&profile, 10);
        assert_eq!(told(&profile).len(), 4);
    }

    #[test]
    fn a_thought_that_breaks_off_leaves_no_scope_open() {
        let profile = Profile::default();
        profile.set_clock(Some(clock));
        let broken = catch_unwind(AssertUnwindSafe(|| {
            let _think = profile.enter("think");
            let _turn = profile.enter("turn");
            std::panic::resume_unwind(Box::new("broken off"));
        }));
        assert!(broken.is_err());
        frame(&profile, 10);
        assert_eq!(told(&profile)[0].2, 2, "the next frame is a scope beside it, not within it");
        assert!(told(&profile).iter().all(|figure| figure.0 <= 2));
    }

    #[test]
    fn a_full_tree_counts_for_the_scope_it_is_in() {
        let profile = Profile::default();
        profile.set_clock(Some(clock));
        let names: Vec<&'static str> = (0..SCOPES_MAX + 10).map(|number| &*format!("s{number}").leak()).collect();
        let _all = profile.enter("all");
        for name in &names {
            let _one = profile.enter(name);
            pass(1);
        }
        drop(_all);
        let figures = profile.figures();
        assert_eq!(figures.len(), SCOPES_MAX - 1);
        assert_eq!(figures[0].total_ns, names.len() as u64);
    }
}
