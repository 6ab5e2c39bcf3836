//! Where ns-2.35 departs from IEEE 802.11-1999: one named quirk each.

/// One switch per quirk of ns-2's `Mac/802_11`; all off is the standard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MacQuirks {
    /// A backoff is `random mod CW` slots, 0..CW-1 instead of 0..=CW.
    pub backoff_below_cw: bool,
    /// Every frame draws a backoff, even when the medium has long been idle.
    pub backoff_always: bool,
    /// EIFS after a failed reception counts as NAV: DIFS follows it, and a later good frame does not end it.
    pub eifs_is_nav: bool,
    /// EIFS also follows energy that cannot be decoded. (Standard: DIFS, because there was no PHY-RXSTART.)
    pub eifs_after_undecodable: bool,
    /// A CTS is sent only if the medium is idle and the NAV clear after its SIFS (drop reason BSY).
    pub cts_needs_idle_after_sifs: bool,
    /// A station that sent a CTS waits for the DATA until its planned end and ignores other RTSs meanwhile.
    pub cts_waits_for_data: bool,
    /// DATA long enough for RTS/CTS is dropped unless this station's CTS is outstanding.
    pub data_needs_cts: bool,
    /// Only the timeout ends the wait for a CTS or an ACK. An RTS received meanwhile is ignored; the ACK for
    /// DATA received meanwhile waits until the station's own exchange ends. (Standard: any other good frame
    /// means that the attempt has failed, and is answered; §9.2.5.7, §9.2.8.)
    pub only_timeout_ends_wait: bool,
    /// The CTS and ACK timeouts are SIFS + the response's airtime + 4 µs from the end of the frame sent.
    pub exact_response_timeout: bool,
    /// The sequence number alone identifies duplicates, and number 0 is never one.
    pub duplicate_by_number_only: bool,
    /// Data frames carry 34 bytes of MAC overhead (four addresses, no LLC) instead of 28 + 8 (LLC/SNAP).
    pub four_address_header: bool,
    /// CTS and ACK are always sent at the basic rate. (Standard: at the highest basic rate not above the rate
    /// of the frame they answer, §9.6.)
    pub responses_at_basic_rate: bool,
    /// The RTS threshold is compared with the frame length including 24 bytes of PLCP, with "at least"
    /// instead of "more than".
    pub threshold_counts_plcp: bool,
    /// The interface queue drops a packet while one place is still free, and routing packets go to the head.
    pub queue_one_short: bool,
    /// DATA after a CTS is sent only if the medium is still idle after its SIFS. Otherwise the window
    /// doubles, and RTS and backoff start over without counting a retry.
    pub data_needs_idle_after_sifs: bool,
    /// A busy medium is detected at once, so a slot that ends within the CCA time is still interrupted.
    pub instant_carrier_sense: bool,
    /// No backoff is drawn after a packet was given up (the next packet draws one anyway).
    pub no_backoff_after_give_up: bool,
    /// The count of unacknowledged DATA survives a packet given up for unanswered RTSs. (Standard: each
    /// packet starts with both counts at zero, §9.2.5.3.)
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
