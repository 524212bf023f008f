/*
 * sluice.h: per-hop flow control for lossless networks (PFC, BFC, OFC, Pyrrha, PortFC, CBFC), its
 * congestion markers (TCD, PCN, FECN, ECN), hash-aware paths and hierarchical isolation queues; and
 * sluice_simulator, a simulated network with its hosts.
 *
 * Link with libsluice.a or libsluice.so: `make install` beside this file puts them where pkg-config
 * and CMake find them. To make them takes Go 1.26, a C compiler, and once the network, for two
 * modules that are linked in. sluice.hpp has handles, errors and a driver for C++.
 *
 * A machine is the flow control of one device, a switch or a network card. It decides and counts;
 * packets stay with you. You keep one FIFO for each queue of each port, and call:
 *
 *   sluice_enqueue      a packet was routed to an egress port: append it to a queue, or drop it
 *   sluice_poll         a transmitter is free: a control frame to send first? Else, the head of
 *                       which queue goes next? (sluice_poll_frame and sluice_next in one)
 *   sluice_dequeue      that head was taken: transmit it, append it to another queue, or drop it
 *   sluice_receive      a control frame came in at a port
 *   sluice_link_down    the link of a port failed; sluice_link_up: it is there again
 *   sluice_expire       the time of sluice_deadline has come
 *
 * A transmitter that is free asks its port for a frame, then for a packet, and sends the first that
 * it gets; if it gets neither it is idle. Hooks answer with a word, a sluice_wake (a sluice_verdict
 * carries one), that says which port may have something to send now. After sluice_enqueue the port
 * of that call may. A frame leaves after the packets that were dequeued before it was polled. An
 * idle port need not be asked until a wake names it: nearly all polls without one find nothing.
 *
 * Events of one instant may come in any order, but completion times depend on it. To compare them
 * with the library's simulator, let what arrives arrive before a transmitter becomes free.
 *
 * A host pulls if it gives its card a packet of a flow only when the card can send it, instead of
 * queueing all it has: it enqueues while sluice_buffered is below a packet or two and, under
 * Pyrrha, only packets of flows that sluice_blocked does not name. It looks again when its
 * transmitter is free and when a wake names the port.
 *
 * Handles are integers. 0 is none. A handle that was freed is refused, not followed. Nothing keeps
 * a pointer that it is given beyond the call, and nothing here returns a pointer. Different
 * machines may be used by different threads at the same time; one machine, with all its ports, and
 * what hangs on it, by one thread at a time. A network may be read (path, egress) by several.
 *
 * A child of fork cannot use the library, as Go's threads are not copied: every call is refused,
 * with SLUICE_E_FORKED where there is room for it. A parameter sweep forks and calls exec, or forks
 * before it loads the library (dlopen). posix_spawn and system do no harm.
 *
 * Time is in picoseconds from any origin and does not go back. 64 bits last for 106 days; a device
 * that lives longer moves the origin by sluice_rebase now and then.
 *
 * The functions that a program calls for each packet cost it the way from C into Go, tens of
 * nanoseconds: sluice_send and sluice_pass do several hooks in one call, sluice_run any number.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define SLUICE_ASSERT static_assert
#else
#define SLUICE_ASSERT _Static_assert
#endif

/* The version of this interface; sluice_abi returns the version of the library. The upper 16 bits
 * change when a program has to be compiled anew, the lower 16 when something was added. */
#define SLUICE_ABI 0x00020000u
uint32_t sluice_abi(void);

typedef uint64_t sluice_machine;
typedef uint64_t sluice_network;
typedef uint64_t sluice_marker;
typedef uint64_t sluice_hiq;
typedef uint64_t sluice_pcn_receiver;
typedef uint64_t sluice_pcn_sender;
typedef uint64_t sluice_simulator;

typedef int64_t sluice_time;
#define SLUICE_NEVER INT64_MAX

#define SLUICE_LOCAL 0xffffu  /* the ingress of a host's own packets */
#define SLUICE_MAX_HOPS 8     /* of a path */
#define SLUICE_MAX_PACKET 2147483647 /* bytes of a packet */
#define SLUICE_MAX_FRAME 1514 /* bytes of a control frame, without its check sequence */
#define SLUICE_CLASSES 8
#define SLUICE_REASONS 10

/* --- Errors --- */

/* What functions return that can fail: 0 or more is success, SLUICE_NONE is no error. */
enum {
  SLUICE_OK = 0,
  SLUICE_E_HANDLE = -1,   /* no such handle, or it was freed */
  SLUICE_E_ARGUMENT = -2, /* a null pointer, a port, queue, root or path that cannot be */
  SLUICE_E_CONFIG = -3,   /* a configuration breaks a rule: the text names field, value and rule */
  SLUICE_E_FRAME = -4,    /* bytes that are no frame: counted, nothing else changed */
  SLUICE_E_BROKEN = -5,   /* sluice_audit: an invariant; the text names it */
  SLUICE_E_BUSY = -6,     /* sluice_quiescent: something is held; the text says what */
  SLUICE_E_UNSUPPORTED = -7, /* this protocol has no such hook */
  SLUICE_E_INTERNAL = -8,    /* an error of the library, which it caught */
  SLUICE_E_FORKED = -9       /* the process is a child of fork */
};
/* No queue, no port: an answer and no error. */
#define SLUICE_NONE (-100)

/* The text of an error. Pointers to it may be null. */
typedef struct sluice_error {
  int32_t code;
  char text[508]; /* ends in 0; cut off if it is longer */
} sluice_error;
SLUICE_ASSERT(sizeof(sluice_error) == 512, "layout of sluice_error");

/* --- Packets --- */

/* An egress port anywhere in the network. */
typedef struct sluice_hop {
  uint32_t node;
  uint16_t port;
  uint16_t zero;
} sluice_hop;
SLUICE_ASSERT(sizeof(sluice_hop) == 8, "layout of sluice_hop");

/* The rest of a packet's way, the port at hand first; all zeros is the empty path. The functions
 * below read and change it. Pyrrha and PortFC read it. */
typedef struct sluice_path {
  uint8_t ends; /* bits 0-3: how many hops were taken; bits 4-7: how many remain */
  uint8_t ports[SLUICE_MAX_HOPS][2], nodes[SLUICE_MAX_HOPS][4]; /* little-endian */
} sluice_path;
SLUICE_ASSERT(sizeof(sluice_path) == 49, "layout of sluice_path");

/* How many hops remain. */
static inline int sluice_path_length(const sluice_path *p) { return p->ends >> 4; }
/* A hop that remains, 0 the nearest: i must be less than the length. */
static inline sluice_hop sluice_path_at(const sluice_path *p, int i) {
  int at = (p->ends + i) % SLUICE_MAX_HOPS;
  const uint8_t *port = p->ports[at], *n = p->nodes[at];
  uint32_t node = n[0] | (uint32_t)n[1] << 8 | (uint32_t)n[2] << 16 | (uint32_t)n[3] << 24;
  sluice_hop hop = {node, (uint16_t)(port[0] | port[1] << 8), 0};
  return hop;
}
/* Adds a hop at the far end; 0, and no change, if SLUICE_MAX_HOPS were added already. */
static inline int sluice_path_append(sluice_path *p, uint32_t node, uint16_t port) {
  int end = (p->ends & 15) + (p->ends >> 4);
  if (end >= SLUICE_MAX_HOPS) return 0;
  for (int i = 0; i < 4; i++) p->nodes[end][i] = (uint8_t)(node >> 8 * i);
  for (int i = 0; i < 2; i++) p->ports[end][i] = (uint8_t)(port >> 8 * i);
  p->ends = (uint8_t)(p->ends + 16);
  return 1;
}
/* Drops the nearest hop, if there is one: the packet has left by it. */
static inline void sluice_path_advance(sluice_path *p) {
  if (sluice_path_length(p) > 0) p->ends = (uint8_t)(p->ends - 15);
}

/* Code points of RFC 3168. SLUICE_ECT0 is TCD's mark of undetermined congestion. */
enum { SLUICE_NOT_ECT = 0, SLUICE_ECT1 = 1, SLUICE_ECT0 = 2, SLUICE_CE = 3, SLUICE_UE = 2 };

/* What a machine may know of a packet. Keep it with your packet and give it to sluice_enqueue and
 * to sluice_dequeue of the same port with every field as it was. */
typedef struct sluice_packet {
  uint64_t flow;           /* a hash of the five-tuple: sluice_flow_hash (BFC, OFC) */
  uint64_t note;           /* the machine's own: leave it alone */
  int64_t size;            /* bytes, as the buffer counts them; 1 to SLUICE_MAX_PACKET */
  uint16_t ingress;        /* the port it came in by, or SLUICE_LOCAL */
  uint16_t upstream_queue; /* the queue of the device before, which that stamped on it (BFC) */
  uint8_t klass;           /* the priority, 0 to 7 */
  uint8_t ecn;
  uint8_t stamped; /* 1: upstream_queue is what the device before stamped; else 0 */
  sluice_path path;
} sluice_packet;
SLUICE_ASSERT(sizeof(sluice_packet) == 80, "layout of sluice_packet");
SLUICE_ASSERT(offsetof(sluice_packet, path) == 31, "layout of sluice_packet");

/* A control frame: the first length of bytes go on the wire, a check sequence behind them. */
typedef struct sluice_frame {
  uint16_t length;
  uint16_t overhead; /* byte times on the wire beside length, without preamble and gap */
  char kind[12];     /* "pause"; ends in 0 */
  uint8_t bytes[1520];
} sluice_frame;
SLUICE_ASSERT(sizeof(sluice_frame) == 1536, "layout of sluice_frame");

/* --- Answers of hooks --- */

typedef uint32_t sluice_wake;
enum {
  SLUICE_WAKE_ONE = 1,     /* sluice_wake_port may have something to send */
  SLUICE_WAKE_SEVERAL = 2, /* call sluice_poll_port until it answers negative */
  SLUICE_WAKE_DEADLINE = 4 /* sluice_deadline changed */
};
static inline uint16_t sluice_wake_port(sluice_wake w) { return (uint16_t)(w >> 16); }

typedef uint64_t sluice_verdict;
enum { SLUICE_DROP = 0, SLUICE_APPEND = 1, SLUICE_TRANSMIT = 2 };

/* The call was misuse and did nothing, and sluice_machine_error says how: a handle, port or path
 * that cannot be, a dequeue from a queue that is empty or of a packet that was not enqueued so. A
 * packet that sluice_enqueue finds malformed is dropped, and sluice_why says how. */
#define SLUICE_REFUSED ((sluice_verdict)0)

static inline int sluice_action(sluice_verdict v) { return (int)(v >> 16 & 3); }
/* of SLUICE_APPEND: the queue to append the packet to */
static inline uint16_t sluice_queue(sluice_verdict v) { return (uint16_t)v; }
/* of SLUICE_TRANSMIT: the code point that the packet leaves with */
static inline uint8_t sluice_mark(sluice_verdict v) { return (uint8_t)(v >> 18 & 3); }
/* of SLUICE_TRANSMIT: the class that the packet leaves in, which came in klass */
static inline uint8_t sluice_class(sluice_verdict v, uint8_t klass) {
  return (v >> 23 & 1) ? (uint8_t)(v >> 20 & 7) : klass;
}
/* of SLUICE_DROP: why, an index of sluice_counters.dropped; sluice_reason has the text */
static inline uint8_t sluice_why(sluice_verdict v) { return (uint8_t)(v >> 24); }
static inline sluice_wake sluice_verdict_wake(sluice_verdict v) { return (sluice_wake)(v >> 32); }

/* What every protocol counts at a port. */
typedef struct sluice_counters {
  uint64_t enqueued, moved, transmitted;
  uint64_t dropped[SLUICE_REASONS];
  uint64_t incomplete; /* packets without what the protocol needs: a path under pyrrha and portfc,
                          a stamp under bfc */
  uint64_t outside;    /* packets of classes that the configuration leaves out */
  uint64_t frames_sent, frames_received, malformed, stale, ignored, resynchronised;
  uint64_t misuse;
} sluice_counters;
SLUICE_ASSERT(sizeof(sluice_counters) == 8 * (3 + SLUICE_REASONS + 9), "layout of sluice_counters");

/* Functions that write text write at most size bytes, the last of them 0, and return how many the
 * whole text takes with it; a negative number is an error. SIZE_MAX is a size: nothing behind the
 * text is touched. */

/* What a drop's reason means. */
int64_t sluice_reason(uint8_t why, char *text, size_t size);

/* --- Machines --- */

/*
 * Makes the machine of one device, not 0 unless there is an error.
 *
 * protocol: "pfc", "bfc", "ofc", "pyrrha", "portfc" or "cbfc", whose configuration is the zero
 * value of the Go package's Config; "bfc-authors" and "bfc-pyrrha", the forms of published
 * code; each name with "-host" behind it, the network card of a host with one port.
 *
 * config: assignments, separated by commas or line ends, of the fields of that Config, by the names
 * that its documentation and error texts have; [*] is every element:
 *
 *   Ports=32, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=600ns, Buffer=20MiB,
 *   Ports[*].Alpha=1/8, Ports[*].Headroom=40KB
 *
 * Bytes, rates and times have units; fractions are 1/8, 0.125 or 12.5%; sets of classes 3+4, all or
 * none; constants of a type with names are written by name or number. # begins a comment.
 */
sluice_machine sluice_machine_new(const char *protocol, const char *config, sluice_error *error);

/* Frees the machine. Handles of other machines stay good. */
int32_t sluice_machine_free(sluice_machine m);

int32_t sluice_ports(sluice_machine m);
int32_t sluice_queues(sluice_machine m); /* of each port */

/* Why the last call for this machine was refused, with its code; or why its last frame was. */
int32_t sluice_machine_error(sluice_machine m, sluice_error *error);

/* The hooks. To misuse, hooks that answer a verdict answer SLUICE_REFUSED, and hooks that answer a
 * number answer a negative number. A wake pointer may be null. */

sluice_verdict sluice_enqueue(sluice_machine m, sluice_time now, uint16_t port, sluice_packet *p);

/* What a free transmitter asks: SLUICE_FRAME and the frame to send first; else as sluice_next, the
 * queue whose head goes, or SLUICE_NONE. */
enum { SLUICE_FRAME = 0x10000 };
int32_t sluice_poll(sluice_machine m, sluice_time now, uint16_t port, sluice_frame *f);

/* 0 if sluice_poll_frame has no frame for sure, else 1: it changes nothing. */
int32_t sluice_owes(sluice_machine m, uint16_t port);

/* 1 and the frame, 0 if there is none. */
int32_t sluice_poll_frame(sluice_machine m, sluice_time now, uint16_t port, sluice_frame *f);

/* The queue, SLUICE_NONE if none may go now. */
int32_t sluice_next(sluice_machine m, sluice_time now, uint16_t port);

sluice_verdict sluice_dequeue(sluice_machine m, sluice_time now, uint16_t port, uint16_t queue,
                              sluice_packet *p);

/* Several hooks in one call, for programs that keep, for each queue of a port, the packet at its
 * head: heads has as many pointers as the port has queues, null where a queue is empty.
 *
 * sluice_send is sluice_poll, and if that answers a queue sluice_dequeue of its head, whose verdict
 * is *v. sluice_pass is sluice_enqueue, whose verdict is v[0], and for a transmitter that is free
 * sluice_send, with v[1]; where heads has no packet of the queue that it goes to, p is the head. It
 * answers SLUICE_NONE without asking if v[0] is a wake: the ports that it names come first. */
int32_t sluice_send(sluice_machine m, sluice_time now, uint16_t port, sluice_packet *const *heads,
                    sluice_frame *f, sluice_verdict *v);
int32_t sluice_pass(sluice_machine m, sluice_time now, uint16_t port, sluice_packet *p,
                    sluice_packet *const *heads, sluice_frame *f, sluice_verdict *v);

#define SLUICE_MAX_LENGTH 65535

/* A control frame came in, without its check sequence. SLUICE_E_FRAME if the bytes are no frame,
 * SLUICE_E_ARGUMENT if there are more than SLUICE_MAX_LENGTH. */
int32_t sluice_receive(sluice_machine m, sluice_time now, uint16_t port, const uint8_t *frame,
                       size_t length, sluice_wake *wake);

/* A packet came in by the port and goes no further: delivered, or discarded before any enqueue.
 * Credit-based flow control counts it, others do nothing: sluice_consumes says which, by 1 or 0. */
int32_t sluice_consumes(sluice_machine m);
int32_t sluice_consume(sluice_machine m, sluice_time now, uint16_t port, sluice_packet *p,
                       sluice_wake *wake);

int32_t sluice_link_down(sluice_machine m, sluice_time now, uint16_t port, sluice_wake *wake);
int32_t sluice_link_up(sluice_machine m, sluice_time now, uint16_t port, sluice_wake *wake);
int32_t sluice_expire(sluice_machine m, sluice_time now, sluice_wake *wake);

/* The earliest timer, SLUICE_NEVER if none. sluice_poll_frame and sluice_poll_port do not
 * change it; after other hooks SLUICE_WAKE_DEADLINE says that it changed. */
sluice_time sluice_deadline(sluice_machine m);

/* After SLUICE_WAKE_SEVERAL: a port, or SLUICE_NONE. */
int32_t sluice_poll_port(sluice_machine m);
/* The same for several ports: writes the next ports, as far as there is room, and returns how many
 * they are. If there was no room for all, ask again. */
int32_t sluice_poll_ports(sluice_machine m, uint16_t *ports, size_t room);

/* From now on every time is less by that. */
int32_t sluice_rebase(sluice_machine m, sluice_time by);

/* Getters. */
int64_t sluice_backlog(sluice_machine m, uint16_t port, uint16_t queue);  /* bytes */
int32_t sluice_sendable(sluice_machine m, uint16_t port, uint16_t queue); /* nothing holds it: 1 */
int64_t sluice_buffered(sluice_machine m);                                /* bytes, all queues */
int32_t sluice_counted(sluice_machine m, uint16_t port, sluice_counters *c);

/* Recomputes the invariants the slow way: SLUICE_E_BROKEN if one does not hold. */
int32_t sluice_audit(sluice_machine m, sluice_error *error);
/* SLUICE_E_BUSY as long as anything is queued, paused or isolated. */
int32_t sluice_quiescent(sluice_machine m, sluice_error *error);

/* The state for people to read; everything that the protocol counts, as JSON; its whole state, as
 * JSON; its configuration with all defaults, as JSON. */
enum { SLUICE_DUMP = 0, SLUICE_COUNTERS = 1, SLUICE_SNAPSHOT = 2, SLUICE_CONFIGURATION = 3 };
int64_t sluice_describe(sluice_machine m, int32_t what, char *text, size_t size);

/* Pyrrha alone. A paused root on the way of a host's packet, whose path begins with this port: 1
 * and the root, or 0. A host that pulls packets from flows asks before it takes one. */
int32_t sluice_blocked(sluice_machine m, uint16_t port, const sluice_path *path, sluice_hop *root);
/* The host behind a card cannot take what it receives (on is 1), or can again. */
int32_t sluice_congested(sluice_machine m, sluice_time now, uint16_t port, int32_t on,
                         sluice_wake *wake);
/* A flow control beneath pauses the port (on is 1), or resumes it. */
int32_t sluice_hold(sluice_machine m, sluice_time now, uint16_t port, int32_t on,
                    sluice_wake *wake);

/* --- Many hooks in one call --- */

enum {
  SLUICE_OP_ENQUEUE = 1,    /* data: sluice_packet;  result: the verdict */
  SLUICE_OP_NEXT = 2,       /*                       status: as sluice_next */
  SLUICE_OP_DEQUEUE = 3,    /* data: sluice_packet;  result: the verdict */
  SLUICE_OP_POLL_FRAME = 4, /* data: sluice_frame;   status: as sluice_poll_frame */
  SLUICE_OP_RECEIVE = 5,    /* data: length bytes;   result: the wake */
  SLUICE_OP_CONSUME = 6,    /* data: sluice_packet;  result: the wake */
  SLUICE_OP_EXPIRE = 7,     /*                       result: the wake */
  SLUICE_OP_LINK_DOWN = 8,  /*                       result: the wake */
  SLUICE_OP_LINK_UP = 9,    /*                       result: the wake */
  SLUICE_OP_POLL = 10,      /* data: sluice_frame;   status: as sluice_poll */
  SLUICE_OP_POLL_PORT = 11, /*                       status: as sluice_poll_port */
  SLUICE_OP_DEADLINE = 12,  /*                       result: the time */
  SLUICE_OP_OWES = 13       /*                       status: as sluice_owes */
};

/* A hook with what it gets and what it answers. */
typedef struct sluice_op {
  sluice_machine machine;
  sluice_time now;
  void *data;
  uint64_t result;
  int32_t status; /* SLUICE_OK or more, or an error */
  uint32_t length;
  uint16_t hook;
  uint16_t port;
  uint16_t queue;
  uint16_t zero;
} sluice_op;
SLUICE_ASSERT(sizeof(sluice_op) == 48, "layout of sluice_op");

#define SLUICE_MAX_OPS (1 << 24)

/* Carries out the hooks in their order; they may be of several machines. Returns how many were
 * refused; the others are done. Of more than SLUICE_MAX_OPS it does none, and answers
 * SLUICE_E_ARGUMENT. */
int64_t sluice_run(sluice_op *ops, size_t count);

/* --- Networks --- */

/* A network of hosts and switches, how packets go through it, and the machines of all its nodes,
 * configured for one another. Declare the nodes and links, then build. A host has one port and does
 * not forward: the devices of node-centric networks, PortFC's, are made by sluice_machine_new. */
sluice_network sluice_network_new(void);
/* Machines that were made of it stay. */
int32_t sluice_network_free(sluice_network n);

/* Nodes are numbered from 0 in the order in which they are declared. tier is the distance of a
 * switch from the hosts: 1 is at the top of a rack, 2 a spine, 3 a core. */
int32_t sluice_network_host(sluice_network n);
int32_t sluice_network_switch(sluice_network n, int32_t tier);

/* A link between the next free ports of two nodes, which it returns; at_a and at_b may be null. The
 * nodes differ, the rate is positive, the delay is not negative. */
int32_t sluice_network_connect(sluice_network n, uint32_t a, uint32_t b, int64_t bits_per_second,
                               sluice_time delay, uint16_t *at_a, uint16_t *at_b);

/* Packets for a host leave a node by these ports, which it has already, whatever the shortest paths
 * are. */
int32_t sluice_network_route(sluice_network n, uint32_t at, uint32_t host, const uint16_t *ports,
                             size_t count);

/* What hosts send in a network, as the parameters say. */
typedef struct sluice_traffic {
  int64_t window;    /* payload bytes that a flow may have unacknowledged */
  int64_t payload;   /* of a full packet, bytes */
  int64_t header;    /* bytes that a packet has beside its payload */
  int64_t ack_size;  /* bytes of an acknowledgement */
  uint8_t ack_class; /* 8: the class of the data */
  uint8_t ecn;       /* the code point of data */
  uint8_t zero[6];
} sluice_traffic;
SLUICE_ASSERT(sizeof(sluice_traffic) == 40, "layout of sluice_traffic");

/*
 * protocol: a choice of flow control of the simulator, "none" among them; set: its parameters,
 * "buffer=20MiB,detect=tcd", which sluice_network_parameters and `go run ./bench list
 * parameters` list. Parameters of another flow control or marker, and parameters of the simulator's
 * hosts and links ("cc", "transport", "loss"), are errors, as is a configuration that a machine
 * refuses. classes: a bit for each class of data; 0: class 0. traffic may be null.
 */
int32_t sluice_network_build(sluice_network n, const char *protocol, const char *set,
                             uint8_t classes, uint64_t seed, sluice_traffic *traffic,
                             sluice_error *error);
int64_t sluice_network_parameters(char *text, size_t size);

/* The machine of a node, with the marker that parameter detect asks for. Yours to free. */
sluice_machine sluice_network_machine(sluice_network n, uint32_t node, sluice_error *error);

/* --- Paths --- */

/* What a switch's hash may read. An IPv4 address is in the first four bytes, the rest is 0. */
typedef struct sluice_flow {
  uint8_t src[16], dst[16];
  uint16_t src_port, dst_port;
  uint32_t flow_label;
  uint8_t protocol;
  uint8_t is6; /* 0 or 1 */
  uint16_t zero;
} sluice_flow;
SLUICE_ASSERT(sizeof(sluice_flow) == 44, "layout of sluice_flow");

/* The IPv4 flow between two hosts that have the addresses 10.0.0.0 plus their number, as hosts of a
 * sluice_network have. */
int32_t sluice_flow_between(uint32_t src, uint32_t dst, uint16_t src_port, uint16_t dst_port,
                            uint8_t protocol, sluice_flow *f);
uint64_t sluice_flow_hash(const sluice_flow *f); /* for sluice_packet.flow */

/* The way of a packet from a node on that it reached by ingress, SLUICE_LOCAL if it is its own. The
 * status is one of these or another error; a path that is too long goes on from its end. */
enum {
  SLUICE_PATH_OK = 0,            /* it ends at the destination */
  SLUICE_PATH_UNKNOWN = -11,     /* the node was not declared */
  SLUICE_PATH_NO_ROUTE = -12,    /* no host has the destination address */
  SLUICE_PATH_UNREACHABLE = -13, /* links are down */
  SLUICE_PATH_TOO_LONG = -14     /* cut off after SLUICE_MAX_HOPS hops */
};
int32_t sluice_network_path(sluice_network n, uint32_t at, uint16_t ingress, const sluice_flow *f,
                            sluice_path *path);
/* Its first port, SLUICE_NONE if there is none. */
int32_t sluice_network_egress(sluice_network n, uint32_t at, uint16_t ingress,
                              const sluice_flow *f);
int32_t sluice_network_fail_link(sluice_network n, uint32_t node, uint16_t port);
int32_t sluice_network_restore_link(sluice_network n, uint32_t node, uint16_t port);

/* --- Markers --- */

/*
 * A congestion detector of one queue: "tcd", "fecn", "npecn" (PCN's congestion point) or "ecn", its
 * configuration as in sluice_machine_new: "MaxTon=50us, Marking.KMin=40KB, ..."
 *
 * Tell it when its queue is held no longer (sluice_sendable was 0 before a hook and is 1 after it),
 * and of each packet that leaves, with the queue's bytes behind it: it answers the code point.
 */
sluice_marker sluice_marker_new(const char *kind, const char *config, sluice_error *error);
int32_t sluice_marker_free(sluice_marker m);
int32_t sluice_marker_resumed(sluice_marker m, sluice_time now, int64_t backlog);
int32_t sluice_marker_dequeue(sluice_marker m, sluice_time now, int64_t size, int64_t backlog,
                              uint8_t ecn);

/* PCN's receiver and sender of one flow; configurations "Period=50us, Share=95%" and
 * "LineRate=100Gbps, WMin=1/128, WMax=1/2". */
typedef struct sluice_cnp {
  uint32_t rate_mbps; /* the receiving rate */
  uint8_t congested;  /* slow down to it; else the flow may go faster */
  uint8_t zero[3];
} sluice_cnp;
SLUICE_ASSERT(sizeof(sluice_cnp) == 8, "layout of sluice_cnp");

sluice_pcn_receiver sluice_pcn_receiver_new(const char *config, sluice_error *error);
int32_t sluice_pcn_receiver_free(sluice_pcn_receiver r);
/* A packet arrived: 1 if the deadline changed. */
int32_t sluice_pcn_arrive(sluice_pcn_receiver r, sluice_time now, int64_t size, uint8_t ecn);
sluice_time sluice_pcn_deadline(sluice_pcn_receiver r);
/* The deadline has come: 1 and a notification to send, or 0. */
int32_t sluice_pcn_expire(sluice_pcn_receiver r, sluice_time now, sluice_cnp *cnp);

sluice_pcn_sender sluice_pcn_sender_new(const char *config, sluice_error *error);
int32_t sluice_pcn_sender_free(sluice_pcn_sender s);
/* A notification came. Returns the rate at which to send, bits per second; with a null pointer the
 * rate at hand. */
int64_t sluice_pcn_rate(sluice_pcn_sender s, const sluice_cnp *cnp);

/* --- Hierarchical isolation queues --- */

/* The queues of one egress port under congestion-root flow control (Pyrrha, section IV), for those
 * who build a protocol of their own on them. Queue 0 is the output queue, the others isolate. Roots
 * are numbers below Roots of the configuration, "Rate=100Gbps, Levels=4, IQs=100, Roots=256". */
sluice_hiq sluice_hiq_new(const char *config, sluice_error *error);
int32_t sluice_hiq_free(sluice_hiq h);
int32_t sluice_hiq_queues(sluice_hiq h);

/* Events of a root; 1 if the event did something (pause, adopt: the root is paused now). into may
 * be negative: none. */
int32_t sluice_hiq_pause(sluice_hiq h, uint32_t root, uint64_t key, int32_t level);
int32_t sluice_hiq_adopt(sluice_hiq h, uint32_t root, uint64_t key, int32_t level);
int32_t sluice_hiq_resume(sluice_hiq h, uint32_t root);
int32_t sluice_hiq_merge(sluice_hiq h, uint32_t root, int32_t into);
int32_t sluice_hiq_free_root(sluice_hiq h, uint32_t root, int32_t *into);

/* Packets: into and out of the output queue, into the isolation queue of a root (which is returned)
 * and out of it. Of a single tier, into the queue of a set of roots, with a place to keep. A packet
 * has 1 to 2^31 - 1 bytes. */
int32_t sluice_hiq_put_output(sluice_hiq h, int64_t size);
int32_t sluice_hiq_take_output(sluice_hiq h, int64_t size);
int32_t sluice_hiq_put(sluice_hiq h, uint32_t root, int64_t size);
int32_t sluice_hiq_take(sluice_hiq h, sluice_time now, uint16_t queue, uint32_t root, int64_t size);
int32_t sluice_hiq_put_set(sluice_hiq h, const uint16_t *roots, size_t count, int64_t size,
                           uint32_t *place);
int32_t sluice_hiq_take_set(sluice_hiq h, uint16_t queue, uint32_t place, int64_t size);

/* The queue whose head goes next, to be moved or sent; SLUICE_NONE. */
int32_t sluice_hiq_next(sluice_hiq h, sluice_time now);
/* For an idle transmitter: when to ask again, and (opened not null) whether Next may answer now. */
sluice_time sluice_hiq_park(sluice_hiq h, sluice_time now, int32_t *opened);

int32_t sluice_hiq_queue(sluice_hiq h, uint32_t root);
int32_t sluice_hiq_level(sluice_hiq h, uint32_t root);
/* 0 unassigned, 1 paused, 2 resumed, 3 soft-merging. */
int32_t sluice_hiq_state(sluice_hiq h, uint32_t root);
uint32_t sluice_hiq_order(sluice_hiq h, uint32_t root);
int64_t sluice_hiq_backlog(sluice_hiq h, uint16_t queue);
int32_t sluice_hiq_sendable(sluice_hiq h, uint16_t queue);
int32_t sluice_hiq_audit(sluice_hiq h, sluice_error *error);

/* --- A simulated network --- */

/*
 * A network with its hosts, under any flow control, for programs that have events of their own:
 * they send messages, set timers, and take what happens one event after another. The present
 * stands still between two, so that what is sent at an event starts at that instant. A message
 * takes as long as the same flow of `go run ./bench run -flows`. The same calls give the same
 * events. One thread at a time may use a simulator.
 *
 * topology: the text of a topology file in the format of HPCC's simulator, as `go run ./bench
 * topology` writes it; protocol: as for sluice_network_build; set: parameters as -set takes them,
 * hosts' and links' among them, "cc=dcqcn,buffer=20MiB", or null; data_class: of all messages.
 */
sluice_simulator sluice_simulator_new(const char *topology, const char *protocol, const char *set,
                                      uint8_t data_class, uint64_t seed, sluice_error *error);
int32_t sluice_simulator_free(sluice_simulator s);

/* Starts a message at the present. Returns its number, from 0 on in the order of the calls;
 * SLUICE_E_ARGUMENT if a host or the number of bytes cannot be: nothing is sent. The tag comes back
 * with its events. */
int64_t sluice_simulator_send(sluice_simulator s, uint32_t src, uint32_t dst, int64_t bytes,
                              uint64_t tag, sluice_error *error);
/* A SLUICE_TIMER event comes after a time from the present, which is not negative. */
int32_t sluice_simulator_schedule(sluice_simulator s, sluice_time after, uint64_t tag);

enum {
  SLUICE_ARRIVED = 0, /* all bytes of a message are at the receiver */
  SLUICE_DONE = 1,    /* its last acknowledgement is at the sender: nothing of it is left */
  SLUICE_TIMER = 2    /* the time of sluice_simulator_schedule is over */
};

typedef struct sluice_event {
  sluice_time at;
  uint64_t tag;
  int32_t kind;
  uint32_t src, dst; /* of a message, as are the rest */
  uint32_t zero;
  int64_t message, bytes;
  sluice_time start; /* when it was sent */
} sluice_event;
SLUICE_ASSERT(sizeof(sluice_event) == 56, "layout of sluice_event");

/* Lets time pass until the next event: 1. 0 if none comes up to an instant, which is the present
 * then; with SLUICE_NEVER, if no timer is set and nothing is under way. SLUICE_E_BUSY if messages
 * are under way and nothing moves any more, as in a deadlock: the text says what, and it stays. */
int32_t sluice_simulator_next(sluice_simulator s, sluice_time until, sluice_event *event,
                              sluice_error *error);
sluice_time sluice_simulator_now(sluice_simulator s);
/* Messages of which a packet or an acknowledgement is under way, or to come. */
int64_t sluice_simulator_under_way(sluice_simulator s);

/* What happened in the network so far. */
typedef struct sluice_simulator_counters {
  int64_t dropped;        /* packets, by switches and cards that were full */
  int64_t lost_on_wire;   /* packets and answers, as the parameters loss and answer.loss say */
  int64_t reordered;      /* packets that arrived after a later one of their message */
  int64_t marked;         /* packets that arrived with CE */
  int64_t timeouts;       /* of senders */
  int64_t control_frames; /* of the protocol */
  int64_t packet_hops;    /* transmissions of packets and control frames on any link */
} sluice_simulator_counters;
SLUICE_ASSERT(sizeof(sluice_simulator_counters) == 56, "layout of sluice_simulator_counters");
int32_t sluice_simulator_counted(sluice_simulator s, sluice_simulator_counters *c);

#ifdef __cplusplus
}
#endif
#endif /* SLUICE_H */
