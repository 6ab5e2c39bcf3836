//! Configuration errors: one type for every crate, formatted in one place.

use std::fmt;

/// Why a setting is refused: its key, what was found, and what to do instead.
///
/// Each crate checks its own table and names keys relative to it (`rto.min`). The caller that embeds the
/// table adds the table's name with [`within`](Self::within). Array elements are numbered as in the paths
/// users type: `wire.3.to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The key; for a text with a grammar of its own, such as a variant's name, the quoted text.
    pub key: String,
    /// The problem, including the value found.
    pub problem: String,
    /// The remedy, as an imperative clause without a full stop.
    pub remedy: String,
}

impl ConfigProblem {
    /// A problem with `key`.
    pub fn new(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The same as `Err`, for callers that return it at once.
    pub fn refuse<T>(
        key: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Self> {
        Err(Self::new(key, problem, remedy))
    }

    /// Prefixes the key with `table`, giving `table.key`. A key that already names the table is unchanged.
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        let inside =
            self.key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !inside {
            self.key = format!("{table}.{}", self.key);
        }
        self
    }

    /// Turns a problem with a text into a problem with `key`, whose value the text is.
    #[must_use]
    pub fn of(self, key: &str) -> Self {
        Self { problem: format!("{}: {}", self.key, self.problem), key: key.into(), ..self }
    }

    /// Key and problem in one line, with long numbers shortened: `rto.max: 1ms is below the other bounds`.
    pub fn headline(&self) -> String {
        format!("{}: {}", self.key, short_numbers(&self.problem))
    }

    /// The remedy as a sentence.
    pub fn advice(&self) -> String {
        sentence(&self.remedy)
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.headline(), self.remedy)
    }
}

impl std::error::Error for ConfigProblem {}

/// Turns a clause into a sentence: adds a full stop, and a capital unless it starts with code (`cw_min =
/// 31`).
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let word_end = text.find(' ').unwrap_or(text.len());
    let start = if text[..word_end].chars().all(char::is_alphabetic) {
        first.to_uppercase().collect::<String>()
    } else {
        first.to_string()
    };
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{start}{}{end}", letters.as_str())
}

/// Writes whole numbers of more than 20 digits as powers of ten. No valid setting is that long.
fn short_numbers(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let (digits, after) =
            number.split_at(number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len()));
        short.push_str(before);
        match digits.parse::<f64>() {
            Ok(value) if digits.len() > 20 => short.push_str(&format!("{value:e}")),
            _ => short.push_str(digits),
        }
        rest = after;
    }
    short + rest
}

#[cfg(test)]
mod tests;
