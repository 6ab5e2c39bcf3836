//! Declares a variant's parameters once: [`settings!`] generates the typed struct that the variant uses and
//! the [`Parameter`](super::Parameter)s that users see, write and that input is checked against.

use tworay_base::SimDuration;

/// Typed parameters of a variant.
pub(crate) trait Settings: Sized {
    /// Names, ranges, defaults and documentation, in order.
    const PARAMETERS: &'static [super::Parameter];

    /// Builds the struct from validated values: a number per parameter, for a choice its index.
    fn read(values: &[f64]) -> Self;

    /// All defaults. Panics (in tests only) if a parameter has none.
    #[cfg(test)]
    fn defaults() -> Self {
        Self::read(&Self::PARAMETERS.iter().map(|p| p.default.expect(p.name)).collect::<Vec<_>>())
    }
}

/// Converts the number given by the user.
pub(crate) trait FromNumber {
    fn from_number(value: f64) -> Self;
}

impl FromNumber for f64 {
    fn from_number(value: f64) -> Self {
        value
    }
}
impl FromNumber for u8 {
    fn from_number(value: f64) -> Self {
        value as u8
    }
}
impl FromNumber for u32 {
    fn from_number(value: f64) -> Self {
        value as u32
    }
}
impl FromNumber for usize {
    fn from_number(value: f64) -> Self {
        value as usize
    }
}
impl FromNumber for SimDuration {
    /// From seconds.
    fn from_number(value: f64) -> Self {
        SimDuration::from_secs_f64(value)
    }
}
impl FromNumber for bool {
    /// 0 or 1.
    fn from_number(value: f64) -> Self {
        value >= 0.5
    }
}

/// Text of a doc comment without its leading blank.
pub(crate) const fn doc(text: &'static str) -> &'static str {
    match text.as_bytes() {
        [b' ', ..] => text.split_at(1).1,
        _ => text,
    }
}

/// Declares a variant's parameters.
///
/// ```text
/// settings! {
///     /// The parameters of this variant.
///     struct Options {
///         /// what it does, with its unit: shown to users
///         interval: SimDuration = 2.0, 0.01..1000.0;
///         /// a number without default
///         n: f64 = required, 1.0..100.0;
///         /// one of several words; the first is the default
///         resume: Resume = ["normal" => Resume::Normal, "go_back" => Resume::GoBack];
///     }
/// }
/// ```
///
/// Ranges include both ends.
macro_rules! settings {
    (
        $(#[$about_struct:meta])*
        $visibility:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:tt $(, $min:literal .. $max:literal)?;)*
        }
    ) => {
        $(#[$about_struct])*
        #[derive(Copy, Clone, Debug)]
        $visibility struct $name {
            $($(#[doc = $doc])+ $visibility $field: $type,)*
        }

        impl $crate::parts::Settings for $name {
            const PARAMETERS: &'static [$crate::parts::Parameter] = &[
                $($crate::parts::parameter!(
                    stringify!($field), $crate::parts::doc(concat!($($doc),+)), $default $(, $min, $max)?
                ),)*
            ];

            fn read(values: &[f64]) -> Self {
                let mut values = values.iter().copied();
                Self {
                    $($field: {
                        let value = values.next().unwrap_or_default();
                        $crate::parts::value!($type, value, $default)
                    },)*
                }
            }
        }
    };
}

/// The [`Parameter`](super::Parameter) of one line of [`settings!`].
macro_rules! parameter {
    ($name:expr, $about:expr, [$($word:literal => $value:expr),+ $(,)?]) => {
        $crate::parts::Parameter::choice($name, &[$($word),+], $about)
    };
    ($name:expr, $about:expr, required, $min:literal, $max:literal) => {
        $crate::parts::Parameter {
            default: None,
            ..$crate::parts::Parameter::number($name, $min, ($min, $max), $about)
        }
    };
    ($name:expr, $about:expr, $default:expr, $min:literal, $max:literal) => {
        $crate::parts::Parameter::number($name, $default, ($min, $max), $about)
    };
}

/// The typed value of one line of [`settings!`].
macro_rules! value {
    ($type:ty, $value:ident, [$($word:literal => $choice:expr),+ $(,)?]) => {{
        const CHOICES: &[$type] = &[$($choice),+];
        CHOICES.get($value as usize).copied().unwrap_or(CHOICES[0])
    }};
    ($type:ty, $value:ident, $default:tt) => {
        <$type as $crate::parts::FromNumber>::from_number($value)
    };
}

pub(crate) use {parameter, settings, value};

#[cfg(test)]
mod tests;
