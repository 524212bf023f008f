/* Measures what a hook costs from C: one call for each, and 32 in one call. Prints nanoseconds for
 * each hook: single, then in batches. The arguments: a protocol, a configuration, rounds. */
#define _POSIX_C_SOURCE 199309L
#include "sluice.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 32 };

static sluice_machine m;
static sluice_time now;
static sluice_packet packets[BATCH];
static sluice_op ops[BATCH];

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *why) {
  fprintf(stderr, "bench: %s\n", why);
  exit(1);
}

/* A packet to each of 32 ports, and out of them again. */
static void single(void) {
  for (uint16_t i = 0; i < BATCH; i++) sluice_enqueue(m, now, i, &packets[i]);
  for (uint16_t i = 0; i < BATCH; i++) {
    int queue = sluice_next(m, now, i);
    if (queue < 0) fail("no queue may go");
    sluice_dequeue(m, now, i, (uint16_t)queue, &packets[i]);
  }
}

static void hooks(uint16_t hook) {
  for (int i = 0; i < BATCH; i++) {
    ops[i].hook = hook;
    ops[i].now = now;
    if (hook == SLUICE_OP_DEQUEUE) ops[i].queue = (uint16_t)ops[i].status;
  }
  if (sluice_run(ops, BATCH) != 0) fail("a hook was refused");
}

static void batches(void) {
  hooks(SLUICE_OP_ENQUEUE);
  hooks(SLUICE_OP_NEXT);
  hooks(SLUICE_OP_DEQUEUE);
}

static double measure(void (*round)(void), int rounds) {
  double least = 1e9;
  for (int sample = 0; sample < 10; sample++) {
    double began = seconds();
    for (int i = 0; i < rounds; i++, now += 4000000) round();
    double took = 1e9 * (seconds() - began) / ((double)rounds * BATCH * 3);
    if (took < least) least = took;
  }
  return least;
}

int main(int argc, char **argv) {
  sluice_error error;
  if (argc != 4) fail("usage: bench PROTOCOL CONFIG ROUNDS");
  if (!(m = sluice_machine_new(argv[1], argv[2], &error))) fail(error.text);
  for (uint16_t i = 0; i < BATCH; i++) {
    packets[i] = (sluice_packet){
        .flow = i * 0x9e3779b97f4a7c15u, .size = 1500, .ingress = (uint16_t)(BATCH - 1 - i)};
    sluice_path_append(&packets[i].path, 1, i);
    ops[i] = (sluice_op){.machine = m, .data = &packets[i], .port = i};
  }
  int rounds = atoi(argv[3]);
  printf("%.1f %.1f\n", measure(single, rounds), measure(batches, rounds));
  sluice_machine_free(m);
  return 0;
}
