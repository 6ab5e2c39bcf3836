/* Connects the kernel's callbacks with a decision core.
 *
 * A controller includes this file after defining NAME, `struct core` and the functions on_init, on_ack,
 * on_dup_ack, on_rtt, on_loss, on_rto and history_of. The kernel calls (Linux, net/ipv4/tcp_input.c):
 *
 *     every ACK            in_ack_event, pkts_acked with a round trip if there is one, then cong_avoid if the
 *                          window may grow
 *     duplicate ACKs, RACK ssthresh, set_state(Recovery); until everything is repaired the kernel itself moves
 *                          cwnd to ssthresh by proportional rate reduction (RFC 6937); cwnd_event(COMPLETE_CWR)
 *     timeout              ssthresh if it is the first of this window, set_state(Loss) in any case
 *
 * When the kernel asks for ssthresh it does not say which of the two kinds of loss occurred. The decision
 * is therefore made in set_state and overwrites the result of ssthresh.
 */
#ifndef TWORAY_CONTROLLER_H
#define TWORAY_CONTROLLER_H

#include "hooks.h"

#define GLUE_(a, b, c) a##b##c
#define GLUE(a, b, c) GLUE_(a, b, c)
#define CALLBACK(callback) GLUE(tworay_, NAME, _##callback)
/* BPF_PROG pastes its first argument, which must already be a name. */
#define PROGRAM(name, args...) BPF_PROG(name, args)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

char _license[] SEC("license") = "Dual MIT/GPL";

/* State of a connection, in the space that the kernel reserves for it. */
struct private {
	/* Window to set at the end of a recovery; none if cwnd is 0. */
	struct window held;
	u32 snd_una;
	u32 unused;
	struct core core;
};

_Static_assert(sizeof(struct private) <= 104, "icsk_ca_priv has 104 bytes");

HOOK struct private *private_of(struct sock *sk)
{
	return (struct private *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

HOOK struct view view_of(const struct tcp_sock *tp)
{
	u32 mss = tp->mss_cache;
	struct view v = {
		.now = bpf_ktime_get_ns() / 1000,
		.cwnd = tp->snd_cwnd,
		.ssthresh = tp->snd_ssthresh,
		.advertised = mss ? tp->snd_wnd / mss : 0,
		.flight = tp->packets_out,
		.srtt = tp->srtt_us >> 3,
		/* As __tcp_set_rto, without backoff. */
		.rto = (tp->srtt_us >> 3) + tp->rttvar_us,
	};

	return v;
}

/* RFC 5681, equation 4. */
HOOK struct window standard_of(const struct tcp_sock *tp)
{
	struct window w;

	w.ssthresh = most(tp->packets_out / 2, 2);
	w.cwnd = w.ssthresh;
	return w;
}

/* As tcp_is_cwnd_limited. */
HOOK bool cwnd_limited(const struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

SEC("struct_ops")
void PROGRAM(CALLBACK(init), struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct private *p = private_of(sk);
	struct view v = view_of(tp);

	p->held.cwnd = 0;
	p->held.ssthresh = 0;
	p->snd_una = tp->snd_una;
	on_init(&p->core, &v, tp);
}

SEC("struct_ops")
u32 PROGRAM(CALLBACK(ssthresh), struct sock *sk)
{
	private_of(sk)->held.cwnd = 0;
	return standard_of((struct tcp_sock *)sk).ssthresh;
}

SEC("struct_ops")
void PROGRAM(CALLBACK(in_ack_event), struct sock *sk, u32 flags)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct private *p = private_of(sk);
	u32 mss = tp->mss_cache, advanced = tp->snd_una - p->snd_una;
	struct view v = view_of(tp);

	p->snd_una = tp->snd_una;
	if (advanced)
		on_ack(&p->core, &v, tp, mss ? (advanced + mss - 1) / mss : 1);
	else if (tp->packets_out && !(flags & CA_ACK_WIN_UPDATE))
		on_dup_ack(&p->core, &v);
}

SEC("struct_ops")
void PROGRAM(CALLBACK(pkts_acked), struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct view v;

	if (sample->rtt_us <= 0)
		return;
	v = view_of(tp);
	on_rtt(&private_of(sk)->core, &v, sk, sample->rtt_us);
}

SEC("struct_ops")
void PROGRAM(CALLBACK(cong_avoid), struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (cwnd_limited(tp))
		on_growth(&private_of(sk)->core, tp, acked);
}

SEC("struct_ops")
void PROGRAM(CALLBACK(set_state), struct sock *sk, u8 state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct private *p = private_of(sk);
	struct window standard = standard_of(tp);
	struct view v = view_of(tp);
	struct decision d;

	if (state == TCP_CA_Recovery) {
		d = on_loss(&p->core, &v, standard);
		/* The kernel uses this window during the repair. */
		tp->snd_ssthresh = most(d.window.cwnd, 2);
		p->held = d.window;
	} else if (state == TCP_CA_Loss) {
		/* enter_loss has already set cwnd to 1; the earlier value is in prior_cwnd. */
		v.cwnd = tp->prior_cwnd;
		standard.cwnd = 1;
		d = on_rto(&p->core, &v, standard, tp);
		p->held.cwnd = 0;
		set_window(tp, d.window);
	} else {
		return;
	}
	report(sk, &p->core, state == TCP_CA_Loss, &v, &d);
}

SEC("struct_ops")
void PROGRAM(CALLBACK(cwnd_event), struct sock *sk, enum tcp_ca_event event)
{
	struct private *p = private_of(sk);

	if (event == CA_EVENT_COMPLETE_CWR && p->held.cwnd) {
		set_window((struct tcp_sock *)sk, p->held);
		p->held.cwnd = 0;
	}
}

SEC("struct_ops")
u32 PROGRAM(CALLBACK(undo_cwnd), struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	private_of(sk)->held.cwnd = 0;
	return most(tp->snd_cwnd, tp->prior_cwnd);
}

/* Any program may select it through TCP_CONGESTION without privileges. */
SEC(".struct_ops")
struct tcp_congestion_ops GLUE(tworay_, NAME, ) = {
	.init = (void *)CALLBACK(init),
	.ssthresh = (void *)CALLBACK(ssthresh),
	.in_ack_event = (void *)CALLBACK(in_ack_event),
	.pkts_acked = (void *)CALLBACK(pkts_acked),
	.cong_avoid = (void *)CALLBACK(cong_avoid),
	.set_state = (void *)CALLBACK(set_state),
	.cwnd_event = (void *)CALLBACK(cwnd_event),
	.undo_cwnd = (void *)CALLBACK(undo_cwnd),
#ifdef RELEASE
	.release = (void *)RELEASE,
#endif
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "tworay_" TEXT(NAME),
};

#endif
