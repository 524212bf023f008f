// What the programs of all protocols share: headers of packets, how a frame begins, and the parts
// of parsers and controls that no protocol changes. A part is a macro, which a program names where
// the part belongs.
//
// A configuration defines for every program:
//
//	PORTS       ports of the switch, which have numbers from 0 on
//	PORT_BITS   bits of such a number
//	GHOST       1 if ghost reports the depths of queues, 0 if notices of departures add them up
//	MOST_CELLS  cells of the longest packet
//
// A packet that goes round by the recirculation port, or from ingress to egress, begins with an
// octet that says what it is: its kind. The kinds are the program's.

#include <core.p4>
#include <t2na.p4>

const bit<8> FRAME_VERSION = 1;
const bit<16> FRAME_TYPE = 0x88B5; // EtherType of frames: IEEE 802's for local experiments
const bit<48> NEAREST_BRIDGE = 0x0180C200000E; // to which frames go, and which no bridge forwards
const bit<16> IPV4 = 0x0800;

const bit<8> SIGNAL_SESSION = 1; // mirrors what becomes a frame
const bit<8> NOTICE_SESSION = 2; // mirrors the notice to ingress that a packet has left

const bit<7> RECIRCULATION = 6; // the local number of the port by which packets go round
const bit<3> DROP = 1;          // the packet, not its mirrored copy

// The bits of a port's number that an index of registers has.
#define INDEX_OF(port) port[PORT_BITS - 1:0]

// ======== Headers ========

// The first octets of a packet whose copy becomes a signal: they are thrown away.
header cut_h {
    bit<112> octets;
}

header ethernet_h {
    bit<48> dst;
    bit<48> src;
}

header ether_type_h {
    bit<16> value;
}

// A frame begins like this, whatever the protocol. It ends with zeros, to Ethernet's least length.
#define FRAME_BEGINS \
    bit<8> protocol; \
    bit<8> version; \
    bit<8> type; \
    bit<8> flags; \
    bit<16> length; \
    bit<32> sequence;

header ipv4_h {
    bit<8> version_ihl;
    bit<8> dscp;
    bit<16> total_length;
    bit<16> id;
    bit<16> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header l4_h {
    bit<16> src;
    bit<16> dst;
}

// The two words of a register that an action reads and writes together.
struct pair32_t {
    bit<32> low;
    bit<32> high;
}

// What packets do to a register of single words: read, write, add or subtract, with or without the
// sum as the answer. A change is a sign and what is added: + md.cells, - 1.
#define READ_ACTION(word, at, register, name) \
    RegisterAction<word, at, word>(register) register##_##name = { \
        void apply(inout word value, out word result) { result = value; } \
    };
#define WRITE_ACTION(word, at, register, name, written) \
    RegisterAction<word, at, void>(register) register##_##name = { \
        void apply(inout word value) { value = written; } \
    };
#define SUM_ACTION(word, at, register, name, change) \
    RegisterAction<word, at, word>(register) register##_##name = { \
        void apply(inout word value, out word sum) { \
            value = value change; \
            sum = value; \
        } \
    };
#define ADD_ACTION(word, at, register, name, change) \
    RegisterAction<word, at, void>(register) register##_##name = { \
        void apply(inout word value) { value = value change; } \
    };

// ======== Parsers ========

// What comes by a port: frames go to the program's state parse_frame, behind their EtherType, and
// other packets to parse_packet, behind their addresses. What goes round goes to parse_round. No
// gateway compares 48 bits, so that the parser compares the address: that the header of a frame is
// valid says the rest.
#define PARSE_ARRIVAL \
    state parse_begin { \
        transition select(ig_intr_md.ingress_port[6:0]) { \
            RECIRCULATION: parse_round; \
            default: parse_ethernet; \
        } \
    } \
    state parse_ethernet { \
        pkt.extract(hdr.ethernet); \
        transition select(hdr.ethernet.dst[47:16]) { \
            0x0180C200: parse_reserved_address; \
            default: parse_packet; \
        } \
    } \
    state parse_reserved_address { \
        transition select(hdr.ethernet.dst[15:0]) { \
            0x000E: parse_nearest_bridge; \
            default: parse_packet; \
        } \
    } \
    state parse_nearest_bridge { \
        transition select(pkt.lookahead<bit<16>>()) { \
            FRAME_TYPE: parse_frame_type; \
            default: parse_packet; \
        } \
    } \
    state parse_frame_type { \
        pkt.extract(hdr.ether_type); \
        transition parse_frame; \
    }

// IPv4, and the ports of TCP and UDP behind a header without options.
#define PARSE_IP_WITH_PORTS \
    state parse_ip { \
        pkt.extract(hdr.ipv4); \
        transition select(hdr.ipv4.version_ihl) { \
            0x45: parse_protocol; \
            default: accept; \
        } \
    } \
    state parse_protocol { \
        transition select(hdr.ipv4.protocol) { \
            6: parse_ports; \
            17: parse_ports; \
            default: accept; \
        } \
    } \
    state parse_ports { \
        pkt.extract(hdr.l4); \
        transition accept; \
    }

// A state that refuses a frame whose next bits, 32 at most, are no zeros. It first passes over the
// bits that the state before it looked at.
#define PARSE_ZEROS(name, looked_at, bits, next) \
    state name { \
        pkt.advance(looked_at); \
        transition select(pkt.lookahead<bit<bits>>()) { \
            0: next; \
            default: reject; \
        } \
    }

// ======== Frames that come ========

// Frames may be doubled or overtaken, and an old one must not undo a newer one. Each port remembers
// the newest sequence number that it heard, and takes a frame if it heard none, or if that number
// is outside of the frame's window: its own number and the 2^16-1 after it, modulo 2^32. A window
// that wraps needs an action of its own. Metadata: window_end, and fresh for the answer.
#define HEARD_REGISTER(size, port) \
    Register<pair32_t, bit<PORT_BITS>>(size, {0, 0}) heard; \
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(heard) heard_hear = { \
        void apply(inout pair32_t value, out bit<1> fresh) { \
            fresh = 0; \
            if (value.low < hdr.signal.sequence || value.low > md.window_end || \
                    value.high == 0) { \
                value.low = hdr.signal.sequence; \
                value.high = 1; \
                fresh = 1; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(heard) heard_hear_wrapped = { \
        void apply(inout pair32_t value, out bit<1> fresh) { \
            fresh = 0; \
            if (value.high == 0 || \
                    (value.low < hdr.signal.sequence && value.low > md.window_end)) { \
                value.low = hdr.signal.sequence; \
                value.high = 1; \
                fresh = 1; \
            } \
        } \
    }; \
    action hear_frame() { md.fresh = heard_hear.execute(INDEX_OF(port)); } \
    action hear_wrapped_frame() { md.fresh = heard_hear_wrapped.execute(INDEX_OF(port)); }

// Whether the window of a frame wraps.
#define WINDOW_WRAPS (md.window_end[31:16] == 0 && md.window_end[15:0] != 0xFFFF)

// A word of flow control holds or releases a queue of this chip. The table has words that release:
// the word that holds is the one after it.
#define WORD_ACTION \
    action say_word(bit<32> word) { ig_dprsr_md.adv_flow_ctl = word + md.hold; }

// ======== Frames that go ========

// Each port counts its frames.
#define SEQUENCE_REGISTER(size) \
    Register<bit<32>, bit<PORT_BITS>>(size, 0) sequence; \
    SUM_ACTION(bit<32>, bit<PORT_BITS>, sequence, number, + 1)

// The headers of a frame whose order came to egress. Its length, and what follows the sequence
// number, are the protocol's.
#define BEGIN_FRAME(what) \
    hdr.ethernet.setValid(); \
    hdr.ether_type.setValid(); \
    hdr.signal.setValid(); \
    hdr.padding.setValid(); \
    hdr.signal.sequence = sequence_number.execute(index); \
    hdr.ethernet.dst = NEAREST_BRIDGE; \
    hdr.ethernet.src = source; \
    hdr.ether_type.value = FRAME_TYPE; \
    hdr.signal.protocol = PROTOCOL; \
    hdr.signal.version = FRAME_VERSION; \
    hdr.signal.type = what; \
    hdr.signal.flags = 0;

// The table that makes a frame of an order, at the port by which it goes. An order at another port
// is lost.
#define SIGNALS_TABLE \
    action lose_signal() { eg_dprsr_md.drop_ctl = DROP; } \
    table signals { \
        key = { eg_intr_md.egress_port : exact @name("port"); } \
        actions = { send_signal; lose_signal; } \
        default_action = lose_signal(); \
        size = PORTS; \
    }

// ======== Packets ========

// The cells of the buffer, 176 octets each, that a packet takes.
#define CELLS_TABLE(otherwise) \
    action takes_cells(bit<32> cells) { md.cells = cells; } \
    table packet_cells { \
        key = { hdr.ipv4.total_length : range @name("total_length"); } \
        actions = { takes_cells; otherwise; } \
        default_action = otherwise(); \
        size = MOST_CELLS; \
    }

// ======== Ghost ========

// Ghost hears the depth of a queue when it changes, and writes it to an element of a register,
// which ingress reads.
#define GHOST_CONTROL(depths, register_action, index_bits) \
    control Ghost(in ghost_intrinsic_metadata_t g_intr_md) { \
        RegisterAction<bit<32>, bit<index_bits>, void>(depths) register_action = { \
            void apply(inout bit<32> value) { \
                bit<32> before = value; \
                value = 14w0 ++ g_intr_md.qlength; \
            } \
        }; \
        action nothing() {} \
        action report(bit<index_bits> index) { register_action.execute(index); } \
        table depth { \
            key = { \
                g_intr_md.pipe_id : exact @name("pipe_id"); \
                g_intr_md.qid : exact @name("qid"); \
            } \
            actions = { report; nothing; } \
            default_action = nothing(); \
            size = REPORTED_QUEUES; \
        } \
        apply { depth.apply(); } \
    }

#if GHOST
#define PIPELINE \
    Pipeline(IngressParser(), Ingress(), IngressDeparser(), \
        EgressParser(), Egress(), EgressDeparser(), Ghost()) pipe; \
    Switch(pipe) main;
#else
#define PIPELINE \
    Pipeline(IngressParser(), Ingress(), IngressDeparser(), \
        EgressParser(), Egress(), EgressDeparser()) pipe; \
    Switch(pipe) main;
#endif
