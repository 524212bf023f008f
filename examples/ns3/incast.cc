/*
 * An incast of 16 with victims, under the flow control of your choice:
 *
 *   make && ./incast --protocol=pfc && ./incast --protocol=pyrrha
 *
 * Two racks and two spines. Hosts 0 to 15 send to host 16 in the other rack all at once. Hosts 0 to
 * 3 also send to hosts 17 to 20 beside it: the victims, which want none of the congested link.
 */
#include "sluice-flow.h"

#include <iostream>

using namespace ns3;

int main(int argc, char* argv[]) {
  Time::SetResolution(Time::PS);
  std::string protocol = "pyrrha", parameters = "ack.size=84B";
  uint64_t bytes = 200000;
  CommandLine cmd(__FILE__);
  cmd.AddValue("protocol", "Flow control: pfc, bfc, pyrrha, none", protocol);
  cmd.AddValue("set", "Its parameters", parameters);
  cmd.AddValue("bytes", "Of each flow", bytes);
  cmd.Parse(argc, argv);

  NodeContainer hosts(32), tors(2), spines(2);
  InternetStackHelper internet;
  internet.Install(hosts);

  SluiceHelper sluice;
  sluice.SetFabricAttribute("Protocol", StringValue(protocol));
  sluice.SetFabricAttribute("Parameters", StringValue(parameters));
  sluice.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
  sluice.SetChannelAttribute("Delay", StringValue("600ns"));
  sluice.AddHosts(hosts);
  sluice.AddSwitches(tors, 1);
  sluice.AddSwitches(spines, 2);
  for (uint32_t i = 0; i < hosts.GetN(); i++) {
    sluice.Install(hosts.Get(i), tors.Get(i / 16));
  }
  for (uint32_t i = 0; i < 4; i++) {
    sluice.Install(tors.Get(i / 2), spines.Get(i % 2));
  }
  sluice.Build();

  SluiceFlowHelper flows(sluice.GetFabric());
  for (uint32_t i = 0; i < 16; i++) {
    flows.Install(hosts.Get(i), hosts.Get(16), bytes, Seconds(0));
  }
  for (uint32_t i = 0; i < 4; i++) {
    flows.Install(hosts.Get(i), hosts.Get(17 + i), bytes, Seconds(0));
  }
  Simulator::Stop(MilliSeconds(100));
  Simulator::Run();

  for (uint32_t i = 0; i < flows.GetN(); i++) {
    std::cout << (i < 16 ? "incast " : "victim ") << i << " "
              << flows.GetCompletionTime(i).GetPicoSeconds() << "\n";
  }
  Simulator::Destroy();
}
