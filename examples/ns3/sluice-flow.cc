#include "sluice-flow.h"

namespace ns3 {

NS_OBJECT_ENSURE_REGISTERED(SluiceFlowTag);
NS_OBJECT_ENSURE_REGISTERED(SluiceFlowSink);
NS_OBJECT_ENSURE_REGISTERED(SluiceFlow);

namespace {
const uint32_t IP_AND_UDP = 28;
}  // namespace

TypeId SluiceFlowTag::GetTypeId() {
  static TypeId tid = TypeId("ns3::SluiceFlowTag").SetParent<Tag>().AddConstructor<SluiceFlowTag>();
  return tid;
}

void SluiceFlowTag::Serialize(TagBuffer to) const {
  to.WriteU32(flow);
  to.WriteU32(sequence);
  to.WriteU32(packets);
  to.WriteU8(answer);
  to.WriteU8(klass);
}

void SluiceFlowTag::Deserialize(TagBuffer from) {
  flow = from.ReadU32();
  sequence = from.ReadU32();
  packets = from.ReadU32();
  answer = from.ReadU8();
  klass = from.ReadU8();
}

void SluiceFlowTag::Print(std::ostream& os) const {
  os << "flow " << flow << " packet " << sequence;
}

TypeId SluiceFlowSink::GetTypeId() {
  static TypeId tid = TypeId("ns3::SluiceFlowSink")
                          .SetParent<Application>()
                          .AddConstructor<SluiceFlowSink>()
                          .AddTraceSource("Completed", "The last byte of a flow came.",
                                          MakeTraceSourceAccessor(&SluiceFlowSink::m_completed),
                                          "ns3::SluiceFlowSink::Completed");
  return tid;
}

void SluiceFlowSink::StartApplication() {
  m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
  m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
  m_socket->SetRecvCallback(MakeCallback(&SluiceFlowSink::Read, this));
}

void SluiceFlowSink::StopApplication() { m_socket->Close(); }

void SluiceFlowSink::Read(Ptr<Socket> socket) {
  Address from;
  while (Ptr<Packet> packet = socket->RecvFrom(from)) {
    SluiceFlowTag tag;
    packet->PeekPacketTag(tag);
    uint32_t& expected = m_expected[tag.flow];
    bool last = false;
    if (tag.sequence == expected) {
      last = ++expected == tag.packets;
    }
    Ptr<Packet> answer =
        Create<Packet>(static_cast<uint32_t>(m_traffic.ack_size - m_traffic.header));
    tag.answer = 1;
    tag.sequence = expected;
    answer->AddPacketTag(tag);
    InetSocketAddress back = InetSocketAddress::ConvertFrom(from);
    back.SetTos((m_traffic.ack_class < SLUICE_CLASSES ? m_traffic.ack_class : tag.klass) << 5);
    m_socket->SendTo(answer, 0, back);
    if (last) {
      m_completed(tag.flow);
    }
  }
}

TypeId SluiceFlow::GetTypeId() {
  static TypeId tid =
      TypeId("ns3::SluiceFlow")
          .SetParent<Application>()
          .AddConstructor<SluiceFlow>()
          .AddAttribute("Class", "Of its packets.", UintegerValue(0),
                        MakeUintegerAccessor(&SluiceFlow::m_class),
                        MakeUintegerChecker<uint8_t>(0, 7))
          .AddAttribute("Port", "That it sends from; 0: 1024 and its number.", UintegerValue(0),
                        MakeUintegerAccessor(&SluiceFlow::m_port), MakeUintegerChecker<uint16_t>());
  return tid;
}

void SluiceFlow::Setup(Ptr<SluiceFabric> fabric, Ptr<Node> to, uint32_t flow, uint64_t bytes) {
  m_fabric = fabric;
  m_to = fabric->GetAddress(to);
  m_flow = flow;
  m_bytes = bytes;
  uint64_t payload = static_cast<uint64_t>(fabric->GetTraffic().payload);
  m_packets = static_cast<uint32_t>((bytes + payload - 1) / payload);
  NS_ABORT_MSG_IF(fabric->GetTraffic().header < IP_AND_UDP,
                  "the header of packets is below IP's and UDP's");
}

void SluiceFlow::StartApplication() {
  m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
  m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port ? m_port : 1024 + m_flow));
  m_socket->SetRecvCallback(MakeCallback(&SluiceFlow::Read, this));
  Card()->TraceConnectWithoutContext("Sent", MakeCallback(&SluiceFlow::Sent, this));
  Refill();
}

void SluiceFlow::StopApplication() {
  if (m_socket) {
    Card()->TraceDisconnectWithoutContext("Sent", MakeCallback(&SluiceFlow::Sent, this));
    m_socket->Close();
    m_socket = nullptr;
  }
}

Ptr<SluiceNetDevice> SluiceFlow::Card() const {
  return GetNode()->GetObject<SluiceNode>()->GetDevice(0);
}

/// Gives the network card the next packet, if it has none of this flow and the window is open.
void SluiceFlow::Refill() {
  const sluice_traffic& traffic = m_fabric->GetTraffic();
  int64_t unacknowledged = static_cast<int64_t>(m_next - m_acknowledged) * traffic.payload;
  if (m_inCard || m_next == m_packets || unacknowledged >= traffic.window) {
    return;
  }
  uint64_t payload = static_cast<uint64_t>(traffic.payload);
  uint64_t size = m_next + 1 < m_packets ? payload : m_bytes - payload * (m_packets - 1);
  Ptr<Packet> packet = Create<Packet>(static_cast<uint32_t>(size));
  SluiceFlowTag tag;
  tag.flow = m_flow;
  tag.sequence = m_next++;
  tag.packets = m_packets;
  tag.klass = m_class;
  packet->AddPacketTag(tag);
  m_inCard = true;
  InetSocketAddress to(m_to, SluiceFlowSink::PORT);
  to.SetTos(m_class << 5 | traffic.ecn);
  int sent = m_socket->SendTo(packet, 0, to);
  NS_ABORT_MSG_IF(sent < 0,
                  "a packet cannot be sent to " << m_to << ": error " << m_socket->GetErrno());
}

/// The card sent a packet, of this flow or another.
void SluiceFlow::Sent(Ptr<const Packet> packet) {
  SluiceFlowTag tag;
  if (packet->PeekPacketTag(tag) && tag.flow == m_flow && !tag.answer) {
    m_inCard = false;
    Refill();
  }
}

void SluiceFlow::Read(Ptr<Socket> socket) {
  while (Ptr<Packet> packet = socket->Recv()) {
    SluiceFlowTag tag;
    packet->PeekPacketTag(tag);
    m_acknowledged = std::max(m_acknowledged, tag.sequence);
  }
  if (m_acknowledged == m_packets) {
    StopApplication();
  } else {
    Refill();
  }
}

ApplicationContainer SluiceFlowHelper::Install(Ptr<Node> from, Ptr<Node> to, uint64_t bytes,
                                               Time start) {
  Ptr<SluiceFlowSink>& sink = m_sinks[to];
  if (!sink) {
    sink = CreateObject<SluiceFlowSink>();
    sink->SetTraffic(m_fabric->GetTraffic());
    sink->TraceConnectWithoutContext("Completed", MakeCallback(&SluiceFlowHelper::Completed, this));
    to->AddApplication(sink);
  }
  Ptr<SluiceFlow> flow = CreateObject<SluiceFlow>();
  flow->Setup(m_fabric, to, GetN(), bytes);
  flow->SetStartTime(start);
  from->AddApplication(flow);
  m_starts.push_back(start);
  return ApplicationContainer(flow);
}

void SluiceFlowHelper::Completed(uint32_t flow) {
  m_ends[flow] = Simulator::Now();
  if (m_ends.size() == m_starts.size()) {
    Simulator::Stop();
  }
}

Time SluiceFlowHelper::GetCompletionTime(uint32_t flow) const {
  auto end = m_ends.find(flow);
  return end == m_ends.end() ? PicoSeconds(-1) : end->second - m_starts[flow];
}

}  // namespace ns3
