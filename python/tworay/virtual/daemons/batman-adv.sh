# Routing by batman-adv, B.A.T.M.A.N. IV. Runs in a shell at every station, with TWORAY_NODE, TWORAY_ADDRESS and
# TWORAY_DEVICE set. The kernel routes, so this ends at once. The station's address moves to bat0.
set -e
ip link add name bat0 type batadv ra BATMAN_IV
ip address flush dev "$TWORAY_DEVICE"
ip link set dev "$TWORAY_DEVICE" master bat0
ip link set dev bat0 up
ip address add "$TWORAY_ADDRESS/16" dev bat0
