/* tworay_probing: the kernel version of the simulator's `probing`, as far as a controller can implement it.
 *
 * A controller can neither send the paper's two probes nor stop the sender. Instead, until the cause is
 * decided at most two segments are outstanding, and the first two round trips of segments sent since the
 * loss replace those of the probes.
 */
#include "kernel.h"
#include "core/growth.h"
#include "core/probing.h"
#include "hooks.h"

#define NAME probing

struct core {
	struct probing probing;
};

/* The window until the cause is decided. */
#define QUESTIONED 2

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
	__builtin_memset(c, 0, sizeof(*c));
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
}

HOOK void on_dup_ack(struct core *c, const struct view *v)
{
}

HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt);

HOOK void on_growth(struct core *c, struct tcp_sock *tp, u32 acked)
{
	if (c->probing.step == PROBING_NONE)
		grow_socket(tp, acked);
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	struct decision d = probing_loss(&c->probing, v, standard);

	if (c->probing.step != PROBING_NONE)
		d.window.cwnd = QUESTIONED;
	return d;
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	struct decision d = probing_rto(&c->probing, v, standard);

	d.window.cwnd = 1;
	return d;
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){ .samples = c->probing.step, .average = c->probing.current >> CURRENT_BITS };
}

#include "controller.h"

/* The outcome of a cycle is reported as a separate event. */
HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct view before = *v;
	struct decision d = {};

	probing_rtt(&c->probing, rtt);
	if (!probing_sample(&c->probing, v, rtt, &d))
		return;
	if (ca_state(tp) == TCP_CA_Recovery || ca_state(tp) == TCP_CA_CWR) {
		tp->snd_ssthresh = most(d.window.cwnd, 2);
		private_of(sk)->held = d.window;
	} else {
		set_window(tp, d.window);
	}
	before.cwnd = c->probing.before.cwnd;
	before.ssthresh = c->probing.before.ssthresh;
	report(sk, c, c->probing.timed_out, &before, &d);
}
