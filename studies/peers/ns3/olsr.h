// Which of several equally short routes ns-3.37's OLSR takes: optionally the one that tworay takes.

#ifndef TWORAY_PEERS_OLSR_H
#define TWORAY_PEERS_OLSR_H

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/olsr-module.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ties
{

using Address = ns3::Ipv4Address;
using Table = std::map<Address, ns3::olsr::RoutingTableEntry>;

// A private member, revealed as in rfc3561.h.
Table& TableOf(ns3::olsr::RoutingProtocol& olsr);

template <auto Routes>
struct Reveal
{
    friend Table& TableOf(ns3::olsr::RoutingProtocol& olsr)
    {
        return olsr.*Routes;
    }
};

template struct Reveal<&ns3::olsr::RoutingProtocol::m_table>;

// RFC 3626 section 10 leaves open which of several equally short routes a node takes. In ns-3 the 2-hop tuple that
// was entered last decides, and for farther destinations the topology tuple that was entered first, so that
// a tuple that expires and is learned again can change the next hop. tworay orders the neighbours: first
// those that chose this node as relay, then by address (crates/tworay-routing/src/olsr/routes.rs). This
// computes the node's table anew in that order, from the same sets, each time ns-3 has computed it.
class Node : public ns3::SimpleRefCount<Node>
{
  public:
    Node(ns3::Ptr<ns3::Node> node, Address address)
        : m_address(address)
    {
        auto ip = node->GetObject<ns3::Ipv4L3Protocol>();
        m_olsr = ip->GetRoutingProtocol()->GetObject<ns3::olsr::RoutingProtocol>();
        m_olsr->TraceConnectWithoutContext("RoutingTableChanged",
                                           ns3::MakeCallback(&Node::OnTable, this));
    }

  private:
    void OnTable(uint32_t)
    {
        auto& table = TableOf(*m_olsr);
        table.clear();
        const auto near = Neighbours();
        for (const auto& neighbour : near)
        {
            Enter(neighbour, neighbour, 1);
        }
        std::map<Address, std::set<Address>> second;
        for (const auto& tuple : m_olsr->GetTwoHopNeighbors())
        {
            second[tuple.neighborMainAddr].insert(tuple.twoHopNeighborAddr);
        }
        std::vector<Address> found;
        for (const auto& neighbour : near)
        {
            for (const auto& to : second[neighbour])
            {
                if (Enter(to, neighbour, 2))
                {
                    found.push_back(to);
                }
            }
        }
        std::map<Address, std::set<Address>> further;
        for (const auto& tuple : m_olsr->GetTopologySet())
        {
            further[tuple.lastAddr].insert(tuple.destAddr);
        }
        for (std::size_t i = 0; i < found.size(); ++i)
        {
            const auto last = table[found[i]];
            for (const auto& to : further[last.destAddr])
            {
                if (Enter(to, last.nextAddr, last.distance + 1))
                {
                    found.push_back(to);
                }
            }
        }
    }

    std::vector<Address> Neighbours() const
    {
        std::set<Address> selectors;
        for (const auto& tuple : m_olsr->GetMprSelectors())
        {
            selectors.insert(tuple.mainAddr);
        }
        std::vector<std::pair<bool, Address>> ranked;
        for (const auto& tuple : m_olsr->GetNeighbors())
        {
            if (tuple.status == ns3::olsr::NeighborTuple::STATUS_SYM)
            {
                ranked.emplace_back(selectors.count(tuple.neighborMainAddr) == 0, tuple.neighborMainAddr);
            }
        }
        std::sort(ranked.begin(), ranked.end());
        std::vector<Address> addresses;
        for (const auto& [stranger, address] : ranked)
        {
            addresses.push_back(address);
        }
        return addresses;
    }

    // Whether the destination had no route yet.
    bool Enter(Address to, Address next, uint32_t distance)
    {
        auto& table = TableOf(*m_olsr);
        if (to == m_address || table.count(to) > 0)
        {
            return false;
        }
        auto& entry = table[to];
        entry.destAddr = to;
        entry.nextAddr = next;
        entry.interface = kRadio;
        entry.distance = distance;
        return true;
    }

    // Interface 0 is the loopback.
    static constexpr uint32_t kRadio = 1;

    Address m_address;
    ns3::Ptr<ns3::olsr::RoutingProtocol> m_olsr;
};

} // namespace ties

#endif
