//! Numbers with units in text: `"2Mbps"`, `"250m"`, `"512B"`, `"900s"`.

use std::fmt;

/// Why a text is not a quantity: what was found, what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    found: String,
    problem: String,
    expected: String,
}

impl UnitError {
    /// An error about `found`; `expected` gives valid examples.
    pub fn new(found: &str, problem: &str, expected: &str) -> Self {
        Self { found: found.into(), problem: problem.into(), expected: expected.into() }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\": {}; write it like {}", self.found, self.problem, self.expected)
    }
}

impl std::error::Error for UnitError {}

/// Parses a number followed by one of `units` and multiplies it by the unit's factor.
pub(crate) fn parse_with_units(
    text: &str,
    what: &str,
    example: &str,
    units: &[(&str, f64)],
) -> Result<f64, UnitError> {
    let trimmed = text.trim();
    let split = trimmed
        .char_indices()
        .find(|&(i, c)| {
            let exponent_sign =
                (c == '+' || c == '-') && i > 0 && matches!(trimmed.as_bytes()[i - 1], b'e' | b'E');
            let exponent = (c == 'e' || c == 'E')
                && trimmed[i + 1..].starts_with(|n: char| n.is_ascii_digit() || n == '-' || n == '+');
            !(c.is_ascii_digit()
                || c == '.'
                || c == '_'
                || (i == 0 && (c == '-' || c == '+'))
                || exponent
                || exponent_sign)
        })
        .map_or(trimmed.len(), |(i, _)| i);
    let (number, unit) = trimmed.split_at(split);
    let unit = unit.trim();
    let names = || units.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
    let value: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| UnitError::new(text, &format!("this is not {what}"), example))?;
    if !value.is_finite() {
        return Err(UnitError::new(text, &format!("this is not {what}"), example));
    }
    if unit.is_empty() {
        return Err(UnitError::new(text, &format!("the unit is missing (one of {})", names()), example));
    }
    match units.iter().find(|(n, _)| *n == unit) {
        Some((_, factor)) => Ok(value * factor),
        None => Err(UnitError::new(
            text,
            &format!("\"{unit}\" is not a unit of {what} (one of {})", names()),
            example,
        )),
    }
}

/// Serde and JSON Schema of a quantity by its `Display` and `FromStr`.
macro_rules! unit_serde {
    ($type:ty, $name:literal, $about:literal, $pattern:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct V;
                impl serde::de::Visitor<'_> for V {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($about)
                    }
                    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<$type, E> {
                        v.parse().map_err(E::custom)
                    }
                }
                d.deserialize_any(V)
            }
        }
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "description": $about, "pattern": $pattern})
            }
        }
    };
}
pub(crate) use unit_serde;
