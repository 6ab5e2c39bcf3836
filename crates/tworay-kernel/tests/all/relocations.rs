//! Every field of kernel types that our programs use also exists in Linux 6.1, the oldest supported kernel.
//!
//! `data/debian-6.1.0-56.btf` was made by `bpftool gen min_core_btf` for our objects from the type
//! information of Debian's kernel 6.1.0-56-cloud-amd64. It contains only the fields to which relocations
//! were resolved there.

use libbpf_rs::btf::types::Composite;
use libbpf_rs::btf::{Btf, TypeId};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tworay_kernel::catalog::CONTROLLERS;
use tworay_kernel::{leaving, stats};

const OTHER_KERNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/debian-6.1.0-56.btf");
/// Types declared in bpf/kernel.h; a suffix after three underscores is ours.
const TYPES: [&str; 14] = [
    "ack_sample",
    "bpf_iter__tcp",
    "bpf_iter_meta",
    "inet_connection_sock",
    "net",
    "ns_common",
    "possible_net_t",
    "sk_buff",
    "sock",
    "sock_common",
    "tcp_congestion_ops___name",
    "tcp_options_received",
    "tcp_skb_cb",
    "tcp_sock",
];

/// Names of a type's members, including members of anonymous members.
fn members(types: &Btf<'_>, one: &Composite<'_>, found: &mut BTreeSet<String>) {
    for member in one.iter() {
        match member.name {
            Some(name) => {
                found.insert(name.to_string_lossy().into_owned());
            }
            None => descend(types, member.ty, found),
        }
    }
}

fn descend(types: &Btf<'_>, id: TypeId, found: &mut BTreeSet<String>) {
    if let Some(inner) = types.type_by_id::<Composite<'_>>(id) {
        members(types, &inner, found);
    }
}

fn fields(types: &Btf<'_>, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(one) = types.type_by_name::<Composite<'_>>(name) {
        members(types, &one, &mut found);
    }
    found
}

#[test]
fn the_fields_that_our_programs_read_are_in_the_oldest_kernel() {
    let other = Btf::from_path(OTHER_KERNEL).expect("type information");
    let objects = CONTROLLERS
        .iter()
        .map(|c| (c.name, c.object))
        .chain([("cost", stats::OBJECT), ("leave", leaving::OBJECT)]);
    let mut checked = BTreeSet::new();
    for (name, object) in objects {
        assert!(!object.is_empty(), "{name}: built without clang; `make kernel` installs it");
        let ours = Btf::from_raw(name, object).expect("an object").expect("with type information");
        for declared in TYPES {
            let theirs = declared.split("___").next().unwrap_or(declared);
            let missing: Vec<_> =
                fields(&ours, declared).difference(&fields(&other, theirs)).cloned().collect();
            assert!(missing.is_empty(), "{name}: 6.1 resolves no {missing:?} of {theirs}");
            checked.extend(fields(&ours, declared).into_iter().map(|field| (declared, field)));
        }
    }
    // Guards against checking too little.
    assert!(checked.len() > 30, "{}", checked.len());
}

/// bpftool resolves the relocations of our objects against that kernel's type information. It needs exactly
/// what the file contains: nothing is missing, and nothing in it is unused.
#[test]
fn bpftool_resolves_every_relocation_against_the_oldest_kernel() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let found = place.join("found.btf");
    let mut order = Command::new("bpftool");
    order.args(["gen", "min_core_btf", OTHER_KERNEL]).arg(&found);
    for (name, object) in CONTROLLERS
        .iter()
        .map(|c| (c.name, c.object))
        .chain([("cost", stats::OBJECT), ("leave", leaving::OBJECT)])
    {
        let file = place.join(format!("{name}.bpf.o"));
        std::fs::write(&file, object).expect("a file");
        order.arg(file);
    }
    // Not every user's path includes root's programs.
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = order.env("PATH", path).output().expect("bpftool; install the package bpftool");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (found, known) =
        (std::fs::read(found).expect("a file"), std::fs::read(OTHER_KERNEL).expect("a file"));
    assert!(
        found == known,
        "the relocations have changed: make data/ anew from a 6.1 kernel's type information"
    );
}
