// One TCP run over an 802.11b ad hoc network in ns-3.37; prints the result as one line of JSON.
//
//   adhoc --string=4 --routing=static --stop=120 --seed=1
//
// The settings are those of the ns-2 runs as far as ns-3 has them: decoded within 250 m, sensed and
// interfering within 550 m over two-ray ground; 2 Mb/s data, 1 Mb/s control frames; a FIFO of 50 packets
// and nothing above it; segments of 1460 bytes, a window of 64, every segment acknowledged, least RTO
// 200 ms. What differs by ns-3's nature: interference adds up and is judged by SINR error rates, and the
// ACK to a 2 Mb/s frame goes at 2 Mb/s.

#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdlib>
#include <iostream>
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
    uint32_t rts = 0;
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
        line.AddValue("routing", "aodv or static", routing);
        line.AddValue("sack", "NewReno with or without SACK", sack);
        line.AddValue("rts", "RTS threshold in bytes", rts);
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

NetDeviceContainer InstallRadios(const NodeContainer& nodes)
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
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("DsssRate2Mbps"),
                                 "ControlMode", StringValue("DsssRate1Mbps"));
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
    Ipv4StaticRoutingHelper fixed;
    InternetStackHelper stack;
    if (options.routing == "static")
    {
        stack.SetRoutingHelper(fixed);
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
        sender.Install(nodes.Get(from)).Start(Seconds(options.start));
        ++port;
    }
    return sinks;
}

void Report(const Options& options, const std::vector<Ptr<PacketSink>>& sinks)
{
    std::cout << "{\"flows\": [";
    const auto flows = options.Flows();
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        std::cout << (i > 0 ? ", " : "") << "{\"from\": " << flows[i].first << ", \"to\": " << flows[i].second
                  << ", \"acked\": " << sinks[i]->GetTotalRx() / kSegment << "}";
    }
    std::cout << "], \"events\": " << Simulator::GetEventCount() << "}" << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    options.Read(argc, argv);
    if (options.routing != "static" && options.routing != "aodv")
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
    auto devices = InstallRadios(nodes);
    auto addresses = InstallStack(options, nodes, devices);
    auto sinks = StartFlows(options, nodes, addresses);
    Simulator::Stop(Seconds(options.stop));
    Simulator::Run();
    Report(options, sinks);
    // Tearing down the simulation is no part of the run, and takes its time.
    std::_Exit(0);
}
