/* tworay_cwl: the kernel version of the simulator's `adaptive-cwl`.
 *
 * Receivers of Linux delay ACKs by up to 40 ms unless a second segment arrives. With a window of one segment
 * (three and four hops) every segment would wait for that delay, so the limit is at least `least` segments.
 *
 * A controller sees no packets. A program at the cgroup's ingress writes the hop limit of arriving packets
 * to the socket's storage, where the controller reads it, so no routing protocol has to report the path
 * length.
 */
#include "kernel.h"
#include "core/cwl.h"
#include "core/growth.h"
#include "hooks.h"

#define NAME cwl

struct core {
	/* The limit in force; 0: none. */
	u32 limit;
};

PARAMETERS(1);

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} tworay_path SEC(".maps");

SEC("cgroup_skb/ingress")
int tworay_cwl_ttl(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	u8 ttl = 0;
	u32 *hops;

	if (!sk)
		return 1;
	sk = bpf_sk_fullsock(sk);
	if (!sk)
		return 1;
	/* Only sockets whose controller created the storage have it. */
	hops = bpf_sk_storage_get(&tworay_path, sk, 0, 0);
	if (!hops)
		return 1;
	/* TTL of IPv4, hop limit of IPv6. */
	if (bpf_skb_load_bytes(skb, skb->protocol == ETHERTYPE_IPV4 ? 8 : 7, &ttl, 1) == 0 && ttl)
		*hops = hops_of(ttl);
	return 1;
}

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
	c->limit = 0;
}

HOOK void limit(struct core *c, struct tcp_sock *tp)
{
	if (c->limit && tp->snd_cwnd > c->limit)
		tp->snd_cwnd = c->limit;
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
	u32 *hops = bpf_sk_storage_get(&tworay_path, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (hops && *hops)
		c->limit = most(cwl_limit(*hops), parameter(0, 2));
	limit(c, tp);
}

HOOK void on_dup_ack(struct core *c, const struct view *v)
{
}

HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt)
{
}

HOOK void on_growth(struct core *c, struct tcp_sock *tp, u32 acked)
{
	grow_socket(tp, acked);
	limit(c, tp);
}

HOOK struct decision limited(const struct core *c, struct window standard)
{
	struct decision d = { .window = standard };

	if (c->limit)
		d.window.cwnd = least(d.window.cwnd, c->limit);
	return d;
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	return limited(c, standard);
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	return limited(c, standard);
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){};
}

#include "controller.h"
