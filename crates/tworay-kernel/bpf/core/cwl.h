/* The congestion window limit by path length (Chen et al. 2003; Papanastasiou 2006, table 4.2). */
#ifndef TWORAY_CORE_CWL_H
#define TWORAY_CORE_CWL_H

#include "types.h"

/* Path length in hops from the remaining hop limit of an arriving packet; 0: unknown. Senders start at 64,
 * 128 or 255 (RFC 1700): the smallest of these not below the remaining limit is assumed. One hop leaves it
 * unchanged.
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

/* Limit in segments; 0: no limit, because the path is unknown. */
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
