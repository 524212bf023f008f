// Of the ingress of pyrrha.p4: the queues of sets of roots.

    // ---- The queue of a set of roots: IsAssigned, QueueId (section V-A) ----

    // A set is the slots of its roots, an octet for each level. Its element is a hash of it and its
    // port; a set that finds another set's element shares that set's queue.
    CRCPolynomial<bit<32>>(0x04C11DB7, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF) set_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, set_hash_poly) set_hash;

#define LOW_OCTET(n) md.slot##n[7:0]
#define HASH_OF_SET set_hash.get({md.egress, LEVELS_DOWN(LOW_OCTET)})
    action name_set() { md.index = HASH_OF_SET[15:0]; }
    COPY(32, set_of)
    action whole_set() { md.set = set_of.get({WHOLE_SET}); }

#define SET_AT md.index[11:0]

    // IsAssigned: the packets of a set. The first finds a queue, the last gives it back.
    Register<bit<16>, set_at_t>(SETS, 0) set_packets;

    RegisterAction<bit<16>, set_at_t, bit<1>>(set_packets) set_packets_enter = {
        void apply(inout bit<16> value, out bit<1> first) {
            bit<16> before = value;
            first = 0;
            value = before + 1;
            if (before == 0) {
                first = 1;
            }
        }
    };
    RegisterAction<bit<16>, set_at_t, bit<1>>(set_packets) set_packets_leave = {
        void apply(inout bit<16> value, out bit<1> emptied) {
            bit<16> before = value;
            emptied = 0;
            value = before - 1;
            if (before == 1) {
                emptied = 1;
            }
        }
    };

    action enter_set_of() { md.first = set_packets_enter.execute(HASH_OF_SET[11:0]); }
    action leave_set_of() { md.emptied = set_packets_leave.execute(hdr.bridge.index[11:0]); }

    // Whose an element is: low, the set; high, its port.
    Register<pair32_t, set_at_t>(SETS, {0, 0}) set_key;

    RegisterAction<pair32_t, set_at_t, void>(set_key) set_key_claim = {
        void apply(inout pair32_t value) {
            value.low = md.set;
            value.high = md.owner;
        }
    };
    RegisterAction<pair32_t, set_at_t, bit<1>>(set_key) set_key_compare = {
        void apply(inout pair32_t value, out bit<1> other) {
            other = 0;
            if (value.low != md.set || value.high != md.owner) {
                other = 1;
            }
        }
    };

    action claim_set_key() { set_key_claim.execute(SET_AT); }
    action compare_set_key() { md.other = set_key_compare.execute(SET_AT); }

    // Free queues of a port: a stack.
#define FREE_AT INDEX_OF(md.egress) ++ md.position[QUEUE_BITS - 1:0]

    STACK_TOP(free_top, port_at_t, PORTS, (SPILL - 1))
    Register<bit<16>, queue_at_t>((PORTS << QUEUE_BITS), 0) free_id;
    RegisterAction2<bit<16>, queue_at_t, bit<16>, bit<16>>(free_id) free_id_read = {
        void apply(inout bit<16> value, out bit<16> queue, out bit<16> turned) {
            queue = value;
            turned = value;
        }
    };
    WRITE_ACTION(bit<16>, queue_at_t, free_id, write, md.queue)

    action pop_queue() { md.got = free_top_pop.execute(INDEX_OF(md.egress), md.position); }
    action push_queue() { md.position = free_top_push.execute(INDEX_OF(md.egress)); }
    action read_free() { md.queue = free_id_read.execute(FREE_AT, md.turned); }
    action write_free() { free_id_write.execute(FREE_AT); }
    action spill_queue() { md.queue = SPILL; }

    // QueueId: the queue of a set.
    PLAIN(set_queue, set_at_t, SETS, md.queue)

    action read_set_queue() { md.queue = set_queue_read.execute(SET_AT); }
    action write_set_queue() { set_queue_write.execute(SET_AT); }

    // And the set of a queue, so that threads know which roots hold it.
    Register<bit<32>, queue_at_t>((PORTS << QUEUE_BITS), 0) queue_set;

    // read has a step without an effect, because all actions of a register are to read the same
    // fields: see WAITING.
    RegisterAction<bit<32>, queue_at_t, bit<32>>(queue_set) queue_set_read = {
        void apply(inout bit<32> value, out bit<32> slots) {
            bit<32> before = value;
            if (before == md.set) {
                value = md.set;
            }
            slots = before;
        }
    };
    WRITE_ACTION(bit<32>, queue_at_t, queue_set, write, md.set)

#define QUEUE_AT INDEX_OF(md.where) ++ md.turned[QUEUE_BITS - 1:0]
    action read_queue_set() { md.value = queue_set_read.execute(QUEUE_AT); }
    action write_queue_set() { queue_set_write.execute(QUEUE_AT); }

    // Packets that share a queue with another set, of a port: a counter to watch.
    Register<bit<32>, port_at_t>(PORTS, 0) shared;

    ADD_ACTION(bit<32>, port_at_t, shared, count, + 1)

    action share_queue() { shared_count.execute(INDEX_OF(md.egress)); }

    action hold_queue() { md.hold = 1; }

    WORD_ACTION

    table afc {
        key = {
            INDEX_OF(md.where) : exact @name("egress");
            md.turned[6:0] : exact @name("qid");
        }
        actions = { say_word; nothing; }
        default_action = nothing();
        size = WORDS;
    }
