/* An all-reduce over a ring of three hosts in a simulated network, and what is refused. */
#include <inttypes.h>
#include <stdio.h>

#include "sluice.h"

static const char topology[] =
    "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n";

int main(void) {
  sluice_error error;
  sluice_event event;
  sluice_simulator s = sluice_simulator_new(topology, "pyrrha", "cc=dcqcn,loss=1/50", 0, 1, &error);
  for (uint32_t rank = 0; rank < 3; rank++)
    sluice_simulator_send(s, rank, (rank + 1) % 3, 100000, 1, &error);
  sluice_simulator_schedule(s, 5000000, 77);
  int32_t more;
  while ((more = sluice_simulator_next(s, SLUICE_NEVER, &event, &error)) == 1) {
    printf("%" PRId64 " kind %" PRId32 " tag %" PRIu64, event.at, event.kind, event.tag);
    if (event.kind != SLUICE_TIMER)
      printf(" message %" PRId64 " %" PRIu32 "->%" PRIu32 " after %" PRId64, event.message,
             event.src, event.dst, event.at - event.start);
    printf("\n");
    if (event.kind == SLUICE_ARRIVED && event.tag < 4)
      sluice_simulator_send(s, event.dst, (event.dst + 1) % 3, 100000, event.tag + 1, &error);
  }
  printf("%" PRId32 ", at %" PRId64 ", under way %" PRId64 "\n", more, sluice_simulator_now(s),
         sluice_simulator_under_way(s));
  sluice_simulator_counters c;
  sluice_simulator_counted(s, &c);
  printf("%" PRId64 " dropped, %" PRId64 " lost, %" PRId64 " reordered, %" PRId64 " marked, %" PRId64
         " timeouts, %" PRId64 " frames, %" PRId64 " transmissions\n", c.dropped, c.lost_on_wire,
         c.reordered, c.marked, c.timeouts, c.control_frames, c.packet_hops);
  printf("%" PRId64 " %s\n", sluice_simulator_send(s, 0, 4, 1, 0, &error), error.text);
  printf("%" PRId64 " %s\n", sluice_simulator_send(s, 0, 1, -5, 0, &error), error.text);
  printf("%" PRId32 " %" PRId32 " %" PRId32 "\n", sluice_simulator_schedule(s, -1, 0),
         sluice_simulator_next(s, 0, NULL, &error), sluice_simulator_counted(s, NULL));
  sluice_simulator_free(s);
  printf("%" PRId64 " %" PRId64 " %" PRId32 "\n", sluice_simulator_now(s),
         sluice_simulator_under_way(s), sluice_simulator_counted(s, &c));
  s = sluice_simulator_new("5 2\n", "pfc", NULL, 0, 1, &error);
  printf("%d %d %s\n", s != 0, error.code, error.text);
  s = sluice_simulator_new(topology, "pfc", "bufer=1", 0, 1, &error);
  printf("%d %d %s\n", s != 0, error.code, error.text);
  return 0;
}
