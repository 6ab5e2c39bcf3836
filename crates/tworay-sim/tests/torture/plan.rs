//! A scenario as a tree of TOML, which can be changed key by key.

use std::path::Path;
use toml::{Table, Value};
use tworay_sim::scenario::Scenario;

/// A scenario and the seed of its run. The seed stands in the file's first line.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub tree: Table,
}

/// Step of a path through a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Key(String),
    Item(usize),
}

impl Plan {
    /// Reads what [`Plan::toml`] wrote.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let first = text.lines().next().unwrap_or_default();
        let seed = first.strip_prefix("# seed ").and_then(|n| n.trim().parse().ok());
        let seed = seed.ok_or("the first line is not \"# seed N\"")?;
        Ok(Self { seed, tree: text.parse().map_err(|e| format!("{e}"))? })
    }

    /// The scenario file.
    pub fn toml(&self) -> String {
        format!("# seed {}\n{}", self.seed, toml::to_string(&self.tree).expect("a tree is TOML"))
    }

    /// The scenario, or why it is refused.
    pub fn scenario(&self) -> Result<Scenario, String> {
        let scenario = Scenario::from_toml(&self.toml(), "torture.toml", Path::new("."), &[]);
        let scenario = scenario.map_err(|e| e.to_string())?;
        scenario.setup(self.seed, false).map_err(|e| e.to_string())?;
        Ok(scenario)
    }

    /// The value at a dotted path of keys.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let mut at = self.tree.get(keys.next()?)?;
        for key in keys {
            at = at.get(key)?;
        }
        Some(at)
    }

    /// The text at a path, or this default.
    pub fn text<'a>(&'a self, path: &str, otherwise: &'a str) -> &'a str {
        self.get(path).and_then(Value::as_str).unwrap_or(otherwise)
    }

    /// Sets the value at a dotted path of keys; makes tables on the way.
    pub fn set(&mut self, path: &str, value: Value) {
        let mut keys: Vec<&str> = path.split('.').collect();
        let Some(last) = keys.pop() else { return };
        let mut at = &mut self.tree;
        for key in keys {
            let inner = at.entry(key).or_insert_with(|| Value::Table(Table::new()));
            if !inner.is_table() {
                *inner = Value::Table(Table::new());
            }
            let Some(table) = inner.as_table_mut() else { return };
            at = table;
        }
        at.insert(last.to_owned(), value);
    }

    /// The tables of an array such as `flow`.
    pub fn tables(&self, name: &str) -> impl Iterator<Item = &Table> {
        self.tree.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
    }

    /// As [`Self::tables`], to be changed.
    pub fn tables_mut(&mut self, name: &str) -> impl Iterator<Item = &mut Table> {
        let array = self.tree.get_mut(name).and_then(Value::as_array_mut);
        array.into_iter().flatten().filter_map(Value::as_table_mut)
    }

    /// Paths of all values, outer before inner.
    pub fn paths(&self) -> Vec<Vec<Step>> {
        let mut found = Vec::new();
        for (key, value) in &self.tree {
            walk(value, vec![Step::Key(key.clone())], &mut found);
        }
        found
    }

    /// The value at a path.
    pub fn at_mut(&mut self, path: &[Step]) -> Option<&mut Value> {
        let (Step::Key(first), rest) = path.split_first()? else { return None };
        rest.iter().try_fold(self.tree.get_mut(first)?, |at, step| match step {
            Step::Key(key) => at.get_mut(key),
            Step::Item(item) => at.get_mut(*item),
        })
    }

    /// Removes the value at a path; false if there is none.
    pub fn remove(&mut self, path: &[Step]) -> bool {
        let Some((last, outer)) = path.split_last() else { return false };
        match (last, outer) {
            (Step::Key(key), []) => self.tree.remove(key).is_some(),
            (Step::Key(key), outer) => match self.at_mut(outer).and_then(Value::as_table_mut) {
                Some(table) => table.remove(key).is_some(),
                None => false,
            },
            (Step::Item(item), outer) => match self.at_mut(outer).and_then(Value::as_array_mut) {
                Some(array) if *item < array.len() => {
                    array.remove(*item);
                    true
                }
                _ => false,
            },
        }
    }
}

fn walk(value: &Value, path: Vec<Step>, found: &mut Vec<Vec<Step>>) {
    found.push(path.clone());
    let below = |step: Step| path.iter().cloned().chain([step]).collect::<Vec<_>>();
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, inner)| walk(inner, below(Step::Key(key.clone())), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, inner)| walk(inner, below(Step::Item(i)), found));
        }
        _ => {}
    }
}
