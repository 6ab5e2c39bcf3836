/* tworay_gentle: the kernel version of the simulator's `gentle`; keep is the parameter. */
#include "kernel.h"
#include "core/gentle.h"
#include "core/growth.h"
#include "hooks.h"

#define NAME gentle

/* State of a connection: none. */
struct core {
};

PARAMETERS(1);

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
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
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	return gentle_loss(v, parameter(0, 750));
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	struct decision d = { .window = standard };

	return d;
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){};
}

#include "controller.h"
