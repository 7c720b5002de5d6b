//! What a benchmark found: rows of name, value and bar, as a table for people or as JSON for programs.

use std::fmt;

use serde::Serialize;

/// One figure and whether it reaches its bar.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// None when it could not be measured; `note` says why.
    pub(crate) value: Option<f64>,
    pub(crate) unit: &'static str,
    /// The bar in words a program can read: `>= 5`, `<= 0.01`.
    pub(crate) must: String,
    pub(crate) ok: bool,
    /// What stands behind the value, or how to get what was missing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) subject: &'static str,
    /// Figures without a bar, to be read beside somebody else's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<Table>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    /// Each with its name; none is not known.
    pub(crate) rows: Vec<(String, Vec<Option<f64>>)>,
}

/// Which side of its limit a value must lie on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Must {
    AtLeast(f64),
    AtMost(f64),
}

impl Must {
    /// Written so that what is no number fails.
    pub(crate) fn holds(self, value: f64) -> bool {
        match self {
            Must::AtLeast(limit) => value >= limit,
            Must::AtMost(limit) => value <= limit,
        }
    }
}

impl fmt::Display for Must {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Must::AtLeast(limit) => write!(f, ">= {limit}"),
            Must::AtMost(limit) => write!(f, "<= {limit}"),
        }
    }
}

impl Row {
    pub(crate) fn new(name: String, value: f64, unit: &'static str, must: Must, note: String) -> Row {
        Row { name, value: Some(value), unit, must: must.to_string(), ok: must.holds(value), note }
    }

    /// A figure that could not be had: not ok, and the note says what to do about it.
    pub(crate) fn missing(name: String, unit: &'static str, must: Must, why: &str) -> Row {
        Row { name, value: None, unit, must: must.to_string(), ok: false, note: why.to_owned() }
    }
}

impl Report {
    pub(crate) fn of(subject: &'static str, rows: Vec<Row>) -> Report {
        Report { subject, table: None, rows }
    }

    pub(crate) fn is_ok(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.ok)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            writeln!(f, "{table}")?;
        }
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for row in &self.rows {
            let value = row.value.map_or_else(|| "-".to_owned(), figure);
            let verdict = if row.ok { "ok" } else { "NOT OK" };
            let Row { name, unit, must, .. } = row;
            writeln!(f, "{name:width$}  {value:>10} {unit:<8} {must:<10} {verdict:<6}  {}", row.note)?;
        }
        let missed = self.rows.iter().filter(|row| !row.ok).count();
        writeln!(f, "{}: {} rows, {missed} not ok", self.subject, self.rows.len())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        write!(f, "{:width$}", "")?;
        self.columns.iter().try_for_each(|column| write!(f, "  {column:>11}"))?;
        writeln!(f)?;
        for (name, figures) in &self.rows {
            write!(f, "{name:width$}")?;
            for value in figures {
                write!(f, "  {:>11}", value.map_or_else(|| "-".to_owned(), figure))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Four digits are as many as a measurement has.
fn figure(value: f64) -> String {
    let magnitude = value.abs();
    if value == value.trunc() && magnitude < 1e9 {
        format!("{value}")
    } else if magnitude >= 100.0 {
        format!("{value:.1}")
    } else if magnitude >= 0.1 {
        format!("{value:.3}")
    } else {
        format!("{value:.6}")
    }
}

/// The middle value; of two in the middle the lower one.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_no_number_reaches_no_bar() {
        assert!(!Must::AtLeast(1.0).holds(f64::NAN) && !Must::AtMost(1.0).holds(f64::NAN));
        assert!(Must::AtLeast(1.0).holds(1.0) && !Must::AtLeast(1.0).holds(0.999));
    }

    #[test]
    fn a_missing_peer_fails_the_report_and_an_empty_report_fails_too() {
        let good = Row::new("a".into(), 2.0, "x", Must::AtLeast(1.0), String::new());
        let missing = Row::missing("b".into(), "x", Must::AtLeast(1.0), "install b");
        assert!(Report::of("s", vec![good.clone()]).is_ok());
        assert!(!Report::of("s", vec![good, missing]).is_ok());
        assert!(!Report::of("s", Vec::new()).is_ok());
    }

    #[test]
    fn json_has_the_agreed_keys() {
        let row = Row::new("a".into(), 2.5, "x", Must::AtLeast(1.0), String::new());
        let json = serde_json::to_string(&Report::of("s", vec![row])).unwrap();
        assert_eq!(json, r#"{"subject":"s","rows":[{"name":"a","value":2.5,"unit":"x","must":">= 1","ok":true}]}"#);
    }

    #[test]
    fn medians_stand_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.0);
        assert!(median([]).is_nan());
    }
}
