// ASTRA-sim over the simulator of sluice.
#include "sluice-network.h"
#include "topology.h"

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "remote_memory_backend/analytical/AnalyticalRemoteMemory.hh"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

using Options = std::map<std::string, std::string>;

static const Options defaults = {
    // of ASTRA-sim
    {"workload-configuration", ""}, {"system-configuration", ""}, {"network-configuration", ""},
    {"remote-memory-configuration", ""}, {"comm-group-configuration", "empty"},
    {"logging-configuration", "empty"}, {"num-queues-per-dim", "1"}, {"comm-scale", "1"},
    {"injection-scale", "1"}, {"rendezvous-protocol", "false"},
    // ours
    {"protocol", "pfc"}, {"set", ""}, {"seed", "0"}, {"topology", ""}, {"hosts", ""},
    {"flows", ""}, {"sent", "acknowledged"}, {"write-topology", ""}};

static Options parse(int argc, char **argv) {
  Options options = defaults;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (argument.substr(0, 2) != "--" || equals == std::string::npos ||
        !options.count(argument.substr(2, equals - 2)))
      throw std::invalid_argument(argument + " is no --NAME=VALUE of README.md");
    options[argument.substr(2, equals - 2)] = argument.substr(equals + 1);
  }
  for (const char *needed : {"workload", "system", "network", "remote-memory"})
    if (options[std::string(needed) + "-configuration"].empty())
      throw std::invalid_argument("--" + std::string(needed) + "-configuration is missing");
  if (options["sent"] != "acknowledged" && options["sent"] != "arrived")
    throw std::invalid_argument("--sent=" + options["sent"] + ": must be acknowledged or arrived");
  return options;
}

// A number, of an option or in it. In what is whole, there is nothing but digits.
static double number(const std::string &option, const std::string &text, bool whole = true) {
  char *end;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || text.size() > 15 || *end != 0 || !std::isdigit(text.front()) ||
      (whole && text.find_first_not_of("0123456789") != std::string::npos))
    throw std::invalid_argument("--" + option + ": " + text + " is no number of at most 15 digits");
  return value;
}

// The first hosts, or the hosts of a list such as 0,4,8.
static std::vector<uint32_t> place(size_t ranks, std::vector<uint32_t> hosts,
                                   const std::string &list) {
  if (!list.empty()) {
    hosts.clear();
    std::istringstream in(list);
    for (std::string one; std::getline(in, one, ',');)
      hosts.push_back(static_cast<uint32_t>(number("hosts", one)));
  }
  if (hosts.size() < ranks)
    throw std::invalid_argument(std::to_string(ranks) + " ranks, and " +
                                std::to_string(hosts.size()) + " hosts for them");
  hosts.resize(ranks);
  return hosts;
}

// Messages of a flow list of sluice beside the job. Classes and ports are not read.
static void read_flows(const std::string &file, SluiceNetwork &network) {
  std::ifstream in(file);
  size_t left = 0;
  bool counted = false;
  std::string line;
  for (int number = 1; std::getline(in, line); number++) {
    std::istringstream fields(line.substr(0, line.find('#')));
    if ((fields >> std::ws).eof()) continue;
    uint32_t src, dst, data_class, port;
    uint64_t bytes;
    long double start;
    if (!counted && fields >> left) {
      counted = true;
    } else if (left > 0 && line.find("rate=") == std::string::npos &&
               fields >> src >> dst >> data_class >> port >> bytes >> start) {
      network.background(src, dst, bytes, std::llround(start * 1e12L));
      left--;
    } else {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": no flow without a rate");
    }
  }
  if (!counted || left > 0) throw std::runtime_error(file + ": flows are missing");
}

static void run(Options options) {
  AstraSim::LoggerFactory::init(options["logging-configuration"]);
  const Configuration configuration = read_configuration(options["network-configuration"]);
  const auto ranks = static_cast<size_t>(configuration.all());
  Topology topology{configuration.topology, {}};
  for (uint32_t rank = 0; rank < ranks; rank++) topology.hosts.push_back(rank);
  if (!options["topology"].empty()) topology = read_topology(options["topology"]);
  if (!options["write-topology"].empty())
    std::ofstream(options["write-topology"]) << topology.text;

  using Sent = SluiceNetwork::Sent;
  SluiceNetwork network(
      sluice::simulator(topology.text, options["protocol"], options["set"], 0,
                        static_cast<uint64_t>(number("seed", options["seed"]))),
      place(ranks, topology.hosts, options["hosts"]), configuration.bandwidths,
      options["sent"] == "arrived" ? Sent::Arrived : Sent::Acknowledged);
  if (!options["flows"].empty()) read_flows(options["flows"], network);

  Analytical::AnalyticalRemoteMemory memory(options["remote-memory-configuration"]);
  const std::vector<int> queues(configuration.ranks.size(),
                                static_cast<int>(
                                    number("num-queues-per-dim", options["num-queues-per-dim"])));
  std::vector<std::unique_ptr<SluiceRank>> interfaces;
  std::vector<std::unique_ptr<AstraSim::Sys>> systems;
  for (int rank = 0; rank < configuration.all(); rank++) {
    interfaces.push_back(std::make_unique<SluiceRank>(network, rank));
    systems.push_back(std::make_unique<AstraSim::Sys>(
        rank, options["workload-configuration"], options["comm-group-configuration"],
        options["system-configuration"], &memory, interfaces.back().get(), configuration.ranks,
        queues, number("injection-scale", options["injection-scale"], false),
        number("comm-scale", options["comm-scale"], false),
        options["rendezvous-protocol"] == "true"));
  }
  for (auto &system : systems) system->workload->fire();
  network.run();

  const auto c = network.simulator().counted();
  std::cout << "sluice: " << network.simulator().now() << " ps, " << c.packet_hops
            << " transmissions, " << c.control_frames << " control frames, " << c.dropped
            << " dropped\n";
  AstraSim::LoggerFactory::shutdown();
}

int main(int argc, char **argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception &e) {
    std::cerr << "astra-sim: " << e.what() << "\n";
    return 1;
  }
}
