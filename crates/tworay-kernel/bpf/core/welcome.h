/* TCP-WELCOME: the history of round trips and the signal of a loss distinguish congestion, wireless losses
 * and link failures (Ghaleb-Seddik, Ghamri-Doudane and Senouci 2009, table I, figures 6 and 7), with the
 * default choices of the simulator's `welcome`.
 */
#ifndef TWORAY_CORE_WELCOME_H
#define TWORAY_CORE_WELCOME_H

#include "tibet.h"
#include "westwood.h"

/* Table I. */
#define WELCOME_SAMPLES 10u
#define WELCOME_FRESH 4u
/* Fractional bits of the average round trip; with fewer, its rounding would decide about samples near the
 * limit.
 */
#define AVERAGE_BITS 28

enum welcome_mode {
	WELCOME_NORMAL,
	/* The link is broken; the oldest segment is sent at every timeout. */
	WELCOME_WAITING,
	/* The path is back; round trips are being collected. */
	WELCOME_COLLECTING,
};

struct welcome {
	struct credit credit;
	struct tibet tibet;
	/* Shortest round trip, microseconds. */
	u32 shortest;
	/* Average round trip in microseconds, with AVERAGE_BITS fractional bits; 0 before the first sample. */
	u64 average;
	/* Newest sample in the lowest bit; 1 marks growth. */
	u16 bits;
	u16 seen;
	u8 mode;
	/* Round trips on the new path: number, sum and shortest. */
	u8 fresh;
	u32 fresh_sum;
	u32 fresh_shortest;
	/* State before the link failure. */
	struct window before;
	u32 before_rto;
	u32 before_rtt;
};

/* Requests of a core besides its reaction to a loss. */
struct wish {
	/* New window; cwnd 0: unchanged. */
	struct window window;
	/* New retransmission timeout in microseconds; 0: unchanged. */
	u32 rto;
};

/* Whether round trips grow. Also true while samples are missing, because slow start makes them grow. */
CORE int welcome_growing(const struct welcome *w)
{
	u32 b = w->bits & ((1u << WELCOME_SAMPLES) - 1);

	if (w->seen < WELCOME_SAMPLES)
		return 1;
	/* RTT_G_COUNT_THRESHOLD: a run of five. */
	return (b & b >> 1 & b >> 2 & b >> 3 & b >> 4) != 0;
}

CORE void welcome_sample(struct welcome *w, u32 rtt)
{
	u64 sample = (u64)rtt << AVERAGE_BITS;
	/* RTT_G_THRESHOLD: more than 5 % above the average. */
	u32 grows = w->average && 20 * sample > 21 * w->average;

	w->bits = w->bits << 1 | grows;
	if (w->seen < 0xffff)
		w->seen++;
	w->average = w->average ? (7 * w->average + sample + 4) >> 3 : sample;
}

CORE u32 welcome_pipe(const struct welcome *w, u32 otherwise)
{
	u32 pipe = rate_fills(w->tibet.estimate, w->shortest);

	return pipe ? pipe : most(otherwise, 2);
}

CORE void welcome_credit(struct welcome *w, const struct view *v, u32 segments)
{
	u32 credited = 0;
	u64 gap = credit_pass(&w->credit, v->now, segments, &credited);

	if (gap)
		tibet_credit(&w->tibet, credited, gap);
}

CORE struct wish welcome_ack(struct welcome *w, const struct view *v, u32 segments)
{
	struct wish wish = {};

	welcome_credit(w, v, credit_advance(&w->credit, segments));
	if (w->mode == WELCOME_WAITING) {
		w->mode = WELCOME_COLLECTING;
		/* a and g of table I, until the new round trips are known. */
		wish.window.cwnd = most(w->before.cwnd * 2 / 3, 1);
		wish.window.ssthresh = v->ssthresh;
	}
	return wish;
}

CORE void welcome_dup_ack(struct welcome *w, const struct view *v)
{
	w->credit.ahead++;
	welcome_credit(w, v, 1);
}

/* Enough round trips of the new path are known: sets window and timeout (equations 3 and 6). */
CORE struct wish welcome_adapt(struct welcome *w, const struct view *v)
{
	u32 fresh = w->fresh_sum / WELCOME_FRESH, old = w->before_rtt ? w->before_rtt : fresh;
	u64 cwnd = w->before.cwnd, rto;
	struct wish wish;

	w->mode = WELCOME_NORMAL;
	w->bits = 0;
	w->average = ((u64)w->fresh_sum << AVERAGE_BITS) / WELCOME_FRESH;
	w->shortest = w->fresh_shortest;
	w->fresh = 0;
	if (fresh > old)
		cwnd = cwnd * old / fresh;
	wish.window.ssthresh = welcome_pipe(w, v->ssthresh);
	wish.window.cwnd = most(least((u32)cwnd, wish.window.ssthresh), 1);
	rto = old ? (u64)w->before_rto * fresh / old : w->before_rto;
	if (rto < w->before_rto / 2)
		rto = w->before_rto / 2;
	if (rto > 10ULL * w->before_rto)
		rto = 10ULL * w->before_rto;
	wish.rto = (u32)rto;
	return wish;
}

CORE struct wish welcome_rtt(struct welcome *w, const struct view *v, u32 rtt)
{
	struct wish none = {};

	if (rtt > LONGEST_RTT)
		rtt = LONGEST_RTT;
	if (w->mode == WELCOME_COLLECTING) {
		w->fresh_sum = w->fresh ? w->fresh_sum + rtt : rtt;
		w->fresh_shortest = w->fresh ? least(w->fresh_shortest, rtt) : rtt;
		w->fresh++;
		if (w->fresh >= WELCOME_FRESH)
			return welcome_adapt(w, v);
	} else if (w->mode == WELCOME_NORMAL) {
		welcome_sample(w, rtt);
		if (!w->shortest || rtt < w->shortest)
			w->shortest = rtt;
	}
	return none;
}

CORE struct decision welcome_loss(const struct welcome *w, const struct view *v, struct window standard)
{
	struct decision d = { .window = standard, .guess = GUESS_CONGESTION };

	if (!welcome_growing(w)) {
		d.guess = GUESS_CHANNEL;
		d.window.cwnd = in_use(v);
		d.window.ssthresh = v->ssthresh;
	}
	return d;
}

CORE struct decision welcome_rto(struct welcome *w, const struct view *v, struct window standard)
{
	struct decision d = { .window = standard, .guess = GUESS_CONGESTION };

	if (w->mode == WELCOME_NORMAL) {
		if (welcome_growing(w))
			return d;
		w->before.cwnd = in_use(v);
		w->before.ssthresh = v->ssthresh;
		w->before_rto = v->rto;
		w->before_rtt = (u32)((w->average + (1ULL << (AVERAGE_BITS - 1))) >> AVERAGE_BITS);
	}
	w->mode = WELCOME_WAITING;
	w->fresh = 0;
	credit_pause(&w->credit);
	d.guess = GUESS_LINK_FAILURE;
	d.window.ssthresh = welcome_pipe(w, standard.ssthresh);
	/* Equation 3 with a = 2/3. */
	d.wait = w->before_rto + w->before_rto / 2;
	return d;
}

#endif
