/* Carries out the calls that come on standard input and writes their answers to standard output:
 * what TestSideBySide compares with Go. The arguments: how many hooks go into one sluice_run, 1 for
 * calls of their own; then a protocol and the configuration of each machine. */
#include "sluice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES = 2, MOST = 64 };

/* Calls beside the hooks of sluice_run. */
enum { POLL_PORT = 32, REBASE, DEADLINE, BACKLOG, SENDABLE, BUFFERED, COUNTED, QUIESCENT, AUDIT };

typedef struct request {
  int64_t now;
  uint16_t hook, port, queue, length; /* length bytes of a frame follow */
  uint32_t machine, zero;
  sluice_packet packet;
} request;

typedef struct reply {
  uint64_t result;
  uint64_t note; /* of the packet */
  int32_t status;
  uint32_t length; /* of what follows, padded to 8 bytes: a frame with its kind, or counters */
} reply;

static sluice_machine machines[MACHINES];
static request requests[MOST];
static uint8_t bytes[MOST][1536];
static sluice_frame frames[MOST];
static sluice_op ops[MOST];

static void die(const char *why) {
  fprintf(stderr, "replay: %s\n", why);
  exit(1);
}

static void get(void *to, size_t size) {
  if (size > 0 && fread(to, size, 1, stdin) != 1) die("the input ends within a request");
}

static void put(const void *from, size_t size) {
  if (size > 0 && fwrite(from, size, 1, stdout) != 1) die("cannot write the answers");
}

static void answer(uint64_t result, int32_t status, uint64_t note, const void *what,
                   uint32_t size) {
  static const uint8_t zeros[8];
  reply r = {result, note, status, size};
  put(&r, sizeof r);
  put(what, size);
  put(zeros, -size & 7);
}

/* A hook of sluice_run as a call of its own. */
static void single(sluice_op *op) {
  sluice_wake wake = 0;
  op->status = SLUICE_OK;
  switch (op->hook) {
    case SLUICE_OP_ENQUEUE:
      op->result = sluice_enqueue(op->machine, op->now, op->port, op->data);
      return;
    case SLUICE_OP_NEXT: op->status = sluice_next(op->machine, op->now, op->port); return;
    case SLUICE_OP_DEQUEUE:
      op->result = sluice_dequeue(op->machine, op->now, op->port, op->queue, op->data);
      if (op->result == SLUICE_REFUSED) op->status = SLUICE_E_ARGUMENT;
      return;
    case SLUICE_OP_POLL_FRAME:
      op->status = sluice_poll_frame(op->machine, op->now, op->port, op->data);
      return;
    case SLUICE_OP_POLL:
      op->status = sluice_poll(op->machine, op->now, op->port, op->data);
      return;
    case SLUICE_OP_OWES: op->status = sluice_owes(op->machine, op->port); return;
    case SLUICE_OP_RECEIVE:
      op->status = sluice_receive(op->machine, op->now, op->port, op->data, op->length, &wake);
      break;
    case SLUICE_OP_CONSUME:
      op->status = sluice_consume(op->machine, op->now, op->port, op->data, &wake);
      break;
    case SLUICE_OP_EXPIRE: op->status = sluice_expire(op->machine, op->now, &wake); break;
    case SLUICE_OP_LINK_DOWN:
      op->status = sluice_link_down(op->machine, op->now, op->port, &wake);
      break;
    case SLUICE_OP_LINK_UP:
      op->status = sluice_link_up(op->machine, op->now, op->port, &wake);
      break;
    default: die("a hook that there is not");
  }
  op->result = wake;
}

static void carry_out(int count, int batch) {
  if (batch > 1) {
    sluice_run(ops, (size_t)count);
  } else {
    for (int i = 0; i < count; i++) single(&ops[i]);
  }
  for (int i = 0; i < count; i++) {
    sluice_frame *f = &frames[i];
    if ((ops[i].hook == SLUICE_OP_POLL_FRAME && ops[i].status == 1) ||
        (ops[i].hook == SLUICE_OP_POLL && ops[i].status == SLUICE_FRAME)) {
      uint8_t text[sizeof f->kind + SLUICE_MAX_FRAME];
      memcpy(text, f->kind, sizeof f->kind);
      memcpy(text + sizeof f->kind, f->bytes, f->length);
      answer(0, ops[i].status, 0, text, (uint32_t)sizeof f->kind + f->length);
    } else {
      answer(ops[i].result, ops[i].status, requests[i].packet.note, NULL, 0);
    }
  }
}

static void other(const request *r) {
  sluice_machine m = machines[r->machine];
  sluice_counters c;
  switch (r->hook) {
    case POLL_PORT: answer(0, sluice_poll_port(m), 0, NULL, 0); return;
    case REBASE: answer(0, sluice_rebase(m, r->now), 0, NULL, 0); return;
    case DEADLINE: answer((uint64_t)sluice_deadline(m), 0, 0, NULL, 0); return;
    case BACKLOG: answer((uint64_t)sluice_backlog(m, r->port, r->queue), 0, 0, NULL, 0); return;
    case SENDABLE: answer(0, sluice_sendable(m, r->port, r->queue), 0, NULL, 0); return;
    case BUFFERED: answer((uint64_t)sluice_buffered(m), 0, 0, NULL, 0); return;
    case QUIESCENT: answer(0, sluice_quiescent(m, NULL), 0, NULL, 0); return;
    case AUDIT: answer(0, sluice_audit(m, NULL), 0, NULL, 0); return;
    case COUNTED: {
      int32_t status = sluice_counted(m, r->port, &c);
      answer(0, status, 0, &c, sizeof c);
      return;
    }
  }
  die("a call that there is not");
}

int main(int argc, char **argv) {
  sluice_error error;
  int batch, waiting = 0;
  if (argc != 3 + MACHINES || (batch = atoi(argv[1])) < 1 || batch > MOST)
    die("usage: replay BATCH PROTOCOL CONFIG CONFIG");
  if (sluice_abi() != SLUICE_ABI) die("sluice.h is of another version than the library");
  for (int i = 0; i < MACHINES; i++) {
    if (!(machines[i] = sluice_machine_new(argv[2], argv[3 + i], &error))) die(error.text);
  }
  for (;;) {
    request *r = &requests[waiting];
    size_t got = fread(r, 1, sizeof *r, stdin);
    if (got == 0) break;
    if (got != sizeof *r) die("the input ends within a request");
    if (r->hook == 0) { /* the end of a round */
      carry_out(waiting, batch);
      waiting = 0;
      fflush(stdout);
      continue;
    }
    if (r->hook >= POLL_PORT) {
      carry_out(waiting, batch);
      waiting = 0;
      other(r);
      continue;
    }
    get(bytes[waiting], r->length);
    sluice_op *op = &ops[waiting];
    *op = (sluice_op){.machine = machines[r->machine],
                      .now = r->now,
                      .hook = r->hook,
                      .port = r->port,
                      .queue = r->queue,
                      .length = r->length};
    op->data = r->hook == SLUICE_OP_RECEIVE      ? (void *)bytes[waiting]
               : r->hook == SLUICE_OP_POLL_FRAME ? (void *)&frames[waiting]
               : r->hook == SLUICE_OP_POLL       ? (void *)&frames[waiting]
                                                 : (void *)&r->packet;
    if (++waiting == batch) {
      carry_out(waiting, batch);
      waiting = 0;
    }
  }
  for (int i = 0; i < MACHINES; i++) {
    if (sluice_machine_free(machines[i]) != SLUICE_OK) die("a machine cannot be freed");
    if (sluice_deadline(machines[i]) != SLUICE_E_HANDLE) die("a machine is there that was freed");
  }
  return 0;
}
