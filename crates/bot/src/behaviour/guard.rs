//! Guarding our flag, from posts near it.

use super::duty::{self, Press};
use super::posts::Posts;
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    posts: Posts,
}

impl Behaviour for Guard {
    fn name(&self) -> &'static str {
        "guarding our flag"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let flag = duty::flags_as(view, Role::Defend)?.ours;
        let post = self.posts.now(view, limbs, flag.told.home)?;
        let what = if post.sees_it { "sees the flag" } else { "sees who comes for the flag" };
        Some(duty::bid(Press::Usual, words!("w{} {what}", post.at.0)))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        self.posts.take(view, limbs, ["guards our flag", "guards our flag, lying"])
    }

    fn forget(&mut self) {
        *self = Guard::default();
    }
}
