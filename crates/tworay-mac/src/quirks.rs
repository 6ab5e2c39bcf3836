//! ns-2.35's habits where they part from IEEE 802.11-1999, each named once.

/// One switch per habit of ns-2's `Mac/802_11`; all off is the standard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MacQuirks {
    /// A backoff is `random mod CW` slots, 0..CW-1 instead of 0..=CW.
    pub backoff_below_cw: bool,
    /// A backoff is drawn for every frame, also when the medium has long been idle.
    pub backoff_always: bool,
    /// EIFS after a failed reception is booked as NAV: DIFS follows it, and a later good frame doesn't end it.
    pub eifs_is_nav: bool,
    /// Energy that can't be decoded is followed by EIFS (the standard waits DIFS: there was no PHY-RXSTART).
    pub eifs_after_undecodable: bool,
    /// A CTS is sent only if the medium is idle and the NAV clear when its SIFS is over (drop reason BSY).
    pub cts_needs_idle_after_sifs: bool,
    /// Who sent a CTS waits for the DATA until its planned end, deaf to other RTSs meanwhile.
    pub cts_waits_for_data: bool,
    /// DATA that should have had an RTS/CTS is dropped unless our CTS is outstanding.
    pub data_needs_cts: bool,
    /// Only its timeout ends the wait for a CTS or an ACK: an RTS that arrives meanwhile is ignored, the ACK for
    /// DATA waits until our own exchange is over. (Standard: any other good frame means that our attempt has
    /// failed, §9.2.5.7 and §9.2.8, and is answered.)
    pub only_timeout_ends_wait: bool,
    /// CTS and ACK time out after SIFS + their airtime + 4 µs, counted from the end of the frame sent.
    pub exact_response_timeout: bool,
    /// Duplicates are recognised by the last sequence number alone, and number 0 never is one.
    pub duplicate_by_number_only: bool,
    /// Data frames carry 34 bytes of MAC overhead (four addresses, no LLC) instead of 28 + 8 (LLC/SNAP).
    pub four_address_header: bool,
    /// CTS and ACK go at the basic rate, whatever they answer. (Standard: at the highest basic rate that is not
    /// above the rate of the frame they answer, §9.6.)
    pub responses_at_basic_rate: bool,
    /// The RTS threshold is compared with the frame including 24 bytes of PLCP, "at least" instead of "more than".
    pub threshold_counts_plcp: bool,
    /// The interface queue refuses a packet when one place is still free, and routing packets jump to its very head.
    pub queue_one_short: bool,
    /// DATA after a CTS is sent only if the medium is still idle when its SIFS is over; otherwise the window
    /// doubles and RTS and backoff start anew, without counting a retry.
    pub data_needs_idle_after_sifs: bool,
    /// A busy medium is sensed at once, so a slot that ends within the CCA time is still given up.
    pub instant_carrier_sense: bool,
    /// No backoff of its own after a packet was given up (the next packet draws one anyway).
    pub no_backoff_after_give_up: bool,
    /// The count of unacknowledged DATA survives a packet that is given up for its RTSs (standard: each packet
    /// starts with counts of zero, §9.2.5.3).
    pub retries_outlive_packet: bool,
}

impl MacQuirks {
    /// IEEE 802.11-1999.
    pub const STANDARD: MacQuirks = MacQuirks {
        backoff_below_cw: false,
        backoff_always: false,
        eifs_is_nav: false,
        eifs_after_undecodable: false,
        cts_needs_idle_after_sifs: false,
        cts_waits_for_data: false,
        data_needs_cts: false,
        only_timeout_ends_wait: false,
        exact_response_timeout: false,
        duplicate_by_number_only: false,
        four_address_header: false,
        responses_at_basic_rate: false,
        threshold_counts_plcp: false,
        queue_one_short: false,
        data_needs_idle_after_sifs: false,
        instant_carrier_sense: false,
        no_backoff_after_give_up: false,
        retries_outlive_packet: false,
    };

    /// ns-2.35.
    pub const NS2: MacQuirks = MacQuirks {
        backoff_below_cw: true,
        backoff_always: true,
        eifs_is_nav: true,
        eifs_after_undecodable: true,
        cts_needs_idle_after_sifs: true,
        cts_waits_for_data: true,
        data_needs_cts: true,
        only_timeout_ends_wait: true,
        exact_response_timeout: true,
        duplicate_by_number_only: true,
        four_address_header: true,
        responses_at_basic_rate: true,
        threshold_counts_plcp: true,
        queue_one_short: true,
        data_needs_idle_after_sifs: true,
        instant_carrier_sense: true,
        no_backoff_after_give_up: true,
        retries_outlive_packet: true,
    };
}
