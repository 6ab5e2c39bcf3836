/* What the decision cores are made of: integers, a view of the sender, a decision.
 *
 * The cores are compiled twice, by clang for the kernel and natively for the tests that hold them against the
 * simulated variants, so they use nothing of the kernel: no floating point, no signed or 128-bit division.
 */
#ifndef TWORAY_CORE_TYPES_H
#define TWORAY_CORE_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define CORE static inline __attribute__((always_inline))

/* The sender as a core sees it. Times in microseconds, windows in segments. */
struct view {
	u64 now;
	u32 cwnd;
	u32 ssthresh;
	/* The peer's window. */
	u32 advertised;
	/* Sent and not acknowledged. */
	u32 flight;
	/* Smoothed round trip; 0 before the first. */
	u32 srtt;
	/* Retransmission timeout without back-off. */
	u32 rto;
};

/* What RFC 5681 sets after a loss, or what a core does. */
struct window {
	u32 cwnd;
	u32 ssthresh;
};

/* Why a segment was lost, in the sender's opinion: the names of the simulator's ledger. */
enum guess {
	GUESS_NONE,
	GUESS_CONGESTION,
	GUESS_CHANNEL,
	GUESS_LINK_FAILURE,
	GUESS_TRANSIENT,
};

/* A core's answer to a loss. */
struct decision {
	struct window window;
	/* The timer's length until new data is acknowledged, microseconds; 0 leaves it to back off. */
	u32 wait;
	u8 guess;
};

/* Rates are segments per second with this many binary places. */
#define RATE_BITS 20
#define MICROSECONDS 1000000ULL

CORE u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

CORE u32 most(u32 a, u32 b)
{
	return a > b ? a : b;
}

#endif
