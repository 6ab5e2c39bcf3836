//! Named departures of ns-2.35's TCP agents from the RFCs and papers.
//!
//! Choices that a scenario can make (what is halved, sizes of ACKs, the form of SACK) are in
//! [`TcpConfig`](crate::TcpConfig). Here are the departures that come with such a choice in code shared by
//! all variants; the table with the choice owns them.

/// One switch per quirk; all are off in the standard dialect.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct TcpQuirks {
    /// `Agent/TCP/Newreno` detects the end of recovery only by the window's inflation. If a partial ACK has
    /// removed all inflation, the end goes unnoticed. (RFC 6582: recovery ends when everything sent before
    /// it is acknowledged.)
    pub exit_seen_by_inflation: bool,
    /// A lost SYN does not raise the initial RTO for data to 3 s. (RFC 6298 §5.7 requires it.)
    pub lost_syn_keeps_rto: bool,
    /// `Agent/TCP/Linux` sends data together with the first SYN.
    pub data_with_first_syn: bool,
    /// `Agent/TCP/Vegas` keeps send times and counts in a ring with a slot for each segment of the
    /// advertised window. An ACK that covers the end of the ring clears no slot, so the next segments in
    /// these slots look like retransmissions: they give no sample, and their loss halves the window instead
    /// of reducing it by a quarter.
    pub surviving_counts: bool,
    /// Vegas treats an empty slot of that ring as long overdue. When everything is acknowledged just after
    /// a loss, and on duplicate ACKs with nothing outstanding, the next new segment is sent at once, and
    /// again in its turn.
    pub overdue_nothing: bool,
    /// After a timeout, Vegas deflates the window to 0.
    pub forgotten_window: bool,
    /// With a window of 0 and nothing outstanding, Vegas waits for another timeout instead of sending one
    /// segment.
    pub zero_window_waits: bool,
    /// Vegas' SYN is as long as a full segment.
    pub long_syn: bool,
    /// When Vegas repeats its SYN, data follows it.
    pub data_with_repeated_syn: bool,
    /// A lost SYN does not reduce Vegas' initial window. (RFC 5681 §3.1: to one segment.)
    pub lost_syn_keeps_window: bool,
    /// A repeated SYN resets Vegas' clock to zero: for as long as the SYN had waited, no loss reduces the
    /// window.
    pub restarted_clock: bool,
}

impl TcpQuirks {
    /// The RFCs and the papers.
    pub const STANDARD: TcpQuirks = TcpQuirks {
        exit_seen_by_inflation: false,
        lost_syn_keeps_rto: false,
        data_with_first_syn: false,
        surviving_counts: false,
        overdue_nothing: false,
        forgotten_window: false,
        zero_window_waits: false,
        long_syn: false,
        data_with_repeated_syn: false,
        lost_syn_keeps_window: false,
        restarted_clock: false,
    };
}
