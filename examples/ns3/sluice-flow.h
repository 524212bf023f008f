#ifndef SLUICE_FLOW_H
#define SLUICE_FLOW_H

#include "sluice-helper.h"

#include "ns3/internet-module.h"

namespace ns3 {

/// What a packet of a SluiceFlow is: the number of the flow and of the packet in it, or of the next
/// packet that the receiver expects. A tag, so that packets have the size that the flow says.
class SluiceFlowTag : public Tag {
 public:
  static TypeId GetTypeId();
  TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  uint32_t GetSerializedSize() const override { return 14; }
  void Serialize(TagBuffer to) const override;
  void Deserialize(TagBuffer from) override;
  void Print(std::ostream& os) const override;

  uint32_t flow = 0;
  uint32_t sequence = 0;
  uint32_t packets = 0;  ///< of the whole flow
  uint8_t answer = 0;
  uint8_t klass = 0;  ///< of its data
};

/// Takes what SluiceFlows send to a host, and acknowledges every packet.
class SluiceFlowSink : public Application {
 public:
  static TypeId GetTypeId();
  static const uint16_t PORT = 4791;
  void SetTraffic(const sluice_traffic& traffic) { m_traffic = traffic; }

 private:
  void StartApplication() override;
  void StopApplication() override;
  void Read(Ptr<Socket> socket);

  Ptr<Socket> m_socket;
  sluice_traffic m_traffic{};
  std::map<uint32_t, uint32_t> m_expected;  ///< by flow
  TracedCallback<uint32_t> m_completed;
};

/// A transfer of a number of bytes, with a window and without congestion control: what hosts of a
/// lossless network send. At most one packet of a flow waits in the network card.
class SluiceFlow : public Application {
 public:
  static TypeId GetTypeId();
  void Setup(Ptr<SluiceFabric> fabric, Ptr<Node> to, uint32_t flow, uint64_t bytes);

 private:
  void StartApplication() override;
  void StopApplication() override;
  Ptr<SluiceNetDevice> Card() const;
  void Refill();
  void Sent(Ptr<const Packet> packet);
  void Read(Ptr<Socket> socket);

  Ptr<SluiceFabric> m_fabric;
  Ptr<Socket> m_socket;
  Ipv4Address m_to;
  uint32_t m_flow = 0;
  uint64_t m_bytes = 0;
  uint32_t m_packets = 0;
  uint32_t m_next = 0;
  uint32_t m_acknowledged = 0;
  uint8_t m_class = 0;
  uint16_t m_port = 0;
  bool m_inCard = false;
};

/// Installs flows, notes when they are complete, and ends the simulation when all are: timers of
/// some flow controls go on for ever.
class SluiceFlowHelper {
 public:
  explicit SluiceFlowHelper(Ptr<SluiceFabric> fabric) : m_fabric(fabric) {}
  /// Flows are numbered from 0. The one of number n sends from port 1024 + n.
  ApplicationContainer Install(Ptr<Node> from, Ptr<Node> to, uint64_t bytes, Time start);
  uint32_t GetN() const { return static_cast<uint32_t>(m_starts.size()); }
  /// How long a flow took until its last byte came; negative if it did not.
  Time GetCompletionTime(uint32_t flow) const;

 private:
  void Completed(uint32_t flow);

  Ptr<SluiceFabric> m_fabric;
  std::map<Ptr<Node>, Ptr<SluiceFlowSink>> m_sinks;
  std::vector<Time> m_starts;
  std::map<uint32_t, Time> m_ends;
};

}  // namespace ns3

#endif
