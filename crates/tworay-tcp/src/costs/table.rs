//! The table of costs as text: reads the shipped table and overlays a user's own.
//!
//! Lines that start with `#` say where the figures come from. They are followed by a heading and one line
//! per variant: `variant`, any of `recovery`, `unit` and `power`, and operations by name. Empty cells,
//! operations without a column and variants without a line keep the shipped values.

use super::COSTS_CSV;
use crate::costs::Operation;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;
use tworay_base::{Watts, suggest};

/// A measured run time and the power drawn during it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Timed {
    /// Run time, s.
    pub seconds: f64,
    /// Power, W.
    pub watts: f64,
}

/// Costs of one variant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The recovery with which the variant was measured.
    pub recovery: String,
    pub instructions: [f64; Operation::COUNT],
    /// Run times that replace the instructions.
    pub timed: [Option<Timed>; Operation::COUNT],
}

/// Costs of every variant's operations.
#[derive(Clone, Debug, PartialEq)]
pub struct CostTable {
    lines: BTreeMap<String, Line>,
    provenance: Vec<String>,
    given: Vec<String>,
}

/// An error in a table of costs: its place in the text, the problem and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostProblem {
    /// Place in the text, in bytes.
    pub span: Range<usize>,
    /// The fault.
    pub problem: String,
    /// The way to mend it.
    pub remedy: String,
}

const VARIANT: &str = "variant";
const RECOVERY: &str = "recovery";
const UNIT: &str = "unit";
const POWER: &str = "power";
/// The recoveries that variants can have been measured with.
const RECOVERIES: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "vegas"];
/// Upper limit of any operation's cost, in instructions or nanoseconds.
const MOST: f64 = 1e12;

static SHIPPED: LazyLock<CostTable> = LazyLock::new(|| {
    let bare = CostTable { lines: BTreeMap::new(), provenance: Vec::new(), given: Vec::new() };
    let read = bare.overlaid(COSTS_CSV, |_| None);
    CostTable { given: Vec::new(), ..read.expect("the table that ships can be read: a test does") }
});

impl CostTable {
    /// The shipped table.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads a user's own table; entries it does not contain keep the shipped values.
    pub fn read(text: &str) -> Result<Self, CostProblem> {
        let known: Vec<&str> = SHIPPED.lines.keys().map(String::as_str).collect();
        SHIPPED.overlaid(text, |name| (!known.contains(&name)).then(|| suggestion(name, &known)))
    }

    /// The comments of the text without their marks: where the figures come from.
    pub fn provenance(&self) -> &[String] {
        &self.provenance
    }

    /// The variants for which the user's own table has lines; empty for the shipped table.
    pub fn given(&self) -> &[String] {
        &self.given
    }

    pub(super) fn line(&self, name: &str) -> Option<&Line> {
        self.lines.get(name)
    }

    #[cfg(test)]
    pub(super) fn lines(&self) -> &BTreeMap<String, Line> {
        &self.lines
    }

    /// This table with another's text on top; `unknown` suggests a name close to an unknown one.
    fn overlaid(&self, text: &str, unknown: impl Fn(&str) -> Option<String>) -> Result<Self, CostProblem> {
        let mut table = self.clone();
        table.provenance.clear();
        let mut heading: Option<Heading> = None;
        let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for whole in text[start..].split_inclusive('\n') {
            let (begin, line) = (start, whole.trim_end());
            start += whole.len();
            if let Some(comment) = line.trim_start().strip_prefix('#') {
                table.provenance.push(comment.trim().to_owned());
            } else if line.trim().is_empty() {
                continue;
            } else if let Some(heading) = &heading {
                table.lay(
                    Row { heading, cells: &cells(line, begin), span: begin..begin + line.len() },
                    &unknown,
                )?;
            } else {
                heading = Some(Heading::read(&cells(line, begin), begin..begin + line.len())?);
            }
        }
        if table.given.is_empty() {
            return Err(problem(
                text.len()..text.len(),
                "there is no line for a variant".into(),
                format!("{FORM} `tworay costs --out FILE.csv` writes such a table."),
            ));
        }
        Ok(table)
    }

    fn lay(&mut self, row: Row, unknown: &impl Fn(&str) -> Option<String>) -> Result<(), CostProblem> {
        let (wanted, found) = (row.heading.columns.len(), row.cells.len());
        if wanted != found {
            return Err(problem(
                row.span,
                format!("{found} cells under a heading of {wanted}"),
                "Give one cell per column; an empty cell keeps the shipped value.".into(),
            ));
        }
        let name = row.cell(CostColumn::Variant).ok_or_else(|| {
            problem(
                row.span.clone(),
                "variant is empty".into(),
                "Name one; `tworay variants` lists them.".into(),
            )
        })?;
        if let Some(near) = unknown(name.text) {
            return Err(problem(
                name.span(),
                format!("variant: \"{}\" is not a variant", name.text),
                format!("{near} Combinations are computed from the lines of their parts."),
            ));
        }
        if self.given.iter().any(|known| known == name.text) {
            return Err(problem(
                name.span(),
                format!("variant: \"{}\" already has a line", name.text),
                "Give each variant one line.".into(),
            ));
        }
        let recovery = match row.cell(CostColumn::Recovery) {
            Some(cell) if RECOVERIES.contains(&cell.text) => Some(cell.text.to_owned()),
            Some(cell) => {
                let text = cell.text;
                let remedy = format!("{} {FORM}", suggestion(text, &RECOVERIES));
                return Err(problem(cell.span(), format!("recovery: \"{text}\" is not a recovery"), remedy));
            }
            None => None,
        };
        let unit = row.unit()?;
        let line = self.lines.entry(name.text.to_owned()).or_insert_with(|| Line {
            recovery: name.text.to_owned(),
            instructions: [0.0; Operation::COUNT],
            timed: [None; Operation::COUNT],
        });
        if let Some(recovery) = recovery {
            line.recovery = recovery;
        }
        for &operation in Operation::ALL {
            let Some(cell) = row.cell(CostColumn::Operation(operation)) else { continue };
            let number = cell.number(name.text, operation, &unit)?;
            let at = operation as usize;
            match unit {
                Unit::Instructions => (line.instructions[at], line.timed[at]) = (number, None),
                Unit::Nanoseconds { watts } => line.timed[at] = Some(Timed { seconds: number * 1e-9, watts }),
            }
        }
        self.given.push(name.text.to_owned());
        Ok(())
    }
}

/// Format of a table, for messages.
const FORM: &str = "A table has a heading such as \"variant,recovery,unit,power,timeout\" and lines such as \
                    \"newreno,newreno,instructions,,1084.9\" or \"newreno,newreno,ns,2.5W,310\".";

/// A column of a table of costs.
#[derive(Copy, Clone, PartialEq, Eq)]
enum CostColumn {
    Variant,
    Recovery,
    Unit,
    Power,
    Operation(Operation),
}

impl CostColumn {
    fn of(name: &str) -> Option<Self> {
        match name {
            VARIANT => Some(CostColumn::Variant),
            RECOVERY => Some(CostColumn::Recovery),
            UNIT => Some(CostColumn::Unit),
            POWER => Some(CostColumn::Power),
            _ => Operation::ALL.iter().copied().find(|o| o.name() == name).map(CostColumn::Operation),
        }
    }
}

enum Unit {
    Instructions,
    Nanoseconds { watts: f64 },
}

struct Heading {
    columns: Vec<CostColumn>,
}

impl Heading {
    fn read(cells: &[Cell], span: Range<usize>) -> Result<Self, CostProblem> {
        let mut columns: Vec<CostColumn> = Vec::with_capacity(cells.len());
        for cell in cells {
            let Some(column) = CostColumn::of(cell.text) else {
                let mut names = vec![VARIANT, RECOVERY, UNIT, POWER];
                names.extend(Operation::ALL.iter().map(|o| o.name()));
                let text = format!("\"{}\" is neither a column nor an operation", cell.text);
                return Err(problem(cell.span(), text, suggestion(cell.text, &names)));
            };
            if columns.contains(&column) {
                let text = format!("there are two columns \"{}\"", cell.text);
                return Err(problem(cell.span(), text, "Remove one of them.".into()));
            }
            columns.push(column);
        }
        let missing = match columns.iter().any(|c| matches!(c, CostColumn::Operation(_))) {
            _ if !columns.contains(&CostColumn::Variant) => "there is no column \"variant\"",
            false => "there is no operation column",
            true => return Ok(Self { columns }),
        };
        Err(problem(span, missing.into(), FORM.into()))
    }
}

struct Row<'a> {
    heading: &'a Heading,
    cells: &'a [Cell<'a>],
    span: Range<usize>,
}

impl Row<'_> {
    /// The cell of a column unless it is empty.
    fn cell(&self, column: CostColumn) -> Option<&Cell<'_>> {
        let at = self.heading.columns.iter().position(|c| *c == column)?;
        self.cells.get(at).filter(|cell| !cell.text.is_empty())
    }

    fn unit(&self) -> Result<Unit, CostProblem> {
        let power = self.cell(CostColumn::Power);
        let unit = self.cell(CostColumn::Unit);
        match unit.map_or("instructions", |cell| cell.text) {
            "instructions" => match power {
                Some(cell) => Err(problem(
                    cell.span(),
                    format!("power: \"{}\" given for instructions", cell.text),
                    "Leave it empty (the energy of an instruction is the scenario's energy.instruction), or \
                     give unit ns."
                        .into(),
                )),
                None => Ok(Unit::Instructions),
            },
            "ns" => {
                const REMEDY: &str = "Give the power that the processor draws while it computes, above 0W and \
                                      at most 10000W, such as 2.5W.";
                let Some(cell) = power else {
                    let span = unit.map_or(self.span.clone(), Cell::span);
                    return Err(problem(span, "run times without a power".into(), REMEDY.into()));
                };
                let watts = cell.text.parse::<Watts>().ok().map(Watts::get);
                match watts.filter(|w| *w > 0.0 && *w <= 1e4) {
                    Some(watts) => Ok(Unit::Nanoseconds { watts }),
                    None => Err(problem(
                        cell.span(),
                        format!("power: \"{}\" is not a power above zero", cell.text),
                        REMEDY.into(),
                    )),
                }
            }
            other => Err(problem(
                unit.map_or(self.span.clone(), Cell::span),
                format!("unit: \"{other}\" is not a unit"),
                "Give instructions, or ns for measured run times.".into(),
            )),
        }
    }
}

/// The text between two commas, without surrounding blanks and quotes.
struct Cell<'a> {
    text: &'a str,
    start: usize,
}

impl Cell<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn number(&self, variant: &str, operation: Operation, unit: &Unit) -> Result<f64, CostProblem> {
        let what = match unit {
            Unit::Instructions => "instructions",
            Unit::Nanoseconds { .. } => "nanoseconds",
        };
        let text = self.text;
        let wrong = match text.parse::<f64>() {
            Ok(number) if (0.0..=MOST).contains(&number) => return Ok(number),
            Ok(number) if number < 0.0 => "is negative",
            Ok(number) if number > MOST => "is more than any operation takes",
            _ => "is not a number",
        };
        Err(problem(
            self.span(),
            format!("{} of {variant}: \"{text}\" {wrong}", operation.name()),
            format!(
                "Give {what} per operation, 0 to 1e12, such as 1253.7; leave the cell empty to keep the shipped value."
            ),
        ))
    }
}

fn cells(line: &str, begin: usize) -> Vec<Cell<'_>> {
    let mut at = begin;
    let mut all = Vec::new();
    for raw in line.split(',') {
        let lead = raw.len() - raw.trim_start().len();
        let bare = raw.trim();
        let inner = bare.strip_prefix('"').and_then(|b| b.strip_suffix('"'));
        let quote = usize::from(inner.is_some());
        all.push(Cell { text: inner.unwrap_or(bare), start: at + lead + quote });
        at += raw.len() + 1;
    }
    all
}

fn problem(span: Range<usize>, problem: String, remedy: String) -> CostProblem {
    CostProblem { span, problem, remedy }
}

/// A remedy: the closest name, and all valid names.
fn suggestion(name: &str, among: &[&str]) -> String {
    let hint = suggest(name, among).map_or(String::new(), |known| format!("Did you mean \"{known}\"? "));
    format!("{hint}Choose from {}.", among.join(", "))
}
