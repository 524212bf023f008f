// Hosts, switches and links of htsim whose queues and pauses are decided by the machines of sluice.
//
// A packet of htsim goes along a Route. Here each hop of one is a SluicePort, where htsim has a
// queue, a Pipe, and the SluiceIngress of the node behind it; the last element is the transport's.
// Control frames travel as bytes beside the packets of the Pipe, with its delay.
#ifndef SLUICE_NETWORK_H
#define SLUICE_NETWORK_H

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "route.h"

#include <sluice.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

class SluiceNode;
class SluicePort;

// Where a link comes into a node.
class SluiceIngress : public PacketSink {
 public:
  SluiceIngress(SluiceNode &node, uint16_t number);
  void receivePacket(Packet &pkt) override;
  const std::string &nodename() override { return name_; }

  sluice::fifo<sluice_packet> on_wire;  // of the packets that are on their way here, as in the Pipe

 private:
  SluiceNode &node_;
  uint16_t number_;
  std::string name_;
};

// The control frames on their way to a port.
class SluiceFrameWire : public EventSource {
 public:
  SluiceFrameWire(EventList &events, SluiceNode &node, uint16_t number);
  void send(std::vector<uint8_t> frame, simtime_picosec delay);
  void doNextEvent() override;

 private:
  SluiceNode &node_;
  uint16_t number_;
  sluice::fifo<std::vector<uint8_t>> frames_;
};

// The transmitter of a port, and what a Route has in the place of a queue.
class SluicePort : public EventSource, public PacketSink {
 public:
  SluicePort(EventList &events, SluiceNode &node, uint16_t number, linkspeed_bps rate,
             simtime_picosec delay);
  void receivePacket(Packet &pkt) override;  // for this egress
  void doNextEvent() override;               // the last bit has left
  const std::string &nodename() override { return name_; }

  bool idle() const { return !busy_; }
  void transmit(Packet *pkt, const sluice_packet &p);
  void transmit(sluice::frame f);

  // What arrives at an instant comes before transmitters that get free then, as in the library's
  // simulator; htsim takes events of an instant in the order in which they were planned.
  static bool ordered;

  SluiceNode &node;
  const linkspeed_bps rate;
  SluicePort *peer = nullptr;
  Pipe pipe;  // towards the peer
  SluiceIngress ingress;
  SluiceFrameWire frames;  // towards this port

 private:
  void occupy(size_t bytes);

  uint16_t number_;
  std::string name_;
  bool busy_ = false, last_ = false;
  Packet *packet_ = nullptr;  // what is being sent, if it is no frame
  sluice_packet meta_;
  std::vector<uint8_t> frame_;
};

// A switch, or a host with its card: a machine, its driver, and its timer.
class SluiceNode : public EventSource {
 public:
  using Driver = sluice::driver<Packet *, SluiceNode>;
  SluiceNode(EventList &events, uint32_t number, bool host);
  void doNextEvent() override;  // the machine's deadline

  void enqueue(uint16_t port, const sluice_packet &p, Packet &pkt);
  void arrive(uint16_t port, Packet &pkt, sluice_packet p);
  void receive(uint16_t port, const std::vector<uint8_t> &frame);
  void ready(uint16_t port);

  // What the driver calls.
  bool free(uint16_t port) const { return ports[port]->idle(); }
  void send(uint16_t port, const sluice_packet &p, Packet *pkt);
  void send_frame(uint16_t port, sluice::frame f);
  void drop(uint16_t port, uint8_t why, Packet *pkt);

  const uint32_t number;
  const bool host;
  std::vector<std::unique_ptr<SluicePort>> ports;
  std::unique_ptr<Driver> driver;
  std::vector<PacketSink *> senders;         // of a host: they wait while its card is full
  const sluice_packet *arriving = nullptr;   // that a switch sends on
  uint64_t dropped = 0, control_frames = 0;

 private:
  void plan();
  void throttle();

  sluice_time planned_ = SLUICE_NEVER;
  int64_t held_ = 0;  // bytes in a card
  bool waiting_ = false;
};

// The network. Declare nodes and links, then build.
class SluiceNetwork {
 public:
  explicit SluiceNetwork(EventList &events) : events_(events) {}
  SluiceNode &host();
  SluiceNode &add_switch(int tier);  // 1 at the top of a rack, 2 a spine
  void connect(SluiceNode &a, SluiceNode &b, linkspeed_bps rate, simtime_picosec delay);
  // Protocols and parameters are as in sluice_network_build; payload becomes htsim's.
  void build(const std::string &protocol, const std::string &parameters);

  // A route from one host to another by the five-tuple, with the end behind it; it stays ours.
  Route *route(SluiceNode &from, SluiceNode &to, uint16_t source_port, uint16_t port,
               PacketSink &end);
  // What the machine of the first node is to know of a packet on a route of ours.
  static sluice_packet describe(const Packet &pkt);

  struct Way {
    uint64_t hash;
    sluice_path path;
  };
  Way way(SluiceNode &from, SluiceNode &to, uint16_t source_port, uint16_t port);
  std::vector<SluicePort *> hops(const Way &way) const;

  std::vector<std::unique_ptr<SluiceNode>> nodes;

 private:
  SluiceNode &add(uint32_t number, bool host);

  static std::map<const Route *, Way> ways_;
  static uint8_t ack_class_;
  EventList &events_;
  sluice::network network_;
  std::vector<std::unique_ptr<Route>> routes_;
};

#endif
