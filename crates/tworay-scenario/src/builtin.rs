//! The built-in scenarios: TOML files in `scenarios/`, one line each in the list below.

mod dumbbell;
mod pairs;

use self::dumbbell::{Dumbbell, Schedule, Shape};
use self::pairs::Pairs;
use crate::error::ScenarioError;
use tworay_base::suggest;

/// A built-in scenario, or a family of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinInfo {
    /// Name; capital letters stand for numbers, as in `string-N`.
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// A name that can be run: `string-4` for `string-N`.
    pub example: String,
}

/// One file of `scenarios/`. The text of a family has `{N}` where the name has N.
struct Builtin {
    name: &'static str,
    text: &'static str,
    /// Placeholders, with an example and a range.
    numbers: &'static [Number],
    /// For dumbbells, whose wires and flows are generated.
    dumbbell: Option<Dumbbell>,
    /// For families with a number of flows: how to generate the flows in place of `{FLOWS}`.
    pairs: Option<Pairs>,
}

struct Number {
    letter: char,
    example: u32,
    most: u32,
}

impl Builtin {
    const fn one(name: &'static str, text: &'static str) -> Self {
        Self { name, text, numbers: &[], dumbbell: None, pairs: None }
    }

    const fn family(name: &'static str, text: &'static str, numbers: &'static [Number]) -> Self {
        Self { name, text, numbers, dumbbell: None, pairs: None }
    }

    const fn flows(name: &'static str, text: &'static str, numbers: &'static [Number], pairs: Pairs) -> Self {
        Self { name, text, numbers, dumbbell: None, pairs: Some(pairs) }
    }

    const fn dumbbell(name: &'static str, shape: Shape, schedule: Schedule) -> Self {
        let text = match shape {
            Shape::Plain => include_str!("../scenarios/dumbbell-N.toml"),
            Shape::Split => include_str!("../scenarios/split-dumbbell-N.toml"),
            Shape::Shared => include_str!("../scenarios/bottleneck-N.toml"),
        };
        let numbers = &[Number { letter: 'N', example: 10, most: 1000 }];
        Self { name, text, numbers, dumbbell: Some(Dumbbell { shape, schedule }), pairs: None }
    }
}

/// To add a scenario, put its file into `scenarios/` and add a line here. If the names of two families
/// start alike, the one with the longer name comes first.
const BUILTINS: &[Builtin] = &[
    Builtin::flows(
        "string-HxN",
        include_str!("../scenarios/string-HxN.toml"),
        &[Number { letter: 'H', example: 4, most: 64 }, Number { letter: 'N', example: 2, most: 20 }],
        Pairs::EndToEnd,
    ),
    Builtin::family(
        "string-N",
        include_str!("../scenarios/string-N.toml"),
        &[Number { letter: 'N', example: 4, most: 64 }],
    ),
    Builtin::family(
        "grid-RxC",
        include_str!("../scenarios/grid-RxC.toml"),
        &[Number { letter: 'R', example: 5, most: 100 }, Number { letter: 'C', example: 5, most: 100 }],
    ),
    Builtin::one("cross", include_str!("../scenarios/cross.toml")),
    Builtin::one("mesh-3", include_str!("../scenarios/mesh-3.toml")),
    Builtin::one("mesh-6", include_str!("../scenarios/mesh-6.toml")),
    Builtin::flows(
        "strip-50-N",
        include_str!("../scenarios/strip-50-N.toml"),
        &[Number { letter: 'N', example: 5, most: 25 }],
        Pairs::Apart,
    ),
    Builtin::flows(
        "square-50-N",
        include_str!("../scenarios/square-50-N.toml"),
        &[Number { letter: 'N', example: 5, most: 25 }],
        Pairs::Apart,
    ),
    Builtin::one("strip-50", include_str!("../scenarios/strip-50.toml")),
    Builtin::one("square-50", include_str!("../scenarios/square-50.toml")),
    Builtin::one("route-break", include_str!("../scenarios/route-break.toml")),
    Builtin::one("energy-field", include_str!("../scenarios/energy-field.toml")),
    Builtin::one("energy-field-lost-link", include_str!("../scenarios/energy-field-lost-link.toml")),
    Builtin::one("channel-errors", include_str!("../scenarios/channel-errors.toml")),
    Builtin::one("congestion", include_str!("../scenarios/congestion.toml")),
    Builtin::one("interference", include_str!("../scenarios/interference.toml")),
    Builtin::one("link-failure", include_str!("../scenarios/link-failure.toml")),
    Builtin::one("link-failure-shorter", include_str!("../scenarios/link-failure-shorter.toml")),
    Builtin::one("signal-loss", include_str!("../scenarios/signal-loss.toml")),
    Builtin::dumbbell("bottleneck-N", Shape::Shared, Schedule::Steady),
    Builtin::dumbbell("dumbbell-decrease-N", Shape::Plain, Schedule::Decrease),
    Builtin::dumbbell("dumbbell-increase-N", Shape::Plain, Schedule::Increase),
    Builtin::dumbbell("dumbbell-N", Shape::Plain, Schedule::Steady),
    Builtin::dumbbell("split-dumbbell-decrease-N", Shape::Split, Schedule::Decrease),
    Builtin::dumbbell("split-dumbbell-increase-N", Shape::Split, Schedule::Increase),
    Builtin::dumbbell("split-dumbbell-N", Shape::Split, Schedule::Steady),
    Builtin::one("street-n", include_str!("../scenarios/street-n.toml")),
    Builtin::one("mesh-ac-25", include_str!("../scenarios/mesh-ac-25.toml")),
    Builtin::one("hidden-n", include_str!("../scenarios/hidden-n.toml")),
    Builtin::one("freeze-probing-field", include_str!("../scenarios/freeze-probing-field.toml")),
    Builtin::one("freeze-probing-field-udp", include_str!("../scenarios/freeze-probing-field-udp.toml")),
];

/// Every built-in scenario, in listing order.
pub fn builtin_list() -> Vec<BuiltinInfo> {
    let info = |builtin: &Builtin| BuiltinInfo {
        name: builtin.name.to_owned(),
        summary: summary(builtin),
        example: builtin.example(),
    };
    BUILTINS.iter().map(info).collect()
}

/// The TOML text of a built-in scenario, to copy and change. For the name of a family, such as `string-N`,
/// the text of its example.
pub fn builtin_text(name: &str) -> Option<String> {
    let family = BUILTINS.iter().find(|builtin| builtin.name == name).map(Builtin::example);
    find(family.as_deref().unwrap_or(name)).ok()
}

/// The text of the built-in scenario `name`, with numbers in place of the letters.
pub(crate) fn find(name: &str) -> Result<String, ScenarioError> {
    let fail = |problem: String, remedy: String| Err(ScenarioError::new(None, problem, remedy));
    for builtin in BUILTINS {
        let Some(values) = builtin.matches(name) else { continue };
        for (number, value) in builtin.numbers.iter().zip(&values) {
            if !value.is_some_and(|v| (1..=number.most).contains(&v)) {
                let remedy = format!(
                    "Write a number from 1 to {} in place of {}, as in \"{}\".",
                    number.most,
                    number.letter,
                    builtin.example()
                );
                return fail(format!("\"{name}\" is not a scenario of the family {}", builtin.name), remedy);
            }
        }
        let values: Vec<u32> = values.into_iter().flatten().collect();
        if !values.is_empty() && nodes(builtin, &values) < 2 {
            let problem = format!("\"{name}\" has one node: nothing can be sent");
            return fail(problem, format!("Take a larger one, such as \"{}\".", builtin.example()));
        }
        return Ok(builtin.render(&values));
    }
    let names: Vec<String> = BUILTINS.iter().map(Builtin::example).collect();
    let nearest = suggest(name, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let hint = nearest.map_or_else(String::new, |nearest| format!("Did you mean \"{nearest}\"? "));
    let shown: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    fail(
        format!("\"{name}\" is neither a file nor a built-in scenario"),
        format!("{hint}Built in: {}. The name of a file of your own ends in \".toml\".", shown.join(", ")),
    )
}

/// Number of nodes of a family's member: a grid may have a single row or column, but not both.
fn nodes(builtin: &Builtin, values: &[u32]) -> u32 {
    if builtin.name.starts_with("grid") { values.iter().product() } else { 2 }
}

fn summary(builtin: &Builtin) -> String {
    let line = builtin.text.lines().find_map(|line| line.strip_prefix("summary = \"")?.strip_suffix('"'));
    let when = builtin.dumbbell.map_or("", Dumbbell::when);
    let text = line.unwrap_or_default().replace("{WHEN}", when);
    builtin
        .numbers
        .iter()
        .fold(text, |text, n| text.replace(&format!("{{{}}}", n.letter), &n.letter.to_string()))
}

impl Builtin {
    fn example(&self) -> String {
        self.numbers
            .iter()
            .fold(self.name.to_owned(), |name, n| name.replacen(n.letter, &n.example.to_string(), 1))
    }

    /// The values at the letters of the family's name (`None` for a value that is not a number); `None` if
    /// `name` does not belong to this family.
    fn matches(&self, name: &str) -> Option<Vec<Option<u32>>> {
        let mut pattern = self.name;
        let mut rest = name;
        let mut values = Vec::new();
        for number in self.numbers {
            let (before, after) = pattern.split_once(number.letter)?;
            rest = rest.strip_prefix(before)?;
            // The value extends to the next fixed character of the pattern, or to the end.
            let end = after.chars().next().map_or(Some(rest.len()), |next| rest.find(next))?;
            let (word, tail) = rest.split_at(end);
            values.push(word.parse().ok().filter(|_| !word.starts_with(['+', '0'])));
            pattern = after;
            rest = tail;
        }
        (rest == pattern).then_some(values)
    }

    fn render(&self, values: &[u32]) -> String {
        let mut text = match (self.dumbbell, values) {
            (Some(dumbbell), &[n]) => dumbbell.render(self.text, n),
            _ => self.text.to_owned(),
        };
        if let Some(pairs) = self.pairs {
            text = text.replace("{FLOWS}", &pairs.render(values));
        }
        for (number, value) in self.numbers.iter().zip(values) {
            text = text.replace(&format!("{{{}}}", number.letter), &value.to_string());
        }
        // Number of the last node of a grid.
        text.replace("{LAST}", &(values.iter().product::<u32>().saturating_sub(1)).to_string())
    }
}

#[cfg(test)]
mod tests;
