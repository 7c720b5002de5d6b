//! A throw of the table, flown again to be looked at: the flight itself, what an unsteady hand makes of it, and how far
//! one may be off.
//!
//! In: a [`Stage`] (map, game, terrain) and which throw ([`Pick`]). Out: an [`Exhibit`], which pictures and pages show.
//! Not here: finding throws (`fireteam_bake`), drawing them (`picture::throw`). Cost: about 200 flights.

use anyhow::{Context, Result, bail, ensure};
use fireteam_terrain::throws::{Needs, Stored};
use fireteam_terrain::{Cells, MoverId, MoverKind, MoverSpot, Terrain, ThrowTable, WaypointFlags, WaypointId};
use fireteam_world::flight::{self, Air, Ending, Throw, Trajectory};
use fireteam_world::game::{Throwable, ThrowableKind};
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers;
use fireteam_world::throwing::{Cell, DEVIATIONS, Hand, Range, Salvo, Stand, Verdict};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Game, Map, Placed, Scene, Solids, Sweep, Vec3};

/// Where throws are shown: a map with its terrain, everything that moves at rest.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) map: Map,
    pub(crate) game: Game,
    pub(crate) terrain: Terrain,
    pub(crate) solids: Solids,
    /// By the game's name.
    pub(crate) throwable_name: String,
    placed: Vec<Placed>,
    shootable: Vec<EntityId>,
    cells: Cells,
}

/// What a throw asks of a door.
pub(crate) type DoorState = (MoverId, Needs);

/// One throw of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pick {
    pub(crate) from: WaypointId,
    pub(crate) at: WaypointId,
    pub(crate) stored: Stored,
    /// The door it asks something of.
    pub(crate) door: Option<DoorState>,
}

/// A flight, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub(crate) trajectory: Trajectory,
    pub(crate) ending: Ending,
    /// What it costs the target.
    pub(crate) points: i32,
}

/// By how many degrees one may turn away from a throw, each way, and still hurt the target and not oneself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) up: f32,
    pub(crate) down: f32,
}

/// Everything there is to show of a throw.
#[derive(Clone, Debug)]
pub(crate) struct Exhibit {
    pub(crate) pick: Pick,
    pub(crate) from: Stand,
    pub(crate) at: Stand,
    pub(crate) eye: Vec3,
    pub(crate) throw: Throw,
    pub(crate) steady: Flight,
    pub(crate) unsteady: Vec<Flight>,
    pub(crate) salvo: Salvo,
    pub(crate) verdict: Verdict,
    pub(crate) tolerance: Tolerance,
    /// Whether the thrower sees where it goes off.
    pub(crate) sees_end: bool,
}

impl Stage {
    /// `throwable` is the game's name of it; without one, its hand grenade.
    pub(crate) fn new(map: Map, game: Game, terrain: Terrain, throwable: Option<&str>) -> Result<Stage> {
        let throwable_name = match throwable {
            Some(name) => name.to_owned(),
            None => grenade_name(&game).with_context(|| format!("the game {} has no grenade", game.name))?.to_owned(),
        };
        let known = || game.rules.throwables.keys().cloned().collect::<Vec<_>>().join(", ");
        let Some(thrown) = game.throwable(&throwable_name) else {
            bail!("the game {} has no throwable called {throwable_name}: it has {}", game.name, known());
        };
        ensure!(thrown.blast.is_some(), "a {throwable_name} does not explode, so there are no throws of it");
        ensure!(
            terrain.throws.of(&throwable_name).is_some(),
            "the terrain has no throws of a {throwable_name}: bake the map again without --no-throws"
        );
        let solids = Solids::build(&map);
        let moving = Movers::of(&map, &game, Time(0));
        let (placed, shootable) = (moving.placed().to_vec(), moving.shootable().collect());
        let cells = terrain.cells();
        Ok(Stage { map, game, terrain, solids, throwable_name, placed, shootable, cells })
    }

    pub(crate) fn throwable(&self) -> &Throwable {
        self.game.throwable(&self.throwable_name).expect("it was looked for when the stage was set")
    }

    pub(crate) fn table(&self) -> &ThrowTable {
        self.terrain.throws.of(&self.throwable_name).expect("it was looked for when the stage was set")
    }

    /// The throw from one waypoint at another, if there is one.
    pub(crate) fn pick(&self, from: WaypointId, at: WaypointId) -> Option<Pick> {
        let table = self.table();
        if let Some(row) = table.always.find(at.index(), from.index()) {
            return Some(Pick { from, at, stored: Stored::from_bytes(row), door: None });
        }
        let throw = table.door_throw(from, at)?;
        Some(Pick { from, at, stored: throw.throw, door: Some((throw.mover, throw.needs)) })
    }

    /// Everything that moves, where it stands while this throw is thrown.
    pub(crate) fn crowd(&self, door: Option<DoorState>) -> Crowd {
        let opened = match door {
            Some((mover, Needs::Open)) => self.terrain.movers.get(mover),
            Some((_, Needs::Shut)) | None => None,
        };
        let placed = self.placed.iter().filter_map(|placed| match opened {
            Some(door) if self.moves_with(placed.entity, door.entity) => self.opened(placed),
            Some(_) | None => Some(*placed),
        });
        Crowd::of(&self.solids, &placed.collect::<Vec<Placed>>(), &[])
    }

    /// Doors of one team open together.
    fn moves_with(&self, entity: EntityId, door: EntityId) -> bool {
        let team = |entity: EntityId| self.map.entities.get(entity.index()).and_then(|entity| entity.get("team"));
        entity == door || (team(door).is_some() && team(entity) == team(door))
    }

    /// Where a door stands open; nowhere if it breaks.
    fn opened(&self, placed: &Placed) -> Option<Placed> {
        let spot = self.spot_of(placed.entity);
        match spot.map(|spot| spot.kind) {
            Some(MoverKind::Breakable) => None,
            Some(_) | None => {
                let shift = spot.map_or(Vec3::ZERO, |spot| spot.shift);
                Some(Placed { origin: placed.origin + shift, ..*placed })
            }
        }
    }

    fn spot_of(&self, entity: EntityId) -> Option<&MoverSpot> {
        self.terrain.movers.get(self.terrain.movers.of_entity(entity)?)
    }

    pub(crate) fn range<'a>(&'a self, crowd: &'a Crowd) -> Range<'a> {
        let scene = Scene { solids: &self.solids, crowd };
        let range = Range::of(&self.game, self.throwable(), Air { scene, shootable: &self.shootable });
        range.expect("only what explodes gets on the stage")
    }

    pub(crate) fn stand(&self, waypoint: WaypointId) -> Stand {
        let flags = self.terrain.waypoints.flags[waypoint.index()];
        let stance = if flags.meets(WaypointFlags::CROUCH_ONLY) { Stance::Crouched } else { Stance::Standing };
        Stand { origin: self.terrain.waypoints.origin[waypoint.index()], stance }
    }

    /// Origins all over a waypoint's cell, its own first, as many as there are unsteady throws.
    pub(crate) fn spread(&self, waypoint: WaypointId) -> Vec<Vec3> {
        let all = self.cells.of_waypoint(waypoint);
        let others = (1..DEVIATIONS).map(|number| all[number * all.len() / DEVIATIONS]);
        std::iter::once(self.terrain.waypoints.origin[waypoint.index()]).chain(others).collect()
    }

    /// Where the thrower of this stands, and how.
    pub(crate) fn thrower(&self, pick: &Pick) -> Stand {
        let stand = self.stand(pick.from);
        if pick.stored.is_crouched { Stand { stance: Stance::Crouched, ..stand } } else { stand }
    }

    /// Flies a throw in all its variants; `crowd` is as [`Stage::crowd`] says for it.
    pub(crate) fn exhibit(&self, pick: Pick, crowd: &Crowd) -> Exhibit {
        let range = self.range(crowd);
        let hand = Hand::of(range.throwable);
        let (from_cell, at_cell) = (self.spread(pick.from), self.spread(pick.at));
        let from = Cell { stand: self.thrower(&pick), origins: &from_cell };
        let at = Cell { stand: self.stand(pick.at), origins: &at_cell };
        let throw = pick.stored.throw(self.table());
        let salvo = Salvo::fly(&range, &hand, &from, &throw);
        let throws = Salvo::unsteady_throws(&range, &hand, &from, &throw, &salvo.steady).into_iter().enumerate();
        let unsteady = throws.map(|(number, (stand, throw))| fly(&range, &stand, &throw, &at.stand(number)));
        let thrower = range.thrower(&from.stand);
        let eye = thrower.origin + Vec3::Z * thrower.view_height;
        let sight = Sweep::ray(eye, salvo.steady.place, Contents::MASK_OPAQUE);
        Exhibit {
            pick,
            from: from.stand,
            at: at.stand,
            eye,
            throw,
            steady: fly(&range, &from.stand, &throw, &at.stand),
            unsteady: unsteady.collect(),
            verdict: salvo.verdict(&range, &at),
            tolerance: Tolerance::of(&range, &from.stand, &at.stand, &throw),
            sees_end: !range.air.scene.sweep(&sight, None).is_hit(),
            salvo,
        }
    }
}

/// The game's hand grenade.
fn grenade_name(game: &Game) -> Option<&str> {
    let mut all = game.rules.throwables.iter();
    let is_grenade = |throwable: &Throwable| throwable.kind == ThrowableKind::Frag && throwable.blast.is_some();
    all.find(|(_, throwable)| is_grenade(throwable)).map(|(name, _)| name.as_str())
}

fn fly(range: &Range<'_>, from: &Stand, throw: &Throw, at: &Stand) -> Flight {
    let launch = range.throwable.launch(&range.thrower(from), throw, Time(0));
    let mut trajectory = Trajectory::default();
    let ending = flight::fly(&launch, range.throwable, range.game.flight_rules(), &range.air, &mut trajectory);
    let points = if ending.reason == flight::EndReason::Gone { 0 } else { range.points(ending.place, at, false) };
    Flight { trajectory, ending, points }
}

impl Tolerance {
    /// Nobody is asked to be more careless than that.
    pub(crate) const MOST: f32 = 8.0;
    const STEP: f32 = 0.25;

    fn of(range: &Range<'_>, from: &Stand, at: &Stand, throw: &Throw) -> Tolerance {
        let holds = |throw: Throw| {
            let flown = range.fly(from, &throw);
            flown.explodes && range.points(flown.place, at, false) > 0 && range.points(flown.place, from, true) == 0
        };
        let turned = |yaw: f32, pitch: f32| {
            let steps = (Tolerance::MOST / Tolerance::STEP) as u32;
            let offs = (1..=steps).map(|step| step as f32 * Tolerance::STEP);
            let held = offs.take_while(|off| {
                holds(Throw { yaw: throw.yaw + yaw * off, pitch: throw.pitch + pitch * off, ..*throw })
            });
            held.last().unwrap_or(0.0)
        };
        Tolerance { left: turned(1.0, 0.0), right: turned(-1.0, 0.0), up: turned(0.0, -1.0), down: turned(0.0, 1.0) }
    }

    /// The smaller of left and right, and of up and down.
    pub(crate) fn sideways(&self) -> f32 {
        self.left.min(self.right)
    }

    pub(crate) fn upwards(&self) -> f32 {
        self.up.min(self.down)
    }
}

impl Exhibit {
    /// How many unsteady throws hurt the target.
    pub(crate) fn hits(&self) -> usize {
        self.unsteady.iter().filter(|flight| flight.points > 0).count()
    }
}
