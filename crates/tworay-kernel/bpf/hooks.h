/* Helpers for the hooks of controllers. */
#ifndef TWORAY_HOOKS_H
#define TWORAY_HOOKS_H

#include "event.h"

#define HOOK static inline __attribute__((always_inline))

/* The map written by `tworay kernel load NAME --set KEY=VALUE`; the loader fills in the defaults. */
#define PARAMETERS(count)                                                                                     \
	struct {                                                                                              \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                             \
		__uint(max_entries, count);                                                                   \
		__type(key, u32);                                                                             \
		__type(value, u32);                                                                           \
	} tworay_params SEC(".maps");                                                                         \
	HOOK u32 parameter(u32 key, u32 otherwise)                                                            \
	{                                                                                                     \
		u32 *found = bpf_map_lookup_elem(&tworay_params, &key);                                       \
                                                                                                              \
		return found ? *found : otherwise;                                                            \
	}                                                                                                     \
	_Static_assert(count > 0, "")

HOOK u32 ca_state(const struct tcp_sock *tp)
{
	const struct inet_connection_sock *icsk = &tp->inet_conn;

	return BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
}

HOOK void set_window(struct tcp_sock *tp, struct window w)
{
	tp->snd_cwnd = most(least(w.cwnd, tp->snd_cwnd_clamp), 1);
	tp->snd_ssthresh = most(w.ssthresh, 2);
}

HOOK void put_growth(struct tcp_sock *tp, const struct growth *g)
{
	tp->snd_cwnd = least(g->cwnd, tp->snd_cwnd_clamp);
	tp->snd_cwnd_cnt = g->count;
}

/* RFC 5681's growth of the kernel's own window. */
HOOK void grow_socket(struct tcp_sock *tp, u32 acked)
{
	struct growth g = { .cwnd = tp->snd_cwnd, .count = tp->snd_cwnd_cnt };

	grow(&g, tp->snd_ssthresh, acked);
	put_growth(tp, &g);
}

/* Lower bound of TCP_RTO_MAX_MS. */
#define BACKOFF_LEAST 1000
#define BACKOFF_MOST 120000
/* When Linux gives up a connection with the usual backoff, ms (net.ipv4.tcp_retries2 = 15). */
#define PATIENCE 924600

HOOK void set_option(struct tcp_sock *tp, int option, int value)
{
	bpf_setsockopt(tp, SOL_TCP, option, &value, sizeof(value));
}

/* Limits the backoff of the retransmission timer to this many milliseconds, at least a second.
 *
 * The kernel derives from this limit when to give up the connection, so that time must be set as well.
 * Kernels before 6.15 have no such limit; there the timer can be kept from backing off for connections with
 * fewer than four segments outstanding.
 */
HOOK void cap_backoff(struct tcp_sock *tp, u32 milliseconds)
{
	int cap = least(most(milliseconds, BACKOFF_LEAST), BACKOFF_MOST), patience = 0;

	if (bpf_setsockopt(tp, SOL_TCP, TCP_RTO_MAX_MS, &cap, sizeof(cap))) {
		set_option(tp, TCP_THIN_LINEAR_TIMEOUTS, 1);
		return;
	}
	bpf_getsockopt(tp, SOL_TCP, TCP_USER_TIMEOUT, &patience, sizeof(patience));
	if (!patience)
		set_option(tp, TCP_USER_TIMEOUT, PATIENCE);
}

/* The program may have exited: the kernel should give up as soon as usual. */
HOOK bool closing(const struct tcp_sock *tp)
{
	u32 state = ((const struct sock *)tp)->__sk_common.skc_state;

	return state == TCP_FIN_WAIT1 || state == TCP_LAST_ACK || state == TCP_CLOSING;
}

HOOK void uncap_backoff(struct tcp_sock *tp)
{
	int cap = BACKOFF_MOST, patience = 0;

	if (bpf_setsockopt(tp, SOL_TCP, TCP_RTO_MAX_MS, &cap, sizeof(cap))) {
		set_option(tp, TCP_THIN_LINEAR_TIMEOUTS, 0);
		return;
	}
	bpf_getsockopt(tp, SOL_TCP, TCP_USER_TIMEOUT, &patience, sizeof(patience));
	if (patience == PATIENCE)
		set_option(tp, TCP_USER_TIMEOUT, 0);
}

#endif
