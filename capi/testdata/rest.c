/* Calls what testdata/replay.c does not, and prints what comes of it: TestRest compares with Go. */
#include "sluice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 1;

/* SplitMix64, as in TestRest. */
static uint64_t draw(uint64_t below) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) % below;
}

static void refused(const char *what, int64_t status, const char *text) {
  printf("%s: %" PRId64 " %s\n", what, status, text);
}

static void markers(void) {
  static const char *const kinds[] = {"tcd", "fecn", "ecn", "npecn"};
  static const char *const configs[] = {
      "MaxTon=50us, Marking.KMin=40KB, Marking.KMax=100KB, Marking.PMax=1/5, Drained=3KB, Seed=4",
      "Threshold=30KB", "Marking.KMin=40KB, Marking.KMax=100KB, Marking.PMax=1/5, Seed=4",
      "Threshold=20KB"};
  sluice_error error;
  for (int k = 0; k < 4; k++) {
    sluice_marker m = sluice_marker_new(kinds[k], configs[k], &error);
    uint64_t sum = 0;
    int64_t backlog = 60000;
    for (int i = 0; i < 2000; i++) {
      sluice_time now = i * 1000000ll;
      if (draw(50) == 0) sluice_marker_resumed(m, now, backlog);
      backlog = (int64_t)draw(120000);
      sum =
          sum * 31 + (uint64_t)sluice_marker_dequeue(m, now, 1500, backlog, (uint8_t)(1 + draw(2)));
    }
    printf("marker %s: %d %s %016" PRIx64 "\n", kinds[k], error.code, error.text, sum);
    printf("freed: %d", sluice_marker_free(m));
    printf(" %d\n", sluice_marker_dequeue(m, 0, 1, 0, 0));
  }
}

static void pcn(void) {
  sluice_error error;
  sluice_cnp cnp;
  sluice_pcn_receiver r = sluice_pcn_receiver_new("Period=50us, Share=3/4", &error);
  sluice_pcn_sender s = sluice_pcn_sender_new("LineRate=100Gbps, WMin=1/64", &error);
  for (int i = 0; i < 1000; i++) {
    sluice_time now = i * 1000000ll;
    sluice_pcn_arrive(r, now, 1500, (uint8_t)(draw(4) ? SLUICE_CE : SLUICE_ECT0));
    if (sluice_pcn_deadline(r) <= now && sluice_pcn_expire(r, now, &cnp) == 1)
      printf("cnp %d %" PRIu32 " rate %" PRId64 "\n", cnp.congested, cnp.rate_mbps,
             sluice_pcn_rate(s, &cnp));
  }
  printf("rate %" PRId64 "\n", sluice_pcn_rate(s, NULL));
  sluice_pcn_receiver_free(r);
  sluice_pcn_sender_free(s);
}

static void network(void) {
  sluice_error error;
  sluice_traffic traffic;
  sluice_network n = sluice_network_new();
  for (int i = 0; i < 8; i++) sluice_network_host(n);
  for (int i = 0; i < 2; i++) sluice_network_switch(n, 1);
  for (int i = 0; i < 3; i++) sluice_network_switch(n, 2);
  for (uint32_t i = 0; i < 8; i++)
    sluice_network_connect(n, i, 8 + i / 4, 100000000000ll, 600000, NULL, NULL);
  for (uint32_t i = 0; i < 6; i++)
    sluice_network_connect(n, 8 + i / 3, 10 + i % 3, 100000000000ll, 600000, NULL, NULL);
  refused("unknown protocol", sluice_network_build(n, "tcp", "", 1, 1, NULL, &error), error.text);
  refused("unknown parameter", sluice_network_build(n, "pfc", "buffre=1MB", 1, 1, NULL, &error),
          error.text);
  printf("build %d\n",
         sluice_network_build(n, "bfc", "detect=tcd, bfc.queues=15", 1, 9, &traffic, &error));
  printf("window %" PRId64 " payload %" PRId64 " ack class %d ecn %d\n", traffic.window,
         traffic.payload, traffic.ack_class, traffic.ecn);
  refused("built twice", sluice_network_build(n, "pfc", "", 1, 1, NULL, &error), error.text);
  for (int i = 0; i < 40; i++) {
    sluice_flow f;
    sluice_path path;
    uint32_t src = (uint32_t)draw(8), dst = (uint32_t)((src + 1 + draw(7)) % 8);
    if (i == 20) printf("link fails: %d\n", sluice_network_fail_link(n, 8, 4));
    if (i == 30) printf("and is there again: %d\n", sluice_network_restore_link(n, 8, 4));
    sluice_flow_between(src, dst, (uint16_t)draw(60000), 4791, 17, &f);
    int status = sluice_network_path(n, src, SLUICE_LOCAL, &f, &path);
    printf("path %d hash %016" PRIx64 " egress %d:", status, sluice_flow_hash(&f),
           sluice_network_egress(n, src, SLUICE_LOCAL, &f));
    for (int i = 0; i < sluice_path_length(&path); i++) {
      sluice_hop hop = sluice_path_at(&path, i);
      printf(" %" PRIu32 ":%u", hop.node, hop.port);
    }
    printf("\n");
  }
  sluice_machine m = sluice_network_machine(n, 8, &error);
  printf("machine of %d ports, %d queues\n", sluice_ports(m), sluice_queues(m));
  printf("no such node: %d\n", sluice_network_machine(n, 99, &error) ? 0 : error.code);
  sluice_network_free(n);
  sluice_machine_free(m);
}

static void hiq(void) {
  sluice_error error;
  sluice_hiq h = sluice_hiq_new("Rate=100Gbps, Levels=3, IQs=8, Roots=16", &error);
  int32_t into;
  printf("queues %d\n", sluice_hiq_queues(h));
  for (int i = 0; i < 4000; i++) {
    uint32_t root = (uint32_t)draw(16);
    sluice_time now = i * 100000ll;
    int result = 0;
    switch (draw(8)) {
      case 0: result = sluice_hiq_pause(h, root, root * 77, (int32_t)(1 + draw(3))); break;
      case 1: result = sluice_hiq_resume(h, root); break;
      case 2: result = sluice_hiq_merge(h, root, (int32_t)draw(16)); break;
      case 3: result = sluice_hiq_put(h, root, 1500); break;
      case 4: result = sluice_hiq_put_output(h, 1500); break;
      case 5: {
        int q = sluice_hiq_next(h, now);
        result = q;
        if (q == 0) sluice_hiq_take_output(h, 1500);
        if (q > 0)
          for (root = 0; root < 16; root++)
            if (sluice_hiq_queue(h, root) == q &&
                sluice_hiq_take(h, now, (uint16_t)q, root, 1500) == 1)
              break;
        break;
      }
      case 6: result = sluice_hiq_free_root(h, root, &into) * 100 + into; break;
      case 7: result = sluice_hiq_state(h, root) * 10 + sluice_hiq_level(h, root); break;
    }
    if (i % 40 == 0) {
      uint16_t q = (uint16_t)draw(9);
      printf("hiq %d %" PRId64 " %d %" PRIu32 "\n", result, sluice_hiq_backlog(h, q),
             sluice_hiq_sendable(h, q), sluice_hiq_order(h, root < 15 ? root : 15));
    }
  }
  printf("audit %d; root 16: %d; level 4: %d\n", sluice_hiq_audit(h, &error),
         sluice_hiq_state(h, 16), sluice_hiq_pause(h, 0, 0, 4));
  sluice_hiq_free(h);
}

static void misuse(void) {
  char text[64];
  sluice_error error;
  sluice_packet p = {.size = 100, .path = {.ends = 7 | 2 << 4}};
  sluice_frame f;
  sluice_machine m =
      sluice_machine_new("pfc",
                         "Ports=2, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=600ns, "
                         "Ports[*].Alpha=1/2, Buffer=1MB",
                         &error);
  refused("machine", m ? 0 : error.code, error.text);
  refused("config",
          sluice_machine_new("pfc", "Ports=2, Ports[1].Link.Rate=fast", &error) ? 0 : error.code,
          error.text);
  refused("field", sluice_marker_new("fecn", "Treshold=1KB", &error) ? 0 : error.code, error.text);
  refused("rule", sluice_machine_new("pfc", "Ports=2, Buffer=1MB", &error) ? 0 : error.code,
          error.text);
  refused("protocol", sluice_machine_new("tcp", "", &error) ? 0 : error.code, error.text);
  printf("bad path: %" PRIu64 "\n", sluice_enqueue(m, 0, 0, &p));
  refused("its error", sluice_machine_error(m, &error), error.text);
  printf("no packet: %" PRIu64 "\n", sluice_enqueue(m, 0, 0, NULL));
  printf("no port: %d\n", sluice_next(m, 0, 2));
  refused("its error", sluice_machine_error(m, &error), error.text);
  p = (sluice_packet){.size = 100, .ingress = 1};
  printf("empty queue: %" PRIu64 "\n", sluice_dequeue(m, 0, 0, 0, &p));
  refused("its error", sluice_machine_error(m, &error), error.text);
  sluice_verdict v = sluice_enqueue(m, 0, 0, &p);
  p.size = 200;
  printf("queued: %d, another size: %" PRIu64 "\n", sluice_action(v) == SLUICE_APPEND,
         sluice_dequeue(m, 0, 0, sluice_queue(v), &p));
  refused("its error", sluice_machine_error(m, &error), error.text);
  p.size = 100;
  printf("poll: %d %d %d, owes %d\n", sluice_poll(m, 0, 0, &f), sluice_poll(m, 0, 1, &f),
         sluice_poll(m, 0, 0, NULL), sluice_owes(m, 0));
  sluice_packet *heads[8] = {NULL};
  sluice_verdict both[2];
  uint16_t woken[1];
  printf("send: %d %d %d", sluice_send(m, 0, 0, heads, &f, both), sluice_send(m, 0, 2, heads, &f, both),
         sluice_send(m, 0, 0, NULL, &f, both));
  printf(" %d %d\n", sluice_send(m, 0, 0, heads, NULL, both), sluice_send(m, 0, 0, heads, &f, NULL));
  printf("pass: %d %d", sluice_pass(m, 0, 0, NULL, heads, &f, both),
         sluice_pass(m, 0, 0, &p, NULL, &f, both));
  printf(" %d, ports: %d %d, consumes: %d %d\n", sluice_pass(m, 0, 1, &p, heads, &f, both),
         sluice_poll_ports(m, NULL, 1), sluice_poll_ports(m, woken, 1), sluice_consumes(m),
         sluice_consumes(0));
  printf("passed: %d %d\n", sluice_action(both[0]) == SLUICE_APPEND,
         sluice_action(both[1]) == SLUICE_TRANSMIT);
  v = sluice_dequeue(m, 0, 0, sluice_queue(v), &p);
  printf("as it was: %d\n", sluice_action(v) == SLUICE_TRANSMIT);
  printf("no frame: %d\n", sluice_receive(m, 0, 0, (const uint8_t *)"pause!", 6, NULL));
  refused("its error", sluice_machine_error(m, &error), error.text);
  printf("null: %d %d %d\n", sluice_receive(m, 0, 0, NULL, 6, NULL),
         sluice_poll_frame(m, 0, 0, NULL), sluice_counted(m, 0, NULL));
  printf("unsupported: %d %d\n", sluice_hold(m, 0, 0, 1, NULL),
         sluice_blocked(m, 0, &p.path, NULL));
  int64_t size = sluice_reason(5, text, sizeof text);
  printf("reason: %" PRId64 " %s\n", size, text);
  size = sluice_reason(5, text, 5);
  printf("cut off: %" PRId64 " %s\n", size, text);
  printf("counters of %d, dump of %d, configuration of %d, snapshot of %d, other %" PRId64 "\n",
         sluice_describe(m, SLUICE_COUNTERS, NULL, 0) > 100,
         sluice_describe(m, SLUICE_DUMP, NULL, 0) > 10,
         sluice_describe(m, SLUICE_CONFIGURATION, NULL, 0) > 100,
         sluice_describe(m, SLUICE_SNAPSHOT, NULL, 0) > 100, sluice_describe(m, 9, NULL, 0));
  sluice_op ops[5] = {{.machine = m, .hook = 77},
                      {.machine = 12345, .hook = SLUICE_OP_POLL_FRAME, .data = &f},
                      {.machine = m, .hook = SLUICE_OP_POLL_PORT},
                      {.machine = m, .hook = SLUICE_OP_DEADLINE},
                      {.machine = m, .hook = SLUICE_OP_POLL, .data = &f}};
  int64_t wrong = sluice_run(ops, 5);
  printf("batch: %" PRId64 " %d %d %d %d %d\n", wrong, ops[0].status, ops[1].status, ops[2].status,
         ops[3].result == (uint64_t)SLUICE_NEVER, ops[4].status);
  sluice_machine_free(m);
  printf("freed: %d %d %" PRId64 "\n", sluice_machine_free(m), sluice_next(m, 0, 0),
         sluice_deadline(m));
  sluice_machine again = sluice_machine_new(
      "pfc", "Ports=1, Ports[0].Link.Rate=1Gbps, Ports[0].Alpha=1, Buffer=1MB", NULL);
  printf("another in its place: %d\n",
         again != 0 && again != m && sluice_ports(m) == SLUICE_E_HANDLE);
  sluice_machine_free(again);
}

static void built(const char *protocol, const char *set) {
  sluice_error error;
  uint16_t ports[] = {2};
  sluice_network n = sluice_network_new();
  sluice_network_host(n);
  sluice_network_host(n);
  sluice_network_switch(n, 1);
  sluice_network_connect(n, 0, 2, 100000000000, 600000, NULL, NULL);
  sluice_network_connect(n, 1, 2, 100000000000, 600000, NULL, NULL);
  refused(protocol, sluice_network_build(n, protocol, set, 1, 1, NULL, &error), error.text);
  printf("connect: %d %d %d, route %d\n",
         sluice_network_connect(n, 0, 1, 0, 0, NULL, NULL),
         sluice_network_connect(n, 2, 2, 1000, 0, NULL, NULL),
         sluice_network_connect(n, 2, 1, 1000, -1, NULL, NULL),
         sluice_network_route(n, 2, 0, ports, 1));
  sluice_network_free(n);
}

static void mistaken(void) {
  sluice_flow f;
  sluice_path path;
  sluice_network n = sluice_network_new();
  built("pfc", "bfc.queues=64");
  built("pfc", "cc=dcqcn");
  built("pfc", "loss=1/100");
  built("pfc", "pfc.xoff=10KB,pfc.xon=20KB");
  built("portfc", "");
  sluice_network_host(n);
  sluice_network_host(n);
  sluice_network_switch(n, 1);
  sluice_network_connect(n, 0, 2, 100000000000, 600000, NULL, NULL);
  sluice_network_connect(n, 1, 2, 100000000000, 600000, NULL, NULL);
  printf("built: %d\n", sluice_network_build(n, "pfc", "", 1, 1, NULL, NULL));
  sluice_flow_between(0, 1, 1, 2, 17, &f);
  printf("paths: %d %d", sluice_network_path(n, 0, SLUICE_LOCAL, &f, &path),
         sluice_network_path(n, 9, SLUICE_LOCAL, &f, &path));
  sluice_network_fail_link(n, 2, 1);
  printf(" %d", sluice_network_path(n, 0, SLUICE_LOCAL, &f, &path));
  sluice_flow_between(0, 77, 1, 2, 17, &f);
  printf(" %d\n", sluice_network_path(n, 0, SLUICE_LOCAL, &f, &path));
  sluice_network_free(n);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "misuse") == 0) {
    misuse();
    mistaken();
    return 0;
  }
  markers();
  pcn();
  network();
  hiq();
  return 0;
}
