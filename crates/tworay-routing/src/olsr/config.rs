//! All parameters of OLSR.

use crate::settings::{choice, settings};
use crate::{Papers, Rules};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};
use tworay_wire::olsr::Vtime;

choice!(
    /// Programs of papers. Both have the same values; each names the table that it follows, as with AODV and
    /// DSR.
    OlsrPaper {
        /// The route-break trace of Papanastasiou (2006), table 3.3: HELLOs twice as often as in the RFC.
        ThesisTrace,
        /// All other runs of Papanastasiou (2006), appendix A.3: the same values, stated more fully.
        Thesis,
    }
);

choice!(
    /// Content of a node's TC messages (TC_REDUNDANCY, RFC 3626 §15.1).
    #[derive(Default)]
    TcRedundancy {
        /// 0: the neighbours that have chosen the node as relay.
        #[default]
        Selectors,
        /// 1: these and the relays that the node has chosen.
        SelectorsAndRelays,
        /// 2: every neighbour.
        Neighbours,
    }
);

settings! {
    /// Settings of OLSR. In a scenario, `dialect` says whose rules apply, and the other keys change single
    /// values. When written out, only keys that differ from the dialect appear. Every HELLO lists every
    /// neighbour, so REFRESH_INTERVAL is `hello_interval`. A node has one interface and no network behind it,
    /// so it processes MID and HNA messages but sends none.
    OlsrConfig from
    /// Whose OLSR to run: "standard" (RFC 3626, the default), or Papanastasiou's (2006) "thesis-trace" or
    /// "thesis".
    OlsrPaper, schema "OlsrConfig";

    /// Interval between HELLOs, more than zero (HELLO_INTERVAL).
    hello_interval: SimDuration,
    /// Interval between TC messages, more than zero (TC_INTERVAL).
    tc_interval: SimDuration,
    /// Time for which a HELLO is valid, and how long a lost link is advertised as lost, at least 62.5 ms
    /// (NEIGHB_HOLD_TIME, 3 × REFRESH_INTERVAL).
    neighbour_hold_time: SimDuration,
    /// Time for which a TC message is valid, at least 62.5 ms (TOP_HOLD_TIME, 3 × TC_INTERVAL).
    topology_hold_time: SimDuration,
    /// Time for which a message is remembered so that it is not processed or relayed twice (DUP_HOLD_TIME).
    duplicate_hold_time: SimDuration,
    /// Messages are sent early, and relayed late, by a uniform time up to this; less than `hello_interval`
    /// (MAXJITTER, HELLO_INTERVAL / 4).
    max_jitter: SimDuration,
    /// Willingness to forward traffic for others, 0 (never) to 7 (always); 3 is WILL_DEFAULT.
    willingness: u8,
    /// Number of relays that should cover each two-hop neighbour, at least 1 (MPR_COVERAGE).
    mpr_coverage: u8,
    /// Content of TC messages: "selectors", "selectors-and-relays" or "neighbours" (TC_REDUNDANCY 0, 1,
    /// 2).
    tc_redundancy: TcRedundancy,
    /// Send a TC message when its contents have changed, without waiting for the interval (RFC 3626 §9.3).
    immediate_tc: bool,
    /// Minimum interval between such messages.
    immediate_tc_spacing: SimDuration,
    /// Combine pending messages into one packet; if false, each is sent alone (RFC 3626 §3.3).
    bundling: bool,
    /// A packet that the MAC gave up indicates a lost link (RFC 3626 §13).
    link_layer_feedback: bool,
    /// Use a link only while enough of its packets arrive (RFC 3626 §14).
    hysteresis: bool,
    /// Weight of the newest packet in a link's quality, 0 to 1 (HYST_SCALING).
    hysteresis_scaling: f64,
    /// Quality above which a link is used, at most 1 (HYST_THRESHOLD_HIGH).
    hysteresis_high: f64,
    /// Quality below which a link is no longer used, from 0, below `hysteresis_high` (HYST_THRESHOLD_LOW).
    hysteresis_low: f64,
}

impl Default for OlsrConfig {
    fn default() -> Self {
        Self::rfc3626()
    }
}

impl Papers for OlsrPaper {
    /// ns-2.35 has no OLSR.
    const DIALECTS: &'static [Dialect] = &[Dialect::Standard];
    const PAPERS: &'static [Self] = Self::ALL;
    const NAMES: &'static [&'static str] = &["standard", "thesis-trace", "thesis"];
}

impl FollowsDialect for OlsrConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard | Dialect::Ns2 => Self::rfc3626(),
        }
    }
}

impl OlsrConfig {
    /// RFC 3626 §18; optional features (hysteresis, link-layer feedback, early TC messages) are off.
    pub fn rfc3626() -> Self {
        Self {
            dialect: Rules::Dialect(Dialect::Standard),
            hello_interval: SimDuration::from_secs(2),
            tc_interval: SimDuration::from_secs(5),
            neighbour_hold_time: SimDuration::from_secs(6),
            topology_hold_time: SimDuration::from_secs(15),
            duplicate_hold_time: SimDuration::from_secs(30),
            max_jitter: SimDuration::from_millis(500),
            willingness: 3,
            mpr_coverage: 1,
            tc_redundancy: TcRedundancy::Selectors,
            immediate_tc: false,
            immediate_tc_spacing: SimDuration::from_millis(500),
            bundling: true,
            link_layer_feedback: false,
            hysteresis: false,
            hysteresis_scaling: 0.5,
            hysteresis_high: 0.8,
            hysteresis_low: 0.3,
        }
    }

    /// Papanastasiou (2006), table 3.3 and appendix A.3. "Willingness: ALL" is taken to mean that every node
    /// takes part: with WILL_ALWAYS, the relays of table 3.4 would be impossible.
    fn paper(paper: OlsrPaper) -> Self {
        Self {
            dialect: paper.into(),
            hello_interval: SimDuration::from_secs(1),
            max_jitter: SimDuration::from_millis(250),
            ..Self::rfc3626()
        }
    }

    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let problem = |key: &str, what: String, remedy: String| {
            ConfigProblem::refuse(format!("routing.olsr.{key}"), what, remedy)
        };
        for (key, time) in [
            ("hello_interval", self.hello_interval),
            ("tc_interval", self.tc_interval),
            ("duplicate_hold_time", self.duplicate_hold_time),
        ] {
            if time.is_zero() {
                return problem(key, "must be longer than zero".into(), "give a time such as \"2s\"".into());
            }
        }
        let (least, most) = (Vtime(0).time(), Vtime(0xff).time());
        for (key, time) in [
            ("hello_interval", self.hello_interval),
            ("neighbour_hold_time", self.neighbour_hold_time),
            ("topology_hold_time", self.topology_hold_time),
        ] {
            if key.ends_with("hold_time") && time < least || time > most {
                let what = format!("cannot be encoded in a message ({least} to {most})");
                return problem(key, what, "give a time such as \"6s\"".into());
            }
        }
        if self.max_jitter >= self.hello_interval || self.max_jitter >= self.tc_interval {
            let what = "is not below the interval".into();
            let remedy = format!("give less than hello_interval ({}) and tc_interval", self.hello_interval);
            return problem("max_jitter", what, remedy);
        }
        if self.willingness > 7 {
            let what = format!("{} is above 7 (WILL_ALWAYS)", self.willingness);
            return problem("willingness", what, "give 0 (never) to 7 (always)".into());
        }
        if self.mpr_coverage == 0 {
            let what = "0 relays cover no node".into();
            return problem("mpr_coverage", what, "give 1 or more".into());
        }
        for (key, share) in [
            ("hysteresis_scaling", self.hysteresis_scaling),
            ("hysteresis_high", self.hysteresis_high),
            ("hysteresis_low", self.hysteresis_low),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return problem(key, format!("{share} is not between 0 and 1"), "give 0 to 1".into());
            }
        }
        if self.hysteresis_low >= self.hysteresis_high {
            let what = "is not below hysteresis_high".into();
            return problem("hysteresis_low", what, format!("give less than {}", self.hysteresis_high));
        }
        Ok(())
    }
}
