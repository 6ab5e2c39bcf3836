//! Counters of a router.

use crate::DropReason;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Packets and bytes of one type of message, counted each time a node sends one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlCount {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP packets.
    pub bytes: u64,
}

impl ControlCount {
    pub(crate) fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    fn plus(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

/// Reasons to reject a control packet.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[repr(u8)]
pub enum Malformed {
    /// A message of another routing protocol.
    ForeignProtocol,
    /// A broadcast address where a node's address is required.
    BroadcastAddress,
    /// This node's address where it is impossible.
    OwnAddress,
    /// Both ends of the route are the same node.
    SameEnds,
    /// A hop count that contradicts the sender, or is already the maximum.
    HopCount,
    /// A route error without destinations, or a packet without messages.
    EmptyList,
    /// DSR: the frame's sender or receiver is not at that position in the route.
    NotOnRoute,
    /// DSR: more segments left than addresses.
    SegmentsLeft,
    /// DSR: a node twice in a route.
    RepeatedAddress,
    /// DSR: more addresses than the format allows.
    TooLong,
    /// DSR: a packet for another node without a source route.
    MissingHeader,
    /// A field outside its range.
    FieldRange,
    /// A message that its sender cannot have generated.
    ForeignSender,
}

impl Malformed {
    /// Number of reasons.
    pub const COUNT: usize = <Malformed as EnumCount>::COUNT;
    /// Every reason, in the order of the counters.
    pub const ALL: &'static [Malformed] = Malformed::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Counters of one router.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutingCounters {
    /// Route requests sent, relayed ones included.
    pub rreq: ControlCount,
    /// Route replies sent, relayed ones included.
    pub rrep: ControlCount,
    /// Route errors sent, relayed ones included.
    pub rerr: ControlCount,
    /// HELLO messages sent (OLSR: packets with a HELLO, including other messages in them).
    pub hello: ControlCount,
    /// OLSR packets without a HELLO: topology control and relayed messages.
    pub tc: ControlCount,
    /// Acknowledgments of replies sent.
    pub rrep_ack: ControlCount,
    /// DSR: network-layer acknowledgments sent.
    pub acks: ControlCount,
    /// OLSR: topology control messages generated here.
    pub tc_originated: u64,
    /// OLSR: messages of other nodes relayed.
    pub relayed: u64,
    /// Route discoveries started by this node.
    pub discoveries: u64,
    /// Route discoveries that failed.
    pub discoveries_failed: u64,
    /// Local repairs started.
    pub local_repairs: u64,
    /// Changes of the next hop or the distance of a known destination.
    pub route_changes: u64,
    /// Packets that the MAC gave up and returned.
    pub link_failures: u64,
    /// Links that counted as broken, for whatever reason.
    pub broken_links: u64,
    /// DSR: notices of a broken link sent, each to the source of a packet that met it.
    pub notices_sent: u64,
    /// DSR: notices received by this source.
    pub notices_arrived: u64,
    /// DSR: packets of other nodes salvaged.
    pub salvaged: u64,
    /// DSR: requests for others answered from the cache.
    pub cached_replies: u64,
    /// DSR: gratuitous replies sent because a route could be shorter.
    pub gratuitous_replies: u64,
    /// Route requests delayed by the rate limit.
    pub rreq_held_back: u64,
    /// Route errors suppressed by the rate limit.
    pub rerr_suppressed: u64,
    /// Malformed control packets, by [`Malformed`] in order.
    pub malformed: [u64; Malformed::COUNT],
    /// Packets dropped, by [`DropReason`] in order.
    pub drops: [u64; DropReason::COUNT],
}

impl RoutingCounters {
    /// Messages of protocols that search for routes, by kind.
    pub(crate) fn messages_of_searches(&self) -> [(&'static str, ControlCount); 3] {
        [("requests", self.rreq), ("replies", self.rrep), ("errors", self.rerr)]
    }

    /// Counts of protocols that search for routes.
    pub(crate) fn searches(&self) -> [(&'static str, u64); 3] {
        let broken = ("broken_links", self.broken_links);
        [broken, ("searches", self.discoveries), ("failed_searches", self.discoveries_failed)]
    }

    /// Control packets sent, all types.
    pub fn control_packets(&self) -> u64 {
        self.control().map(|c| c.packets).sum()
    }
    /// Bytes of control packets sent, all types.
    pub fn control_bytes(&self) -> u64 {
        self.control().map(|c| c.bytes).sum()
    }
    /// Packets dropped for `reason`.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.drops[reason as usize]
    }
    /// Control packets dropped because of `what`.
    pub fn malformed(&self, what: Malformed) -> u64 {
        self.malformed[what as usize]
    }

    /// Adds the counts of another router.
    pub fn add(&mut self, other: &Self) {
        let Self {
            rreq,
            rrep,
            rerr,
            hello,
            tc,
            rrep_ack,
            acks,
            tc_originated,
            relayed,
            discoveries,
            discoveries_failed,
            local_repairs,
            route_changes,
            link_failures,
            broken_links,
            salvaged,
            cached_replies,
            gratuitous_replies,
            rreq_held_back,
            rerr_suppressed,
            notices_sent,
            notices_arrived,
            malformed,
            drops,
        } = self;
        for (sum, one) in [
            (rreq, other.rreq),
            (rrep, other.rrep),
            (rerr, other.rerr),
            (hello, other.hello),
            (tc, other.tc),
            (rrep_ack, other.rrep_ack),
            (acks, other.acks),
        ] {
            sum.plus(one);
        }
        for (sum, one) in [
            (tc_originated, other.tc_originated),
            (relayed, other.relayed),
            (discoveries, other.discoveries),
            (discoveries_failed, other.discoveries_failed),
            (local_repairs, other.local_repairs),
            (route_changes, other.route_changes),
            (link_failures, other.link_failures),
            (broken_links, other.broken_links),
            (salvaged, other.salvaged),
            (cached_replies, other.cached_replies),
            (gratuitous_replies, other.gratuitous_replies),
            (rreq_held_back, other.rreq_held_back),
            (rerr_suppressed, other.rerr_suppressed),
            (notices_sent, other.notices_sent),
            (notices_arrived, other.notices_arrived),
        ] {
            *sum += one;
        }
        malformed.iter_mut().zip(other.malformed).for_each(|(sum, one)| *sum += one);
        drops.iter_mut().zip(other.drops).for_each(|(sum, one)| *sum += one);
    }

    fn control(&self) -> impl Iterator<Item = ControlCount> {
        [self.rreq, self.rrep, self.rerr, self.hello, self.tc, self.rrep_ack, self.acks].into_iter()
    }
}
