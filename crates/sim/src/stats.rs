//! What a match came to, player by player, weapon by weapon, place by place; told from what everyone could be shown.
//!
//! In: each frame's snapshot, of a live match, a recording or a server alike. Out: [`Stats`]. A snapshot says who died by
//! whom, who fired what, who was hurt by how much and from where, what flies and what goes off; it does not say who hurt
//! whom. Whose shot or blast it was is the best of those that could have been: a shooter who was told that he hit, in
//! the direction the pain came from. Kills, deaths, shots and throws are exact. Damage is within half a per cent of what
//! the game itself keeps: between two who hit the same man in the same frame, the points go to one, and a mate's bullet that
//! comes from where an enemy stands is taken for the enemy's.
//!
//! Not here: names, tables, files (`fireteam stats`). Cost: a few comparisons a player and frame.

use fireteam::snapshot::{Figure, Missile, Own, Phase, Power, Said, Snapshot, SoundKind, Team, ThrowableId, WeaponId};
use fireteam::{Arsenal, Field};
use fireteam_world::Vec3;
use fireteam_world::game::{ThrowableKind, WeaponKind};
use fireteam_world::units::{EntityId, ModelId};

/// Counted so far.
#[derive(Clone, Debug)]
pub struct Stats {
    arsenal: Arsenal,
    pub players: Vec<PlayerStats>,
    pub teams: Vec<TeamStats>,
    /// By number of weapon.
    pub weapons: Vec<WeaponStats>,
    /// By number of throwable.
    pub grenades: Vec<GrenadeStats>,
    pub heat: Heat,
    /// Rounds that were decided, for anybody or nobody.
    pub rounds: u32,
    flying: Vec<Missile>,
    fires: Vec<Fire>,
    blinded: Vec<EntityId>,
    before: Vec<Figure>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlayerStats {
    pub player: EntityId,
    pub team: Team,
    /// Of enemies.
    pub kills: u32,
    pub deaths: u32,
    pub suicides: u32,
    pub team_kills: u32,
    /// Killed of no side.
    pub civilians: u32,
    pub damage_dealt: u32,
    pub damage_taken: u32,
    /// Bullets and blows, pellet by pellet.
    pub shots: u32,
    pub hits: u32,
    /// Grenades that left the hand.
    pub throws: u32,
    /// Units gone, on foot or otherwise.
    pub distance: f64,
    pub alive_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamStats {
    pub team: Team,
    /// Rounds won.
    pub rounds: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeaponStats {
    pub kills: u32,
    pub shots: u32,
    pub hits: u32,
}

/// What became of missiles of one kind: how many of them did each of these, to one or to several. One may do more than one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrenadeStats {
    pub thrown: u32,
    /// An enemy.
    pub hurt: u32,
    pub killed: u32,
    pub blinded: u32,
    /// Whoever threw it.
    pub own: u32,
    pub friends: u32,
    /// Went off, and none of these. Smoke is not meant to do any.
    pub nothing: u32,
}

/// Counts over a grid, seen from above: rows from south to north, cells from west to east.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// A cell's side in units.
    pub cell: f32,
    /// The south-western corner.
    pub origin: [f32; 2],
    pub width: usize,
    pub height: usize,
    /// Seconds that anybody was alive there.
    pub traffic: Vec<f32>,
    /// Where whoever killed stood.
    pub kills: Vec<u32>,
    /// Where whoever died fell.
    pub deaths: Vec<u32>,
    /// Heights of all places that were looked at, summed up, and how many.
    heights: (f64, u64),
}

/// Ground that burns, and what it has done.
#[derive(Clone, Debug)]
struct Fire {
    place: Vec3,
    kind: ThrowableId,
    owner: Option<EntityId>,
    outcome: Deeds,
}

/// What one grenade did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Deeds {
    hurt: bool,
    killed: bool,
    blinded: bool,
    own: bool,
    friends: bool,
}

/// Something that went off in this frame.
#[derive(Clone, Copy, Debug)]
struct Burst {
    place: Vec3,
    kind: ThrowableId,
    owner: Option<EntityId>,
}

/// A cell of the grid, and the most there are along a side.
const CELL: f32 = 64.0;
const CELLS_MAX: f32 = 256.0;
/// Nobody walks faster than this: who got farther in a frame was carried there by a teleporter or a new life.
const SPEED_MAX: f32 = 2500.0;
/// A blast reaches a body somewhat beyond its radius, since bodies have a size.
const BODY: f32 = 40.0;
/// Fire does not reach a body this far above or below.
const FIRE_HEIGHT: f32 = 96.0;
/// Pain that comes from elsewhere than this, as the cosine of the angle between, is somebody else's doing: a mate's, say.
const AGREEMENT: f32 = 0.6;
/// What goes off is heard this near to where a missile was last seen to be going.
const NEAR_COURSE: f32 = 96.0;

impl Stats {
    pub fn of(field: &Field) -> Stats {
        Stats::new(field.arsenal.clone(), field.solids.bounds(ModelId(0)))
    }

    /// For a game's weapons, on a map of this extent.
    pub fn new(arsenal: Arsenal, bounds: (Vec3, Vec3)) -> Stats {
        let heat = Heat::over(bounds);
        let (weapons, grenades) = (arsenal.weapons.len(), arsenal.throwables.len());
        Stats {
            arsenal,
            players: Vec::new(),
            teams: Vec::new(),
            weapons: vec![WeaponStats::default(); weapons],
            grenades: vec![GrenadeStats::default(); grenades],
            heat,
            rounds: 0,
            flying: Vec::new(),
            fires: Vec::new(),
            blinded: Vec::new(),
            before: Vec::new(),
        }
    }

    pub fn arsenal(&self) -> &Arsenal {
        &self.arsenal
    }

    /// One frame.
    pub fn look(&mut self, snapshot: &Snapshot) {
        self.meet(snapshot);
        self.walk(snapshot);
        self.count_shots(snapshot);
        let bursts = self.fly(snapshot);
        self.count_harm(snapshot, &bursts);
        self.judge_bursts(snapshot, &bursts);
        self.judge_fires(snapshot);
        self.read_messages(snapshot);
        let is_blind = |own: &&Own| Power::Blinded.is_in(own.powers);
        self.blinded.clear();
        self.blinded.extend(snapshot.own.iter().filter(is_blind).map(|own| own.entity));
        self.before.clone_from(&snapshot.players);
    }

    /// A side's score: rounds won where there are rounds, otherwise kills less those of its own.
    pub fn score(&self, team: Team) -> i64 {
        if self.rounds > 0 {
            return self.teams.iter().find(|known| known.team == team).map_or(0, |known| i64::from(known.rounds));
        }
        let members = self.players.iter().filter(|player| player.team == team);
        members.map(|player| i64::from(player.kills) - i64::from(player.team_kills)).sum()
    }

    fn player(&mut self, entity: EntityId) -> Option<&mut PlayerStats> {
        self.players.iter_mut().find(|known| known.player == entity)
    }

    fn team_of(&self, entity: EntityId) -> Option<Team> {
        self.players.iter().find(|known| known.player == entity).map(|known| known.team)
    }

    /// Whoever is new.
    fn meet(&mut self, snapshot: &Snapshot) {
        for figure in snapshot.players.iter().filter(|figure| figure.team != Team::NEUTRAL) {
            match self.player(figure.entity) {
                Some(known) => known.team = figure.team,
                None => self.players.push(PlayerStats::new(figure.entity, figure.team)),
            }
            if self.teams.iter().all(|known| known.team != figure.team) {
                self.teams.push(TeamStats { team: figure.team, rounds: 0 });
                self.teams.sort_by_key(|known| known.team);
            }
        }
    }

    fn walk(&mut self, snapshot: &Snapshot) {
        let seconds = snapshot.frame_ms as f32 * 0.001;
        let counts = snapshot.phase == Phase::Playing;
        for figure in snapshot.players.iter().filter(|figure| !figure.is_dead) {
            let before = self.before.iter().find(|before| before.entity == figure.entity && !before.is_dead);
            let way = before.map_or(0.0, |before| before.origin.distance(figure.origin));
            if let Some(player) = self.player(figure.entity).filter(|_| counts) {
                player.alive_ms += i64::from(snapshot.frame_ms);
                player.distance += f64::from(if way <= SPEED_MAX * seconds { way } else { 0.0 });
                let cell = self.heat.index(figure.origin);
                self.heat.traffic[cell] += seconds;
                self.heat.heights = (self.heat.heights.0 + f64::from(figure.origin.z), self.heat.heights.1 + 1);
            }
        }
    }

    fn count_shots(&mut self, snapshot: &Snapshot) {
        for (shooter, weapon) in shots(snapshot) {
            let described = self.arsenal.weapon(weapon);
            let (kind, pellets) = (described.kind, described.pellets.max(1) as u32);
            let fired = self.arsenal.fires[usize::from(weapon.0)];
            match kind {
                WeaponKind::Projectile => {
                    self.weapons[usize::from(weapon.0)].shots += 1;
                    if let Some(kind) = fired {
                        self.grenades[usize::from(kind.0)].thrown += 1;
                    }
                }
                WeaponKind::Hitscan | WeaponKind::Melee => {
                    let bullets = if kind == WeaponKind::Hitscan { pellets } else { 1 };
                    self.weapons[usize::from(weapon.0)].shots += bullets;
                    if let Some(player) = self.player(shooter) {
                        player.shots += bullets;
                    }
                }
            }
        }
    }

    /// What is new in the air, and what went off.
    fn fly(&mut self, snapshot: &Snapshot) -> Vec<Burst> {
        for missile in &snapshot.missiles {
            let is_new = self.flying.iter().all(|known| known.entity != missile.entity);
            let is_thrown = self.arsenal.throwable(missile.kind).wind_up_ms > 0;
            let owner = missile.owner.and_then(|owner| snapshot.players.iter().find(|figure| figure.entity == owner));
            // What a dead hand let go of was not thrown.
            if is_new && is_thrown && owner.is_none_or(|owner| !owner.is_dead) {
                self.grenades[usize::from(missile.kind.0)].thrown += 1;
                if let Some(player) = missile.owner.and_then(|owner| self.player(owner)) {
                    player.throws += 1;
                }
            }
        }
        let mut heard: Vec<Vec3> = sounds_of(snapshot, SoundKind::Explosion).collect();
        let seconds = snapshot.frame_ms as f32 * 0.001;
        let mut bursts = Vec::new();
        for gone in &self.flying {
            if snapshot.missiles.iter().any(|missile| missile.entity == gone.entity) {
                continue;
            }
            let ahead = gone.origin + gone.velocity * seconds;
            let distance = |place: &Vec3| place.distance(gone.origin).min(place.distance(ahead));
            let nearest = (0..heard.len()).min_by(|a, b| distance(&heard[*a]).total_cmp(&distance(&heard[*b])));
            let reach = NEAR_COURSE + gone.velocity.length() * seconds;
            if let Some(at) = nearest.filter(|at| distance(&heard[*at]) <= reach) {
                bursts.push(Burst { place: heard.swap_remove(at), kind: gone.kind, owner: gone.owner });
            }
        }
        self.flying.clone_from(&snapshot.missiles);
        // Fired and gone off within the same frame: nobody saw it fly.
        for place in heard {
            let fired = shots(snapshot)
                .filter_map(|(shooter, weapon)| Some((shooter, self.arsenal.fires[usize::from(weapon.0)]?)));
            let nearness = |(shooter, _): &(EntityId, ThrowableId)| {
                origin_of(snapshot, *shooter).map_or(f32::INFINITY, |origin| origin.distance(place))
            };
            if let Some((owner, kind)) = fired.min_by(|a, b| nearness(a).total_cmp(&nearness(b))) {
                bursts.push(Burst { place, kind, owner: Some(owner) });
            }
        }
        bursts
    }

    /// Who was hurt, and by whom it must have been.
    fn count_harm(&mut self, snapshot: &Snapshot, bursts: &[Burst]) {
        let mut told: Vec<EntityId> = snapshot.own.iter().filter(|own| own.has_hit).map(|own| own.entity).collect();
        for own in &snapshot.own {
            let Some(hurt) = own.hurt else { continue };
            let points = hurt.points.max(0) as u32;
            if let Some(player) = self.player(own.entity) {
                player.damage_taken += points;
            }
            let Some(cause) = self.cause(own, hurt.towards, snapshot, bursts) else { continue };
            told.retain(|known| *known != cause.by);
            self.credit(&cause, points);
        }
        // Somebody may have been hit of whose pain nothing is told: a player who is no bot of ours.
        for shooter in told {
            let team = self.team_of(shooter);
            let is_other = |figure: &Figure| {
                let is_ours = snapshot.own.iter().any(|own| own.entity == figure.entity);
                !is_ours && figure.team != Team::NEUTRAL && Some(figure.team) != team
            };
            let direct = shots(snapshot).find(|(by, weapon)| *by == shooter && self.is_direct(*weapon));
            if let Some((by, weapon)) = direct.filter(|_| snapshot.players.iter().any(is_other)) {
                let points = self.arsenal.weapon(weapon).damage.max(0) as u32;
                self.credit(&Cause { by, weapon: Some(weapon) }, points);
            }
        }
    }

    fn is_direct(&self, weapon: WeaponId) -> bool {
        self.arsenal.weapon(weapon).kind != WeaponKind::Projectile
    }

    /// Points taken from an enemy by somebody.
    fn credit(&mut self, cause: &Cause, points: u32) {
        let hits = match cause.weapon.filter(|weapon| self.is_direct(*weapon)) {
            Some(weapon) => (points / self.arsenal.weapon(weapon).damage.max(1) as u32).max(1),
            None => 0,
        };
        if let Some(weapon) = cause.weapon {
            self.weapons[usize::from(weapon.0)].hits += hits.max(u32::from(!self.is_direct(weapon)));
        }
        if let Some(player) = self.player(cause.by) {
            player.damage_dealt += points;
            player.hits += hits;
        }
    }

    /// The enemy who hurt somebody: of all who were told that they hit, the one in whose direction the pain came from.
    fn cause(&self, hurt: &Own, towards: Option<Vec3>, snapshot: &Snapshot, bursts: &[Burst]) -> Option<Cause> {
        let is_enemy = |entity: EntityId| {
            let has_hit = |own: &Own| own.entity == entity && own.has_hit && own.team != hurt.team;
            snapshot.own.iter().any(has_hit)
        };
        let shot = shots(snapshot).filter(|(_, weapon)| self.is_direct(*weapon)).filter_map(|(by, weapon)| {
            let origin = origin_of(snapshot, by)?;
            Some((Cause { by, weapon: Some(weapon) }, origin))
        });
        let reach = |burst: &&Burst| {
            let radius = self.arsenal.throwable(burst.kind).blast.as_ref().map_or(0.0, |blast| blast.radius);
            burst.place.distance(hurt.body.origin) <= radius + BODY
        };
        let blast = bursts.iter().filter(reach).filter_map(|burst| {
            let weapon = self.weapon_that_fires(burst.kind);
            Some((Cause { by: burst.owner?, weapon }, burst.place))
        });
        let flames = self.fires.iter().filter(|fire| fire.reaches(hurt.body.origin, snapshot)).filter_map(|fire| {
            let weapon = self.weapon_that_fires(fire.kind);
            Some((Cause { by: fire.owner?, weapon }, fire.place))
        });
        let all = shot.chain(blast).chain(flames).filter(|(cause, _)| is_enemy(cause.by));
        let agreement = |place: Vec3| {
            let way = (place - hurt.body.origin).normalize_or_zero();
            towards.map_or(1.0, |towards| towards.dot(way))
        };
        let best = all.max_by(|a, b| agreement(a.1).total_cmp(&agreement(b.1)));
        best.filter(|(_, place)| agreement(*place) >= AGREEMENT).map(|(cause, _)| cause)
    }

    fn weapon_that_fires(&self, kind: ThrowableId) -> Option<WeaponId> {
        let index = self.arsenal.fires.iter().position(|fires| *fires == Some(kind))?;
        u8::try_from(index).ok().map(WeaponId)
    }

    fn judge_bursts(&mut self, snapshot: &Snapshot, bursts: &[Burst]) {
        for burst in bursts {
            let throwable = self.arsenal.throwable(burst.kind);
            let radius = throwable.blast.as_ref().map_or(0.0, |blast| blast.radius) + BODY;
            let (burns, is_smoke) = (
                throwable.cloud.as_ref().is_some_and(|cloud| cloud.damage_per_second > 0.0),
                throwable.kind == ThrowableKind::Smoke,
            );
            let mut deeds = Deeds::default();
            for own in &snapshot.own {
                let is_near = own.body.origin.distance(burst.place) <= radius;
                if is_near && own.hurt.is_some() {
                    self.note(&mut deeds, burst.owner, own, snapshot);
                }
                let is_blinded = Power::Blinded.is_in(own.powers) && !self.blinded.contains(&own.entity);
                let is_enemy = burst.owner.and_then(|owner| self.team_of(owner)) != Some(own.team);
                deeds.blinded |= is_blinded && is_enemy;
            }
            if burns {
                let Burst { place, kind, owner } = *burst;
                self.fires.push(Fire { place, kind, owner, outcome: deeds });
            } else if !is_smoke {
                self.grenades[usize::from(burst.kind.0)].add(&deeds);
            }
        }
    }

    /// Somebody was hurt by it.
    fn note(&self, deeds: &mut Deeds, owner: Option<EntityId>, hurt: &Own, snapshot: &Snapshot) {
        let team = owner.and_then(|owner| self.team_of(owner));
        if owner == Some(hurt.entity) {
            deeds.own = true;
        } else if team == Some(hurt.team) {
            deeds.friends = true;
        } else {
            deeds.hurt = true;
            deeds.killed |= snapshot.messages.iter().any(|message| match message.said {
                Said::Obituary { victim, killer, .. } => victim == hurt.entity && killer == owner,
                Said::RoundStarts | Said::RoundEnds { .. } | Said::Taken { .. } | Said::Voice(_) => false,
            });
        }
    }

    fn judge_fires(&mut self, snapshot: &Snapshot) {
        let mut fires = std::mem::take(&mut self.fires);
        for fire in &mut fires {
            let mut deeds = fire.outcome;
            let is_singed = |own: &&Own| {
                own.hurt.is_some_and(|hurt| hurt.towards.is_none()) && fire.reaches(own.body.origin, snapshot)
            };
            snapshot.own.iter().filter(is_singed).for_each(|own| self.note(&mut deeds, fire.owner, own, snapshot));
            fire.outcome = deeds;
        }
        fires.retain(|fire| {
            let burns = fire.cloud(snapshot).is_some();
            if !burns {
                self.grenades[usize::from(fire.kind.0)].add(&fire.outcome);
            }
            burns
        });
        self.fires = fires;
    }

    fn read_messages(&mut self, snapshot: &Snapshot) {
        for message in &snapshot.messages {
            match message.said {
                Said::Obituary { victim, killer, weapon } => self.bury(victim, killer, weapon, snapshot),
                Said::RoundEnds { winner } => {
                    self.rounds += 1;
                    if let Some(team) = self.teams.iter_mut().find(|known| Some(known.team) == winner) {
                        team.rounds += 1;
                    }
                }
                Said::RoundStarts | Said::Taken { .. } | Said::Voice(_) => {}
            }
        }
    }

    fn bury(&mut self, victim: EntityId, killer: Option<EntityId>, weapon: Option<WeaponId>, snapshot: &Snapshot) {
        let fell = self.team_of(victim);
        if let Some(player) = self.player(victim) {
            player.deaths += 1;
        }
        if let Some(place) = origin_of(snapshot, victim) {
            let cell = self.heat.index(place);
            self.heat.deaths[cell] += 1;
        }
        let by = killer.filter(|killer| *killer != victim).and_then(|killer| Some((killer, self.team_of(killer)?)));
        let Some((killer, team)) = by else {
            if let Some(player) = self.player(victim) {
                player.suicides += 1;
            }
            return;
        };
        let place = origin_of(snapshot, killer);
        let Some(player) = self.player(killer) else { return };
        match fell {
            None => player.civilians += 1,
            Some(fell) if fell == team => player.team_kills += 1,
            Some(_) => {
                player.kills += 1;
                if let Some(weapon) = weapon {
                    self.weapons[usize::from(weapon.0)].kills += 1;
                }
                if let Some(place) = place {
                    let cell = self.heat.index(place);
                    self.heat.kills[cell] += 1;
                }
            }
        }
    }
}

/// Who did it, with what.
#[derive(Clone, Copy, Debug)]
struct Cause {
    by: EntityId,
    weapon: Option<WeaponId>,
}

impl PlayerStats {
    fn new(player: EntityId, team: Team) -> PlayerStats {
        PlayerStats {
            player,
            team,
            kills: 0,
            deaths: 0,
            suicides: 0,
            team_kills: 0,
            civilians: 0,
            damage_dealt: 0,
            damage_taken: 0,
            shots: 0,
            hits: 0,
            throws: 0,
            distance: 0.0,
            alive_ms: 0,
        }
    }

    /// Share of bullets and blows that met an enemy: from 0 to 1.
    pub fn accuracy(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.shots.max(1))
    }
}

impl GrenadeStats {
    fn add(&mut self, deeds: &Deeds) {
        let Deeds { hurt, killed, blinded, own, friends } = *deeds;
        self.hurt += u32::from(hurt);
        self.killed += u32::from(killed);
        self.blinded += u32::from(blinded);
        self.own += u32::from(own);
        self.friends += u32::from(friends);
        self.nothing += u32::from(*deeds == Deeds::default());
    }
}

impl Fire {
    /// The cloud it is now, while it burns.
    fn cloud<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s fireteam::snapshot::Cloud> {
        snapshot.clouds.iter().find(|cloud| cloud.harms && cloud.origin.distance(self.place) < 1.0)
    }

    fn reaches(&self, place: Vec3, snapshot: &Snapshot) -> bool {
        self.cloud(snapshot).is_some_and(|cloud| {
            let way = place - cloud.origin;
            way.truncate().length() <= cloud.radius + BODY && way.z.abs() <= FIRE_HEIGHT
        })
    }
}

impl Heat {
    fn over((mins, maxs): (Vec3, Vec3)) -> Heat {
        let size = (maxs - mins).max(Vec3::splat(CELL));
        let cell = (size.x.max(size.y) / CELLS_MAX).max(CELL);
        let (width, height) = ((size.x / cell).ceil() as usize, (size.y / cell).ceil() as usize);
        let count = width * height;
        Heat {
            cell,
            origin: [mins.x, mins.y],
            width,
            height,
            traffic: vec![0.0; count],
            kills: vec![0; count],
            deaths: vec![0; count],
            heights: (0.0, 0),
        }
    }

    /// The height players were at, on the whole.
    pub fn storey(&self) -> f32 {
        (self.heights.0 / self.heights.1.max(1) as f64) as f32
    }

    /// The cell of a place; whoever is outside the map is at its rim.
    fn index(&self, place: Vec3) -> usize {
        let along = |at: f32, from: f32, count: usize| (((at - from) / self.cell).max(0.0) as usize).min(count - 1);
        let (column, row) = (along(place.x, self.origin[0], self.width), along(place.y, self.origin[1], self.height));
        row * self.width + column
    }
}

fn shots(snapshot: &Snapshot) -> impl Iterator<Item = (EntityId, WeaponId)> {
    snapshot.sounds.iter().filter_map(|sound| match (sound.kind, sound.source) {
        (SoundKind::Shot(weapon), Some(source)) => Some((source, weapon)),
        _ => None,
    })
}

fn sounds_of(snapshot: &Snapshot, kind: SoundKind) -> impl Iterator<Item = Vec3> {
    snapshot.sounds.iter().filter(move |sound| sound.kind == kind).map(|sound| sound.origin)
}

fn origin_of(snapshot: &Snapshot, entity: EntityId) -> Option<Vec3> {
    snapshot.players.iter().find(|figure| figure.entity == entity).map(|figure| figure.origin)
}
