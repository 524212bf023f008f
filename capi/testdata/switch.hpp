// A switch, or a host, in a simulator of events; its flow control is any of sluice's.
#include "sluice.hpp"

#include <functional>
#include <map>

static std::multimap<sluice_time, std::function<void()>> agenda;  // equal times in order
static sluice_time now;
static const sluice_time per_byte = 80, delay = 600'000;  // picoseconds, at 100 Gb/s

struct node {  // the switch, or a host
  struct wire {
    node *peer;
    uint16_t at;
    bool busy;
  };
  node(sluice::machine m, bool is)
      : driver(std::move(m), *this), host(is), wires(driver.get().ports()) {}
  bool free(uint16_t port) { return !wires[port].busy; }
  void send(uint16_t port, sluice_packet p, int) {
    transmit(port, p.size, [p](node &peer, uint16_t at) { peer.arrive(at, p); });
  }
  void send_frame(uint16_t port, sluice::frame f) {
    std::vector<uint8_t> copy(f.data.begin(), f.data.end());
    transmit(port, f.data.size() + f.overhead,
             [copy](node &peer, uint16_t at) { peer.driver.receive(now, at, copy); });
  }
  void drop(uint16_t, uint8_t, int) { lost++; }
  template <class Arrival> void transmit(uint16_t port, size_t size, Arrival arrival) {
    wire &w = wires[port];
    w.busy = true;
    auto end = now + static_cast<sluice_time>(size) * per_byte;
    agenda.emplace(end, [this, port] { wires[port].busy = false, ready(port); });
    agenda.emplace(end + delay, [&w, arrival] { arrival(*w.peer, w.at); });
  }
  void arrive(uint16_t port, sluice_packet p) {
    p.ingress = port;
    if (!host) return driver.enqueue(now, sluice_path_at(&p.path, 0).port, p, 0);
    delivered++, driver.consume(now, port, p);
  }
  void ready(uint16_t port) {
    driver.ready(now, port);
    pull();
  }
  void pull() {  // a host gives its card what it can send, not all it has
    for (; !source.empty() && sluice_buffered(driver.get().get()) < 3000; source.pop_front())
      driver.enqueue(now, 0, source.front(), 0);
  }
  sluice::driver<int, node> driver;
  bool host;
  std::vector<wire> wires;  // by port
  sluice::fifo<sluice_packet> source;
  unsigned delivered = 0, lost = 0;
};
