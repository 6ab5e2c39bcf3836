#!/bin/sh
# The first program of the machine: loads every controller, sends with it through losses and an outage, unloads it.
# Each step prints "@begin NAME CONTROLLER", its output with a bar before each line, and "@end CODE".
# This shell takes its own `ip` and `tc`, which lack what is needed, unless the path is given.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup
loader='tworay-kernel --protocol 1'

step() {
  echo "@begin $1 $2"
  shift 2
  "$@" >/output 2>&1
  code=$?
  sed 's/^/|/' /output
  echo "@end $code"
}

link() {
  for module in /modules/*.ko; do
    insmod "$module" || return 1
  done
  # Segments one by one, so that each is lost by itself.
  /bin/ip link set dev lo mtu 1500 gso_max_segs 1 up
  . /air.sh
  air
}

# The controllers' diagnoses while a transfer goes on.
send() {
  $loader events - "$1" >/events 2>/events.err &
  follower=$!
  until grep -q following /events.err; do
    kill -0 "$follower" || { cat /events.err; return 1; }
    usleep 100000
  done
  transfer "$1" "$SEGMENTS" /outage.sh
  result=$?
  # Events are read every 50 ms.
  usleep 300000
  kill "$follower"
  cat /events
  return $result
}

measure() {
  $loader stats "$MEASURED" 0 >/stats 2>&1 &
  measuring=$!
  usleep 500000
  transfer "$1" "$SEGMENTS" /outage.sh
  result=$?
  wait "$measuring" || result=$?
  cat /stats
  return $result
}

warnings() {
  dmesg | grep -E 'WARNING:|BUG:|Oops|general protection|rcu.*stall|soft lockup'
  return 0
}

step kernel - uname -r
step link - link
for name in $CONTROLLERS; do
  step load "$name" $loader load "$name"
  if [ "$code" -eq 0 ]; then
    step send "$name" send "tworay_$name"
    step unload "$name" $loader unload "$name"
  fi
done
step measure reno measure reno
step leftovers - $loader leftovers
step warnings - warnings
echo @done
reboot -f
