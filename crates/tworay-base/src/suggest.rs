//! Finds the nearest known word, for "did you mean".

/// The member of `among` nearest to `word` by Damerau-Levenshtein distance, ignoring case. `None` if even the
/// nearest is no plausible misspelling: more than a third of its letters differ.
pub fn suggest(word: &str, among: &[&str]) -> Option<String> {
    let wanted: Vec<char> = word.to_lowercase().chars().take(MAX_LENGTH).collect();
    let distances = among.iter().map(|candidate| {
        let letters: Vec<char> = candidate.to_lowercase().chars().take(MAX_LENGTH).collect();
        (distance(&wanted, &letters), letters.len(), *candidate)
    });
    let (far, length, best) = distances.min_by_key(|&(far, _, _)| far)?;
    (far <= wanted.len().max(length).div_ceil(3)).then(|| best.to_owned())
}

/// Longer words are cut off to keep the table below small.
const MAX_LENGTH: usize = 64;

/// Damerau-Levenshtein distance in its "optimal string alignment" form: insertions, deletions, substitutions
/// and swaps of adjacent letters cost one each.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests;
