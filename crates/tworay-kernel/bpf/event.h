/* A controller's diagnosis of a loss, as read by `tworay kernel events` from the ring buffer. */
#ifndef TWORAY_EVENT_H
#define TWORAY_EVENT_H

#include "kernel.h"

/* The loader parses the same layout (src/events.rs). */
struct event {
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
	u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} tworay_events SEC(".maps");

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

/* Without a reader the ring buffer fills up and further events are dropped. */
static inline __attribute__((always_inline)) void tell(struct sock *sk, const char *name, u8 size, bool timeout,
						       const struct view *v, const struct decision *d,
						       struct history_view h)
{
	struct event e = {};

	e.time_ns = bpf_ktime_get_ns();
	e.seq = ((struct tcp_sock *)sk)->snd_una;
	e.cwnd_before = v->cwnd;
	e.ssthresh_before = v->ssthresh;
	e.cwnd_after = d->window.cwnd;
	e.ssthresh_after = d->window.ssthresh;
	e.srtt_us = v->srtt;
	e.average_us = h.average;
	e.wait_us = d->wait;
	e.history = h.bits;
	e.samples = h.samples;
	e.family = sk->__sk_common.skc_family;
	e.local_port = sk->__sk_common.skc_num;
	e.remote_port = sk->__sk_common.skc_dport;
	e.timeout = timeout;
	e.guess = d->guess;
	if (e.family == AF_INET) {
		put32(e.local, sk->__sk_common.skc_rcv_saddr);
		put32(e.remote, sk->__sk_common.skc_daddr);
	} else {
		bpf_core_read(e.local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(e.remote, 16, &sk->__sk_common.skc_v6_daddr);
	}
	__builtin_memcpy(e.controller, name, size);
	bpf_ringbuf_output(&tworay_events, &e, sizeof(e), 0);
}

#define report(sk, core, timeout, v, d) \
	tell(sk, "tworay_" TEXT(NAME), sizeof("tworay_" TEXT(NAME)), timeout, v, d, history_of(core))

#endif
