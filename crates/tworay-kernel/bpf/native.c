/* The decision cores as functions of the machine, for the tests. */
#include "core/growth.h"
#include "core/westwood.h"

void tworay_grow(struct growth *g, u32 ssthresh, u32 acked)
{
	grow(g, ssthresh, acked);
}

u32 tworay_westwood_size(void)
{
	return sizeof(struct westwood);
}

void tworay_westwood_ack(struct westwood *w, const struct view *v, u32 segments)
{
	westwood_ack(w, v, segments);
}

void tworay_westwood_dup_ack(struct westwood *w, const struct view *v)
{
	westwood_dup_ack(w, v);
}

void tworay_westwood_rtt(struct westwood *w, u32 rtt)
{
	westwood_rtt(w, rtt);
}

void tworay_westwood_loss(struct westwood *w, const struct view *v, struct window standard, struct decision *d)
{
	*d = westwood_loss(w, v, standard);
}

void tworay_westwood_rto(struct westwood *w, struct window standard, struct decision *d)
{
	*d = westwood_rto(w, standard);
}
