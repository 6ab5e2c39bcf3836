//! Complete sets of settings.

use super::*;
use tworay_base::{Dialect, FollowsDialect};

impl Default for TcpConfig {
    /// RFC 5681, 6298, 6582, 6675 and 3042; the window grows one step per ACK.
    fn default() -> Self {
        Self {
            mss: Bytes(1460),
            window: WindowSize::Segments(64),
            initial_window: InitialWindow::Segments(2),
            initial_ssthresh: None,
            dup_threshold: 3,
            limited_transmit: true,
            max_burst: 0,
            rto: RtoConfig::default(),
            timing: Timing::OnePerWindow,
            tick: SimDuration::ZERO,
            heartbeat: SimDuration::ZERO,
            timestamps: false,
            timestamp_clock: SimDuration::from_millis(1),
            halving: Halving::FlightSize,
            halving_precision: HalvingPrecision::Real,
            growth_on_exit: false,
            reno: RenoForm::Rfc,
            vegas: VegasForm::Clean,
            newreno: NewRenoConfig::default(),
            sack: SackConfig::default(),
            ack_size: AckSize::Encoded,
            handshake: Handshake::ThreeWay,
            receiver: ReceiverConfig::default(),
            fin: true,
            idle_restart: IdleRestart::InitialWindow,
            iss: 0,
        }
    }
}

impl FollowsDialect for TcpConfig {
    /// ns-2: the defaults of ns-2.35's `Agent/TCP` with the values of the 802.11 reference runs: packets of
    /// 1460 B, window 64, maxburst 3, minrto 0.2 s.
    fn of(dialect: Dialect) -> Self {
        let tables = Self {
            rto: RtoConfig::of(dialect),
            newreno: NewRenoConfig::of(dialect),
            sack: SackConfig::of(dialect),
            ..Self::default()
        };
        match dialect {
            Dialect::Standard => tables,
            Dialect::Ns2 => Self {
                max_burst: 3,
                tick: SimDuration::from_millis(10),
                timestamp_clock: SimDuration::from_micros(1),
                halving: Halving::Window,
                halving_precision: HalvingPrecision::IntegerSsthresh,
                growth_on_exit: true,
                reno: RenoForm::Bugfix,
                vegas: VegasForm::Ns2,
                ack_size: AckSize::Ns2,
                handshake: Handshake::OneWay,
                fin: false,
                idle_restart: IdleRestart::OneSegment,
                ..tables
            },
        }
    }
}

impl TcpConfig {
    /// The settings of ns-2's dialect.
    pub fn ns2() -> Self {
        Self::of(Dialect::Ns2)
    }

    /// Settings of ns-2's validation suite `test-suite-tcpVariants.tcl`: packets of 1000 B, window 28,
    /// integer halving, minrto 1 s, initial RTO 6 s, no limited transmit.
    pub fn ns2_validation() -> Self {
        let ns2 = Self::ns2();
        Self {
            mss: Bytes(1000),
            window: WindowSize::Segments(28),
            limited_transmit: false,
            max_burst: 0,
            rto: RtoConfig {
                initial: SimDuration::from_secs(6),
                min: SimDuration::from_secs(1),
                ..ns2.rto.clone()
            },
            halving_precision: HalvingPrecision::Integer,
            newreno: NewRenoConfig {
                timer: NewRenoTimer::SlowButSteady,
                partial_window_deflation: false,
                ..ns2.newreno.clone()
            },
            ..ns2
        }
    }
}
