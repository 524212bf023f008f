#include "own-queues.h"

template <class Queue>
struct Counting : Queue {
  template <class... A>
  explicit Counting(uint64_t &frames, A &&...a) : Queue(std::forward<A>(a)...), frames_(frames) {}
  using Queue::receivePacket;
  void receivePacket(Packet &pkt) override {
    frames_ += pkt.type() == ETH_PAUSE;
    Queue::receivePacket(pkt);
  }

 private:
  uint64_t &frames_;
};

static uint64_t bytes(const std::string &parameters, const std::string &name, uint64_t otherwise) {
  const auto at = parameters.find(name + "=");
  return at == std::string::npos ? otherwise : std::stoull(parameters.substr(at + name.size() + 1));
}

OwnQueues::OwnQueues(EventList &events, SluiceNetwork &network, const std::string &parameters)
    : network_(network) {
  const auto packet = static_cast<uint64_t>(Packet::data_packet_size());
  LosslessInputQueue::_high_threshold = bytes(parameters, "pfc.xoff", 15 * packet);
  LosslessInputQueue::_low_threshold = bytes(parameters, "pfc.xon", 12 * packet);
  constexpr mem_b much = 1 << 30;
  using Card = Counting<FairPriorityQueue>;
  using Egress = Counting<LosslessOutputQueue>;
  for (size_t i = 0; i < network.nodes.size(); i++)
    switches_.push_back(std::make_unique<Switch>(events));
  for (auto &n : network.nodes)
    for (auto &p : n->ports) {
      Link &l = links_[p.get()];
      if (n->host)
        l.queue = std::make_unique<Card>(frames, p->rate, much, events, nullptr);
      else
        l.queue = std::make_unique<Egress>(frames, p->rate, much, events, nullptr);
      if (const SluiceNode &behind = p->peer->node; !behind.host)
        l.input = std::make_unique<LosslessInputQueue>(
            events, l.queue.get(), switches_[behind.number].get(), p->pipe.delay());
    }
}

Route *OwnQueues::route(SluiceNode &from, SluiceNode &to, uint16_t source_port, uint16_t port,
                        PacketSink &end) {
  routes_.push_back(std::make_unique<Route>());
  Route *r = routes_.back().get();
  for (SluicePort *p : network_.hops(network_.way(from, to, source_port, port))) {
    const Link &l = links_.at(p);
    r->push_back(l.queue.get());
    r->push_back(&p->pipe);
    if (l.input) r->push_back(l.input.get());
  }
  r->push_back(&end);
  return r;
}

void OwnQueues::add_sender(SluiceNode &host, PacketSink &sender) {
  static_cast<HostQueue &>(*links_.at(host.ports[0].get()).queue).addHostSender(&sender);
}
