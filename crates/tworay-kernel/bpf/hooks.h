/* What a controller needs to write its hooks. */
#ifndef TWORAY_HOOKS_H
#define TWORAY_HOOKS_H

#include "event.h"

#define HOOK static inline __attribute__((always_inline))

/* RFC 5681's growth of the kernel's own window. */
HOOK void grow_socket(struct tcp_sock *tp, u32 acked)
{
	struct growth g = { .cwnd = tp->snd_cwnd, .count = tp->snd_cwnd_cnt };

	grow(&g, tp->snd_ssthresh, acked);
	tp->snd_cwnd = least(g.cwnd, tp->snd_cwnd_clamp);
	tp->snd_cwnd_cnt = g.count;
}

#endif
