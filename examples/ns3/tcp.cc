/*
 * Four TCP transfers to one host, with the applications of ns-3, over links that lose nothing:
 *
 *   make && ./tcp --protocol=pfc
 */
#include "sluice-helper.h"

#include "ns3/applications-module.h"
#include "ns3/internet-module.h"

#include <iostream>

using namespace ns3;

int main(int argc, char* argv[]) {
  Time::SetResolution(Time::PS);
  std::string protocol = "pfc";
  CommandLine cmd(__FILE__);
  cmd.AddValue("protocol", "Flow control: pfc, bfc, pyrrha, none", protocol);
  cmd.Parse(argc, argv);

  NodeContainer hosts(5), tor(1);
  InternetStackHelper internet;
  internet.Install(hosts);

  SluiceHelper sluice;
  sluice.SetFabricAttribute("Protocol", StringValue(protocol));
  sluice.SetFabricAttribute("Parameters", StringValue("buffer=400KB"));
  sluice.AddHosts(hosts);
  sluice.AddSwitches(tor, 1);
  for (uint32_t i = 0; i < hosts.GetN(); i++) {
    sluice.Install(hosts.Get(i), tor.Get(0));
  }
  sluice.Build();

  const uint16_t port = 5000;
  PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
  ApplicationContainer sinks = sink.Install(hosts.Get(4));
  InetSocketAddress to(sluice.GetFabric()->GetAddress(hosts.Get(4)), port);
  for (uint32_t i = 0; i < 4; i++) {
    BulkSendHelper bulk("ns3::TcpSocketFactory", to);
    bulk.SetAttribute("MaxBytes", UintegerValue(3000000));
    bulk.Install(hosts.Get(i));
  }
  Simulator::Stop(MilliSeconds(5));
  Simulator::Run();

  Ptr<SluiceNode> control = tor.Get(0)->GetObject<SluiceNode>();
  std::cout << "received " << DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx() << " drops "
            << control->GetDrops() << " frames " << control->GetFrames() << "\n";
  Simulator::Destroy();
}
