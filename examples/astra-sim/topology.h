// The network of a configuration of ASTRA-sim's analytical backend, as a topology file of sluice.
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <cstdint>
#include <string>
#include <vector>

struct Configuration {
  std::string topology;            // text as the simulator reads it
  std::vector<int> ranks;          // of each dimension
  std::vector<double> bandwidths;  // of each dimension, GB/s
  int all() const;
};

// Ranks are hosts 0, 1 and so on; rings and full connections are links between hosts, which
// forward, and each switch is a node behind them. A GB is 2^30 bytes, as there.
Configuration read_configuration(const std::string &file);

// A topology file of sluice, and the numbers of its hosts.
struct Topology {
  std::string text;
  std::vector<uint32_t> hosts;
};
Topology read_topology(const std::string &file);

#endif
