// What sluice.hpp promises beside its driver: owners that free, errors with text, refusals.
#include "sluice.hpp"

#include <array>
#include <cstdlib>
#include <iostream>

static const char *config =
    "Ports=2, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=600ns, Ports[*].Alpha=1/2, "
    "Buffer=1MB";

static void expect(bool holds, const char *what) {
  if (holds) return;
  std::cerr << what << "\n";
  std::exit(1);
}

template <class Do>
static void refuse(const char *what, std::int32_t code, const char *text, Do f) {
  try {
    f();
  } catch (const sluice::error &e) {
    expect(e.code() == code && std::string(e.what()).find(text) != std::string::npos, e.what());
    return;
  }
  expect(false, what);
}

struct output {
  bool idle = true;
  int sent = 0, dropped = 0;
  bool free(std::uint16_t) { return idle; }
  void send(std::uint16_t, const sluice_packet &p, std::string yours) {
    expect(p.size == 100 && yours == "mine", "what was sent");
    sent++;
  }
  void send_frame(std::uint16_t, sluice::frame) {}
  void drop(std::uint16_t, std::uint8_t why, std::string) {
    expect(sluice::reason(why) == "bad class", "why");
    dropped++;
  }
};

int main() {
  sluice_machine handle;
  {
    sluice::machine m("pfc", config);
    handle = m.get();
    sluice::machine moved(std::move(m));
    expect(!m && moved.get() == handle, "moved");
    moved.audit();
    std::string why;
    expect(moved.quiescent(&why) && why.empty(), "quiescent");
    expect(moved.describe(SLUICE_CONFIGURATION).find("Ports") != std::string::npos, "describe");
    expect(moved.ports() == 2 && moved.counted(1).misuse == 0, "getters");
    refuse("counted", SLUICE_E_ARGUMENT, "sluice_counted", [&] { moved.counted(2); });
    refuse("describe", SLUICE_E_UNSUPPORTED, "description", [&] { moved.describe(9); });
  }
  expect(sluice_ports(handle) == SLUICE_E_HANDLE, "freed");
  refuse("field", SLUICE_E_CONFIG, "Buffre", [] { sluice::machine("pfc", "Buffre=1MB"); });
  refuse("marker", SLUICE_E_CONFIG, "Treshold", [] { sluice::marker("fecn", "Treshold=1KB"); });
  refuse("hiq", SLUICE_E_CONFIG, "Rate", [] { sluice::hiq("IQs=-1"); });
  refuse("pcn", SLUICE_E_CONFIG, "Rate", [] { sluice::pcn_sender("Rate=1"); });
  sluice::pcn_receiver receiver("Period=50us");

  sluice::network n;
  auto host = n.host(), rack = n.add_switch(1);
  auto at = n.connect(host, rack, 100'000'000'000, 600'000);
  expect(at.first == 0 && at.second == 0, "connect");
  refuse("itself", SLUICE_E_ARGUMENT, "connect", [&] { n.connect(rack, rack, 1000, 0); });
  refuse("route", SLUICE_E_ARGUMENT, "route", [&] { n.route(rack, host, {7}); });
  refuse("build", SLUICE_E_CONFIG, "bfc.queues=64", [&] { n.build("pfc", "bfc.queues=64"); });
  expect(n.build("pfc").payload > 0, "traffic");
  sluice_flow flow;
  sluice_flow_between(0, 77, 1, 2, 17, &flow);
  refuse("path", SLUICE_PATH_NO_ROUTE, "path", [&] { n.path(host, SLUICE_LOCAL, flow); });

  sluice::simulator s("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
  refuse("send", SLUICE_E_ARGUMENT, "Dst", [&] { s.send(0, 2, 1000, 7); });
  refuse("schedule", SLUICE_E_ARGUMENT, "schedule", [&] { s.schedule(-1, 0); });
  expect(s.send(0, 1, 10'000, 7) == 0 && s.under_way() == 1, "sent");
  s.schedule(1'000'000, 8);
  sluice_event event;
  expect(!s.next(event, 500'000) && s.now() == 500'000, "nothing until then");
  expect(s.next(event) && event.kind == SLUICE_TIMER && event.tag == 8, "the timer");
  expect(s.next(event) && event.kind == SLUICE_ARRIVED && event.tag == 7, "arrived");
  expect(s.next(event) && event.kind == SLUICE_DONE && s.now() == event.at, "done");
  expect(!s.next(event) && s.under_way() == 0, "nothing is left");
  // 7 packets of 1,460 bytes and as many acknowledgements, over two links each
  expect(s.counted().packet_hops == 28 && s.counted().dropped == 0, "counted");

  output out;
  sluice::driver<std::string, output> d(sluice::machine("pfc", config), out);
  sluice_packet p{};
  p.size = 100, p.ingress = 1;
  d.enqueue(0, 0, p, "mine");
  expect(out.sent == 1, "sent at once");
  out.idle = false;
  d.enqueue(0, 0, p, "mine");
  expect(out.sent == 1, "the transmitter is busy");
  out.idle = true;
  d.ready(10, 0);
  expect(out.sent == 2, "sent when it was ready");
  p.klass = 9;
  d.enqueue(10, 0, p, "mine");
  expect(out.dropped == 1, "dropped");
  refuse("port", SLUICE_E_ARGUMENT, "no such port", [&] { d.enqueue(10, 5, p, "mine"); });
  refuse("ready", SLUICE_E_ARGUMENT, "no port 5", [&] { d.ready(10, 5); });
  d.consume(10, 1, p);
  refuse("down", SLUICE_E_ARGUMENT, "no such port", [&] { d.down(10, 5); });
  expect(!d.receive(10, 0, std::array<std::uint8_t, 6>{1, 2, 3}), "no frame");
  expect(d.get().counted(0).malformed == 1, "counted");
  d.down(20, 1);
  d.up(30, 1);
  d.expire(40);
  expect(d.deadline() == SLUICE_NEVER, "deadline");
  d.rebase(40);
  expect(d.deadline() == SLUICE_NEVER && out.sent == 2, "rebased");
  std::cout << "ok\n";
}
