//! The shape of a run's document and tables: every key with its type, and which keys the digests cover.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tworay_sim::{ColumnData, RunReport, Table};

/// The digests of a run, one per part of its results.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Flows,
    Ledger,
    Mac,
    Routing,
    Energy,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Flows, Part::Ledger, Part::Mac, Part::Routing, Part::Energy];

    pub fn name(self) -> &'static str {
        ["flows", "ledger", "mac", "routing", "energy"][self as usize]
    }

    /// The part that covers a key of the document or a column `table:column`; `None` for names and words, for
    /// what differs between equal runs, and for tables that repeat the document or are long.
    pub fn of(key: &str) -> Option<Part> {
        match key.split(['.', ':', '[']).next()? {
            "flows" if key.starts_with("flows:") => None,
            "energy" if key.starts_with("energy.costs") => None,
            "sim_seconds" | "flows" | "metrics" | "retransmissions" | "paths" => Some(Part::Flows),
            "ledger" | "diagnosis" | "guesses" => Some(Part::Ledger),
            "mac" => Some(Part::Mac),
            "routing" => Some(Part::Routing),
            "energy" => Some(Part::Energy),
            _ => None,
        }
    }
}

/// Keys with the type of their values; columns of tables are written `table:column`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape(BTreeMap<String, &'static str>);

impl Shape {
    /// Adds the keys of a run.
    pub fn add(&mut self, report: &RunReport, document: &Value) {
        let families: BTreeSet<&str> =
            tworay_sim::metrics().iter().filter(|m| m.family).map(|m| m.name).collect();
        self.walk("", document, &families);
        for table in report.tables() {
            for column in &table.columns {
                self.put(format!("{}:{}", table.name, column.name), kind_of_column(&column.data));
            }
        }
    }

    /// Adds the keys of other runs.
    pub fn join(&mut self, other: Shape) {
        other.0.into_iter().for_each(|(key, kind)| self.put(key, kind));
    }

    fn walk(&mut self, path: &str, value: &Value, families: &BTreeSet<&str>) {
        let metric = path.strip_prefix("flows[].").unwrap_or(path);
        match value {
            Value::Object(map) if path != "diagnosis" && !families.contains(metric) => {
                for (key, value) in map {
                    self.walk(format!("{path}.{key}").trim_start_matches('.'), value, families);
                }
            }
            Value::Array(rows) if rows.iter().all(Value::is_object) => {
                rows.iter().for_each(|row| self.walk(&format!("{path}[]"), row, families));
            }
            _ => self.put(path.to_owned(), kind_of(value)),
        }
    }

    fn put(&mut self, key: String, kind: &'static str) {
        let known = self.0.entry(key).or_insert(kind);
        if *known == NULL {
            *known = kind;
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The lines of `schema.txt`, with a star before covered keys.
    pub fn lines(&self, covered: &BTreeSet<String>) -> String {
        let mut text = String::new();
        for (key, kind) in &self.0 {
            let mark = if covered.contains(key) { '*' } else { ' ' };
            writeln!(text, "{mark} {key} {kind}").expect("writing to a string");
        }
        text
    }
}

/// The covered keys of a `schema.txt` without its first line.
pub fn covered(lines: &str) -> BTreeSet<String> {
    let starred = lines.lines().filter_map(|line| line.strip_prefix("* "));
    starred.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// A type that no run of the golden ones has shown.
const NULL: &str = "null";

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "family",
    }
}

fn kind_of_column(data: &ColumnData) -> &'static str {
    match data {
        ColumnData::F64(_) => "number",
        ColumnData::I64(_) | ColumnData::MaybeI64(_) => "integer",
        ColumnData::Str(_) | ColumnData::Word(..) => "text",
    }
}

/// The digests of a run over the covered keys, in the order of [`Part::ALL`]: FNV-1a, 64 bit, of a line
/// `key=value` per key.
pub fn digests(document: &Value, tables: &[Table], covered: &BTreeSet<String>) -> [u64; 5] {
    Part::ALL.map(|part| {
        let mut text = String::new();
        for key in covered.iter().filter(|key| Part::of(key) == Some(part)) {
            let found = match key.split_once(':') {
                Some((table, column)) => column_text(tables, table, column),
                None => value_text(document, key),
            };
            writeln!(text, "{key}={found}").expect("writing to a string");
        }
        fnv1a(&text)
    })
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The value at a path of keys, `flows[].` for each flow.
fn value_text(document: &Value, key: &str) -> String {
    if let Some((list, rest)) = key.split_once("[].") {
        let rows = document.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        return rows.iter().map(|row| value_text(row, rest)).collect::<Vec<_>>().join(";");
    }
    canonical(key.split('.').try_fold(document, |at, name| at.get(name)).unwrap_or(&Value::Null))
}

/// A value as text that no formatting of numbers can change: of real numbers the bits. Zeros in maps are left
/// out, so that a new word that never occurs (a cause, a reason) changes no digest.
fn canonical(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) if n.is_f64() => real(n.as_f64().unwrap_or(f64::NAN)),
        Value::Number(n) => n.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            let sorted: BTreeMap<&String, String> = map.iter().map(|(k, v)| (k, canonical(v))).collect();
            let some = sorted.into_iter().filter(|(_, v)| !NOTHING.contains(&v.as_str()));
            format!("{{{}}}", some.map(|(k, v)| format!("{k}:{v}")).collect::<Vec<_>>().join(","))
        }
    }
}

/// Zero as an integer and as a real number, no value, and a map of nothing else.
const NOTHING: [&str; 4] = ["0", "x0000000000000000", "-", "{}"];

fn real(value: f64) -> String {
    if value.is_nan() { "-".into() } else { format!("x{:016x}", value.to_bits()) }
}

fn column_text(tables: &[Table], table: &str, column: &str) -> String {
    let found =
        tables.iter().find(|t| t.name == table).and_then(|t| t.columns.iter().find(|c| c.name == column));
    let cells: Vec<String> = match found.map(|c| &c.data) {
        None => return "-".into(),
        Some(ColumnData::F64(values)) => values.iter().map(|&v| real(v)).collect(),
        Some(ColumnData::I64(values)) => values.iter().map(i64::to_string).collect(),
        Some(ColumnData::MaybeI64(values)) => {
            values.iter().map(|v| v.map_or_else(|| "-".into(), |v| v.to_string())).collect()
        }
        Some(ColumnData::Str(values)) => values.clone(),
        Some(ColumnData::Word(words, rows)) => {
            rows.iter().map(|row| row.map_or("-", |at| words[usize::from(at)]).to_owned()).collect()
        }
    };
    cells.join(",")
}
