// The switches and hosts of a SluiceNetwork as htsim has them itself, to compare with, on the same
// links and ways: FairPriorityQueue, LosslessInputQueue, LosslessOutputQueue. Its machines rest.
#ifndef OWN_QUEUES_H
#define OWN_QUEUES_H

#include "sluice-network.h"

#include "queue_lossless_input.h"
#include "queue_lossless_output.h"

class OwnQueues {
 public:
  // pfc.xoff and pfc.xon among the parameters, in bytes, are the thresholds of all ingress ports;
  // without them, the thresholds of htsim's RoCE program: 15 and 12 packets.
  OwnQueues(EventList &events, SluiceNetwork &network, const std::string &parameters);
  Route *route(SluiceNode &from, SluiceNode &to, uint16_t source_port, uint16_t port,
               PacketSink &end);
  void add_sender(SluiceNode &host, PacketSink &sender);

  uint64_t frames = 0;  // pauses and resumes that arrived

 private:
  struct Link {
    std::unique_ptr<BaseQueue> queue;
    std::unique_ptr<LosslessInputQueue> input;  // behind the pipe, if a switch is there
  };
  SluiceNetwork &network_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::map<const SluicePort *, Link> links_;
  std::vector<std::unique_ptr<Route>> routes_;
};

#endif
