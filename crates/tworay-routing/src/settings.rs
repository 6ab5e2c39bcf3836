//! Declares a protocol's settings once.

/// Defines a protocol's settings as values and as the table in a scenario, which modifies a preset. The
/// preset type's `Default` applies if the table is empty; the config type has `fn preset(Preset) -> Self`.
macro_rules! settings {
    (
        $(#[$config_doc:meta])* $config:ident from $(#[$preset_doc:meta])* $preset:ident, schema $schema:literal;
        $($(#[$doc:meta])* $name:ident: $type:ty,)+
    ) => {
        $(#[$config_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(from = "Overrides", into = "Overrides")]
        pub struct $config {
            $(#[$preset_doc])*
            pub preset: $preset,
            $($(#[$doc])* pub $name: $type,)+
        }

        /// The table in a scenario.
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(rename = $schema)]
        struct Overrides {
            $(#[$preset_doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            preset: Option<$preset>,
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] $name: Option<$type>,)+
        }

        impl From<Overrides> for $config {
            fn from(o: Overrides) -> Self {
                let base = Self::preset(o.preset.unwrap_or_default());
                Self { preset: base.preset, $($name: o.$name.unwrap_or(base.$name),)+ }
            }
        }

        impl From<$config> for Overrides {
            fn from(c: $config) -> Self {
                let base = $config::preset(c.preset);
                Self { preset: Some(c.preset), $($name: (c.$name != base.$name).then_some(c.$name),)+ }
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
