/* Westwood: after a loss the window is the estimated bandwidth times the shortest round trip (Mascolo et
 * al. 2001), with the paper's time-varying Tustin filter and a time constant of one second.
 */
#ifndef TWORAY_CORE_WESTWOOD_H
#define TWORAY_CORE_WESTWOOD_H

#include "credit.h"

#define WESTWOOD_TAU 1000000u
/* An idle period is one sample up to this excess over half the time constant, microseconds. */
#define WESTWOOD_MERGED 10000u
/* After this many halves of the time constant nothing is left of an estimate: 0.6^128. */
#define WESTWOOD_IDLE 128
/* Upper bound of samples, so that products fit into 64 bits: a million segments per second. */
#define WESTWOOD_FASTEST (MICROSECONDS << RATE_BITS)

/* Upper bound of round trips, so that products fit into 64 bits: 67 s. */
#define LONGEST_RTT ((1u << 26) - 1)

struct westwood {
	struct credit credit;
	u64 estimate;
	u64 previous;
	u32 shortest;
};

CORE void westwood_credit(struct westwood *w, const struct view *v, u32 segments)
{
	u32 credited = 0;
	u64 rest = credit_pass(&w->credit, v->now, segments, &credited);
	u64 sample, sum;
	int i;

	if (!rest)
		return;
	sample = (credited * MICROSECONDS << RATE_BITS) / rest;
	if (sample > WESTWOOD_FASTEST)
		sample = WESTWOOD_FASTEST;
	/* Idle time counts as zero samples. */
	for (i = 0; i < WESTWOOD_IDLE; i++) {
		if (rest <= WESTWOOD_TAU / 2 + WESTWOOD_MERGED || !(w->estimate | w->previous))
			break;
		w->estimate = (3 * w->estimate + w->previous) / 5;
		w->previous = 0;
		rest -= WESTWOOD_TAU / 2;
	}
	if (rest > WESTWOOD_TAU / 2 + WESTWOOD_MERGED)
		rest = WESTWOOD_TAU / 2 + WESTWOOD_MERGED;
	sum = sample + w->previous;
	/* Rounded: truncation would add up to a bias over the time constant. */
	w->estimate = ((2 * WESTWOOD_TAU - rest) * w->estimate + rest * sum + WESTWOOD_TAU) /
		      (2 * WESTWOOD_TAU + rest);
	w->previous = sample;
}

CORE void westwood_ack(struct westwood *w, const struct view *v, u32 segments)
{
	westwood_credit(w, v, credit_advance(&w->credit, segments));
}

CORE void westwood_dup_ack(struct westwood *w, const struct view *v)
{
	w->credit.ahead++;
	westwood_credit(w, v, 1);
}

CORE void westwood_rtt(struct westwood *w, u32 rtt)
{
	if (!w->shortest || rtt < w->shortest)
		w->shortest = least(rtt, LONGEST_RTT);
}

/* Bandwidth times shortest round trip in whole segments, at least 2; 0 before the first estimate. */
CORE u32 rate_fills(u64 rate, u32 shortest)
{
	if (!rate || !shortest)
		return 0;
	/* With sixteen fractional bits the product fits into 64 bits. */
	return most((u32)(((rate >> (RATE_BITS - 16)) * shortest / MICROSECONDS) >> 16), 2);
}

CORE struct decision westwood_loss(const struct westwood *w, const struct view *v, struct window standard)
{
	u32 pipe = rate_fills(w->estimate, w->shortest);
	struct decision d = { .window = standard };

	if (pipe) {
		d.window.cwnd = least(v->cwnd, pipe);
		d.window.ssthresh = pipe;
	}
	return d;
}

CORE struct decision westwood_rto(const struct westwood *w, struct window standard)
{
	u32 pipe = rate_fills(w->estimate, w->shortest);
	struct decision d = { .window = standard };

	if (pipe)
		d.window.ssthresh = pipe;
	return d;
}

#endif
