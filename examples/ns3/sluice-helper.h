#ifndef SLUICE_HELPER_H
#define SLUICE_HELPER_H

#include "sluice-net-device.h"

#include <string>

namespace ns3 {

/// Makes hosts and switches of nodes, and links them:
///
///   SluiceHelper sluice;
///   sluice.SetFabricAttribute("Protocol", StringValue("pyrrha"));
///   sluice.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
///   sluice.SetChannelAttribute("Delay", StringValue("600ns"));
///   sluice.AddHosts(hosts);
///   sluice.AddSwitches(switches, 1);
///   sluice.Install(hosts.Get(0), switches.Get(0));
///   sluice.Build();
class SluiceHelper {
 public:
  SluiceHelper();
  void SetFabricAttribute(std::string name, const AttributeValue& value);
  void SetDeviceAttribute(std::string name, const AttributeValue& value);
  void SetChannelAttribute(std::string name, const AttributeValue& value);

  void AddHosts(NodeContainer hosts);
  /// tier is the distance of switches from the hosts, from 1.
  void AddSwitches(NodeContainer switches, int tier);
  /// Links the next free ports of two nodes.
  NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b);
  /// Configures flow control and forwarding, and gives hosts that have an Internet stack their
  /// address.
  void Build();

  Ptr<SluiceFabric> GetFabric() const { return m_fabric; }

 private:
  void Add(NodeContainer nodes, int tier);
  void GiveAddress(Ptr<Node> host);

  Ptr<SluiceFabric> m_fabric;
  NodeContainer m_nodes;
  ObjectFactory m_devices;
  ObjectFactory m_channels;
};

}  // namespace ns3

#endif
