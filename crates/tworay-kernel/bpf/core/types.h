/* Types of the decision cores: integers, a view of the sender, a decision.
 *
 * The cores are compiled twice: by clang for the kernel, and natively for tests against the simulated
 * variants. They therefore use nothing of the kernel, no floating point, and no signed or 128-bit division.
 */
#ifndef TWORAY_CORE_TYPES_H
#define TWORAY_CORE_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define CORE static inline __attribute__((always_inline))

/* The sender's state for a core. Times are in microseconds, windows in segments. */
struct view {
	u64 now;
	u32 cwnd;
	u32 ssthresh;
	/* The peer's advertised window. */
	u32 advertised;
	/* Sent and not yet acknowledged. */
	u32 flight;
	/* Smoothed round trip; 0 before the first sample. */
	u32 srtt;
	/* Retransmission timeout without backoff. */
	u32 rto;
};

/* Window after a loss, as set by RFC 5681 or by a core. */
struct window {
	u32 cwnd;
	u32 ssthresh;
};

/* Why the sender assumes a segment was lost, by the names of the simulator's ledger. */
enum guess {
	GUESS_NONE,
	GUESS_CONGESTION,
	GUESS_CHANNEL,
	GUESS_LINK_FAILURE,
	GUESS_TRANSIENT,
};

/* A core's reaction to a loss. */
struct decision {
	struct window window;
	/* Timeout until new data is acknowledged, microseconds; 0: the usual backoff. */
	u32 wait;
	u8 guess;
};

/* Rates are in segments per second with this many fractional bits. */
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

/* The window that limits the segments in flight. */
CORE u32 in_use(const struct view *v)
{
	return least(v->cwnd, v->advertised);
}

#endif
