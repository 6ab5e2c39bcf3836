/* The congestion window limit by the length of the path (Chen et al. 2003; Papanastasiou 2006, table 4.2). */
#ifndef TWORAY_CORE_CWL_H
#define TWORAY_CORE_CWL_H

#include "types.h"

/* Hops of a path from the hop limit of what arrived. Senders start from 64, 128 or 255 (RFC 1700): the next one
 * up is taken, and one hop leaves it untouched. 0: unknown.
 */
CORE u32 hops_of(u32 ttl)
{
	if (!ttl || ttl > 255)
		return 0;
	if (ttl <= 64)
		return 65 - ttl;
	if (ttl <= 128)
		return 129 - ttl;
	return 256 - ttl;
}

/* Segments; 0: no limit, for the path is unknown. */
CORE u32 cwl_limit(u32 hops)
{
	if (!hops)
		return 0;
	if (hops <= 2)
		return 2;
	if (hops <= 4)
		return 1;
	if (hops <= 6)
		return 2;
	if (hops <= 10)
		return 3;
	if (hops <= 13)
		return 4;
	return 5;
}

#endif
