//! Tables and their columns.

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name with the unit.
    pub name: &'static str,
    /// Its values.
    pub data: ColumnData,
}

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// Real numbers; NaN where there is no value.
    F64(Vec<f64>),
    /// Integers.
    I64(Vec<i64>),
    /// Integers, with missing values.
    MaybeI64(Vec<Option<i64>>),
    /// Texts.
    Str(Vec<String>),
    /// Words of a small set: the distinct words, and for each row an index, if it has one.
    Word(Vec<&'static str>, Vec<Option<u8>>),
}

impl ColumnData {
    /// A column of at most 255 distinct words; `None` means no value.
    pub(crate) fn words(values: impl Iterator<Item = Option<&'static str>>) -> Self {
        let mut distinct: Vec<&'static str> = Vec::new();
        let rows = values
            .map(|value| {
                let word = value?;
                let place = distinct.iter().position(|known| *known == word).unwrap_or_else(|| {
                    distinct.push(word);
                    distinct.len() - 1
                });
                u8::try_from(place).ok()
            })
            .collect();
        ColumnData::Word(distinct, rows)
    }
}

/// A table; all columns have the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the table, such as `flows`, `ledger` or `series`.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A table of these columns.
pub(crate) fn table<const N: usize>(name: &'static str, columns: [(&'static str, ColumnData); N]) -> Table {
    Table { name, columns: columns.into_iter().map(|(name, data)| Column { name, data }).collect() }
}
