//! What is wrong with a setting: one type for every room, and one way to say it.

use std::fmt;

/// Why a setting can't be used: which one, what was found, what to do instead.
///
/// A room checks its own table and names keys relative to it (`rto.min`); whoever embeds the table says
/// where it stands with [`within`](Self::within). Keys of arrays are written as users write them in paths:
/// `link.3.to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The key, or the quoted text where the setting is a text with a grammar of its own (a variant's name).
    pub key: String,
    /// What is wrong, with the value that was found.
    pub problem: String,
    /// What is allowed, or what to do: a clause in the imperative, without a full stop.
    pub remedy: String,
}

impl ConfigProblem {
    /// A problem of `key`.
    pub fn new(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The same as an error, for the many places that return it at once.
    pub fn refuse<T>(
        key: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Self> {
        Err(Self::new(key, problem, remedy))
    }

    /// The same problem seen from outside `table`: its key becomes `table.key`. Keys that name the table
    /// already are left as they are.
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        let inside =
            self.key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !inside {
            self.key = format!("{table}.{}", self.key);
        }
        self
    }

    /// The problem of a text as that of the key whose value it is.
    #[must_use]
    pub fn of(self, key: &str) -> Self {
        Self { problem: format!("{}: {}", self.key, self.problem), key: key.into(), ..self }
    }

    /// Key and problem in one line, numbers of many digits shortened: `rto.max: 1ms is below the other bounds`.
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

/// A clause as a sentence: with a capital, unless it starts with code (`cw_min = 31`), and a full stop.
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

/// The text with whole numbers of more than 20 digits, which no setting has, as powers of ten.
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
