//! What a brush is made of, and what its surface does: the bits of the Quake III map format, and the masks built of them.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

macro_rules! bits {
    ($(#[$doc:meta])* $name:ident { $($(#[$bit_doc:meta])* $bit:ident = $value:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub const NONE: $name = $name(0);
            $($(#[$bit_doc])* pub const $bit: $name = $name($value);)*

            /// Whether any bit is set in both.
            pub const fn meets(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            pub const fn union(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl BitOrAssign for $name {
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }

        impl BitAnd for $name {
            type Output = $name;
            fn bitand(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }

        impl Not for $name {
            type Output = $name;
            fn not(self) -> $name {
                $name(!self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let names: &[(&str, u32)] = &[$((stringify!($bit), $value)),*];
                let mut rest = self.0;
                let mut parts = Vec::new();
                for (name, value) in names {
                    if value.count_ones() == 1 && rest & value != 0 {
                        parts.push((*name).to_owned());
                        rest &= !value;
                    }
                }
                if rest != 0 || parts.is_empty() {
                    parts.push(format!("{rest:#x}"));
                }
                write!(f, "{}", parts.join("|"))
            }
        }
    };
}

bits! {
    /// What fills a volume. Values are those of the IBSP 46 format.
    Contents {
        SOLID = 0x1;
        LAVA = 0x8;
        SLIME = 0x10;
        WATER = 0x20;
        FOG = 0x40;
        AREA_PORTAL = 0x8000;
        PLAYER_CLIP = 0x1_0000;
        MONSTER_CLIP = 0x2_0000;
        TELEPORTER = 0x4_0000;
        JUMP_PAD = 0x8_0000;
        CLUSTER_PORTAL = 0x10_0000;
        DO_NOT_ENTER = 0x20_0000;
        BOT_CLIP = 0x40_0000;
        MOVER = 0x80_0000;
        ORIGIN = 0x100_0000;
        BODY = 0x200_0000;
        CORPSE = 0x400_0000;
        DETAIL = 0x800_0000;
        STRUCTURAL = 0x1000_0000;
        TRANSLUCENT = 0x2000_0000;
        TRIGGER = 0x4000_0000;
        NO_DROP = 0x8000_0000;
        /// Everything: what a moving brush counts as.
        ALL = 0xffff_ffff;
    }
}

/// Masks: which contents stop what.
impl Contents {
    pub const MASK_SOLID: Contents = Contents::SOLID;
    /// A player's body among other bodies.
    pub const MASK_PLAYER: Contents = Contents(0x1 | 0x1_0000 | 0x200_0000);
    /// A player's body against the map alone.
    pub const MASK_WALK: Contents = Contents(0x1 | 0x1_0000);
    /// Bullets, rockets and grenades.
    pub const MASK_SHOT: Contents = Contents(0x1 | 0x200_0000 | 0x400_0000);
    pub const MASK_LIQUID: Contents = Contents(0x8 | 0x10 | 0x20);
    /// What an eye cannot look through in the map itself (fog, liquids and glass pass).
    pub const MASK_OPAQUE: Contents = Contents(0x1 | 0x8 | 0x10);
    /// A bot's body: also stopped by what mappers drew to keep bots out.
    pub const MASK_BOT: Contents = Contents(0x1 | 0x1_0000 | 0x200_0000 | 0x40_0000);
}

bits! {
    /// What touching a surface does. Values are those of the IBSP 46 format.
    SurfaceFlags {
        NO_DAMAGE = 0x1;
        SLICK = 0x2;
        SKY = 0x4;
        LADDER = 0x8;
        NO_IMPACT = 0x10;
        NO_MARKS = 0x20;
        FLESH = 0x40;
        NO_DRAW = 0x80;
        HINT = 0x100;
        SKIP = 0x200;
        NO_LIGHT_MAP = 0x400;
        POINT_LIGHT = 0x800;
        METAL_STEPS = 0x1000;
        NO_STEPS = 0x2000;
        NON_SOLID = 0x4000;
        DUST = 0x4_0000;
    }
}
