#ifndef SLUICE_NET_DEVICE_H
#define SLUICE_NET_DEVICE_H

#include "sluice-node.h"
#include "sluice-scheduler.h"

#include "ns3/traced-callback.h"

#include <deque>

namespace ns3 {

class SluiceNetDevice;

/// A link of two devices: each direction delays, and delivers in order.
class SluiceChannel : public Channel {
 public:
  static TypeId GetTypeId();

  void Attach(Ptr<SluiceNetDevice> device);
  /// What a device sends has left it at an instant.
  void Send(const SluiceNetDevice* from, const SluiceItem& item, Time left);

  Time GetDelay() const { return m_delay; }
  std::size_t GetNDevices() const override { return m_count; }
  Ptr<NetDevice> GetDevice(std::size_t i) const override;

 private:
  struct Wire {
    Ptr<SluiceNetDevice> to;
    std::deque<std::pair<SluiceItem, Time>> items;  ///< with when they arrive
  };
  void PlanArrival(Wire* wire);
  void Arrive(Wire* wire);
  void DoDispose() override;

  Time m_delay;
  std::size_t m_count = 0;
  Wire m_wires[2];  ///< towards each device
};

/// A port of a host or of a switch. Its queues and pauses are in the node's machine.
///
/// Upper layers of a host send IPv4 over it, whatever they are; the five-tuple is the flow, and the
/// class selector, which is the upper three bits of the type of service, the class. A packet takes
/// Framing bytes of wire and buffer beside its datagram.
class SluiceNetDevice : public NetDevice {
 public:
  static TypeId GetTypeId();

  void Attach(Ptr<SluiceChannel> channel, Ptr<SluiceNode> owner);
  DataRate GetDataRate() const { return m_rate; }

  /// Whether the transmitter is free. If it is not, it calls the node as soon as it is.
  bool IsFree();
  void Transmit(const SluiceItem& item);
  void Plan(Time at, SluiceEvent::Kind kind, std::function<void()> what);
  void Receive(const SluiceItem& item);
  void NotifyDrop(Ptr<const Packet> packet) { m_dropTrace(packet); }

  // NetDevice
  bool Send(Ptr<Packet> packet, const Address& to, uint16_t protocol) override;
  bool SendFrom(Ptr<Packet> packet, const Address& from, const Address& to,
                uint16_t protocol) override;
  void SetIfIndex(const uint32_t index) override { m_index = index; }
  uint32_t GetIfIndex() const override { return m_index; }
  Ptr<Channel> GetChannel() const override { return m_channel; }
  void SetAddress(Address address) override { m_address = Mac48Address::ConvertFrom(address); }
  Address GetAddress() const override { return m_address; }
  bool SetMtu(const uint16_t mtu) override;
  uint16_t GetMtu() const override { return m_mtu; }
  bool IsLinkUp() const override { return m_channel != nullptr; }
  void AddLinkChangeCallback(Callback<void>) override {}
  bool IsBroadcast() const override { return false; }
  Address GetBroadcast() const override { return Mac48Address::GetBroadcast(); }
  bool IsMulticast() const override { return false; }
  Address GetMulticast(Ipv4Address group) const override {
    return Mac48Address::GetMulticast(group);
  }
  Address GetMulticast(Ipv6Address group) const override {
    return Mac48Address::GetMulticast(group);
  }
  bool IsPointToPoint() const override { return true; }
  bool IsBridge() const override { return false; }
  Ptr<Node> GetNode() const override { return m_node; }
  void SetNode(Ptr<Node> node) override { m_node = node; }
  bool NeedsArp() const override { return false; }
  void SetReceiveCallback(ReceiveCallback cb) override { m_receive = cb; }
  void SetPromiscReceiveCallback(PromiscReceiveCallback) override {}
  bool SupportsSendFrom() const override { return false; }

 private:
  void DoDispose() override;
  Time TransmissionTime(int32_t bytes) const;
  void TransmitterFree();
  void Deliver(SluiceItem item);

  Ptr<Node> m_node;
  Ptr<SluiceNode> m_owner;
  Ptr<SluiceChannel> m_channel;
  uint16_t m_port = 0;
  uint32_t m_index = 0;
  uint16_t m_mtu = 9000;
  uint32_t m_framing = 0;
  DataRate m_rate;
  Mac48Address m_address;
  Time m_busyUntil;
  bool m_planned = false;
  ReceiveCallback m_receive;
  TracedCallback<Ptr<const Packet>> m_sentTrace;
  TracedCallback<Ptr<const Packet>> m_frameTrace;
  TracedCallback<Ptr<const Packet>, uint8_t> m_receivedTrace;
  TracedCallback<Ptr<const Packet>> m_dropTrace;
};

}  // namespace ns3

#endif
