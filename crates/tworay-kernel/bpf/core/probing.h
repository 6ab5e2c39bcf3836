/* TCP-Probing with the Vegas predictor: after a loss without preceding contention, two round trips decide
 * what follows (Psaras, Mamatas and Tsaoussidis), with the default choices of the simulator's `probing`.
 *
 * A controller cannot send the paper's two probes, so the core uses the round trips that it is given.
 */
#ifndef TWORAY_CORE_PROBING_H
#define TWORAY_CORE_PROBING_H

#include "types.h"

/* A larger difference between expected and actual rate, in segments, indicates contention. */
#define PROBING_THRESHOLD 4u
/* Fractional bits of the current round trip. */
#define CURRENT_BITS 28
#define PROBING_LONGEST ((1u << 26) - 1)

enum probing_step { PROBING_NONE, PROBING_FIRST, PROBING_SECOND };

struct probing {
	/* When the first, then the second measurement started. */
	u64 asked;
	/* The connection's current probe round trip; 0 before the first one. */
	u64 current;
	/* Round trips of data, microseconds. */
	u32 best;
	u32 last;
	/* Round trips of probes, microseconds. */
	u32 shortest;
	u32 longest;
	u32 first;
	/* Window before the loss, and RFC 5681's threshold after it. */
	struct window before;
	u32 half;
	u8 step;
	u8 timed_out;
};

CORE void probing_rtt(struct probing *p, u32 rtt)
{
	p->last = least(rtt, PROBING_LONGEST);
	if (!p->best || p->last < p->best)
		p->best = p->last;
}

/* Whether Vegas' difference between expected and actual rate indicates contention. */
CORE int probing_contention(const struct probing *p, const struct view *v)
{
	if (!p->last)
		return 0;
	return (u64)in_use(v) * (p->last - p->best) > (u64)PROBING_THRESHOLD * p->last;
}

CORE void probing_begin(struct probing *p, const struct view *v, struct window standard, u8 timed_out)
{
	p->step = PROBING_FIRST;
	p->asked = v->now;
	p->before.cwnd = in_use(v);
	p->before.ssthresh = v->ssthresh;
	p->half = standard.ssthresh;
	p->timed_out = timed_out;
}

CORE struct decision probing_loss(struct probing *p, const struct view *v, struct window standard)
{
	struct decision d = { .window = standard };

	if (p->step != PROBING_NONE) {
		d.window = p->before;
	} else if (probing_contention(p, v)) {
		d.guess = GUESS_CONGESTION;
	} else {
		probing_begin(p, v, standard, 0);
		d.window = p->before;
	}
	return d;
}

/* A timeout always starts a cycle; during a cycle it restarts the first measurement. */
CORE struct decision probing_rto(struct probing *p, const struct view *v, struct window standard)
{
	struct decision d = {};

	if (p->step == PROBING_NONE)
		probing_begin(p, v, standard, 1);
	p->step = PROBING_FIRST;
	p->asked = v->now;
	d.window = p->before;
	return d;
}

CORE void probing_weigh(struct probing *p, u32 probe)
{
	if (!p->shortest || probe < p->shortest)
		p->shortest = probe;
	p->longest = most(p->longest, probe);
	/* The new sample has three quarters of the weight. */
	p->current = (p->current + (3ULL * probe << CURRENT_BITS) + 2) >> 2;
}

/* The paper's table (section 4.3): which outcome two round trips, with the earlier ones, select. */
CORE struct decision probing_decide(struct probing *p, u32 first, u32 second)
{
	struct decision d = {};
	u32 kept;

	if (!p->current)
		p->current = (u64)first << CURRENT_BITS;
	probing_weigh(p, first);
	probing_weigh(p, second);
	p->step = PROBING_NONE;
	/* Below the middle of shortest and longest: the path is as good as before. */
	d.guess = 2 * p->current < (u64)(p->shortest + p->longest) << CURRENT_BITS ? GUESS_TRANSIENT
											: GUESS_CONGESTION;
	d.window = p->before;
	if (d.guess == GUESS_TRANSIENT) {
		if (!(first < p->best && second < p->best)) {
			kept = p->before.cwnd * 3 / 4;
			d.window.cwnd = most(kept, 2);
			d.window.ssthresh = d.window.cwnd;
		}
	} else {
		d.window.ssthresh = p->half;
		d.window.cwnd = first < p->best && second < p->best ? p->half : 1;
	}
	return d;
}

/* Takes a round trip, and when the measured segment was sent. Returns whether the cycle is over; `d` then
 * has its outcome.
 */
CORE int probing_sample(struct probing *p, const struct view *v, u32 rtt, struct decision *d)
{
	rtt = least(rtt, PROBING_LONGEST);
	if (p->step == PROBING_NONE || v->now - rtt < p->asked)
		return 0;
	if (p->step == PROBING_FIRST) {
		p->first = rtt;
		p->step = PROBING_SECOND;
		p->asked = v->now;
		return 0;
	}
	*d = probing_decide(p, p->first, rtt);
	return 1;
}

#endif
