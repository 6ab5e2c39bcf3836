//! The list of controllers.

/// A number that a controller reads from its map `tworay_params`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name; its index in [`Controller::parameters`] is its key in the map.
    pub name: &'static str,
    /// Default value.
    pub default: u32,
    /// Largest permitted value.
    pub max: u32,
    /// Its effect, with the unit.
    pub about: &'static str,
}

/// A controller.
#[derive(Copy, Clone, Debug)]
pub struct Controller {
    /// Name of the corresponding simulated variant.
    pub name: &'static str,
    /// Name in the kernel, at most 15 characters.
    pub kernel_name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Its parameters, by key.
    pub parameters: &'static [Parameter],
    /// The compiled object; empty if it was built without clang.
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

/// Every controller, in the order of listings.
pub const CONTROLLERS: &[Controller] = &[
    controller!(
        "welcome",
        "tells congestion, wireless loss and link failure apart by round trips and loss signal",
        &[]
    ),
    controller!("westwood", "sets ssthresh to estimated bandwidth x shortest round trip after a loss", &[]),
    controller!(
        "vegas",
        "compares expected and actual rate",
        &[
            parameter("alpha", 1, "grow below this many segments queued in the network"),
            parameter("beta", 3, "shrink above this many segments"),
            parameter("gamma", 1, "leave slow start above this many segments"),
        ]
    ),
    controller!(
        "sca",
        "congestion avoidance grows on one ACK in theta + 1",
        &[parameter("theta", 10, "ACKs without growth between two ACKs with growth; 0 is plain TCP")]
    ),
    controller!(
        "cwl",
        "limits the congestion window by the number of hops, read from the TTL",
        &[parameter(
            "least",
            2,
            "segments always allowed; 1 is the paper's table, for receivers that don't delay ACKs"
        )]
    ),
    controller!("probing", "on a loss without contention two round trips select the recovery", &[]),
];

/// The controller of this name, with or without `tworay_`.
pub fn find(name: &str) -> Option<&'static Controller> {
    let plain = name.strip_prefix("tworay_").unwrap_or(name);
    CONTROLLERS.iter().find(|c| c.name == plain)
}
