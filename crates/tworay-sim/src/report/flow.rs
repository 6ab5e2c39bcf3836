//! What the document has of each flow.

use super::metrics::{declare, energy, losses, rates, times};
use std::collections::BTreeMap;

declare! {
    /// One flow's results. Rates are bits per second over the time from the flow's start (or the end of the
    /// warm-up, if that is later) to the end of the run (or to its completion); windows are in segments. With
    /// a warm-up, every figure but `handshake_seconds`, `connection_seconds` and `completion_seconds` leaves
    /// it out.
    pub struct FlowReport in "" {
        plain {
            /// Index of the flow in the scenario.
            id: u16,
            /// Sending node.
            from: u16,
            /// Receiving node.
            to: u16,
            /// The TCP variant; `null` for UDP.
            tcp: Option<String>,
        }
        /// in-order payload that reached the receiving application, by time from the flow's start (or the
        /// warm-up's end) to the run's end or the flow's completion
        goodput_bps: f64 = rates("bit/s").more().shown("goodput kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005; Psaras et al., On protocol engineering (original bytes over connection time)"),
        /// payload sent, retransmissions included
        throughput_bps: f64 = rates("bit/s").shown("throughput kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005, without headers"),
        /// payload acknowledged at the sender, each byte once, in whole segments; of UDP, datagrams received
        acked_segments: u64 = rates("segments").more().shown("acked", 1.0, ",.1f")
                .from("Papanastasiou 2006, chapters 3 and 5"),
        /// segments with payload sent, retransmissions included; of UDP, datagrams
        sent_segments: u64 = rates("segments").shown("sent", 1.0, ",.1f")
                .from("this project"),
        /// segments sent again
        retransmitted_segments: u64 = losses("segments").less()
                .shown("retransmitted", 1.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006; Papanastasiou 2006"),
        /// expiries of the retransmission timer with data outstanding
        timeouts: u64 = losses("count").less().shown("timeouts", 1.0, ",.1f")
                .from("Papanastasiou 2006, §3.4"),
        /// time from the last segment sent to each expiry of the retransmission timer, summed
        rto_idle_seconds: f64 = losses("s").less().shown("idle in RTO s", 1.0, ",.1f")
                .from("Papanastasiou 2006, §3.4"),
        /// recoveries entered by duplicate ACKs
        fast_retransmits: u64 = losses("count").shown("fast retransmits", 1.0, ",.1f")
                .from("RFC 5681"),
        /// empty probes of the path or of a closed window
        probes_sent: u64 = losses("count").shown("probes", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005"),
        /// how often a variant stopped its sender (Freeze-Probing, Probing, ELFN)
        freezes: u64 = losses("count").from("TCP Freeze-Probing 2005"),
        /// how long the sender was stopped, in stops that are over
        frozen_seconds: f64 = losses("s").shown("frozen s", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005"),
        /// time-weighted mean of min(cwnd, advertised window)
        mean_cwnd_segments: Option<f64> = times("segments").mean().shown("cwnd", 1.0, ",.2f")
                .from("Papanastasiou 2006, figure 3.11"),
        /// sent and not acknowledged, as the sender sees it, time-weighted
        mean_in_flight_segments: Option<f64> = times("segments").mean().shown("in flight", 1.0, ",.2f")
                .from("Papanastasiou 2006, figure 3.11"),
        /// time-weighted mean of the smoothed round-trip time
        mean_rtt_seconds: Option<f64> = times("s").mean().less().shown("RTT ms", 1e3, ",.0f")
                .from("RFC 6298"),
        /// start to the acknowledgment of everything
        completion_seconds: Option<f64> = times("s").mean().less().shown("completion s", 1.0, ",.2f"),
        /// everything sent by the sender: TCP and IP headers, retransmissions, probes
        sent_bps: f64 = rates("bit/s").shown("sent kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005; Psaras et al., On protocol engineering (T of EEE and UAR)"),
        /// segments sent again by all segments sent
        retransmission_ratio: Option<f64> = losses("0..1").mean().less()
                .shown("sent again %", 100.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006; Papanastasiou 2006"),
        /// `acked_segments` by `sent_segments`, at most 1: which share of what was sent brought payload across
        /// (of UDP, the usual packet delivery ratio)
        delivery_ratio: Option<f64> = rates("0..1").mean().more()
                .shown("delivered %", 100.0, ",.1f").from("Broch et al. 1998"),
        /// from the flow's start to the opening of the connection
        handshake_seconds: Option<f64> = times("s").mean().less().shown("handshake s", 1.0, ",.3f")
                .from("Papanastasiou 2006"),
        /// first segment sent to last new ACK; a lower bound while `completion_seconds` is null
        connection_seconds: Option<f64> = times("s").mean().shown("connection s", 1.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006, figure 3; endless transfers are censored"),
        /// time in handshake, slow start (cwnd < ssthresh), congestion avoidance, fast recovery, repair after a
        /// timeout, frozen; they add up to the time from the flow's start to the run's end
        phase_seconds: Option<BTreeMap<&'static str, f64>> = times("s").family().mean()
                .from("Papanastasiou 2006, table 4.3 (whose \"RTO\" is `rto_idle_seconds` and the repair)"),
        /// data segments that exist in the network (shipped, neither delivered nor lost), time-weighted; table
        /// `alive` has every change
        mean_data_alive_segments: f64 = times("segments").mean().shown("data alive", 1.0, ",.2f")
                .from("Papanastasiou 2006, figures 3.11 and 5.7, table 5.3 (which averages over changes: docs/studies/thesis-rts.md)"),
        /// acknowledgments that exist in the network, time-weighted
        mean_ack_alive_segments: f64 = times("segments").mean().shown("ACKs alive", 1.0, ",.2f")
                .from("Papanastasiou 2006, figures 3.11 and 5.7"),
        /// one-way delay of data, transport to transport, over first arrivals
        mean_delay_seconds: Option<f64> = times("s").mean().less().shown("delay ms", 1e3, ",.1f"),
        /// mean difference of the delays of consecutive arrivals
        jitter_seconds: Option<f64> = times("s").mean().less().shown("jitter ms", 1e3, ",.1f")
                .from("RFC 3550's quantity, unsmoothed"),
        /// hops travelled by arrived data; table `paths` has packets by number of hops
        mean_hops: Option<f64> = times("hops").mean().shown("hops", 1.0, ",.2f")
                .from("Papanastasiou 2006 (path lengths)"),
        /// segments and notices that an end ignored: ACKs for data never sent (`ack-too-high`), forged or
        /// unexpected probes (`stray-probe`), notices of a broken link with nothing in flight (`stray-notice`), …
        ignored: Option<BTreeMap<&'static str, u64>> = losses("count").family().from("this project"),
        /// what the sender did: ACK in slow start or congestion avoidance, duplicate ACK, fast retransmit,
        /// recovery ACK, timeout, RTT sample, filter update, classification, probe
        operations: Option<BTreeMap<&'static str, u64>> = energy("count").family()
                .from("Ghaleb-Seddik et al. 2012, §V"),
        /// `operations` times the instructions that the table of costs has for each
        instructions: Option<f64> = energy("count").less().shown("", 1.0, ",.0f")
                .from("Ghaleb-Seddik et al. 2012, §V"),
        /// `operations` times the run times that the table of costs has instead (none in the table that ships)
        #[serde(skip_serializing_if = "Option::is_none")]
        computing_seconds: Option<f64> = energy("s").less().shown("computing s", 1.0, ",.3g")
                .from("Ghaleb-Seddik et al. 2012, §V"),
    }
}
