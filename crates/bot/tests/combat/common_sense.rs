//! What anybody who watches would call stupid, and what is done instead.

use fireteam::{Skill, Traits};
use fireteam_world::movement::Buttons;

use crate::duel::{Duel, ME, field_of};

#[test]
fn an_enemy_behind_a_pane_is_shot_through_it() {
    let field = field_of("breakable", "skirmish");
    let mut duel = Duel::on(&field, Skill::Elite, Traits::MIDDLING, [-200.0, 96.0], 0.0, "rifle");
    let rifle = duel.own().weapon;
    duel.own().arms[usize::from(rifle.0)].clip = 30;
    duel.put_enemy(7, [200.0, 96.0]);
    // On his feet he would step aside, to where a door is and no pane.
    ["camping", "roaming", "manoeuvring", "hunting"].map(|legs| duel.bots.forbid(None, legs));
    let commands = duel.run(2000);
    assert!(duel.bots.target(ME).is_some(), "it sees him");
    assert!(commands.iter().any(|command| command.press.buttons.meets(Buttons::ATTACK)));
}
