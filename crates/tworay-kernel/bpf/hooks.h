/* Helpers for the hooks of controllers. */
#ifndef TWORAY_HOOKS_H
#define TWORAY_HOOKS_H

#include "event.h"

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

#endif
