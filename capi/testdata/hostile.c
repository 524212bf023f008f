/* Sizes, counts, times and handles that no caller means: each is refused, or harms nothing. The
 * compiler watches the memory, and buffers are as large as they have to be, not a byte larger. An
 * argument is a number of handles that it makes: it prints the nanoseconds that one takes in the
 * first tenth and in the last. */
#include "sluice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int faults;

#define EXPECT(condition)                                        \
  do {                                                           \
    if (!(condition)) {                                          \
      printf("line %d: %s does not hold\n", __LINE__, #condition); \
      faults++;                                                  \
    }                                                            \
  } while (0)

static const size_t sizes[] = {0, 1, 2, 100, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
static const sluice_time times[] = {INT64_MIN, -(1ll << 61), -1, 0, 1ll << 62, INT64_MAX - 1,
                                    INT64_MAX};
#define EACH(i, of) for (size_t i = 0; i < sizeof of / sizeof *of; i++)

/* text calls a function that writes text with every size, into a buffer that just holds it. */
#define TEXT(call)                                              \
  do {                                                          \
    char *text = NULL;                                          \
    size_t size = 0;                                            \
    int64_t all = call;                                         \
    EXPECT(all > 0);                                            \
    EACH(i, sizes) {                                            \
      size = sizes[i];                                          \
      text = malloc((size_t)all < size ? (size_t)all : size ? size : 1); \
      EXPECT(call == all);                                      \
      EXPECT(size < 1 || strlen(text) < size);                  \
      EXPECT(size < (size_t)all || strlen(text) == (size_t)all - 1); \
      free(text);                                               \
    }                                                           \
  } while (0)

static void texts(sluice_machine m) {
  TEXT(sluice_reason(1, text, size));
  TEXT(sluice_describe(m, SLUICE_DUMP, text, size));
  TEXT(sluice_describe(m, SLUICE_COUNTERS, text, size));
  TEXT(sluice_network_parameters(text, size));
  EXPECT(sluice_describe(m, 99, NULL, SIZE_MAX) < 0);
}

static void lengths(sluice_machine m) {
  uint8_t *frame = calloc(1, SLUICE_MAX_LENGTH);
  sluice_wake wake;
  EXPECT(sluice_receive(m, 0, 0, frame, SLUICE_MAX_LENGTH, &wake) == SLUICE_E_FRAME);
  EACH(i, sizes) if (sizes[i] > SLUICE_MAX_LENGTH) {
    EXPECT(sluice_receive(m, 0, 0, frame, sizes[i], &wake) == SLUICE_E_ARGUMENT);
    EXPECT(sluice_receive(m, 0, 0, NULL, sizes[i], &wake) == SLUICE_E_ARGUMENT);
    sluice_op op = {.machine = m, .hook = SLUICE_OP_DEADLINE};
    EXPECT(sluice_run(&op, sizes[i]) == SLUICE_E_ARGUMENT);
  }
  EXPECT(sluice_receive(m, 0, 0, frame, SLUICE_MAX_LENGTH + 1, &wake) == SLUICE_E_ARGUMENT);
  sluice_op op = {.machine = m, .hook = SLUICE_OP_RECEIVE, .data = frame, .length = UINT32_MAX};
  EXPECT(sluice_run(&op, 1) == 1 && op.status == SLUICE_E_ARGUMENT);
  uint16_t *ports = malloc(sizeof *ports);
  EXPECT(sluice_poll_ports(m, ports, SIZE_MAX) >= 0);
  free(ports);
  free(frame);
}

static void clocks(sluice_machine m) {
  sluice_packet packet = {.size = 1500, .ingress = SLUICE_LOCAL};
  EACH(i, times) EACH(j, times) {
    sluice_wake wake;
    sluice_link_down(m, times[i], 0, &wake);
    sluice_link_up(m, times[j], 0, &wake);
    sluice_enqueue(m, times[i], 0, &packet);
    sluice_next(m, times[j], 0);
    sluice_expire(m, times[j], &wake);
    sluice_rebase(m, times[i]);
    EXPECT(sluice_audit(m, NULL) == SLUICE_OK);
  }
}

static void isolation(const char *config) {
  static const int64_t wrong[] = {INT64_MIN, -1, 0, INT32_MAX + 1ll, INT64_MAX - 1, INT64_MAX};
  uint16_t roots[4] = {0, 1, 2, 3};
  uint32_t place;
  sluice_hiq h = sluice_hiq_new(config, NULL);
  EXPECT(h != 0);
  sluice_hiq_adopt(h, 0, 1, 1);
  EACH(i, wrong) {
    EXPECT(sluice_hiq_put(h, 0, wrong[i]) == SLUICE_E_ARGUMENT);
    EXPECT(sluice_hiq_put_output(h, wrong[i]) == SLUICE_E_ARGUMENT);
    EXPECT(sluice_hiq_put_set(h, roots, 1, wrong[i], &place) == SLUICE_E_ARGUMENT);
    EXPECT(sluice_hiq_take(h, 0, 1, 0, wrong[i]) == SLUICE_E_ARGUMENT);
    EXPECT(sluice_hiq_take_output(h, wrong[i]) == SLUICE_E_ARGUMENT);
  }
  EACH(i, sizes) if (sizes[i] != 1)
    EXPECT(sluice_hiq_put_set(h, roots, sizes[i], 1, &place) == SLUICE_E_ARGUMENT);
  for (int i = 0; i < 100; i++) EXPECT(sluice_hiq_put_output(h, INT32_MAX) == SLUICE_OK);
  EXPECT(sluice_hiq_backlog(h, 0) == 100ll * INT32_MAX);
  EXPECT(sluice_hiq_put(h, UINT32_MAX, 1) == SLUICE_E_ARGUMENT);
  EACH(i, times) {
    sluice_hiq_next(h, times[i]);
    sluice_hiq_park(h, times[i], NULL);
    EXPECT(sluice_hiq_audit(h, NULL) == SLUICE_OK);
  }
  EXPECT(sluice_hiq_free(h) == SLUICE_OK);
}

static void markers(void) {
  sluice_marker m = sluice_marker_new("ecn", "Marking.KMin=40KB, Marking.KMax=100KB, Marking.PMax=1/5", NULL);
  sluice_pcn_receiver r = sluice_pcn_receiver_new("", NULL);
  sluice_cnp cnp;
  EXPECT(m != 0 && r != 0);
  EACH(i, times) EACH(j, times) {
    sluice_marker_resumed(m, times[i], times[j]);
    sluice_marker_dequeue(m, times[i], INT64_MIN, times[j], 255);
    sluice_pcn_arrive(r, times[i], INT64_MAX, 255);
    sluice_pcn_expire(r, times[j], &cnp);
  }
  sluice_marker_free(m);
  sluice_pcn_receiver_free(r);
}

static void handles(sluice_machine m) {
  for (int bit = 0; bit < 64; bit++) {
    EXPECT(sluice_ports(m ^ 1ull << bit) == SLUICE_E_HANDLE);
    EXPECT(sluice_ports(1ull << bit) == SLUICE_E_HANDLE);
    EXPECT(sluice_machine_free(m ^ 1ull << bit) == SLUICE_E_HANDLE);
  }
  EXPECT(sluice_ports(0) == SLUICE_E_HANDLE);
  EXPECT(sluice_ports(UINT64_MAX) == SLUICE_E_HANDLE);
}

static int many(long count) {
  sluice_pcn_receiver *all = calloc((size_t)count, sizeof *all);
  double part[2] = {0, 0};
  for (long i = 0; i < count; i++) {
    clock_t before = clock();
    all[i] = sluice_pcn_receiver_new("", NULL);
    if (!all[i] || (i > 0 && all[i] == all[i - 1])) return 1;
    if (i < count / 10 || i >= count - count / 10) part[i >= count / 10] += (double)(clock() - before);
  }
  for (long i = 0; i < count; i++)
    if (sluice_pcn_deadline(all[i]) != SLUICE_NEVER || sluice_pcn_receiver_free(all[i])) return 1;
  for (long i = 0; i < count; i++)
    if (sluice_pcn_receiver_free(all[i]) != SLUICE_E_HANDLE) return 1;
  double each = 1e9 / CLOCKS_PER_SEC / (double)(count / 10);
  printf("%.0f %.0f\n", part[0] * each, part[1] * each);
  free(all);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return many(atol(argv[1]));
  static const char *const links = "Ports=1, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=1us, ";
  static const char *const machines[][2] = {
      {"pfc", "Ports[*].Alpha=1/2, Buffer=1MB"}, {"bfc", "Buffer=1MB"}, {"pyrrha", ""},
      {"ofc", "Buffer=1MB"}, {"cbfc", "Ports[*].Buffer=100KB"}};
  EACH(i, machines) {
    sluice_error error;
    char config[200];
    snprintf(config, sizeof config, "%s%s", links, machines[i][1]);
    sluice_machine m = sluice_machine_new(machines[i][0], config, &error);
    if (!m) {
      printf("%s: %s\n", machines[i][0], error.text);
      return 1;
    }
    texts(m);
    lengths(m);
    clocks(m);
    handles(m);
    EXPECT(sluice_machine_free(m) == SLUICE_OK);
    EXPECT(sluice_machine_free(m) == SLUICE_E_HANDLE);
  }
  isolation("Rate=100Gbps, Levels=4, IQs=10, Roots=8");
  isolation("Rate=100Gbps, Levels=4, IQs=10, Roots=8, SingleTier=true");
  markers();
  return faults != 0;
}
