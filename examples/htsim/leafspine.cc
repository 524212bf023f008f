// RoCE flows of htsim over a leaf-spine network under a flow control of sluice:
//
//   leafspine PROTOCOL [permutation|incast] [BYTES] [PARAMETERS]
//
// 32 hosts in 4 racks, 100 Gb/s, 2 spines at 400 Gb/s, 600 ns. In the incast all other racks send
// to hosts 0 and 1, and as much again to the rest of their rack, the victims. It prints when each
// flow was delivered, and what was lost; the status is 1 if a flow was not.
#include "sluice-network.h"

#include "roce.h"

#include <iostream>

enum { RACKS = 4, SPINES = 2, PER_RACK = 8, HOSTS = RACKS * PER_RACK };

// Stands before a flow's sink, and sees when that has everything.
class Finish : public PacketSink {
 public:
  Finish(RoceSink &sink, uint64_t bytes) : sink_(sink), bytes_(bytes) {}
  void receivePacket(Packet &pkt) override {
    pkt.sendOn();
    if (at == 0 && sink_.total_received() >= bytes_) {
      at = EventList::now();
      left--;
    }
  }
  const std::string &nodename() override { return sink_.nodename(); }

  simtime_picosec at = 0;
  static size_t left;

 private:
  RoceSink &sink_;
  uint64_t bytes_;
};
size_t Finish::left = 0;

struct Flow {
  int from, to;
  std::unique_ptr<RoceSrc> source;
  std::unique_ptr<RoceSink> sink;
  std::unique_ptr<Finish> finish;
};

int main(int count, char **arguments) try {
  const std::string protocol = count > 1 ? arguments[1] : "pfc";
  const bool incast = count > 2 && arguments[2] == std::string("incast");
  const uint64_t bytes = count > 3 ? std::stoull(arguments[3]) : 1'000'000;
  const linkspeed_bps line = 100'000'000'000;
  const simtime_picosec delay = 600'000;
  Packet::set_packet_size(1000);
  EventList &events = EventList::getTheEventList();
  SluiceNetwork network(events);
  std::vector<SluiceNode *> hosts, tors;
  for (int i = 0; i < HOSTS; i++) hosts.push_back(&network.host());
  for (int i = 0; i < RACKS; i++) tors.push_back(&network.add_switch(1));
  for (int i = 0; i < HOSTS; i++) network.connect(*hosts[i], *tors[i / PER_RACK], line, delay);
  for (int i = 0; i < SPINES; i++) {
    SluiceNode &spine = network.add_switch(2);
    for (auto *tor : tors) network.connect(*tor, spine, 4 * line, delay);
  }
  network.build(protocol, count > 4 ? arguments[4] : "");

  std::vector<Flow> flows;
  for (int i = 0; i < HOSTS; i++) {
    if (!incast) {
      flows.push_back({i, (i * 5 + 11) % HOSTS, {}, {}, {}});
    } else if (i >= PER_RACK) {
      flows.push_back({i, i % 2, {}, {}, {}});
      flows.push_back({i, 2 + i % 6, {}, {}, {}});
    }
  }
  Finish::left = flows.size();
  for (size_t i = 0; i < flows.size(); i++) {
    Flow &f = flows[i];
    SluiceNode &from = *hosts[f.from], &to = *hosts[f.to];
    f.source = std::make_unique<RoceSrc>(nullptr, nullptr, events, line);
    f.sink = std::make_unique<RoceSink>();
    f.finish = std::make_unique<Finish>(*f.sink, bytes);
    f.source->setName("flow " + std::to_string(i));
    f.source->set_flowsize(bytes);
    const auto port = static_cast<uint16_t>(10'000 + i);
    Route *out = network.route(from, to, port, 100, *f.finish);
    out->push_back(f.sink.get());
    Route *back = network.route(to, from, 100, port, *f.source);
    from.senders.push_back(f.source.get());
    f.source->connect(out, back, *f.sink, 0);
  }
  while (Finish::left > 0 && events.doNextEvent()) {
  }

  uint64_t dropped = 0, frames = 0;
  for (auto &n : network.nodes) {
    dropped += n->dropped;
    frames += n->control_frames;
    n->driver->get().audit();
  }
  for (auto &f : flows)
    std::cout << "delivered " << f.from << " " << f.to << " " << f.finish->at << "\n";
  std::cout << protocol << ": lost " << dropped << " frames " << frames << " unfinished "
            << Finish::left << "\n";
  return Finish::left > 0;
} catch (const std::exception &e) {
  std::cerr << e.what() << "\n";
  return 1;
}
