//! Test bench for one part: feeds it events and prints its effects in short form.

use super::*;
use crate::TcpConfig;
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effect, Effects, LossEvent, ProbeEvent, ProbeVerdict, RtoDecision,
    RtoEvent, RttEvent, SenderView, Window,
};
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::ProbeKind;

/// The window that Reno would set.
pub(super) const HALF: Window = Window { cwnd: 5.0, ssthresh: 5.0 };

/// A part, the sender state it sees, and the effects it requested last.
pub(super) struct Bench {
    pub part: Box<dyn CongestionControl>,
    pub view: SenderView,
    pub effects: Effects,
}

impl Bench {
    /// `text` names the variant as a user writes it. The window is 10 segments, all in flight, ssthresh 20.
    pub fn new(text: &str) -> Self {
        Self::of(&text.parse().expect("a variant"))
    }

    /// As [`Self::new`], for a variant that has no name to write.
    pub fn of(variant: &crate::Variant) -> Self {
        let part = variant.only_part(&TcpConfig::default()).expect("one part");
        let view = SenderView {
            now: SimTime::ZERO,
            cwnd: 10.0,
            ssthresh: 20.0,
            advertised: 64.0,
            mss: 1000,
            una: Seq32(1),
            nxt: Seq32(10_001),
            max: Seq32(10_001),
            flight: 10.0,
            dup_acks: 0,
            in_recovery: false,
            after_timeout: false,
            srtt: Some(SimDuration::from_millis(100)),
            rttvar: None,
            rto: SimDuration::from_secs(1),
            base_rto: SimDuration::from_secs(1),
            peer_probes: true,
            hops: 0,
        };
        Self { part, view, effects: Effects::new() }
    }

    pub fn at(&mut self, ms: u64) -> &mut Self {
        self.view.now = SimTime::ZERO + SimDuration::from_millis(ms);
        self
    }

    pub fn ack(&mut self) -> Window {
        self.effects.clear();
        let standard = Window { cwnd: self.view.cwnd + 1.0, ssthresh: self.view.ssthresh };
        let event = AckEvent {
            bytes: 1000,
            segments: 1.0,
            delivered: 1.0,
            may_grow: true,
            limited: None,
            standard,
            echo: None,
        };
        self.part.on_ack(&self.view, &event, &mut self.effects)
    }

    pub fn dup_ack(&mut self) -> DupAckDecision {
        self.effects.clear();
        self.part.on_dup_ack(&self.view, &DupAckEvent { count: 1 }, &mut self.effects)
    }

    pub fn loss(&mut self) -> Window {
        self.effects.clear();
        let event = LossEvent { seq: self.view.una, standard: HALF };
        self.part.on_loss(&self.view, &event, &mut self.effects)
    }

    pub fn rto(&mut self) -> RtoDecision {
        self.effects.clear();
        let event = RtoEvent {
            seq: self.view.una,
            consecutive: 1,
            opening: false,
            standard: Window { cwnd: 1.0, ssthresh: 5.0 },
        };
        self.part.on_rto(&self.view, &event, &mut self.effects)
    }

    pub fn rtt(&mut self, ms: u64) -> &mut Self {
        self.effects.clear();
        let exact = SimDuration::from_millis(ms);
        self.part.on_rtt(&self.view, &RttEvent { exact, ticked: exact }, &mut self.effects);
        self
    }

    /// The round trip of the handshake.
    pub fn handshake(&mut self, ms: u64) -> &mut Self {
        self.effects.clear();
        let exact = SimDuration::from_millis(ms);
        self.part.on_handshake(&self.view, &RttEvent { exact, ticked: exact }, &mut self.effects);
        self
    }

    pub fn timer(&mut self) -> &mut Self {
        self.effects.clear();
        self.part.on_timer(&self.view, &mut self.effects);
        self
    }

    pub fn answer(&mut self, kind: ProbeKind, id: u16) -> ProbeVerdict {
        self.effects.clear();
        self.part.on_probe_answer(&self.view, &ProbeEvent { kind, id }, &mut self.effects)
    }

    /// The effects in short form: `freeze probe1#1 timer=0.1`.
    pub fn wanted(&self) -> String {
        let short = |e: &Effect| match e {
            Effect::SetWindow(w) => format!("window={}/{}", w.cwnd, w.ssthresh),
            Effect::Recover(w) => format!("recover={}/{}", w.cwnd, w.ssthresh),
            Effect::GoBack(w) => format!("go-back={}/{}", w.cwnd, w.ssthresh),
            Effect::Retransmit => "retransmit".into(),
            Effect::Freeze => "freeze".into(),
            Effect::Thaw => "thaw".into(),
            Effect::EndBackoff => "end-backoff".into(),
            Effect::StartTimer(d) => format!("timer={}", d.as_secs_f64()),
            Effect::StopTimer => "stop".into(),
            Effect::Probe(Some(p)) => format!("{:?}#{}", p.kind, p.id).to_lowercase(),
            Effect::Probe(None) => "probe".into(),
            Effect::ScaleRtt(f) => format!("scale={f:.3}"),
            Effect::Guess { guess, .. } => format!("guess={guess}"),
            #[allow(unreachable_patterns)]
            other => format!("{other:?}"),
        };
        self.effects.iter().map(short).collect::<Vec<_>>().join(" ")
    }
}
