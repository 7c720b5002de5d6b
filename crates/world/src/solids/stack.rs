//! A stack for the hot path, in memory that is not cleared first: that would take as long as looking at two nodes.

use std::mem::MaybeUninit;

/// Where a [`Stack`] of at most `N` pairs lies. Apart from it, so that its height can stay in a register.
pub(super) struct Room<A, B, const N: usize> {
    first: [MaybeUninit<A>; N],
    second: [MaybeUninit<B>; N],
}

impl<A, B, const N: usize> Room<A, B, N> {
    #[inline(always)]
    pub(super) fn new() -> Room<A, B, N> {
        Room { first: [const { MaybeUninit::uninit() }; N], second: [const { MaybeUninit::uninit() }; N] }
    }
}

/// Pairs, last in, first out; in two columns, so that nothing but what counts is copied.
pub(super) struct Stack<'a, A, B, const N: usize> {
    room: &'a mut Room<A, B, N>,
    /// All pairs below it were pushed.
    height: usize,
}

impl<'a, A: Copy, B: Copy, const N: usize> Stack<'a, A, B, N> {
    #[inline(always)]
    pub(super) fn new(room: &'a mut Room<A, B, N>) -> Stack<'a, A, B, N> {
        Stack { room, height: 0 }
    }

    /// Puts a pair down always, and counts it only if it is wanted: cheaper than a branch that is as good as chance.
    #[inline(always)]
    pub(super) fn push_if(&mut self, is_wanted: bool, first: A, second: B) {
        self.room.first[self.height].write(first);
        self.room.second[self.height].write(second);
        self.height += usize::from(is_wanted);
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(A, B)> {
        self.height = self.height.checked_sub(1)?;
        let (first, second) = (&self.room.first[self.height], &self.room.second[self.height]);
        // SAFETY: the height grows only past pairs that were written, and `Copy` things stay what they were.
        Some(unsafe { (first.assume_init(), second.assume_init()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_wanted_comes_back_last_first() {
        let mut room = Room::<u32, char, 3>::new();
        let mut stack = Stack::new(&mut room);
        stack.push_if(true, 1, 'a');
        stack.push_if(false, 2, 'b');
        stack.push_if(true, 3, 'c');
        assert_eq!([stack.pop(), stack.pop(), stack.pop(), stack.pop()], [Some((3, 'c')), Some((1, 'a')), None, None]);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn there_is_no_room_beyond_the_end() {
        let mut room = Room::<u32, u32, 1>::new();
        let mut stack = Stack::new(&mut room);
        stack.push_if(true, 1, 1);
        stack.push_if(true, 2, 2);
    }
}
