/* Growth by RFC 5681, section 3.1, one step per acknowledged segment (RFC 3465), with Linux' counters. */
#ifndef TWORAY_CORE_GROWTH_H
#define TWORAY_CORE_GROWTH_H

#include "types.h"

struct growth {
	u32 cwnd;
	/* Segments acknowledged towards the next step of congestion avoidance. */
	u32 count;
};

CORE void grow(struct growth *g, u32 ssthresh, u32 acked)
{
	if (g->cwnd < ssthresh) {
		u32 step = least(acked, ssthresh - g->cwnd);

		g->cwnd += step;
		acked -= step;
	}
	if (!acked)
		return;
	g->count += acked;
	if (g->count >= g->cwnd) {
		u32 steps = g->count / most(g->cwnd, 1);

		g->count -= steps * g->cwnd;
		g->cwnd += steps;
	}
}

#endif
