//! The stages of an ACK: the answer to a tail loss probe, the end of a repair, duplicates, losses, and the
//! window.

use super::*;

impl RackTlp {
    /// Evaluates an ACK of a tail loss probe: a loss that the probe repaired reduces the window (RFC 8985
    /// §7.4).
    #[inline(always)]
    pub(super) fn answer_probe(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) {
        if let Some(rack) = &mut self.rack {
            rack.on_round(tx.space.una, tx.space.max, ack.dsack.is_some());
        }
        let dup = self.arrival.dup && self.arrival.delivered == 0;
        if self.probe.on_ack(ack.to, ack.dsack, dup) == Answer::Repaired && self.state == State::Open {
            out.push(self.reduction(tx, cx, Detected::ByProbe));
        } else {
            self.end_or_count(tx, cx, out);
        }
    }

    /// Ends the repair when everything outstanding at its start is acknowledged.
    #[inline(always)]
    pub(super) fn end_or_count(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        self.arrival.stage = Stage::Losses;
        self.arrival.was_recovering = self.state == State::Recovery;
        let over = self.state != State::Open && tx.space.una >= tx.cut.point;
        self.arrival.restores = self.needless(over);
        let needless = self.arrival.restores;
        if over || (needless.is_some() && self.arrival.was_recovering) {
            self.end(tx, out);
            if self.arrival.was_recovering {
                return out.push(Decision::Leave);
            }
        }
        match needless {
            Some(before) => out.push(Decision::Restore(before)),
            None => self.count(tx, cx, out),
        }
    }

    #[inline(always)]
    pub(super) fn count(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        if self.arrival.dup && self.arrival.delivered > 0 {
            out.push(Decision::CountDup);
        } else {
            self.look(tx, cx, false, out);
        }
    }

    /// Looks for losses; `shows_loss`: the duplicate ACKs indicate one.
    #[inline(always)]
    pub(super) fn look(&mut self, tx: &SendState, cx: &Cx, shows_loss: bool, out: &mut Decisions) {
        self.arrival.room = (tx.window.cwnd - self.marks.in_flight() as f64).max(0.0);
        self.arrival.lost = self.find_losses(tx, cx, shows_loss);
        let lost = self.arrival.lost || self.lacks_some();
        if lost && self.state == State::Open && may_enter(tx) {
            out.push(self.reduction(tx, cx, Detected::FastRetransmit));
        } else {
            self.finish(tx, cx, false, out);
        }
    }

    /// Linux: a recovery ends while segments that were sent during it are lost, retransmitted or not. Another begins then
    /// (`tcp_time_to_recover`).
    #[inline(always)]
    fn lacks_some(&self) -> bool {
        self.arrival.ends
            && self.marks.lost() + self.marks.again() > 0
            && self.repairs.contains(Repairs::LINUX)
    }

    /// A loss has reduced the window.
    pub(super) fn enter(&mut self, tx: &SendState, reduction: Reduction, out: &mut Decisions) {
        out.push(Decision::MarkCut(CutBy::DupAcks));
        out.push(Decision::StopTiming);
        out.push(Decision::ForgetLimited);
        (self.state, self.forced) = (State::Recovery, true);
        if self.repairs.contains(Repairs::LINUX) {
            let probed = self.probe.end.is_some() && self.probe.again;
            let repaired = Repaired { probed, again: self.marks.again(), last: self.undo };
            self.undo = Some(Undo::new(reduction.before, tx.space.una, repaired));
        }
        if self.repairs.contains(Repairs::PRR) {
            let flight = if self.repairs.contains(Repairs::LINUX) {
                reduction.before.cwnd as usize
            } else {
                self.arrival.before
            };
            self.prr = Some(Prr::new(tx.window.cwnd, flight));
        }
    }

    /// The window after an ACK; `enters`: the ACK revealed the first loss.
    #[inline(always)]
    pub(super) fn finish(&mut self, tx: &SendState, cx: &Cx, enters: bool, out: &mut Decisions) {
        let Arrival { delivered, advanced, lost, bytes, .. } = self.arrival;
        let mut window = Window { cwnd: tx.window.cwnd, ssthresh: tx.window.ssthresh };
        if self.state == State::Recovery {
            if delivered > 0 {
                self.reduce(tx, Progress { delivered, safe: advanced && !lost }, &mut window);
            } else if lost {
                self.keep_room(tx, if enters { 0.0 } else { self.arrival.room }, &mut window);
            }
            out.push(Decision::SetCwnd(window.cwnd));
        }
        if advanced && !self.arrival.opening {
            // Linux: the ACK that ends a recovery is the first of what comes after it.
            let grows_on_exit = cx.cfg.growth_on_exit || self.growth.is_some();
            let may_grow = self.state != State::Recovery && (!self.arrival.was_recovering || grows_on_exit);
            out.push(match &mut self.growth {
                Some(linux) => {
                    let limited = linux.limits(window);
                    let standard = if may_grow { linux.on_ack(window, delivered) } else { window };
                    let (delivered, limited) = (delivered as f64, Some(limited));
                    Decision::GrowTo(Growth { standard, bytes, delivered, may_grow, limited })
                }
                None => Decision::Grow { bytes, may_grow },
            });
        }
    }

    /// RACK found losses at an ACK that delivers nothing. With PRR, such an ACK releases nothing either: the
    /// window shrinks by the lost segments, except in Linux, which leaves it.
    pub(super) fn keep_room(&mut self, tx: &SendState, room: f64, window: &mut Window) {
        if self.prr.is_some() && !self.repairs.contains(Repairs::LINUX) {
            window.cwnd = tx.bounded(self.marks.in_flight() as f64 + room);
        }
    }

    /// An ACK in fast recovery that delivers something.
    pub(super) fn reduce(&mut self, tx: &SendState, progress: Progress, window: &mut Window) {
        if let Some(prr) = &mut self.prr {
            window.cwnd = tx.bounded(prr.window(progress, self.marks.in_flight()));
            // PRR releases the first retransmission itself.
            self.forced = false;
        }
    }

    /// The reordering timer found losses in fast recovery: Linux counts its expiry as one delivered segment.
    pub(super) fn reduce_by_timer(&mut self, tx: &SendState, out: &mut Decisions) {
        let mut window = Window { cwnd: tx.window.cwnd, ssthresh: tx.window.ssthresh };
        self.reduce(tx, Progress { delivered: 1, safe: false }, &mut window);
        out.push(Decision::SetCwnd(window.cwnd));
    }

    /// Everything outstanding when the loss was detected is acknowledged.
    pub(super) fn end(&mut self, tx: &SendState, out: &mut Decisions) {
        (self.state, self.forced, self.arrival.ends) = (State::Open, false, true);
        if let Some(prr) = self.prr.take() {
            out.push(Decision::SetCwnd(tx.bounded(prr.target)));
        }
        if let Some(rack) = self.rack.as_mut().filter(|_| self.arrival.restores.is_none()) {
            rack.on_recovery_end();
        }
        out.push(Decision::EndCut);
    }
}
