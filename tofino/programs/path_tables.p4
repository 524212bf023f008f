// The path tables of a switch: by which port a packet will leave here, and which port it will pass
// at each hop behind, so that a switch knows the whole path before the packet goes (Pyrrha, section
// V-A). They do what each switch on the way will do: find the destination in its forwarding table,
// and choose a member of a group by its hash function.
//
// A program includes this file three times, where the fields, the tables and the steps belong:
//
//	#define PATHS PATH_FIELDS // in the metadata of ingress
//	#include "path_tables.p4"
//	#define PATHS PATH_TABLES // in the control of ingress
//	#include "path_tables.p4"
//	#define PATHS PATH_STEPS  // in its apply block
//	#include "path_tables.p4"
//
// It defines PATH_SRC, PATH_DST, PATH_SRC_PORT, PATH_DST_PORT and PATH_PROTOCOL, which are fields
// of headers; PATH_FLOW_LABEL for IPv6. The answer is in md.path_port, if md.path_has_port is 1,
// and for hop n in md.path_n_root, the number of a port there, if md.path_n_has is 1.
//
// path_hop.p4 has one hop. A configuration defines for the hops of which the bit is set in
//
//	PASSES     packets go on from there; at other hops all have arrived
//	HASHES     nodes choose among members of groups there
//	DETAILED   some block of destinations does not go one way there
//	GROUPED    some destinations of such a block have a group
//	OF_BLOCKS  details there are of several blocks
//	CONSTANTS  nodes add a constant to the hash value, their seed's
//	DIGESTS    the first hop that uses a hash function
//	POLYNOMIAL the hash function is a CRC; else it folds
//
// and for each hop n the widths of its keys, LINK_BITS_n, NODE_BITS_n, CLASS_BITS_n, GROUP_BITS_n
// and VALUE_BITS_n; room in its tables, ROUTES_n, DETAILS_n, MEMBERS_n and LINKS_n; the number
// FUNCTION_n of its hash function, and the bits VALUE_HIGH_n to VALUE_LOW_n of the hash that
// choose; where bit n of DIGESTS is set DIGEST_BITS_n, DIGEST_INPUT_n and DIGEST_CRC_n, the
// arguments of CRCPolynomial. And for all hops
//
//	HOPS         how many there are, 8 at most
//	BLOCK_BITS   bits of the number of a block of destinations,
//	OFFSET_BITS  of a destination's number in its block,
//	ROOT_BITS    and of a port's number
//	ADDRESSES    room for prefixes
//	HOST_ROUTES  1 if every prefix is one address
//	CAME_BY      ports, if this switch hashes the port by which a packet comes, or 0

#define PATH_FIELDS 1
#define PATH_TABLES 2
#define PATH_STEPS 3
#define PATH_DIGESTS 4 // steps that come first

// What is next for the packet at a hop.
#define OVER 0     // nothing: the path has ended, or is not known
#define BY_LINK 1  // it takes the link path_n_link
#define BY_GROUP 2 // it takes a member of the group path_n_group
#define LOOK_UP 3  // it is looked up: in the routes, then in the details

// Names, widths and sizes of the hop at hand. HERE says whether a bit of a mask is the hop's.
#define PATH_NAME(hop, name) path_##hop##_##name
#define PATH_NAME_AT(hop, name) PATH_NAME(hop, name)
#define THIS(name) PATH_NAME_AT(HOP, name)
#define NEXT(name) PATH_NAME_AT(NEXT_HOP, name)
#define PASTED(a, b) a##b
#define PASTE(a, b) PASTED(a, b)
#define OF_HOP(name) PASTE(name##_, HOP)
#define OF_NEXT(name) PASTE(name##_, NEXT_HOP)
#define TABLE_NAME(hop, name) path##hop##_##name
#define TABLE_NAME_AT(hop, name) TABLE_NAME(hop, name)
#define TABLE_OF_HOP(name) TABLE_NAME_AT(HOP, name)
#define DIGEST PASTE(path_digest, OF_HOP(FUNCTION))
#define HASH PASTE(path_hash, OF_HOP(FUNCTION))
#define HERE(mask) (((mask) >> HOP) & 1)
#define AT_NEXT(mask) (((mask) >> NEXT_HOP) & 1)

#if PATHS == PATH_FIELDS
    bit<9> path_port;
    bit<1> path_has_port;
    bit<BLOCK_BITS> path_block;
    bit<OFFSET_BITS> path_offset;
    bit<ROOT_BITS> path_last; // the port to the destination
    bit<1> path_has_last;
#elif PATHS == PATH_TABLES
    action path_to(bit<BLOCK_BITS> block, bit<OFFSET_BITS> offset, bit<ROOT_BITS> last) {
        md.path_block = block;
        md.path_offset = offset;
        md.path_last = last;
        md.path_has_last = 1;
        md.path_0_kind = LOOK_UP;
    }

    // The address is at a switch, or behind a port that no packet passes now.
    action path_toward(bit<BLOCK_BITS> block, bit<OFFSET_BITS> offset) {
        md.path_block = block;
        md.path_offset = offset;
        md.path_0_kind = LOOK_UP;
    }

    // The address is at this switch.
    action path_local(bit<9> port) {
        md.path_port = port;
        md.path_has_port = 1;
    }

    action path_unknown() {}

    // Addresses of the network: a destination is a switch, and a port of it.
    table path_dst {
#if HOST_ROUTES
        key = { PATH_DST : exact @name("dst"); }
#else
        key = { PATH_DST : lpm @name("dst"); }
#endif
        actions = { path_to; path_toward; path_local; path_unknown; }
        default_action = path_unknown();
        size = ADDRESSES;
    }

#if CAME_BY
    action path_came(bit<VALUE_BITS_0> constant) { md.path_0_constant = constant; }
    action path_came_nowhere() {}

    // The constant that the port by which the packet came adds to the hash value.
    table path_ingress {
        key = { ig_intr_md.ingress_port : exact @name("ingress_port"); }
        actions = { path_came; path_came_nowhere; }
        default_action = path_came_nowhere();
        size = CAME_BY;
    }
#endif
#endif

#if PATHS == PATH_STEPS
#undef PATHS
#define PATHS PATH_DIGESTS
#include "path_hops.p4"
        path_dst.apply();
#if CAME_BY
        path_ingress.apply();
#endif
#undef PATHS
#define PATHS PATH_STEPS
#endif
#include "path_hops.p4"

#undef PATHS
