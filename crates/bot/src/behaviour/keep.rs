//! Keeping ground that is ours, from posts near it. Whoever sets foot on it is `occupy`'s.

use super::duty::{self, Press};
use super::posts::Posts;
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Keep {
    posts: Posts,
    /// Which piece the posts are about.
    ground: Option<u8>,
}

impl Behaviour for Keep {
    fn name(&self) -> &'static str {
        "keeping ground"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let Some(Role::Keep { ground }) = view.role() else { return None };
        let home = view.memory.objectives().get(usize::from(ground))?.told.home;
        if self.ground != Some(ground) {
            *self = Keep { posts: Posts::default(), ground: Some(ground) };
        }
        let post = self.posts.now(view, limbs, home)?;
        let what = if post.sees_it { "sees" } else { "sees who comes for" };
        Some(duty::bid(Press::Usual, words!("w{} {what} ground {}, which is ours", post.at.0, ground + 1)))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        self.posts.take(view, limbs, ["keeps ground", "keeps ground, lying"])
    }

    fn forget(&mut self) {
        *self = Keep::default();
    }
}
