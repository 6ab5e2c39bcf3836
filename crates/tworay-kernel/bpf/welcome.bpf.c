/* tworay_welcome: the kernel version of the simulator's `welcome`, with its default choices.
 *
 * A controller cannot set the retransmission timer as equation 3 requires. Instead its backoff is limited
 * while the link is taken as broken. TCP_BPF_RTO_MIN does not help, because the kernel's minimum of 200 ms
 * still applies.
 */
#include "kernel.h"
#include "core/growth.h"
#include "core/welcome.h"
#include "hooks.h"
#include "options.h"

#define NAME welcome

struct core {
	struct welcome welcome;
};

HOOK void on_init(struct core *c, const struct view *v, struct tcp_sock *tp)
{
	__builtin_memset(c, 0, sizeof(*c));
	/* What an earlier use of this controller could not restore. */
	uncap_backoff(tp);
}

/* A connection that leaves this controller gets its options back before: the kernel lets no controller set
 * options in `release`.
 */
SEC("cgroup/setsockopt")
int tworay_welcome_leave(struct bpf_sockopt *ctx)
{
	if (ctx->level == SOL_TCP && ctx->optname == TCP_CONGESTION && ctx->sk) {
		struct kept *k = bpf_sk_storage_get(&tworay_kept, ctx->sk, 0, 0);

		if (k && k->changed)
			restore_options(ctx->sk, k);
	}
	/* Leave the option itself as it is, whatever its length. */
	ctx->optlen = 0;
	return 1;
}

/* The socket goes on without this controller. The record of options still changed stays for the next use. */
SEC("struct_ops")
void BPF_PROG(tworay_welcome_release, struct sock *sk)
{
	struct kept *k = bpf_sk_storage_get(&tworay_kept, sk, 0, 0);

	if (k && !k->changed)
		bpf_sk_storage_delete(&tworay_kept, sk);
}
#define RELEASE tworay_welcome_release

HOOK void take(struct tcp_sock *tp, struct wish wish)
{
	if (wish.window.cwnd)
		set_window(tp, wish.window);
	if (wish.rto)
		uncap_backoff(tp);
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
	take(tp, welcome_ack(&c->welcome, v, segments));
}

HOOK void on_dup_ack(struct core *c, const struct view *v)
{
	welcome_dup_ack(&c->welcome, v);
}

HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt)
{
	take((struct tcp_sock *)sk, welcome_rtt(&c->welcome, v, rtt));
}

HOOK void on_growth(struct core *c, struct tcp_sock *tp, u32 acked)
{
	grow_socket(tp, acked);
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	return welcome_loss(&c->welcome, v, standard);
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	struct decision d = welcome_rto(&c->welcome, v, standard);

	if (d.wait && closing(tp))
		uncap_backoff(tp);
	else if (d.wait)
		cap_backoff(tp, d.wait / 1000);
	return d;
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){
		.bits = c->welcome.bits,
		.samples = c->welcome.seen,
		.average = c->welcome.average >> AVERAGE_BITS,
	};
}

#include "controller.h"
