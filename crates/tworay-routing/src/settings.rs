//! Declares a protocol's settings once.

use schemars::Schema;
use serde_json::{Map, Value};

/// Defines an enumerated setting with kebab-case names.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
        }
    };
}

/// Defines a protocol's settings as values and as the table in a scenario, where `dialect` selects the values
/// of all keys that are absent. The config type implements [`FollowsDialect`](tworay_base::FollowsDialect)
/// and has a function `paper`, which gives the values of a paper's program. The schema has each key's
/// default, and under `x-dialects` the values of other rules.
macro_rules! settings {
    (
        $(#[$config_doc:meta])* $config:ident from $(#[$dialect_doc:meta])* $papers:ident, schema $schema:literal;
        $($(#[$doc:meta])* $name:ident: $type:ty,)+
    ) => {
        $(#[$config_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(from = "Overrides", into = "Overrides")]
        pub struct $config {
            $(#[$dialect_doc])*
            pub dialect: $crate::Rules<$papers>,
            $($(#[$doc])* pub $name: $type,)+
        }

        /// The table in a scenario.
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(rename = $schema)]
        struct Overrides {
            $(#[$dialect_doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            dialect: Option<$crate::Rules<$papers>>,
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] $name: Option<$type>,)+
        }

        impl $config {
            /// The values of a dialect, or of a paper's program.
            pub fn by(rules: impl Into<$crate::Rules<$papers>>) -> Self {
                match rules.into() {
                    $crate::Rules::Dialect(dialect) => <Self as tworay_base::FollowsDialect>::of(dialect),
                    $crate::Rules::Paper(paper) => Self::paper(paper),
                }
            }
        }

        impl From<$papers> for $crate::Rules<$papers> {
            fn from(paper: $papers) -> Self {
                Self::Paper(paper)
            }
        }

        impl From<Overrides> for $config {
            fn from(o: Overrides) -> Self {
                let base = Self::by(o.dialect.unwrap_or_default());
                Self { dialect: base.dialect, $($name: o.$name.unwrap_or(base.$name),)+ }
            }
        }

        impl From<$config> for Overrides {
            fn from(c: $config) -> Self {
                let base = $config::by(c.dialect);
                Self { dialect: Some(c.dialect), $($name: (c.$name != base.$name).then_some(c.$name),)+ }
            }
        }

        impl schemars::JsonSchema for $config {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                Overrides::schema_name()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let every_key = |c: $config| {
                    Overrides { dialect: Some(c.dialect), $($name: Some(c.$name),)+ }
                };
                let of = |rules| $crate::settings::written(every_key($config::by(rules)));
                let all = $crate::Rules::all().map(of).collect();
                let mut schema = Overrides::json_schema(generator);
                $crate::settings::add_defaults(&mut schema, &of($crate::Rules::default()), all);
                schema
            }
        }
    };
}

pub(crate) use {choice, settings};

/// The keys of a table and their values as a scenario would write them.
pub(crate) fn written(table: impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(table) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// Adds to a table's schema what its keys default to if no dialect is named, and in each dialect.
pub(crate) fn add_defaults(
    schema: &mut Schema,
    unnamed: &Map<String, Value>,
    dialects: Vec<Map<String, Value>>,
) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (key, property) in properties.iter_mut().filter_map(|(key, p)| Some((key, p.as_object_mut()?))) {
        let Some(default) = unnamed.get(key) else { continue };
        property.insert("default".into(), default.clone());
        let others: Map<String, Value> = dialects
            .iter()
            .filter(|values| key != "dialect" && values.get(key) != Some(default))
            .filter_map(|values| {
                Some((values.get("dialect")?.as_str()?.to_owned(), values.get(key)?.clone()))
            })
            .collect();
        if !others.is_empty() {
            property.insert("x-dialects".into(), others.into());
        }
    }
}
