#include "sluice-helper.h"

#include "ns3/internet-module.h"

namespace ns3 {

SluiceHelper::SluiceHelper() : m_fabric(CreateObject<SluiceFabric>()) {
  m_devices.SetTypeId("ns3::SluiceNetDevice");
  m_channels.SetTypeId("ns3::SluiceChannel");
}

void SluiceHelper::SetFabricAttribute(std::string name, const AttributeValue& value) {
  m_fabric->SetAttribute(name, value);
}

void SluiceHelper::SetDeviceAttribute(std::string name, const AttributeValue& value) {
  m_devices.Set(name, value);
}

void SluiceHelper::SetChannelAttribute(std::string name, const AttributeValue& value) {
  m_channels.Set(name, value);
}

void SluiceHelper::AddHosts(NodeContainer hosts) { Add(hosts, 0); }

void SluiceHelper::AddSwitches(NodeContainer switches, int tier) { Add(switches, tier); }

void SluiceHelper::Add(NodeContainer nodes, int tier) {
  for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
    m_fabric->Add(*node, tier);
    Ptr<SluiceNode> control = CreateObject<SluiceNode>();
    control->Setup(m_fabric, m_fabric->GetNumber(*node));
    (*node)->AggregateObject(control);
    m_nodes.Add(*node);
  }
}

NetDeviceContainer SluiceHelper::Install(Ptr<Node> a, Ptr<Node> b) {
  Ptr<SluiceChannel> channel = m_channels.Create<SluiceChannel>();
  NetDeviceContainer both;
  for (Ptr<Node> node : {a, b}) {
    Ptr<SluiceNetDevice> device = m_devices.Create<SluiceNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(device);
    device->Attach(channel, node->GetObject<SluiceNode>());
    both.Add(device);
  }
  m_fabric->Connect(a, b, DynamicCast<SluiceNetDevice>(both.Get(0))->GetDataRate(),
                    channel->GetDelay());
  return both;
}

void SluiceHelper::Build() {
  ObjectFactory scheduler;
  scheduler.SetTypeId(SluiceScheduler::GetTypeId());
  Simulator::SetScheduler(scheduler);
  m_fabric->Build();
  for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node) {
    Ptr<SluiceNode> control = (*node)->GetObject<SluiceNode>();
    control->Start();
    if (control->IsHost() && (*node)->GetObject<Ipv4>()) {
      GiveAddress(*node);
    }
  }
}

void SluiceHelper::GiveAddress(Ptr<Node> host) {
  Ptr<Ipv4> ip = host->GetObject<Ipv4>();
  for (uint32_t i = 0; i < host->GetNDevices(); i++) {
    if (DynamicCast<SluiceNetDevice>(host->GetDevice(i))) {
      uint32_t interface = ip->AddInterface(host->GetDevice(i));
      ip->AddAddress(interface,
                     Ipv4InterfaceAddress(m_fabric->GetAddress(host), Ipv4Mask("255.0.0.0")));
      ip->SetUp(interface);
    }
  }
}

}  // namespace ns3
