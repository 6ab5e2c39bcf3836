/* Gentle: a loss leaves three quarters of the window in use. */
#ifndef TWORAY_CORE_GENTLE_H
#define TWORAY_CORE_GENTLE_H

#include "types.h"

/* No kernel has fractions: the share is `keep` per mille. */
CORE struct decision gentle_loss(const struct view *v, u32 keep)
{
	u32 window = most((u64)in_use(v) * keep / 1000, 2);
	struct decision d = { .window = { .cwnd = window, .ssthresh = window } };

	return d;
}

#endif
