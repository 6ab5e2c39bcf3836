//! Parses `recovery+part(parameters)+…`.

use super::registry::ENTRIES;
use super::{PartSpec, Variant};
use crate::control::{PredictorFactory, probing};
use crate::parts::{Entry, Meaning, Needs, Parameter, Part, RecoveryKind, Repair, Repairs, Role};
use std::str::FromStr;
use tworay_base::{ConfigProblem, suggest};

impl FromStr for Variant {
    type Err = ConfigProblem;

    fn from_str(text: &str) -> Result<Self, ConfigProblem> {
        let fail =
            |problem: String, remedy: String| ConfigProblem::new(format!("\"{text}\""), problem, remedy);
        let mut recovery: Option<(String, RecoveryKind)> = None;
        let (mut parameters, mut repairs, mut changes) = (Vec::new(), Repairs::empty(), Vec::new());
        let mut repair_ids = Vec::new();
        let mut wanted: Vec<(&Entry, Vec<f64>)> = Vec::new();
        for term in terms(text) {
            let (entry, values) = read_term(&term).map_err(|(problem, remedy)| fail(problem, remedy))?;
            let kind = match entry.meaning {
                Meaning::Recovery(kind) => kind,
                Meaning::Preset(preset) => {
                    repairs = preset.repairs;
                    changes.push(preset.configure);
                    repair_ids.push(entry.info.name);
                    preset.recovery
                }
                Meaning::Part(_) | Meaning::Repair(_) => {
                    wanted.push((entry, values));
                    continue;
                }
            };
            if let Some((name, _)) = &recovery {
                return Err(fail(
                    format!("{name} and {} are both recoveries", entry.info.name),
                    "keep one of them".into(),
                ));
            }
            recovery = Some((term_name(entry, &values), kind));
            parameters = values;
        }
        // A lone part keeps its own name.
        let alone = recovery.is_none() && wanted.len() == 1;
        let Some((base, recovery)) = recovery.or_else(|| common_base(&wanted)) else {
            return Err(fail("the name is empty".into(), "write a name such as newreno".into()));
        };
        let mut parts: Vec<PartSpec> = Vec::new();
        let mut names = Vec::from_iter((!alone).then(|| base.clone()));
        for (entry, values) in wanted {
            let (with, unless) = fits_with(entry);
            if !with.contains(&recovery) {
                let names: Vec<_> = with.iter().map(|k| k.name()).collect();
                return Err(fail(
                    format!("{} cannot be combined with {base}: {unless}", entry.info.name),
                    format!("combine it with {}", names.join(" or ")),
                ));
            }
            let name = term_name(entry, &values);
            names.push(name.clone());
            match entry.meaning {
                Meaning::Part(Part { role, needs, configure, make, .. }) => {
                    if let Some(clash) = parts.iter().find(|p| {
                        clashes(p.role, role)
                            || (p.needs.contains(Needs::PACING) && needs.contains(Needs::PACING))
                    }) {
                        return Err(fail(
                            format!("{} and {} take the same decision", clash.name, entry.info.name),
                            "keep one of them".into(),
                        ));
                    }
                    let make = make(&values);
                    let configure = configure.map(|change| (change, values));
                    parts.push(PartSpec { id: entry.info.name.into(), name, role, needs, configure, make });
                }
                Meaning::Repair(Repair { adds, configure, .. }) => {
                    if repairs.intersects(adds) {
                        return Err(fail(
                            format!(
                                "{} is in {} already",
                                entry.info.name,
                                names[..names.len() - 1].join("+")
                            ),
                            format!("leave {} out", entry.info.name),
                        ));
                    }
                    repairs |= adds;
                    changes.push(configure);
                    repair_ids.push(entry.info.name);
                }
                Meaning::Recovery(_) | Meaning::Preset(_) => {}
            }
        }
        Ok(Self { name: names.join("+"), recovery, parameters, repairs, repair_ids, changes, parts, alone })
    }
}

impl Variant {
    /// TCP-Probing with another predictor of contention, under a name of its own. `text` is a variant with the
    /// part `probing` and its other parameters: `probing`, `probing(probes=one)`, `newreno+probing+cwl(3)`.
    ///
    /// # Errors
    ///
    /// `text` is no variant, or has no part `probing`.
    pub fn probing(
        name: impl Into<String>,
        text: &str,
        make: PredictorFactory,
    ) -> Result<Self, ConfigProblem> {
        let fail = |problem: &str, remedy: String| ConfigProblem::new(format!("\"{text}\""), problem, remedy);
        let mut variant: Variant = text.parse()?;
        let own = probing::ENTRY.info.name;
        let Some(part) = variant.parts.iter_mut().find(|part| part.id == own) else {
            return Err(fail("only probing has a predictor", format!("write {own} or newreno+{own}")));
        };
        let (_, values) = read_term(&part.name).map_err(|(problem, remedy)| fail(&problem, remedy))?;
        part.make = probing::with_predictor(&values, make);
        (variant.name, variant.alone) = (name.into(), true);
        Ok(variant)
    }
}

/// The recoveries that a part or a repair can be combined with, and why no others.
fn fits_with(entry: &Entry) -> (&'static [RecoveryKind], &'static str) {
    match entry.meaning {
        Meaning::Part(Part { with, unless, .. }) | Meaning::Repair(Repair { with, unless, .. }) => {
            (with, unless)
        }
        Meaning::Recovery(_) | Meaning::Preset(_) => (RecoveryKind::ALL, ""),
    }
}

/// The recovery when none is named: the first part's first choice that fits all others too, or its first
/// choice.
fn common_base(wanted: &[(&Entry, Vec<f64>)]) -> Option<(String, RecoveryKind)> {
    let (first, _) = fits_with(wanted.first()?.0);
    let fits_all = |kind: &&RecoveryKind| wanted.iter().all(|(entry, _)| fits_with(entry).0.contains(kind));
    let kind = *first.iter().find(fits_all).unwrap_or(&first[0]);
    Some((kind.name().to_owned(), kind))
}

/// True if two roles own the same decision.
fn clashes(a: Role, b: Role) -> bool {
    a == b
        || matches!(
            (a, b),
            (Role::Whole, Role::Avoidance | Role::Growth | Role::Reduction | Role::Start)
                | (Role::Avoidance | Role::Growth | Role::Reduction | Role::Start, Role::Whole)
                | (Role::Avoidance, Role::Growth | Role::Reduction)
                | (Role::Growth | Role::Reduction, Role::Avoidance)
                | (Role::LimitAndAcks, Role::Limit | Role::Acks)
                | (Role::Limit | Role::Acks, Role::LimitAndAcks)
        )
}

/// The terms between plus signs; a name may itself end in a plus (`westwood+`, `sack+westwood++cwl(3)`).
fn terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for term in text.to_ascii_lowercase().split('+').map(str::trim) {
        match terms.last_mut() {
            Some(last) if term.is_empty() => last.push('+'),
            // `westwood+(1)`
            Some(last) if term.starts_with('(') => {
                last.push('+');
                last.push_str(term);
            }
            _ => terms.push(term.to_owned()),
        }
    }
    terms
}

fn term_name(entry: &Entry, values: &[f64]) -> String {
    if values.is_empty() {
        return entry.info.name.into();
    }
    if entry.info.parameters.iter().zip(values).all(|(p, v)| p.default == Some(*v)) {
        return entry.info.name.into();
    }
    let parameters = entry.info.parameters.iter().zip(values);
    let values: Vec<_> = if entry.info.parameters.iter().any(|p| !p.choices.is_empty()) {
        // A part with choices names only parameters that differ from the default.
        let differing = parameters.filter(|(p, v)| p.default != Some(**v));
        differing.map(|(p, v)| format!("{}={}", p.name, p.write(*v))).collect()
    } else {
        // Trailing defaults are left out.
        let last =
            entry.info.parameters.iter().zip(values).rposition(|(p, v)| p.default != Some(*v)).unwrap_or(0);
        values[..=last].iter().map(f64::to_string).collect()
    };
    format!("{}({})", entry.info.name, values.join(","))
}

/// The remedy for the name of an arm that a kernel sends.
fn kernels(name: &str) -> Option<String> {
    let controller = name.strip_prefix("kernel:")?;
    Some(format!(
        "kernels send all flows of an arm: `tworay compare --tcp {name},newreno`; one run is `tworay live run --virtual \
         --congestion {controller}`"
    ))
}

/// Parses one term and checks its parameters; otherwise returns a problem and a remedy.
fn read_term(term: &str) -> Result<(&'static Entry, Vec<f64>), (String, String)> {
    let (name, arguments) = match term.split_once('(') {
        None => (term, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(inside) => (name.trim(), Some(inside)),
            None => {
                return Err((format!("the parenthesis of {term} is not closed"), format!("write {term})")));
            }
        },
    };
    if name.is_empty() {
        return Err(("the name is empty".into(), "write a name such as newreno".into()));
    }
    let Some(entry) = ENTRIES.iter().find(|e| e.info.name == name) else {
        return Err((
            format!("there is no variant {name}"),
            kernels(name).unwrap_or_else(|| suggestion(name)),
        ));
    };
    let parameters = entry.info.parameters;
    let given: Vec<&str> = match arguments {
        None => Vec::new(),
        Some(inside) => inside.split(',').map(str::trim).collect(),
    };
    if given.len() > parameters.len() {
        return Err((
            format!("{name} takes {} and got {}", count(parameters.len()), given.len()),
            "remove the extra ones".into(),
        ));
    }
    let mut values: Vec<Option<f64>> = vec![None; parameters.len()];
    for (i, text) in given.into_iter().enumerate() {
        let (i, text) = match text.split_once('=') {
            None => (i, text),
            Some((key, text)) => (position(name, parameters, key.trim())?, text.trim()),
        };
        if values[i].is_some() {
            return Err((format!("{} is given twice", parameters[i].name), "keep one of them".into()));
        }
        values[i] = Some(read_value(name, &parameters[i], text)?);
    }
    let mut complete = Vec::with_capacity(parameters.len());
    for (value, parameter) in values.into_iter().zip(parameters) {
        let Some(value) = value.or(parameter.default) else {
            return Err((
                format!("{name} needs {} ({})", parameter.name, parameter.about),
                format!("write {name}({})", parameter.min),
            ));
        };
        complete.push(value);
    }
    Ok((entry, complete))
}

/// The index of a parameter given by name.
fn position(name: &str, parameters: &[Parameter], key: &str) -> Result<usize, (String, String)> {
    parameters.iter().position(|p| p.name == key).ok_or_else(|| {
        let names: Vec<_> = parameters.iter().map(|p| p.name).collect();
        let remedy = if names.is_empty() {
            "leave it out".into()
        } else {
            format!("choose from {}", names.join(", "))
        };
        (format!("{name} has no parameter {key}"), remedy)
    })
}

/// Parses one value and checks its range.
fn read_value(name: &str, parameter: &Parameter, text: &str) -> Result<f64, (String, String)> {
    if !parameter.choices.is_empty() {
        return parameter.choices.iter().position(|c| *c == text).map(|i| i as f64).ok_or_else(|| {
            (
                format!("{} can't be \"{text}\"", parameter.name),
                format!("choose {}", parameter.choices.join(" or ")),
            )
        });
    }
    let Ok(value) = text.parse::<f64>() else {
        return Err((
            format!("\"{text}\" is not a number"),
            format!("write {name}({})", parameter.default.unwrap_or(parameter.min)),
        ));
    };
    if !(parameter.min..=parameter.max).contains(&value) {
        return Err((
            format!("{} = {value} is out of range", parameter.name),
            format!("choose {} to {}", parameter.min, parameter.max),
        ));
    }
    Ok(value)
}

fn count(n: usize) -> String {
    match n {
        0 => "no parameter".into(),
        1 => "one parameter".into(),
        n => format!("{n} parameters"),
    }
}

/// The nearest name if one is close, otherwise all names.
fn suggestion(name: &str) -> String {
    if name.contains(".py:") {
        return "pass a Python class to a run as --tcp mine.py:Mine".into();
    }
    let names: Vec<&str> = ENTRIES.iter().map(|e| e.info.name).collect();
    match suggest(name, &names) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("choose from {}", names.join(", ")),
    }
}
