//! Which controllers there are.

/// A number that a controller reads from its map `tworay_params`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; its place in [`Controller::parameters`] is its key in the map.
    pub name: &'static str,
    /// Its value when nothing else is said.
    pub default: u32,
    /// The largest allowed value.
    pub max: u32,
    /// What it does, with its unit.
    pub about: &'static str,
}

/// A controller.
#[derive(Copy, Clone, Debug)]
pub struct Controller {
    /// The simulated variant that it is, without `tworay_`.
    pub name: &'static str,
    /// What the kernel calls it, at most 15 letters.
    pub kernel_name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters, by key.
    pub parameters: &'static [Parameter],
    /// The compiled object; empty if there was no clang.
    pub object: &'static [u8],
}

macro_rules! controller {
    ($name:literal, $summary:literal, $parameters:expr) => {
        Controller {
            name: $name,
            kernel_name: concat!("tworay_", $name),
            summary: $summary,
            parameters: $parameters,
            object: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bpf.o")),
        }
    };
}

const fn parameter(name: &'static str, default: u32, about: &'static str) -> Parameter {
    Parameter { name, default, max: 1000, about }
}

/// Every controller, in the order of the list.
pub const CONTROLLERS: &[Controller] = &[
    controller!(
        "welcome",
        "round trips and the kind of signal tell congestion, channel and broken link apart",
        &[]
    ),
    controller!("westwood", "after a loss ssthresh is estimated bandwidth x shortest round trip", &[]),
    controller!(
        "vegas",
        "compares expected and actual rate",
        &[
            parameter("alpha", 1, "grow below this many segments queued in the network"),
            parameter("beta", 3, "shrink above this many"),
            parameter("gamma", 1, "leave slow start above this many"),
        ]
    ),
    controller!(
        "sca",
        "congestion avoidance grows on one ACK in theta + 1",
        &[parameter("theta", 10, "ACKs without growth between two with it; 0 is plain TCP")]
    ),
    controller!("cwl", "the congestion window is limited by the number of hops, read from the TTL", &[]),
    controller!("probing", "a loss without contention before it: two round trips choose the recovery", &[]),
];

/// The controller of this name, with or without `tworay_`.
pub fn find(name: &str) -> Option<&'static Controller> {
    let plain = name.strip_prefix("tworay_").unwrap_or(name);
    CONTROLLERS.iter().find(|c| c.name == plain)
}
