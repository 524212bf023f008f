// Two hosts send to a third through a switch, under the flow control that the argument names.
#include "switch.hpp"

#include <algorithm>
#include <deque>
#include <iostream>

int main(int, char **arguments) try {
  sluice::network network;
  for (int i = 0; i < 3; i++) network.host();
  network.add_switch(1);
  for (uint32_t i = 0; i < 3; i++) network.connect(i, 3, 100'000'000'000, delay);
  network.build(arguments[1], "buffer=400KB");
  std::deque<node> nodes;
  for (uint32_t i = 0; i < 4; i++) nodes.emplace_back(network.make_machine(i), i < 3);
  for (uint16_t i = 0; i < 3; i++) {
    nodes[i].wires[0] = {&nodes[3], i, false};
    nodes[3].wires[i] = {&nodes[i], 0, false};
  }
  for (uint32_t i = 0; i < 1000; i++) {
    sluice_flow flow;
    sluice_flow_between(i % 2, 2, static_cast<uint16_t>(1000 + i % 8), 4791, 17, &flow);
    sluice_packet p{};
    p.size = 1500, p.ingress = SLUICE_LOCAL, p.flow = sluice_flow_hash(&flow);
    p.path = network.path(i % 2, SLUICE_LOCAL, flow);
    nodes[i % 2].source.push_back(p);
  }
  for (auto &host : nodes) host.pull();
  while (nodes[2].delivered + nodes[3].lost < 1000) {
    auto &next = *std::min_element(nodes.begin(), nodes.end(), [](node &a, node &b) {
      return a.driver.deadline() < b.driver.deadline();
    });
    auto event = agenda.begin();
    if (event == agenda.end() || next.driver.deadline() <= event->first) {
      now = std::max(now, next.driver.deadline()), next.driver.expire(now);
      continue;
    }
    now = event->first;
    agenda.extract(event).mapped()();
  }
  std::cout << "delivered " << nodes[2].delivered << " lost " << nodes[3].lost << "\n";
} catch (const sluice::error &e) {
  std::cerr << e.code() << " " << e.what() << "\n";
  return 1;
}
