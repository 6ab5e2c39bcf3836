//! A node's routing protocol, one of all.

use crate::about::{About, Field, Waiting};
use crate::protocol::{Out, RoutingProtocol};
use crate::{Aodv, ControlCount, Dsr, Olsr, RoutingConfig, RoutingCounters, StaticRoutes, Timing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{NodeId, PacketId, RngStream, SimTime};
use tworay_wire::Packet;

/// Declares the protocols, with one row each: variant, name in scenario files, state, settings among all, and constructor. `$d` is
/// a dollar sign, which the macro inside needs.
macro_rules! routers {
    ($d:tt $($(#[$doc:meta])* $name:ident $text:literal $(($default:ident))?: $state:ty, $settings:expr => $new:expr;)+) => {
        /// The routing protocol.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Protocol {
            $($(#[$doc])* #[serde(rename = $text)] $(#[$default])? $name,)+
        }

        impl Protocol {
            /// The name in scenario files and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Protocol::$name => $text,)+
                }
            }
        }

        /// A node's routing protocol. Its methods are those of [`RoutingProtocol`], without dynamic dispatch.
        #[derive(Clone, Debug)]
        pub enum Router {
            $($(#[$doc])* $name(Box<$state>),)+
        }

        impl Router {
            /// The router of `node`; jitter is drawn from `rng`.
            pub fn new(config: &RoutingConfig, node: NodeId, rng: RngStream) -> Self {
                match config.protocol {
                    $(Protocol::$name => {
                        let settings: fn(&RoutingConfig) -> &<$state as About>::Config = $settings;
                        let new: fn(&<$state as About>::Config, NodeId, RngStream) -> $state = $new;
                        Router::$name(Box::new(new(settings(config), node, rng)))
                    })+
                }
            }
        }

        /// Asks a protocol about itself.
        macro_rules! ask {
            ($protocol:ident, $question:ident($d($argument:expr),*)) => {
                match $protocol {
                    $(Protocol::$name => <$state as About>::$question($d($argument),*),)+
                }
            };
        }

        /// Asks the protocol in use, which has these settings.
        macro_rules! ask_in_use {
            ($config:ident, $question:ident) => {
                match $config.protocol {
                    $(Protocol::$name => {
                        let settings: fn(&RoutingConfig) -> &<$state as About>::Config = $settings;
                        <$state as About>::$question(settings($config))
                    })+
                }
            };
        }

        /// Calls a method of the protocol.
        macro_rules! call {
            ($router:ident.$method:ident($d($argument:ident),*)) => {
                match $router {
                    $(Router::$name(protocol) => protocol.$method($d($argument),*),)+
                }
            };
        }
    };
}

routers! { $
    /// Fixed next hops, computed once at the start.
    Static "static": StaticRoutes, |_| &() => |(), node, _| StaticRoutes::new(node);
    /// Ad hoc on-demand distance vector routing (RFC 3561).
    Aodv "aodv" (default): Aodv, |all| &all.aodv => Aodv::new;
    /// Dynamic source routing (RFC 4728).
    Dsr "dsr": Dsr, |all| &all.dsr => Dsr::new;
    /// Optimized link state routing (RFC 3626).
    Olsr "olsr": Olsr, |all| &all.olsr => Olsr::new;
}

/// Questions to the protocol in use; see [`About`].
impl RoutingConfig {
    /// See [`About::heeds_link_layer`].
    pub fn heeds_link_layer(&self) -> bool {
        ask_in_use!(self, heeds_link_layer)
    }

    /// See [`About::relays_answer`].
    pub fn relays_answer(&self) -> bool {
        ask_in_use!(self, relays_answer)
    }

    /// See [`About::waiting`].
    pub fn waiting(&self) -> Option<Waiting> {
        ask_in_use!(self, waiting)
    }

    /// See [`About::timing`].
    pub fn timing(&self) -> Timing {
        ask_in_use!(self, timing)
    }
}

/// Questions to a protocol whatever its settings; see [`About`].
impl Protocol {
    /// See [`About::exchanges_tables`].
    pub fn exchanges_tables(self) -> bool {
        ask!(self, exchanges_tables())
    }

    /// See [`About::bytes`].
    pub fn bytes(self, nodes: u64) -> u64 {
        ask!(self, bytes(nodes))
    }

    /// See [`About::seconds`].
    pub fn seconds(self, field: &Field) -> f64 {
        ask!(self, seconds(field))
    }

    /// See [`About::sent`].
    pub fn sent(self, counters: &RoutingCounters) -> Vec<(&'static str, ControlCount)> {
        ask!(self, sent(counters))
    }

    /// See [`About::counted`].
    pub fn counted(self, counters: &RoutingCounters) -> Vec<(&'static str, u64)> {
        ask!(self, counted(counters))
    }
}

impl Router {
    /// Sets the next hop and the distance to `dst` in a static router; other protocols ignore it.
    pub fn add_static(&mut self, dst: NodeId, next_hop: NodeId, hops: u8) {
        if let Router::Static(r) = self {
            r.add(dst, next_hop, hops);
        }
    }

    /// See [`RoutingProtocol::start`].
    pub fn start(&mut self, now: SimTime, out: Out) {
        call!(self.start(now, out))
    }

    /// See [`RoutingProtocol::on_send`].
    pub fn on_send(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        call!(self.on_send(now, id, packet, out))
    }

    /// See [`RoutingProtocol::on_receive`].
    pub fn on_receive(&mut self, now: SimTime, id: PacketId, packet: &Packet, from: NodeId, out: Out) {
        call!(self.on_receive(now, id, packet, from, out))
    }

    /// See [`RoutingProtocol::on_link_failure`].
    pub fn on_link_failure(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: Out,
    ) {
        call!(self.on_link_failure(now, id, packet, next_hop, out))
    }

    /// See [`RoutingProtocol::on_queue_purged`].
    pub fn on_queue_purged(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: Out,
    ) {
        call!(self.on_queue_purged(now, id, packet, next_hop, out))
    }

    /// See [`RoutingProtocol::on_heard`].
    #[inline]
    pub fn on_heard(&mut self, now: SimTime, neighbour: NodeId) {
        call!(self.on_heard(now, neighbour))
    }

    /// See [`RoutingProtocol::on_timer`].
    pub fn on_timer(&mut self, now: SimTime, out: Out) {
        call!(self.on_timer(now, out))
    }

    /// See [`RoutingProtocol::on_tap`].
    pub fn on_tap(&mut self, now: SimTime, packet: &Packet, from: NodeId, to: NodeId, out: Out) {
        call!(self.on_tap(now, packet, from, to, out))
    }

    /// See [`RoutingProtocol::wants_tap`].
    pub fn wants_tap(&self) -> bool {
        call!(self.wants_tap())
    }

    /// See [`RoutingProtocol::routes_at_source`].
    pub fn routes_at_source(&self) -> bool {
        call!(self.routes_at_source())
    }

    /// See [`RoutingProtocol::is_configured`].
    pub fn is_configured(&self) -> bool {
        call!(self.is_configured())
    }

    /// See [`RoutingProtocol::search_reach`].
    pub fn search_reach(&self) -> u16 {
        call!(self.search_reach())
    }

    /// See [`RoutingProtocol::tables_due`].
    pub fn tables_due(&self) -> SimTime {
        call!(self.tables_due())
    }

    /// See [`RoutingProtocol::hop_count`].
    pub fn hop_count(&self, dst: NodeId) -> Option<u8> {
        call!(self.hop_count(dst))
    }

    /// See [`RoutingProtocol::next_hop`].
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        call!(self.next_hop(dst))
    }

    /// See [`RoutingProtocol::buffered`].
    pub fn buffered(&self) -> Vec<PacketId> {
        call!(self.buffered())
    }

    /// See [`RoutingProtocol::counters`].
    pub fn counters(&self) -> &RoutingCounters {
        call!(self.counters())
    }
}
