// One hop of the path tables: hop HOP, before hop NEXT_HOP. path_tables.p4 says what the names
// mean.

#if PATHS == PATH_FIELDS
#if HOP == 0 || HERE(PASSES)
    bit<3> THIS(kind);
#endif
#if HERE(PASSES)
    bit<OF_HOP(LINK_BITS)> THIS(link);
#endif
#if HOP > 0
#if HERE(PASSES)
    bit<OF_HOP(NODE_BITS)> THIS(node);
    bit<OF_HOP(CLASS_BITS)> THIS(class); // of nodes that send alike
#endif
    bit<ROOT_BITS> THIS(root);
    bit<1> THIS(has);
#endif
#if HERE(HASHES)
    bit<OF_HOP(GROUP_BITS)> THIS(group);
    bit<OF_HOP(VALUE_BITS)> THIS(value);
#endif
#if HERE(CONSTANTS)
    bit<OF_HOP(VALUE_BITS)> THIS(constant);
#endif
#if HERE(DIGESTS)
    bit<OF_HOP(DIGEST_BITS)> DIGEST;
#endif
#endif

#if PATHS == PATH_TABLES && HERE(DIGESTS)
    // The hash of the flow under the seed 0, of which nodes take some bits and add a constant: CRCs
    // and folds are linear, so that a seed and all that is no field of the flow are that constant.
#if HERE(POLYNOMIAL)
    CRCPolynomial<bit<OF_HOP(DIGEST_BITS)>>(OF_HOP(DIGEST_CRC)) PASTE(HASH, _poly);
    Hash<bit<OF_HOP(DIGEST_BITS)>>(HashAlgorithm_t.CUSTOM, PASTE(HASH, _poly)) HASH;
#else
    Hash<bit<OF_HOP(DIGEST_BITS)>>(PASTE(HashAlgorithm_t.XOR, OF_HOP(DIGEST_BITS))) HASH;
#endif

    action DIGEST() {
        md.DIGEST = HASH.get({OF_HOP(DIGEST_INPUT)});
    }
#endif

#if PATHS == PATH_TABLES && HERE(PASSES)
// What differs at hop 0, where there is one node, and where packets of no known way have no end.
#if HOP > 0
#define CLASS_KEY md.THIS(class) : exact @name("node_class");
#define NODE_KEY md.THIS(node) : exact @name("node");
#define OR_ARRIVE THIS(arrive);
#define OTHERWISE THIS(arrive)

    // Nothing is known of this class for the destination: the packet is there, and its last port is
    // this hop's.
    action THIS(arrive)() {
        md.THIS(root) = md.path_last;
        md.THIS(has) = md.path_has_last;
        md.THIS(kind) = OVER;
    }
#else
#define CLASS_KEY
#define NODE_KEY
#define OR_ARRIVE
#define OTHERWISE THIS(nothing)
#endif

    action THIS(to_link)(bit<OF_HOP(LINK_BITS)> link) {
        md.THIS(link) = link;
        md.THIS(kind) = BY_LINK;
    }

    action THIS(to_detail)() { md.THIS(kind) = LOOK_UP; }
    action THIS(nothing)() { md.THIS(kind) = OVER; }

#if HERE(HASHES)
    action THIS(to_group)(bit<OF_HOP(GROUP_BITS)> group) {
        md.THIS(group) = group;
#if HERE(CONSTANTS)
        md.THIS(value) = md.DIGEST[OF_HOP(VALUE_HIGH):OF_HOP(VALUE_LOW)] ^ md.THIS(constant);
#else
        md.THIS(value) = md.DIGEST[OF_HOP(VALUE_HIGH):OF_HOP(VALUE_LOW)];
#endif
        md.THIS(kind) = BY_GROUP;
    }
#define OR_TO_GROUP THIS(to_group);
#else
#define OR_TO_GROUP
#endif

    // Where nodes of a class send a block of destinations.
    table TABLE_OF_HOP(route) {
        key = {
            CLASS_KEY
            md.path_block : exact @name("block");
        }
        actions = { THIS(to_link); THIS(to_detail); THIS(nothing); OR_ARRIVE OR_TO_GROUP }
        default_action = OTHERWISE();
        size = OF_HOP(ROUTES);
    }

#if HERE(DETAILED)
#if HERE(OF_BLOCKS)
#define BLOCK_KEY md.path_block : exact @name("block");
#else
#define BLOCK_KEY
#endif
#if !HERE(GROUPED)
#undef OR_TO_GROUP
#define OR_TO_GROUP
#endif
    // Where they send one destination of a block that does not go one way.
    table TABLE_OF_HOP(detail) {
        key = {
            CLASS_KEY
            md.path_offset : exact @name("offset");
            BLOCK_KEY
        }
        actions = { THIS(to_link); THIS(nothing); OR_ARRIVE OR_TO_GROUP }
        default_action = OTHERWISE();
        size = OF_HOP(DETAILS);
    }
#undef BLOCK_KEY
#endif

#if HERE(HASHES)
    action THIS(pick)(bit<OF_HOP(LINK_BITS)> link) {
        md.THIS(link) = link;
        md.THIS(kind) = BY_LINK;
    }

    // Members of groups by hash value.
    table TABLE_OF_HOP(member) {
        key = {
            md.THIS(group) : exact @name("group");
            md.THIS(value) : exact @name("value");
        }
        actions = { THIS(pick); THIS(nothing); }
        default_action = THIS(nothing)();
        size = OF_HOP(MEMBERS);
    }
#endif

    // A link says the port by which the packet takes it, and what is at its other end.
#if NEXT_HOP < HOPS && AT_NEXT(HASHES)
#define NEXT_DATA , bit<OF_NEXT(NODE_BITS)> next_node, bit<OF_NEXT(CLASS_BITS)> next_class, \
        bit<OF_NEXT(VALUE_BITS)> constant
#elif NEXT_HOP < HOPS && AT_NEXT(PASSES)
#define NEXT_DATA , bit<OF_NEXT(NODE_BITS)> next_node, bit<OF_NEXT(CLASS_BITS)> next_class
#else
#define NEXT_DATA
#endif
#if HOP > 0
    action THIS(leave)(bit<ROOT_BITS> root NEXT_DATA) {
        md.THIS(root) = root;
        md.THIS(has) = 1;
#else
    action THIS(leave)(bit<9> port NEXT_DATA) {
        md.path_port = port;
        md.path_has_port = 1;
#endif
#if NEXT_HOP < HOPS && AT_NEXT(PASSES)
        md.NEXT(node) = next_node;
        md.NEXT(class) = next_class;
        md.NEXT(kind) = LOOK_UP;
#if AT_NEXT(HASHES)
        md.NEXT(constant) = constant;
#endif
#elif NEXT_HOP < HOPS // all packets have arrived there
        md.NEXT(root) = md.path_last;
        md.NEXT(has) = md.path_has_last;
#endif
    }

    table TABLE_OF_HOP(link) {
        key = {
            NODE_KEY
            md.THIS(link) : exact @name("link");
        }
        actions = { THIS(leave); THIS(nothing); }
        default_action = THIS(nothing)();
        size = OF_HOP(LINKS);
    }
#undef CLASS_KEY
#undef NODE_KEY
#undef OR_ARRIVE
#undef OTHERWISE
#undef OR_TO_GROUP
#undef NEXT_DATA
#endif

#if PATHS == PATH_DIGESTS && HERE(DIGESTS)
        DIGEST();
#endif

#if PATHS == PATH_STEPS && HERE(PASSES)
        if (md.THIS(kind) == LOOK_UP) {
            TABLE_OF_HOP(route).apply();
#if HERE(DETAILED)
            if (md.THIS(kind) == LOOK_UP) {
                TABLE_OF_HOP(detail).apply();
            }
#if HERE(HASHES) && !HERE(GROUPED)
            else if (md.THIS(kind) == BY_GROUP) { // beside the details, in one stage
                TABLE_OF_HOP(member).apply();
            }
#endif
#endif
#if HERE(HASHES) && (!HERE(DETAILED) || HERE(GROUPED))
            if (md.THIS(kind) == BY_GROUP) {
                TABLE_OF_HOP(member).apply();
            }
#endif
            if (md.THIS(kind) == BY_LINK) {
                TABLE_OF_HOP(link).apply();
            }
        }
#endif

#undef HOP
#undef NEXT_HOP
