//! What is wrong with a variant's name.

use std::fmt;

/// Why a text names no variant, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantError {
    pub(super) text: String,
    pub(super) problem: String,
    pub(super) remedy: String,
}

impl VariantError {
    /// What is wrong.
    pub fn problem(&self) -> &str {
        &self.problem
    }
    /// What to do instead.
    pub fn remedy(&self) -> &str {
        &self.remedy
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\": {}; {}", self.text, self.problem, self.remedy)
    }
}

impl std::error::Error for VariantError {}

/// Edit distance (insert, delete, replace), for suggestions.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
