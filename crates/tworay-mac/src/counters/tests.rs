use super::MacCounters;

/// Counters whose n-th field, in the order of the struct, has the n-th value. A new field does not compile without a value.
fn counters(value: impl Fn(u32) -> u64) -> MacCounters {
    MacCounters {
        tx_rts: value(0),
        tx_cts: value(1),
        tx_ack: value(2),
        tx_data: value(3),
        tx_broadcast: value(4),
        rts_failures: value(5),
        ack_failures: value(6),
        give_ups_rts: value(7),
        give_ups_data: value(8),
        busy: value(9),
        duplicates: value(10),
        unexpected: value(11),
    }
}

/// Powers of two, and of three: no sum of other fields gives the same.
#[test]
fn a_sum_adds_each_field_to_its_own() {
    let mut sum = counters(|field| 1 << field);
    sum.add(&counters(|field| 3u64.pow(field + 8)));
    assert_eq!(sum, counters(|field| (1 << field) + 3u64.pow(field + 8)));
}
