//! Sections of the document for the network: MAC, routing, energy, and metrics over all flows.

use super::metrics::{Metric, declare, energy, losses, rates, resources, routing, times};
use serde::Serialize;
use std::collections::BTreeMap;

/// Frames by content.
#[derive(Copy, Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct FrameCount {
    /// RTS and CTS frames.
    pub rts_cts: u64,
    /// Frames with TCP data or UDP payload.
    pub data: u64,
    /// Frames with pure TCP acknowledgments.
    pub ack: u64,
}

/// Which table of costs the computing costs are based on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct CostsReport {
    /// SHA-256 of the table's text: the user's own (`energy.costs`), otherwise the shipped one.
    pub sha256: String,
    /// Comments at the head of the table that state where the figures come from, line by line.
    pub provenance: Vec<String>,
    /// Variants with a line in the user's own table; empty for the shipped table.
    pub replaced: Vec<String>,
}

declare! {
    /// Section of the MAC.
    pub struct MacReport in "mac." {
        /// frames lost to overlap at a station they were addressed to, by content
        collisions: FrameCount = losses("frames").family().of_run().less()
                .from("Papanastasiou 2006, §5.4 (COL)"),
        /// broadcasts (ARP, routing) lost to overlap, counted at each station in range; they are never
        /// retransmitted
        broadcast_collisions: u64 = losses("frames").of_run().less()
                .shown("broadcast collisions", 1.0, ",.1f").from("this project"),
        /// packets given up after the last attempt, by content; `rts_cts` counts those whose RTS was not
        /// answered, which also count by content
        drops: FrameCount = losses("packets").family().of_run().less()
                .from("Papanastasiou 2006, §5.4 (FAIL); `data` + `ack` are distinct segments"),
        /// frames lost to random errors (`errors.frame_err`) at a station they were addressed to, by
        /// content
        corrupted: FrameCount = losses("frames").family().of_run()
                .from("Seddik-Ghaleb et al. 2006 (\"BER\")"),
        /// packets that an interface queue rejected because it was full, or dropped early (CoDel, Link-RED)
        queue_drops: u64 = losses("packets").of_run().less()
                .shown("queue drops", 1.0, ",.1f").from("Papanastasiou 2006, §5.4"),
        /// frames sent, by kind: RTS, CTS, ACK, unicast data, broadcast
        sent: BTreeMap<&'static str, u64> = losses("frames").family().of_run(),
    }
}

declare! {
    /// Section of routing.
    pub struct RoutingReport in "routing." {
        plain {
            /// Name of the protocol.
            protocol: String,
        }
        /// routing packets sent, counted at each hop
        control_packets: Option<u64> = routing("packets").of_run().less()
                .shown("routing packets", 1.0, ",.0f").from("Broch et al. 1998"),
        /// bytes of routing packets sent, including IP headers, counted at each hop
        control_bytes: Option<u64> = routing("B").of_run().less()
                .shown("routing kB", 1e-3, ",.1f").from("Broch et al. 1998"),
        /// normalised routing load: routing packets sent, counted at each hop, per data packet delivered in
        /// the whole run
        load: Option<f64> = routing("1").of_run().less()
                .shown("routing load", 1.0, ",.3f").from("Perkins, Royer, Das and Marina 2001"),
        /// routing packets sent, counted at each hop, by kind. AODV: `requests`, `replies`, `errors`, `hellos`,
        /// `reply_acks`. DSR: `requests`, `replies`, `errors`, `acks`. OLSR: `hellos` (packets with a HELLO),
        /// `tc` (the others)
        sent: BTreeMap<&'static str, u64> = routing("packets").family().of_run().from("this project"),
        /// counts that the protocol keeps. AODV and DSR: `searches`, `failed_searches`, `broken_links` (links
        /// given up). AODV: `local_repairs`, `held_requests` and `unsent_errors` (its limits of requests and
        /// errors in a second). DSR: `salvaged` packets, `cached_replies`, `gratuitous_replies`. OLSR:
        /// `broken_links`, `tc_messages` (originated), `relayed` messages
        counted: BTreeMap<&'static str, u64> = routing("count").family().of_run().from("this project"),
        /// routes found or changed
        route_changes: Option<u64> = routing("count").of_run()
                .shown("route changes", 1.0, ",.1f").from("this project"),
        /// link failures reported by the MAC although the neighbour was up and in range
        false_link_failures: u64 = routing("count").of_run().less()
                .shown("false link failures", 1.0, ",.1f").from("this project"),
        /// notices of a broken link at a node without a TCP sender to that destination
        stray_notices: Option<u64> = routing("count").of_run().from("this project"),
        /// route errors that nodes sent to the source of a packet that met a broken link, which are ELFN's
        /// notices; null without DSR
        notices_sent: Option<u64> = routing("count").of_run().shown("notices sent", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005, §2 and §5"),
        /// those of them that reached this source
        notices_arrived: Option<u64> = routing("count").of_run().shown("notices arrived", 1.0, ",.1f")
                .from("TCP Freeze-Probing 2005, §5"),
        /// routing packets dropped as invalid, by reason; reasons that did not occur are left out
        malformed: BTreeMap<&'static str, u64> = routing("packets").family().of_run().from("this project"),
    }
}

declare! {
    /// Section of energy; `null` without an energy model.
    pub struct EnergyReport in "energy." {
        /// energy drawn from the batteries of all nodes: of the radios, and of computing with
        /// `energy.draw_computing`
        joules_total: Option<f64> = energy("J").of_run().less().shown("radio J", 1.0, ",.3g"),
        /// energy of transmitting, receiving and overhearing at all nodes, per payload bit received
        joules_per_received_bit: Option<f64> = energy("J/bit").of_run().less().shown("µJ/bit", 1e6, ",.3g")
                .from("Seddik-Ghaleb et al. 2006, figure 2 (idle left out)"),
        /// instructions × `energy.instruction` (default 1 nJ) + run times × the power given with them, over
        /// all flows and the whole run
        joules_computation: Option<f64> = energy("J").of_run().less()
                .shown("computing mJ", 1e3, ",.3g")
                .from("Ghaleb-Seddik et al. 2012, §V; reported to be compared with NewReno's"),
        /// nodes whose battery ran out
        dead_nodes: Option<u64> = energy("count").of_run().less()
                .shown("dead nodes", 1.0, ",.1f").from("Seddik-Ghaleb et al. 2006"),
        /// radio energy of all nodes, by radio state
        joules_by_state: Option<BTreeMap<&'static str, f64>> = energy("J").family().of_run(),
        /// energy drawn from the batteries of all nodes, including idle and sleep, per payload bit received
        joules_total_per_received_bit: Option<f64> = energy("J/bit").of_run().less()
                .shown("µJ/bit with idle", 1e6, ",.3g"),
        /// time at which the first node died, if any: the network lifetime in its strict sense
        first_death_seconds: Option<f64> = energy("s").of_run().more()
                .shown("first death s", 1.0, ",.1f").from("Seddik-Ghaleb et al. 2006"),
        /// time at which half of the nodes were dead, if reached
        half_dead_seconds: Option<f64> = energy("s").of_run().more()
                .shown("half dead s", 1.0, ",.1f").from("Seddik-Ghaleb et al. 2006"),
        and plain {
            /// The table of costs behind `joules_computation`; absent without an energy model.
            #[serde(skip_serializing_if = "Option::is_none")]
            costs: Option<CostsReport>,
        }
    }
}

declare! {
    /// Metrics of the run's flows together; `null` where not defined for this run. Fairness and the flows'
    /// extremes are those of the TCP flows, or of all flows if none uses TCP: datagrams don't adapt, so they
    /// say nothing about how senders share.
    pub struct MetricsReport in "metrics." {
        /// Jain's fairness index of the goodputs of the TCP flows (of all flows without TCP): (Σx)² / (n Σx²).
        /// Of programs' connections those count that had 0.9 segments or more in flight on average; of all, if none had
        jain_fairness: Option<f64> = rates("1/n..1").of_run().more().shown("Jain", 1.0, ".3f")
                .from("Jain, Chiu and Hawe 1984; misprinted in Psaras et al., On protocol engineering"),
        /// goodput of the TCP flow with the lowest goodput (of all flows without TCP), of the flows that Jain's index
        /// counts
        least_goodput_bps: Option<f64> = rates("bit/s").of_run().more()
                .shown("least flow kb/s", 1e-3, ",.1f").from("this project"),
        /// goodput of the TCP flow with the highest goodput (of all flows without TCP), of the same flows
        most_goodput_bps: Option<f64> = rates("bit/s").of_run()
                .shown("most flow kb/s", 1e-3, ",.1f").from("this project"),
        /// goodput of all datagram flows together; null without any
        udp_goodput_bps: Option<f64> = rates("bit/s").of_run().more()
                .shown("UDP kb/s", 1e-3, ",.1f").from("this project"),
        /// goodput of all flows together, TCP and datagrams
        total_goodput_bps: Option<f64> = rates("bit/s").of_run().more()
                .shown("all flows kb/s", 1e-3, ",.1f").from("this project"),
        /// extra energy expenditure: (T − G)/T_max + b·(T_max − T)/T_max with b = 0.3 as printed
        eee: Option<f64> = resources("0..1").of_run().less().shown("EEE", 1.0, ".3f")
                .from("Psaras et al., On protocol engineering"),
        /// unexploited available resources: 1 − (0.5·T/T_max + 0.5·G/T)
        uar: Option<f64> = resources("0..1").of_run().less().shown("UAR", 1.0, ".3f")
                .from("Psaras et al., On protocol engineering"),
        /// mean of `connection_seconds` over the TCP flows
        mean_connection_seconds: Option<f64> = times("s").of_run().shown("connection s", 1.0, ",.1f")
                .from("Seddik-Ghaleb et al. 2006"),
        /// TCP flows not completed by the end of the run: their connection times are lower bounds
        unfinished_connections: u64 = times("count").of_run().less()
                .shown("unfinished", 1.0, ",.1f").from("Seddik-Ghaleb et al. 2006"),
    }
}

/// Metrics that no field of the document holds by itself.
pub(crate) const FURTHER: &[Metric] = &[
    rates("bit/s")
        .family()
        .of_run()
        .more()
        .shown("goodput kb/s", 1e-3, ",.1f")
        .from("as goodput")
        .named("flow", "`flow.N.goodput_bps`: goodput of the flow with this id alone"),
    losses("segments").family().of_run().less().from("this project").named(
        "ledger",
        "`ledger.CAUSE.data` and `.ack`: segments of which no copy arrived, by the one true cause, the root",
    ),
    resources("0..1")
        .of_run()
        .less()
        .shown("EEE (b = 0.7)", 1.0, ".3f")
        .from("Psaras et al., On protocol engineering")
        .named("metrics.eee_idle70", "`metrics.eee` with b = 0.7, which the text of that paper derives"),
    resources("bit/s")
        .of_run()
        .shown("Throughput_max kb/s", 1e-3, ",.1f")
        .from("Psaras et al., On protocol engineering")
        .named("metrics.throughput_max_bps", "T_max: what leaves saturating sources in the same world"),
];
