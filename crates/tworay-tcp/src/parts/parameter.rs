//! Parameters that users write in parentheses.

/// A parameter of a variant, given in parentheses, in order or by name: `cwl(3)`, `welcome(a=0.5)`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Default value, for a choice the index in the list; `None` if it must be given.
    pub default: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Its effect, with the unit.
    pub about: &'static str,
    /// The words to choose from; empty for a number.
    pub choices: &'static [&'static str],
}

impl Parameter {
    /// A number with a default.
    pub(crate) const fn number(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        about: &'static str,
    ) -> Self {
        Self { name, default: Some(default), min: range.0, max: range.1, about, choices: &[] }
    }

    /// One of several words; the first one is the default.
    pub(crate) const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self { name, default: Some(0.0), min: 0.0, max: (choices.len() - 1) as f64, about, choices }
    }

    /// A value as users write it.
    pub(crate) fn write(&self, value: f64) -> String {
        self.choices.get(value as usize).map_or_else(|| value.to_string(), |word| (*word).to_owned())
    }
}
