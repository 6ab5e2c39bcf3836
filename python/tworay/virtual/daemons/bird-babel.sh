# Routing by the Babel of BIRD 2 (RFC 8966). Runs in a shell at every station, with TWORAY_NODE, TWORAY_ADDRESS and
# TWORAY_DEVICE set. Intervals are BIRD's own for wireless links: hello 4 s, update 16 s.
configuration=/tmp/bird-$TWORAY_NODE.conf
cat >"$configuration" <<END
router id $TWORAY_ADDRESS;
protocol device { }
protocol direct {
  ipv4;
  interface "$TWORAY_DEVICE";
}
protocol static own {
  ipv4;
  route $TWORAY_ADDRESS/32 via "$TWORAY_DEVICE";
}
protocol kernel {
  ipv4 { export where source = RTS_BABEL; };
}
protocol babel {
  ipv4 {
    import all;
    export where net = $TWORAY_ADDRESS/32 || source = RTS_BABEL;
  };
  interface "$TWORAY_DEVICE" {
    type wireless;
    hello interval 4 s;
    update interval 16 s;
  };
}
END
exec bird -f -c "$configuration" -s "/tmp/bird-$TWORAY_NODE.ctl" -P "/tmp/bird-$TWORAY_NODE.pid"
