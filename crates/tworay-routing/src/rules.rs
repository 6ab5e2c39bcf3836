//! The rules that a protocol follows: those of a dialect, or of a program that a paper ran.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::{self, Formatter};
use std::marker::PhantomData;
use tworay_base::Dialect;

/// The rules that a protocol follows: the key `dialect` of its table in a scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Rules<P> {
    /// Those of a dialect.
    Dialect(Dialect),
    /// Those of a program that a paper ran.
    Paper(P),
}

/// The programs of papers that a protocol's table knows beside the dialects.
pub trait Papers: Copy + Serialize + JsonSchema + 'static {
    /// The dialects that have this protocol.
    const DIALECTS: &'static [Dialect];
    /// All programs.
    const PAPERS: &'static [Self];
    /// The names in scenario files: of the dialects, then of the programs.
    const NAMES: &'static [&'static str];
}

impl<P: Papers> Rules<P> {
    /// All rules that the table knows, in the order of [`Papers::NAMES`].
    pub fn all() -> impl Iterator<Item = Self> {
        let dialects = P::DIALECTS.iter().map(|dialect| Self::Dialect(*dialect));
        dialects.chain(P::PAPERS.iter().map(|paper| Self::Paper(*paper)))
    }
}

impl<P> Default for Rules<P> {
    fn default() -> Self {
        Self::Dialect(Dialect::default())
    }
}

impl<P> From<Dialect> for Rules<P> {
    fn from(dialect: Dialect) -> Self {
        Self::Dialect(dialect)
    }
}

impl<'de, P: Papers> Deserialize<'de> for Rules<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("Rules", P::NAMES, ByName(PhantomData))
    }
}

/// Reads rules by their name, as a derived enum of all of them would.
struct ByName<P>(PhantomData<P>);

impl<'de, P: Papers> Visitor<'de> for ByName<P> {
    type Value = Rules<P>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a dialect")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Rules<P>, A::Error> {
        let (name, access) = data.variant::<String>()?;
        access.unit_variant()?;
        let place = P::NAMES.iter().position(|known| *known == name);
        let rules = place.and_then(|place| Rules::all().nth(place));
        rules.ok_or_else(|| A::Error::unknown_variant(&name, P::NAMES))
    }
}

impl<P: Papers> JsonSchema for Rules<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let [dialects, papers] = [Dialect::json_schema(generator), P::json_schema(generator)]
            .map(|schema| schema.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default());
        let is_known = |form: &Value| form["const"].as_str().is_some_and(|name| P::NAMES.contains(&name));
        let forms: Vec<Value> = dialects.into_iter().chain(papers).filter(is_known).collect();
        schemars::json_schema!({ "description": "Whose rules the protocol follows.", "oneOf": forms })
    }
}

#[cfg(test)]
mod tests;
