//! Opening a connection: the handshake and the options it negotiates (RFC 9293 §3.5, RFC 7323, RFC 2018).

use super::*;

impl Connection {
    /// A SYN arrived at a listening end.
    pub(super) fn on_first_syn(&mut self, now: SimTime, segment: &TcpSegment, out: &mut Vec<TcpAction>) {
        if !segment.flags.has(TcpFlags::SYN) || segment.flags.has(TcpFlags::ACK) {
            return self.counters.ignore(Ignored::NoConnection);
        }
        let agreed = match self.config.handshake {
            Handshake::ThreeWay => segment.options.sack_permitted && self.wants_sack,
            _ => self.wants_sack,
        };
        self.receiver.synchronise(segment.seq, agreed);
        self.receiver.take_timestamp(segment);
        self.agree_on_probes(Some(segment));
        self.agree_on_window(segment);
        self.sender.space_mut().set_peer_window(segment.window);
        if self.config.handshake == Handshake::ThreeWay {
            self.state = State::SynReceived;
            self.with(now, out, |sender, cx| sender.send_window(cx, 1));
        } else {
            self.sender.skip_syn();
            self.send_ack(now, out);
            self.establish(out);
            self.push(now, out);
            self.check_finished(out);
        }
    }

    /// The answer to our SYN arrived.
    pub(super) fn on_answer(
        &mut self,
        now: SimTime,
        segment: &TcpSegment,
        arrival: Arrival,
        out: &mut Vec<TcpAction>,
    ) {
        let three_way = self.config.handshake == Handshake::ThreeWay;
        // The answer may acknowledge more than the SYN if data followed it.
        let answered =
            self.sender.space().offset(segment.ack).filter(|to| (1..=self.sender.space().max).contains(to));
        let Some(to) = answered.filter(|_| segment.flags.has(TcpFlags::ACK)) else {
            return self.counters.ignore(Ignored::AckTooHigh);
        };
        if segment.flags.has(TcpFlags::SYN) != three_way {
            return self.counters.ignore(Ignored::UnexpectedSyn);
        }
        if three_way {
            self.receiver.synchronise(segment.seq, segment.options.sack_permitted && self.wants_sack);
            self.receiver.take_timestamp(segment);
        } else {
            self.receiver.synchronise(Seq32(self.config.iss), self.wants_sack);
        }
        self.agree_on_probes(Some(segment));
        self.agree_on_window(segment);
        self.establish(out);
        let sent = self.take_ack(now, segment, to, arrival, out);
        if three_way && !sent {
            self.send_ack(now, out);
        }
    }

    /// Windows are scaled if both SYNs carry the option. The answering SYN carries it if the first one did.
    pub(super) fn agree_on_window(&mut self, syn: &TcpSegment) {
        if self.config.handshake == Handshake::ThreeWay {
            let shift = self.config.window_shift();
            let offered = self.side == Side::Passive || shift > 0;
            let agreed = offered && syn.options.window_scale.is_some();
            self.receiver.agree_on_window(if agreed {
                WindowField::Scaled(shift)
            } else {
                WindowField::Plain
            });
        }
    }

    /// Negotiates probes. Where SYNs carry no options, both ends have the same settings.
    pub(super) fn agree_on_probes(&mut self, syn: Option<&TcpSegment>) {
        let peer = match syn {
            Some(syn) if self.config.handshake == Handshake::ThreeWay => {
                syn.options.probe.is_some_and(|p| p.kind == ProbeKind::Permitted)
            }
            _ => true,
        };
        self.probes_agreed = self.wants_probes && peer;
        self.sender.agree_on_probes(self.probes_agreed);
    }

    /// The peer repeated its SYN: our answer was lost.
    pub(super) fn on_repeated_syn(&mut self, now: SimTime, segment: &TcpSegment, out: &mut Vec<TcpAction>) {
        self.counters.ignore(Ignored::UnexpectedSyn);
        if self.receiver.irs() != Some(segment.seq) {
            return;
        }
        if self.state == State::SynReceived {
            self.with(now, out, |sender, cx| sender.repeat_syn(cx));
        } else {
            self.send_ack(now, out);
        }
    }

    pub(super) fn establish(&mut self, out: &mut Vec<TcpAction>) {
        self.state = State::Established;
        out.push(TcpAction::Connected);
    }
}
