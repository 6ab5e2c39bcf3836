//! The names of a struct's fields as serde knows them.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The keys of a struct in the order of its declaration; empty if `T` is not a struct.
pub(crate) fn fields_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // Deserializing fails on purpose once the names are known.
    let _: Result<T, _> = T::deserialize(Names(&mut fields));
    fields
}

/// Deserializer without a value that records the fields it is asked for.
struct Names<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("only names are read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// In TOML, values must precede tables: a value after a table would belong to that table.
    #[test]
    fn values_come_before_tables() {
        let fields = fields_of::<Settings>();
        assert_eq!(fields.first(), Some(&"name"));
        let value = toml::Table::try_from(Settings::default()).expect("a table");
        let is_table = |key: &&str| value.get(*key).is_some_and(|v| v.is_table() || v.is_array());
        let first = fields.iter().position(is_table).expect("a table");
        assert!(fields[first..].iter().all(|key| value.get(*key).is_none() || is_table(key)), "{fields:?}");
        assert!(value.keys().all(|key| fields.contains(&key.as_str())), "every key has its place");
    }
}
