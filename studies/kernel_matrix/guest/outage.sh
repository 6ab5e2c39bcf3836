#!/bin/sh
# Nothing gets through for two seconds, so the retransmission timer expires several times.
. /air.sh
/bin/tc qdisc replace dev lo root netem delay 10ms loss 100% limit 1000
usleep 2000000
air
