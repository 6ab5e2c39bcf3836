/* Exports the decision cores as native functions for the tests. */
#include "core/cwl.h"
#include "core/probing.h"
#include "core/sca.h"
#include "core/vegas.h"
#include "core/welcome.h"

/* Space that the tests reserve for the state of a core, bytes. */
#define ROOM 256
_Static_assert(sizeof(struct welcome) <= ROOM && sizeof(struct probing) <= ROOM, "larger than its room");
_Static_assert(sizeof(struct westwood) <= ROOM && sizeof(struct vegas) <= ROOM, "larger than its room");

/* Exports a core's function under another name; structures are returned through a pointer. */
#define EXPORT(result, name, parameters, arguments)  \
	result tworay_##name parameters                  \
	{                                                \
		return name arguments;                       \
	}
#define EXPORT_INTO(type, name, parameters, arguments) \
	void tworay_##name parameters                      \
	{                                                  \
		*out = name arguments;                         \
	}

EXPORT(void, grow, (struct growth *g, u32 ssthresh, u32 acked), (g, ssthresh, acked))

EXPORT(void, westwood_ack, (struct westwood *w, const struct view *v, u32 segments), (w, v, segments))
EXPORT(void, westwood_dup_ack, (struct westwood *w, const struct view *v), (w, v))
EXPORT(void, westwood_rtt, (struct westwood *w, u32 rtt), (w, rtt))
EXPORT_INTO(struct decision, westwood_loss,
	    (const struct westwood *w, const struct view *v, const struct window *standard, struct decision *out),
	    (w, v, *standard))
EXPORT_INTO(struct decision, westwood_rto,
	    (const struct westwood *w, const struct window *standard, struct decision *out), (w, *standard))

EXPORT_INTO(struct wish, welcome_ack,
	    (struct welcome *w, const struct view *v, u32 segments, struct wish *out), (w, v, segments))
EXPORT(void, welcome_dup_ack, (struct welcome *w, const struct view *v), (w, v))
EXPORT_INTO(struct wish, welcome_rtt, (struct welcome *w, const struct view *v, u32 rtt, struct wish *out),
	    (w, v, rtt))
EXPORT_INTO(struct decision, welcome_loss,
	    (const struct welcome *w, const struct view *v, const struct window *standard, struct decision *out),
	    (w, v, *standard))
EXPORT_INTO(struct decision, welcome_rto,
	    (struct welcome *w, const struct view *v, const struct window *standard, struct decision *out),
	    (w, v, *standard))

EXPORT(void, vegas_start, (struct vegas *s, u64 now, u32 una, u32 rtt), (s, now, una, rtt))
EXPORT(void, vegas_sync, (struct vegas *s, u32 cwnd), (s, cwnd))
EXPORT(void, vegas_ack,
       (struct vegas *s, const struct view *v, const struct vegas_ack *ack, u32 *ssthresh,
	const struct vegas_limits *limits),
       (s, v, ack, ssthresh, *limits))
EXPORT(void, vegas_rtt, (struct vegas *s, u32 rtt), (s, rtt))
EXPORT_INTO(struct decision, vegas_loss, (const struct view *v, struct decision *out), (v))
EXPORT_INTO(struct decision, vegas_rto, (const struct window *standard, struct decision *out), (*standard))

EXPORT(void, sca_grow, (struct sca *s, struct growth *g, u32 ssthresh, u32 theta, u32 acked),
       (s, g, ssthresh, theta, acked))
EXPORT(void, sca_reset, (struct sca *s), (s))

EXPORT(u32, hops_of, (u32 ttl), (ttl))
EXPORT(u32, cwl_limit, (u32 hops), (hops))

EXPORT(void, probing_rtt, (struct probing *p, u32 rtt), (p, rtt))
EXPORT_INTO(struct decision, probing_loss,
	    (struct probing *p, const struct view *v, const struct window *standard, struct decision *out),
	    (p, v, *standard))
EXPORT_INTO(struct decision, probing_rto,
	    (struct probing *p, const struct view *v, const struct window *standard, struct decision *out),
	    (p, v, *standard))
EXPORT(int, probing_sample, (struct probing *p, const struct view *v, u32 rtt, struct decision *d), (p, v, rtt, d))

u32 tworay_vegas_cwnd(const struct vegas *s)
{
	return s->cwnd >> SHARE_BITS;
}

u32 tworay_vegas_mark(const struct vegas *s)
{
	return s->mark;
}
