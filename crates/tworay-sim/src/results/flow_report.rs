//! The flows' section of the document.

use super::metrics::{declare, energy, losses, rates, times};
use std::collections::BTreeMap;

declare! {
    /// Results of one flow. Rates are in bits per second from the flow's start (or the end of the warm-up,
    /// if later) to the end of the run (or the flow's completion); windows are in segments. With a warm-up,
    /// every figure except `handshake_seconds`, `connection_seconds` and `completion_seconds` excludes it.
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
        /// in-order payload delivered to the receiving application, per time from the flow's start (or the
        /// end of the warm-up) to the end of the run or the flow's completion
        goodput_bps: f64 = rates("bit/s").more().shown("goodput kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005; Psaras et al., On protocol engineering (original bytes over connection time)"),
        /// payload sent per time, including retransmissions
        throughput_bps: f64 = rates("bit/s").shown("throughput kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005, without headers"),
        /// payload acknowledged at the sender, each byte once, in whole segments; for UDP, datagrams
        /// received
        acked_segments: u64 = rates("segments").more().shown("acked", 1.0, ",.1f")
                .from("Papanastasiou 2006, chapters 3 and 5"),
        /// segments with payload sent, including retransmissions; for UDP, datagrams
        sent_segments: u64 = rates("segments").shown("sent", 1.0, ",.1f")
                .from("this project"),
        /// retransmitted segments
        retransmitted_segments: u64 = losses("segments").less()
                .shown("retransmitted", 1.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006; Papanastasiou 2006"),
        /// expiries of the retransmission timer with data outstanding; null where the sender is a kernel that
        /// doesn't count them (before Linux 6.7)
        timeouts: Option<u64> = losses("count").less().shown("timeouts", 1.0, ",.1f")
                .from("Papanastasiou 2006, §3.4"),
        /// time from the last segment sent to the expiry of the retransmission timer, summed over all
        /// expiries; null where `timeouts` is
        rto_idle_seconds: Option<f64> = losses("s").less().shown("idle in RTO s", 1.0, ",.1f")
                .from("Papanastasiou 2006, §3.4"),
        /// recoveries started by duplicate ACKs, and freezes before which they made the sender repeat a segment
        /// (Freeze-Probing, ATCP)
        fast_retransmits: u64 = losses("count").shown("fast retransmits", 1.0, ",.1f")
                .from("RFC 5681"),
        /// empty segments sent to probe the path or a closed window; null where the sender is a kernel
        probes_sent: Option<u64> = losses("count").shown("probes", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005"),
        /// number of times the variant stopped its sender (Freeze-Probing, Probing, ELFN)
        freezes: u64 = losses("count").from("TCP Freeze-Probing 2005"),
        /// time for which the variant stopped its sender, completed stops only
        frozen_seconds: f64 = losses("s").shown("frozen s", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005"),
        /// time-weighted mean of min(cwnd, advertised window)
        mean_cwnd_segments: Option<f64> = times("segments").mean().shown("cwnd", 1.0, ",.2f")
                .from("Papanastasiou 2006, figure 3.11"),
        /// segments sent and not yet acknowledged, as seen by the sender, time-weighted mean
        mean_in_flight_segments: Option<f64> = times("segments").mean().shown("in flight", 1.0, ",.2f")
                .from("Papanastasiou 2006, figure 3.11"),
        /// time-weighted mean of the sender's smoothed round-trip time: an estimate that changes by an eighth with
        /// each sample and stays as it is while nothing is acknowledged, so that flows with pauses may show less
        /// than the delay of their data
        mean_rtt_seconds: Option<f64> = times("s").mean().less().shown("SRTT ms", 1e3, ",.0f")
                .from("RFC 6298"),
        /// time from the flow's start to the acknowledgment of everything sent; of a program's connection to its end
        completion_seconds: Option<f64> = times("s").mean().less().shown("completion s", 1.0, ",.2f"),
        /// IP bytes sent by the sender per time, including headers, retransmissions and probes
        sent_bps: f64 = rates("bit/s").shown("sent kb/s", 1e-3, ",.1f")
                .from("TCP Freeze-Probing 2005; Psaras et al., On protocol engineering (T of EEE and UAR)"),
        /// the time over which the flow's rates are, as a share of that from the start of the first flow (or the end
        /// of the warm-up) to the end of the run: rates times their shares are over the same time and can be added
        measured_share: f64 = rates("0..1").mean().from("this project"),
        /// `retransmitted_segments` divided by `sent_segments`
        retransmission_ratio: Option<f64> = losses("0..1").mean().less()
                .shown("sent again %", 100.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006; Papanastasiou 2006"),
        /// payload acknowledged, each byte once, divided by payload sent including retransmissions, at most 1; of a
        /// program's connection without payload that arrived after the other program had closed it. For UDP datagrams
        /// received divided by datagrams sent, the usual packet delivery ratio
        delivery_ratio: Option<f64> = rates("0..1").mean().more()
                .shown("delivered %", 100.0, ",.1f").from("Broch et al. 1998"),
        /// time from the flow's start to the opening of the connection
        handshake_seconds: Option<f64> = times("s").mean().less().shown("handshake s", 1.0, ",.3f")
                .from("Papanastasiou 2006"),
        /// time from the first segment sent to the last ACK of new data; a lower bound while
        /// `completion_seconds` is null
        connection_seconds: Option<f64> = times("s").mean().shown("connection s", 1.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006, figure 3; endless transfers are censored"),
        /// time in each phase: handshake, slow start (cwnd < ssthresh), congestion avoidance, fast
        /// recovery, repair after a timeout, frozen; the sum is the time from the flow's start to the end
        /// of the run
        phase_seconds: Option<BTreeMap<&'static str, f64>> = times("s").family().mean()
                .from("Papanastasiou 2006, table 4.3 (whose \"RTO\" is `rto_idle_seconds` and the repair)"),
        /// data segments in the network (sent, neither delivered nor lost), time-weighted mean; table
        /// `alive` has every change
        mean_data_alive_segments: f64 = times("segments").mean().shown("data alive", 1.0, ",.2f")
                .from("Papanastasiou 2006, figures 3.11 and 5.7, table 5.3 (which averages over changes)"),
        /// acknowledgments in the network, time-weighted mean
        mean_ack_alive_segments: f64 = times("segments").mean().shown("ACKs alive", 1.0, ",.2f")
                .from("Papanastasiou 2006, figures 3.11 and 5.7"),
        /// mean one-way delay of data from transport to transport, first arrivals only
        mean_delay_seconds: Option<f64> = times("s").mean().less().shown("delay ms", 1e3, ",.1f"),
        /// one-way delay of data from transport to transport that 95 % of the first arrivals don't exceed: the delay
        /// that traffic meets while the flows load the network. From a histogram, within 1.6 %
        latency_under_load_seconds: Option<f64> = times("s").mean().less().shown("delay p95 ms", 1e3, ",.0f")
                .from("Gettys and Nichols 2011 (delay under load, bufferbloat); percentile of this project"),
        /// mean absolute difference between the delays of consecutive arrivals
        jitter_seconds: Option<f64> = times("s").mean().less().shown("jitter ms", 1e3, ",.1f")
                .from("RFC 3550's quantity, unsmoothed"),
        /// mean number of hops travelled by delivered data; table `paths` has the distribution
        mean_hops: Option<f64> = times("hops").mean().shown("hops", 1.0, ",.2f")
                .from("Papanastasiou 2006 (path lengths)"),
        /// transfers that were asked for after the warm-up and are done: of web-like flows and requests, chunks of a
        /// video, writes of a replayed trace
        #[serde(skip_serializing_if = "Option::is_none")]
        completed_transfers: Option<u64> = times("count").more().shown("transfers", 1.0, ",.1f")
                .from("this project"),
        /// mean time of these from the request (without one, from the sender's write) to the delivery of the last byte;
        /// table `transfers` has each
        #[serde(skip_serializing_if = "Option::is_none")]
        transfer_seconds: Option<f64> = times("s").mean().less().shown("transfer s", 1.0, ",.3f")
                .from("Dukkipati and McKeown 2006 (flow completion time)"),
        /// time that 95 % of these don't exceed
        #[serde(skip_serializing_if = "Option::is_none")]
        transfer_p95_seconds: Option<f64> = times("s").mean().less().shown("transfer p95 s", 1.0, ",.3f")
                .from("Dukkipati and McKeown 2006"),
        /// mean time of these by their size: `to_10kB`, `to_100kB`, `to_1MB`, `above_1MB`
        #[serde(skip_serializing_if = "Option::is_none")]
        transfer_seconds_by_size: Option<BTreeMap<&'static str, f64>> = times("s").family().mean().less()
                .shown("", 1.0, ",.3f")
                .from("Dukkipati and McKeown 2006"),
        /// times that a video's buffer ran empty, whole run
        #[serde(skip_serializing_if = "Option::is_none")]
        stalls: Option<u64> = times("count").less().shown("stalls", 1.0, ",.1f")
                .from("Dobrian et al. 2011 (buffering events)"),
        /// time for which a video stood still after its start, whole run
        #[serde(skip_serializing_if = "Option::is_none")]
        stalled_seconds: Option<f64> = times("s").less().shown("stalled s", 1.0, ",.1f")
                .from("Dobrian et al. 2011 (buffering ratio times the length)"),
        /// time from a video flow's start to its first picture; absent if there was none
        #[serde(skip_serializing_if = "Option::is_none")]
        startup_seconds: Option<f64> = times("s").mean().less().shown("start s", 1.0, ",.2f")
                .from("Dobrian et al. 2011 (join time)"),
        /// segments and notices ignored by either end, by reason: ACKs of data never sent (`ack-too-high`),
        /// forged or unexpected probes (`stray-probe`), notices of a broken link with nothing in flight
        /// (`stray-notice`), …
        ignored: Option<BTreeMap<&'static str, u64>> = losses("count").family().from("this project"),
        /// counts that a variant keeps, whole run. Probing: how it dealt with losses (contention predicted
        /// and nothing probed; a probe cycle's outcome: full immediate recovery, three quarters, half, slow
        /// start; cycle given up). DAA: cumulative ACKs by the number of segments covered
        #[serde(skip_serializing_if = "Option::is_none")]
        counted: Option<BTreeMap<&'static str, u64>> = losses("count").family()
                .from("Psaras et al., On protocol engineering, §4.3; Papanastasiou 2006, figure 5.3"),
        /// operations of the sender: ACK in slow start or congestion avoidance, duplicate ACK, fast
        /// retransmit, recovery ACK, timeout, RTT sample, filter update, classification, probe
        operations: Option<BTreeMap<&'static str, u64>> = energy("count").family()
                .from("Ghaleb-Seddik et al. 2012, §V"),
        /// `operations` times the instructions per operation in the table of costs
        instructions: Option<f64> = energy("count").less().shown("", 1.0, ",.0f")
                .from("Ghaleb-Seddik et al. 2012, §V"),
        /// `operations` times the run times per operation, where the table of costs has run times (the
        /// shipped table has none)
        #[serde(skip_serializing_if = "Option::is_none")]
        computing_seconds: Option<f64> = energy("s").less().shown("computing s", 1.0, ",.3g")
                .from("Ghaleb-Seddik et al. 2012, §V"),
        /// energy that the sender's computations drew from its battery in each phase, whole run; with
        /// `energy.draw_computing`
        #[serde(skip_serializing_if = "Option::is_none")]
        phase_joules: Option<BTreeMap<&'static str, f64>> = energy("J").family()
                .from("Ghaleb-Seddik et al. 2012, §V.C"),
    }
}
