//! Declares metrics: name, unit, definition, source and direction, each in one place.
//!
//! [`declare!`] generates a section of the document from its declarations. The list of all metrics, the
//! columns of the table `flows`, the tables on screen, `--metrics` and docs/reference/metrics.md follow from
//! the same lines. A new metric is one field in [`crate::results::flow_report`] or [`super::sections`], and
//! the code that counts it.

use super::columns::ColumnData;
use std::collections::BTreeMap;

/// Rule by which the value of a run is computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// Sum over the flows.
    Sum,
    /// Mean over the flows that have a value.
    Mean,
    /// One value per run.
    Run,
}

/// Which direction is better.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    More,
    /// Less is better.
    Less,
    /// Neither; it depends on the question.
    Neither,
}

/// Chapter of docs/reference/metrics.md, in the order of the page.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chapter {
    /// Delivery.
    Rates,
    /// Losses and repairs.
    Losses,
    /// Routing.
    Routing,
    /// Times, windows and paths.
    Times,
    /// Energy and computing costs.
    Energy,
    /// Effort and unused resources.
    Resources,
}

impl Chapter {
    /// The name in lists of metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Chapter::Rates => "rates",
            Chapter::Losses => "losses",
            Chapter::Routing => "routing",
            Chapter::Times => "times",
            Chapter::Energy => "energy",
            Chapter::Resources => "resources",
        }
    }
}

/// A metric, or a family of them: `mac.sent` stands for `mac.sent.rts`, `mac.sent.cts` and so on.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Metric {
    /// Path in the document; for metrics of flows only the key.
    pub name: &'static str,
    /// True if the name denotes a family.
    pub family: bool,
    /// Chapter of docs/reference/metrics.md.
    pub chapter: Chapter,
    /// Unit of the value in the document.
    pub unit: &'static str,
    /// Rule by which runs and comparisons combine flows.
    pub of: Of,
    /// Which direction is better.
    pub better: Better,
    /// Definition.
    pub definition: &'static str,
    /// Source of the definition; empty where none is needed.
    pub source: &'static str,
    /// Heading in tables, with the unit shown there; if empty, the last part of the name.
    pub heading: &'static str,
    /// Factor from the unit of the document to that of the table.
    pub scale: f64,
    /// Number format in tables, in the syntax of Python's `format`.
    pub form: &'static str,
}

impl Metric {
    const fn new(chapter: Chapter, unit: &'static str) -> Self {
        Self {
            name: "",
            family: false,
            chapter,
            unit,
            of: Of::Sum,
            better: Better::Neither,
            definition: "",
            source: "",
            heading: "",
            scale: 1.0,
            form: ",.1f",
        }
    }
    /// Marks a family of metrics.
    pub const fn family(mut self) -> Self {
        self.family = true;
        self
    }
    /// Averages over the flows instead of summing.
    pub const fn mean(mut self) -> Self {
        self.of = Of::Mean;
        self
    }
    /// Marks a metric with one value per run.
    pub const fn of_run(mut self) -> Self {
        self.of = Of::Run;
        self
    }
    /// More is better.
    pub const fn more(mut self) -> Self {
        self.better = Better::More;
        self
    }
    /// Less is better.
    pub const fn less(mut self) -> Self {
        self.better = Better::Less;
        self
    }
    /// Sets heading, factor and format for tables.
    pub const fn shown(mut self, heading: &'static str, scale: f64, form: &'static str) -> Self {
        (self.heading, self.scale, self.form) = (heading, scale, form);
        self
    }
    /// Sets the source of the definition.
    pub const fn from(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }
    /// Sets name and definition.
    pub const fn named(mut self, name: &'static str, definition: &'static str) -> Self {
        (self.name, self.definition) = (name, definition);
        self
    }
}

/// Metrics of delivery.
pub const fn rates(unit: &'static str) -> Metric {
    Metric::new(Chapter::Rates, unit)
}
/// Metrics of losses and repairs.
pub const fn losses(unit: &'static str) -> Metric {
    Metric::new(Chapter::Losses, unit)
}
/// Metrics of routing.
pub const fn routing(unit: &'static str) -> Metric {
    Metric::new(Chapter::Routing, unit)
}
/// Metrics of times, windows and paths.
pub const fn times(unit: &'static str) -> Metric {
    Metric::new(Chapter::Times, unit)
}
/// Metrics of energy and computing costs.
pub const fn energy(unit: &'static str) -> Metric {
    Metric::new(Chapter::Energy, unit)
}
/// Metrics of effort and unused resources.
pub const fn resources(unit: &'static str) -> Metric {
    Metric::new(Chapter::Resources, unit)
}

/// Values of a metric that can form a column of a table.
pub(crate) trait Cells: Sized {
    /// The column; `None` for families, which have no single column.
    fn column<'a>(values: impl Iterator<Item = &'a Self>) -> Option<ColumnData>
    where
        Self: 'a;
}

impl Cells for f64 {
    fn column<'a>(values: impl Iterator<Item = &'a Self>) -> Option<ColumnData> {
        Some(ColumnData::F64(values.copied().collect()))
    }
}

impl Cells for u64 {
    fn column<'a>(values: impl Iterator<Item = &'a Self>) -> Option<ColumnData> {
        Some(ColumnData::I64(values.map(|&v| v as i64).collect()))
    }
}

impl Cells for Option<f64> {
    fn column<'a>(values: impl Iterator<Item = &'a Self>) -> Option<ColumnData> {
        Some(ColumnData::F64(values.map(|v| v.unwrap_or(f64::NAN)).collect()))
    }
}

impl Cells for Option<u64> {
    fn column<'a>(values: impl Iterator<Item = &'a Self>) -> Option<ColumnData> {
        Some(ColumnData::MaybeI64(values.map(|v| v.map(|v| v as i64)).collect()))
    }
}

impl<V> Cells for Option<BTreeMap<&'static str, V>> {
    fn column<'a>(_: impl Iterator<Item = &'a Self>) -> Option<ColumnData>
    where
        V: 'a,
    {
        None
    }
}

/// Declares a section of the document: a struct whose fields are metrics, except those marked plain.
///
/// The doc comment of a field is the metric's definition.
macro_rules! declare {
    (
        $(#[$about:meta])*
        pub struct $Report:ident in $prefix:tt {
            $(plain {
                $($(#[doc = $note:literal])+ $key:ident: $kind:ty,)+
            })?
            $(
                $(#[doc = $definition:literal])+
                $(#[serde($($serde:tt)+)])?
                $metric:ident: $value:ty = $declared:expr,
            )+
            $(and plain {
                $($(#[doc = $last_note:literal])+ $(#[serde($($last_serde:tt)+)])? $last:ident: $last_kind:ty,)+
            })?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, serde::Serialize, PartialEq)]
        pub struct $Report {
            $($($(#[doc = $note])+ pub $key: $kind,)+)?
            $($(#[doc = $definition])+ $(#[serde($($serde)+)])? pub $metric: $value,)+
            $($($(#[doc = $last_note])+ $(#[serde($($last_serde)+)])? pub $last: $last_kind,)+)?
        }

        impl $Report {
            /// The section's metrics, in the order of its fields.
            pub(crate) const METRICS: &[$crate::results::metrics::Metric] = &[
                $($declared.named(concat!($prefix, stringify!($metric)), concat!($($definition),+)),)+
            ];
        }

        $crate::results::metrics::columns_of!($Report in $prefix: $($metric: $value,)+);
    };
}

/// Generates the columns of the table of flows; other sections have no table.
macro_rules! columns_of {
    ($Report:ident in "": $($metric:ident: $value:ty,)+) => {
        impl $Report {
            /// The flows' metrics as columns, without families.
            pub(crate) fn columns(rows: &[Self]) -> Vec<$crate::results::columns::Column> {
                let columns = [$((
                    stringify!($metric),
                    <$value as $crate::results::metrics::Cells>::column(rows.iter().map(|row| &row.$metric)),
                ),)+];
                let found = columns.into_iter().filter_map(|(name, data)| Some((name, data?)));
                found.map(|(name, data)| $crate::results::columns::Column { name, data }).collect()
            }
        }
    };
    ($($section:tt)+) => {};
}

pub(crate) use {columns_of, declare};
