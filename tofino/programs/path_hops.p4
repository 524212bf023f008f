// path_hop.p4 again for each hop: what it has of the part of the program that PATHS names.

#define HOP 0
#define NEXT_HOP 1
#include "path_hop.p4"
#if HOPS > 1
#define HOP 1
#define NEXT_HOP 2
#include "path_hop.p4"
#endif
#if HOPS > 2
#define HOP 2
#define NEXT_HOP 3
#include "path_hop.p4"
#endif
#if HOPS > 3
#define HOP 3
#define NEXT_HOP 4
#include "path_hop.p4"
#endif
#if HOPS > 4
#define HOP 4
#define NEXT_HOP 5
#include "path_hop.p4"
#endif
#if HOPS > 5
#define HOP 5
#define NEXT_HOP 6
#include "path_hop.p4"
#endif
#if HOPS > 6
#define HOP 6
#define NEXT_HOP 7
#include "path_hop.p4"
#endif
#if HOPS > 7
#define HOP 7
#define NEXT_HOP 8
#include "path_hop.p4"
#endif
