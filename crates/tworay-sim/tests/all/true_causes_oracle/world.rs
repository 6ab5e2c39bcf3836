//! Random small scenarios: where the stations are, what disturbs them, and what they send.

use std::fmt::Write;
use tworay_sim::scenario::Scenario;

use crate::common::parse;

/// Interval at which movement, switches and cuts are sampled, seconds. All generated times are multiples.
pub const STEP: f64 = 0.1;

/// The routing protocols and their dialects.
pub const PROTOCOLS: [&[&str]; 13] = [
    &["static"],
    &["aodv"],
    &["aodv", "ns2"],
    &["aodv", "thesis"],
    &["aodv", "thesis-trace"],
    &["dsr"],
    &["dsr", "ns2"],
    &["dsr", "thesis"],
    &["dsr", "thesis-trace"],
    &["dsr", "freeze-probing"],
    &["olsr"],
    &["olsr", "thesis"],
    &["olsr", "thesis-trace"],
];

/// Kinds of traffic.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Datagrams of 512 bytes at this rate, kb/s.
    Datagrams { kbps: u32 },
    /// A TCP transfer with segments of 512 bytes and this advertised window, segments.
    Transfer { window: u32 },
}

/// The radio of all stations.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Radio {
    /// 802.11b, 2 Mb/s.
    Wavelan,
    /// 802.11g at 6 Mb/s.
    G,
    /// 802.11n at 6.5 Mb/s, with aggregates; `codel`: with FQ-CoDel in place of a drop-tail queue.
    N { codel: bool },
}

/// A flow.
#[derive(Copy, Clone, Debug)]
pub struct Flow {
    pub from: usize,
    pub to: usize,
    pub traffic: Traffic,
    /// Tenths of a second.
    pub start: u32,
    /// Tenths of a second; `None`: the end of the run.
    pub stop: Option<u32>,
}

/// A station that walks in a straight line.
#[derive(Copy, Clone, Debug)]
pub struct Walk {
    pub node: usize,
    /// Tenths of a second.
    pub at: u32,
    pub to: (f64, f64),
    /// m/s.
    pub speed: f64,
}

/// A station that is switched off, and perhaps on again.
#[derive(Copy, Clone, Debug)]
pub struct Outage {
    pub node: usize,
    /// Tenths of a second.
    pub from: u32,
    /// Tenths of a second; `None`: off until the end.
    pub until: Option<u32>,
}

/// The link that a flow is using is cut.
#[derive(Copy, Clone, Debug)]
pub struct Cut {
    pub flow: usize,
    /// Tenths of a second.
    pub at: u32,
    /// Tenths of a second; `None`: until the end.
    pub lasts: Option<u32>,
}

/// Bit errors at every receiver.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum BitErrors {
    None,
    /// Probability for a frame.
    PerFrame(f64),
    /// Probability for a bit.
    PerBit(f64),
    /// Bursts in which no frame survives: probabilities per frame of their start and end.
    Bursts(f64, f64),
    /// Errors above the MAC: probability for a packet.
    PerPacket(f64),
    /// Rayleigh fading: time for which a pair keeps a gain, tenths of a second; 0: for every frame anew.
    Fading(u32),
    /// Shadowing: standard deviation in dB, and the same time.
    Shadowing(u32, u32),
}

impl BitErrors {
    /// True if received powers are random.
    pub fn fades(self) -> bool {
        matches!(self, BitErrors::Fading(_) | BitErrors::Shadowing(..))
    }
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Metres.
    pub positions: Vec<(f64, f64)>,
    pub flows: Vec<Flow>,
    pub walks: Vec<Walk>,
    pub outages: Vec<Outage>,
    pub cuts: Vec<Cut>,
    pub errors: BitErrors,
    /// Place in [`PROTOCOLS`].
    pub protocol: usize,
    /// Largest number of hops that the search may reach, if limited.
    pub reach: Option<u32>,
    pub ns2: bool,
    pub rts: &'static str,
    pub queue: u32,
    pub arp: bool,
    pub radio: Radio,
    /// Tenths of a second.
    pub duration: u32,
    pub seed: u64,
}

fn seconds(tenths: u32) -> String {
    format!("{}.{}s", tenths / 10, tenths % 10)
}

impl Scene {
    /// Name of the routing protocol, without its dialect.
    pub fn routing(&self) -> &'static str {
        PROTOCOLS[self.protocol][0]
    }

    /// Packets that fit in an interface queue. ns-2's drop-tail queue holds one less than its limit.
    pub fn queue_capacity(&self) -> u32 {
        self.queue - u32::from(self.ns2)
    }

    /// True if the load by itself can fill an interface queue. One hop carries about 700 kb/s of datagrams, a long
    /// string a quarter of it; a window fills a queue that is not larger. With OFDM, one hop carries 3.8 Mb/s or more: 512 bytes with
    /// their headers last 0.79 ms, RTS, CTS, ACK and the gaps between them 0.2 ms, DIFS and the mean backoff 0.1 ms.
    pub fn can_fill_a_queue(&self) -> bool {
        let (mut kbps, mut windows) = (0, 0);
        for flow in &self.flows {
            match flow.traffic {
                Traffic::Datagrams { kbps: rate } => kbps += rate,
                Traffic::Transfer { window } => windows += window,
            }
        }
        let carried = if self.radio == Radio::Wavelan { 150 } else { 3_000 };
        kbps >= carried || windows >= self.queue_capacity()
    }

    /// True if ARP may give up a neighbour that is there, because packets follow each other too fast for its answer: in
    /// ns-2's dialect, the third packet without an address ends the exchange. A window of three sends three at once.
    pub fn can_exhaust_arp(&self) -> bool {
        let three = |flow: &Flow| matches!(flow.traffic, Traffic::Transfer { window: 3.. });
        self.ns2 && self.arp && (self.flows.iter().any(three) || self.can_fill_a_queue())
    }

    /// True if two packets may need the same address at once, of which ARP's hold slot keeps one: a reply to the search of
    /// another station, and a packet that waited for the route which that search's request has brought.
    pub fn can_contest_a_slot(&self) -> bool {
        self.arp && self.flows.len() > 1
    }

    /// The scenario file.
    pub fn toml(&self) -> String {
        let mut t = format!("name = \"random\"\nduration = \"{}\"\n", seconds(self.duration));
        if self.ns2 {
            t += "dialect = \"ns2\"\n";
        }
        let positions: Vec<String> =
            self.positions.iter().map(|(x, y)| format!("[{x:.1}, {y:.1}]")).collect();
        // Writing to a String doesn't fail.
        let _ = writeln!(
            t,
            "topology = {{ kind = \"explicit\", positions = [{}] }}\n\
             mac = {{ rts = \"{}\", queue_limit = {}, arp = {}{} }}",
            positions.join(", "),
            self.rts,
            self.queue,
            self.arp,
            match self.radio {
                Radio::N { codel: true } => ", queue = \"fq-codel\"",
                Radio::N { codel: false } => ", queue = \"fifo\"",
                Radio::Wavelan | Radio::G => "",
            }
        );
        let preset = match self.radio {
            Radio::Wavelan => None,
            Radio::G => Some("g"),
            Radio::N { .. } => Some("n20"),
        };
        if let Some(preset) = preset {
            let _ = writeln!(t, "radio = {{ preset = \"{preset}\", rate = \"fixed\", mcs = 0 }}");
        }
        match self.errors {
            BitErrors::None => {}
            BitErrors::PerFrame(rate) => {
                let _ = writeln!(t, "errors.frame_err = {{ bernoulli = {{ rate = {rate:.3} }} }}");
            }
            BitErrors::PerBit(rate) => {
                let _ = writeln!(
                    t,
                    "errors.frame_err = {{ bernoulli = {{ rate = {rate:.7}, unit = \"bit\" }} }}"
                );
            }
            BitErrors::PerPacket(rate) => {
                let _ = writeln!(t, "errors.pkt_err = {{ bernoulli = {{ rate = {rate:.3} }} }}");
            }
            BitErrors::Fading(keeps) => {
                let _ = writeln!(t, "radio.fading = {{ k = 0, coherence = \"{}\" }}", seconds(keeps));
            }
            BitErrors::Shadowing(sigma, keeps) => {
                let _ = writeln!(
                    t,
                    "radio.shadowing = {{ sigma = \"{sigma}dB\", coherence = \"{}\" }}",
                    seconds(keeps)
                );
            }
            BitErrors::Bursts(start, end) => {
                let _ = writeln!(
                    t,
                    "errors.frame_err = {{ gilbert-elliott = {{ good_to_bad = {start:.4}, bad_to_good = {end:.4} }} }}"
                );
            }
        }
        self.write_routing(&mut t);
        self.write_disturbances(&mut t);
        self.write_flows(&mut t);
        t
    }

    fn write_routing(&self, t: &mut String) {
        let protocol = self.routing();
        let _ = writeln!(t, "[routing]\nprotocol = \"{protocol}\"");
        let mut keys = Vec::new();
        if let Some(dialect) = PROTOCOLS[self.protocol].get(1) {
            keys.push(format!("dialect = \"{dialect}\""));
        }
        match (self.reach, protocol) {
            (Some(hops), "aodv") => keys.push(format!("net_diameter = {hops}\nttl_threshold = {hops}")),
            (Some(hops), "dsr") => keys.push(format!("max_route_hops = {hops}")),
            _ => {}
        }
        if !keys.is_empty() {
            let _ = writeln!(t, "[routing.{protocol}]\n{}", keys.join("\n"));
        }
    }

    fn write_disturbances(&self, t: &mut String) {
        if !self.walks.is_empty() {
            *t += "[mobility]\nkind = \"waypoints\"\nlegs = [\n";
            for w in &self.walks {
                let (x, y) = w.to;
                let _ = writeln!(
                    t,
                    "  {{ node = {}, at = \"{}\", to = [{x:.1}, {y:.1}], speed = \"{}m/s\" }},",
                    w.node,
                    seconds(w.at),
                    w.speed
                );
            }
            *t += "]\n";
        }
        for o in &self.outages {
            let what = |at: u32, what: &str| {
                format!("[[event]]\nnode = {}\nat = \"{}\"\nwhat = \"{what}\"\n", o.node, seconds(at))
            };
            *t += &what(o.from, "down");
            *t += &o.until.map(|at| what(at, "up")).unwrap_or_default();
        }
        for c in &self.cuts {
            let _ = writeln!(t, "[[event]]\nflow = {}\nat = \"{}\"\nwhat = \"cut\"", c.flow, seconds(c.at));
            if let Some(lasts) = c.lasts {
                let _ = writeln!(t, "for = \"{}\"", seconds(lasts));
            }
        }
    }

    fn write_flows(&self, t: &mut String) {
        let window = self.flows.iter().find_map(|f| match f.traffic {
            Traffic::Transfer { window } => Some(window),
            Traffic::Datagrams { .. } => None,
        });
        if let Some(window) = window {
            let _ = writeln!(t, "[tcp]\nmss = \"512B\"\nwindow = {window}");
        }
        for f in &self.flows {
            let _ =
                writeln!(t, "[[flow]]\nfrom = {}\nto = {}\nstart = \"{}\"", f.from, f.to, seconds(f.start));
            *t += &f.stop.map(|at| format!("stop = \"{}\"\n", seconds(at))).unwrap_or_default();
            *t += &match f.traffic {
                Traffic::Datagrams { kbps } => {
                    format!("app = \"cbr\"\nsize = \"512B\"\nrate = \"{kbps}kbps\"\n")
                }
                Traffic::Transfer { .. } => "app = \"ftp\"\n".to_owned(),
            };
        }
    }

    /// The scenario, ready to run.
    pub fn scenario(&self) -> Scenario {
        parse(&self.toml())
    }
}
