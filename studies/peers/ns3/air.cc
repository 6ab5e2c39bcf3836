// One run over 802.11a/g/n/ac stations in ns-3.37; prints the result as one line of JSON.
//
//   air --standard=n --mcs=7 --app=udp --stop=6 --seed=1
//   air --durations=1
//
// A string of --hops hops, or --stations senders on a circle round one receiver. Log-distance loss of exponent 3
// from the free-space loss at 1 m, 40 mW, NIST's error rates, additive interference; a FIFO of 500 packets at the MAC
// that keeps packets for 100 s; fixed routes over neighbours, link addresses known from the start. TCP: NewReno with
// SACK and timestamps, segments of 1448 bytes, delayed ACKs, first window 10, buffers of 4 MB. UDP: datagrams of 1460
// bytes. Flows start at 1 s; the first second after that is left out of the figures.
//
// --keep=1 has frames sent again until their lifetime ends (IEEE 802.11-2020 10.23.2.12.1). ns-3.37 counts missing
// BlockAcks of a whole station as failures of a single frame, a count that only a single frame's ACK resets, and
// discards whole aggregates at its limit (WifiRemoteStationManager::NeedRetransmission).
//
// --queue=fqcodel puts ns-3's FqCoDel above the MAC's FIFO, whose length is --macqueue: what waits in the FIFO no longer
// is FqCoDel's.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double kStart = 1;
constexpr double kWarmUp = 2;
constexpr uint16_t kFirstPort = 1000;
constexpr uint32_t kSegment = 1448;
constexpr uint32_t kBuffer = 4000000;
const char* const kOfdm[] = {"6", "9", "12", "18", "24", "36", "48", "54"};

struct Options
{
    std::string standard = "n";
    uint32_t mcs = 7;
    uint32_t width = 20;
    uint32_t streams = 1;
    uint32_t guard = 800;
    uint32_t aggregate = 65535;
    uint32_t rts = 65535;
    uint32_t hops = 1;
    uint32_t stations = 0;
    double spacing = 5;
    double range = 0;
    std::string app = "udp";
    double rate = 0;
    uint32_t flows = 1;
    std::string control = "fixed";
    std::string queue = "fifo";
    uint32_t macQueue = 500;
    bool keep = false;
    bool delays = false;
    bool durations = false;
    double stop = 6;
    uint32_t seed = 1;

    void Read(int argc, char** argv)
    {
        CommandLine line;
        line.AddValue("standard", "a, g, n or ac", standard);
        line.AddValue("mcs", "number of the fixed rate", mcs);
        line.AddValue("width", "MHz", width);
        line.AddValue("streams", "spatial streams", streams);
        line.AddValue("guard", "guard interval, ns", guard);
        line.AddValue("aggregate", "longest A-MPDU, bytes; 0: none", aggregate);
        line.AddValue("rts", "RTS threshold, bytes", rts);
        line.AddValue("hops", "of the string", hops);
        line.AddValue("stations", "senders round one receiver, in place of the string", stations);
        line.AddValue("spacing", "metres between neighbours, or radius", spacing);
        line.AddValue("range", "metres within which all signals are equally strong; 0: log-distance", range);
        line.AddValue("app", "udp or tcp", app);
        line.AddValue("rate", "of each UDP flow, Mb/s; 0: more than the hop carries", rate);
        line.AddValue("flows", "beside each other along the string", flows);
        line.AddValue("control", "fixed, ideal or minstrel", control);
        line.AddValue("queue", "fifo or fqcodel", queue);
        line.AddValue("macqueue", "packets in the MAC's queue", macQueue);
        line.AddValue("keep", "frames are sent again until their lifetime ends", keep);
        line.AddValue("delays", "measure one-way delays", delays);
        line.AddValue("durations", "print durations of frames, and run nothing", durations);
        line.AddValue("stop", "end of the run, seconds", stop);
        line.AddValue("seed", "run number of the generator", seed);
        line.Parse(argc, argv);
    }

    bool Qos() const
    {
        return standard == "n" || standard == "ac";
    }

    std::string Mode() const
    {
        if (standard == "n")
        {
            return "HtMcs" + std::to_string(mcs);
        }
        if (standard == "ac")
        {
            return "VhtMcs" + std::to_string(mcs);
        }
        return std::string(standard == "g" ? "Erp" : "") + "OfdmRate" + kOfdm[mcs] + "Mbps";
    }

    std::string Control() const
    {
        return Qos() ? "OfdmRate24Mbps" : standard == "g" ? "ErpOfdmRate6Mbps" : "OfdmRate6Mbps";
    }

    uint32_t Nodes() const
    {
        return (stations > 0 ? stations : hops) + 1;
    }

    // Megabits per second of a UDP flow.
    double Load() const
    {
        return rate > 0 ? rate : Qos() && stations == 0 ? 900 : 60;
    }
};

// ns-3's fixed rate, whose frames end with their lifetime instead of after some attempts.
class KeepingManager : public ConstantRateWifiManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId type = TypeId("KeepingManager")
                                 .SetParent<ConstantRateWifiManager>()
                                 .AddConstructor<KeepingManager>();
        return type;
    }

  private:
    bool DoNeedRetransmission(WifiRemoteStation*, Ptr<const Packet>, bool) override
    {
        return true;
    }
};

NS_OBJECT_ENSURE_REGISTERED(KeepingManager);

// Equal signals within a range, nothing beyond.
Ptr<PropagationLossModel> Loss(const Options& options)
{
    if (options.range > 0)
    {
        auto loss = CreateObject<FixedRssLossModel>();
        loss->SetRss(-40);
        return loss;
    }
    auto loss = CreateObject<LogDistancePropagationLossModel>();
    loss->SetPathLossExponent(3);
    // 20 lg(4 pi 1 m / wavelength) at 5.15 GHz, which ns-3 has as its default.
    loss->SetReference(1, 46.6777);
    return loss;
}

struct Timed
{
    const char* standard;
    std::string mode;
    uint16_t width;
    uint16_t guard;
    uint8_t streams;
    WifiPreamble preamble;
    WifiPhyBand band;
};

std::vector<Timed> TimedModes()
{
    std::vector<Timed> list;
    for (const auto rate : kOfdm)
    {
        const auto name = std::string("OfdmRate") + rate + "Mbps";
        list.push_back({"a", name, 20, 800, 1, WIFI_PREAMBLE_LONG, WIFI_PHY_BAND_5GHZ});
        list.push_back({"g", "Erp" + name, 20, 800, 1, WIFI_PREAMBLE_LONG, WIFI_PHY_BAND_2_4GHZ});
    }
    for (const uint16_t width : {20, 40})
    {
        for (const uint16_t guard : {800, 400})
        {
            for (int mcs = 0; mcs < 32; ++mcs)
            {
                list.push_back({"n",
                                "HtMcs" + std::to_string(mcs),
                                width,
                                guard,
                                static_cast<uint8_t>(mcs / 8 + 1),
                                WIFI_PREAMBLE_HT_MF,
                                WIFI_PHY_BAND_5GHZ});
            }
        }
    }
    for (const uint16_t width : {20, 40, 80})
    {
        for (const uint16_t guard : {800, 400})
        {
            for (uint8_t streams = 1; streams <= 4; ++streams)
            {
                for (int mcs = 0; mcs < 10; ++mcs)
                {
                    const auto name = "VhtMcs" + std::to_string(mcs);
                    if (WifiMode(name).IsAllowed(width, streams))
                    {
                        list.push_back(
                            {"ac", name, width, guard, streams, WIFI_PREAMBLE_VHT_SU, WIFI_PHY_BAND_5GHZ});
                    }
                }
            }
        }
    }
    return list;
}

// A line for each mode and size: standard, mode, MHz, guard interval in ns, streams, bytes, duration in ns.
void PrintDurations()
{
    const char* separator = "{\"flows\": [], \"durations\": [";
    for (const auto& timed : TimedModes())
    {
        const WifiTxVector vector(WifiMode(timed.mode),
                                  0,
                                  timed.preamble,
                                  timed.guard,
                                  1,
                                  timed.streams,
                                  0,
                                  timed.width,
                                  false);
        for (const uint32_t bytes : {14, 28, 32, 100, 576, 1000, 1536, 4000, 20000})
        {
            const auto time = WifiPhy::CalculateTxDuration(bytes, vector, timed.band);
            std::cout << separator << "[\"" << timed.standard << "\", \"" << timed.mode << "\", " << timed.width
                      << ", " << timed.guard << ", " << +timed.streams << ", " << bytes << ", "
                      << time.GetNanoSeconds() << "]";
            separator = ", ";
        }
    }
    std::cout << "]}" << std::endl;
}

void SetTcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(kBuffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(kBuffer));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

void Place(const NodeContainer& nodes, const Options& options)
{
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        if (options.stations == 0)
        {
            places->Add(Vector(options.spacing * i, 0, 0));
            continue;
        }
        const double angle = 2 * M_PI * i / options.stations;
        const double radius = i == 0 ? 0 : options.spacing;
        places->Add(Vector(radius * std::cos(angle), radius * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);
}

NetDeviceContainer InstallRadios(const NodeContainer& nodes, const Options& options)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, options.macQueue)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(100)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(options.rts));
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    channel->SetPropagationLossModel(Loss(options));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    const DoubleValue power(10 * std::log10(40.0));
    phy.Set("TxPowerStart", power);
    phy.Set("TxPowerEnd", power);
    for (const auto name : {"Antennas", "MaxSupportedTxSpatialStreams", "MaxSupportedRxSpatialStreams"})
    {
        phy.Set(name, UintegerValue(options.streams));
    }
    const std::string band = options.standard == "g" ? "BAND_2_4GHZ" : "BAND_5GHZ";
    phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(options.width) + ", " + band + ", 0}"));
    WifiHelper wifi;
    wifi.SetStandard(options.standard == "a"   ? WIFI_STANDARD_80211a
                     : options.standard == "g" ? WIFI_STANDARD_80211g
                     : options.standard == "n" ? WIFI_STANDARD_80211n
                                               : WIFI_STANDARD_80211ac);
    if (options.control == "ideal")
    {
        wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    }
    else if (options.control == "minstrel")
    {
        wifi.SetRemoteStationManager(options.Qos() ? "ns3::MinstrelHtWifiManager" : "ns3::MinstrelWifiManager");
    }
    else
    {
        wifi.SetRemoteStationManager(options.keep ? "KeepingManager" : "ns3::ConstantRateWifiManager",
                                     "DataMode",
                                     StringValue(options.Mode()),
                                     "ControlMode",
                                     StringValue(options.Control()));
    }
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac",
                "QosSupported",
                BooleanValue(options.Qos()),
                "BE_MaxAmpduSize",
                UintegerValue(options.aggregate),
                "BE_MaxAmsduSize",
                UintegerValue(0));
    auto devices = wifi.Install(phy, mac, nodes);
    for (uint32_t i = 0; options.Qos() && i < nodes.GetN(); ++i)
    {
        DynamicCast<WifiNetDevice>(devices.Get(i))
            ->GetHtConfiguration()
            ->SetShortGuardIntervalSupported(options.guard == 400);
    }
    return devices;
}

// Routes that lead from neighbour to neighbour.
void Route(const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    Ipv4StaticRoutingHelper routing;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto table = routing.GetStaticRouting(nodes.Get(i)->GetObject<Ipv4>());
        for (uint32_t j = 0; j < nodes.GetN(); ++j)
        {
            const uint32_t next = j > i ? i + 1 : i - 1;
            if (j != i && j != next)
            {
                table->AddHostRouteTo(addresses.GetAddress(j), addresses.GetAddress(next), 1);
            }
        }
    }
}

Ptr<PacketSink> AddFlow(const Options& options,
                        uint32_t number,
                        Ptr<Node> from,
                        Ptr<Node> to,
                        Ipv4Address address)
{
    const std::string factory = options.app == "tcp" ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    const uint16_t port = kFirstPort + number;
    PacketSinkHelper receiver(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
    auto receiving = receiver.Install(to);
    receiving.Start(Seconds(0));
    ApplicationContainer sending;
    if (options.app == "tcp")
    {
        BulkSendHelper sender(factory, InetSocketAddress(address, port));
        sender.SetAttribute("SendSize", UintegerValue(kSegment));
        sending = sender.Install(from);
    }
    else
    {
        OnOffHelper sender(factory, InetSocketAddress(address, port));
        sender.SetConstantRate(DataRate(static_cast<uint64_t>(options.Load() * 1e6)), 1460);
        sending = sender.Install(from);
    }
    sending.Start(Seconds(kStart + (options.app == "tcp" ? 0.01 : 0.001) * number));
    return DynamicCast<PacketSink>(receiving.Get(0));
}

// Packets and the sum of their one-way delays, by flow.
struct Delays
{
    std::vector<double> sums;
    std::vector<double> packets;

    static Delays Of(const Ptr<FlowMonitor>& monitor, FlowMonitorHelper& helper, size_t flows)
    {
        Delays found{std::vector<double>(flows), std::vector<double>(flows)};
        if (!monitor)
        {
            return found;
        }
        auto classes = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
        for (const auto& [id, stats] : monitor->GetFlowStats())
        {
            const uint32_t number = classes->FindFlow(id).destinationPort - kFirstPort;
            if (number < flows)
            {
                found.sums[number] += stats.delaySum.GetSeconds();
                found.packets[number] += stats.rxPackets;
            }
        }
        return found;
    }
};

} // namespace

int main(int argc, char** argv)
{
    Options options;
    options.Read(argc, argv);
    if (options.durations)
    {
        PrintDurations();
        return 0;
    }
    RngSeedManager::SetRun(options.seed);
    SetTcp();
    NodeContainer nodes;
    nodes.Create(options.Nodes());
    Place(nodes, options);
    auto devices = InstallRadios(nodes, options);
    Ipv4StaticRoutingHelper routing;
    InternetStackHelper internet;
    internet.SetRoutingHelper(routing);
    internet.Install(nodes);
    TrafficControlHelper control;
    if (options.queue == "fqcodel")
    {
        control.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
        control.Install(devices);
    }
    auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
    if (options.queue != "fqcodel")
    {
        control.Uninstall(devices);
    }
    NeighborCacheHelper().PopulateNeighborCache(addresses);
    if (options.stations == 0)
    {
        Route(nodes, addresses);
    }
    const uint32_t count = options.stations > 0 ? options.stations : options.flows;
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t from = options.stations > 0 ? i + 1 : 0;
        const uint32_t to = options.stations > 0 ? 0 : options.hops;
        sinks.push_back(AddFlow(options, i, nodes.Get(from), nodes.Get(to), addresses.GetAddress(to)));
    }
    FlowMonitorHelper helper;
    Ptr<FlowMonitor> monitor = options.delays ? helper.InstallAll() : nullptr;
    Simulator::Stop(Seconds(kWarmUp));
    Simulator::Run();
    std::vector<uint64_t> before;
    for (const auto& sink : sinks)
    {
        before.push_back(sink->GetTotalRx());
    }
    const auto first = Delays::Of(monitor, helper, count);
    Simulator::Stop(Seconds(options.stop - kWarmUp));
    Simulator::Run();
    const auto last = Delays::Of(monitor, helper, count);
    std::cout << std::setprecision(10) << "{\"flows\": [";
    for (uint32_t i = 0; i < count; ++i)
    {
        const double bits = 8.0 * (sinks[i]->GetTotalRx() - before[i]);
        std::cout << (i > 0 ? ", " : "") << "{\"goodput_bps\": " << bits / (options.stop - kWarmUp)
                  << ", \"mean_delay_seconds\": ";
        const double packets = last.packets[i] - first.packets[i];
        if (packets > 0)
        {
            std::cout << (last.sums[i] - first.sums[i]) / packets << "}";
        }
        else
        {
            std::cout << "null}";
        }
    }
    std::cout << "], \"events\": " << Simulator::GetEventCount() << "}" << std::endl;
    // Tearing down the simulation is no part of the run, and takes its time.
    std::_Exit(0);
}
