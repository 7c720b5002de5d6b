//! Two rooms with a wall at x = 0 between them, open at y over 100; a flag at the far end of each. Red are bots, blue are
//! puppets who stand where they are put. Nobody shoots: hands are empty.

use std::sync::{Arc, OnceLock};

use fireteam::snapshot::{
    Arm, Figure, Item, Objective, ObjectiveKind, Own, Power, Snapshot, Standing, Team, WEAPONS_MAX, WeaponId,
};
use fireteam::team::Role;
use fireteam::{Bots, Character, Command, ConVars, Field, Skill};
use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_world::movement::{self, Player, Setting, Stance};
use fireteam_world::trace::Scene;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Game, Map, Solids, Vec3};

pub(crate) const RED_HOME: Vec3 = Vec3::new(-520.0, -200.0, 15.125);
pub(crate) const BLUE_HOME: Vec3 = Vec3::new(520.0, -200.0, 15.125);

const RED: Team = Team(1);
const BLUE: Team = Team(2);
const FRAME_MS: i32 = 50;
/// Origin of a body that stands on the floor.
const FLOOR: f32 = 24.125;
/// Flags are touched this near.
const TOUCH: f32 = 40.0;
/// Numbers of the flags among entities: at home, and lying about.
const FLAGS: [EntityId; 2] = [EntityId(200), EntityId(201)];
const DROPPED: EntityId = EntityId(202);

fn field() -> &'static Arc<Field> {
    static FIELD: OnceLock<Arc<Field>> = OnceLock::new();
    FIELD.get_or_init(|| {
        let boxes = [
            ([-640, -320, -16], [640, 320, 0]),
            ([-640, -320, 192], [640, 320, 208]),
            ([-640, -320, 0], [-624, 320, 192]),
            ([624, -320, 0], [640, 320, 192]),
            ([-624, -320, 0], [624, -304, 192]),
            ([-624, 304, 0], [624, 320, 192]),
            ([-16, -304, 0], [16, 100, 192]),
        ];
        let mut text = "{\n\"classname\" \"worldspawn\"\n".to_owned();
        text.extend(boxes.iter().map(|(mins, maxs)| brush(*mins, *maxs)));
        text.push_str("}\n");
        let entities = [
            ("info_player_deathmatch", [-400, 0, 24]),
            ("info_player_deathmatch", [400, 0, 24]),
            ("team_CTF_redflag", [-520, -200, 16]),
            ("team_CTF_blueflag", [520, -200, 16]),
        ];
        for (class, [x, y, z]) in entities {
            text.push_str(&format!("{{\n\"classname\" \"{class}\"\n\"origin\" \"{x} {y} {z}\"\n}}\n"));
        }
        let map = Map::from_source("pitch", &text).unwrap_or_else(|error| panic!("{error}"));
        let game = Game::named("openarena").expect("built in");
        let settings = BakeSettings::default().without_throws();
        let terrain = bake(&map, &game, &settings, &OneThread, &Unwatched).unwrap_or_else(|error| panic!("{error}"));
        let solids = Arc::new(Solids::build(&map));
        let field = Field::new(Arc::new(map), solids, Arc::new(terrain), Arc::new(game));
        Arc::new(field.unwrap_or_else(|error| panic!("{error}")))
    })
}

/// A brush of the classic format: three points on each of its faces.
fn brush(mins: [i32; 3], maxs: [i32; 3]) -> String {
    let ([x, y, z], [u, v, w]) = (mins, maxs);
    let faces = [
        [[x, y, z], [x, y + 1, z], [x, y, z + 1]],
        [[x, y, z], [x, y, z + 1], [x + 1, y, z]],
        [[x, y, z], [x + 1, y, z], [x, y + 1, z]],
        [[u, v, w], [u, v + 1, w], [u + 1, v, w]],
        [[u, v, w], [u + 1, v, w], [u, v, w + 1]],
        [[u, v, w], [u, v, w + 1], [u, v + 1, w]],
    ];
    let line = |face: &[[i32; 3]; 3]| {
        let points: Vec<String> = face.iter().map(|[x, y, z]| format!("( {x} {y} {z} )")).collect();
        format!("{} stone 0 0 0 1 1\n", points.join(" "))
    };
    format!("{{\n{}}}\n", faces.iter().map(line).collect::<String>())
}

pub(crate) struct Pitch {
    field: Arc<Field>,
    bots: Bots,
    snapshot: Snapshot,
    convars: ConVars,
    pub(crate) captures: u32,
    /// Nobody's touch does anything.
    is_frozen: bool,
}

impl Pitch {
    pub(crate) fn new() -> Pitch {
        let field = Arc::clone(field());
        let mut snapshot = Snapshot { time: Time(1000), frame_ms: FRAME_MS, ..Snapshot::default() };
        for (entity, (class, owner, home)) in
            FLAGS.into_iter().zip([("team_CTF_redflag", RED, RED_HOME), ("team_CTF_blueflag", BLUE, BLUE_HOME)])
        {
            let kind = field.arsenal.item_named(class).expect("described");
            snapshot.items.push(Item { entity, kind, origin: home, is_there: true });
            snapshot.objectives.push(Objective {
                kind: ObjectiveKind::Flag,
                home,
                radius: 0.0,
                owner: Some(owner),
                holder: None,
                standing: Standing::Home,
                item: Some(kind),
            });
        }
        let bots = Bots::new(Arc::clone(&field), 7);
        Pitch { field, bots, snapshot, convars: ConVars::default(), captures: 0, is_frozen: false }
    }

    pub(crate) fn put_red(&mut self, at: [f32; 2]) -> EntityId {
        let entity = self.put(RED, at);
        let body = Player::at(Vec3::new(at[0], at[1], FLOOR), &self.field.game.rules.movement);
        self.snapshot.own.push(Own {
            entity,
            team: RED,
            life: 1,
            body,
            health: 100,
            armour: 0,
            weapon: WeaponId(0),
            ready_in_ms: 0,
            is_reloading: false,
            arms: [Arm::default(); WEAPONS_MAX],
            armed_ms: None,
            keys: 0,
            powers: 0,
            hurt: None,
            has_hit: false,
            may_respawn: false,
        });
        self.bots.join(entity, Character::new(format!("red{}", entity.0), Skill::Elite));
        entity
    }

    pub(crate) fn put_blue(&mut self, at: [f32; 2]) -> EntityId {
        self.put(BLUE, at)
    }

    fn put(&mut self, team: Team, at: [f32; 2]) -> EntityId {
        let entity = EntityId(self.snapshot.players.len() as u16);
        self.snapshot.players.push(Figure {
            entity,
            team,
            origin: Vec3::new(at[0], at[1], FLOOR),
            velocity: Vec3::ZERO,
            pitch: 0.0,
            yaw: 0.0,
            stance: Stance::Standing,
            weapon: WeaponId(0),
            is_firing: false,
            is_dead: false,
            powers: 0,
        });
        entity
    }

    fn figure(&mut self, entity: EntityId) -> &mut Figure {
        &mut self.snapshot.players[entity.index()]
    }

    pub(crate) fn place(&mut self, entity: EntityId, at: [f32; 2]) {
        self.figure(entity).origin = Vec3::new(at[0], at[1], FLOOR);
    }

    pub(crate) fn turn(&mut self, entity: EntityId, yaw: f32) {
        let own = self.snapshot.own.iter_mut().find(|own| own.entity == entity).expect("red");
        own.body.view.y = yaw;
    }

    pub(crate) fn origin(&self, entity: EntityId) -> Vec3 {
        self.snapshot.players[entity.index()].origin
    }

    pub(crate) fn powers(&self, entity: EntityId) -> u32 {
        self.snapshot.players[entity.index()].powers
    }

    pub(crate) fn red_flag(&self) -> Standing {
        self.snapshot.objectives[0].standing
    }

    /// How the red flag stands, as far as a bot has read.
    pub(crate) fn red_flag_told_to(&self, bot: EntityId) -> Option<Standing> {
        Some(self.bots.memory(bot)?.flags(RED)?.ours.told.standing)
    }

    /// Where a bot believes the red flag to be, away from home.
    pub(crate) fn red_flag_seen_by(&self, bot: EntityId) -> Option<Vec3> {
        Some(self.bots.memory(bot)?.flags(RED)?.ours.sighting?.place)
    }

    pub(crate) fn role(&self, bot: EntityId) -> Option<Role> {
        self.bots.role(bot)
    }

    pub(crate) fn freeze_flags(&mut self) {
        self.is_frozen = true;
    }

    pub(crate) fn drop_red_flag(&mut self, place: Vec3) {
        self.snapshot.items[0].is_there = false;
        let lying = Item { entity: DROPPED, origin: place, is_there: true, ..self.snapshot.items[0] };
        self.snapshot.items.push(lying);
        self.tell(0, Standing::Dropped, None);
    }

    pub(crate) fn return_red_flag(&mut self) {
        self.snapshot.items.truncate(2);
        self.snapshot.items[0].is_there = true;
        let blue = self.snapshot.players.iter_mut().filter(|figure| figure.team == BLUE);
        blue.for_each(|figure| figure.powers = 0);
        self.tell(0, Standing::Home, None);
    }

    pub(crate) fn give_red_flag_to(&mut self, blue: EntityId) {
        self.snapshot.items[0].is_there = false;
        self.figure(blue).powers |= Power::Bearer as u32;
        self.tell(0, Standing::Carried, Some(BLUE));
    }

    pub(crate) fn give_blue_flag_to(&mut self, red: EntityId) {
        self.snapshot.items[1].is_there = false;
        self.carry(red, Power::Bearer as u32);
        self.tell(1, Standing::Carried, Some(RED));
    }

    fn carry(&mut self, red: EntityId, powers: u32) {
        self.figure(red).powers = powers;
        let own = self.snapshot.own.iter_mut().find(|own| own.entity == red).expect("red");
        own.powers = powers;
    }

    fn tell(&mut self, index: usize, standing: Standing, holder: Option<Team>) {
        let told = &mut self.snapshot.objectives[index];
        (told.standing, told.holder) = (standing, holder);
    }

    /// One frame: all bots think, bodies move, and whoever touches a flag does what one does.
    pub(crate) fn frame(&mut self) -> Vec<Command> {
        let commands = self.bots.think(&self.snapshot, &self.convars).to_vec();
        let (crowd, field) = (Crowd::default(), &self.field);
        let (scene, rules) = (Scene { solids: &field.solids, crowd: &crowd }, &field.game.rules.movement);
        for own in &mut self.snapshot.own {
            let command = commands.iter().find(|command| command.bot == own.entity).expect("one for each");
            let setting = Setting { scene: &scene, rules, me: Some(own.entity), mask: Contents::MASK_BOT };
            own.body = movement::frame(&own.body, &command.press, FRAME_MS, &setting, &[]).player;
            let figure = &mut self.snapshot.players[own.entity.index()];
            (figure.origin, figure.velocity) = (own.body.origin, own.body.velocity);
            (figure.pitch, figure.yaw) = (own.body.view.x, own.body.view.y);
        }
        self.snapshot.time = self.snapshot.time + FRAME_MS;
        if !self.is_frozen {
            self.referee();
        }
        commands
    }

    fn referee(&mut self) {
        let reds: Vec<(EntityId, Vec3, u32)> =
            self.snapshot.own.iter().map(|own| (own.entity, own.body.origin, own.powers)).collect();
        for (red, origin, powers) in reds {
            let touches = |place: Vec3| place.distance(origin) < TOUCH;
            if self.snapshot.items[1].is_there && touches(BLUE_HOME) {
                self.give_blue_flag_to(red);
            }
            if Power::Bearer.is_in(powers) && touches(RED_HOME) && self.red_flag() == Standing::Home {
                self.captures += 1;
                self.carry(red, 0);
                self.snapshot.items[1].is_there = true;
                self.tell(1, Standing::Home, None);
            }
            if self.snapshot.items.get(2).is_some_and(|lying| touches(lying.origin)) {
                self.return_red_flag();
            }
        }
    }

    /// Whether something comes to be so within a time.
    pub(crate) fn run_until(&mut self, limit_ms: i32, is_so: impl Fn(&Pitch) -> bool) -> bool {
        for _ in 0..limit_ms / FRAME_MS {
            self.frame();
            if is_so(self) {
                return true;
            }
        }
        false
    }

    /// What a bot's journal says, line by line.
    pub(crate) fn told(&self, bot: EntityId) -> Vec<String> {
        let lines = self.bots.journal().since(0).filter(|line| line.bot == bot);
        lines.map(|line| line.told().to_string()).collect()
    }

    /// Of that, what is about flags.
    pub(crate) fn flag_goals(&self, bot: EntityId) -> Vec<String> {
        let about = ["taking their flag", "bringing the flag", "getting our flag", "guarding our flag", "escorting"];
        let is_about = |line: &String| about.iter().any(|goal| line.contains(goal));
        self.told(bot).into_iter().filter(is_about).collect()
    }
}
