// A simulator of events over sluice.hpp: hosts with a window per flow, switches, links. It reads a
// network and a flow list in the files of HPCC's simulator (docs/files.md), runs them under a flow
// control, and prints of each flow how many picoseconds it took; on standard error, what was lost,
// and with -DTIMED how many calls of sluice.h there were and which share of the time they took.
//
//   leafspine PROTOCOL PARAMETERS NETWORK FLOWS
//
// Events of an instant have the order of the library's own simulator: what arrives, by port;
// transmitters that are free, by port; flows that begin; timers, by node.
#include "timed.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <tuple>

enum kind : uint32_t { ARRIVAL, SENT, START, TIMER };
using event = std::tuple<sluice_time, kind, uint32_t>;  // the last: a port, a flow or a node
static std::priority_queue<event, std::vector<event>, std::greater<event>> agenda;
static sluice_time now;
static sluice_traffic traffic;
static uint64_t lost, hops, frames, arrived;

struct cargo {
  uint32_t flow;
  int32_t sequence;  // of data; of an answer, the packet that is expected next
  bool answer;
};

struct item {  // on a wire
  sluice_time arrives;
  sluice_packet packet;
  cargo yours;
  std::vector<uint8_t> frame;  // if it is one
};

struct node;
struct port {
  uint32_t number, peer;  // of all ports
  node *owner;
  uint16_t at;
  sluice_time delay, per_byte, busy_until = 0;
  bool planned = false;
  std::deque<item> wire;  // towards this port
};
static std::vector<std::unique_ptr<port>> ports;

struct flow {
  uint32_t source, sink;
  uint8_t klass;
  uint16_t destination_port;
  int64_t bytes;
  sluice_time start, end = -1;
  uint64_t hash[2];
  sluice_path path[2];
  int32_t packets = 0, sent = 0, acknowledged = 0, expected = 0;
  bool in_card = false;
};
static std::vector<flow> flows;

struct node {
  using driver = sluice::driver<cargo, node>;
  uint32_t number;
  bool host;
  std::vector<port *> own;
  std::unique_ptr<driver> drive;
  sluice_time planned = SLUICE_NEVER;  // the earliest TIMER in the agenda

  // What the driver calls.
  bool free(uint16_t at) {
    port &p = *own[at];
    if (now >= p.busy_until) return true;
    if (!p.planned) agenda.emplace(p.busy_until, SENT, p.number);
    p.planned = true;
    return false;
  }
  void send(uint16_t at, const sluice_packet &p, cargo c) {
    launch(at, p.size, {0, p, c, {}});
    if (host && !c.answer) {
      flows[c.flow].in_card = false;
      refill(c.flow);
    }
  }
  void send_frame(uint16_t at, sluice::frame f) {
    frames++;
    launch(at, static_cast<int32_t>(f.data.size()) + f.overhead,
           {0, {}, {}, {f.data.begin(), f.data.end()}});
  }
  void drop(uint16_t, uint8_t, cargo) { lost++; }

  void launch(uint16_t at, int64_t size, item i) {
    port &p = *own[at], &to = *ports[p.peer];
    hops++;
    p.busy_until = now + size * p.per_byte;
    i.arrives = p.busy_until + p.delay;
    if (to.wire.empty()) agenda.emplace(i.arrives, ARRIVAL, p.peer);
    to.wire.push_back(std::move(i));
  }

  // What a host does for its flows.
  void refill(uint32_t number) {
    flow &f = flows[number];
    if (f.in_card || f.sent == f.packets ||
        (f.sent - f.acknowledged) * traffic.payload >= traffic.window)
      return;
    auto payload = std::min(traffic.payload, f.bytes - f.sent * traffic.payload);
    f.in_card = true;
    give(number, 0, payload + traffic.header, f.klass, traffic.ecn, f.sent++);
  }
  void give(uint32_t number, int back, int64_t size, uint8_t klass, uint8_t ecn, int32_t sequence) {
    flow &f = flows[number];
    sluice_packet p{};
    p.flow = f.hash[back], p.path = f.path[back], p.size = size;
    p.ingress = SLUICE_LOCAL, p.klass = klass, p.ecn = ecn;
    drive->enqueue(now, 0, p, {number, sequence, back == 1});
  }
  void deliver(uint16_t at, const item &i) {
    flow &f = flows[i.yours.flow];
    drive->consume(now, at, i.packet);
    if (i.yours.answer) {
      f.acknowledged = std::max(f.acknowledged, i.yours.sequence);
      return refill(i.yours.flow);
    }
    if (i.yours.sequence == f.expected) f.expected++;
    give(i.yours.flow, 1, traffic.ack_size,
         traffic.ack_class < SLUICE_CLASSES ? traffic.ack_class : f.klass, 0, f.expected);
    if (f.expected == f.packets && f.end < 0) f.end = now, arrived++;
  }

  // Events.
  void arrive(port &p) {
    item i = std::move(p.wire.front());
    p.wire.pop_front();
    if (!p.wire.empty()) agenda.emplace(p.wire.front().arrives, ARRIVAL, p.number);
    if (!i.frame.empty()) {
      if (!drive->receive(now, p.at, i.frame)) throw sluice::error(SLUICE_E_FRAME, "no frame");
    } else if (host) {
      deliver(p.at, i);
    } else {
      i.packet.ingress = p.at;
      drive->enqueue(now, sluice_path_at(&i.packet.path, 0).port, i.packet, i.yours);
    }
  }
  void plan() {
    if (auto at = drive->deadline(); at < planned) {
      planned = at;
      agenda.emplace(std::max(at, now), TIMER, number);
    }
  }
};
static std::deque<node> nodes;

static sluice_time number_with_unit(const std::string &text, double bps_or_ps) {
  size_t end;
  double value = std::stod(text, &end);
  static const std::pair<const char *, double> units[] = {
      {"Gbps", 1e9}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}};
  for (auto &[unit, factor] : units)
    if (text.substr(end) == unit) return std::llround(value * factor);
  return std::llround(value * bps_or_ps);
}

static void read(const char *protocol, const char *set, const char *network_file,
                 const char *flow_file) {
  std::ifstream in(network_file), list(flow_file);
  size_t count, switches, links;
  in >> count >> switches >> links;
  std::vector<bool> is_switch(count);
  for (size_t i = 0, which; i < switches && in >> which; i++) is_switch.at(which) = true;
  std::vector<std::tuple<uint32_t, uint32_t, sluice_time, sluice_time>> ends;
  std::vector<bool> has_host(count);
  for (size_t i = 0; i < links; i++) {
    uint32_t a, b;
    std::string rate, delay, errors;
    in >> a >> b >> rate >> delay >> errors;
    ends.emplace_back(a, b, number_with_unit(rate, 1), number_with_unit(delay, 1e12));
    has_host.at(a) = has_host[a] || !is_switch.at(b);
    has_host[b] = has_host[b] || !is_switch[a];
  }
  sluice::network network;
  for (uint32_t i = 0; i < count; i++) {
    nodes.push_back({i, !is_switch[i], {}, nullptr});
    is_switch[i] ? network.add_switch(has_host[i] ? 1 : 2) : network.host();
  }
  for (auto &[a, b, rate, delay] : ends) network.connect(a, b, rate, delay);
  auto add = [](uint32_t at, sluice_time rate, sluice_time delay) {
    auto &own = nodes[at].own;
    own.push_back(new port{0, 0, &nodes[at], static_cast<uint16_t>(own.size()), delay,
                           8'000'000'000'000 / rate, 0, false, {}});
  };
  for (auto &[a, b, rate, delay] : ends) add(a, rate, delay), add(b, rate, delay);
  size_t next = 0;
  for (auto &n : nodes)
    for (auto *p : n.own) {
      p->number = static_cast<uint32_t>(next++);
      ports.emplace_back(p);
    }
  std::vector<size_t> used(count);
  for (auto &end : ends) {
    auto a = std::get<0>(end), b = std::get<1>(end);
    port *x = nodes[a].own[used[a]++], *y = nodes[b].own[used[b]++];
    x->peer = y->number, y->peer = x->number;
  }
  size_t amount;
  list >> amount;
  uint8_t classes = 0;
  for (size_t i = 0; i < amount; i++) {
    flow f{};
    int klass;
    double start;
    list >> f.source >> f.sink >> klass >> f.destination_port >> f.bytes >> start;
    if (!in || !list || f.source >= count || f.sink >= count)
      throw std::runtime_error("flow " + std::to_string(i) + " is none");
    f.klass = static_cast<uint8_t>(klass), f.start = std::llround(start * 1e12);
    classes |= static_cast<uint8_t>(1 << klass);
    flows.push_back(f);
  }
  traffic = network.build(protocol, set, classes, 1);
  std::map<std::pair<uint32_t, uint32_t>, uint16_t> used_ports;
  for (uint32_t i = 0; i < amount; i++) {
    flow &f = flows[i];
    auto source = static_cast<uint16_t>(10'000 + used_ports[{f.source, f.sink}]++);
    f.end = -1;
    f.packets = static_cast<int32_t>((f.bytes + traffic.payload - 1) / traffic.payload);
    sluice_flow keys[2];
    sluice_flow_between(f.source, f.sink, source, f.destination_port, 17, &keys[0]);
    sluice_flow_between(f.sink, f.source, f.destination_port, source, 17, &keys[1]);
    for (int k = 0; k < 2; k++) {
      f.hash[k] = sluice_flow_hash(&keys[k]);
      f.path[k] = network.path(k ? f.sink : f.source, SLUICE_LOCAL, keys[k]);
    }
    agenda.emplace(f.start, START, i);
  }
  for (auto &n : nodes)
    n.drive = std::make_unique<node::driver>(network.make_machine(n.number), n);
}

static void run() {
  for (auto &n : nodes) n.plan();
  for (arrived = 0; !agenda.empty() && arrived < flows.size();) {
    auto [at, what, where] = agenda.top();
    agenda.pop();
    now = at;
    node *n = nullptr;
    switch (what) {
      case ARRIVAL: n = ports[where]->owner, n->arrive(*ports[where]); break;
      case SENT:
        n = ports[where]->owner, ports[where]->planned = false;
        n->drive->ready(now, ports[where]->at);
        break;
      case START: n = &nodes[flows[where].source], n->refill(where); break;
      case TIMER:
        if ((n = &nodes[where])->planned < at) continue;
        n->planned = SLUICE_NEVER;
        n->drive->expire(now);
    }
    n->plan();
  }
}

int main(int, char **arguments) try {
  read(arguments[1], arguments[2], arguments[3], arguments[4]);
  timed::run(run);
  for (auto &f : flows) std::cout << (f.end < 0 ? -1 : f.end - f.start) << "\n";
  std::cerr << "lost " << lost << " hops " << hops << " frames " << frames << "\n";
} catch (const std::exception &e) {
  std::cerr << e.what() << "\n";
  return 1;
}
