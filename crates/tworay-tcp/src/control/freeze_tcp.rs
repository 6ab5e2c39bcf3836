//! Freeze-TCP: the receiver closes its window before an interruption that it foresees, and reopens it with
//! three ACKs when the path is back (Goff, Moronski, Phatak and Gupta 2000).
//!
//! A closed window puts the sender into persist mode: it stops its retransmission timer, keeps its congestion
//! window and probes the window with empty segments, at first after a timeout and each time after twice as
//! long. When the window opens it resumes with the whole congestion window and retransmits what is still
//! outstanding, as BSD's senders do, which return to the oldest segment when a window closes. The senders of
//! the paper do not know the restart after an idle period (RFC 5681 §4.1), so it is off.
//!
//! In the paper a mobile host predicts the interruption from the strength of its signal. Here the simulator
//! predicts it from what it knows of the flow's route: where its nodes will be, handoffs of its wires, and
//! nodes that will be switched off. `warning` is how long before. The paper finds one round trip best:
//! everything in flight is then acknowledged with the closed window. A cut link and an empty battery are not
//! foreseen.
//!
//! With `warning=0` the window closes at the break, for every break of the route. No ACK of the receiver can
//! tell the sender then, so the simulator does, in the receiver's name, as `tworay live --freeze` does for
//! real kernels. What was in flight is lost.

use super::*;
use crate::config::{IdleRestart, TcpConfig};
use crate::control::{Effect, Effects, LossEvent, PathEvent, SenderView, Window};
use tworay_base::SimDuration;

/// Longest time between two probes of the closed window.
const LONGEST: SimDuration = SimDuration::from_secs(60);

settings! {
    struct Options {
        /// how long before an interruption the receiver closes its window, seconds; 0: at the break
        warning: SimDuration = 0.2, 0.0..10.0;
    }
}

#[derive(Debug, Default)]
struct FreezeTcp {
    /// The window is closed; time until the next probe.
    wait: Option<SimDuration>,
}

fn unchanged(view: &SenderView) -> Window {
    Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
}

impl CongestionControl for FreezeTcp {
    fn on_path_event(&mut self, view: &SenderView, event: PathEvent, effects: &mut Effects) {
        match (event, self.wait) {
            (PathEvent::PeerWindow { open: false }, None) => {
                self.wait = Some(view.base_rto);
                effects.push(Effect::Freeze);
                effects.push(Effect::StartTimer(view.base_rto));
            }
            (PathEvent::PeerWindow { open: true }, Some(_)) => {
                self.wait = None;
                effects.push(Effect::StopTimer);
                effects.push(Effect::EndBackoff);
                effects.push(Effect::Thaw);
                effects.push(Effect::GoBack(unchanged(view)));
            }
            _ => {}
        }
    }

    fn on_timer(&mut self, _: &SenderView, effects: &mut Effects) {
        let Some(wait) = &mut self.wait else { return };
        *wait = (*wait * 2).min(LONGEST);
        effects.push(Effect::Probe(None));
        effects.push(Effect::StartTimer(*wait));
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        if self.wait.is_some() { unchanged(view) } else { event.standard }
    }
}

fn configure(values: &[f64], config: &mut TcpConfig) {
    config.receiver.warning = Some(Options::read(values).warning);
    config.idle_restart = IdleRestart::Off;
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "freeze-tcp",
        summary: "the receiver closes its window before an interruption; the sender resumes with its whole window",
        source: "Goff, Moronski, Phatak, Gupta 2000",
        rules: &[
            Rule::at(
                Event::Receiver,
                "closes its window `warning` before an interruption that it foresees; opens it with three ACKs when the path is back",
                "Goff et al. 2000",
            ),
            Rule::at(
                Event::PeerWindow,
                "closed: stops sending and its timer, keeps cwnd, probes after a timeout and after twice as long each time",
                "Goff et al. 2000; RFC 9293 §3.8.6.1",
            ),
            Rule::at(
                Event::PeerWindow,
                "open: sends with the whole congestion window, what is outstanding first",
                "Goff et al. 2000",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack],
        unless: "it is defined only for the recoveries of the Reno family",
        needs: Needs::WINDOWS,
        configure: Some(configure),
        ..Part::new(Role::Reduction, |_| factory(FreezeTcp::default))
    }),
};

#[cfg(test)]
mod tests;
