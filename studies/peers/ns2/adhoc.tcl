# One TCP run over an 802.11 ad hoc network in ns-2.35; prints the result as one line of JSON.
#
#   ns adhoc.tcl ?-option value ...?
#
# The radio is ns-2's WaveLAN (250 m / 550 m), the MAC 2 Mb/s data and 1 Mb/s basic rate, the
# segments 1460 bytes, the window 64 segments. Equal options and seed give equal results.

set options {
    string   4          {hops of a string of nodes 200 m apart}
    grid     0          {side of a square grid of nodes 200 m apart, in place of the string}
    movement {}         {movement file (setdest), in place of the string}
    nodes    50         {nodes of the movement file}
    area     {1500 300} {metres that the movement file covers}
    flows    {}         {"0-1,2-3"; by default along the whole string}
    tcp      newreno    {tahoe, reno, newreno, sack or vegas}
    routing  aodv       {aodv, dsr, or static: DSDV that has converged and then falls silent}
    rts      0          {RTS threshold in bytes}
    limited  1          {limited transmit (RFC 3042): 1 on, 0 off}
    start    1          {when the flows start, seconds}
    stop     120        {when the run ends, seconds}
    freeze   400        {when static routes fall silent, seconds}
    sample   0          {seconds between samples of the window; 0 for none}
    seed     1          {seed of ns-2's default generator}
    trace    {}         {file for the MAC's and the router's trace}
}

proc fail {message} {
    puts stderr "adhoc.tcl: $message"
    exit 2
}

foreach {name value what} $options { set opt($name) $value }
foreach {flag value} $argv {
    set name [string range $flag 1 end]
    if {![info exists opt($name)]} { fail "there is no option $flag" }
    set opt($name) $value
}

# --- settings of every layer ---

proc configure_layers {} {
    global opt
    Phy/WirelessPhy set Pt_ 0.28183815
    Phy/WirelessPhy set freq_ 914e+6
    Mac/802_11 set dataRate_ 2Mb
    Mac/802_11 set basicRate_ 1Mb
    Mac/802_11 set RTSThreshold_ $opt(rts)
    foreach {variable value} {
        packetSize_ 1460  window_ 64   maxburst_ 3
        minrto_     0.2   maxrto_ 60   tcpTick_  0.01
    } { Agent/TCP set $variable $value }
    Agent/TCP set singledup_ $opt(limited)
    foreach {variable value} {v_alpha_ 1 v_beta_ 3 v_gamma_ 1} { Agent/TCP/Vegas set $variable $value }
    if {$opt(routing) eq "static"} {
        # Routes that only time builds: MAC failures change nothing, updates come every 5 s.
        foreach {variable value} {perup_ 5 use_mac_ 0 min_update_periods_ 1000000 verbose_ 0} {
            Agent/DSDV set $variable $value
        }
        # DSDV adds an IP header to packets that count theirs already; AODV does not.
        Agent/TCP set tcpip_base_hdr_size_ 20
        Agent/TCPSink set packetSize_ 20
    }
}

# --- where the nodes are ---

# A list of x y pairs, empty if a movement file places the nodes; sets the area's size.
proc places {} {
    global opt area
    set list {}
    if {$opt(movement) ne ""} {
        set area $opt(area)
    } elseif {$opt(grid) > 0} {
        set side [expr {200 * $opt(grid) + 200}]
        set area [list $side $side]
        for {set row 0} {$row < $opt(grid)} {incr row} {
            for {set column 0} {$column < $opt(grid)} {incr column} {
                lappend list [expr {100.0 + 200.0 * $column}] [expr {100.0 + 200.0 * $row}]
            }
        }
    } else {
        set area [list [expr {200 * ($opt(string) + 1) + 500}] 500]
        for {set i 0} {$i <= $opt(string)} {incr i} { lappend list [expr {100.0 + 200.0 * $i}] 250 }
    }
    return $list
}

proc build_nodes {list} {
    global opt area ns_ node_ god_
    set n [expr {$opt(movement) ne "" ? $opt(nodes) : [llength $list] / 2}]
    set ground [new Topography]
    eval $ground load_flatgrid $area
    set god_ [create-god $n]
    set traced [expr {$opt(trace) ne "" ? "ON" : "OFF"}]
    switch $opt(routing) {
        aodv    { set agent AODV }
        dsr     { set agent DSR }
        static  { set agent DSDV }
        default { fail "there is no routing $opt(routing)" }
    }
    # DSR's agent takes packets back from a queue of its own.
    set queue [expr {$agent eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
    $ns_ node-config \
        -adhocRouting $agent \
        -llType LL -macType Mac/802_11 -phyType Phy/WirelessPhy -antType Antenna/OmniAntenna \
        -ifqType $queue -ifqLen 50 \
        -propType Propagation/TwoRayGround -channel [new Channel/WirelessChannel] \
        -topoInstance $ground -agentTrace OFF -movementTrace OFF \
        -macTrace $traced -routerTrace $traced
    for {set i 0} {$i < $n} {incr i} {
        set node_($i) [$ns_ node]
        $node_($i) random-motion 0
    }
    set i 0
    foreach {x y} $list {
        $node_($i) set X_ $x
        $node_($i) set Y_ $y
        $node_($i) set Z_ 0
        incr i
    }
    if {$opt(movement) ne ""} { uplevel #0 [list source $opt(movement)] }
}

# --- what they send ---

array set agents {
    tahoe Agent/TCP  reno Agent/TCP/Reno  newreno Agent/TCP/Newreno  sack Agent/TCP/Sack1  vegas Agent/TCP/Vegas
}

proc build_flows {} {
    global opt agents ns_ node_ senders
    if {![info exists agents($opt(tcp))]} { fail "there is no TCP $opt(tcp)" }
    set sink [expr {$opt(tcp) eq "sack" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
    set senders {}
    foreach pair [split $opt(flows) ,] {
        lassign [split $pair -] from to
        set tcp [new $agents($opt(tcp))]
        set receiver [new $sink]
        $ns_ attach-agent $node_($from) $tcp
        $ns_ attach-agent $node_($to) $receiver
        $ns_ connect $tcp $receiver
        set source [new Application/FTP]
        $source attach-agent $tcp
        $ns_ at $opt(start) "$source start"
        lappend senders $tcp
    }
}

# --- while it runs, and at the end ---

set window_sum 0.0
set window_samples 0

proc sample_window {} {
    global opt ns_ senders window_sum window_samples
    foreach tcp $senders {
        set window [$tcp set cwnd_]
        set window_sum [expr {$window_sum + min($window, 64)}]
        incr window_samples
    }
    $ns_ at [expr {[$ns_ now] + $opt(sample)}] sample_window
}

proc silence_routing {} {
    global node_
    foreach i [array names node_] { [$node_($i) set ragent_] set perup_ 1e6 }
}

proc report {} {
    global opt ns_ senders trace_file window_sum window_samples
    $ns_ flush-trace
    close $trace_file
    set rows {}
    foreach tcp $senders pair [split $opt(flows) ,] {
        lassign [split $pair -] from to
        set acked [expr {max([$tcp set ack_], 0)}]
        lappend rows [format {{"from": %d, "to": %d, "acked": %d, "sent": %d, "retransmitted": %d, "timeouts": %d}} \
            $from $to $acked [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_]]
    }
    set mean null
    if {$window_samples > 0} { set mean [format %.4f [expr {$window_sum / $window_samples}]] }
    puts "{\"flows\": \[[join $rows {, }]\], \"mean_cwnd\": $mean}"
    exit 0
}

ns-random $opt(seed)
configure_layers
if {$opt(flows) eq ""} { set opt(flows) 0-$opt(string) }
set ns_ [new Simulator]
set trace_file [open [expr {$opt(trace) ne "" ? $opt(trace) : "/dev/null"}] w]
$ns_ trace-all $trace_file
build_nodes [places]
build_flows
if {$opt(routing) eq "static"} { $ns_ at $opt(freeze) silence_routing }
if {$opt(sample) > 0} { $ns_ at [expr {$opt(start) + $opt(sample)}] sample_window }
$ns_ at $opt(stop) report
$ns_ run
