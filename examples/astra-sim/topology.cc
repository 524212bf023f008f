#include "topology.h"

#include <astra-network-analytical/common/NetworkParser.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

using NetworkAnalytical::TopologyBuildingBlock;

int Configuration::all() const {
  int product = 1;
  for (int n : ranks) product *= n;
  return product;
}

namespace {

// Collects nodes and links.
class Draft {
 public:
  explicit Draft(int ranks) : nodes_(ranks), ranks_(ranks) {}

  // The links of some ranks of one dimension.
  void connect(TopologyBuildingBlock block, const std::vector<int> &members,
               const std::string &link) {
    const size_t n = members.size();
    if (n < 2) return;
    switch (block) {
      case TopologyBuildingBlock::Ring:
        for (size_t i = 0; i < (n == 2 ? 1 : n); i++) add(members[i], members[(i + 1) % n], link);
        return;
      case TopologyBuildingBlock::FullyConnected:
        for (size_t i = 0; i < n; i++)
          for (size_t j = i + 1; j < n; j++) add(members[i], members[j], link);
        return;
      case TopologyBuildingBlock::Switch:
        for (int member : members) add(member, nodes_, link);
        nodes_++;
        return;
      default: throw std::invalid_argument("a dimension of an unknown topology");
    }
  }

  std::string text() const {
    std::ostringstream out;
    out << nodes_ << " " << nodes_ - ranks_ << " " << count_ << "\n";
    for (int i = ranks_; i < nodes_; i++) out << i << " ";
    out << "\n" << links_.str();
    return out.str();
  }

 private:
  void add(int a, int b, const std::string &link) {
    links_ << a << " " << b << " " << link << "\n";
    count_++;
  }

  int nodes_, ranks_, count_ = 0;
  std::ostringstream links_;
};

}  // namespace

Configuration read_configuration(const std::string &file) {
  const NetworkAnalytical::NetworkParser parser(file);
  Configuration c;
  c.ranks = parser.get_npus_counts_per_dim();
  c.bandwidths = parser.get_bandwidths_per_dim();
  const auto latencies = parser.get_latencies_per_dim();
  const auto blocks = parser.get_topologies_per_dim();
  Draft draft(c.all());
  int stride = 1;
  for (size_t dimension = 0; dimension < c.ranks.size(); dimension++) {
    const int n = c.ranks[dimension];
    const auto rate = std::llround(c.bandwidths[dimension] * 8 * (1 << 30));
    const auto delay = std::llround(latencies[dimension] * 1000);
    const auto link = std::to_string(rate) + "bps " + std::to_string(delay) + "ps 0";
    for (int rank = 0; rank < c.all(); rank++) {
      if (rank / stride % n != 0) continue;
      std::vector<int> members;
      for (int i = 0; i < n; i++) members.push_back(rank + i * stride);
      draft.connect(blocks[dimension], members, link);
    }
    stride *= n;
  }
  c.topology = draft.text();
  return c;
}

Topology read_topology(const std::string &file) {
  std::ifstream in(file);
  std::stringstream all;
  if (!(all << in.rdbuf())) throw std::runtime_error(file + " cannot be read");
  Topology t{all.str(), {}};
  uint32_t nodes = 0, switches = 0, links = 0, number;
  all >> nodes >> switches >> links;
  std::vector<bool> is_switch(nodes);
  for (uint32_t i = 0; i < switches && all >> number; i++) is_switch.at(number) = true;
  for (uint32_t i = 0; i < nodes; i++)
    if (!is_switch[i]) t.hosts.push_back(i);
  return t;
}
