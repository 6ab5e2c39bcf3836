# Routing by babeld (RFC 8966). Runs in a shell at every station, with TWORAY_NODE, TWORAY_ADDRESS and
# TWORAY_DEVICE set. Intervals are babeld's own for wireless links: hello 4 s, update 16 s.
configuration=/tmp/babeld-$TWORAY_NODE.conf
cat >"$configuration" <<END
default type wireless
default hello-interval 4
default update-interval 16
interface $TWORAY_DEVICE
redistribute local ip $TWORAY_ADDRESS/32 allow
redistribute local deny
END
exec babeld -I "/tmp/babeld-$TWORAY_NODE.pid" -S "/tmp/babeld-$TWORAY_NODE.state" -c "$configuration"
