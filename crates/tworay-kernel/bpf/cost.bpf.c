/* Measures the cost of acknowledgments and timeouts in the kernel's TCP, by congestion controller and kind.
 *
 * The time of an ACK starts with the tracepoint tcp_probe at the entry of tcp_rcv_established and ends when
 * the kernel frees the ACK's sk_buff after tcp_ack. It includes SACK, loss detection, the timer and the
 * controller's callbacks, but not the transmission of segments released by the ACK. The time of a timeout
 * is that of its timer function, including the retransmission. ACKs that arrive after the program has closed
 * its end are not measured, because the kernel handles them in another function. Tracepoints work where a
 * locked-down kernel rejects programs at functions (fentry), and some compilers inline tcp_ack.
 */
#include "kernel.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* In the order of src/stats.rs. */
enum kind { ACK_SLOW_START, ACK_CONGESTION_AVOIDANCE, DUP_ACK, RECOVERY_ACK, FAST_RETRANSMIT, TIMEOUT };

struct key {
	u64 controller[2];
	u32 kind;
	/* Whether both ends use selective acknowledgments. */
	u32 sack;
};

struct cost {
	u64 count;
	u64 nanoseconds;
	/* Sum of squares for the deviation, in sixteenths of nanoseconds because whole ones could overflow. */
	u64 squares;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct key);
	__type(value, struct cost);
} tworay_costs SEC(".maps");

/* Measurement in progress on a processor. ACKs and timers run in softirqs, which do not interrupt each
 * other. An ACK that waited for the sending process can be interrupted by another one and is then not
 * counted.
 */
struct running {
	u64 since;
	/* The sk_buff or the timer. */
	u64 what;
	struct key key;
	u32 state;
	/* Set once it is known to be of a measured kind. */
	u32 counts;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct running);
} tworay_running SEC(".maps");

/* Only connections with this port at either end; 0: all. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} tworay_port SEC(".maps");

enum { ACK, TIMER };

#define INLINE static inline __attribute__((always_inline))

INLINE struct running *running(u32 place)
{
	return bpf_map_lookup_elem(&tworay_running, &place);
}

INLINE bool wanted(const struct sock *sk)
{
	u32 zero = 0, *port = bpf_map_lookup_elem(&tworay_port, &zero);

	return !port || !*port || sk->__sk_common.skc_num == *port ||
	       bpf_ntohs(sk->__sk_common.skc_dport) == *port;
}

INLINE void describe(struct key *key, const struct tcp_sock *tp)
{
	const struct tcp_options_received *options = &tp->rx_opt;
	const struct tcp_congestion_ops___name *ops = (const void *)tp->inet_conn.icsk_ca_ops;

	key->sack = BPF_CORE_READ_BITFIELD(options, sack_ok) != 0;
	if (ops) {
		key->controller[0] = *(const u64 *)&ops->name[0];
		key->controller[1] = *(const u64 *)&ops->name[8];
	}
}

INLINE void book(struct running *r, u64 now)
{
	u64 took = now - r->since;
	struct cost *cost, none = {};
	struct key key = r->key;

	r->what = 0;
	cost = bpf_map_lookup_elem(&tworay_costs, &key);
	if (!cost) {
		bpf_map_update_elem(&tworay_costs, &key, &none, BPF_NOEXIST);
		cost = bpf_map_lookup_elem(&tworay_costs, &key);
		if (!cost)
			return;
	}
	__sync_fetch_and_add(&cost->count, 1);
	__sync_fetch_and_add(&cost->nanoseconds, took);
	__sync_fetch_and_add(&cost->squares, (took >> 4) * (took >> 4));
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(tworay_ack_in, struct sock *sk, struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (const struct tcp_skb_cb *)&skb->cb[0];
	const struct inet_connection_sock *icsk;
	struct running *r = running(ACK);
	struct tcp_sock *tp;

	if (!r)
		return 0;
	r->what = 0;
	if (!wanted(sk))
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	/* Bare ACKs, at the end that has data outstanding. */
	if (!tp || !tp->packets_out || cb->seq != cb->end_seq)
		return 0;
	icsk = &tp->inet_conn;
	r->state = BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
	describe(&r->key, tp);
	if ((s32)(cb->ack_seq - tp->snd_una) <= 0)
		r->key.kind = DUP_ACK;
	else if (r->state == TCP_CA_Recovery || r->state == TCP_CA_CWR)
		r->key.kind = RECOVERY_ACK;
	else
		r->key.kind = tp->snd_cwnd < tp->snd_ssthresh ? ACK_SLOW_START : ACK_CONGESTION_AVOIDANCE;
	r->what = (u64)skb;
	/* Last, so that the measurement includes as little of itself as possible. */
	r->since = bpf_ktime_get_ns();
	return 0;
}

/* A raw tracepoint: in a typed one Linux 6.1 and 6.12 let nobody read an argument of type `const void *`. */
SEC("raw_tp/kmem_cache_free")
int BPF_PROG(tworay_ack_out, unsigned long site, const void *freed)
{
	u64 now = bpf_ktime_get_ns();
	struct running *r = running(ACK);

	if (r && r->what && r->what == (u64)freed)
		book(r, now);
	return 0;
}

SEC("tp_btf/tcp_cong_state_set")
int BPF_PROG(tworay_state, struct sock *sk, u8 state)
{
	struct running *r;
	struct tcp_sock *tp;

	if (state == TCP_CA_Recovery) {
		r = running(ACK);
		if (r && r->what && r->state < TCP_CA_Recovery)
			r->key.kind = FAST_RETRANSMIT;
	} else if (state == TCP_CA_Loss && wanted(sk)) {
		r = running(TIMER);
		tp = bpf_skc_to_tcp_sock(sk);
		if (!r || !r->what || !tp)
			return 0;
		describe(&r->key, tp);
		r->key.kind = TIMEOUT;
		r->counts = 1;
	}
	return 0;
}

SEC("tp_btf/timer_expire_entry")
int BPF_PROG(tworay_timer_in, const void *timer)
{
	struct running *r = running(TIMER);

	if (!r)
		return 0;
	r->what = (u64)timer;
	r->counts = 0;
	r->since = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/timer_expire_exit")
int BPF_PROG(tworay_timer_out, const void *timer)
{
	u64 now = bpf_ktime_get_ns();
	struct running *r = running(TIMER);

	if (r && r->counts && r->what == (u64)timer) {
		r->counts = 0;
		book(r, now);
	}
	return 0;
}
