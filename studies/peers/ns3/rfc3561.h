// What ns-3.37's AODV leaves out of RFC 3561, added from outside, one rule at a time.

#ifndef TWORAY_PEERS_RFC3561_H
#define TWORAY_PEERS_RFC3561_H

#include "ns3/aodv-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"

#include <cstdint>

namespace rfc3561
{

// ns-3 keeps these private and has no attribute for the rules below. An explicit instantiation may name
// private members.
ns3::aodv::RoutingTable& TableOf(ns3::aodv::RoutingProtocol& aodv);
ns3::aodv::Neighbors& NeighboursOf(ns3::aodv::RoutingProtocol& aodv);
uint32_t& SequenceNumberOf(ns3::aodv::RoutingProtocol& aodv);

template <auto Table, auto Neighbours, auto SequenceNumber>
struct Reveal
{
    friend ns3::aodv::RoutingTable& TableOf(ns3::aodv::RoutingProtocol& aodv)
    {
        return aodv.*Table;
    }

    friend ns3::aodv::Neighbors& NeighboursOf(ns3::aodv::RoutingProtocol& aodv)
    {
        return aodv.*Neighbours;
    }

    friend uint32_t& SequenceNumberOf(ns3::aodv::RoutingProtocol& aodv)
    {
        return aodv.*SequenceNumber;
    }
};

template struct Reveal<&ns3::aodv::RoutingProtocol::m_routingTable,
                       &ns3::aodv::RoutingProtocol::m_nb,
                       &ns3::aodv::RoutingProtocol::m_seqNo>;

struct Rules
{
    // 6.5: a request makes the route to its originator valid. ns-3 updates the entry and leaves it invalid
    // if it was, for the 15 s that it keeps broken routes, whatever its attribute DeletePeriod says: the
    // node then passes the reply on, and drops every packet that comes along the route.
    bool reverse = false;

    // 6.11: when a link breaks, the destination's sequence number is counted up, so that the reply to the
    // next request replaces every route that led over the break. ns-3 does not count, and nodes before the
    // break keep their route, since the reply is no newer. Here the destination counts up instead, for
    // each request that it hears.
    bool countUp = false;

    // 6.11: a node watches the next hops of its active routes. ns-3 forgets about links that carry only a
    // node's own packets, unless HELLOs keep them in mind: it notices no break of theirs.
    bool ownLinks = false;
};

// Applies the rules to one node. The hooks run before ns-3's AODV sees the packet.
class Node : public ns3::SimpleRefCount<Node>
{
  public:
    Node(const Rules& rules, ns3::Ptr<ns3::Node> node, ns3::Ipv4Address address)
        : m_rules(rules),
          m_address(address)
    {
        auto ip = node->GetObject<ns3::Ipv4L3Protocol>();
        m_aodv = ip->GetRoutingProtocol()->GetObject<ns3::aodv::RoutingProtocol>();
        if (rules.reverse || rules.countUp)
        {
            ip->TraceConnectWithoutContext("LocalDeliver",
                                           ns3::MakeCallback(&Node::OnDelivery, this));
        }
        if (rules.ownLinks)
        {
            ip->TraceConnectWithoutContext("SendOutgoing", ns3::MakeCallback(&Node::OnSend, this));
        }
    }

  private:
    void OnDelivery(const ns3::Ipv4Header& ip, ns3::Ptr<const ns3::Packet> delivered, uint32_t)
    {
        if (ip.GetProtocol() != ns3::UdpL4Protocol::PROT_NUMBER)
        {
            return;
        }
        auto packet = delivered->Copy();
        ns3::UdpHeader udp;
        packet->RemoveHeader(udp);
        ns3::aodv::TypeHeader type;
        packet->RemoveHeader(type);
        if (udp.GetDestinationPort() != ns3::aodv::RoutingProtocol::AODV_PORT ||
            type.Get() != ns3::aodv::AODVTYPE_RREQ)
        {
            return;
        }
        ns3::aodv::RreqHeader request;
        packet->RemoveHeader(request);
        if (request.GetOrigin() == m_address)
        {
            return;
        }
        if (m_rules.reverse)
        {
            Forget(request.GetOrigin());
        }
        if (m_rules.countUp && request.GetDst() == m_address)
        {
            ++SequenceNumberOf(*m_aodv);
        }
    }

    // Removes an invalid route; ns-3 then makes a new one, which is valid.
    void Forget(ns3::Ipv4Address to)
    {
        ns3::aodv::RoutingTableEntry entry;
        if (TableOf(*m_aodv).LookupRoute(to, entry) && entry.GetFlag() == ns3::aodv::INVALID)
        {
            TableOf(*m_aodv).DeleteRoute(to);
        }
    }

    // As ns-3's AODV::Forwarding does with the packets of others.
    void OnSend(const ns3::Ipv4Header& ip, ns3::Ptr<const ns3::Packet>, uint32_t)
    {
        ns3::aodv::RoutingTableEntry entry;
        if (ip.GetProtocol() == ns3::TcpL4Protocol::PROT_NUMBER &&
            TableOf(*m_aodv).LookupValidRoute(ip.GetDestination(), entry))
        {
            NeighboursOf(*m_aodv).Update(entry.GetNextHop(), kActiveRouteTimeout);
        }
    }

    // ns-3's default, RFC 3561 section 10.
    const ns3::Time kActiveRouteTimeout = ns3::Seconds(3);

    Rules m_rules;
    ns3::Ipv4Address m_address;
    ns3::Ptr<ns3::aodv::RoutingProtocol> m_aodv;
};

} // namespace rfc3561

#endif
