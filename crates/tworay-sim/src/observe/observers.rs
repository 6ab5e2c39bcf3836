//! All observers of a run, and who reads which facts.

use super::animation::Animation;
use super::capture::{Capture, Layout};
use super::counters::NetworkCounters;
use super::fact::{Fact, View};
use super::medium_log::MediumLog;
use super::record::Recorder;
use super::watchers::Watchers;
use super::wire_trace::WireRecord;
use crate::ledger::LossRecord;
use std::io;
use std::path::Path;
use tworay_base::{NodeId, SimTime};
use tworay_mac::MacConfig;
use tworay_mobility::Track;
use tworay_wire::Packet;

/// The observers of a run.
#[derive(Default)]
pub(crate) struct Observers {
    /// Network-wide counters.
    pub counters: NetworkCounters,
    /// Observers on request; `None` if there are none.
    watchers: Option<Box<Watchers>>,
    /// Events on the wires, if recorded.
    wire_trace: Option<Vec<WireRecord>>,
}

impl Observers {
    /// Observers without those on request; `series`: whether to trace the wires.
    pub fn new(series: bool) -> Self {
        Self { wire_trace: series.then(Vec::new), ..Self::default() }
    }

    /// Passes a fact to the observers.
    #[inline(always)]
    pub fn observe(&mut self, fact: Fact<'_>, view: View<'_>) {
        self.counters.observe(fact, view);
        if let Fact::Wired { ends, event, packet, .. } = fact
            && let Some(trace) = &mut self.wire_trace
        {
            trace.push(WireRecord::new(ends, event, packet, view));
        }
        if let Some(watchers) = &mut self.watchers {
            watchers.observe(fact, view);
        }
    }

    /// Whether there are observers on request. Facts that only these read need not be put together otherwise.
    #[inline(always)]
    pub fn watched(&self) -> bool {
        self.watchers.is_some()
    }

    /// The ledger booked a loss: the last copy of `packet` is gone.
    #[cold]
    pub fn lost(&mut self, packet: &Packet, loss: &LossRecord, view: View<'_>) {
        self.watchers.iter_mut().for_each(|watchers| watchers.lost(packet, loss, view));
    }

    fn watchers(&mut self) -> &mut Watchers {
        self.watchers.get_or_insert_default()
    }

    /// Starts a capture of transmissions in a file at `path`.
    pub fn capture_to(&mut self, path: &Path, layout: &Layout, mac: &MacConfig) -> io::Result<()> {
        let capture = Box::new(Capture::create(path, layout, mac)?);
        self.watchers().capture = Some(capture);
        Ok(())
    }

    /// Starts an animation of transmissions at `path`; `flows` are the end nodes of each flow.
    pub fn animate_to(
        &mut self,
        path: &Path,
        tracks: Vec<Track>,
        end: SimTime,
        flows: &[(NodeId, NodeId)],
    ) -> io::Result<()> {
        let animation = Box::new(Animation::create(path, tracks, end, flows)?);
        self.watchers().animation = Some(animation);
        Ok(())
    }

    /// Starts recording; `ranges` are the decoding and sensing range, m.
    pub fn record(&mut self, ranges: Option<(f64, f64)>) {
        self.watchers().recorder = Some(Box::new(Recorder::new(ranges)));
    }

    /// Starts a log of the medium.
    pub fn log_medium(&mut self) {
        self.watchers().medium_log = Some(Box::default());
    }

    /// Takes the log of the medium, if there is one.
    pub fn take_medium_log(&mut self) -> Option<Box<MediumLog>> {
        self.watchers.as_mut()?.medium_log.take()
    }

    /// Takes the record, if there is one.
    pub fn take_record(&mut self) -> Option<Box<Recorder>> {
        self.watchers.as_mut()?.recorder.take()
    }

    /// Takes the trace of the wires, if there is one.
    pub fn take_wire_trace(&mut self) -> Vec<WireRecord> {
        self.wire_trace.take().unwrap_or_default()
    }

    /// Completes the animation, if there is one.
    pub fn finish_animation(&mut self) -> io::Result<()> {
        let animation = self.watchers.as_mut().and_then(|watchers| watchers.animation.take());
        animation.map_or(Ok(()), |animation| animation.finish())
    }

    /// Completes the capture, if there is one.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        let capture = self.watchers.as_mut().and_then(|watchers| watchers.capture.take());
        capture.map_or(Ok(()), |capture| capture.finish())
    }
}
