#include "sluice-node.h"

#include "sluice-net-device.h"

namespace ns3 {

NS_LOG_COMPONENT_DEFINE("SluiceNode");
NS_OBJECT_ENSURE_REGISTERED(SluiceNode);

namespace {
int64_t Clock() { return Simulator::Now().GetPicoSeconds(); }
}  // namespace

TypeId SluiceNode::GetTypeId() {
  static TypeId tid = TypeId("ns3::SluiceNode").SetParent<Object>().AddConstructor<SluiceNode>();
  return tid;
}

SluiceNode::~SluiceNode() { sluice_machine_free(m_machine); }

void SluiceNode::DoDispose() {
  m_fabric = nullptr;
  m_devices.clear();
  m_queues.clear();
  Object::DoDispose();
}

void SluiceNode::Setup(Ptr<SluiceFabric> fabric, uint32_t number) {
  m_fabric = fabric;
  m_number = number;
}

uint16_t SluiceNode::AddDevice(Ptr<SluiceNetDevice> device) {
  m_devices.push_back(device);
  return static_cast<uint16_t>(m_devices.size() - 1);
}

Ptr<SluiceNetDevice> SluiceNode::GetDevice(uint16_t port) const { return m_devices.at(port); }

void SluiceNode::Start() {
  m_machine = m_fabric->MakeMachine(m_number);
  m_queuesPerPort = sluice_queues(m_machine);
  m_queues.resize(m_devices.size() * static_cast<size_t>(m_queuesPerPort));
  m_waiting.resize(m_devices.size());
  m_woken.resize(m_devices.size());
  PlanTimer();
}

void SluiceNode::Enqueue(uint16_t port, const SluiceItem& offered) {
  SluiceItem item = offered;
  sluice_verdict verdict = sluice_enqueue(m_machine, Clock(), port, &item.known);
  NS_ABORT_MSG_IF(verdict == SLUICE_REFUSED, "sluice: a packet was refused at node " << m_number);
  if (sluice_action(verdict) == SLUICE_APPEND) {
    QueueOf(port, sluice_queue(verdict)).push_back(item);
    m_waiting[port]++;
  } else {
    Drop(port, item, verdict);
  }
  Kick(port);
  Act(sluice_verdict_wake(verdict));
}

void SluiceNode::Forward(uint16_t port, SluiceItem item) {
  sluice_path& path = item.known.path;
  if (sluice_path_length(&path) == 0) {  // it was cut off at its greatest length: it goes on from here
    path = m_fabric->GetPath(m_number, port, item.flow);
  }
  item.known.ingress = port;
  Enqueue(sluice_path_at(&path, 0).port, item);
}

void SluiceNode::ReceiveFrame(uint16_t port, const SluiceItem& item) {
  uint8_t bytes[SLUICE_MAX_FRAME];
  uint32_t length = item.packet->CopyData(bytes, sizeof bytes);
  sluice_wake wake = 0;
  int32_t status = sluice_receive(m_machine, Clock(), port, bytes, length, &wake);
  NS_ABORT_MSG_IF(status < 0, "sluice: node " << m_number << " refused a frame: error " << status);
  Act(wake);
}

void SluiceNode::Consume(uint16_t port, SluiceItem& item) {
  sluice_wake wake = 0;
  sluice_consume(m_machine, Clock(), port, &item.known, &wake);
  Act(wake);
}

void SluiceNode::Ready(uint16_t port) {
  Kick(port);
  Act(0);
}

std::deque<SluiceItem>& SluiceNode::QueueOf(uint16_t port, uint16_t queue) {
  return m_queues[port * static_cast<size_t>(m_queuesPerPort) + queue];
}

/// Does what a hook's word asks for.
void SluiceNode::Act(sluice_wake wake) {
  Note(wake);
  Settle();
  Follow();
}

void SluiceNode::Note(sluice_wake wake) {
  if (wake & SLUICE_WAKE_ONE) {
    Kick(sluice_wake_port(wake));
  }
  if (wake & SLUICE_WAKE_SEVERAL) {
    for (int32_t port; (port = sluice_poll_port(m_machine)) >= 0;) {
      Kick(static_cast<uint16_t>(port));
    }
  }
  m_moved = m_moved || (wake & SLUICE_WAKE_DEADLINE);
}

/// A port may have something to send.
void SluiceNode::Kick(uint16_t port) {
  if (!m_woken[port]) {
    m_woken[port] = true;
    m_kicks.push_back(port);
  }
}

/// Lets every port send that may have something to send. A call from within leaves the work to the
/// call that is under way.
void SluiceNode::Settle() {
  if (m_running) {
    return;
  }
  m_running = true;
  while (!m_kicks.empty()) {
    uint16_t port = m_kicks.back();
    m_kicks.pop_back();
    m_woken[port] = false;
    while (m_devices[port]->IsFree() && Transmit(port)) {
    }
  }
  m_running = false;
}

/// Sends the next frame, or the next packet, of a port whose transmitter is free, and says whether
/// there may be more.
bool SluiceNode::Transmit(uint16_t port) {
  if (TransmitFrame(port)) {
    return true;
  }
  while (m_waiting[port] > 0) {
    SluiceItem item;
    sluice_verdict verdict;
    if (!Take(port, item, verdict)) {
      return false;
    }
    if (sluice_action(verdict) == SLUICE_TRANSMIT) {
      m_devices[port]->Transmit(item);
      return m_waiting[port] > 0;
    }
    if (sluice_action(verdict) == SLUICE_DROP) {
      Drop(port, item, verdict);
    }
    if (TransmitFrame(port)) {
      return true;
    }
  }
  return false;
}

bool SluiceNode::TransmitFrame(uint16_t port) {
  int32_t status = sluice_poll_frame(m_machine, Clock(), port, &m_frame);
  NS_ABORT_MSG_IF(status < 0, "sluice: error " << status << " of a port of node " << m_number);
  if (status == 0) {
    return false;
  }
  SluiceItem item;
  item.frame = true;
  item.packet = Create<Packet>(m_frame.bytes, m_frame.length);
  item.known.size = m_frame.length + m_frame.overhead;
  m_frames++;
  m_devices[port]->Transmit(item);
  return true;
}

/// Takes the head of the queue that the machine names out of it, and puts it into another if the
/// machine says so.
bool SluiceNode::Take(uint16_t port, SluiceItem& item, sluice_verdict& verdict) {
  int32_t next = sluice_next(m_machine, Clock(), port);
  if (next < 0) {
    return false;
  }
  uint16_t queue = static_cast<uint16_t>(next);
  std::deque<SluiceItem>& fifo = QueueOf(port, queue);
  NS_ABORT_MSG_IF(fifo.empty(),
                  "sluice: queue " << queue << " of node " << m_number << " is empty");
  item = fifo.front();
  fifo.pop_front();
  verdict = sluice_dequeue(m_machine, Clock(), port, queue, &item.known);
  if (sluice_action(verdict) == SLUICE_APPEND) {
    QueueOf(port, sluice_queue(verdict)).push_back(item);
  } else {
    m_waiting[port]--;
  }
  if (sluice_action(verdict) == SLUICE_TRANSMIT) {
    sluice_packet& known = item.known;
    known.ecn = sluice_mark(verdict);
    known.klass = sluice_class(verdict, known.klass);
    known.upstream_queue = queue;
    known.stamped = 1;
    sluice_path_advance(&known.path);
  }
  Note(sluice_verdict_wake(verdict));
  return true;
}

void SluiceNode::Drop(uint16_t port, const SluiceItem& item, sluice_verdict verdict) {
  char why[64];
  sluice_reason(sluice_why(verdict), why, sizeof why);
  NS_LOG_INFO("node " << m_number << " port " << port << " drops a packet: " << why);
  m_drops++;
  m_devices[port]->NotifyDrop(item.packet);
}

/// Does what is left to do after a hook: its deadline goes among the events.
void SluiceNode::Follow() {
  if (m_moved) {
    m_moved = false;
    PlanTimer();
  }
}

/// Makes sure that the machine's deadline is among the events.
void SluiceNode::PlanTimer() {
  int64_t at = sluice_deadline(m_machine);
  if (at < m_timerAt) {
    m_timerAt = at;
    SluiceEvent::Plan(PicoSeconds(std::max(at, Clock()) - Clock()), SluiceEvent::Deadline, m_number,
                      0, Simulator::GetContext(), [this, at] { Expire(at); });
  }
}

void SluiceNode::Expire(int64_t planned) {
  if (planned < m_timerAt) {
    return;  // an earlier one overtook it
  }
  m_timerAt = SLUICE_NEVER;
  sluice_wake wake = 0;
  sluice_expire(m_machine, Clock(), &wake);
  Act(wake);
  PlanTimer();
}

}  // namespace ns3
