// One TCP run over an 802.11b ad hoc network in ns-3.37; prints the result as one line of JSON.
//
//   adhoc --string=4 --routing=static --stop=120 --seed=1
//
// The settings are those of the ns-2 runs as far as ns-3 has them: decoded within 250 m, sensed and
// interfering within 550 m over two-ray ground; 2 Mb/s data, 1 Mb/s control frames; a FIFO of 50 packets
// and nothing above it; segments of 1460 bytes, a window of 64, every segment acknowledged, least RTO
// 200 ms. What differs by ns-3's nature: interference adds up and is judged by SINR error rates, and the
// ACK to a 2 Mb/s frame goes at 2 Mb/s.
//
// --rtslimit=7 gives ns-3 the standard's limit of RTS attempts (IEEE 802.11-1999 9.2.5.3), which ns-3.37
// does not apply to frames above the RTS threshold: WifiRemoteStationManager::NeedRetransmission looks at
// their count of unacknowledged DATA alone, and RTSs without a CTS never add to it.
//
// --destonly=1 makes up for a sequence number that ns-3.37's AODV does not count up when a link breaks (RFC
// 3561 6.11). By the RFC nobody but the destination knows a route new enough to answer the request that
// follows; in ns-3 the neighbour of the break answers with the old number. --reverse=1, --countup=1 and
// --ownlinks=1 add what else ns-3's AODV leaves out of the RFC: see rfc3561.h.
//
// --syntimeout=1 is RFC 6298's first wait for the answer to a SYN (2.1); ns-3 waits 3 s, as RFC 1122 did.
// --arpdead=0.1 lets ns-3 ask anew for a link address 100 ms after nobody answered; by default such a
// neighbour is dead for 100 s, also if it has come back.
//
// --ties=1 has OLSR choose among equally short routes as tworay does: see olsr.h. --tables=1 starts no flow,
// and counts the changes of every node's routes to the ends that the flows would have.

#include "olsr.h"
#include "rfc3561.h"

#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/olsr-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr double kSpacing = 200.0; // metres between neighbours of a string or grid
constexpr uint32_t kSegment = 1460;
constexpr uint32_t kWindow = 64;

using Flow = std::pair<uint32_t, uint32_t>;

struct Options
{
    uint32_t hops = 4;
    uint32_t grid = 0;
    std::string movement;
    uint32_t nodes = 50;
    std::string flows;
    std::string routing = "aodv";
    bool sack = true;
    bool hello = true;
    bool destinationOnly = false;
    rfc3561::Rules rules;
    double synTimeout = 3;
    double arpDead = 100;
    bool ties = false;
    bool tables = false;
    uint32_t rts = 0;
    uint32_t rtsLimit = 0;
    double start = 1;
    double stop = 120;
    uint32_t seed = 1;

    void Read(int argc, char** argv)
    {
        CommandLine line;
        line.AddValue("string", "hops of a string of nodes 200 m apart", hops);
        line.AddValue("grid", "side of a square grid, in place of the string", grid);
        line.AddValue("movement", "movement file (setdest), in place of the string", movement);
        line.AddValue("nodes", "nodes of the movement file", nodes);
        line.AddValue("flows", "0-1,2-3; by default along the whole string", flows);
        line.AddValue("routing", "aodv, olsr or static", routing);
        line.AddValue("sack", "NewReno with or without SACK", sack);
        line.AddValue("hello", "HELLO messages of AODV", hello);
        line.AddValue("destonly", "AODV: only the destination answers requests", destinationOnly);
        line.AddValue("reverse", "AODV: requests make broken routes back valid", rules.reverse);
        line.AddValue("countup", "AODV: destinations count up for each request", rules.countUp);
        line.AddValue("ownlinks", "AODV: a source notices breaks of its first link", rules.ownLinks);
        line.AddValue("syntimeout", "first wait for the answer to a SYN, seconds", synTimeout);
        line.AddValue("arpdead", "how long an address that was not resolved is dead, seconds", arpDead);
        line.AddValue("ties", "OLSR: of equally short routes the one that tworay takes", ties);
        line.AddValue("tables", "OLSR: no flows; watch every node's routes to their ends", tables);
        line.AddValue("rts", "RTS threshold in bytes", rts);
        line.AddValue("rtslimit", "attempts of an RTS; 0: as ns-3 has it, endless", rtsLimit);
        line.AddValue("start", "when the flows start, seconds", start);
        line.AddValue("stop", "when the run ends, seconds", stop);
        line.AddValue("seed", "run number of the generator", seed);
        line.Parse(argc, argv);
    }

    uint32_t NodeCount() const
    {
        return !movement.empty() ? nodes : grid > 0 ? grid * grid : hops + 1;
    }

    std::vector<Flow> Flows() const
    {
        std::vector<Flow> list;
        std::istringstream text(flows.empty() ? "0-" + std::to_string(hops) : flows);
        uint32_t from;
        uint32_t to;
        char mark;
        while (text >> from >> mark >> to)
        {
            list.emplace_back(from, to);
            text >> mark;
        }
        return list;
    }
};

// Constant rates, and a packet is given up after so many RTSs in a row without a CTS.
class LimitedRtsManager : public ConstantRateWifiManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("LimitedRtsManager")
                               .SetParent<ConstantRateWifiManager>()
                               .AddConstructor<LimitedRtsManager>()
                               .AddAttribute("RtsLimit",
                                             "Attempts of an RTS.",
                                             UintegerValue(7),
                                             MakeUintegerAccessor(&LimitedRtsManager::m_limit),
                                             MakeUintegerChecker<uint32_t>(1));
        return id;
    }

  private:
    void DoReportRtsFailed(WifiRemoteStation*) override
    {
        ++m_failures;
    }

    void DoReportRtsOk(WifiRemoteStation*, double, WifiMode, double) override
    {
        m_failures = 0;
    }

    void DoReportFinalRtsFailed(WifiRemoteStation*) override
    {
        m_failures = 0;
    }

    bool DoNeedRetransmission(WifiRemoteStation*, Ptr<const Packet>, bool normally) override
    {
        return normally && m_failures < m_limit;
    }

    uint32_t m_limit{7};
    // One station at a time is being sent to, so one count does.
    uint32_t m_failures{0};
};

NS_OBJECT_ENSURE_REGISTERED(LimitedRtsManager);

void SetTcp(const Options& options)
{
    const UintegerValue buffer(kWindow * kSegment);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);
    // By default ns-3 ends a connection after six timeouts in a row, which partitions of a moving network bring.
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(options.synTimeout)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(options.sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

void SetMac(const Options& options)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("50p")));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(100)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(options.rts));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(4));
}

void Place(const Options& options, const NodeContainer& nodes)
{
    if (!options.movement.empty())
    {
        Ns2MobilityHelper(options.movement).Install();
        return;
    }
    const uint32_t columns = options.grid > 0 ? options.grid : options.NodeCount();
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        places->Add(Vector(kSpacing * (i % columns), kSpacing * (i / columns), 0));
    }
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);
}

NetDeviceContainer InstallRadios(const Options& options, const NodeContainer& nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    // The antennas' height comes from here: movement files put every node at z = 0.
    channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel",
                               "Frequency", DoubleValue(914e6),
                               "MinDistance", DoubleValue(1.0),
                               "HeightAboveZ", DoubleValue(1.5));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(24.5));
    phy.Set("TxPowerEnd", DoubleValue(24.5));
    // The channel forgets what is below RxSensitivity + 10 log10(22/20) dB, so that is where 550 m must
    // lie; what can be sensed but not decoded (beyond 250 m) is held back by the preamble detection.
    phy.Set("RxSensitivity", DoubleValue(-78.49));
    phy.Set("CcaEdThreshold", DoubleValue(-78.08));
    phy.Set("CcaSensitivity", DoubleValue(-78.08));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "Threshold", DoubleValue(4),
                                  "MinimumRssi", DoubleValue(-64.38));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    const StringValue data("DsssRate2Mbps");
    const StringValue control("DsssRate1Mbps");
    if (options.rtsLimit > 0)
    {
        wifi.SetRemoteStationManager("LimitedRtsManager",
                                     "DataMode", data,
                                     "ControlMode", control,
                                     "RtsLimit", UintegerValue(options.rtsLimit));
    }
    else
    {
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", data, "ControlMode", control);
    }
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, nodes);
}

// Host routes along the string, in both directions.
void AddStaticRoutes(const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    Ipv4StaticRoutingHelper helper;
    for (uint32_t here = 0; here < nodes.GetN(); ++here)
    {
        auto table = helper.GetStaticRouting(nodes.Get(here)->GetObject<Ipv4>());
        for (uint32_t there = 0; there < nodes.GetN(); ++there)
        {
            const uint32_t next = there > here ? here + 1 : here - 1;
            if (there != here && there != next)
            {
                table->AddHostRouteTo(addresses.GetAddress(there), addresses.GetAddress(next), 1);
            }
        }
    }
}

Ipv4InterfaceContainer InstallStack(const Options& options,
                                    const NodeContainer& nodes,
                                    const NetDeviceContainer& devices)
{
    AodvHelper aodv;
    aodv.Set("EnableHello", BooleanValue(options.hello));
    aodv.Set("DestinationOnly", BooleanValue(options.destinationOnly));
    OlsrHelper olsr;
    Ipv4StaticRoutingHelper fixed;
    InternetStackHelper stack;
    if (options.routing == "static")
    {
        stack.SetRoutingHelper(fixed);
    }
    else if (options.routing == "olsr")
    {
        stack.SetRoutingHelper(olsr);
    }
    else
    {
        stack.SetRoutingHelper(aodv);
    }
    stack.Install(nodes);
    Ipv4AddressHelper subnet;
    subnet.SetBase("10.0.0.0", "255.255.0.0");
    auto addresses = subnet.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    if (options.routing == "static")
    {
        AddStaticRoutes(nodes, addresses);
    }
    return addresses;
}

// Counts how often the way of a flow's packets changes, at its ends and at every node that forwards for it:
// next hop or distance to a destination are others than when a packet last went there. At a flow's own ends
// a change counts at once, also if no packet is waiting; a route that was lost and is found again counts,
// the first one does not. Only OLSR computes whole tables, so only OLSR is watched. With --tables every node counts
// like a flow's end, from the start of the flows that there would be.
class RouteChanges
{
  public:
    void Watch(const Options& options,
               const NodeContainer& nodes,
               const Ipv4InterfaceContainer& addresses)
    {
        if (options.routing != "olsr")
        {
            return;
        }
        if (options.tables)
        {
            m_tablesFrom = Seconds(options.start);
        }
        for (const auto& [from, to] : options.Flows())
        {
            m_own[from].insert(addresses.GetAddress(to));
            m_own[to].insert(addresses.GetAddress(from));
        }
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            for (const auto& [from, to] : options.tables ? options.Flows() : std::vector<Flow>{})
            {
                m_own[i].insert({addresses.GetAddress(from), addresses.GetAddress(to)});
            }
            auto ip = nodes.Get(i)->GetObject<Ipv4L3Protocol>();
            auto olsr = ip->GetRoutingProtocol()->GetObject<olsr::RoutingProtocol>();
            m_protocols.push_back(olsr);
            olsr->TraceConnectWithoutContext("RoutingTableChanged",
                                             MakeCallback(&RouteChanges::OnTable, this).Bind(i));
            ip->TraceConnectWithoutContext("SendOutgoing",
                                           MakeCallback(&RouteChanges::OnPacket, this).Bind(i));
            ip->TraceConnectWithoutContext("UnicastForward",
                                           MakeCallback(&RouteChanges::OnPacket, this).Bind(i));
        }
    }

    uint64_t Count() const
    {
        return m_count;
    }

    // Those that keep the distance and change the next hop only.
    uint64_t EqualLength() const
    {
        return m_equalLength;
    }

  private:
    using Way = std::pair<Ipv4Address, uint32_t>; // next hop and distance; distance 0: none

    void OnTable(uint32_t node, uint32_t)
    {
        m_tables[node].clear();
        for (const auto& entry : m_protocols[node]->GetRoutingTableEntries())
        {
            m_tables[node][entry.destAddr] = {entry.nextAddr, entry.distance};
        }
        for (const auto& to : m_own[node])
        {
            if (m_used[node].count(to) > 0 || m_tablesFrom <= Simulator::Now())
            {
                Use(node, to);
            }
        }
    }

    void OnPacket(uint32_t node, const Ipv4Header& header, Ptr<const Packet>, uint32_t)
    {
        if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER)
        {
            Use(node, header.GetDestination());
        }
    }

    void Use(uint32_t node, Ipv4Address to)
    {
        const auto found = m_tables[node].find(to);
        const Way way = found == m_tables[node].end() ? Way{} : found->second;
        const auto [last, first] = m_used[node].emplace(to, way);
        if (!first && last->second != way)
        {
            m_count += way.second > 0;
            m_equalLength += way.second > 0 && way.second == last->second.second;
            last->second = way;
        }
    }

    std::vector<Ptr<olsr::RoutingProtocol>> m_protocols;
    std::map<uint32_t, std::set<Ipv4Address>> m_own;
    std::map<uint32_t, std::map<Ipv4Address, Way>> m_tables;
    std::map<uint32_t, std::map<Ipv4Address, Way>> m_used;
    Time m_tablesFrom{Time::Max()};
    uint64_t m_count{0};
    uint64_t m_equalLength{0};
};

// Starts a flow over OLSR as soon as there is a route: ns-3's TCP gives up at once where there is none,
// and never tries again.
void StartWhenRouted(BulkSendHelper sender, Ptr<Node> from, Ipv4Address to)
{
    auto olsr = from->GetObject<Ipv4>()->GetRoutingProtocol()->GetObject<olsr::RoutingProtocol>();
    for (const auto& entry : olsr->GetRoutingTableEntries())
    {
        if (entry.destAddr == to)
        {
            sender.Install(from);
            return;
        }
    }
    Simulator::Schedule(MilliSeconds(100), &StartWhenRouted, sender, from, to);
}

std::vector<Ptr<PacketSink>> StartFlows(const Options& options,
                                        const NodeContainer& nodes,
                                        const Ipv4InterfaceContainer& addresses)
{
    std::vector<Ptr<PacketSink>> sinks;
    uint16_t port = 1000;
    for (const auto& [from, to] : options.Flows())
    {
        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        auto receiving = receiver.Install(nodes.Get(to));
        receiving.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(receiving.Get(0)));
        BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(addresses.GetAddress(to), port));
        sender.SetAttribute("SendSize", UintegerValue(kSegment));
        if (options.routing == "olsr")
        {
            Simulator::Schedule(Seconds(options.start),
                                &StartWhenRouted,
                                sender,
                                nodes.Get(from),
                                addresses.GetAddress(to));
        }
        else
        {
            sender.Install(nodes.Get(from)).Start(Seconds(options.start));
        }
        ++port;
    }
    return sinks;
}

// Counts packets that a MAC gave up on: its retries had come to an end.
class GivenUp
{
  public:
    void Watch(const NetDeviceContainer& devices)
    {
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            DynamicCast<WifiNetDevice>(devices.Get(i))
                ->GetMac()
                ->TraceConnectWithoutContext("DroppedMpdu", MakeCallback(&GivenUp::OnDrop, this));
        }
    }

    uint64_t Count() const
    {
        return m_count;
    }

  private:
    void OnDrop(WifiMacDropReason reason, Ptr<const WifiMpdu>)
    {
        m_count += reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT;
    }

    uint64_t m_count{0};
};

void Report(const Options& options,
            const std::vector<Ptr<PacketSink>>& sinks,
            const RouteChanges& changes,
            const GivenUp& givenUp)
{
    std::cout << "{\"flows\": [";
    const auto flows = options.Flows();
    for (std::size_t i = 0; i < sinks.size(); ++i)
    {
        std::cout << (i > 0 ? ", " : "") << "{\"from\": " << flows[i].first << ", \"to\": " << flows[i].second
                  << ", \"acked\": " << sinks[i]->GetTotalRx() / kSegment << "}";
    }
    std::cout << "], \"events\": " << Simulator::GetEventCount()
              << ", \"given_up\": " << givenUp.Count() << ", \"route_changes\": " << changes.Count()
              << ", \"equal_length\": " << changes.EqualLength() << "}" << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    options.Read(argc, argv);
    if (options.routing != "static" && options.routing != "aodv" && options.routing != "olsr")
    {
        std::cerr << "adhoc: there is no routing " << options.routing << std::endl;
        return 2;
    }
    RngSeedManager::SetRun(options.seed);
    SetTcp(options);
    SetMac(options);
    NodeContainer nodes;
    nodes.Create(options.NodeCount());
    Place(options, nodes);
    auto devices = InstallRadios(options, nodes);
    Config::SetDefault("ns3::ArpCache::DeadTimeout", TimeValue(Seconds(options.arpDead)));
    auto addresses = InstallStack(options, nodes, devices);
    std::vector<Ptr<rfc3561::Node>> followers;
    for (uint32_t i = 0; options.routing == "aodv" && i < nodes.GetN(); ++i)
    {
        followers.push_back(Create<rfc3561::Node>(options.rules, nodes.Get(i), addresses.GetAddress(i)));
    }
    // Before the changes are watched: they are counted in the table that is used.
    std::vector<Ptr<ties::Node>> choosers;
    for (uint32_t i = 0; options.routing == "olsr" && options.ties && i < nodes.GetN(); ++i)
    {
        choosers.push_back(Create<ties::Node>(nodes.Get(i), addresses.GetAddress(i)));
    }
    RouteChanges changes;
    changes.Watch(options, nodes, addresses);
    GivenUp givenUp;
    givenUp.Watch(devices);
    std::vector<Ptr<PacketSink>> sinks;
    if (!options.tables)
    {
        sinks = StartFlows(options, nodes, addresses);
    }
    Simulator::Stop(Seconds(options.stop));
    Simulator::Run();
    Report(options, sinks, changes, givenUp);
    // Tearing down the simulation is no part of the run, and takes its time.
    std::_Exit(0);
}
