//! Declares a protocol's settings once.

/// Defines a protocol's settings as values and as the table in a scenario, which modifies a dialect. The
/// dialect type's `Default` applies if the table is empty; the config type has `fn dialect(Dialect) -> Self`.
macro_rules! settings {
    (
        $(#[$config_doc:meta])* $config:ident from $(#[$dialect_doc:meta])* $dialect:ident, schema $schema:literal;
        $($(#[$doc:meta])* $name:ident: $type:ty,)+
    ) => {
        $(#[$config_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(from = "Overrides", into = "Overrides")]
        pub struct $config {
            $(#[$dialect_doc])*
            pub dialect: $dialect,
            $($(#[$doc])* pub $name: $type,)+
        }

        /// The table in a scenario.
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(rename = $schema)]
        struct Overrides {
            $(#[$dialect_doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            dialect: Option<$dialect>,
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] $name: Option<$type>,)+
        }

        impl From<Overrides> for $config {
            fn from(o: Overrides) -> Self {
                let base = Self::dialect(o.dialect.unwrap_or_default());
                Self { dialect: base.dialect, $($name: o.$name.unwrap_or(base.$name),)+ }
            }
        }

        impl From<$config> for Overrides {
            fn from(c: $config) -> Self {
                let base = $config::dialect(c.dialect);
                Self { dialect: Some(c.dialect), $($name: (c.$name != base.$name).then_some(c.$name),)+ }
            }
        }

        impl schemars::JsonSchema for $config {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                Overrides::schema_name()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                Overrides::json_schema(generator)
            }
        }
    };
}

pub(crate) use settings;
