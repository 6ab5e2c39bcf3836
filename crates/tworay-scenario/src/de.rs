//! Deserializes serde types from a [`TomlNode`] and records the key and place of an error.

use crate::error::{Place, ScenarioError};
use crate::schema;
use crate::tree::{Entry, Kind, Table, TomlNode};
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Unexpected, Visitor};
use std::fmt;
use tworay_base::suggest;

/// Reads a `T` from `node`; `path` is the dotted path of `node`, for messages.
pub(crate) fn read<T: DeserializeOwned>(node: &TomlNode, path: &str) -> Result<T, ScenarioError> {
    T::deserialize(node).map_err(|fault| fault.explain(node, path))
}

/// The error reported by serde, and its place; the path grows from the inside out.
#[derive(Debug)]
pub(crate) struct Fault {
    complaint: Complaint,
    place: Option<Place>,
    path: Vec<String>,
}

#[derive(Debug)]
enum Complaint {
    UnknownKey {
        key: String,
        allowed: &'static [&'static str],
    },
    UnknownValue {
        value: String,
        allowed: &'static [&'static str],
    },
    MissingKey(&'static str),
    /// The value matches none of several permitted forms.
    NoneFits,
    Mismatch {
        found: String,
        expected: String,
    },
    /// A list of wrong length.
    WrongLength {
        found: usize,
        expected: String,
    },
    Other(String),
}

impl Fault {
    fn from_complaint(complaint: Complaint) -> Self {
        Self { complaint, place: None, path: Vec::new() }
    }

    /// Sets the place unless an inner place is already set.
    fn at(mut self, place: Option<&Place>) -> Self {
        if self.place.is_none() {
            self.place = place.cloned();
        }
        self
    }

    fn under(mut self, key: &str) -> Self {
        self.path.push(key.to_owned());
        self
    }

    fn explain(mut self, root: &TomlNode, prefix: &str) -> ScenarioError {
        self.refine(root);
        let outer = Some(prefix.to_owned()).filter(|prefix| !prefix.is_empty());
        let parts: Vec<String> = outer.into_iter().chain(self.path.into_iter().rev()).collect();
        let path = parts.join(".");
        let here = if path.is_empty() { String::new() } else { format!("{path}: ") };
        let (problem, remedy) = match self.complaint {
            Complaint::UnknownKey { key, allowed } => {
                let section = if path.is_empty() { String::new() } else { format!(" in {path}") };
                let more: &[&str] = if path == "tcp" { &["variant"] } else { &[] };
                let allowed: Vec<&str> = more.iter().chain(allowed).copied().collect();
                let remedy = renamed(&path, &key).unwrap_or_else(|| key_hint(&key, &allowed));
                (format!("unknown key \"{key}\"{section}"), remedy)
            }
            Complaint::UnknownValue { value, allowed } => {
                (format!("{here}unknown value \"{value}\""), choices(&value, allowed))
            }
            Complaint::MissingKey("kind") => {
                let names: Vec<_> = schema::kinds(&path).into_iter().map(|kind| kind.name).collect();
                let remedy = format!("Add `kind = ...` here. Allowed: {}.", names.join(", "));
                (format!("{here}the key \"kind\" is missing"), remedy)
            }
            Complaint::MissingKey(key) => {
                (format!("{here}the key \"{key}\" is missing"), format!("Add `{key} = ...` here."))
            }
            Complaint::Mismatch { found, expected } => {
                let hint = whole(&found, &expected);
                let remedy =
                    of_a_kind(&path, &found).unwrap_or_else(|| format!("{hint}Expected {expected}."));
                (format!("{here}found {found}"), remedy)
            }
            Complaint::WrongLength { found, expected } => {
                // The type of a list's items is described together with the key that holds the list.
                let key = path
                    .rsplit_once('.')
                    .map_or(&*path, |(key, last)| if last.parse::<usize>().is_ok() { key } else { &*path });
                let about = schema::description(key).map(|text| format!(" {}", text.replace('\n', " ")));
                let remedy = format!("Expected {expected}.{}", about.unwrap_or_default());
                (format!("{here}found a list of {found}"), remedy)
            }
            Complaint::NoneFits => {
                let about = schema::description(&path).map(|text| text.replace('\n', " "));
                let found = find(root, &parts[usize::from(!prefix.is_empty())..]).map(describe);
                (format!("{here}found {}", found.unwrap_or_default()), about.unwrap_or_default())
            }
            Complaint::Other(text) => match text.split_once("; write it like ") {
                Some((problem, example)) => (format!("{here}{problem}"), format!("Write it like {example}.")),
                None => (format!("{here}{text}"), String::new()),
            },
        };
        ScenarioError::new(self.place, problem, remedy)
    }

    /// Serde buffers tables with a `kind` before reading them and thereby loses the inner place: find it
    /// again by the key or text in the error.
    fn refine(&mut self, root: &TomlNode) {
        let path: Vec<String> = self.path.iter().rev().cloned().collect();
        let Some(node) = find(root, &path) else { return };
        let Some(table) = node.as_table() else { return };
        match &self.complaint {
            Complaint::UnknownKey { key, .. } => {
                if let Some(entry) = table.get(key) {
                    self.place = entry.key_place.clone().or(self.place.take());
                }
            }
            Complaint::UnknownValue { value, .. } => self.refine_to_text(table, &value.clone()),
            Complaint::Other(text) => {
                let quoted = text.strip_prefix('"').and_then(|rest| rest.split_once("\": "));
                if let Some((value, _)) = quoted.map(|(v, r)| (v.to_owned(), r)) {
                    self.refine_to_text(table, &value);
                }
            }
            Complaint::Mismatch { found, .. } if describe(node) != *found => {
                let found = found.clone();
                self.refine_to(table, |node| describe(node) == found);
            }
            Complaint::WrongLength { found, .. } => {
                let found = *found;
                self.refine_to(table, |node| node.as_list().is_some_and(|items| items.len() == found));
            }
            Complaint::Mismatch { .. } | Complaint::MissingKey(_) | Complaint::NoneFits => {}
        }
    }

    fn refine_to_text(&mut self, table: &Table, value: &str) {
        self.refine_to(table, |node| node.as_text() == Some(value));
    }

    /// Moves to the only entry that fits or contains a fit; stays if there are several. Serde reads lists
    /// in order, so of a list's items the first one that fits is taken.
    fn refine_to(&mut self, table: &Table, fits: impl Fn(&TomlNode) -> bool) {
        let mut hits = table.iter().filter_map(|(key, entry)| {
            let (node, mut inner) = innermost(&entry.node, &fits)?;
            inner.push(key.clone());
            Some((node, inner))
        });
        if let (Some((node, inner)), None) = (hits.next(), hits.next()) {
            self.place = node.place.clone().or(self.place.take());
            self.path.splice(0..0, inner);
        }
    }
}

/// Advice to write a table with a `kind`, where something else stands; `None` where no such table belongs.
fn of_a_kind(path: &str, found: &str) -> Option<String> {
    let kinds = schema::kinds(path);
    // A kind's bare name is what is meant; otherwise the first is an example.
    let meant = kinds.iter().find(|kind| found == format!("the text \"{}\"", kind.name)).or(kinds.first())?;
    let needs: String = meant.needs.iter().map(|key| format!(", {key} = ...")).collect();
    let names: Vec<_> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let name = &meant.name;
    Some(format!("Expected a table such as {{ kind = \"{name}\"{needs} }}. Kinds: {}.", names.join(", ")))
}

/// Advice to write a number such as 1e3 without exponent, where a whole one is expected; empty for others.
fn whole(found: &str, expected: &str) -> String {
    let float = found.strip_prefix("the number ").filter(|text| text.contains(['.', 'e']));
    let number = float.and_then(|text| text.parse::<f64>().ok());
    match number.filter(|x| x.fract() == 0.0 && x.abs() < 1e15 && expected.starts_with("a whole number")) {
        Some(x) => format!("Write {x:.0}, without point and exponent. "),
        None => String::new(),
    }
}

/// The nearest choice, and all choices.
fn choices(found: &str, allowed: &[&str]) -> String {
    let nearest = suggest(found, allowed).or_else(|| renamed_choice(found, allowed));
    let hint = nearest.map_or_else(String::new, |nearest| format!("Did you mean \"{nearest}\"? "));
    format!("{hint}Allowed: {}.", allowed.join(", "))
}

/// The text to write instead of a key that has been renamed.
fn renamed(table: &str, key: &str) -> Option<String> {
    let remedy = match (table, key) {
        ("", "compat") => "It is called \"dialect\" now: write dialect = \"standard\" or \"ns2\".",
        ("routing.aodv" | "routing.dsr" | "routing.olsr", "preset") => {
            "It is called \"dialect\" now; of its values, those of the RFC are \"standard\"."
        }
        ("", "link") => "A wired connection is called \"wire\" now: write [[wire]], or wire.N with --set.",
        ("", "link_kind") => "It is called \"wire_kind\" now.",
        _ => return None,
    };
    Some(remedy.to_owned())
}

/// The new name of a renamed dialect.
fn renamed_choice(found: &str, allowed: &[&str]) -> Option<String> {
    let known = allowed.contains(&"standard") && matches!(found, "none" | "rfc3561" | "rfc4728" | "rfc3626");
    known.then(|| "standard".to_owned())
}

/// The nearest key, or all keys if none is near (tables have many).
fn key_hint(found: &str, allowed: &[&str]) -> String {
    match suggest(found, allowed) {
        Some(nearest) => format!("Did you mean \"{nearest}\"?"),
        None if allowed.is_empty() => "Remove it: no further keys are allowed here.".to_owned(),
        None => format!("Keys allowed here: {}.", allowed.join(", ")),
    }
}

/// The first of a list's innermost items that fits, otherwise the node itself; with its path from the
/// inside out.
fn innermost<'n>(
    node: &'n TomlNode,
    fits: &impl Fn(&TomlNode) -> bool,
) -> Option<(&'n TomlNode, Vec<String>)> {
    let mut items = node.as_list().unwrap_or_default().iter().enumerate();
    let inside = items.find_map(|(index, item)| {
        let (found, mut way) = innermost(item, fits)?;
        way.push(index.to_string());
        Some((found, way))
    });
    inside.or_else(|| fits(node).then(|| (node, Vec::new())))
}

/// The node at a path.
fn find<'n>(root: &'n TomlNode, path: &[String]) -> Option<&'n TomlNode> {
    path.iter().try_fold(root, |node, key| match &node.kind {
        Kind::Table(table) => table.get(key).map(|entry| &entry.node),
        Kind::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Description of a value, for messages.
fn describe(node: &TomlNode) -> String {
    match &node.kind {
        Kind::Text(text) => unexpected(&Unexpected::Str(text)),
        Kind::Integer(n) => unexpected(&Unexpected::Signed(*n)),
        Kind::Float(x) => unexpected(&Unexpected::Float(*x)),
        Kind::Bool(b) => unexpected(&Unexpected::Bool(*b)),
        Kind::List(_) => unexpected(&Unexpected::Seq),
        Kind::Table(_) => unexpected(&Unexpected::Map),
    }
}

fn unexpected(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("the text \"{text}\""),
        Unexpected::Signed(n) => format!("the number {n}"),
        Unexpected::Unsigned(n) => format!("the number {n}"),
        Unexpected::Float(x) => format!("the number {x:?}"),
        Unexpected::Bool(b) => format!("{b}"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        Unexpected::UnitVariant => "a bare name".to_owned(),
        other => other.to_string(),
    }
}

/// Serde's type names in terms of the scenario file.
fn expectation(expected: &dyn de::Expected) -> String {
    let text = expected.to_string();
    let words = match text.as_str() {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list in brackets",
        _ if text.starts_with("struct variant") => {
            "this choice with its settings, as in { name = { key = ... } }"
        }
        _ if text.starts_with("struct ") => "a table of keys and values",
        _ if text.contains("enum ") => "one of its names, as a text in quotes",
        _ => return text,
    };
    words.to_owned()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.complaint)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        let text = text.to_string();
        if text.starts_with("data did not match any variant") {
            return Self::from_complaint(Complaint::NoneFits);
        }
        Self::from_complaint(Complaint::Other(text))
    }
    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::from_complaint(Complaint::Mismatch {
            found: unexpected(&found),
            expected: expectation(expected),
        })
    }
    fn invalid_length(found: usize, expected: &dyn de::Expected) -> Self {
        // Serde writes "2 elements in sequence" or "an array of length 2".
        let text = expected.to_string();
        let expected = match text.split(' ').find(|word| word.parse::<usize>().is_ok()) {
            Some(number) => format!("a list of {number}"),
            None => text,
        };
        Self::from_complaint(Complaint::WrongLength { found, expected })
    }
    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }
    fn unknown_field(key: &str, allowed: &'static [&'static str]) -> Self {
        Self::from_complaint(Complaint::UnknownKey { key: key.to_owned(), allowed })
    }
    fn unknown_variant(value: &str, allowed: &'static [&'static str]) -> Self {
        Self::from_complaint(Complaint::UnknownValue { value: value.to_owned(), allowed })
    }
    fn missing_field(key: &'static str) -> Self {
        Self::from_complaint(Complaint::MissingKey(key))
    }
}

impl<'de> de::Deserializer<'de> for &'de TomlNode {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let read = match &self.kind {
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            Kind::Integer(n) => visitor.visit_i64(*n),
            Kind::Float(x) => visitor.visit_f64(*x),
            Kind::Bool(b) => visitor.visit_bool(*b),
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter().enumerate() }),
            Kind::Table(table) => visitor.visit_map(Entries { entries: table.iter(), current: None }),
        };
        read.map_err(|fault| fault.at(self.place.as_ref()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let read = match &self.kind {
            Kind::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Kind::Table(table) if table.len() == 1 => {
                visitor.visit_enum(de::value::MapAccessDeserializer::new(Entries {
                    entries: table.iter(),
                    current: None,
                }))
            }
            _ => Err(Fault::from_complaint(Complaint::Mismatch {
                found: describe(self),
                expected: format!("one of these names as a text in quotes: {}", variants.join(", ")),
            })),
        };
        read.map_err(|fault| fault.at(self.place.as_ref()))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A list's items.
struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, TomlNode>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Fault;
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        seed.deserialize(node)
            .map(Some)
            .map_err(|fault| fault.at(node.place.as_ref()).under(&index.to_string()))
    }
}

/// A table's entries.
struct Entries<'de> {
    entries: std::collections::btree_map::Iter<'de, String, Entry>,
    current: Option<(&'de String, &'de Entry)>,
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.current = self.entries.next();
        let Some((key, entry)) = self.current else { return Ok(None) };
        let name: de::value::BorrowedStrDeserializer<'de, Fault> =
            de::value::BorrowedStrDeserializer::new(key);
        seed.deserialize(name).map(Some).map_err(|fault| fault.at(entry.key_place.as_ref()))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let Some((key, entry)) = self.current else {
            return Err(de::Error::custom("a value without its key"));
        };
        // A missing key inside a table is shown at the table's name.
        seed.deserialize(&entry.node).map_err(|fault| {
            let missing = matches!(fault.complaint, Complaint::MissingKey(_));
            if missing && fault.path.is_empty() && entry.key_place.is_some() {
                Fault { place: entry.key_place.clone(), ..fault }.under(key)
            } else {
                fault.at(entry.node.place.as_ref().or(entry.key_place.as_ref())).under(key)
            }
        })
    }
}
