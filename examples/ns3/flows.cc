/*
 * Flows of a file on a leaf-spine network:
 *
 *   make && ./flows --protocol=pyrrha --racks=4 --spines=2 --hosts=8 --flows=flows.txt
 *
 * The file has the form of HPCC's ns-3: the number of flows, then a line for each: source,
 * destination, class, destination port, bytes, start in seconds. The program prints the completion
 * time of each, then what the network did.
 */
#include "sluice-flow.h"

#include <fstream>
#include <iostream>

using namespace ns3;

static uint64_t marked;

static void CountMarks(Ptr<const Packet>, uint8_t ecn) { marked += ecn == SLUICE_CE; }

/// Reads a decimal number of seconds, exactly.
static Time ParseSeconds(const std::string& text) {
  std::string digits = text;
  std::size_t point = text.find('.');
  std::size_t places = point == std::string::npos ? 0 : text.size() - point - 1;
  NS_ABORT_MSG_IF(places > 12, "a start of " << text << " s has more than 12 places");
  if (places > 0) {
    digits.erase(point, 1);
  }
  return PicoSeconds(std::stoll(digits + std::string(12 - places, '0')));
}

static void InstallFlows(SluiceFlowHelper& helper, NodeContainer hosts, const std::string& name) {
  std::ifstream file(name);
  uint32_t count = 0;
  NS_ABORT_MSG_UNLESS(file >> count, "cannot read flows of " << name);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from, to, klass, port;
    uint64_t bytes;
    std::string start;
    NS_ABORT_MSG_UNLESS(file >> from >> to >> klass >> port >> bytes >> start,
                        name << " ends at flow " << i);
    ApplicationContainer flow =
        helper.Install(hosts.Get(from), hosts.Get(to), bytes, ParseSeconds(start));
    flow.Get(0)->SetAttribute("Class", UintegerValue(klass));
  }
}

int main(int argc, char* argv[]) {
  Time::SetResolution(Time::PS);
  std::string protocol = "pfc", parameters = "ack.size=84B", rate = "100Gbps", delay = "600ns",
              file = "flows.txt";
  uint32_t racks = 4, spines = 2, perRack = 8, classes = 1;
  uint64_t seed = 1;
  CommandLine cmd(__FILE__);
  cmd.AddValue("protocol", "Flow control: pfc, bfc, pyrrha, none", protocol);
  cmd.AddValue("set", "Its parameters; detect=tcd and detect=npecn mark packets", parameters);
  cmd.AddValue("racks", "Racks", racks);
  cmd.AddValue("spines", "Spines", spines);
  cmd.AddValue("hosts", "Hosts of a rack", perRack);
  cmd.AddValue("rate", "Of all links", rate);
  cmd.AddValue("delay", "Of all links", delay);
  cmd.AddValue("classes", "A bit for each class of the flows", classes);
  cmd.AddValue("seed", "Of machines and hashes", seed);
  cmd.AddValue("flows", "File", file);
  cmd.Parse(argc, argv);

  NodeContainer hosts(racks * perRack), tors(racks), tops(spines);
  InternetStackHelper internet;
  internet.Install(hosts);

  SluiceHelper sluice;
  sluice.SetFabricAttribute("Protocol", StringValue(protocol));
  sluice.SetFabricAttribute("Parameters", StringValue(parameters));
  sluice.SetFabricAttribute("Classes", UintegerValue(classes));
  sluice.SetFabricAttribute("Seed", UintegerValue(seed));
  sluice.SetDeviceAttribute("DataRate", StringValue(rate));
  sluice.SetChannelAttribute("Delay", StringValue(delay));
  sluice.AddHosts(hosts);
  sluice.AddSwitches(tors, 1);
  sluice.AddSwitches(tops, 2);
  for (uint32_t i = 0; i < hosts.GetN(); i++) {
    NetDeviceContainer link = sluice.Install(hosts.Get(i), tors.Get(i / perRack));
    link.Get(0)->TraceConnectWithoutContext("Received", MakeCallback(&CountMarks));
  }
  for (uint32_t i = 0; i < racks * spines; i++) {
    sluice.Install(tors.Get(i / spines), tops.Get(i % spines));
  }
  sluice.Build();
  SluiceFlowHelper flows(sluice.GetFabric());
  InstallFlows(flows, hosts, file);

  Simulator::Stop(MilliSeconds(100));
  Simulator::Run();

  for (uint32_t i = 0; i < flows.GetN(); i++) {
    std::cout << i << " " << flows.GetCompletionTime(i).GetPicoSeconds() << "\n";
  }
  uint64_t drops = 0, frames = 0;
  for (NodeContainer nodes : {hosts, tors, tops}) {
    for (auto node = nodes.Begin(); node != nodes.End(); ++node) {
      drops += (*node)->GetObject<SluiceNode>()->GetDrops();
      frames += (*node)->GetObject<SluiceNode>()->GetFrames();
    }
  }
  std::cout << "drops " << drops << " frames " << frames << " marked " << marked << "\n";
  Simulator::Destroy();
}
