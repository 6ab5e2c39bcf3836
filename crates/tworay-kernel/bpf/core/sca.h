/* SCA: congestion avoidance grows on one ACK in theta + 1 (Papanastasiou 2006, algorithm 2). */
#ifndef TWORAY_CORE_SCA_H
#define TWORAY_CORE_SCA_H

#include "growth.h"

struct sca {
	/* The counter c of the algorithm. */
	u32 count;
	/* Whether the last ACK arrived in congestion avoidance. */
	u8 avoiding;
};

CORE void sca_reset(struct sca *s)
{
	s->count = 0;
}

/* How many of these acknowledged segments may grow the window. */
CORE u32 sca_opens(struct sca *s, u32 theta, u32 acked)
{
	u32 period = theta + 1, closed, opened;

	if (!theta)
		return acked;
	if (s->count > theta)
		s->count = 0;
	closed = s->count ? period - s->count : 0;
	opened = acked > closed ? 1 + (acked - 1 - closed) / period : 0;
	s->count = (s->count + acked) % period;
	return opened;
}

CORE void sca_grow(struct sca *s, struct growth *g, u32 ssthresh, u32 theta, u32 acked)
{
	if (g->cwnd < ssthresh) {
		u32 slow = least(acked, ssthresh - g->cwnd);

		s->avoiding = 0;
		grow(g, ssthresh, slow);
		acked -= slow;
		if (!acked)
			return;
	}
	if (!s->avoiding)
		sca_reset(s);
	s->avoiding = 1;
	acked = sca_opens(s, theta, acked);
	if (acked)
		grow(g, ssthresh, acked);
}

#endif
