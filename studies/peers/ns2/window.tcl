# The congestion window of one TCP over a wired bottleneck:
#
#   s1 -- 8 Mb/s, 0 ms -- r1 -- RATE kb/s, DELAY ms, QUEUE packets -- k1
#
# usage: ns window.tcl vegas|westwood|reno RATE DELAY QUEUE END [DROP...]
#
# Prints "time cwnd" every half second from 2 s on; the transfer begins at 1 s. DROP are packets of the
# flow (from 0) that never reach r1's queue. vegas is Agent/TCP/Vegas with the settings of ns-2's
# validation suite; westwood and reno are modules of Linux in Agent/TCP/Linux, with the suite's sizes.
lassign $argv variant rate delay limit end
set drops [lrange $argv 5 end]

remove-all-packet-headers
add-packet-header Flags IP TCP
Agent/TCP set packetSize_ 1000
Agent/TCP set minrto_ 1
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set precisionReduce_ false
Agent/TCP set singledup_ 0

set ns [new Simulator]
set s1 [$ns node]
set r1 [$ns node]
set k1 [$ns node]
$ns duplex-link $s1 $r1 8Mb 0ms DropTail
$ns duplex-link $r1 $k1 ${rate}Kb ${delay}ms DropTail
foreach {a b n} [list $r1 $k1 $limit $k1 $r1 $limit $s1 $r1 1000 $r1 $s1 1000] { $ns queue-limit $a $b $n }

set module [new ErrorModule Fid]
[$ns link $r1 $k1] errormodule $module
set lost [new ErrorModel/List]
$lost droplist [expr {[llength $drops] ? $drops : 1000000}]
$module insert $lost
$module bind $lost 1

if {$variant eq "vegas"} {
  # ns-2's Vegas counts no header and sends a SYN of full size.
  Agent/TCP set packetSize_ 1040
  set tcp [$ns create-connection TCP/Vegas $s1 TCPSink $k1 1]
} else {
  set tcp [new Agent/TCP/Linux]
  set sink [new Agent/TCPSink/Sack1]
  $tcp set timestamps_ true
  $sink set ts_echo_rfc1323_ true
  $tcp set fid_ 1
  $ns attach-agent $s1 $tcp
  $ns attach-agent $k1 $sink
  $ns connect $tcp $sink
  $ns at 0 "$tcp select_ca $variant"
}
$tcp set window_ [expr {$variant eq "vegas" ? 28 : 64}]
set ftp [$tcp attach-app FTP]
$ns at 1.0 "$ftp start"

proc sample {} {
  global ns tcp
  puts [format "%.1f %.3f" [$ns now] [$tcp set cwnd_]]
  $ns at [expr {[$ns now] + 0.5}] sample
}
$ns at 2.0 sample
$ns at $end "exit 0"
$ns run
