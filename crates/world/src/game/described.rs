//! One way to describe numbers: a table's keys, their kinds, limits and defaults stand once, beside the field.
//!
//! `described!` turns such a list into a struct, the reader that rejects what the list does not allow (unknown key,
//! wrong kind, out of range, missing), the canonical text a digest is made of, and the rows `docs/games.md` must show.
//! In: a parsed TOML value, with its place in the file. Out: the struct, or a [`Fault`] with the place at fault.
//! Not here: which games and tables there are (`game`), how a fault is shown (`game::error`).

use std::collections::BTreeMap;
use std::fmt::{Debug, Display, Write};
use std::ops::{Range, RangeInclusive};

use glam::Vec3;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

pub(crate) type Value<'i> = Spanned<DeValue<'i>>;

/// What is wrong with a description, and at which bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

/// More entries than this in one list or table is a mistake, not a game.
const ENTRIES_MAX: usize = 256;

/// Anything a description can hold: numbers with limits, names from a list, tables of these.
pub(crate) trait Described: Sized {
    /// What the value may be: a range for numbers, nothing for what limits itself.
    type Limits: Clone;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<Self, Fault>;

    /// Writes the value in the one form a digest is made of.
    fn write(&self, form: &mut Canonical);

    /// What stands in a schema: "number 0 to 1", "one of ...".
    fn kind(limits: &Self::Limits) -> String;

    /// The value as one would write it in a description.
    fn shown(&self) -> String;

    /// Rows of the schema below this key; only tables have any.
    fn rows(_path: &str, _rows: &mut Vec<Row>) {}
}

/// One key of the schema, for the docs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub key: String,
    pub kind: String,
    /// What holds when the key is left out; none when it must be there.
    pub default: Option<String>,
    pub meaning: String,
}

/// Numbers in a form that is the same however the file was written: one `key=value` a line, floats as their bits.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    path: Vec<String>,
    pub(crate) text: String,
}

impl Canonical {
    pub(crate) fn under(&mut self, key: &str, value: &impl Described) {
        self.path.push(key.to_owned());
        value.write(self);
        self.path.pop();
    }

    fn line(&mut self, value: impl Display) {
        writeln!(self.text, "{}={value}", self.path.join(".")).expect("a String takes any text");
    }
}

/// A TOML table being read: every key that is not in `keys` is refused at once.
pub(crate) struct Reading<'a, 'i> {
    table: &'a DeTable<'i>,
    span: Range<usize>,
}

impl<'a, 'i> Reading<'a, 'i> {
    pub(crate) fn open(value: &'a Value<'i>, keys: &[&str]) -> Result<Reading<'a, 'i>, Fault> {
        let DeValue::Table(table) = value.get_ref() else { return Err(wrong_kind(value, "a table")) };
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !keys.contains(&name) {
                let message = format!("unknown key `{name}`; allowed here: {}", keys.join(", "));
                return Err(Fault { span: key.span(), message });
            }
        }
        Ok(Reading { table, span: value.span() })
    }

    pub(crate) fn required<T: Described>(&self, key: &str, limits: &T::Limits) -> Result<T, Fault> {
        match self.table.get(key) {
            Some(value) => T::read(value, limits),
            None => {
                Err(Fault { span: self.span.clone(), message: format!("missing key `{key}` ({})", T::kind(limits)) })
            }
        }
    }

    pub(crate) fn optional<T: Described>(&self, key: &str, limits: &T::Limits, default: T) -> Result<T, Fault> {
        self.table.get(key).map_or(Ok(default), |value| T::read(value, limits))
    }
}

fn wrong_kind(value: &Value<'_>, wanted: &str) -> Fault {
    Fault { span: value.span(), message: format!("expected {wanted}, found {}", value.get_ref().type_str()) }
}

fn within<T: PartialOrd + Display>(value: &Value<'_>, number: T, limits: &RangeInclusive<T>) -> Result<T, Fault> {
    if limits.contains(&number) {
        return Ok(number);
    }
    let message = format!("{number} is out of range; allowed: {} to {}", limits.start(), limits.end());
    Err(Fault { span: value.span(), message })
}

/// Single or double: a few factors must be double to come out as in the engine they are from.
macro_rules! described_float {
    ($float:ty, $bits:literal) => {
        impl Described for $float {
            type Limits = RangeInclusive<$float>;

            fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<$float, Fault> {
                let text = match value.get_ref() {
                    DeValue::Float(float) => float.as_str(),
                    DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
                    _ => return Err(wrong_kind(value, "a number")),
                };
                within(value, text.parse().map_err(|_| wrong_kind(value, "a number"))?, limits)
            }

            fn write(&self, form: &mut Canonical) {
                form.line(format_args!($bits, self.to_bits()));
            }

            fn kind(limits: &Self::Limits) -> String {
                format!("number, {} to {}", limits.start(), limits.end())
            }

            fn shown(&self) -> String {
                self.to_string()
            }
        }
    };
}

described_float!(f32, "{:08x}");
described_float!(f64, "{:016x}");

impl Described for i32 {
    type Limits = RangeInclusive<i32>;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<i32, Fault> {
        let DeValue::Integer(integer) = value.get_ref() else { return Err(wrong_kind(value, "a whole number")) };
        let number = i32::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| wrong_kind(value, "a whole number of 32 bits"))?;
        within(value, number, limits)
    }

    fn write(&self, form: &mut Canonical) {
        form.line(self);
    }

    fn kind(limits: &Self::Limits) -> String {
        format!("whole number, {} to {}", limits.start(), limits.end())
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Described for bool {
    type Limits = ();

    fn read(value: &Value<'_>, (): &()) -> Result<bool, Fault> {
        value.get_ref().as_bool().ok_or_else(|| wrong_kind(value, "true or false"))
    }

    fn write(&self, form: &mut Canonical) {
        form.line(self);
    }

    fn kind((): &()) -> String {
        "true or false".to_owned()
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Described for String {
    type Limits = ();

    fn read(value: &Value<'_>, (): &()) -> Result<String, Fault> {
        value.get_ref().as_str().map(str::to_owned).ok_or_else(|| wrong_kind(value, "a text"))
    }

    fn write(&self, form: &mut Canonical) {
        form.line(format_args!("{self:?}"));
    }

    fn kind((): &()) -> String {
        "text".to_owned()
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Described for Vec3 {
    type Limits = RangeInclusive<f32>;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<Vec3, Fault> {
        let numbers: Vec<f32> = Described::read(value, limits)?;
        let Ok([x, y, z]) = <[f32; 3]>::try_from(numbers) else { return Err(wrong_kind(value, "three numbers")) };
        Ok(Vec3::new(x, y, z))
    }

    fn write(&self, form: &mut Canonical) {
        self.to_array().to_vec().write(form);
    }

    fn kind(limits: &Self::Limits) -> String {
        format!("[x, y, z], each {} to {}", limits.start(), limits.end())
    }

    fn shown(&self) -> String {
        self.to_array().to_vec().shown()
    }
}

impl<T: Described> Described for Vec<T> {
    type Limits = T::Limits;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<Vec<T>, Fault> {
        let array: &DeArray<'_> = value.get_ref().as_array().ok_or_else(|| wrong_kind(value, "a list"))?;
        if array.len() > ENTRIES_MAX {
            return Err(Fault { span: value.span(), message: format!("more than {ENTRIES_MAX} entries") });
        }
        array.iter().map(|entry| T::read(entry, limits)).collect()
    }

    fn write(&self, form: &mut Canonical) {
        form.line(format_args!("{} entries", self.len()));
        for (index, entry) in self.iter().enumerate() {
            form.under(&index.to_string(), entry);
        }
    }

    fn kind(limits: &Self::Limits) -> String {
        format!("list of: {}", T::kind(limits))
    }

    fn shown(&self) -> String {
        format!("[{}]", self.iter().map(T::shown).collect::<Vec<_>>().join(", "))
    }

    fn rows(path: &str, rows: &mut Vec<Row>) {
        T::rows(path, rows);
    }
}

impl<T: Described> Described for Option<T> {
    type Limits = T::Limits;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<Option<T>, Fault> {
        T::read(value, limits).map(Some)
    }

    fn write(&self, form: &mut Canonical) {
        match self {
            Some(value) => value.write(form),
            None => form.line("none"),
        }
    }

    fn kind(limits: &Self::Limits) -> String {
        T::kind(limits)
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "nothing".to_owned(), T::shown)
    }

    fn rows(path: &str, rows: &mut Vec<Row>) {
        T::rows(path, rows);
    }
}

/// A table whose keys are names the description chooses: `[weapons.rifle]`.
impl<T: Described> Described for BTreeMap<String, T> {
    type Limits = T::Limits;

    fn read(value: &Value<'_>, limits: &Self::Limits) -> Result<BTreeMap<String, T>, Fault> {
        let DeValue::Table(table) = value.get_ref() else { return Err(wrong_kind(value, "a table")) };
        if table.len() > ENTRIES_MAX {
            return Err(Fault { span: value.span(), message: format!("more than {ENTRIES_MAX} entries") });
        }
        table.iter().map(|(key, entry)| Ok((key.get_ref().to_string(), T::read(entry, limits)?))).collect()
    }

    fn write(&self, form: &mut Canonical) {
        form.line(format_args!("{} entries", self.len()));
        for (key, entry) in self {
            form.under(key, entry);
        }
    }

    fn kind(limits: &Self::Limits) -> String {
        format!("any number of: {}", T::kind(limits))
    }

    fn shown(&self) -> String {
        format!("{} entries", self.len())
    }

    fn rows(path: &str, rows: &mut Vec<Row>) {
        T::rows(&format!("{path}.NAME"), rows);
    }
}

/// A choice among names that Rust code answers to.
pub(crate) trait Choice: Sized + Copy + Debug + 'static {
    const ALL: &'static [(&'static str, Self)];
    /// What is being chosen, for the message: "movement kernel".
    const WHAT: &'static str;

    fn name(self) -> &'static str;
}

pub(crate) fn read_choice<T: Choice>(value: &Value<'_>) -> Result<T, Fault> {
    let name = value.get_ref().as_str().ok_or_else(|| wrong_kind(value, "a text"))?;
    T::ALL.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice).ok_or_else(|| Fault {
        span: value.span(),
        message: format!("there is no {} `{name}`; allowed: {}", T::WHAT, names_of::<T>()),
    })
}

pub(crate) fn names_of<T: Choice>() -> String {
    T::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

pub(crate) fn write_line(form: &mut Canonical, text: &str) {
    form.line(text);
}

/// Declares an enum chosen by name: `choices! { /// doc  pub enum Colour: "colour" { /// doc  Red = "red", } }`.
macro_rules! choices {
    ($($(#[$doc:meta])* pub enum $name:ident : $what:literal {
        $($(#[$choice_doc:meta])* $choice:ident = $text:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$choice_doc])* $choice,)* }

        impl $crate::game::described::Choice for $name {
            const ALL: &'static [(&'static str, $name)] = &[$(($text, $name::$choice)),*];
            const WHAT: &'static str = $what;

            fn name(self) -> &'static str {
                match self { $($name::$choice => $text,)* }
            }
        }

        impl $crate::game::described::Described for $name {
            type Limits = ();

            fn read(value: &$crate::game::described::Value<'_>, (): &())
                -> Result<$name, $crate::game::described::Fault> {
                $crate::game::described::read_choice(value)
            }

            fn write(&self, form: &mut $crate::game::described::Canonical) {
                use $crate::game::described::Choice as _;
                $crate::game::described::write_line(form, self.name());
            }

            fn kind((): &()) -> String {
                format!("one of {}", $crate::game::described::names_of::<$name>())
            }

            fn shown(&self) -> String {
                use $crate::game::described::Choice as _;
                format!("{:?}", self.name())
            }
        }
    )*};
}

/// Declares a table: `described! { /// doc  pub struct Gun { /// meaning  pub damage: i32 = 7, in 0..=1000; } }`.
/// Without `= default` the key must be there; numbers need their limits.
macro_rules! described {
    ($($(#[$doc:meta])* pub struct $name:ident {
        $($(#[doc = $meaning:literal])+ pub $field:ident : $kind:ty $(= $default:expr)? $(, in $limits:expr)?;)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $meaning])+ pub $field: $kind,)* }

        $crate::game::described::describes! { $name {
            $($(#[doc = $meaning])+ $field: $kind $(= $default)? $(, in $limits)?;)*
        } }
    )*};
}

/// The same for a struct that is declared elsewhere: lists its keys, all of them.
macro_rules! describes {
    ($($name:ident {
        $($(#[doc = $meaning:literal])+ $field:ident : $kind:ty $(= $default:expr)? $(, in $limits:expr)?;)*
    })*) => {$(
        impl $crate::game::described::Described for $name {
            type Limits = ();

            fn read(value: &$crate::game::described::Value<'_>, (): &())
                -> Result<$name, $crate::game::described::Fault> {
                let table = $crate::game::described::Reading::open(value, &[$(stringify!($field)),*])?;
                Ok($name { $(
                    $field: $crate::game::described::describes!(@read table, $field, $kind, [$($default)?], [$($limits)?]),
                )* })
            }

            fn write(&self, form: &mut $crate::game::described::Canonical) {
                $(form.under(stringify!($field), &self.$field);)*
            }

            fn kind((): &()) -> String {
                "table".to_owned()
            }

            fn shown(&self) -> String {
                let keys: &[String] = &[$(format!("{} = {}", stringify!($field), self.$field.shown())),*];
                format!("{{ {} }}", keys.join(", "))
            }

            fn rows(path: &str, rows: &mut Vec<$crate::game::described::Row>) {
                $($crate::game::described::push_row::<$kind>(
                    rows,
                    path,
                    stringify!($field),
                    &$crate::game::described::describes!(@limits $($limits)?),
                    $crate::game::described::describes!(@default $($default)?),
                    &[$($meaning),+],
                );)*
            }
        }
    )*};
    (@read $table:ident, $field:ident, $kind:ty, [], [$($limits:expr)?]) => {
        $table.required::<$kind>(stringify!($field), &$crate::game::described::describes!(@limits $($limits)?))?
    };
    (@read $table:ident, $field:ident, $kind:ty, [$default:expr], [$($limits:expr)?]) => {
        $table.optional::<$kind>(stringify!($field), &$crate::game::described::describes!(@limits $($limits)?), $default)?
    };
    (@limits) => { () };
    (@limits $limits:expr) => { $limits };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}

pub(crate) use {choices, described, describes};

/// Adds a key to the schema, and the keys below it.
pub(crate) fn push_row<T: Described>(
    rows: &mut Vec<Row>,
    path: &str,
    field: &str,
    limits: &T::Limits,
    default: Option<T>,
    meaning: &[&str],
) {
    let key = if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
    let meaning = meaning.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    rows.push(Row {
        key: key.clone(),
        kind: T::kind(limits),
        default: default.map(|default| default.shown()),
        meaning,
    });
    T::rows(&key, rows);
}
