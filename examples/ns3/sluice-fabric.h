#ifndef SLUICE_FABRIC_H
#define SLUICE_FABRIC_H

#include "sluice.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <map>
#include <string>
#include <vector>

namespace ns3 {

/// The network that hosts and switches share: who is linked to whom, which way packets go, and the
/// flow control that all machines are made of. It is a sluice_network of sluice.h.
class SluiceFabric : public Object {
 public:
  static TypeId GetTypeId();
  SluiceFabric();
  ~SluiceFabric() override;

  /// Nodes are numbered in the order in which they are added. tier is 0 for a host, 1 for a switch
  /// at the top of a rack, 2 for a spine, 3 for a core.
  void Add(Ptr<Node> node, int tier);
  /// Says that the next free ports of two nodes are linked.
  void Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay);
  /// Configures the flow control of all nodes; no node or link can be added any more.
  void Build();

  /// The number of a node.
  uint32_t GetNumber(Ptr<Node> node) const;
  bool IsHost(uint32_t number) const { return m_tiers.at(number) == 0; }
  /// The address of a host: 10.0.0.0 plus its number.
  Ipv4Address GetAddress(Ptr<Node> host) const;

  /// Makes the machine of a node.
  sluice_machine MakeMachine(uint32_t number) const;
  /// The way of a packet from a node on, its own egress port first.
  sluice_path GetPath(uint32_t at, uint16_t ingress, const sluice_flow& flow) const;
  /// What hosts send, as the parameters say.
  const sluice_traffic& GetTraffic() const { return m_traffic; }

 private:
  sluice_network m_network;
  std::map<Ptr<Node>, uint32_t> m_numbers;
  std::vector<int> m_tiers;
  std::string m_protocol;
  std::string m_parameters;
  uint64_t m_seed;
  uint32_t m_classes;
  sluice_traffic m_traffic{};
};

}  // namespace ns3

#endif
