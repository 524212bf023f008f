/*
 * Two hosts send to a third through one switch, under PFC, Pyrrha or any other flow control:
 *
 *   ./build .
 *   cc -std=c11 -I. testdata/example.c libsluice.a -lpthread -o example
 *   ./example pfc
 *
 * All that a program has to have is here: a clock, FIFOs, links, and who asks whom when. Time goes
 * in slots in which every transmitter sends one frame or one packet.
 */
#include "sluice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 3, NODES = HOSTS + 1, SWITCH = HOSTS, PORTS = HOSTS, DEPTH = 4096, PER_HOST = 2000 };
#define GBPS 1000000000ll
#define SLOT 122080 /* picoseconds of 1,526 bytes at 100 Gb/s */

/* A FIFO of packets: one for each queue of each port. */
typedef struct fifo {
  sluice_packet packet[DEPTH];
  unsigned head, tail;
} fifo;

/* What is on a wire for one slot: a frame, a packet, or nothing. */
typedef struct wire {
  enum { NOTHING, FRAME, PACKET } what;
  sluice_frame frame;
  sluice_packet packet;
} wire;

typedef struct node {
  sluice_machine machine;
  int ports, queues;
  fifo *fifos; /* by port, then queue */
  wire wires[PORTS];
} node;

static node nodes[NODES];
static sluice_network network;
static unsigned lost, delivered, frames;

static void check(int64_t status, const sluice_error *error) {
  if (status < 0) {
    fprintf(stderr, "error %d: %s\n", (int)status, error->text);
    exit(1);
  }
}

static fifo *queue_of(node *n, int port, int queue) { return &n->fifos[port * n->queues + queue]; }

static void push(fifo *f, const sluice_packet *p) { f->packet[f->tail++ % DEPTH] = *p; }

static void enqueue(node *n, sluice_time now, int port, sluice_packet *p) {
  sluice_verdict v = sluice_enqueue(n->machine, now, (uint16_t)port, p);
  if (sluice_action(v) == SLUICE_APPEND)
    push(queue_of(n, port, sluice_queue(v)), p);
  else
    lost++;
}

/* A transmitter is free: a frame first, then a packet; a packet that is moved or dropped is
 * followed by another. */
static void transmit(node *n, sluice_time now, int port, wire *w) {
  int queue;
  w->what = NOTHING;
  if (sluice_poll_frame(n->machine, now, (uint16_t)port, &w->frame) == 1) {
    w->what = FRAME;
    frames++;
    return;
  }
  while ((queue = sluice_next(n->machine, now, (uint16_t)port)) >= 0) {
    fifo *f = queue_of(n, port, queue);
    sluice_packet *p = &f->packet[f->head++ % DEPTH];
    sluice_verdict v = sluice_dequeue(n->machine, now, (uint16_t)port, (uint16_t)queue, p);
    if (sluice_action(v) == SLUICE_APPEND) {
      push(queue_of(n, port, sluice_queue(v)), p);
    } else if (sluice_action(v) == SLUICE_DROP) {
      lost++;
    } else {
      w->what = PACKET;
      w->packet = *p;
      w->packet.ecn = sluice_mark(v);
      w->packet.klass = sluice_class(v, p->klass);
      w->packet.upstream_queue = (uint16_t)queue;
      w->packet.stamped = 1;
      sluice_path_advance(&w->packet.path);
      return;
    }
  }
}

/* What was on the wire has come to the port of a node. */
static void arrive(node *n, sluice_time now, int port, wire *w) {
  if (w->what == FRAME) {
    sluice_error error;
    int32_t status =
        sluice_receive(n->machine, now, (uint16_t)port, w->frame.bytes, w->frame.length, NULL);
    if (status < 0) sluice_machine_error(n->machine, &error);
    check(status, &error);
  } else if (w->what == PACKET && n == &nodes[SWITCH]) {
    w->packet.ingress = (uint16_t)port;
    enqueue(n, now, sluice_path_at(&w->packet.path, 0).port, &w->packet);
  } else if (w->what == PACKET) {
    delivered++;
    sluice_consume(n->machine, now, (uint16_t)port, &w->packet, NULL);
  }
}

static void build(const char *protocol) {
  sluice_error error;
  network = sluice_network_new();
  for (int i = 0; i < HOSTS; i++) sluice_network_host(network);
  sluice_network_switch(network, 1);
  for (uint32_t i = 0; i < HOSTS; i++)
    sluice_network_connect(network, i, SWITCH, 100 * GBPS, 600000, NULL, NULL);
  check(sluice_network_build(network, protocol, "buffer=400KB", 1, 1, NULL, &error), &error);
  for (uint32_t i = 0; i < NODES; i++) {
    node *n = &nodes[i];
    n->machine = sluice_network_machine(network, i, &error);
    check(n->machine ? 0 : error.code, &error);
    n->ports = sluice_ports(n->machine);
    n->queues = sluice_queues(n->machine);
    n->fifos = calloc((size_t)(n->ports * n->queues), sizeof *n->fifos);
    if (!n->fifos) exit(1);
  }
}

int main(int argc, char **argv) {
  sluice_time now = 0;
  sluice_error error;
  unsigned sent[2] = {0, 0};
  build(argc > 1 ? argv[1] : "pfc");
  for (int slot = 0; slot < 8 * PER_HOST && delivered + lost < 2 * PER_HOST; slot++, now += SLOT) {
    static wire before[NODES][PORTS];
    for (int i = 0; i < NODES; i++) memcpy(before[i], nodes[i].wires, sizeof before[i]);
    for (int i = 0; i < NODES; i++) {
      node *n = &nodes[i];
      if (sluice_deadline(n->machine) <= now) sluice_expire(n->machine, now, NULL);
      for (int port = 0; port < n->ports; port++)
        arrive(n, now, port, i == SWITCH ? &before[port][0] : &before[SWITCH][i]);
      if (i < 2 && sent[i] < PER_HOST && sluice_buffered(n->machine) < 3000) {
        sluice_flow flow;
        sluice_packet p = {.size = 1500, .ingress = SLUICE_LOCAL};
        sluice_flow_between((uint32_t)i, 2, (uint16_t)(1000 + sent[i] % 4), 4791, 17, &flow);
        p.flow = sluice_flow_hash(&flow);
        check(sluice_network_path(network, (uint32_t)i, SLUICE_LOCAL, &flow, &p.path), &error);
        enqueue(n, now, 0, &p);
        sent[i]++;
      }
      for (int port = 0; port < n->ports; port++) transmit(n, now, port, &n->wires[port]);
    }
  }
  for (int i = 0; i < NODES; i++) {
    check(sluice_audit(nodes[i].machine, &error), &error);
    free(nodes[i].fifos);
    check(sluice_machine_free(nodes[i].machine), &error);
  }
  sluice_network_free(network);
  printf("sent %u delivered %u lost %u frames %u\n", sent[0] + sent[1], delivered, lost, frames);
  return delivered == sent[0] + sent[1] ? 0 : 2;
}
