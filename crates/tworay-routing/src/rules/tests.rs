use super::{Papers, Rules};
use crate::{AodvPaper, DsrPaper, OlsrPaper};
use serde_json::{Value, json};

/// The words of a table's `dialect`: in the schema, read from a file, and written.
fn check<P: Papers + PartialEq + std::fmt::Debug>() {
    let names: Vec<Value> = P::NAMES.iter().map(|name| json!(name)).collect();
    let schema = serde_json::to_value(schemars::schema_for!(Rules<P>)).expect("a schema");
    let words = schema["oneOf"].as_array().expect("words").iter().map(|word| word["const"].clone());
    assert_eq!(words.collect::<Vec<_>>(), names, "the schema of {schema}");
    for (name, rules) in names.iter().zip(Rules::<P>::all()) {
        assert_eq!(serde_json::from_value::<Rules<P>>(name.clone()).expect("known rules"), rules);
        assert_eq!(&serde_json::to_value(rules).expect("a word"), name);
    }
    assert_eq!(Rules::<P>::all().count(), names.len());
}

/// A dialect without the protocol (`freeze-probing` has no AODV) is neither read nor offered.
#[test]
fn schema_files_and_rules_have_the_same_words() {
    check::<AodvPaper>();
    check::<DsrPaper>();
    check::<OlsrPaper>();
    assert!(serde_json::from_value::<Rules<AodvPaper>>(json!("freeze-probing")).is_err());
}
