/* TCP-WELCOME: the history of round trips and the way a loss was seen tell congestion, the wireless channel and
 * a broken link apart (Ghaleb-Seddik, Ghamri-Doudane, Senouci 2009, table I, figures 6 and 7), read as the
 * simulator's `welcome` reads it by default.
 */
#ifndef TWORAY_CORE_WELCOME_H
#define TWORAY_CORE_WELCOME_H

#include "tibet.h"
#include "westwood.h"

/* Table I. */
#define WELCOME_SAMPLES 10u
#define WELCOME_FRESH 4u
/* Binary places of the average round trip: with fewer its rounding would decide about samples near the limit. */
#define AVERAGE_BITS 28

enum welcome_mode {
	WELCOME_NORMAL,
	/* A link is broken; the oldest segment is sent at every timeout. */
	WELCOME_WAITING,
	/* The path is back; round trips are collected. */
	WELCOME_COLLECTING,
};

struct welcome {
	struct credit credit;
	struct tibet tibet;
	/* Shortest round trip, microseconds. */
	u32 shortest;
	/* Average round trip, microseconds with AVERAGE_BITS binary places; 0 before the first. */
	u64 average;
	/* The newest sample in the lowest bit, 1 for growing. */
	u16 bits;
	u16 seen;
	u8 mode;
	/* Round trips on the new path: how many, their sum and the shortest. */
	u8 fresh;
	u32 fresh_sum;
	u32 fresh_shortest;
	/* Before the link broke. */
	struct window before;
	u32 before_rto;
	u32 before_rtt;
};

/* What a core wants besides its answer to a loss. */
struct wish {
	/* cwnd 0: it stays. */
	struct window window;
	/* What the retransmission timeout should become, microseconds; 0: it stays. */
	u32 rto;
};

/* Growing, or not known yet: as long as samples are missing, slow start lets them grow. */
CORE int welcome_growing(const struct welcome *w)
{
	u32 b = w->bits & ((1u << WELCOME_SAMPLES) - 1);

	if (w->seen < WELCOME_SAMPLES)
		return 1;
	/* RTT_G_COUNT_THRESHOLD, a run of five. */
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

/* Enough round trips of the new path are known: window and timeout follow (equations 3 and 6). */
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

/* The window that bounds what is in flight. */
CORE u32 in_use(const struct view *v)
{
	return least(v->cwnd, v->advertised);
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
	d.guess = GUESS_LINK_FAILURE;
	d.window.ssthresh = welcome_pipe(w, standard.ssthresh);
	/* Equation 3 with a = 2/3. */
	d.wait = w->before_rto + w->before_rto / 2;
	return d;
}

#endif
