#include "sluice-fabric.h"

namespace ns3 {

NS_OBJECT_ENSURE_REGISTERED(SluiceFabric);

TypeId SluiceFabric::GetTypeId() {
  static TypeId tid =
      TypeId("ns3::SluiceFabric")
          .SetParent<Object>()
          .AddConstructor<SluiceFabric>()
          .AddAttribute("Protocol", "Flow control: pfc, bfc, pyrrha, none and others.",
                        StringValue("pfc"), MakeStringAccessor(&SluiceFabric::m_protocol),
                        MakeStringChecker())
          .AddAttribute("Parameters", "Its parameters: \"buffer=20MiB,detect=tcd\".",
                        StringValue(""), MakeStringAccessor(&SluiceFabric::m_parameters),
                        MakeStringChecker())
          .AddAttribute("Seed", "Of what machines and hashes draw.", UintegerValue(1),
                        MakeUintegerAccessor(&SluiceFabric::m_seed),
                        MakeUintegerChecker<uint64_t>())
          .AddAttribute("Classes", "A bit for each class of data.", UintegerValue(1),
                        MakeUintegerAccessor(&SluiceFabric::m_classes),
                        MakeUintegerChecker<uint32_t>(1, 255));
  return tid;
}

SluiceFabric::SluiceFabric() : m_network(sluice_network_new()) {
  NS_ABORT_MSG_IF(sluice_abi() >> 16 != SLUICE_ABI >> 16,
                  "libsluice is of another version than sluice.h");
}

SluiceFabric::~SluiceFabric() { sluice_network_free(m_network); }

void SluiceFabric::Add(Ptr<Node> node, int tier) {
  int32_t number =
      tier == 0 ? sluice_network_host(m_network) : sluice_network_switch(m_network, tier);
  NS_ABORT_MSG_IF(number < 0, "sluice: a node cannot be added: error " << number);
  m_numbers[node] = static_cast<uint32_t>(number);
  m_tiers.push_back(tier);
}

void SluiceFabric::Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay) {
  int32_t status = sluice_network_connect(m_network, GetNumber(a), GetNumber(b),
                                          static_cast<int64_t>(rate.GetBitRate()),
                                          delay.GetPicoSeconds(), nullptr, nullptr);
  NS_ABORT_MSG_IF(status < 0, "sluice: a link cannot be added: error " << status);
}

void SluiceFabric::Build() {
  sluice_error error;
  int32_t status =
      sluice_network_build(m_network, m_protocol.c_str(), m_parameters.c_str(),
                           static_cast<uint8_t>(m_classes), m_seed, &m_traffic, &error);
  NS_ABORT_MSG_IF(status < 0, "sluice: " << error.text);
}

uint32_t SluiceFabric::GetNumber(Ptr<Node> node) const {
  auto found = m_numbers.find(node);
  NS_ABORT_MSG_IF(found == m_numbers.end(), "sluice: node " << node->GetId() << " was not added");
  return found->second;
}

Ipv4Address SluiceFabric::GetAddress(Ptr<Node> host) const {
  return Ipv4Address((10u << 24) + GetNumber(host));
}

sluice_machine SluiceFabric::MakeMachine(uint32_t number) const {
  sluice_error error;
  sluice_machine machine = sluice_network_machine(m_network, number, &error);
  NS_ABORT_MSG_IF(machine == 0, "sluice: node " << number << ": " << error.text);
  return machine;
}

sluice_path SluiceFabric::GetPath(uint32_t at, uint16_t ingress, const sluice_flow& flow) const {
  sluice_path path{};
  int32_t status = sluice_network_path(m_network, at, ingress, &flow, &path);
  NS_ABORT_MSG_IF(sluice_path_length(&path) == 0,
                  "sluice: a packet has no way on at node " << at << ": " << status);
  return path;
}

}  // namespace ns3
