/* Number of segments that an ACK reports as arrived (Westwood's AckedCount, Mascolo et al. 2001). */
#ifndef TWORAY_CORE_CREDIT_H
#define TWORAY_CORE_CREDIT_H

#include "types.h"

struct credit {
	u64 last;
	/* Credited by duplicate ACKs and not yet acknowledged. */
	u32 ahead;
	/* Credit that arrived within one microsecond. */
	u32 pending;
};

CORE u32 credit_advance(struct credit *c, u32 segments)
{
	u32 credited;

	if (segments <= 1)
		return 1;
	if (c->ahead >= segments) {
		c->ahead -= segments;
		return 1;
	}
	credited = segments - c->ahead;
	c->ahead = 0;
	return least(credited, 2);
}

/* The path is interrupted: the next credit starts a new series of gaps, as the first one did. */
CORE void credit_pause(struct credit *c)
{
	c->last = 0;
}

/* Adds credit. Returns the time since the previous ACK, after which `credited` arrived; 0 if there was
 * none.
 */
CORE u64 credit_pass(struct credit *c, u64 now, u32 segments, u32 *credited)
{
	u64 gap;

	c->pending += segments;
	if (!c->last) {
		c->last = now;
		c->pending = 0;
		return 0;
	}
	gap = now - c->last;
	if (gap) {
		*credited = c->pending;
		c->pending = 0;
		c->last = now;
	}
	return gap;
}

#endif
