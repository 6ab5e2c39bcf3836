//! Rules of a variant: its action at each event, in a line with its source. They are shown to users.

/// Declares the events with the words that users read.
macro_rules! events {
    ($($(#[doc = $doc:literal])+ $name:ident => $words:literal;)+) => {
        /// Events that a rule answers.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum Event {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Event {
            /// The words that users read.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Event::$name => $words,)+
                }
            }
        }
    };
}

events! {
    /// Settings that hold from the handshake on.
    Start => "connection";
    /// An ACK of new data.
    Ack => "ACK of new data";
    /// A duplicate ACK that reports no loss yet.
    Duplicate => "duplicate ACK";
    /// A loss noticed by duplicate ACKs, by SACK blocks or by RACK.
    Loss => "fast retransmit";
    /// An ACK in fast recovery that doesn't end it.
    Recovery => "fast recovery";
    /// Fast recovery ends.
    End => "recovery ends";
    /// The retransmission timer expires.
    Timeout => "timeout";
    /// A timeout turns out to be spurious.
    Spurious => "spurious timeout";
    /// A round trip was measured.
    Sample => "round-trip sample";
    /// A round trip is over.
    Round => "each round trip";
    /// Routing reports a broken link.
    Notice => "route error";
    /// Routing has found a route.
    Route => "route found";
    /// The number of hops is known or has changed.
    Hops => "path length";
    /// The peer closes or opens its window.
    PeerWindow => "peer's window";
    /// The receiver reports about the path.
    Report => "receiver's report";
    /// A probe is answered.
    Probe => "probe answered";
    /// A timer of the variant's own expires.
    Timer => "own timer";
    /// A segment is about to be sent.
    Send => "sending";
    /// Actions of the receiver.
    Receiver => "at the receiver";
}

/// One rule of a variant.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rule {
    /// The event.
    pub event: Event,
    /// Action of the sender, or of the receiver where the event says so.
    pub action: &'static str,
    /// Section, equation or file of the source.
    pub source: &'static str,
}

impl Rule {
    /// A rule.
    pub(crate) const fn at(event: Event, action: &'static str, source: &'static str) -> Self {
        Self { event, action, source }
    }

    /// Growth of all recoveries but Vegas.
    pub(crate) const GROWTH: Self = Self::at(
        Event::Ack,
        "cwnd grows by one segment below ssthresh (slow start), by 1/cwnd above (congestion avoidance)",
        "RFC 5681 §3.1, per ACK",
    );

    /// The first two duplicate ACKs.
    pub(crate) const LIMITED_TRANSMIT: Self = Self::at(
        Event::Duplicate,
        "the first two: a new segment each, unless tcp.limited_transmit is off",
        "RFC 3042",
    );

    /// Inflation of the window in Reno's and NewReno's fast recovery.
    pub(crate) const INFLATION: Self = Self::at(
        Event::Recovery,
        "each further duplicate ACK adds a segment to the window, which may release new data",
        "RFC 5681 §3.2, steps 4 and 5",
    );

    /// The timeout of all recoveries but Vegas.
    pub(crate) const TIMEOUT: Self = Self::at(
        Event::Timeout,
        "ssthresh is half of the flight (tcp.halving), cwnd 1; the timeout doubles; sends again from the oldest on",
        "RFC 5681 §3.1, RFC 6298 §5",
    );
}
