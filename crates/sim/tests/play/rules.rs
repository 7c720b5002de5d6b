//! One rule each: what a soldier can do, what happens to him, who wins.

use fireteam::Command;
use fireteam::snapshot::{Own, Said, Snapshot, SoundKind};
use fireteam_sim::Match;
use fireteam_world::movement::Buttons;
use fireteam_world::pcg::Pcg;
use fireteam_world::{Vec3, maths};

use crate::support::{
    BLUE, RED, brush, duel, entity, field, field_with, hall, idle, look, look_at, own, play_until, roster, run_to,
    shoot_at,
};

/// Red shoots at blue, who stands still.
fn red_shoots(snapshot: &Snapshot) -> Vec<Command> {
    let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
    vec![shoot_at(red, blue.body.origin), idle(blue)]
}

fn said(snapshot: &Snapshot, wanted: impl Fn(&Said) -> bool) -> bool {
    snapshot.messages.iter().any(|message| wanted(&message.said))
}

#[test]
fn three_rifle_hits_kill_and_end_the_round() {
    let mut game = duel("one_room", 1);
    let mut hits = 0;
    let ended = play_until(&mut game, 20, red_shoots, |snapshot| {
        hits += i32::from(own(snapshot, 1).hurt.is_some());
        said(snapshot, |said| *said == Said::RoundEnds { winner: Some(RED) })
    });
    assert!(ended);
    assert_eq!(hits, 3, "100 points, 40 a hit");
    let snapshot = game.snapshot();
    let (red, blue) = (entity(&game, 0), entity(&game, 1));
    let obituary =
        Said::Obituary { victim: blue, killer: Some(red), weapon: game.field().arsenal.weapon_named("rifle") };
    assert!(said(snapshot, |said| *said == obituary), "{:?}", snapshot.messages);
    assert!(own(snapshot, 1).body.is_dead && !own(snapshot, 1).may_respawn);
    let began = play_until(&mut game, 5, |_| Vec::new(), |snapshot| said(snapshot, |said| *said == Said::RoundStarts));
    assert!(began);
    assert!(!own(game.snapshot(), 1).body.is_dead && own(game.snapshot(), 1).life == 2);
    let standing = game.standing();
    assert_eq!((standing.wins, standing.round), (vec![1, 0], 2));
    assert_eq!(standing.players[0].2.kills, 1);
}

#[test]
fn enough_rounds_win_the_match() {
    let field =
        field_with("one_room", |game| (game.rules.rounds.freeze_ms, game.rules.rounds.rounds_to_win) = (0, 2), false);
    let mut game = Match::new(field, &roster(2), 3);
    let mut rounds = 0;
    play_until(&mut game, 60, red_shoots, |snapshot| {
        rounds += i32::from(said(snapshot, |said| matches!(said, Said::RoundEnds { .. })));
        rounds == 2
    });
    assert!(game.is_over());
    assert_eq!(game.snapshot().phase, fireteam::snapshot::Phase::Over);
}

#[test]
fn teams_change_ends_with_every_round() {
    let field = field_with(
        "two_rooms_one_door",
        |game| (game.rules.rounds.freeze_ms, game.rules.rounds.round_ms) = (0, 500),
        false,
    );
    let mut game = Match::new(field, &roster(2), 3);
    let west = |game: &Match| [0, 1].map(|index| own(game.snapshot(), index).body.origin.x < 0.0);
    let mut ends = vec![west(&game)];
    for _ in 0..2 {
        let began = |snapshot: &Snapshot| said(snapshot, |said| *said == Said::RoundStarts);
        assert!(play_until(&mut game, 10, |_| Vec::new(), began));
        ends.push(west(&game));
    }
    let [red, blue] = ends[0];
    assert_ne!(red, blue, "each has a room");
    assert_eq!(ends, [[red, blue], [blue, red], [red, blue]]);
}

#[test]
fn nobody_moves_before_the_round_but_may_look_about() {
    let mut game = Match::new(field_with("one_room", |_| (), false), &roster(2), 1);
    let start = own(game.snapshot(), 0).body.origin;
    for _ in 0..40 {
        let snapshot = game.snapshot();
        assert_eq!(snapshot.phase, fireteam::snapshot::Phase::Frozen);
        let mut command = shoot_at(own(snapshot, 0), Vec3::ZERO);
        command.press.forward = 127;
        game.step(&[command]);
    }
    let red = own(game.snapshot(), 0);
    assert!((red.body.origin - start).truncate().length() < 1.0);
    assert_eq!(game.standing().players[0].2.shots, 0);
    let way = Vec3::ZERO - red.body.eye();
    assert!((red.body.view.y - maths::atan2(way.y, way.x).to_degrees()).rem_euclid(360.0) < 1.0);
}

#[test]
fn a_clip_runs_out_and_is_changed() {
    let mut game = duel("one_room", 1);
    let rifle = game.field().arsenal.weapon_named("rifle").unwrap();
    let up = |snapshot: &Snapshot| {
        let mut command = idle(own(snapshot, 0));
        look(&mut command, own(snapshot, 0), -80.0, 0.0);
        command.press.buttons = Buttons::ATTACK;
        vec![command]
    };
    let arm = |snapshot: &Snapshot| own(snapshot, 0).arms[usize::from(rifle.0)];
    assert_eq!((arm(game.snapshot()).clip, arm(game.snapshot()).rounds), (30, 90));
    assert!(play_until(&mut game, 10, up, |snapshot| own(snapshot, 0).is_reloading));
    assert_eq!(game.standing().players[0].2.shots, 30);
    assert_eq!(game.snapshot().time.0, 50 + 30 * 100 + 50, "ten shots a second");
    assert!(play_until(&mut game, 10, up, |snapshot| !own(snapshot, 0).is_reloading));
    assert_eq!(arm(game.snapshot()).rounds, 60);
}

#[test]
fn recoil_climbs_and_is_taken_back() {
    // A clip at somebody across the room: held, the muzzle climbs over his head; in single shots it comes down again.
    let harmless = |game: &mut fireteam_world::Game| {
        game.rules.rounds.freeze_ms = 0;
        game.rules.weapons.get_mut("rifle").expect("skirmish has one").damage = 1;
    };
    let field = field_with("one_room", harmless, false);
    let rifle = field.arsenal.weapon_named("rifle").unwrap();
    let hits_of_a_clip = |every: i32| {
        let mut game = Match::new(field.clone(), &roster(2), 5);
        play_until(
            &mut game,
            60,
            |snapshot| {
                let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
                let mut command = idle(red);
                look_at(&mut command, red, blue.body.origin);
                command.weapon = rifle;
                if red.weapon == rifle && snapshot.time.0 / 50 % every == 0 {
                    command.press.buttons = Buttons::ATTACK;
                }
                vec![command, idle(blue)]
            },
            |snapshot| own(snapshot, 0).is_reloading,
        );
        let score = game.standing().players[0].2;
        assert_eq!(score.shots, 30);
        score.hits
    };
    let (held, single) = (hits_of_a_clip(1), hits_of_a_clip(20));
    assert!(single >= 29, "a single shot goes where it is aimed: {single}");
    assert!(held <= 24, "and a burst does not: {held}");
}

#[test]
fn changing_weapons_takes_time() {
    let mut game = duel("one_room", 1);
    let knife = game.field().arsenal.weapon_named("knife").unwrap();
    let take_knife = |snapshot: &Snapshot| {
        let mut command = idle(own(snapshot, 0));
        command.weapon = knife;
        vec![command]
    };
    assert!(play_until(&mut game, 2, take_knife, |snapshot| own(snapshot, 0).weapon == knife));
    assert!(game.snapshot().time.0 >= 250, "taken down in 200 ms");
    assert!(own(game.snapshot(), 0).ready_in_ms > 0, "and brought up in 250 more");
}

#[test]
fn a_knife_reaches_no_further_than_an_arm() {
    let mut game = duel("one_room", 1);
    let knife = game.field().arsenal.weapon_named("knife").unwrap();
    let mut far_hits = 0;
    let killed = play_until(
        &mut game,
        20,
        |snapshot| {
            let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
            let mut command = shoot_at(red, blue.body.origin);
            command.weapon = knife;
            command.press.forward = 127;
            vec![command, idle(blue)]
        },
        |snapshot| {
            let distance = own(snapshot, 0).body.origin.distance(own(snapshot, 1).body.origin);
            far_hits += i32::from(own(snapshot, 1).hurt.is_some() && distance > 80.0);
            own(snapshot, 1).body.is_dead
        },
    );
    assert!(killed);
    assert_eq!(far_hits, 0);
}

/// Pulls the pin and holds it for so long, looking at the other; then lets go.
fn throws_after(held_ms: i32) -> impl FnMut(&Snapshot) -> Vec<Command> {
    move |snapshot| {
        let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
        let mut command = idle(red);
        look_at(&mut command, red, blue.body.origin);
        command.weapon = FRAG;
        let begins = red.weapon == FRAG && red.arms[usize::from(FRAG.0)].rounds == 2 && red.ready_in_ms == 0;
        if begins || red.armed_ms.is_some_and(|ms| ms < held_ms) {
            command.press.buttons = Buttons::ATTACK;
        }
        vec![command, idle(blue)]
    }
}

/// The first of the weapons' names in alphabetical order that begins with f is `flash`, then `frag`.
const FRAG: fireteam::snapshot::WeaponId = fireteam::snapshot::WeaponId(1);

#[test]
fn a_frag_flies_bounces_and_hurts() {
    let mut game = duel("one_room", 2);
    assert_eq!(game.field().arsenal.weapon_name(FRAG), "frag");
    let (mut flew, mut bounced, mut exploded) = (0, 0, false);
    let hurt = play_until(&mut game, 20, throws_after(0), |snapshot| {
        flew += snapshot.missiles.len();
        bounced += snapshot.sounds.iter().filter(|sound| sound.kind == SoundKind::Bounce).count();
        exploded |= snapshot.sounds.iter().any(|sound| sound.kind == SoundKind::Explosion);
        exploded
    });
    assert!(hurt, "it went off");
    assert!(flew >= 58, "three seconds of fuse, {flew} frames");
    assert!(bounced >= 1);
    assert!(own(game.snapshot(), 1).hurt.is_some() || own(game.snapshot(), 0).hurt.is_some(), "in a room of 500 units");
    assert_eq!(own(game.snapshot(), 0).arms[usize::from(FRAG.0)].rounds, 1);
}

#[test]
fn a_cooked_frag_goes_off_sooner_and_in_the_hand_if_held_too_long() {
    let explodes_after = |held_ms: i32| {
        let mut game = duel("one_room", 2);
        let mut armed = None;
        let exploded = play_until(&mut game, 20, throws_after(held_ms), |snapshot| {
            armed = armed.or(own(snapshot, 0).armed_ms.map(|_| snapshot.time.0));
            snapshot.sounds.iter().any(|sound| sound.kind == SoundKind::Explosion)
        });
        assert!(exploded);
        (game.snapshot().time.0 - armed.unwrap(), own(game.snapshot(), 0).body.is_dead)
    };
    let (plain, _) = explodes_after(0);
    let (cooked, _) = explodes_after(2500);
    let (held, is_dead) = explodes_after(60_000);
    assert!((3900..=4150).contains(&plain), "a second to wind up, three of fuse: {plain}");
    assert!((3900..=4150).contains(&cooked), "the fuse burns once the arm is back: {cooked}");
    assert!((3900..=4150).contains(&held), "{held}");
    assert!(is_dead, "whoever holds it");
}

#[test]
fn who_dies_with_the_pin_drawn_drops_the_grenade() {
    let mut game = duel("one_room", 4);
    let mut hold = throws_after(60_000);
    let dropped = play_until(
        &mut game,
        10,
        |snapshot| {
            let mut commands = hold(snapshot);
            if own(snapshot, 0).armed_ms.is_some() {
                commands[1] = shoot_at(own(snapshot, 1), own(snapshot, 0).body.origin);
            }
            commands
        },
        |snapshot| own(snapshot, 0).body.is_dead && !snapshot.missiles.is_empty(),
    );
    assert!(dropped);
    let (missile, body) = (game.snapshot().missiles[0].origin, own(game.snapshot(), 0).body.origin);
    assert!(missile.distance(body) < 100.0, "at his feet");
}

#[test]
fn smoke_stands_in_the_way_of_eyes_and_goes_again() {
    let mut game = duel("one_room", 2);
    let smoke = game.field().arsenal.weapon_named("smoke").unwrap();
    let throw = |snapshot: &Snapshot| {
        let red = own(snapshot, 0);
        let mut command = idle(red);
        command.weapon = smoke;
        if red.weapon == smoke && red.armed_ms.is_none() && red.arms[usize::from(smoke.0)].rounds == 1 {
            command.press.buttons = Buttons::ATTACK;
        }
        vec![command]
    };
    let mut largest: f32 = 0.0;
    assert!(play_until(&mut game, 20, throw, |snapshot| snapshot.clouds.iter().any(|cloud| cloud.blocks_sight)));
    let gone = play_until(&mut game, 30, throw, |snapshot| {
        largest = snapshot.clouds.iter().fold(largest, |most, cloud| most.max(cloud.radius));
        snapshot.clouds.is_empty()
    });
    assert!(gone && (largest - 160.0).abs() < 1.0, "{largest}");
}

/// Where the door of `two_rooms_one_door` is.
const DOOR_Y: f32 = 64.0;

#[test]
fn doors_open_for_who_comes_near_and_are_heard() {
    let mut game = duel("two_rooms_one_door", 1);
    let start = own(game.snapshot(), 0).body.origin;
    let beyond = Vec3::new(-start.x, DOOR_Y, start.z);
    let before_door = Vec3::new(start.x.signum() * 60.0, DOOR_Y, start.z);
    let (mut heard, mut is_lined_up) = (false, false);
    let passed = play_until(
        &mut game,
        20,
        |snapshot| {
            let red = own(snapshot, 0);
            is_lined_up |= (red.body.origin - before_door).truncate().length() < 20.0;
            vec![run_to(red, if is_lined_up { beyond } else { before_door })]
        },
        |snapshot| {
            heard |= snapshot.sounds.iter().any(|sound| sound.kind == SoundKind::Mover);
            own(snapshot, 0).body.origin.x * start.x < -2000.0
        },
    );
    assert!(heard && passed, "at {}", own(game.snapshot(), 0).body.origin);
}

#[test]
fn a_locked_door_asks_for_its_key() {
    let mut game = Match::new(field("key_door"), &roster(2), 1);
    let red_is_west = own(game.snapshot(), 0).body.origin.x < 0.0;
    let walker = if red_is_west { 0 } else { 1 };
    let goes = |snapshot: &Snapshot, stops: &[Vec3], at: &mut usize| {
        let me = own(snapshot, walker);
        let stop = stops[(*at).min(stops.len() - 1)];
        if (me.body.origin - stop).truncate().length() < 16.0 {
            *at += 1;
        }
        vec![run_to(me, stops[(*at).min(stops.len() - 1)])]
    };
    let z = own(game.snapshot(), walker).body.origin.z;
    let (door, east) = (Vec3::new(-60.0, 0.0, z), Vec3::new(200.0, 0.0, z));
    let mut at = 0;
    let passed = play_until(
        &mut game,
        8,
        |snapshot| goes(snapshot, &[door, east], &mut at),
        |snapshot| own(snapshot, walker).body.origin.x > 100.0,
    );
    assert!(!passed, "without the key");
    let key = Vec3::new(-336.0, 128.0, z);
    at = 0;
    let passed = play_until(
        &mut game,
        12,
        |snapshot| goes(snapshot, &[door, key, door, east], &mut at),
        |snapshot| own(snapshot, walker).body.origin.x > 100.0,
    );
    assert!(passed, "with it, at {}", own(game.snapshot(), walker).body.origin);
    assert_ne!(own(game.snapshot(), walker).keys, 0);
}

#[test]
fn a_pane_breaks_when_it_is_shot() {
    let mut game = duel("breakable", 1);
    let panes: Vec<_> = game.snapshot().movers.iter().map(|mover| mover.model).collect();
    let map = &game.field().map;
    let middle = |model: usize| (map.models[model].mins + map.models[model].maxs) * 0.5;
    let targets: Vec<Vec3> = panes.iter().map(|model| middle(model.index())).collect();
    let broke = play_until(
        &mut game,
        20,
        |snapshot| {
            let whole = snapshot.movers.iter().position(|mover| !mover.is_gone).unwrap_or(0);
            vec![shoot_at(own(snapshot, 0), targets[whole])]
        },
        |snapshot| snapshot.movers.iter().any(|mover| mover.is_gone),
    );
    assert!(broke);
}

#[test]
fn health_is_taken_by_the_hurt_and_comes_back() {
    let mut game = duel("one_room", 1);
    assert_eq!(game.snapshot().items.len(), 1);
    let centre = game.snapshot().items[0].origin;
    let unhurt = |snapshot: &Snapshot| vec![run_to(own(snapshot, 0), centre)];
    let over_it = |snapshot: &Snapshot| vec![run_to(own(snapshot, 1), centre)];
    let taken = |snapshot: &Snapshot| !snapshot.items[0].is_there;
    assert!(!play_until(&mut game, 5, unhurt, taken), "nobody takes what he does not need");
    let hurt = play_until(&mut game, 5, red_shoots, |snapshot| own(snapshot, 1).health < 100);
    assert!(hurt && own(game.snapshot(), 1).health == 60);
    assert!(play_until(&mut game, 5, over_it, taken));
    assert_eq!(own(game.snapshot(), 1).health, 85);
    let at = game.snapshot().time;
    assert!(play_until(&mut game, 70, |_| Vec::new(), |snapshot| snapshot.items[0].is_there));
    assert_eq!(game.snapshot().time - at, 60_000);
    assert!(game.snapshot().sounds.iter().any(|sound| sound.kind == SoundKind::ItemBack));
}

#[test]
fn a_deadly_pit_is_nobodys_kill() {
    let mut game = duel("pit", 1);
    let fell = play_until(
        &mut game,
        10,
        |snapshot| vec![run_to(own(snapshot, 0), own(snapshot, 0).body.origin * Vec3::Y)],
        |snapshot| own(snapshot, 0).body.is_dead,
    );
    assert!(fell);
    let red = game.standing().players[0].2;
    assert_eq!((red.deaths, red.suicides), (1, 1));
    assert_eq!(game.standing().players[1].2.kills, 0);
}

#[test]
fn who_stays_under_water_drowns() {
    let mut game = duel("water", 1);
    let drowned = play_until(
        &mut game,
        120,
        |snapshot| {
            let red = own(snapshot, 0);
            let mut command = run_to(red, Vec3::new(0.0, 0.0, -150.0));
            if red.body.immersion.level > 1 {
                command.press.forward = 0;
                command.press.up = -127;
            }
            vec![command]
        },
        |snapshot| own(snapshot, 0).body.is_dead,
    );
    assert!(drowned, "{:?}", own(game.snapshot(), 0).body.immersion);
    assert!(game.snapshot().time.0 > 14_000, "not before his breath was gone");
}

#[test]
fn where_there_is_more_than_one_life_the_dead_come_back() {
    let respawns = |game: &mut fireteam_world::Game| {
        (game.rules.rounds.freeze_ms, game.rules.rounds.one_life) = (0, false);
        (game.rules.rounds.respawn_ms, game.rules.rounds.protected_ms) = (1000, 500);
    };
    let mut game = Match::new(field_with("one_room", respawns, false), &roster(2), 1);
    assert!(play_until(&mut game, 20, red_shoots, |snapshot| own(snapshot, 1).body.is_dead));
    let died = game.snapshot().time;
    assert!(play_until(&mut game, 20, |_| Vec::new(), |snapshot| own(snapshot, 1).may_respawn));
    assert_eq!(game.snapshot().time - died, 1000);
    let asks = |snapshot: &Snapshot| vec![shoot_at(own(snapshot, 1), Vec3::ZERO)];
    assert!(play_until(&mut game, 1, asks, |snapshot| !own(snapshot, 1).body.is_dead));
    assert_eq!(own(game.snapshot(), 1).life, 2);
    assert!(fireteam::snapshot::Power::Protected.is_in(own(game.snapshot(), 1).powers));
}

#[test]
fn two_who_shoot_each_other_at_once_both_fall() {
    let mut both = 0;
    for seed in 0..40 {
        let mut game = duel("one_room", seed);
        play_until(
            &mut game,
            20,
            |snapshot| {
                let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
                vec![shoot_at(red, blue.body.origin), shoot_at(blue, red.body.origin)]
            },
            |snapshot| own(snapshot, 0).body.is_dead || own(snapshot, 1).body.is_dead,
        );
        both += i32::from(own(game.snapshot(), 0).body.is_dead && own(game.snapshot(), 1).body.is_dead);
    }
    assert!(both >= 5, "hits of the same frame are felt together: {both} of 40");
}

/// Both shoot at each other from the start with shaking hands; nothing but the place in the list differs.
#[test]
fn no_place_in_the_list_is_better() {
    const DUELS: u64 = 400;
    let field = field("one_room");
    let mut first_wins = 0.0;
    let mut decided = 0.0;
    for seed in 0..DUELS {
        // Colours change places half of the time, so that only the place in the list is measured.
        let mut players = roster(2);
        if seed % 2 == 1 {
            players.members.iter_mut().for_each(|member| {
                member.team = member.team.map(|team| if team == RED { BLUE } else { RED });
            });
        }
        let mut game = Match::new(field.clone(), &players, seed);
        let mut hands = [Pcg::new(seed, 100), Pcg::new(seed, 200)];
        play_until(
            &mut game,
            30,
            |snapshot| {
                let aim = |me: usize, chance: &mut Pcg| {
                    let shake = chance.direction() * 60.0;
                    shoot_at(own(snapshot, me), own(snapshot, 1 - me).body.origin + shake)
                };
                vec![aim(0, &mut hands[0]), aim(1, &mut hands[1])]
            },
            |snapshot| own(snapshot, 0).body.is_dead || own(snapshot, 1).body.is_dead,
        );
        let dead = [0, 1].map(|index| own(game.snapshot(), index).body.is_dead);
        if dead[0] != dead[1] {
            decided += 1.0;
            first_wins += f64::from(u8::from(dead[1]));
        }
    }
    let share: f64 = first_wins / decided;
    let deviation = (0.25_f64 / decided).sqrt();
    assert!((share - 0.5).abs() < 3.0 * deviation, "the first wins {first_wins} of {decided}");
}

#[test]
fn friends_are_hurt_as_the_rules_say() {
    let hurts = |share: f32| {
        let rules = |game: &mut fireteam_world::Game| {
            (game.rules.rounds.freeze_ms, game.rules.teams.friendly_fire) = (0, share);
        };
        let mut game = Match::new(field_with("one_room", rules, false), &roster(4), 1);
        // Players 0 and 2 are red.
        let hurt = play_until(
            &mut game,
            3,
            |snapshot| vec![shoot_at(own(snapshot, 0), own(snapshot, 2).body.origin)],
            |snapshot| own(snapshot, 2).hurt.is_some(),
        );
        (hurt, own(game.snapshot(), 2).health)
    };
    assert_eq!(hurts(1.0), (true, 60));
    assert_eq!(hurts(0.5), (true, 80));
    assert_eq!(hurts(0.0), (false, 100));
}

/// On oa_dm1 two mates stood in each other for 25 s, since nothing of one hurt the other, and neither could move.
#[test]
fn who_appears_where_a_mate_stands_takes_his_place() {
    let way_in = format!(
        "{{\n\"classname\" \"trigger_teleport\"\n\"target\" \"out\"\n{}}}\n",
        brush([-640, 200, 0], [-560, 280, 64])
    );
    let way_out = "{\n\"classname\" \"misc_teleporter_dest\"\n\"targetname\" \"out\"\n\"origin\" \"0 0 32\"\n}\n";
    let field = hall(&(way_in + way_out), |game| game.rules.teams.friendly_fire = 0.0);
    let mut game = Match::new(field, &roster(3), 1);
    let there = |own: &Own| own.body.origin.truncate().length() < 8.0;
    let stands = |snapshot: &Snapshot| there(own(snapshot, 0));
    let first = |snapshot: &Snapshot| vec![run_to(own(snapshot, 0), Vec3::ZERO)];
    assert!(play_until(&mut game, 10, first, stands), "{}", own(game.snapshot(), 0).body.origin);
    let mate =
        |snapshot: &Snapshot| vec![idle(own(snapshot, 0)), run_to(own(snapshot, 2), Vec3::new(-600.0, 240.0, 0.0))];
    let is_through = |snapshot: &Snapshot| own(snapshot, 2).body.origin.x > -100.0;
    assert!(play_until(&mut game, 10, mate, is_through), "{}", own(game.snapshot(), 2).body.origin);
    play_until(&mut game, 1, |_| Vec::new(), |_| false);
    assert!(own(game.snapshot(), 0).body.is_dead && !own(game.snapshot(), 2).body.is_dead);
}

#[test]
fn everyone_has_a_place_of_his_own() {
    for name in ["one_room", "two_rooms_one_door", "stairs", "pit"] {
        let game = Match::new(field(name), &roster(8), 1);
        let places: Vec<Vec3> = game.snapshot().own.iter().map(|own| own.body.origin).collect();
        for (index, place) in places.iter().enumerate() {
            assert!(!game.snapshot().own[index].body.is_dead, "{name}: no room for {index}");
            let nearest = places.iter().enumerate().filter(|(other, _)| *other != index);
            let apart = nearest.map(|(_, other)| (*other - *place).abs().max_element()).fold(f32::INFINITY, f32::min);
            assert!(apart > 30.0, "{name}: {index} stands in another");
        }
        let side = |parity: usize| places.iter().skip(parity).step_by(2).sum::<Vec3>() / 4.0;
        assert!(side(0).distance(side(1)) > 100.0, "{name}: the sides are mixed");
    }
}

#[test]
fn players_come_and_go() {
    let mut game = duel("one_room", 1);
    let newcomer = game.join("late", None);
    game.step(&[]);
    assert_eq!(game.snapshot().own.len(), 3);
    assert!(own(game.snapshot(), 2).body.is_dead, "waits for the next round");
    game.leave(entity(&game, 0));
    game.step(&[]);
    assert_eq!(game.players().map(|(_, name)| name.to_owned()).collect::<Vec<_>>(), ["player 1", "late"]);
    assert!(game.players().any(|(entity, _)| entity == newcomer));
}
