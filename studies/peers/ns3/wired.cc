// One TCP run over a wired bottleneck in ns-3.37; prints the result as one line of JSON.
//
//   wired --tcp=cubic --rate=10Mbps --delay=20ms --queue=50 --stop=300 --seed=1
//
// Sender and receiver hang on fast wires (100 Mb/s, 1 ms) at the ends of a slow one with a drop-tail queue
// and nothing above it. Segments of 1460 bytes, a window of 1000, every segment acknowledged, SACK, least RTO
// 200 ms, no timestamps. --hystart=1 leaves ns-3's HyStart on, which RFC 9438 does not contain.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t kSegment = 1460;
constexpr uint32_t kWindow = 1000;
constexpr uint16_t kPort = 1000;
constexpr double kStart = 1;

struct Options
{
    std::string tcp = "cubic";
    std::string rate = "10Mbps";
    std::string delay = "20ms";
    uint32_t queue = 50;
    uint32_t ssthresh = 20;
    bool hystart = false;
    bool timestamps = false;
    uint32_t iw = 2;
    double minRto = 1;
    double stop = 300;
    uint32_t seed = 1;

    void Read(int argc, char** argv)
    {
        CommandLine line;
        line.AddValue("tcp", "newreno, cubic or bbr", tcp);
        line.AddValue("rate", "of the bottleneck", rate);
        line.AddValue("delay", "of the bottleneck, one way", delay);
        line.AddValue("queue", "packets waiting at the bottleneck", queue);
        line.AddValue("ssthresh", "first slow-start threshold, segments", ssthresh);
        line.AddValue("hystart", "cubic: leave slow start by HyStart", hystart);
        line.AddValue("timestamps", "RFC 7323's", timestamps);
        line.AddValue("iw", "first window, segments", iw);
        line.AddValue("minrto", "least RTO, seconds", minRto);
        line.AddValue("stop", "when the run ends, seconds", stop);
        line.AddValue("seed", "run number of the generator", seed);
        line.Parse(argc, argv);
    }

    std::string Type() const
    {
        return tcp == "cubic" ? "ns3::TcpCubic" : tcp == "bbr" ? "ns3::TcpBbr" : "ns3::TcpNewReno";
    }
};

void SetTcp(const Options& options)
{
    const UintegerValue buffer(kWindow * kSegment);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(options.Type()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(options.iw));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold",
                       UintegerValue(options.ssthresh * kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(options.timestamps));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(options.minRto)));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(options.hystart));
}

// Mean window over time, and how often it was reduced.
class Watch
{
  public:
    void Begin(Ptr<Application> sender)
    {
        auto socket = DynamicCast<BulkSendApplication>(sender)->GetSocket();
        socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Watch::OnWindow, this));
        socket->TraceConnectWithoutContext("CongState", MakeCallback(&Watch::OnState, this));
        socket->TraceConnectWithoutContext("RTT", MakeCallback(&Watch::OnRtt, this));
        m_since = m_began = Simulator::Now();
        m_window = 2 * kSegment;
    }

    double MeanWindow()
    {
        OnWindow(m_window, m_window);
        return m_area / (m_since - m_began).GetSeconds() / kSegment;
    }

    uint32_t recoveries{0};
    uint32_t timeouts{0};
    uint32_t probes{0};
    double rttSum{0};
    uint32_t rtts{0};

  private:
    void OnWindow(uint32_t, uint32_t now)
    {
        m_area += (Simulator::Now() - m_since).GetSeconds() * m_window;
        m_since = Simulator::Now();
        // BBR's window while it measures the round trip; in it, ns-3 moves up and down.
        if (now <= 4 * kSegment && m_window > 4 * kSegment)
        {
            probes += m_probed.IsZero() || Simulator::Now() - m_probed > Seconds(2);
            m_probed = Simulator::Now();
        }
        m_window = now;
    }

    void OnState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        recoveries += now == TcpSocketState::CA_RECOVERY;
        timeouts += now == TcpSocketState::CA_LOSS;
    }

    void OnRtt(Time, Time now)
    {
        rttSum += now.GetSeconds();
        ++rtts;
    }

    Time m_began;
    Time m_since;
    Time m_probed;
    uint32_t m_window{0};
    double m_area{0};
};

} // namespace

int main(int argc, char** argv)
{
    Options options;
    options.Read(argc, argv);
    RngSeedManager::SetRun(options.seed);
    SetTcp(options);
    NodeContainer nodes;
    nodes.Create(4);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper subnet("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer last;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const bool slow = i == 1;
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue(slow ? options.rate : "100Mbps"));
        wire.SetChannelAttribute("Delay", StringValue(slow ? options.delay : "1ms"));
        wire.SetQueue("ns3::DropTailQueue<Packet>",
                      "MaxSize",
                      QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, slow ? options.queue : 10000)));
        auto devices = wire.Install(nodes.Get(i), nodes.Get(i + 1));
        last = subnet.Assign(devices);
        TrafficControlHelper().Uninstall(devices);
        subnet.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), kPort));
    auto receiving = receiver.Install(nodes.Get(3));
    receiving.Start(Seconds(0));
    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(last.GetAddress(1), kPort));
    sender.SetAttribute("SendSize", UintegerValue(kSegment));
    auto sending = sender.Install(nodes.Get(0));
    sending.Start(Seconds(kStart));
    Watch watch;
    Simulator::Schedule(Seconds(kStart + 1e-6), &Watch::Begin, &watch, sending.Get(0));
    Simulator::Stop(Seconds(options.stop));
    Simulator::Run();
    const auto acked = DynamicCast<PacketSink>(receiving.Get(0))->GetTotalRx() / kSegment;
    std::cout << "{\"flows\": [{\"from\": 0, \"to\": 3, \"acked\": " << acked << "}], \"mean_cwnd\": "
              << watch.MeanWindow() << ", \"recoveries\": " << watch.recoveries << ", \"timeouts\": "
              << watch.timeouts << ", \"probes\": " << watch.probes << ", \"mean_rtt\": "
              << (watch.rtts > 0 ? watch.rttSum / watch.rtts : 0) << "}" << std::endl;
    // Tearing down the simulation is no part of the run, and takes its time.
    std::_Exit(0);
}
