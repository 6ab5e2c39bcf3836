//! Enums whose values have a name, words and a definition, for tables, pages and documentation.

/// Declares such an enum. A value is written once: its doc comment is the definition, then its name in tables
/// and JSON, and its words in sentences.
macro_rules! vocabulary {
    (
        $(#[$about:meta])*
        pub enum $kind:ident {
            $($(#[doc = $definition:literal])+ $value:ident = $name:literal, $words:literal;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $kind {
            $($(#[doc = $definition])+ $value,)+
        }

        impl $kind {
            /// Every value, in the order in which tables list them.
            pub const ALL: [$kind; [$($name),+].len()] = [$($kind::$value),+];

            /// The name in tables, JSON and captures.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$value => $name,)+
                }
            }

            /// The meaning in a few words that continue a sentence.
            pub const fn words(self) -> &'static str {
                match self {
                    $($kind::$value => $words,)+
                }
            }

            /// The definition: the doc comment, with a space before every line.
            pub const fn definition(self) -> &'static str {
                match self {
                    $($kind::$value => concat!($($definition),+),)+
                }
            }
        }
    };
}

pub(crate) use vocabulary;
