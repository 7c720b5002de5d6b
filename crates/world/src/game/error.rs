//! How a fault in a game description is shown: file, line, column, the line itself with a caret under what is wrong.

use std::fmt;
use std::ops::Range;

use super::described::Fault;

/// Why a game description was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameError {
    /// The file, as the caller named it.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub message: String,
    /// The line at fault, and under it a caret for each character at fault.
    excerpt: String,
}

impl GameError {
    pub(super) fn at(file: &str, text: &str, fault: Fault) -> GameError {
        let start = boundary_before(text, fault.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let excerpt = excerpt(line, &text[line_start..line_end], column, carets(text, start..fault.span.end, line_end));
        GameError { file: file.to_owned(), line, column, message: fault.message, excerpt }
    }
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}\n{}", self.file, self.line, self.column, self.message, self.excerpt)
    }
}

impl std::error::Error for GameError {}

/// How many characters of the first line are at fault: at least one, so that there is a caret to see.
fn carets(text: &str, span: Range<usize>, line_end: usize) -> usize {
    let end = boundary_before(text, span.end.clamp(span.start, line_end));
    text[span.start..end].chars().count().max(1)
}

fn excerpt(line: usize, text: &str, column: usize, carets: usize) -> String {
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    // Tabs stay tabs under the line, so that the caret stands below its character in any terminal.
    let indent: String = text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("{gutter} |\n{number} | {text}\n{gutter} | {indent}{}", "^".repeat(carets))
}

fn boundary_before(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
