//! Random errors: of frames at each receiver, and of packets above the MAC.

use tworay_base::{NodeId, Purpose, RngStream};
use tworay_mac::Frame;
use tworay_radio::{ErrorModel, ErrorModelConfig, ErrorsConfig, MeasuredLink};

/// The error models of all receivers; there are none without configured errors.
#[derive(Default)]
pub(crate) struct Errors {
    frame: Vec<ErrorModel>,
    packet: Vec<ErrorModel>,
    /// Measured loss rates: by sender, then in order of receivers.
    links: Vec<Vec<Lossy>>,
    /// Receivers whose losses events have set.
    ordered: Vec<Lossy>,
}

/// One direction of a measured link, or a receiver, that loses frames.
struct Lossy {
    to: NodeId,
    loss: f64,
    rng: RngStream,
}

impl Lossy {
    fn strikes(&mut self) -> bool {
        self.rng.chance(self.loss)
    }
}

/// First stream numbers of the error models, separate from the receivers' own streams.
const FRAME_STREAMS: u64 = 1 << 32;
const PACKET_STREAMS: u64 = 2 << 32;
const ORDERED_STREAMS: u64 = 3 << 32;

impl Errors {
    pub fn new(config: &ErrorsConfig, links: &[MeasuredLink], seed: u64, nodes: usize) -> Option<Box<Self>> {
        let models = |config: &ErrorModelConfig, first: u64| {
            let stream = |i| RngStream::numbered(seed, first + i as u64, Purpose::ChannelError);
            let count = if *config == ErrorModelConfig::None { 0 } else { nodes };
            (0..count).map(|i| ErrorModel::new(*config, stream(i))).collect()
        };
        let lossy = links.iter().any(|link| link.loss > 0.0);
        (lossy || !config.is_none()).then(|| {
            Box::new(Self {
                frame: models(&config.frame_err, FRAME_STREAMS),
                packet: models(&config.pkt_err, PACKET_STREAMS),
                links: if lossy { losses(links, seed, nodes) } else { Vec::new() },
                ordered: Vec::new(),
            })
        })
    }

    /// From now on a receiver loses this share of frames, beside its other errors.
    pub fn lose(&mut self, node: NodeId, share: f64, seed: u64) {
        match self.ordered.iter_mut().find(|lossy| lossy.to == node) {
            Some(lossy) => lossy.loss = share,
            None => {
                let number = ORDERED_STREAMS | u64::from(node.0);
                let rng = RngStream::numbered(seed, number, Purpose::ChannelError);
                self.ordered.push(Lossy { to: node, loss: share, rng });
            }
        }
    }

    /// True if errors corrupt a frame, by the link, by the receiver's own model, or by an event.
    pub fn corrupts(&mut self, frame: &Frame, node: NodeId) -> bool {
        let by_order = self.ordered.iter_mut().find(|lossy| lossy.to == node).is_some_and(Lossy::strikes);
        let by_link = self.links.get_mut(frame.from.index()).is_some_and(|list| {
            let at = list.binary_search_by_key(&node, |lossy| lossy.to);
            at.is_ok_and(|at| list[at].strikes())
        });
        let model = self.frame.get_mut(node.index());
        // All draw, so that the draws of one do not depend on the outcome of another.
        model.is_some_and(|model| model.corrupts(8 * frame.bytes)) || by_link || by_order
    }

    /// True if errors would corrupt this frame, or one of that size at another rate. Draws what the next frame will draw, which does not
    /// change anything.
    pub fn would_corrupt(&self, frame: &Frame, node: NodeId) -> bool {
        let strikes = |lossy: &Lossy| lossy.rng.clone().chance(lossy.loss);
        let by_order = || self.ordered.iter().find(|lossy| lossy.to == node).is_some_and(strikes);
        let by_link = || {
            let list = self.links.get(frame.from.index());
            list.and_then(|list| list.iter().find(|lossy| lossy.to == node)).is_some_and(strikes)
        };
        let by_model =
            || self.frame.get(node.index()).is_some_and(|model| model.clone().corrupts(8 * frame.bytes));
        by_order() || by_link() || by_model()
    }

    /// True if a packet received by the MAC of `node` is lost above it.
    pub fn packet_errs(&mut self, node: NodeId, ip_bytes: u32) -> bool {
        self.packet.get_mut(node.index()).is_some_and(|model| model.corrupts(8 * ip_bytes))
    }
}

/// One random stream for each direction of a link.
fn losses(links: &[MeasuredLink], seed: u64, nodes: usize) -> Vec<Vec<Lossy>> {
    let mut lists: Vec<Vec<Lossy>> = (0..nodes).map(|_| Vec::new()).collect();
    for link in links.iter().filter(|link| link.loss > 0.0) {
        let number = u64::from(link.from) << 16 | u64::from(link.to);
        let rng = RngStream::numbered(seed, number, Purpose::LinkLoss);
        lists[usize::from(link.from)].push(Lossy { to: NodeId(link.to), loss: link.loss, rng });
    }
    for list in &mut lists {
        list.sort_by_key(|lossy| lossy.to);
    }
    lists
}
