//! Errors in scenarios: problem, place and remedy.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Why a scenario cannot be used. `Display` gives the whole message: file, line and column, the problem,
/// the line itself with carets under the place, and the remedy.
#[derive(Clone, Debug)]
pub struct ScenarioError(Box<Report>);

#[derive(Clone, Debug)]
struct Report {
    place: Option<Place>,
    problem: String,
    remedy: String,
}

impl ScenarioError {
    /// An error that points at `place`, if given.
    pub(crate) fn new(place: Option<Place>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self(Box::new(Report { place, problem: problem.into(), remedy: remedy.into() }))
    }

    /// An error without a place in a file.
    pub fn general(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(None, problem, remedy)
    }

    /// The problem in one sentence.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// The remedy: what is allowed, or what to do; may be empty.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// File name, line and column (both from 1) of the place, if the error has one in a file.
    pub fn position(&self) -> Option<(&str, usize, usize)> {
        let place = self.0.place.as_ref().filter(|place| place.source.has_lines)?;
        let spot = place.spot();
        Some((&place.source.name, spot.line, spot.column))
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { place, problem, remedy } = &*self.0;
        match place {
            Some(place) => place.fmt_with(f, problem)?,
            None => f.write_str(problem)?,
        }
        if !remedy.is_empty() {
            write!(f, "\n{remedy}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// A text to which places refer: a scenario file or one `--set` option.
#[derive(Debug)]
pub(crate) struct Source {
    /// File name as given by the user, or `--set`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// True if line and column are meaningful; false for `--set`.
    pub has_lines: bool,
}

/// A range of a source.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    source: Arc<Source>,
    span: Range<usize>,
}

/// Position of a place, and the part of its line to show.
struct Spot {
    line: usize,
    column: usize,
    shown: String,
    indent: usize,
    carets: usize,
}

/// Longer lines are shown only in part.
const SHOWN: usize = 120;

impl Place {
    /// The bytes `span` of `source`; a span beyond the text is clamped.
    pub fn new(source: &Arc<Source>, span: Range<usize>) -> Self {
        let end = span.end.min(source.text.len());
        Self { source: Arc::clone(source), span: span.start.min(end)..end }
    }

    /// The text that it covers.
    pub fn text(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or("")
    }

    /// True if it is in an option such as `--set`, and not in a file.
    pub fn is_of_command(&self) -> bool {
        !self.source.has_lines
    }

    /// Number of the line in which it starts, from 1.
    pub fn line(&self) -> usize {
        self.spot().line
    }

    fn spot(&self) -> Spot {
        let text = &self.source.text;
        let mut start = self.span.start;
        // A place at the very end, after the last line break, belongs to the last line.
        while start > 0 && start == text.len() && text.ends_with('\n') && text[..start].ends_with('\n') {
            start -= 1;
        }
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let rest = text[line_start..].lines().next().unwrap_or("");
        let column = text[line_start..start].chars().count();
        let length = rest.chars().count();
        let covered =
            text.get(start..self.span.end).map_or(0, |s| s.chars().take_while(|&c| c != '\n').count());
        let skipped = if length <= SHOWN { 0 } else { column.saturating_sub(SHOWN / 3) };
        let shown: String =
            rest.chars().skip(skipped).take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let room = shown.chars().count().saturating_sub(column - skipped);
        Spot { line, column: column + 1, carets: covered.min(room).max(1), indent: column - skipped, shown }
    }

    fn fmt_with(&self, f: &mut fmt::Formatter<'_>, problem: &str) -> fmt::Result {
        let Spot { line, column, shown, indent, carets } = self.spot();
        let (head, number) = if self.source.has_lines {
            (format!("{}:{line}:{column}", self.source.name), line.to_string())
        } else {
            (self.source.name.clone(), String::new())
        };
        let gutter = " ".repeat(number.len());
        writeln!(f, "{head}: {problem}")?;
        writeln!(f, "{}", format!("  {number} | {shown}").trim_end())?;
        write!(f, "  {gutter} | {}{}", " ".repeat(indent), "^".repeat(carets))
    }
}

#[cfg(test)]
mod tests;
