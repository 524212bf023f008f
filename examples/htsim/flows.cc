// RoCE flows of htsim over a network under a flow control of sluice, or under htsim's own queues:
//
//   flows PROTOCOL|own NETWORK FLOWS [PARAMETERS [ordered]]
//
// NETWORK and FLOWS are files as HPCC's simulator has them (docs/files.md), payload, header=64 and
// ack.size=64 are htsim's. Of own, pfc.xoff and pfc.xon are read. It prints how many picoseconds
// each flow took, and what it cost; the status is 1 if a flow was not delivered.
#include "own-queues.h"
#include "sluice-network.h"
#include "timed.hpp"

#include "roce.h"

#include <sys/resource.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>

// Starts a flow; stands before its sink, and sees when that has everything.
class Transfer : public EventSource, public PacketSink {
 public:
  Transfer(EventList &events, linkspeed_bps rate, uint32_t source, uint32_t destination,
           uint64_t bytes, const std::string &name)
      : EventSource(events, name), from(source), to(destination),
        rounded(bytes + (payload() - bytes % payload()) % payload()),
        src(nullptr, nullptr, events, rate) {
    src.setName(name);
    src.set_flowsize(bytes);
    left++;
  }
  void connect(Route *out, Route *back, simtime_picosec start) {
    hops = out->hop_count() + back->hop_count();
    out->push_back(&sink);
    src.connect(out, back, sink, TRIGGER_START);
    began = start;
    eventlist().sourceIsPending(*this, start);
  }
  void doNextEvent() override { src.startflow(); }
  void receivePacket(Packet &pkt) override {
    pkt.sendOn();
    if (took != 0 || sink.total_received() < rounded) return;
    took = EventList::now() - began;
    left--;
  }
  const std::string &nodename() override { return sink.nodename(); }

  static uint64_t payload() { return static_cast<uint64_t>(Packet::data_packet_size()); }
  uint32_t from, to, hops = 0;
  uint64_t rounded;  // htsim's packets are all full
  simtime_picosec began = 0, took = 0;
  RoceSrc src;
  RoceSink sink;
  static size_t left;
};
size_t Transfer::left = 0;

static uint64_t with_unit(const std::string &text) {
  size_t end;
  const long double value = std::stold(text, &end);
  static const std::map<std::string, long double> units = {
      {"", 1e12L}, {"Gbps", 1e9L}, {"ns", 1e3L}, {"us", 1e6L}};  // bits per second, picoseconds
  return static_cast<uint64_t>(std::llround(value * units.at(text.substr(end))));
}

static void declare(SluiceNetwork &network, std::ifstream in) {
  size_t nodes, switches, links;
  in >> nodes >> switches >> links;
  struct link { uint32_t a, b; uint64_t rate, delay; };
  std::vector<int> tier(nodes, 0);
  for (size_t i = 0, which; i < switches && in >> which; i++) tier.at(which) = 127;
  std::vector<link> all;
  for (size_t i = 0; i < links; i++) {
    link l;
    std::string rate, delay, errors;
    in >> l.a >> l.b >> rate >> delay >> errors;
    l.rate = with_unit(rate), l.delay = with_unit(delay);
    all.push_back(l);
  }
  if (!in) throw std::runtime_error("the file has no network");
  for (int round = 0; round < 3; round++)  // a tier further from the hosts each
    for (auto &l : all) {
      tier.at(l.a) = std::min(tier.at(l.a), tier.at(l.b) + 1);
      tier[l.b] = std::min(tier[l.b], tier[l.a] + 1);
    }
  for (int t : tier) t == 0 ? network.host() : network.add_switch(t);
  for (auto &l : all) network.connect(*network.nodes[l.a], *network.nodes[l.b], l.rate, l.delay);
}

using Transfers = std::vector<std::unique_ptr<Transfer>>;

static Transfers begin(SluiceNetwork &network, OwnQueues *own, EventList &events,
                       std::ifstream in) {
  Transfers all;
  std::map<std::pair<uint32_t, uint32_t>, uint16_t> used;
  size_t count;
  std::string line;
  std::getline(in, line);
  count = std::stoull(line);
  while (all.size() < count && std::getline(in, line)) {
    std::istringstream fields(line);
    uint32_t from, to;
    uint16_t klass, port;
    uint64_t bytes;
    std::string start;
    fields >> from >> to >> klass >> port >> bytes >> start;
    if (!fields) throw std::runtime_error("no flow: " + line);
    SluiceNode &source = *network.nodes.at(from), &sink = *network.nodes.at(to);
    auto name = "flow " + std::to_string(all.size());
    all.push_back(std::make_unique<Transfer>(events, source.ports[0]->rate, from, to, bytes, name));
    Transfer &t = *all.back();
    const auto source_port = static_cast<uint16_t>(10'000 + used[{from, to}]++);
    auto route = [&](SluiceNode &a, SluiceNode &b, uint16_t x, uint16_t y, PacketSink &end) {
      return own ? own->route(a, b, x, y, end) : network.route(a, b, x, y, end);
    };
    Route *out = route(source, sink, source_port, port, t);
    Route *back = route(sink, source, port, source_port, t.src);
    own ? own->add_sender(source, t.src) : source.senders.push_back(&t.src);
    t.connect(out, back, with_unit(start));
  }
  if (all.size() < count) throw std::runtime_error("the list of flows is cut off");
  return all;
}

static int report(const std::string &protocol, SluiceNetwork &network, OwnQueues *own,
                  const Transfers &transfers, double seconds) {
  uint64_t lost = 0, frames = own ? own->frames : 0, sent = 0, repaired = 0;
  for (auto &n : network.nodes) {
    lost += n->dropped, frames += n->control_frames;
    n->driver->get().audit();
  }
  for (auto &t : transfers) {
    std::cout << "fct " << t->from << " " << t->to << " " << t->took << "\n";
    sent += t->rounded / Transfer::payload() * t->hops, repaired += t->src._nacks_received;
  }
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  std::cout << protocol << ": lost " << lost << " repaired " << repaired << " frames " << frames
            << " unfinished " << Transfer::left << " transmissions " << sent << " seconds "
            << seconds << " MB " << used.ru_maxrss / 1024 << "\n";
  return Transfer::left > 0;
}

int main(int count, char **arguments) try {
  if (count < 4)
    throw std::runtime_error("usage: flows PROTOCOL|own NETWORK FLOWS [PARAMETERS [ordered]]");
  const std::string protocol = arguments[1], set = count > 4 ? arguments[4] : "";
  SluicePort::ordered = count > 5;
  EventList &events = EventList::getTheEventList();
  SluiceNetwork network(events);
  declare(network, std::ifstream(arguments[2]));
  network.build(protocol == "own" ? "pfc" : protocol, set);
  std::unique_ptr<OwnQueues> own;
  if (protocol == "own") own = std::make_unique<OwnQueues>(events, network, set);
  const Transfers transfers = begin(network, own.get(), events, std::ifstream(arguments[3]));
  const auto began = std::clock();
  timed::run([&] {
    while (Transfer::left > 0 && events.doNextEvent()) {
    }
  });
  const auto seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return report(protocol, network, own.get(), transfers, seconds);
} catch (const std::exception &e) {
  std::cerr << e.what() << "\n";
  return 1;
}
