/* tworay_vegas: the kernel version of the simulator's `vegas`, without its retransmission before three
 * duplicate ACKs.
 */
#include "kernel.h"
#include "core/growth.h"
#include "core/vegas.h"
#include "hooks.h"

#define NAME vegas

struct core {
	struct vegas vegas;
};

PARAMETERS(3);
enum { ALPHA, BETA, GAMMA };

HOOK void on_init(struct core *c, const struct view *v, const struct tcp_sock *tp)
{
	__builtin_memset(c, 0, sizeof(*c));
	vegas_start(&c->vegas, v->now, tp->snd_una, v->srtt);
}

HOOK u32 segments_of(const struct tcp_sock *tp, u32 bytes)
{
	u32 mss = tp->mss_cache;

	return mss ? (bytes + mss - 1) / mss : 0;
}

HOOK void on_ack(struct core *c, const struct view *v, struct tcp_sock *tp, u32 segments)
{
	struct vegas_limits limits = { parameter(ALPHA, 1), parameter(BETA, 3), parameter(GAMMA, 1) };
	struct vegas_ack ack = { .una = tp->snd_una, .nxt = tp->snd_nxt };
	u32 ssthresh = tp->snd_ssthresh;
	struct window w;

	if (ca_state(tp) == TCP_CA_CWR || ca_state(tp) == TCP_CA_Recovery)
		return;
	ack.sent = segments_of(tp, ack.nxt - c->vegas.mark);
	ack.flight = segments_of(tp, ack.nxt - ack.una);
	vegas_sync(&c->vegas, tp->snd_cwnd);
	vegas_ack(&c->vegas, v, &ack, &ssthresh, limits);
	w.cwnd = c->vegas.cwnd >> SHARE_BITS;
	w.ssthresh = ssthresh;
	set_window(tp, w);
}

HOOK void on_dup_ack(struct core *c, const struct view *v)
{
}

HOOK void on_rtt(struct core *c, const struct view *v, struct sock *sk, u32 rtt)
{
	vegas_rtt(&c->vegas, rtt);
}

/* Vegas has already grown the window in on_ack. */
HOOK void on_growth(struct core *c, struct tcp_sock *tp, u32 acked)
{
}

HOOK struct decision on_loss(struct core *c, const struct view *v, struct window standard)
{
	return vegas_loss(v);
}

HOOK struct decision on_rto(struct core *c, const struct view *v, struct window standard, struct tcp_sock *tp)
{
	return vegas_rto(standard);
}

HOOK struct history_view history_of(const struct core *c)
{
	return (struct history_view){};
}

#include "controller.h"
