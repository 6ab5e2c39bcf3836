/* Vegas: compares the expected with the actual rate once per round trip (Brakmo and Peterson 1995), as the
 * simulator's `vegas` does. Its retransmission before three duplicate ACKs is outside the control of a
 * controller.
 */
#ifndef TWORAY_CORE_VEGAS_H
#define TWORAY_CORE_VEGAS_H

#include "types.h"

/* Fractional bits of the window and of its step: the window grows by fractions of a segment. */
#define SHARE_BITS 28
#define WHOLE (1u << SHARE_BITS)

/* In segments queued in the network: grow below alpha, shrink above beta, leave slow start above gamma. */
struct vegas_limits {
	u32 alpha;
	u32 beta;
	u32 gamma;
};

struct vegas {
	/* When this round trip started. */
	u64 mark_at;
	/* Sum of this round trip's samples, microseconds. */
	u64 sum;
	u32 samples;
	/* Shortest round trip; 0 before the first sample. */
	u32 base;
	/* Start of the segment whose ACK ends this round trip. */
	u32 mark;
	/* cwnd, and growth per ACK, with SHARE_BITS fractional bits. */
	u64 cwnd;
	u32 step;
	/* Whether slow start may grow in this round trip; it does in every second one. */
	u8 may_step;
};

/* The ACK data that Vegas needs: what is acknowledged and sent, in bytes and in segments. */
struct vegas_ack {
	u32 una;
	u32 nxt;
	/* Sent since the mark, segments. */
	u32 sent;
	/* Outstanding, segments. */
	u32 flight;
};

/* The connection is open; `rtt` is the round trip of the SYN, 0 if unknown. */
CORE void vegas_start(struct vegas *s, u64 now, u32 una, u32 rtt)
{
	s->base = rtt;
	s->mark = una;
	s->mark_at = now;
}

/* Takes over a window that was set elsewhere in the meantime. */
CORE void vegas_sync(struct vegas *s, u32 cwnd)
{
	if (s->cwnd >> SHARE_BITS != cwnd)
		s->cwnd = (u64)cwnd << SHARE_BITS;
}

/* At least two segments. */
CORE u64 vegas_shrunk(u64 cwnd, u64 by)
{
	return cwnd < 2 * WHOLE + by ? 2 * WHOLE : cwnd - by;
}

CORE void vegas_round_trip(struct vegas *s, const struct view *v, const struct vegas_ack *ack, u32 *ssthresh,
			   struct vegas_limits limits)
{
	/* The mean round trip is time / count, kept as a fraction: rounding would change some decisions. */
	u64 time = s->samples ? s->sum : v->now - s->mark_at, count = s->samples ? s->samples : 1;
	u64 window = ack->flight + 1, got, excess;

	s->sum = 0;
	s->samples = 0;
	if (time) {
		if (!s->base || time < s->base * count || ack->sent <= 1)
			s->base = (u32)(time / count);
		/* (window / base - sent / rtt) * base, rounded to whole segments. */
		got = ack->sent * count * s->base;
		excess = window * time > got ? (2 * (window * time - got) + time) / (2 * time) : 0;
		if (s->cwnd < (u64)*ssthresh << SHARE_BITS) {
			s->may_step = !s->may_step;
			s->step = 0;
			if (s->may_step && excess > limits.gamma) {
				*ssthresh = 2;
				s->cwnd = vegas_shrunk(s->cwnd, s->cwnd / 8);
			} else if (s->may_step) {
				s->step = WHOLE;
			}
		} else if (excess > limits.beta) {
			s->cwnd = vegas_shrunk(s->cwnd, WHOLE);
			s->step = 0;
		} else if (excess < limits.alpha && s->cwnd) {
			s->step = (u32)(((u64)WHOLE << SHARE_BITS) / s->cwnd);
		} else {
			s->step = 0;
		}
	}
	s->mark = ack->nxt;
	s->mark_at = v->now;
}

/* An ACK of new data. */
CORE void vegas_ack(struct vegas *s, const struct view *v, const struct vegas_ack *ack, u32 *ssthresh,
		    struct vegas_limits limits)
{
	if ((int)(ack->una - s->mark) > 0)
		vegas_round_trip(s, v, ack, ssthresh, limits);
	if (s->step == WHOLE && s->cwnd >= (u64)*ssthresh << SHARE_BITS)
		s->step = 0;
	/* Only a window that is in use grows. */
	if (s->step && s->cwnd <= (u64)(ack->flight + 3) << SHARE_BITS)
		s->cwnd += s->step;
}

CORE void vegas_rtt(struct vegas *s, u32 rtt)
{
	s->sum += rtt;
	s->samples++;
	if (!s->base || rtt < s->base)
		s->base = rtt;
}

/* Duplicate ACKs reduce the window by a quarter; slow start is over. */
CORE struct decision vegas_loss(const struct view *v)
{
	u32 window = least(v->cwnd, v->advertised);
	struct decision d = {};

	d.window.cwnd = window <= 3 ? 2 : window - window / 4;
	d.window.ssthresh = 2;
	return d;
}

CORE struct decision vegas_rto(struct window standard)
{
	struct decision d = { .window = standard };

	d.window.cwnd = 2;
	return d;
}

#endif
