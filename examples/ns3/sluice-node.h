#ifndef SLUICE_NODE_H
#define SLUICE_NODE_H

#include "sluice-fabric.h"

#include <deque>
#include <vector>

namespace ns3 {

class SluiceNetDevice;

/// A packet on its way: with what machines know of it, as header fields would have it.
struct SluiceItem {
  Ptr<Packet> packet;
  uint16_t protocol = 0;  ///< EtherType
  bool frame = false;     ///< a control frame
  sluice_packet known{};  ///< of a frame: its size on the wire alone
  sluice_flow flow{};
};

/// The flow control of a switch or of a host's network card: a machine, the FIFOs of its ports, and
/// its timer. It asks the machine what each device sends next, as sluice.h says.
class SluiceNode : public Object {
 public:
  static TypeId GetTypeId();
  ~SluiceNode() override;

  void Setup(Ptr<SluiceFabric> fabric, uint32_t number);
  /// Adds the next port.
  uint16_t AddDevice(Ptr<SluiceNetDevice> device);
  /// Makes the machine, after the fabric was built.
  void Start();

  bool IsHost() const { return m_fabric->IsHost(m_number); }
  uint32_t GetNumber() const { return m_number; }
  Ptr<SluiceFabric> GetFabric() const { return m_fabric; }
  sluice_machine GetMachine() const { return m_machine; }
  Ptr<SluiceNetDevice> GetDevice(uint16_t port) const;

  /// A packet was routed to a port. It is sent as soon as it may.
  void Enqueue(uint16_t port, const SluiceItem& item);
  /// A packet of another node came in by a port: forward it.
  void Forward(uint16_t port, SluiceItem item);
  /// A control frame came in by a port.
  void ReceiveFrame(uint16_t port, const SluiceItem& item);
  /// A packet came in by a port and goes no further.
  void Consume(uint16_t port, SluiceItem& item);
  /// The transmitter of a port is free.
  void Ready(uint16_t port);

  uint64_t GetDrops() const { return m_drops; }
  uint64_t GetFrames() const { return m_frames; }

 private:
  void DoDispose() override;
  std::deque<SluiceItem>& QueueOf(uint16_t port, uint16_t queue);
  void Act(sluice_wake wake);
  void Note(sluice_wake wake);
  void Kick(uint16_t port);
  void Settle();
  bool Transmit(uint16_t port);
  bool TransmitFrame(uint16_t port);
  bool Take(uint16_t port, SluiceItem& item, sluice_verdict& verdict);
  void Drop(uint16_t port, const SluiceItem& item, sluice_verdict verdict);
  void Follow();
  void PlanTimer();
  void Expire(int64_t planned);

  Ptr<SluiceFabric> m_fabric;
  uint32_t m_number = 0;
  sluice_machine m_machine = 0;
  int32_t m_queuesPerPort = 0;
  std::vector<Ptr<SluiceNetDevice>> m_devices;
  std::vector<std::deque<SluiceItem>> m_queues;  ///< by port, then queue
  std::vector<size_t> m_waiting;                 ///< packets, by port
  std::vector<bool> m_woken;                     ///< by port: it is in m_kicks
  std::vector<uint16_t> m_kicks;
  bool m_running = false;
  bool m_moved = false;  ///< the deadline
  int64_t m_timerAt = SLUICE_NEVER;
  uint64_t m_drops = 0;
  uint64_t m_frames = 0;
  sluice_frame m_frame{};
};

}  // namespace ns3

#endif
