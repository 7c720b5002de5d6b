//! All bots of a match, and the frame they live in. Read [`Bots::think`] downwards; each call is one file.

use std::sync::Arc;

use fireteam_terrain::overlay::Worn;
use fireteam_terrain::{LinkId, Terrain, WaypointId};
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Body, Scene};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Vec3};

use crate::aim::{Aim, Care, Hand, Head};
use crate::behaviour::{self, Behaviour, Limbs, View};
use crate::character::{Character, Leanings, Traits};
use crate::command::{Command, Hands};
use crate::convar::ConVars;
use crate::craft::Craft;
use crate::field::Field;
use crate::goal::{BEHAVIOURS_MAX, Bid, Goals};
use crate::grenades::{Barred, Used};
use crate::insight::{Insight, Wants};
use crate::journal::{Journal, Line, Turn, Words};
use crate::legs::tolls::{Concerns, Constitution};
use crate::legs::{Holding, Legs, Walk};
use crate::memory::Memory;
use crate::monitors::{self, Monitors};
use crate::mood::Mood;
use crate::perceive::{Eyes, Looks, Mates, Senses, perceive};
use crate::profile::Profile;
use crate::searches::Searches;
use crate::snapshot::{Own, Phase, Snapshot, Team};
use crate::team::{Claim, Role, TeamMind};
use crate::wear::Wear;
use crate::words;

/// Everything one bot is: what it knows, what it wants, what it moves.
#[derive(Clone, Debug)]
struct Bot {
    entity: EntityId,
    character: Character,
    /// As set or drawn.
    traits: Traits,
    chance: Pcg,
    senses: Senses,
    memory: Memory,
    mood: Mood,
    mind: Mind,
    legs: Legs,
    aim: Aim,
    hands: Hands,
    /// The waypoint it is at.
    here: WaypointId,
    life: u32,
    is_dead: bool,
    grenades: Used,
    barred: Barred,
    monitors: Monitors,
    next_turn: Time,
    last_turn: Time,
    is_introduced: bool,
    /// What the journal knows of its legs: why they stand, and when they were last in trouble.
    holding: Option<Holding>,
    last_trouble: Time,
}

/// Behaviours, and the goals that won.
#[derive(Clone, Debug)]
struct Mind {
    behaviours: Vec<Box<dyn Behaviour>>,
    goals: Goals,
    bids: Vec<Option<Bid>>,
    /// Those that may not bid, as bits.
    forbidden: u32,
}

/// What the bots of one side share. Searches too: a budget that both sides drew on would tell one of the other.
#[derive(Clone, Debug)]
struct Side {
    mind: TeamMind,
    searches: Searches,
}

/// Every bot of a match on one [`Field`].
#[derive(Clone, Debug)]
pub struct Bots {
    field: Arc<Field>,
    bots: Vec<Bot>,
    sides: Vec<Side>,
    looks: Looks,
    journal: Journal,
    commands: Vec<Command>,
    /// The movers and players that the bot whose frame it is believes in, ready to be traced among.
    crowd: Crowd,
    bodies: Vec<Body>,
    /// There is room for so many.
    players_max: usize,
    seed: u64,
    turns: u64,
    profile: Profile,
}

impl Bots {
    /// The same field, seed and snapshots give the same commands, bit for bit.
    pub fn new(field: Arc<Field>, seed: u64) -> Bots {
        Bots {
            field,
            bots: Vec::new(),
            sides: Vec::new(),
            looks: Looks::default(),
            journal: Journal::default(),
            commands: Vec::new(),
            crowd: Crowd::default(),
            bodies: Vec::new(),
            players_max: 0,
            seed,
            turns: 0,
            profile: Profile::default(),
        }
    }

    /// A bot takes part from the next frame on, as this entity.
    pub fn join(&mut self, entity: EntityId, character: Character) {
        self.join_with(entity, character, behaviour::standard());
    }

    /// The same with behaviours of the caller's choice; of each band and score the earlier in the list wins.
    pub fn join_with(&mut self, entity: EntityId, character: Character, behaviours: Vec<Box<dyn Behaviour>>) {
        assert!(behaviours.len() <= BEHAVIOURS_MAX, "a bot has {} behaviours", behaviours.len());
        self.leave(entity);
        let skill = character.skill;
        let bids = vec![None; behaviours.len()];
        self.bots.push(Bot {
            entity,
            traits: character.traits_in(self.seed),
            character,
            chance: Pcg::new(self.seed, u64::from(entity.0)),
            senses: Senses::new(skill),
            memory: Memory::of(&self.field),
            mood: Mood::default(),
            mind: Mind { behaviours, goals: Goals::new(), bids, forbidden: 0 },
            legs: Legs::of(&self.field.terrain),
            aim: Aim::default(),
            hands: Hands::default(),
            here: WaypointId(0),
            life: 0,
            is_dead: false,
            grenades: Used::default(),
            barred: Barred::NONE,
            monitors: Monitors::default(),
            next_turn: Time(i32::MIN),
            last_turn: Time(i32::MIN),
            is_introduced: false,
            holding: None,
            last_trouble: Time(i32::MIN),
        });
    }

    pub fn leave(&mut self, entity: EntityId) {
        self.sides.iter_mut().for_each(|side| side.searches.withdraw_all_of(entity));
        self.bots.retain(|bot| bot.entity != entity);
    }

    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Who a bot is.
    pub fn character(&self, bot: EntityId) -> Option<&Character> {
        self.bots.iter().find(|known| known.entity == bot).map(|known| &known.character)
    }

    /// What a bot would rather do, as it was set or drawn.
    pub fn traits(&self, bot: EntityId) -> Option<&Traits> {
        self.bots.iter().find(|known| known.entity == bot).map(|known| &known.traits)
    }

    /// What a bot believes, for whoever watches.
    pub fn memory(&self, bot: EntityId) -> Option<&Memory> {
        self.bots.iter().find(|known| known.entity == bot).map(|known| &known.memory)
    }

    /// What a bot's legs are at, for whoever watches.
    pub fn legs(&self, bot: EntityId) -> Option<&Legs> {
        self.bots.iter().find(|known| known.entity == bot).map(|known| &known.legs)
    }

    /// What goes on in a bot, for whoever watches.
    pub fn insight(&self, bot: EntityId) -> Option<Insight<'_>> {
        let known = self.bots.iter().find(|known| known.entity == bot)?;
        let Bot { character, traits, senses, memory, mood, mind, legs, aim, here, is_dead, .. } = known;
        let wants = Wants { behaviours: &mind.behaviours, goals: &mind.goals, bids: &mind.bids, is_dead: *is_dead };
        Some(Insight { character, traits, senses, memory, mood, wants, legs, aim, here: *here, role: self.role(bot) })
    }

    /// What a side knows together, for whoever watches; none before its first bot has thought.
    pub fn side(&self, team: Team) -> Option<(&TeamMind, &Wear)> {
        self.sides.iter().find(|side| side.mind.team == team).map(|side| (&side.mind, &side.searches.wear))
    }

    /// A copy to go back to: it thinks on, bit for bit, as these bots would. Its journal begins anew. Copies have no more
    /// memory than they fill, so the first frames they think ask for some.
    pub fn checkpoint(&self) -> Bots {
        Bots { journal: Journal::empty(), ..self.clone() }
    }

    /// From its next turn on a bot, or every bot, does without a behaviour, by the name it has in the journal: what would have
    /// been, had it not wanted that. False if nobody it is forbidden to has such a behaviour.
    pub fn forbid(&mut self, bot: Option<EntityId>, behaviour: &str) -> bool {
        let mut is_known = false;
        for mind in
            self.bots.iter_mut().filter(|known| bot.is_none_or(|bot| bot == known.entity)).map(|bot| &mut bot.mind)
        {
            let index = mind.behaviours.iter().position(|known| known.name() == behaviour);
            mind.forbidden |= index.map_or(0, |index| 1 << index);
            is_known |= index.is_some();
        }
        is_known
    }

    /// From here on chance falls otherwise: the same situation, another future.
    pub fn reseed(&mut self, seed: u64) {
        self.bots.iter_mut().for_each(|bot| bot.chance = Pcg::new(seed, u64::from(bot.entity.0)));
    }

    /// What a bot wants, for whoever watches: names of the behaviours that have their channels, with their reasons.
    pub fn goals(&self, bot: EntityId) -> impl Iterator<Item = (&'static str, Words)> {
        let minds = self.bots.iter().filter(move |known| known.entity == bot).map(|known| &known.mind);
        minds.flat_map(|mind| {
            mind.goals.active().map(|goal| (mind.behaviours[usize::from(goal.by)].name(), goal.bid.reason))
        })
    }

    /// The player a bot aims at, for whoever watches.
    pub fn target(&self, bot: EntityId) -> Option<EntityId> {
        self.bots.iter().find(|known| known.entity == bot)?.target()
    }

    /// How links fared under the bots' feet in this match, for who keeps an overlay of the map.
    pub fn worn(&self) -> Vec<Worn> {
        let mut all = vec![(0, 0); self.field.terrain.links.links.len()];
        for (link, walked, failed) in self.sides.iter().flat_map(|side| side.searches.wear.tallies()) {
            let (known, lost): &mut (u32, u32) = &mut all[link.index()];
            *known += u32::from(walked);
            *lost += u32::from(failed);
        }
        let fared = |(index, (walked, failed))| Worn { link: LinkId::from(index), walked, failed };
        all.into_iter().enumerate().map(fared).filter(|worn| worn.walked + worn.failed > 0).collect()
    }

    /// What a bot is to do for its side where flags or ground are played for.
    pub fn role(&self, bot: EntityId) -> Option<Role> {
        self.sides.iter().find_map(|side| side.mind.role_of(bot))
    }

    /// Where the time goes, once a clock was handed over; decides nothing.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Turns taken so far by all bots together.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Whose thought a frame broke off at: for a host that caught a panic out of [`Bots::think`] with this snapshot.
    pub fn broke_off_at(&self, snapshot: &Snapshot) -> Option<EntityId> {
        let known = snapshot.own.iter().filter(|own| self.bots.iter().any(|bot| bot.entity == own.entity));
        known.map(|own| own.entity).nth(self.commands.len())
    }

    /// Where a bot is in the list: hosts name bodies in the order in which their bots joined, and so at `place` nearly always.
    fn index_of(&self, entity: EntityId, place: usize) -> Option<usize> {
        let is_there = self.bots.get(place).is_some_and(|bot| bot.entity == entity);
        if is_there { Some(place) } else { self.bots.iter().position(|bot| bot.entity == entity) }
    }

    /// Room for everyone who takes part: whatever comes later is done without asking for memory.
    fn make_room(&mut self, snapshot: &Snapshot) {
        let players = snapshot.players.len();
        if self.players_max >= players {
            return;
        }
        self.players_max = players;
        self.bodies = Vec::with_capacity(players);
        self.crowd = Crowd::with_room(snapshot.movers.len(), players);
        for own in &snapshot.own {
            let members = snapshot.own.iter().filter(|mate| mate.team == own.team).count();
            side_of(&mut self.sides, own.team, &self.field).searches.make_room(members, &self.field.terrain);
        }
    }

    /// One frame for every bot.
    pub fn think(&mut self, snapshot: &Snapshot, convars: &ConVars) -> &[Command] {
        self.commands.clear();
        self.make_room(snapshot);
        let profile = &self.profile;
        let _think = profile.enter("think");
        {
            let _searches = profile.enter("searches");
            self.sides
                .iter_mut()
                .for_each(|side| side.searches.run(&self.field.terrain, convars.path_slices_per_frame));
        }
        {
            let _looks = profile.enter("looks");
            self.looks.begin(snapshot, &self.field, convars);
        }
        for (place, own) in snapshot.own.iter().enumerate() {
            let Some(index) = self.index_of(own.entity, place) else { continue };
            let (bot, field) = (&mut self.bots[index], &*self.field);
            bot.begin_frame(own, &mut self.journal, snapshot.time);
            {
                let _perceive = profile.enter("perceive");
                let eyes = Eyes { own, memory: &bot.memory };
                perceive(&mut bot.senses, &eyes, snapshot, field, &mut self.looks, &mut bot.chance, convars);
            }
            let mates = self.looks.mates(own);
            {
                let _memory = profile.enter("memory");
                bot.memory.absorb(&mut bot.senses, own, mates, snapshot.time, field, convars);
            }
            let side = side_of(&mut self.sides, own.team, field);
            let is_up = !own.body.is_dead && snapshot.phase == Phase::Playing;
            if is_up {
                bot.barred = Barred::by(&field.arsenal, convars, bot.grenades.look(own, &field.arsenal));
                let _crowd = profile.enter("crowd");
                bot.believe(own, mates, field, &mut self.bodies, &mut self.crowd);
            }
            let Snapshot { time: now, frame_ms: ms, shot_lag_ms, .. } = *snapshot;
            let frame = Frame { own, mates, crowd: &self.crowd, now, ms, shot_lag_ms, field, convars, profile };
            let command = if !is_up {
                bot.wait(&frame)
            } else {
                if bot.is_due(&frame) {
                    self.turns += 1;
                    bot.take_turn(&frame, &mut side.mind, &mut self.journal);
                }
                bot.act(&frame, &side.mind, &mut side.searches)
            };
            self.commands.push(command);
        }
        &self.commands
    }
}

/// What one bot's frame depends on besides the bot.
#[derive(Clone, Copy)]
struct Frame<'a> {
    own: &'a Own,
    mates: Mates<'a>,
    crowd: &'a Crowd,
    now: Time,
    ms: i32,
    shot_lag_ms: i32,
    field: &'a Field,
    convars: &'a ConVars,
    profile: &'a Profile,
}

fn side_of<'a>(sides: &'a mut Vec<Side>, team: Team, field: &Field) -> &'a mut Side {
    let index = sides.iter().position(|side| side.mind.team == team).unwrap_or_else(|| {
        sides.push(Side { mind: TeamMind::new(team, field), searches: Searches::default() });
        sides.len() - 1
    });
    &mut sides[index]
}

/// The waypoint a body is at. One that no links lead on from, such as the top of a lift, is no place to start from: then the
/// nearest from which he gets back to where he was.
fn whereabouts(terrain: &Terrain, origin: Vec3, before: WaypointId) -> WaypointId {
    let Some(near) = terrain.nearest(origin) else { return before };
    let leads_on = terrain.links.ids_from(near.waypoint).next().is_some();
    let back = || terrain.nearest_towards(origin, before).map_or(near.waypoint, |back| back.waypoint);
    if leads_on { near.waypoint } else { back() }
}

impl Bot {
    /// A new life, or the end of one: whatever it was at is over.
    fn begin_frame(&mut self, own: &Own, journal: &mut Journal, now: Time) {
        if (self.life, self.is_dead) == (own.life, own.body.is_dead) {
            return;
        }
        self.is_dead = own.body.is_dead;
        if self.life != own.life {
            self.life = own.life;
            self.monitors = Monitors::default();
            self.hands = Hands::default();
            self.hands.select(own.weapon);
        }
        let reason = if own.body.is_dead { "died" } else { "a new life" };
        self.mind.goals.drop_all(Words::from(reason));
        self.mind.behaviours.iter_mut().for_each(|behaviour| behaviour.forget());
        self.mind.write_changes(self.entity, journal, now);
    }

    /// Dead, or before the round: presses attack to come back, and lets go of it in between.
    fn wait(&mut self, frame: &Frame) -> Command {
        self.hands.stop_attack();
        let is_turn = frame.now.0 / frame.ms.max(1) % 2 == 0;
        if frame.own.may_respawn && is_turn {
            self.hands.attack_for(frame.now, frame.ms);
        }
        let view = frame.own.body.view;
        let press = fireteam_world::walker::Keys::NONE.command(&frame.own.body, [view.x, view.y]);
        self.hands.press(self.entity, press, frame.now)
    }

    /// Puts everything where it is believed to be.
    fn believe(&mut self, own: &Own, mates: Mates<'_>, field: &Field, bodies: &mut Vec<Body>, crowd: &mut Crowd) {
        self.here = whereabouts(&field.terrain, own.body.origin, self.here);
        bodies.clear();
        let rules = &field.game.rules.movement;
        let (me, mine) = (own.body.origin, own.body.hull(rules));
        let near_squared = (rules.speed as f32 * NEAR_SECONDS + NEAR).powi(2);
        let mut put = |entity, origin: Vec3, stance| {
            let hull = rules.hull(stance);
            let off = (origin - me).abs();
            let reach = if origin.z > me.z { mine.maxs - hull.mins } else { hull.maxs - mine.mins };
            // Nobody is where the bot itself is, wherever he is guessed to have got to.
            if off.cmpge(reach - INSIDE).any() {
                bodies.push(Body { entity, origin, hull, contents: Contents::BODY });
            }
        };
        // Legs meet only who is near, and shots are kept off mates by their memory.
        mates.living_near(me, near_squared).for_each(|mate| put(mate.entity, mate.origin, mate.stance));
        let near = self.memory.in_sight().filter(|threat| threat.place.distance_squared(me) < near_squared);
        near.for_each(|threat| put(threat.entity, threat.place, threat.stance));
        let bystanders = self.memory.bystanders().iter();
        let near = bystanders.filter(|bystander| bystander.place.distance_squared(me) < near_squared);
        near.for_each(|bystander| put(bystander.entity, bystander.place, Stance::Standing));
        crowd.set(&field.solids, self.memory.movers(), bodies);
    }

    /// Whose turn it is to decide: each at its own rate, spread over the frames, or now if something has come up that cannot wait.
    fn is_due(&mut self, frame: &Frame) -> bool {
        let is_called = {
            let _monitors = frame.profile.enter("monitors");
            let Frame { own, convars, now, .. } = *frame;
            let body = monitors::Body { own, legs: &self.legs, arsenal: &frame.field.arsenal, convars, now };
            self.monitors.call_for_a_turn(&body)
        };
        self.is_due_by_the_clock(frame) || is_called
    }

    fn is_due_by_the_clock(&mut self, frame: &Frame) -> bool {
        let every = frame.convars.think_ms;
        if self.next_turn.0 == i32::MIN {
            let slots = (every / frame.ms.max(1)).max(1);
            // By its own number: by its place among the bots it would know how many there are.
            self.next_turn = frame.now + (i32::from(self.entity.0) % slots) * frame.ms;
            self.last_turn = frame.now + -every;
        }
        if frame.now.0 < self.next_turn.0 {
            return false;
        }
        // Kept in step with where it began, unless the game stood still meanwhile.
        self.next_turn = self.next_turn + every;
        if self.next_turn.0 <= frame.now.0 {
            self.next_turn = frame.now + every;
        }
        true
    }

    /// One turn: what is shared, felt, bid for and chosen.
    fn take_turn(&mut self, frame: &Frame, team: &mut TeamMind, journal: &mut Journal) {
        let profile = frame.profile;
        let _turn = profile.enter("turn");
        {
            let _review = profile.enter("review");
            self.memory.review(self.character.skill, frame.now, frame.field, frame.convars);
        }
        {
            let _team = profile.enter("team");
            team.look(frame.own, frame.now, frame.field, frame.convars);
            team.share(frame.own, &self.memory, frame.now, frame.convars);
            team.hear(frame.own, &mut self.memory, frame.now, frame.field);
            team.deal(frame.own, frame.mates, &self.memory, frame.field, frame.convars);
        }
        let (origin, now, convars) = (frame.own.body.origin, frame.now, frame.convars);
        self.memory.weigh(|threat| behaviour::menace(threat, origin, now, convars));
        self.feel(frame, team);
        self.introduce(frame.now, journal);
        let (mind, view, mut limbs) = self.parts(frame, team);
        mind.choose(&view, &mut limbs, profile);
        mind.tell_changes(&view, &mut limbs, journal);
        mind.carry_on(&view, &mut limbs, profile);
        mind.tell_changes(&view, &mut limbs, journal);
        team.claim(frame.own, mind.claim(), frame.now);
        team.call(frame.own, self.target(), frame.now);
        self.tell_of_legs(frame.now, journal);
    }

    /// The player it aims at.
    fn target(&self) -> Option<EntityId> {
        let aim = self.aim.wanted()?;
        (aim.care == Care::Aim).then(|| u16::try_from(aim.what).ok().map(EntityId)).flatten()
    }

    /// What it all adds up to.
    fn feel(&mut self, frame: &Frame, team: &TeamMind) {
        let _mood = frame.profile.enter("mood");
        let seconds = frame.now.seconds_since(self.last_turn);
        self.last_turn = frame.now;
        let mut mood = self.mood;
        mood.digest(&self.parts(frame, team).1, seconds);
        self.mood = mood;
    }

    /// Whoever reads the journal learns first of all who it is.
    fn introduce(&mut self, time: Time, journal: &mut Journal) {
        if !std::mem::replace(&mut self.is_introduced, true) {
            let reason = words!("{}", self.traits);
            journal.write(Line { time, bot: self.entity, turn: Turn::Notes, goal: "its character", reason });
        }
    }

    /// Why it stands about, or takes another way: what legs met with since the last turn.
    fn tell_of_legs(&mut self, now: Time, journal: &mut Journal) {
        let mut note =
            |reason| journal.write(Line { time: now, bot: self.entity, turn: Turn::Notes, goal: "the way", reason });
        let holding = self.legs.holding();
        match (self.holding, holding) {
            (before, Some(why)) if before != holding => note(words!("{why}")),
            (Some(_), None) => note(words!("goes on")),
            _ => {}
        }
        self.holding = holding;
        if let Some((time, trouble)) = self.legs.trouble().filter(|(time, _)| time.0 > self.last_trouble.0) {
            self.last_trouble = time;
            note(words!("{trouble}"));
        }
    }

    /// Every frame: eyes, legs and hands, from beliefs and the own body.
    fn act(&mut self, frame: &Frame, team: &TeamMind, searches: &mut Searches) -> Command {
        let (own, Frame { field, now, convars, profile, .. }) = (frame.own, *frame);
        let _act = profile.enter("act");
        let constitution = Constitution::of(self.traits.aggression);
        let (mind, view, mut limbs) = self.parts(frame, team);
        {
            let _aim = profile.enter("aim");
            mind.each_active(|behaviour| behaviour.aim(&view, &mut limbs));
            let hand = &mut Hand { skill: view.character.skill, sway: view.sway(), convars, chance: limbs.chance };
            let (view_now, velocity) = ((own.body.view.x, own.body.view.y), own.body.velocity);
            let lag_s = frame.shot_lag_ms as f32 * 0.001;
            let head = Head { eye: own.body.eye(), velocity, view: view_now, life: own.life, lag_s };
            limbs.aim.turn(&head, frame.ms as f32 * 0.001, hand);
        }
        {
            let _fire = profile.enter("fire");
            mind.each_active(|behaviour| behaviour.fire(&view, &mut limbs));
        }
        let mut keys = {
            let _legs = profile.enter("legs");
            let (cover, company) = (view.craft.cover, 1.0 - view.leanings.loyalty);
            let concerns = Concerns { memory: Some(view.memory), constitution, cover, company };
            let walk = Walk { own, scene: &view.scene, field, now, frame_ms: frame.ms, convars, concerns };
            limbs.legs.press(&walk, searches, limbs.chance)
        };
        let _press = profile.enter("press");
        // The view is the eyes' to turn; legs that need it say so, and `behaviour::open` bids for it.
        (keys.look, keys.attacks) = (None, false);
        let (pitch, yaw) = limbs.aim.view();
        limbs.hands.press(own.entity, keys.command(&own.body, [pitch, yaw]), now)
    }

    /// The bot taken apart: its mind, what it may know, what it may move.
    fn parts<'a>(&'a mut self, frame: &Frame<'a>, team: &'a TeamMind) -> (&'a mut Mind, View<'a>, Limbs<'a>) {
        let Bot { mind, legs, aim, hands, chance, character, traits, memory, mood, here, barred, .. } = self;
        let view = View {
            now: frame.now,
            frame_ms: frame.ms,
            shot_lag_ms: frame.shot_lag_ms,
            own: frame.own,
            character,
            craft: Craft::of(character.skill, frame.convars),
            leanings: Leanings::of(traits, frame.convars),
            memory,
            mates: frame.mates,
            team,
            mood,
            field: frame.field,
            convars: frame.convars,
            scene: Scene { solids: &frame.field.solids, crowd: frame.crowd },
            here: *here,
            barred: *barred,
        };
        (mind, view, Limbs { legs, aim, hands, chance })
    }
}

/// Bodies farther off than a run of half a second, and a body's width, are in nobody's way: legs look no farther ahead, and by then
/// everyone is elsewhere.
const NEAR_SECONDS: f32 = 0.5;
const NEAR: f32 = 32.0;
/// Two boxes that overlap by less than this only touch.
const INSIDE: f32 = 0.25;

impl Mind {
    /// Lets everyone bid, and gives the channels out.
    fn choose(&mut self, view: &View, limbs: &mut Limbs, profile: &Profile) {
        let _bids = profile.enter("bids");
        let mut laps = profile.laps();
        for (index, (bid, behaviour)) in self.bids.iter_mut().zip(&mut self.behaviours).enumerate() {
            laps.next(behaviour.name());
            let is_forbidden = self.forbidden >> index & 1 != 0;
            *bid = if is_forbidden { None } else { behaviour.bid(view, limbs) };
            if is_forbidden {
                // Even with a lease, and even if another goal asked for it.
                self.goals.drop_goal(index as u8, Words::from("forbidden"));
            }
        }
        drop(laps);
        self.goals.settle(&self.bids, view.now, view.convars.goal_hysteresis);
    }

    /// Tells behaviours what became of their goals, and the journal.
    fn tell_changes(&mut self, view: &View, limbs: &mut Limbs, journal: &mut Journal) {
        for change in self.goals.changes() {
            let behaviour = &mut self.behaviours[usize::from(change.by)];
            match change.turn {
                Turn::Starts | Turn::Resumes => behaviour.begin(view, limbs),
                Turn::Waits | Turn::Ends => behaviour.end(view, limbs),
                Turn::Notes => {}
            }
        }
        self.write_changes(view.own.entity, journal, view.now);
    }

    /// Carries on what runs; what nobody claims comes to rest.
    fn carry_on(&mut self, view: &View, limbs: &mut Limbs, profile: &Profile) {
        use crate::goal::Channels;
        let _goals = profile.enter("goals");
        if self.goals.free().holds(Channels::LEGS) {
            limbs.legs.hold();
        }
        if self.goals.free().holds(Channels::EYES) {
            limbs.aim.rest();
        }
        let mut at = 0;
        while at < self.goals.active().count() {
            let Some(by) = self.goals.active().nth(at).map(|goal| goal.by) else { return };
            let outcome = {
                let behaviour = &mut self.behaviours[usize::from(by)];
                let _one = profile.enter(behaviour.name());
                behaviour.update(view, limbs)
            };
            self.goals.conclude(by, outcome, view.now);
            // What ended or waits is no longer in its place.
            if self.goals.active().nth(at).is_some_and(|goal| goal.by == by) {
                at += 1;
            }
        }
    }

    /// What its goals are on their way to that only one can have.
    fn claim(&self) -> Option<Claim> {
        self.goals.active().find_map(|goal| self.behaviours[usize::from(goal.by)].claim())
    }

    fn each_active(&mut self, mut visit: impl FnMut(&mut dyn Behaviour)) {
        for goal in self.goals.active() {
            visit(&mut *self.behaviours[usize::from(goal.by)]);
        }
    }

    fn write_changes(&mut self, bot: EntityId, journal: &mut Journal, time: Time) {
        for change in self.goals.take_changes() {
            let goal = self.behaviours[usize::from(change.by)].name();
            journal.write(Line { time, bot, turn: change.turn, goal, reason: change.reason });
        }
    }
}
