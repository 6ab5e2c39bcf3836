/* tworay_sca: the kernel version of the simulator's `sca`; theta is the parameter. */
#include "kernel.h"
#include "core/sca.h"
#include "hooks.h"

#define NAME sca

struct core {
	struct sca sca;
};

PARAMETERS(1);

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
	sca_reset(&c->sca);
	c->sca.avoiding = 0;
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
	struct growth g = { .cwnd = tp->snd_cwnd, .count = tp->snd_cwnd_cnt };

	sca_grow(&c->sca, &g, tp->snd_ssthresh, parameter(0, 10), acked);
	put_growth(tp, &g);
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	struct decision d = { .window = standard };

	sca_reset(&c->sca);
	return d;
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	return on_loss(c, v, standard);
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){};
}

#include "controller.h"
