/* Limits the backoff of a connection's retransmission timer for a while, and gives back the options that its
 * program had chosen.
 */
#ifndef TWORAY_OPTIONS_H
#define TWORAY_OPTIONS_H

#include "kernel.h"

/* Lower bound of TCP_RTO_MAX_MS, ms. */
#define BACKOFF_LEAST 1000
/* The kernel's default of TCP_RTO_MAX_MS, ms. */
#define BACKOFF_MOST 120000
/* Shortest retransmission timeout, from which Linux derives when to give up a connection, ms. */
#define TIMEOUT_LEAST 200
/* Linux' usual number of retransmissions (net.ipv4.tcp_retries2). */
#define RETRIES 15

enum changed { CHANGED_BACKOFF = 1, CHANGED_PATIENCE = 2, CHANGED_LINEAR = 4 };

/* What was changed at a socket: the values found there, and those set instead. Kept with the socket, because
 * the controller's own space ends with the controller.
 */
struct kept {
	u32 changed;
	u32 backoff;
	u32 backoff_set;
	u32 patience_set;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kept);
} tworay_kept SEC(".maps");

/* 1 after the controller was unloaded: connections that still use it keep their options from then on. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} tworay_retired SEC(".maps");

HOOK u32 option(void *sk, int name)
{
	u32 value = 0;

	bpf_getsockopt(sk, SOL_TCP, name, &value, sizeof(value));
	return value;
}

HOOK int set_option(void *sk, int name, u32 value)
{
	return bpf_setsockopt(sk, SOL_TCP, name, &value, sizeof(value));
}

/* When Linux gives up a connection whose timeout grows up to `backoff`, ms (tcp_model_timeout). */
HOOK u32 patience_of(u32 backoff)
{
	u32 timeout = TIMEOUT_LEAST, sum = 0;

	for (int i = 0; i <= RETRIES; i++) {
		sum += least(timeout, backoff);
		if (2 * timeout <= backoff)
			timeout *= 2;
		else
			timeout = backoff;
	}
	return sum;
}

/* Limits the backoff of the retransmission timer to this many milliseconds, at least a second; a lower limit
 * set by the program stays.
 *
 * The kernel derives from this limit when to give up the connection, so that time must be set as well, unless
 * the program has. Kernels before 6.15 have no such limit; there the timer can be kept from backing off for
 * connections with fewer than four segments outstanding.
 */
HOOK void cap_backoff(struct tcp_sock *tp, u32 milliseconds)
{
	u32 zero = 0, now = 0, cap = least(most(milliseconds, BACKOFF_LEAST), BACKOFF_MOST);
	u32 *retired = bpf_map_lookup_elem(&tworay_retired, &zero);
	struct kept *k;

	if (!retired || *retired)
		return;
	k = bpf_sk_storage_get(&tworay_kept, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!k)
		return;
	if (bpf_getsockopt(tp, SOL_TCP, TCP_RTO_MAX_MS, &now, sizeof(now))) {
		if (!option(tp, TCP_THIN_LINEAR_TIMEOUTS) && !set_option(tp, TCP_THIN_LINEAR_TIMEOUTS, 1))
			k->changed |= CHANGED_LINEAR;
		return;
	}
	/* Also if the program has set another limit since. */
	if (!(k->changed & CHANGED_BACKOFF) || now != k->backoff_set)
		k->backoff = now;
	cap = least(cap, k->backoff);
	if (cap != now && set_option(tp, TCP_RTO_MAX_MS, cap))
		return;
	k->backoff_set = cap;
	k->changed |= CHANGED_BACKOFF;
	if (option(tp, TCP_USER_TIMEOUT))
		return;
	k->patience_set = patience_of(k->backoff);
	if (!set_option(tp, TCP_USER_TIMEOUT, k->patience_set))
		k->changed |= CHANGED_PATIENCE;
}

/* Gives back the options as they were. One that the program has set meanwhile stays. */
HOOK void restore_options(void *sk, struct kept *k)
{
	if (k->changed & CHANGED_BACKOFF && option(sk, TCP_RTO_MAX_MS) == k->backoff_set)
		set_option(sk, TCP_RTO_MAX_MS, k->backoff);
	if (k->changed & CHANGED_PATIENCE && option(sk, TCP_USER_TIMEOUT) == k->patience_set)
		set_option(sk, TCP_USER_TIMEOUT, 0);
	if (k->changed & CHANGED_LINEAR)
		set_option(sk, TCP_THIN_LINEAR_TIMEOUTS, 0);
	k->changed = 0;
}

/* Ends the limit of cap_backoff. */
HOOK void uncap_backoff(struct tcp_sock *tp)
{
	struct kept *k = bpf_sk_storage_get(&tworay_kept, tp, 0, 0);

	if (k && k->changed)
		restore_options(tp, k);
}

/* The program may have exited: the kernel should give up as soon as usual. */
HOOK bool closing(const struct tcp_sock *tp)
{
	u32 state = ((const struct sock *)tp)->__sk_common.skc_state;

	return state == TCP_FIN_WAIT1 || state == TCP_LAST_ACK || state == TCP_CLOSING;
}

#endif
