//! Ground that burns: bots go round it or wait, and get out of it.

use fireteam::Skill;
use fireteam::snapshot::Snapshot;
use fireteam_sim::{Match, Member, Roster};
use fireteam_world::game::Objective;
use fireteam_world::{Game, maths};

use crate::support::{RED, Watched, entity_at, hall, nobody, own, throw_once};

fn with_fire(game: &mut Game) {
    game.rules.weapons.get_mut("incendiary").expect("skirmish has one").at_spawn = true;
}

/// Two of red: the first is a bot, the second does as he is told.
fn two_reds() -> Roster {
    let member = |name: &str| Member { name: name.to_owned(), skill: Skill::Regular, team: Some(RED), traits: None };
    Roster { members: ["bot", "puppet"].map(member).into(), civilians: 0 }
}

/// A bot and a puppet of red in a hall, at the other end of which lies ground.
fn hall_with_ground() -> (Match, Roster) {
    let (field, roster) = (hall(&entity_at("domination_point", [800, 0, 32]), with_fire), two_reds());
    (Match::about(Objective::Domination, field, &roster, 1), roster)
}

#[test]
fn a_bot_goes_round_a_fire_that_lies_on_its_way() {
    // Which way does it go where nothing burns?
    let (game, roster) = hall_with_ground();
    let mut watched = Watched::new(game, &roster, &[0]);
    assert!(watched.play(20, nobody, |watched| watched.own(0).body.origin.x > -200.0));
    let lane = watched.own(0).body.origin;
    let (game, roster) = hall_with_ground();
    let fire = game.field().arsenal.weapon_named("incendiary").unwrap();
    let throw = |snapshot: &Snapshot| {
        let way = lane - own(snapshot, 1).body.origin;
        vec![throw_once(own(snapshot, 1), fire, [5.0, maths::atan2(way.y, way.x).to_degrees()])]
    };
    // Nobody thinks before it burns.
    let mut watched = Watched::new(game, &roster, &[]);
    let burns =
        |watched: &Watched| watched.game.snapshot().clouds.iter().any(|cloud| cloud.harms && cloud.radius > 100.0);
    assert!(watched.play(10, throw, burns));
    let cloud = watched.game.snapshot().clouds[0];
    assert!(cloud.origin.truncate().distance(lane.truncate()) < 90.0, "{} is not on its way, {lane}", cloud.origin);
    let mut watched = Watched::new(watched.game, &roster, &[0]);
    let bot = watched.entity(0);
    let mut least = 100;
    let has_taken = watched.play(30, nobody, |watched| {
        least = least.min(watched.own(0).health);
        watched.game.snapshot().objectives[0].holder == Some(RED)
    });
    assert!(has_taken, "at {}: {:#?}", watched.own(0).body.origin, watched.told(bot));
    assert_eq!(least, 100, "it was burnt: {:#?}", watched.told(bot));
}

#[test]
fn whoever_stands_in_fire_gets_out_of_it() {
    let field = hall("", with_fire);
    let roster = two_reds();
    let game = Match::about(Objective::TeamFight, field, &roster, 1);
    let fire = game.field().arsenal.weapon_named("incendiary").unwrap();
    // The bot is left without a mind until it burns: the puppet throws it at his feet.
    let mut watched = Watched::new(game, &roster, &[]);
    let throw = |snapshot: &Snapshot| {
        let (target, puppet) = (own(snapshot, 0).body.origin, own(snapshot, 1));
        let way = target - puppet.body.eye();
        vec![throw_once(puppet, fire, [75.0, maths::atan2(way.y, way.x).to_degrees()])]
    };
    let hurts = |watched: &Watched| watched.own(0).hurt.is_some();
    assert!(watched.play(12, throw, hurts), "{:?}", watched.game.snapshot().clouds);
    let mut watched = Watched::new(watched.game, &roster, &[0]);
    let bot = watched.entity(0);
    let is_out = |watched: &Watched| {
        let origin = watched.own(0).body.origin;
        watched
            .game
            .snapshot()
            .clouds
            .iter()
            .all(|cloud| cloud.origin.truncate().distance(origin.truncate()) > cloud.radius)
    };
    assert!(watched.play(3, nobody, is_out), "{:#?}", watched.told(bot));
    assert!(watched.told(bot).iter().any(|line| line == "starts evading: stands in fire"), "{:#?}", watched.told(bot));
    assert!(!watched.own(0).body.is_dead && !watched.game.snapshot().clouds.is_empty(), "while it burnt");
}
