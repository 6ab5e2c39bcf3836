//! TOML as a tree whose keys and values know their source position, so that layers (defaults, file,
//! `--set`) can be merged and errors still point at the user's line.

use crate::error::{Place, ScenarioError, Source};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A value and its place; default values have none.
#[derive(Clone, Debug)]
pub(crate) struct TomlNode {
    pub kind: Kind,
    pub place: Option<Place>,
}

/// Content of a value.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    List(Vec<TomlNode>),
    Table(Table),
}

/// A table's entries by key.
pub(crate) type Table = BTreeMap<String, Entry>;

/// A value with its key's place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key_place: Option<Place>,
    pub node: TomlNode,
}

impl TomlNode {
    /// An empty table without a place.
    pub fn empty() -> Self {
        Self { kind: Kind::Table(Table::new()), place: None }
    }

    /// Parses a complete TOML document.
    pub fn parse(source: &Arc<Source>) -> Result<Self, ScenarioError> {
        let table = DeTable::parse(&source.text).map_err(|error| syntax_error(source, &error, 0))?;
        let reader = Reader { source, shift: 0 };
        Ok(Self { kind: Kind::Table(reader.table(table.get_ref())?), place: None })
    }

    /// Parses one TOML value, the bytes `span` of `source`; `None` if they are not a value.
    pub fn parse_value(source: &Arc<Source>, span: Range<usize>) -> Option<Self> {
        let value = DeValue::parse(&source.text[span.clone()]).ok()?;
        let mut node = Reader { source, shift: span.start }.node(value.get_ref(), value.span()).ok()?;
        node.place = Some(Place::new(source, span));
        Some(node)
    }

    /// Values that no user wrote, such as those of a dialect.
    pub fn from_toml(value: &toml::Value) -> Self {
        let kind = match value {
            toml::Value::String(text) => Kind::Text(text.clone()),
            toml::Value::Integer(n) => Kind::Integer(*n),
            toml::Value::Float(x) => Kind::Float(*x),
            toml::Value::Boolean(b) => Kind::Bool(*b),
            toml::Value::Datetime(d) => Kind::Text(d.to_string()),
            toml::Value::Array(items) => Kind::List(items.iter().map(Self::from_toml).collect()),
            toml::Value::Table(table) => Kind::Table(
                table
                    .iter()
                    .map(|(key, v)| (key.clone(), Entry { key_place: None, node: Self::from_toml(v) }))
                    .collect(),
            ),
        };
        Self { kind, place: None }
    }

    /// The table's entries, if this is a table.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The text, if this is a text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list's items, if this is a list.
    pub fn as_list(&self) -> Option<&[TomlNode]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// Puts `over` on top of `self`: tables are merged key by key, everything else is replaced. A table
    /// whose `kind` changes is replaced completely, because the keys of one kind do not apply to another.
    pub fn overlay(&mut self, over: TomlNode) {
        let TomlNode { kind: over_kind, place } = over;
        match (&mut self.kind, over_kind) {
            (Kind::Table(mine), Kind::Table(theirs)) if same_kind(mine, &theirs) => {
                for (key, entry) in theirs {
                    match mine.get_mut(&key) {
                        Some(old) => {
                            old.key_place = entry.key_place.or(old.key_place.take());
                            old.node.overlay(entry.node);
                        }
                        None => {
                            mine.insert(key, entry);
                        }
                    }
                }
            }
            (mine, theirs) => *mine = theirs,
        }
        self.place = place.or(self.place.take());
    }

    /// The place of the value at a dotted path such as `mac.rts_threshold` or `flow.0.to`, or of the
    /// innermost table around it that the user wrote.
    pub fn place_of(&self, path: &str) -> Option<Place> {
        let mut node = self;
        let mut place = self.place.clone();
        for part in path.split('.') {
            let (next, key_place) = match &node.kind {
                Kind::Table(table) => match table.get(part) {
                    Some(entry) => (&entry.node, &entry.key_place),
                    None => break,
                },
                Kind::List(items) => match part.parse::<usize>().ok().and_then(|i| items.get(i)) {
                    Some(item) => (item, &None),
                    None => break,
                },
                _ => break,
            };
            // A table's own span may cover many lines, so its key is the better mark.
            let own = if next.as_table().is_some() {
                key_place.as_ref().or(next.place.as_ref())
            } else {
                next.place.as_ref()
            };
            place = own.cloned().or(place);
            node = next;
        }
        place
    }
}

fn same_kind(a: &Table, b: &Table) -> bool {
    match (a.get("kind"), b.get("kind")) {
        (Some(a), Some(b)) => a.node.as_text() == b.node.as_text(),
        _ => true,
    }
}

/// Converts the parser's tree to ours; `shift` is the offset of the parsed text in the source.
struct Reader<'a> {
    source: &'a Arc<Source>,
    shift: usize,
}

impl Reader<'_> {
    fn place(&self, span: Range<usize>) -> Place {
        Place::new(self.source, span.start + self.shift..span.end + self.shift)
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Table, ScenarioError> {
        table
            .iter()
            .map(|(key, value)| {
                let node = self.node(value.get_ref(), value.span())?;
                let key_place = Some(self.place(key.span()));
                Ok((key.get_ref().to_string(), Entry { key_place, node }))
            })
            .collect()
    }

    fn node(&self, value: &DeValue<'_>, span: Range<usize>) -> Result<TomlNode, ScenarioError> {
        let place = self.place(span);
        let kind = match value {
            DeValue::String(text) => Kind::Text(text.to_string()),
            DeValue::Boolean(b) => Kind::Bool(*b),
            DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
                Ok(n) => Kind::Integer(n),
                Err(_) => return Err(ScenarioError::new(Some(place), "this number is too large", "")),
            },
            DeValue::Float(x) => match x.as_str().parse::<f64>() {
                Ok(x) if x.is_finite() => Kind::Float(x),
                _ => return Err(ScenarioError::new(Some(place), "this is not a finite number", "")),
            },
            DeValue::Datetime(_) => {
                let remedy = "Times are durations since the start of the run, such as \"10s\".";
                return Err(ScenarioError::new(Some(place), "a calendar date is not allowed here", remedy));
            }
            DeValue::Array(items) => Kind::List(
                items.iter().map(|item| self.node(item.get_ref(), item.span())).collect::<Result<_, _>>()?,
            ),
            DeValue::Table(table) => Kind::Table(self.table(table)?),
        };
        Ok(TomlNode { kind, place: Some(place) })
    }
}

fn syntax_error(source: &Arc<Source>, error: &toml::de::Error, shift: usize) -> ScenarioError {
    let span = error.span().unwrap_or(0..0);
    let place = Place::new(source, span.start + shift..span.end + shift);
    if let Some((problem, remedy)) = duplicate(source, &place, error) {
        return ScenarioError::new(Some(place), problem, remedy);
    }
    let problem = format!("this is not valid TOML: {}", error.message());
    ScenarioError::new(
        Some(place),
        problem,
        "TOML has one `key = value` a line; texts and values with a unit stand in quotes, as in `duration = \"300s\"`.",
    )
}

/// Error for a key or table that occurs twice.
fn duplicate(source: &Arc<Source>, place: &Place, error: &toml::de::Error) -> Option<(String, String)> {
    if error.message() != "duplicate key" {
        return None;
    }
    let key = place.text();
    let second = place.line();
    let is_header = |line: &str| line.trim_start().starts_with('[');
    let opens = |line: &str| line.split('#').next().map(str::trim) == Some(&*format!("[{key}]"));
    let sets = |line: &str| line.split_once('=').is_some_and(|(name, _)| name.trim() == key);
    let lines: Vec<&str> = source.text.lines().take(second).collect();
    let (&last, before) = lines.split_last()?;
    let (what, first) = if is_header(last) {
        (format!("the table [{key}]"), before.iter().rposition(|line| opens(line)))
    } else {
        // A key belongs to the last table header above it.
        let table = before.iter().rposition(|line| is_header(line)).map_or(0, |at| at + 1);
        let first = before[table..].iter().rposition(|line| sets(line));
        (format!("the key \"{key}\""), first.map(|at| at + table))
    };
    let remedy = match first {
        Some(first) => format!("Keep one of the two: the other is at line {}.", first + 1),
        None => "Keep one of the two.".to_owned(),
    };
    Some((format!("{what} occurs twice"), remedy))
}
