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
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl TcpConfig {
    /// Defaults of ns-2.35's `Agent/TCP` with the values of the 802.11 reference runs: packets of 1460 B,
    /// window 64, maxburst 3, minrto 0.2 s.
    pub fn ns2() -> Self {
        Self {
            max_burst: 3,
            rto: RtoConfig {
                initial: SimDuration::from_secs(3),
                forget_above: 8,
                arithmetic: RttArithmetic::ScaledTicks,
                ..RtoConfig::default()
            },
            tick: SimDuration::from_millis(10),
            timestamp_clock: SimDuration::from_micros(1),
            halving: Halving::Window,
            halving_precision: HalvingPrecision::IntegerSsthresh,
            growth_on_exit: true,
            reno: RenoForm::Bugfix,
            vegas: VegasForm::Ns2,
            newreno: NewRenoConfig { exit: NewRenoExit::Keep, recovery_burst: 2, ..NewRenoConfig::default() },
            sack: SackConfig { form: SackForm::Ns2Pipe, after_rto: AfterRto::Clear, ..SackConfig::default() },
            ack_size: AckSize::Ns2,
            handshake: Handshake::OneWay,
            fin: false,
            idle_restart: IdleRestart::OneSegment,
            ..Self::default()
        }
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
