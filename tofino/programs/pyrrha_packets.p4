// Of the ingress of pyrrha.p4: what a packet is, whose state it is about, and whether a frame is
// obeyed.

    // ---- The packet's path (section V-A) ----

#define PATHS PATH_TABLES
#include "path_tables.p4"

    // ---- What a packet is, and whose state it is about ----

    action nothing() {}

    // Fields that a thread brings along.
#define THREAD_FIELDS(COPY) \
        COPY(egress) \
        COPY(ingress) \
        COPY(egress_class)
#define ABOUT_FIELDS(COPY) \
        COPY(level) \
        COPY(level_set) \
        COPY(number) \
        COPY(slot) \
        COPY(old_level) \
        COPY(old_number) \
        COPY(old_slot) \
        COPY(check) \
        COPY(todo_gates) \
        COPY(todo_merge) \
        COPY(todo_leaves) \
        COPY(at) \
        COPY(value) \
        COPY(root_switch) \
        COPY(root_port) \
        COPY(old_switch) \
        COPY(old_port) \
        COPY(abdicates) \
        COPY(was)
#define FROM_THREAD(field) md.field = hdr.thread.field;
#define TO_THREAD(field) hdr.thread.field = md.field;
#define FROM_ABOUT(field) md.field = hdr.about.field;
#define TO_ABOUT(field) hdr.about.field = md.field;
#define SLOT_FROM_THREAD(n) FROM_THREAD(slot##n)
#define SLOT_TO_THREAD(n) TO_THREAD(slot##n)
#define SLOT_FROM_BRIDGE(n) md.slot##n = hdr.bridge.slot##n;
#define SLOT_TO_BRIDGE(n) hdr.bridge.slot##n = md.slot##n;

    action take_notice() {
        md.kind = KIND_NOTICE;
        md.port = hdr.bridge.egress;
        md.where = hdr.bridge.egress;
        md.peer = hdr.bridge.ingress;
        md.egress = hdr.bridge.egress;
        md.ingress = hdr.bridge.ingress;
        md.egress_class = hdr.bridge.egress_class;
        md.queue = hdr.bridge.queue;
        md.turned = hdr.bridge.queue;
        md.cells = hdr.bridge.cells;
        EACH_LEVEL(SLOT_FROM_BRIDGE)
    }

    action take_thread() {
        md.kind = KIND_THREAD;
        FROM_THREAD(op)
        FROM_THREAD(type)
        FROM_THREAD(to_send)
        FROM_THREAD(resumed)
        FROM_THREAD(to_host)
        THREAD_FIELDS(FROM_THREAD)
        EACH_LEVEL(SLOT_FROM_THREAD)
    }
    action take_about() { ABOUT_FIELDS(FROM_ABOUT) }

    action take_frame() {
        md.kind = KIND_FRAME;
        md.cells = SENT_RESUME; // of a DEALLOC: see "move" of WAITING
        md.type = hdr.signal.type;
        md.egress = md.port;
        md.ingress = md.port;
        md.where = md.port;
        md.peer = md.port;
        md.root_switch = hdr.root.root_switch;
        md.root_port = hdr.root.root_port;
        md.old_switch = hdr.old.old_switch;
        md.old_port = hdr.old.old_port;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action take_packet() {
        md.kind = KIND_DATA;
        md.where = md.egress;
    }

#if APART
    action take_other() {
        md.kind = KIND_PASS;
        md.where = md.egress;
        md.queue = OTHER_QUEUE;
    }
#endif

    action from_device() {
        md.ingress = md.port;
        md.peer = md.port;
    }

    // Of a set of roots a thread is about the nearest, which may be a port of this switch.
#define NEAREST(n, list, port) \
        md.asks = 1; \
        md.level = n; \
        list = list & (0xFF - (1 << n)); \
        md.matched = md.resumed & (1 << n); \
        md.peer = port; \
        md.where = md.egress;
#define TAKE_NEAREST(n) \
    action send_about_root##n() { \
        md.slot = md.slot##n; \
        NEAREST(n, md.to_send, md.ingress) \
    } \
    action check_root##n() { \
        md.slot = md.slot##n; \
        NEAREST(n, md.check, md.egress) \
    }

    // What hashes without a key writes no constant.
    COPY(16, own_slot)
    action slot_of_own() { md.slot = own_slot.get({md.egress}); }
    action send_about_root0() { NEAREST(0, md.to_send, md.ingress) }
    EACH_LEVEL(TAKE_NEAREST)

    // Of copies a thread is about the port or queue that has the copy's number.
    action leaves_of_port() {
        md.asks = 1;
        md.peer = md.at;
        md.where = md.at;
    }
    action upstream_of_port() {
        md.peer = md.at;
        md.ingress = md.at;
        md.cells = SENT_PAUSE; // of a MERGE: the same
    }
    action upstream_that_left() {
        md.peer = md.ingress;
        md.cells = SENT_PAUSE;
        md.mark = SENT_RESUME;
    }
    action queue_of_copy() {
        md.where = md.egress;
        md.turned = md.at + 1;
    }
    action queue_has_set() { md.gates = 1; }
    action slot_to_forget() { md.asks = 1; }
    action where_it_came() {
        md.peer = md.egress;
        md.where = md.egress;
        md.port = md.egress;
        md.ingress = md.egress;
    }

    action from_port(bit<16> to_port, bit<8> to_abdicates, bit<1> to_hears, bit<1> to_switch) {
        md.port = to_port;
        md.abdicates = to_abdicates;
        md.hears = to_hears;
        md.from_switch = to_switch;
        md.front = 1;
    }

    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    action peer_is(bit<9> to_back, bit<16> to_ingress_class, bit<8> to_host) {
        md.back = to_back;
        md.ingress_class = to_ingress_class;
        md.host = to_host;
    }

    table peers { // what is at the other end of a port
        key = { INDEX_OF(md.peer) : exact @name("index"); }
        actions = { peer_is; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    action leave_by(bit<16> to_egress, bit<16> to_egress_class, bit<1> to_claims,
            bit<32> to_owner) {
        md.egress = to_egress;
        md.egress_class = to_egress_class;
        md.claims = to_claims;
        md.owner = to_owner;
        md.known = 1;
    }

    table port_out {
        key = { md.path_port : exact @name("port"); }
        actions = { leave_by; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    // K_pause and K_resume of pairs of ports: times a hop's BDP, so that they depend on the rates
    // of both (sections IV-A and VIII). A device that does not speak Pyrrha is never paused: its
    // K_pause is beyond all depths.
    action limits_are(bit<32> to_beyond, bit<32> to_resume, bit<32> to_most) {
        md.beyond = to_beyond;
        md.resume = to_resume;
        md.most = to_most;
    }

    table limits {
        key = {
            INDEX_OF(md.egress_class) : exact @name("egress_class");
            INDEX_OF(md.ingress_class) : exact @name("ingress_class");
        }
        actions = { limits_are; nothing; }
        default_action = nothing();
        size = LIMITS;
    }

    CELLS_TABLE(nothing)

    // Ports behind this switch, by distance: a root that a frame names (section V-A), and the old
    // root of a MERGE.
    action root_at(bit<8> to_level, bit<8> to_level_set, bit<16> to_number) {
        md.level = to_level;
        md.level_set = to_level_set;
        md.number = to_number;
        md.named = 1;
    }

    table root_number {
        key = {
            hdr.root.root_switch : exact @name("root_switch");
            hdr.root.root_port : exact @name("root_port");
        }
        actions = { root_at; nothing; }
        default_action = nothing();
        size = ROOT_NUMBERS;
    }

    action old_at(bit<8> to_old_level, bit<16> to_old_number) {
        md.old_level = to_old_level;
        md.old_number = to_old_number;
    }

    table old_number {
        key = {
            hdr.old.old_switch : exact @name("old_switch");
            hdr.old.old_port : exact @name("old_port");
        }
        actions = { old_at; nothing; }
        default_action = nothing();
        size = OLD_NUMBERS;
    }

    action how_much_nearer() { md.nearer = md.level |-| md.old_level; }

    // A packet finds K_pause if it fits no more below it; it leaves K_resume by its cells.
    action pause_mark() {
        md.mark = md.beyond |-| md.cells;
        md.own_mark = md.beyond |-| md.cells;
    }
    action resume_mark() {
        md.mark = md.resume + md.cells;
        md.own_mark = md.most + md.cells;
    }
    action turn_mark() { md.under = md.resume |-| md.value; }

    // ---- Whether a frame is newer than those heard, and which port it names ----

    HEARD_REGISTER(PORTS, md.port)

    action obey_dealloc() { md.ready = 1; }
    action obey_pause() {
        md.ready = 1;
        md.to = IQ_PAUSED;
        md.least = IQ_NONE;
    }
    action obey_merge() {
        md.ready = 1;
        md.to = IQ_RESUMED;
        md.least = IQ_NONE;
    }
    action obey_resume() {
        md.ready = 1;
        md.to = IQ_RESUMED;
        md.least = IQ_RESUMED;
    }
