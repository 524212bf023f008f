#include "sluice-net-device.h"

#include "ns3/internet-module.h"

namespace ns3 {

NS_OBJECT_ENSURE_REGISTERED(SluiceChannel);
NS_OBJECT_ENSURE_REGISTERED(SluiceNetDevice);

TypeId SluiceChannel::GetTypeId() {
  static TypeId tid =
      TypeId("ns3::SluiceChannel")
          .SetParent<Channel>()
          .AddConstructor<SluiceChannel>()
          .AddAttribute("Delay", "Propagation delay of one way.", TimeValue(NanoSeconds(600)),
                        MakeTimeAccessor(&SluiceChannel::m_delay), MakeTimeChecker());
  return tid;
}

void SluiceChannel::Attach(Ptr<SluiceNetDevice> device) {
  NS_ABORT_MSG_IF(m_count == 2, "a SluiceChannel has two devices");
  m_wires[m_count++].to = device;
}

Ptr<NetDevice> SluiceChannel::GetDevice(std::size_t i) const { return m_wires[i].to; }

void SluiceChannel::DoDispose() {
  for (Wire& wire : m_wires) {
    wire.to = nullptr;
    wire.items.clear();
  }
  Channel::DoDispose();
}

void SluiceChannel::Send(const SluiceNetDevice* from, const SluiceItem& item, Time left) {
  Wire& wire = m_wires[PeekPointer(m_wires[0].to) == from ? 1 : 0];
  Time at = left + m_delay;
  wire.items.emplace_back(item, at);
  if (wire.items.size() == 1) {  // else it follows what is before it on the wire
    PlanArrival(&wire);
  }
}

void SluiceChannel::PlanArrival(Wire* wire) {
  wire->to->Plan(wire->items.front().second, SluiceEvent::Arrival, [this, wire] { Arrive(wire); });
}

void SluiceChannel::Arrive(Wire* wire) {
  SluiceItem item = wire->items.front().first;
  wire->items.pop_front();
  if (!wire->items.empty()) {
    PlanArrival(wire);
  }
  wire->to->Receive(item);
}

TypeId SluiceNetDevice::GetTypeId() {
  static TypeId tid =
      TypeId("ns3::SluiceNetDevice")
          .SetParent<NetDevice>()
          .AddConstructor<SluiceNetDevice>()
          .AddAttribute("DataRate", "Of the link.", DataRateValue(DataRate("100Gbps")),
                        MakeDataRateAccessor(&SluiceNetDevice::m_rate), MakeDataRateChecker())
          .AddAttribute(
              "Framing",
              "Bytes of a packet beside its datagram: header, check sequence, preamble, gap.",
              UintegerValue(38), MakeUintegerAccessor(&SluiceNetDevice::m_framing),
              MakeUintegerChecker<uint32_t>(0, 1024))
          .AddAttribute(
              "Address", "Of the device.", Mac48AddressValue(Mac48Address("02:00:00:00:00:00")),
              MakeMac48AddressAccessor(&SluiceNetDevice::m_address), MakeMac48AddressChecker())
          .AddTraceSource("Sent", "A packet went to the wire.",
                          MakeTraceSourceAccessor(&SluiceNetDevice::m_sentTrace),
                          "ns3::Packet::TracedCallback")
          .AddTraceSource("ControlFrame", "A frame of flow control went to the wire.",
                          MakeTraceSourceAccessor(&SluiceNetDevice::m_frameTrace),
                          "ns3::Packet::TracedCallback")
          .AddTraceSource("Received", "A packet was delivered here, with its code point.",
                          MakeTraceSourceAccessor(&SluiceNetDevice::m_receivedTrace),
                          "ns3::SluiceNetDevice::Received")
          .AddTraceSource("Drop", "The machine dropped a packet.",
                          MakeTraceSourceAccessor(&SluiceNetDevice::m_dropTrace),
                          "ns3::Packet::TracedCallback");
  return tid;
}

void SluiceNetDevice::Attach(Ptr<SluiceChannel> channel, Ptr<SluiceNode> owner) {
  m_channel = channel;
  m_owner = owner;
  m_port = owner->AddDevice(this);
  channel->Attach(this);
}

void SluiceNetDevice::DoDispose() {
  m_node = nullptr;
  m_owner = nullptr;
  m_channel = nullptr;
  m_receive.Nullify();
  NetDevice::DoDispose();
}

bool SluiceNetDevice::SetMtu(const uint16_t mtu) {
  m_mtu = mtu;
  return true;
}

bool SluiceNetDevice::IsFree() {
  if (Simulator::Now() >= m_busyUntil) {
    return true;
  }
  if (!m_planned) {
    m_planned = true;
    Plan(m_busyUntil, SluiceEvent::TransmitterFree, [this] { TransmitterFree(); });
  }
  return false;
}

/// Plans an event of this port.
void SluiceNetDevice::Plan(Time at, SluiceEvent::Kind kind, std::function<void()> what) {
  SluiceEvent::Plan(at - Simulator::Now(), kind, m_owner->GetNumber(), m_port, m_node->GetId(),
                    std::move(what));
}

void SluiceNetDevice::TransmitterFree() {
  m_planned = false;
  m_owner->Ready(m_port);
}

void SluiceNetDevice::Transmit(const SluiceItem& item) {
  m_busyUntil = Simulator::Now() + TransmissionTime(item.known.size);
  m_channel->Send(this, item, m_busyUntil);
  if (item.frame) {
    m_frameTrace(item.packet);
  } else {
    m_sentTrace(item.packet);
  }
}

/// Rounded up to a whole picosecond.
Time SluiceNetDevice::TransmissionTime(int32_t bytes) const {
  unsigned __int128 bits = static_cast<unsigned __int128>(bytes) * 8 * 1000000000000ull;
  uint64_t rate = m_rate.GetBitRate();
  return PicoSeconds(static_cast<uint64_t>((bits + rate - 1) / rate));
}

void SluiceNetDevice::Receive(const SluiceItem& item) {
  if (item.frame) {
    m_owner->ReceiveFrame(m_port, item);
  } else if (m_owner->IsHost()) {
    Deliver(item);
  } else {
    m_owner->Forward(m_port, item);
  }
}

/// Hands a packet up, with the mark that it got on its way.
void SluiceNetDevice::Deliver(SluiceItem item) {
  m_owner->Consume(m_port, item);
  Ptr<Packet> packet = item.packet->Copy();
  Ipv4Header ip;
  packet->RemoveHeader(ip);
  ip.SetEcn(static_cast<Ipv4Header::EcnType>(item.known.ecn));
  packet->AddHeader(ip);
  m_receivedTrace(packet, item.known.ecn);
  m_receive(this, packet, item.protocol, m_channel->GetDevice(0)->GetAddress());
}

bool SluiceNetDevice::Send(Ptr<Packet> packet, const Address&, uint16_t protocol) {
  Ipv4Header ip;
  if (protocol != Ipv4L3Protocol::PROT_NUMBER || packet->PeekHeader(ip) == 0) {
    return false;
  }
  SluiceItem item;
  item.packet = packet;
  item.protocol = protocol;
  ip.GetSource().Serialize(item.flow.src);
  ip.GetDestination().Serialize(item.flow.dst);
  item.flow.protocol = ip.GetProtocol();
  if (ip.GetProtocol() == 6 || ip.GetProtocol() == 17) {  // both begin with their ports
    uint8_t start[24];
    packet->CopyData(start, sizeof start);
    item.flow.src_port = static_cast<uint16_t>(start[20] << 8 | start[21]);
    item.flow.dst_port = static_cast<uint16_t>(start[22] << 8 | start[23]);
  }
  sluice_packet& known = item.known;
  known.flow = sluice_flow_hash(&item.flow);
  known.size = packet->GetSize() + m_framing;
  known.ingress = SLUICE_LOCAL;
  known.ecn = static_cast<uint8_t>(ip.GetEcn());
  known.klass =
      ip.GetTos() >> 5;  // the class selector (RFC 2474): tags of priority do not get here
  known.path = m_owner->GetFabric()->GetPath(m_owner->GetNumber(), SLUICE_LOCAL, item.flow);
  m_owner->Enqueue(sluice_path_at(&known.path, 0).port, item);
  return true;
}

bool SluiceNetDevice::SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t) {
  return false;
}

}  // namespace ns3
