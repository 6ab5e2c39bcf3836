# A path of 20 ms there and back that loses packets in both directions.
air() {
  /bin/tc qdisc replace dev lo root netem delay 10ms loss 2% limit 1000
}
