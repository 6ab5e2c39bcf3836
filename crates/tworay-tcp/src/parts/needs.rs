//! Events and queries that the parts of a variant ask for.

use bitflags::bitflags;

bitflags! {
    /// Needs of a variant besides acknowledgments and round trips. It gets only what it declares here.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub struct Needs: u16 {
        /// Marked probes, which both ends negotiate by an option of their SYNs.
        const PROBES = 1;
        /// Routing's notices of broken links. Only protocols with route errors (AODV, DSR) send them.
        const NOTICES = 1 << 1;
        /// Events for each change of the path length in hops.
        const HOPS = 1 << 2;
        /// Events when the peer closes its window and when it reopens it.
        const WINDOWS = 1 << 3;
        /// Queries of [`limit`](crate::CongestionControl::limit) and
        /// [`floor`](crate::CongestionControl::floor).
        const BOUNDS = 1 << 4;
        /// Queries of [`burst`](crate::CongestionControl::burst).
        const BURSTS = 1 << 5;
        /// Queries of [`sampling`](crate::CongestionControl::sampling).
        const SAMPLING = 1 << 6;
        /// Execution of [`Effect::Pace`](crate::Effect::Pace) and [`Effect::PaceAsLinux`](crate::Effect::PaceAsLinux).
        const PACING = 1 << 7;
        /// Calls of [`on_rate`](crate::CongestionControl::on_rate) with delivery-rate samples.
        const RATES = 1 << 8;
        /// A random number for [`seed`](crate::CongestionControl::seed).
        const CHANCE = 1 << 9;
        /// Notices of routes found by a search of this end's routing (AODV, DSR).
        const ROUTES = 1 << 10;
        /// The peer's reports about the path, and ACKs that arrive out of order.
        const REPORTS = 1 << 11;
    }
}

impl Needs {
    /// Everything except probes, chance, routes found and reports, for variants that decide at run time which
    /// events they use.
    pub(crate) const ANYTHING: Needs =
        Needs::PROBES.union(Needs::CHANCE).union(Needs::ROUTES).union(Needs::REPORTS).complement();
}
