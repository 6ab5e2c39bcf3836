/* TIBET: filters length and interval of ACKs separately, then smooths their quotient with a low-pass filter
 * that decays with time (Capone, Fratta and Martignon 2004). Constants as in the simulator: 0.9, and half a
 * second.
 */
#ifndef TWORAY_CORE_TIBET_H
#define TWORAY_CORE_TIBET_H

#include "credit.h"

#define TIBET_T0 500000u
/* Upper bound of a rate, so that products fit into 64 bits. */
#define TIBET_FASTEST (MICROSECONDS << RATE_BITS)
/* Upper bound of a gap: after 40 time constants nothing is left of the estimate. */
#define TIBET_LONGEST (40ULL * TIBET_T0)

struct tibet {
	/* Segments per second, with RATE_BITS fractional bits. */
	u64 estimate;
	/* Microseconds, with 16 fractional bits. */
	u64 interval;
	/* Segments, with 16 fractional bits. */
	u32 length;
};

#define EXP_BITS 22

/* exp(-gap / TIBET_T0) with EXP_BITS fractional bits: 2^-y, with the integer part of y as a shift and the
 * Taylor series of the rest up to the seventh power, whose error is below 2e-6.
 */
CORE u64 tibet_keep(u64 gap)
{
	/* log2(e) with 24 fractional bits. */
	u64 y = gap * 24204406 / TIBET_T0, f = y & 0xffffff, whole = y >> 24;
	/* (ln 2)^i / i! with 30 fractional bits. */
	u64 sum = 16378;

	sum = 165394 - (sum * f >> 24);
	sum = 1431680 - (sum * f >> 24);
	sum = 10327387 - (sum * f >> 24);
	sum = 59597087 - (sum * f >> 24);
	sum = 257941248 - (sum * f >> 24);
	sum = 744261118 - (sum * f >> 24);
	sum = (1u << 30) - (sum * f >> 24);
	return whole >= EXP_BITS ? 0 : sum >> (30 - EXP_BITS) >> whole;
}

CORE void tibet_credit(struct tibet *t, u32 segments, u64 gap)
{
	u64 rate, keep;

	if (gap > TIBET_LONGEST)
		gap = TIBET_LONGEST;
	if (!t->interval) {
		t->length = segments << 16;
		t->interval = gap << 16;
		rate = (segments * MICROSECONDS << RATE_BITS) / gap;
		t->estimate = rate > TIBET_FASTEST ? TIBET_FASTEST : rate;
		return;
	}
	t->length = (9ULL * t->length + ((u64)segments << 16) + 5) / 10;
	t->interval = (9 * t->interval + (gap << 16) + 5) / 10;
	if (!t->interval)
		t->interval = 1;
	/* length and interval have the same number of fractional bits. */
	rate = ((u64)t->length * MICROSECONDS << RATE_BITS) / t->interval;
	if (rate > TIBET_FASTEST)
		rate = TIBET_FASTEST;
	keep = tibet_keep(gap);
	t->estimate = (keep * t->estimate + ((1u << EXP_BITS) - keep) * rate + (1u << (EXP_BITS - 1))) >> EXP_BITS;
}

#endif
