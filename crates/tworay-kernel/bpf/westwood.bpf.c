/* tworay_westwood: the kernel version of the simulator's `westwood`, with its default filter. */
#include "kernel.h"
#include "core/growth.h"
#include "core/westwood.h"
#include "hooks.h"

#define NAME westwood

struct core {
	struct westwood westwood;
};

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
	__builtin_memset(c, 0, sizeof(*c));
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
	westwood_ack(&c->westwood, v, segments);
}

HOOK void on_dup_ack(struct core *c, const struct view *v)
{
	westwood_dup_ack(&c->westwood, v);
}

HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt)
{
	westwood_rtt(&c->westwood, rtt);
}

HOOK void on_growth(struct core *c, struct tcp_sock *tp, u32 acked)
{
	grow_socket(tp, acked);
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	return westwood_loss(&c->westwood, v, standard);
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	return westwood_rto(&c->westwood, standard);
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){};
}

#include "controller.h"
