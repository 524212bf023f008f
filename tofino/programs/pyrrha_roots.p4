// Of the ingress of pyrrha.p4: roots, their trees, their slots and their IQs.

    // ---- The tree of a root: upstreams join and leave it (section IV-C) ----

    // Of a root: low, upstreams in its tree; high, how many of them are paused.
    Register<pair16_t, slot_at_t>(((LEVELS + 1) * SLOTS), {0, 0}) tree;

    RegisterAction2<pair16_t, slot_at_t, bit<16>, bit<16>>(tree) tree_change = {
        void apply(inout pair16_t value, out bit<16> listed, out bit<16> paused) {
            value.low = value.low + md.more_listed;
            value.high = value.high + md.more_paused;
            listed = value.low;
            paused = value.high;
        }
    };
    RegisterAction<pair16_t, slot_at_t, void>(tree) tree_clear = {
        void apply(inout pair16_t value) {
            value.low = 0;
            value.high = 0;
        }
    };

    // What a frame that is sent changes. For a MERGE that also depends on whether its upstream was
    // in the tree of the new root, and paused there.
#define LEAVING 0xFFFF // takes one away
#define CHANGE(listed, paused) \
        md.more_listed = listed; \
        md.more_paused = paused;

    action pause_joins() { CHANGE(1, 1) }
    action pause_again() { CHANGE(0, 1) }
    action resume_stays() { CHANGE(0, LEAVING) }
    action host_leaves() {
        CHANGE(LEAVING, LEAVING)
        md.leaves = 1;
    }
    action dealloc_leaves() {
        CHANGE(LEAVING, 0)
        md.leaves = 1;
    }
    action merge_joins() { CHANGE(1, 0) }
    action merge_host() {
        CHANGE(LEAVING, LEAVING)
        md.leaves = 1;
    }
    action merge_paused() { CHANGE(0, LEAVING) }

    action tree_of_root() {
        md.listed = tree_change.execute(ROOT_AT(md.level, md.slot), md.paused);
    }
    action tree_of_own() {
        md.listed = tree_change.execute((bit<LEVEL_BITS>)0 ++ md.port[7:0], md.paused);
    }
    action tree_moves() { tree_clear.execute(ROOT_AT(md.old_level, md.old_slot)); }

    action tree_empties() { md.tree_empties = 1; }

    // ---- Which port a root is ----

    // Of a slot: low, the root's switch; high, its port and its number at its level.
    Register<pair32_t, slot_at_t>(((LEVELS + 1) * SLOTS), {0, 0}) identity;

    RegisterAction2<pair32_t, slot_at_t, bit<32>, bit<32>>(identity) identity_read = {
        void apply(inout pair32_t value, out bit<32> root_switch, out bit<32> tail) {
            root_switch = value.low;
            tail = value.high;
        }
    };
    RegisterAction<pair32_t, slot_at_t, void>(identity) identity_write = {
        void apply(inout pair32_t value) {
            value.low = md.root_switch;
            value.high = md.tail;
        }
    };

    COPY(32, tail_of)
    COPY(16, port_of)
    COPY(16, number_of)
    COPY(16, own_port)

    action put_identity() { md.tail = tail_of.get({md.root_port, md.number}); }
    action write_identity() { identity_write.execute(ROOT_AT(md.level, md.slot)); }
    action read_identity() {
        md.root_switch = identity_read.execute(ROOT_AT(md.level, md.slot), md.root_tail);
    }
    action split_identity() {
        md.root_port = port_of.get({md.root_tail[31:16]});
        md.number = number_of.get({md.root_tail[15:0]});
    }
    action own_identity() {
        md.root_switch = THIS_SWITCH;
        md.root_port = own_port.get({md.slot});
    }

    // ---- What the IQs of roots may become ----

    // A leaf may free IQs that are resumed or merging; another only those that merge (Figure 6).
    // Frames and threads are about a root of one level, and get the same at all; of a MERGE the old
    // root is at another.
#define BECOMES(n, state, least) \
        md.turn##n = state; \
        md.floor##n = least;
#define OBEYS_FRAME(n) BECOMES(n, md.to, md.least)
#define NEW_ROOT(n) BECOMES(n, IQ_RESUMED, IQ_NONE)
#define OF_LEAF(n) BECOMES(n, IQ_RESUMED, IQ_MERGING)
#define OF_NO_LEAF(n) BECOMES(n, IQ_MERGING, IQ_MERGING)
#define IS_READ(n) BECOMES(n, IQ_NONE, IQ_PAUSED + 1)
#define OLD_ROOT_AT(n, LEVELS_ABOVE) \
    action iq_merges##n() { \
        md.in_tree = 1; \
        BECOMES(n, IQ_MERGING, IQ_MERGING) \
        LEVELS_ABOVE(NEW_ROOT) \
    }

    action iq_obeys_frame() {
        md.in_tree = 1;
        EACH_LEVEL(OBEYS_FRAME)
    }
    action iq_of_leaf() { EACH_LEVEL(OF_LEAF) }
    action iq_of_no_leaf() { EACH_LEVEL(OF_NO_LEAF) }
    action iq_is_read() { EACH_LEVEL(IS_READ) }
#if LEVELS > 1
    OLD_ROOT_AT(1, ABOVE_1)
#endif
#if LEVELS > 2
    OLD_ROOT_AT(2, ABOVE_2)
#endif
#if LEVELS > 3
    OLD_ROOT_AT(3, ABOVE_3)
#endif

    // ---- Congestion-root table: slots of roots (section V-A) ----

    // Of a port at level n, by its number: its slot, if it is a root, or 0.
#define NUMBER_OF(number, n) (bit<ROOT_BITS>)number[NUMBER_BITS_##n - 1:0]
#define CONGESTION_ROOTS(n) \
    Register<bit<16>, root_at_t>(ROOTS_##n, 0) roots##n; \
    RegisterAction2<bit<16>, root_at_t, bit<16>, bit<16>>(roots##n) roots##n##_find = { \
        void apply(inout bit<16> value, out bit<16> slot, out bit<16> again) { \
            slot = value; \
            again = value; \
        } \
    }; \
    WRITE_ACTION(bit<16>, root_at_t, roots##n, write, md.slot) \
    WRITE_ACTION(bit<16>, root_at_t, roots##n, clear, 0) \
    action find_root##n() { \
        md.slot##n = roots##n##_find.execute(md.path_##n##_root, md.turn##n); \
    } \
    action named_root##n() { \
        md.slot##n = roots##n##_find.execute(NUMBER_OF(md.number, n), md.slot); \
    } \
    action enter_root##n() { \
        roots##n##_write.execute(NUMBER_OF(md.number, n)); \
        md.slot##n = md.slot; \
    } \
    action forget_root##n() { roots##n##_clear.execute(NUMBER_OF(md.number, n)); }

    EACH_LEVEL(CONGESTION_ROOTS)

    // The old root of a MERGE is nearer than the new one.
#define OLD_ROOT(n) \
    READ_ACTION(bit<16>, root_at_t, roots##n, read) \
    action old_root##n() { md.old_slot = roots##n##_read.execute(NUMBER_OF(md.old_number, n)); }

#if LEVELS > 1
    OLD_ROOT(1)
#endif
#if LEVELS > 2
    OLD_ROOT(2)
#endif
#if LEVELS > 3
    OLD_ROOT(3)
#endif

    action root_is_known() { md.found = 1; }

    // ---- IQs of roots at the egress port (section IV-C and Figure 6) ----

    // Of a root of level n at a port: low, the state of its IQ; high, the packets that wait there.
    // The result 1 << n stands for level n: sets of levels are or-ed together of such results. An
    // ALU shifts all such results of a register alike, so that all results of a level have one
    // number.
    //
    // enter: when a packet comes, the results are the state, and the slot again if the root has an
    // IQ. turn: the state becomes md.turn if it is at least md.floor. free: an IQ without packets,
    // whose state is at most md.turn, is given up.
#define ISOLATION_QUEUES(n) \
    Register<pair16_t, iq_at_t>((PORTS * SLOTS), {0, 0}) iq##n; \
    RegisterAction2<pair16_t, iq_at_t, bit<16>, bit<16>>(iq##n) iq##n##_enter = { \
        void apply(inout pair16_t value, out bit<16> state, out bit<16> slot) { \
            slot = 0; \
            if (value.low != IQ_NONE) { \
                value.high = value.high + 1; \
            } \
            state = value.low; \
            if (value.low != IQ_NONE) { \
                slot = md.turn##n; \
            } \
        } \
    }; \
    RegisterAction2<pair16_t, iq_at_t, bit<16>, bit<8>>(iq##n) iq##n##_leave = { \
        void apply(inout pair16_t value, out bit<16> state, out bit<8> last) { \
            pair16_t before = value; \
            last = 0; \
            value.high = before.high - 1; \
            state = before.low; \
            if (before.high == 1) { \
                last = 1 << n; \
            } \
        } \
    }; \
    RegisterAction2<pair16_t, iq_at_t, bit<16>, bit<8>>(iq##n) iq##n##_turn = { \
        void apply(inout pair16_t value, out bit<16> state, out bit<8> waits) { \
            pair16_t before = value; \
            waits = 0; \
            if (before.low >= md.floor##n) { \
                value.low = md.turn##n; \
            } \
            state = before.low; \
            if (before.high != 0) { \
                waits = 1 << n; \
            } \
        } \
    }; \
    RegisterAction<pair16_t, iq_at_t, bit<16>>(iq##n) iq##n##_free = { \
        void apply(inout pair16_t value, out bit<16> freed) { \
            pair16_t before = value; \
            freed = 0; \
            if (before.high == 0 && before.low != IQ_NONE && before.low <= md.turn##n) { \
                value.low = IQ_NONE; \
                freed = before.low; \
            } \
        } \
    }; \
    action enter_iq##n() { \
        md.state##n = iq##n##_enter.execute(AT_PORT(md.where, md.slot##n), md.slot##n); \
    } \
    action leave_iq##n() { \
        md.state##n = iq##n##_leave.execute(AT_PORT(md.where, md.slot##n), md.last##n); \
    } \
    action turn_iq##n() { \
        md.before = iq##n##_turn.execute(AT_PORT(md.where, md.slot##n), md.waits); \
    } \
    action free_iq##n() { md.freed = iq##n##_free.execute(AT_PORT(md.where, md.slot)); } \
    action look_at_iq##n() { \
        bit<8> waits; \
        md.state##n = iq##n##_turn.execute(INDEX_OF(md.where) ++ MEMBER(n), waits); \
    }
#define MEMBER(n) md.value[8 * n - 1:8 * n - 8] // of a queue's set: the slot of level n

    EACH_LEVEL(ISOLATION_QUEUES)

#define MERGE_IQ(n) \
    action merge_iq##n() { \
        md.old_before = iq##n##_turn.execute(AT_PORT(md.where, md.old_slot), md.old_waits); \
    }

#if LEVELS > 1
    MERGE_IQ(1)
#endif
#if LEVELS > 2
    MERGE_IQ(2)
#endif
#if LEVELS > 3
    MERGE_IQ(3)
#endif

    // IQs of a root at all ports. Threads alone free.
    Register<bit<8>, slot_at_t>(((LEVELS + 1) * SLOTS), 0) iqs;

#define COUNT_IQS(name, by) \
    SUM_ACTION(bit<8>, slot_at_t, iqs, name, + by) \
    action iq_##name() { md.iqs_left = iqs_##name.execute(ROOT_AT(md.level, md.slot)); }

    COUNT_IQS(more, 1)
    COUNT_IQS(less, 255)
    COUNT_IQS(count, 0)

    // ---- Slots for roots that have none ----

    // A stack of free numbers is two registers: how many there are, 255 at most, and which. A stack
    // of a level has slots; a stack of a port has queues.
#define STACK_TOP(name, at_t, size, top) \
    Register<bit<8>, at_t>(size, top) name; \
    RegisterAction2<bit<8>, at_t, bit<1>, bit<8>>(name) name##_pop = { \
        void apply(inout bit<8> value, out bit<1> got, out bit<8> position) { \
            got = 0; \
            if (value != 0) { \
                value = value - 1; \
                got = 1; \
            } \
            position = value; \
        } \
    }; \
    RegisterAction<bit<8>, at_t, bit<8>>(name) name##_push = { \
        void apply(inout bit<8> value, out bit<8> position) { \
            bit<8> before = value; \
            value = before + 1; \
            position = before; \
        } \
    };
    // A register that is read and written, and no more.
#define PLAIN(name, at_t, size, field) \
    Register<bit<16>, at_t>(size, 0) name; \
    READ_ACTION(bit<16>, at_t, name, read) \
    WRITE_ACTION(bit<16>, at_t, name, write, field)
#define SLOT_PLACE md.level[LEVEL_BITS - 1:0] ++ md.place[7:0]

    STACK_TOP(slot_top, bit<LEVEL_BITS>, (LEVELS + 1), SLOTS_IN_USE)
    PLAIN(slot_id, slot_at_t, ((LEVELS + 1) * SLOTS), md.slot)

    action pop_slot() { md.got = slot_top_pop.execute(md.level[LEVEL_BITS - 1:0], md.place); }
    action push_slot() { md.place = slot_top_push.execute(md.level[LEVEL_BITS - 1:0]); }
    action read_slot() { md.given = slot_id_read.execute(SLOT_PLACE); }
    action write_slot() { slot_id_write.execute(SLOT_PLACE); }
