#include "sluice-network.h"

#include "eth_pause_packet.h"

#include <algorithm>

static sluice_time now() { return static_cast<sluice_time>(EventList::now()); }

SluiceIngress::SluiceIngress(SluiceNode &node, uint16_t number)
    : node_(node), number_(number),
      name_("ingress " + std::to_string(node.number) + ":" + std::to_string(number)) {}

void SluiceIngress::receivePacket(Packet &pkt) {
  node_.arrive(number_, pkt, on_wire.pop_front());  // a Pipe keeps the order
}

SluiceFrameWire::SluiceFrameWire(EventList &events, SluiceNode &node, uint16_t number)
    : EventSource(events, "frames"), node_(node), number_(number) {}

void SluiceFrameWire::send(std::vector<uint8_t> frame, simtime_picosec delay) {
  frames_.push_back(std::move(frame));
  eventlist().sourceIsPendingRel(*this, delay);
}

void SluiceFrameWire::doNextEvent() {
  node_.receive(number_, frames_.pop_front());
}

SluicePort::SluicePort(EventList &events, SluiceNode &owner, uint16_t number,
                       linkspeed_bps bits_per_second, simtime_picosec delay)
    : EventSource(events, "port"), node(owner), rate(bits_per_second), pipe(delay, events),
      ingress(owner, number), frames(events, owner, number), number_(number),
      name_("port " + std::to_string(owner.number) + ":" + std::to_string(number)) {}

bool SluicePort::ordered = false;

void SluicePort::receivePacket(Packet &pkt) {
  node.enqueue(number_, node.arriving ? *node.arriving : SluiceNetwork::describe(pkt), pkt);
}

void SluicePort::occupy(size_t bytes) {
  busy_ = true;
  eventlist().sourceIsPendingRel(*this, bytes * (8'000'000'000'000 / rate));
}

void SluicePort::transmit(Packet *pkt, const sluice_packet &p) {
  packet_ = pkt;
  meta_ = p;
  occupy(static_cast<size_t>(p.size));
}

void SluicePort::transmit(sluice::frame f) {
  frame_.assign(f.data.begin(), f.data.end());
  occupy(f.data.size() + f.overhead);
}

void SluicePort::doNextEvent() {
  if (ordered && !last_) {  // what arrives at this instant comes first
    last_ = true;
    eventlist().sourceIsPendingRel(*this, 0);
    return;
  }
  busy_ = last_ = false;
  if (auto *pkt = std::exchange(packet_, nullptr)) {
    peer->ingress.on_wire.push_back(meta_);
    pkt->sendOn();  // into the Pipe
  } else {
    peer->frames.send(std::move(frame_), pipe.delay());
  }
  node.ready(number_);
}

SluiceNode::SluiceNode(EventList &events, uint32_t n, bool is)
    : EventSource(events, "node " + std::to_string(n)), number(n), host(is) {}

void SluiceNode::doNextEvent() {
  if (now() < planned_) return;  // an earlier deadline overtook this one
  planned_ = SLUICE_NEVER;
  driver->expire(now());
  plan();
}

void SluiceNode::plan() {
  if (auto at = driver->deadline(); at < planned_) {
    planned_ = std::max(at, now());
    eventlist().sourceIsPending(*this, static_cast<simtime_picosec>(planned_));
  }
}

void SluiceNode::enqueue(uint16_t port, const sluice_packet &p, Packet &pkt) {
  held_ += p.size;
  driver->enqueue(now(), port, p, &pkt);
  plan();
  throttle();
}

// A switch sends a packet on to the egress that its route names, a host to the transport, which may
// answer at once.
void SluiceNode::arrive(uint16_t port, Packet &pkt, sluice_packet p) {
  p.ingress = port;
  if (host) {
    driver->consume(now(), port, p);
    plan();
    pkt.sendOn();
    return;
  }
  arriving = &p;
  pkt.sendOn();
  arriving = nullptr;
}

void SluiceNode::receive(uint16_t port, const std::vector<uint8_t> &frame) {
  if (!driver->receive(now(), port, frame)) throw sluice::error(SLUICE_E_FRAME, "no frame");
  plan();
}

void SluiceNode::ready(uint16_t port) {
  driver->ready(now(), port);
  plan();
  throttle();
}

void SluiceNode::send(uint16_t port, const sluice_packet &p, Packet *pkt) {
  held_ -= p.size;
  ports[port]->transmit(pkt, p);
}

void SluiceNode::send_frame(uint16_t port, sluice::frame f) {
  control_frames++;
  ports[port]->transmit(f);
}

void SluiceNode::drop(uint16_t, uint8_t, Packet *pkt) {
  held_ -= pkt->size();
  dropped++;
  pkt->free();
}

// Senders of htsim follow the clock: while the card is full it makes them wait, as htsim's own
// queues of hosts do while they are paused. They wait longer than a packet takes, because a sender
// that may go on before it has noticed the wait plans each packet twice.
void SluiceNode::throttle() {
  if (!host) return;
  const int64_t packet = Packet::data_packet_size();
  if (waiting_ ? held_ > 2 * packet : held_ <= 6 * packet) return;
  waiting_ = !waiting_;
  for (auto *s : senders) s->receivePacket(*EthPausePacket::newpkt(waiting_ ? 1 : 0, number));
}

SluiceNode &SluiceNetwork::add(uint32_t number, bool host) {
  nodes.push_back(std::make_unique<SluiceNode>(events_, number, host));
  return *nodes.back();
}

SluiceNode &SluiceNetwork::host() { return add(network_.host(), true); }

SluiceNode &SluiceNetwork::add_switch(int tier) { return add(network_.add_switch(tier), false); }

void SluiceNetwork::connect(SluiceNode &a, SluiceNode &b, linkspeed_bps rate,
                            simtime_picosec delay) {
  auto [x, y] = network_.connect(a.number, b.number, static_cast<int64_t>(rate),
                                 static_cast<sluice_time>(delay));
  a.ports.push_back(std::make_unique<SluicePort>(events_, a, x, rate, delay));
  b.ports.push_back(std::make_unique<SluicePort>(events_, b, y, rate, delay));
  a.ports[x]->peer = b.ports[y].get();
  b.ports[y]->peer = a.ports[x].get();
}

void SluiceNetwork::build(const std::string &protocol, const std::string &parameters) {
  const sluice_traffic traffic = network_.build(protocol, parameters, 1, 1);
  Packet::set_packet_size(static_cast<int>(traffic.payload));
  ack_class_ = traffic.ack_class < SLUICE_CLASSES ? traffic.ack_class : 0;
  for (auto &n : nodes)
    n->driver = std::make_unique<SluiceNode::Driver>(network_.make_machine(n->number), *n);
}

std::map<const Route *, SluiceNetwork::Way> SluiceNetwork::ways_;
uint8_t SluiceNetwork::ack_class_ = 0;

SluiceNetwork::Way SluiceNetwork::way(SluiceNode &from, SluiceNode &to, uint16_t source_port,
                                      uint16_t port) {
  constexpr uint8_t udp = 17;
  sluice_flow flow;
  sluice::check(sluice_flow_between(from.number, to.number, source_port, port, udp, &flow),
                "sluice_flow_between");
  return {sluice_flow_hash(&flow), network_.path(from.number, SLUICE_LOCAL, flow)};
}

std::vector<SluicePort *> SluiceNetwork::hops(const Way &way) const {
  std::vector<SluicePort *> all;
  for (int i = 0; i < sluice_path_length(&way.path); i++) {
    const sluice_hop hop = sluice_path_at(&way.path, i);
    all.push_back(nodes[hop.node]->ports[hop.port].get());
  }
  return all;
}

Route *SluiceNetwork::route(SluiceNode &from, SluiceNode &to, uint16_t source_port, uint16_t port,
                            PacketSink &end) {
  const Way w = way(from, to, source_port, port);
  routes_.push_back(std::make_unique<Route>());
  auto *r = routes_.back().get();
  for (SluicePort *p : hops(w)) {
    r->push_back(p);
    r->push_back(&p->pipe);
    r->push_back(&p->peer->ingress);
  }
  r->push_back(&end);
  ways_[r] = w;
  return r;
}

sluice_packet SluiceNetwork::describe(const Packet &pkt) {
  const Way &way = ways_.at(pkt.route());
  sluice_packet p{};
  p.flow = way.hash;
  p.path = way.path;
  p.size = pkt.size();
  p.ingress = SLUICE_LOCAL;
  p.klass = pkt.header_only() ? ack_class_ : 0;
  return p;
}
