/* What C calls: each function of sluice.h calls its Go function, except in a child of fork. There
 * Go's other threads are missing: whatever waits for one of them, as the garbage collector does,
 * would wait for ever. */
#include "_cgo_export.h"

#include <pthread.h>
#include <stdio.h>

static volatile int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch(void) { pthread_atfork(NULL, NULL, in_child); }

static int32_t failed(sluice_error *error) {
  if (error) {
    error->code = SLUICE_E_FORKED;
    snprintf(error->text, sizeof error->text,
             "the process is a child of fork: the library works where it was loaded; call exec");
  }
  return SLUICE_E_FORKED;
}

static uint64_t none(sluice_error *error) {
  failed(error);
  return 0;
}

uint32_t sluice_abi(void) { return SLUICE_ABI; }

#define GUARD(type, name, in_fork, parameters, arguments) \
  type sluice_##name parameters { return forked ? (in_fork) : go_##name arguments; }

GUARD(int64_t, reason, SLUICE_E_FORKED, (uint8_t why, char *text, size_t size), (why, text, size))
GUARD(sluice_machine, machine_new, none(error), (const char *protocol, const char *config,
      sluice_error *error), (protocol, config, error))
GUARD(int32_t, machine_free, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, ports, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, queues, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, machine_error, failed(error), (sluice_machine m, sluice_error *error), (m, error))
GUARD(sluice_verdict, enqueue, SLUICE_REFUSED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_packet *p), (m, now, port, p))
GUARD(int32_t, poll, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_frame *f), (m, now, port, f))
GUARD(int32_t, send, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_packet *const *heads, sluice_frame *f, sluice_verdict *v), (m, now, port, heads, f, v))
GUARD(int32_t, pass, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_packet *p, sluice_packet *const *heads, sluice_frame *f, sluice_verdict *v), (m, now,
      port, p, heads, f, v))
GUARD(int32_t, consumes, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, poll_ports, SLUICE_E_FORKED, (sluice_machine m, uint16_t *ports, size_t room), (m,
      ports, room))
GUARD(int32_t, owes, SLUICE_E_FORKED, (sluice_machine m, uint16_t port), (m, port))
GUARD(int32_t, poll_frame, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_frame *f), (m, now, port, f))
GUARD(int32_t, next, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port), (m, now,
      port))
GUARD(sluice_verdict, dequeue, SLUICE_REFUSED, (sluice_machine m, sluice_time now, uint16_t port,
      uint16_t queue, sluice_packet *p), (m, now, port, queue, p))
GUARD(int32_t, receive, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port, const
      uint8_t *frame, size_t length, sluice_wake *wake), (m, now, port, frame, length, wake))
GUARD(int32_t, consume, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_packet *p, sluice_wake *wake), (m, now, port, p, wake))
GUARD(int32_t, link_down, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_wake *wake), (m, now, port, wake))
GUARD(int32_t, link_up, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      sluice_wake *wake), (m, now, port, wake))
GUARD(int32_t, expire, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, sluice_wake *wake), (m,
      now, wake))
GUARD(sluice_time, deadline, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, poll_port, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, rebase, SLUICE_E_FORKED, (sluice_machine m, sluice_time by), (m, by))
GUARD(int64_t, backlog, SLUICE_E_FORKED, (sluice_machine m, uint16_t port, uint16_t queue), (m,
      port, queue))
GUARD(int32_t, sendable, SLUICE_E_FORKED, (sluice_machine m, uint16_t port, uint16_t queue), (m,
      port, queue))
GUARD(int64_t, buffered, SLUICE_E_FORKED, (sluice_machine m), (m))
GUARD(int32_t, counted, SLUICE_E_FORKED, (sluice_machine m, uint16_t port, sluice_counters *c), (m,
      port, c))
GUARD(int32_t, audit, failed(error), (sluice_machine m, sluice_error *error), (m, error))
GUARD(int32_t, quiescent, failed(error), (sluice_machine m, sluice_error *error), (m, error))
GUARD(int64_t, describe, SLUICE_E_FORKED, (sluice_machine m, int32_t what, char *text, size_t size),
      (m, what, text, size))
GUARD(int32_t, blocked, SLUICE_E_FORKED, (sluice_machine m, uint16_t port, const sluice_path *path,
      sluice_hop *root), (m, port, path, root))
GUARD(int32_t, congested, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port,
      int32_t on, sluice_wake *wake), (m, now, port, on, wake))
GUARD(int32_t, hold, SLUICE_E_FORKED, (sluice_machine m, sluice_time now, uint16_t port, int32_t on,
      sluice_wake *wake), (m, now, port, on, wake))
GUARD(int64_t, run, SLUICE_E_FORKED, (sluice_op *ops, size_t count), (ops, count))
GUARD(sluice_network, network_new, 0, (void), ())
GUARD(int32_t, network_free, SLUICE_E_FORKED, (sluice_network n), (n))
GUARD(int32_t, network_host, SLUICE_E_FORKED, (sluice_network n), (n))
GUARD(int32_t, network_switch, SLUICE_E_FORKED, (sluice_network n, int32_t tier), (n, tier))
GUARD(int32_t, network_connect, SLUICE_E_FORKED, (sluice_network n, uint32_t a, uint32_t b, int64_t
      bits_per_second, sluice_time delay, uint16_t *at_a, uint16_t *at_b), (n, a, b,
      bits_per_second, delay, at_a, at_b))
GUARD(int32_t, network_route, SLUICE_E_FORKED, (sluice_network n, uint32_t at, uint32_t host, const
      uint16_t *ports, size_t count), (n, at, host, ports, count))
GUARD(int32_t, network_build, failed(error), (sluice_network n, const char *protocol, const char
      *set, uint8_t classes, uint64_t seed, sluice_traffic *traffic, sluice_error *error), (n,
      protocol, set, classes, seed, traffic, error))
GUARD(int64_t, network_parameters, SLUICE_E_FORKED, (char *text, size_t size), (text, size))
GUARD(sluice_machine, network_machine, none(error), (sluice_network n, uint32_t node, sluice_error
      *error), (n, node, error))
GUARD(int32_t, flow_between, SLUICE_E_FORKED, (uint32_t src, uint32_t dst, uint16_t src_port,
      uint16_t dst_port, uint8_t protocol, sluice_flow *f), (src, dst, src_port, dst_port, protocol,
      f))
GUARD(uint64_t, flow_hash, 0, (const sluice_flow *f), (f))
GUARD(int32_t, network_path, SLUICE_E_FORKED, (sluice_network n, uint32_t at, uint16_t ingress,
      const sluice_flow *f, sluice_path *path), (n, at, ingress, f, path))
GUARD(int32_t, network_egress, SLUICE_E_FORKED, (sluice_network n, uint32_t at, uint16_t ingress,
      const sluice_flow *f), (n, at, ingress, f))
GUARD(int32_t, network_fail_link, SLUICE_E_FORKED, (sluice_network n, uint32_t node, uint16_t port),
      (n, node, port))
GUARD(int32_t, network_restore_link, SLUICE_E_FORKED, (sluice_network n, uint32_t node, uint16_t
      port), (n, node, port))
GUARD(sluice_marker, marker_new, none(error), (const char *kind, const char *config, sluice_error
      *error), (kind, config, error))
GUARD(int32_t, marker_free, SLUICE_E_FORKED, (sluice_marker m), (m))
GUARD(int32_t, marker_resumed, SLUICE_E_FORKED, (sluice_marker m, sluice_time now, int64_t backlog),
      (m, now, backlog))
GUARD(int32_t, marker_dequeue, SLUICE_E_FORKED, (sluice_marker m, sluice_time now, int64_t size,
      int64_t backlog, uint8_t ecn), (m, now, size, backlog, ecn))
GUARD(sluice_pcn_receiver, pcn_receiver_new, none(error), (const char *config, sluice_error *error),
      (config, error))
GUARD(int32_t, pcn_receiver_free, SLUICE_E_FORKED, (sluice_pcn_receiver r), (r))
GUARD(int32_t, pcn_arrive, SLUICE_E_FORKED, (sluice_pcn_receiver r, sluice_time now, int64_t size,
      uint8_t ecn), (r, now, size, ecn))
GUARD(sluice_time, pcn_deadline, SLUICE_E_FORKED, (sluice_pcn_receiver r), (r))
GUARD(int32_t, pcn_expire, SLUICE_E_FORKED, (sluice_pcn_receiver r, sluice_time now, sluice_cnp
      *cnp), (r, now, cnp))
GUARD(sluice_pcn_sender, pcn_sender_new, none(error), (const char *config, sluice_error *error),
      (config, error))
GUARD(int32_t, pcn_sender_free, SLUICE_E_FORKED, (sluice_pcn_sender s), (s))
GUARD(int64_t, pcn_rate, SLUICE_E_FORKED, (sluice_pcn_sender s, const sluice_cnp *cnp), (s, cnp))
GUARD(sluice_simulator, simulator_new, none(error), (const char *topology, const char *protocol,
      const char *set, uint8_t data_class, uint64_t seed, sluice_error *error), (topology, protocol,
      set, data_class, seed, error))
GUARD(int32_t, simulator_free, SLUICE_E_FORKED, (sluice_simulator s), (s))
GUARD(int64_t, simulator_send, failed(error), (sluice_simulator s, uint32_t src, uint32_t dst,
      int64_t bytes, uint64_t tag, sluice_error *error), (s, src, dst, bytes, tag, error))
GUARD(int32_t, simulator_schedule, SLUICE_E_FORKED, (sluice_simulator s, sluice_time after,
      uint64_t tag), (s, after, tag))
GUARD(int32_t, simulator_next, failed(error), (sluice_simulator s, sluice_time until,
      sluice_event *event, sluice_error *error), (s, until, event, error))
GUARD(sluice_time, simulator_now, SLUICE_E_FORKED, (sluice_simulator s), (s))
GUARD(int64_t, simulator_under_way, SLUICE_E_FORKED, (sluice_simulator s), (s))
GUARD(int32_t, simulator_counted, SLUICE_E_FORKED, (sluice_simulator s, sluice_simulator_counters
      *c), (s, c))
GUARD(sluice_hiq, hiq_new, none(error), (const char *config, sluice_error *error), (config, error))
GUARD(int32_t, hiq_free, SLUICE_E_FORKED, (sluice_hiq h), (h))
GUARD(int32_t, hiq_queues, SLUICE_E_FORKED, (sluice_hiq h), (h))
GUARD(int32_t, hiq_pause, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root, uint64_t key, int32_t
      level), (h, root, key, level))
GUARD(int32_t, hiq_adopt, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root, uint64_t key, int32_t
      level), (h, root, key, level))
GUARD(int32_t, hiq_resume, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root), (h, root))
GUARD(int32_t, hiq_merge, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root, int32_t into), (h, root,
      into))
GUARD(int32_t, hiq_free_root, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root, int32_t *into), (h,
      root, into))
GUARD(int32_t, hiq_put_output, SLUICE_E_FORKED, (sluice_hiq h, int64_t size), (h, size))
GUARD(int32_t, hiq_take_output, SLUICE_E_FORKED, (sluice_hiq h, int64_t size), (h, size))
GUARD(int32_t, hiq_put, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root, int64_t size), (h, root,
      size))
GUARD(int32_t, hiq_take, SLUICE_E_FORKED, (sluice_hiq h, sluice_time now, uint16_t queue, uint32_t
      root, int64_t size), (h, now, queue, root, size))
GUARD(int32_t, hiq_put_set, SLUICE_E_FORKED, (sluice_hiq h, const uint16_t *roots, size_t count,
      int64_t size, uint32_t *place), (h, roots, count, size, place))
GUARD(int32_t, hiq_take_set, SLUICE_E_FORKED, (sluice_hiq h, uint16_t queue, uint32_t place, int64_t
      size), (h, queue, place, size))
GUARD(int32_t, hiq_next, SLUICE_E_FORKED, (sluice_hiq h, sluice_time now), (h, now))
GUARD(sluice_time, hiq_park, SLUICE_E_FORKED, (sluice_hiq h, sluice_time now, int32_t *opened), (h,
      now, opened))
GUARD(int32_t, hiq_queue, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root), (h, root))
GUARD(int32_t, hiq_level, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root), (h, root))
GUARD(int32_t, hiq_state, SLUICE_E_FORKED, (sluice_hiq h, uint32_t root), (h, root))
GUARD(uint32_t, hiq_order, 0, (sluice_hiq h, uint32_t root), (h, root))
GUARD(int64_t, hiq_backlog, SLUICE_E_FORKED, (sluice_hiq h, uint16_t queue), (h, queue))
GUARD(int32_t, hiq_sendable, SLUICE_E_FORKED, (sluice_hiq h, uint16_t queue), (h, queue))
GUARD(int32_t, hiq_audit, failed(error), (sluice_hiq h, sluice_error *error), (h, error))
