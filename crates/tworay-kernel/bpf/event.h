/* A controller's diagnosis of a loss, as read by `tworay kernel events`.
 *
 * The newest EVENTS diagnoses are kept in a circular log. Reading it removes nothing, so any number of readers
 * see every event: each of several live networks needs its own connections' events.
 */
#ifndef TWORAY_EVENT_H
#define TWORAY_EVENT_H

#include "kernel.h"

/* The loader parses the same layout (src/events.rs). */
struct event {
	/* Number of the event, counted from 1, written last; 0 while the rest is being written. */
	u64 number;
	/* CLOCK_MONOTONIC: time since boot. */
	u64 time_ns;
	/* First byte of the oldest unacknowledged segment. */
	u32 seq;
	u32 cwnd_before;
	u32 ssthresh_before;
	u32 cwnd_after;
	u32 ssthresh_after;
	u32 srtt_us;
	u32 average_us;
	u32 wait_us;
	/* Newest round trip in the lowest bit; 1 marks one that grew. */
	u16 history;
	u16 samples;
	u16 family;
	u16 local_port;
	u16 remote_port;
	u8 timeout;
	u8 guess;
	u8 local[16];
	u8 remote[16];
	char controller[16];
	/* Inode of the connection's network namespace. */
	u32 netns;
};

/* A power of two. */
#define EVENTS 2048

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, EVENTS);
	__type(key, u32);
	__type(value, struct event);
} tworay_events SEC(".maps");

struct head {
	/* Number of events so far. */
	u64 events;
	/* The machine's default controller when this one was loaded, for `tworay kernel unload`. */
	char before[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct head);
} tworay_head SEC(".maps");

/* The history of round trips kept by a core. */
struct history_view {
	u16 bits;
	u16 samples;
	u32 average;
};

static inline __attribute__((always_inline)) void put32(u8 *to, u32 value)
{
	__builtin_memcpy(to, &value, 4);
}

/* The next place in the log, marked as being written; `number` is that of the event. */
static inline __attribute__((always_inline)) struct event *next_event(u64 *number)
{
	u32 slot = 0;
	struct head *head = bpf_map_lookup_elem(&tworay_head, &slot);
	struct event *e;

	if (!head)
		return 0;
	*number = __sync_fetch_and_add(&head->events, 1) + 1;
	slot = (*number - 1) & (EVENTS - 1);
	e = bpf_map_lookup_elem(&tworay_events, &slot);
	if (e)
		__sync_lock_test_and_set(&e->number, 0);
	return e;
}

static inline __attribute__((always_inline)) void tell(struct sock *sk, const char *name, u8 size, bool timeout,
						       const struct view *v, const struct decision *d,
						       struct history_view h)
{
	u64 number = 0;
	struct event *e = next_event(&number);

	if (!e)
		return;
	e->time_ns = bpf_ktime_get_ns();
	e->seq = ((struct tcp_sock *)sk)->snd_una;
	e->cwnd_before = v->cwnd;
	e->ssthresh_before = v->ssthresh;
	e->cwnd_after = d->window.cwnd;
	e->ssthresh_after = d->window.ssthresh;
	e->srtt_us = v->srtt;
	e->average_us = h.average;
	e->wait_us = d->wait;
	e->history = h.bits;
	e->samples = h.samples;
	e->family = sk->__sk_common.skc_family;
	e->local_port = sk->__sk_common.skc_num;
	e->remote_port = sk->__sk_common.skc_dport;
	e->netns = sk->__sk_common.skc_net.net->ns.inum;
	e->timeout = timeout;
	e->guess = d->guess;
	if (e->family == AF_INET) {
		put32(e->local, sk->__sk_common.skc_rcv_saddr);
		put32(e->remote, sk->__sk_common.skc_daddr);
	} else {
		bpf_core_read(e->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(e->remote, 16, &sk->__sk_common.skc_v6_daddr);
	}
	__builtin_memcpy(e->controller, name, size);
	/* An exchange orders the writes: a reader that sees the number sees the rest. */
	__sync_lock_test_and_set(&e->number, number);
}

#define report(sk, core, timeout, v, d) \
	tell(sk, "tworay_" TEXT(NAME), sizeof("tworay_" TEXT(NAME)), timeout, v, d, history_of(core))

#endif
