// Package hashpath calculates the onward path of a packet: every egress port that it will take, as
// the switches on its way will choose them by their hash functions, seeds and forwarding tables. A
// Pyrrha switch needs it to know whether a packet is bound for a congestion root (Pyrrha, section
// IV-B); a simulator can route by it.
//
// A [Builder] collects the switches, hosts and links. Build finds the shortest paths and returns a
// [Network]. Its Path, Egress and Follow take no lock, allocate nothing and may be called from any
// number of goroutines, while links fail, come back and change weight.
//
// # Hosts
//
// A host of one link costs no more than its address and its name; one of several links is a node
// with tables of its own. Neither forwards, unless AddForwardingHost declares it, as in
// node-centric networks. With Config.HostHops paths end with a hop of the host itself, so that a
// host with a congested card can be a congestion root. [Network.Levels] returns how far the
// farthest root can be from each port, and therefore how many levels of isolation queues that port
// needs.
//
// A driver of machines needs the methods Path and Egress only. The consumer declares them as a
// small interface, which a router of another kind can implement as well.
//
// # Hash functions
//
// [Hash] defines how a switch chooses a member of an ECMP group. CRCs are checked against the
// catalogue of parametrised CRC algorithms, Toeplitz against Microsoft's verification suite for
// receive-side scaling.
//
// Every function except XXH64 is affine over GF(2): the result is the exclusive-or of one word for
// each bit of the flow that is set, and of a constant that depends on the seed. Three things
// follow, and all are exact. One table look-up per byte of the flow gives its digest, whatever the
// polynomial and the order of the fields. Switches that differ only in their seeds share the
// digest: the second hop that hashes just adds another constant. And seeds do not help against
// polarisation.
//
// # Polarisation
//
// If two tiers choose by the same value, the second has no choice left: an aggregation switch only
// sees the flows whose value led to it, and sends all of them to the same core. That happens if all
// switches have the same seed (Config.OneSeed). It also happens with different seeds, if the
// function is affine and the number of members a power of two: another seed only permutes the
// members. Of 16 cores, a rack then reaches 4 (TestPolarisation). What helps is another function,
// other bits of the result (Hash.Offset; Config.TierOffset sets it by tier), or XXH64, which is not
// affine. The zero Config uses XXH64 with a seed for each switch.
//
// # Tables
//
// Tables are by destination: a switch with its hosts is one, and so is a host with several links.
// Destinations with the same neighbours (the racks of a pod) are a block, and a switch has one
// entry for a block unless it sends to its destinations differently. Switches with equal tables
// share them, as the paper proposes for cores. To make tables equal, a switch's links are numbered:
// links towards the hosts in the order of their peers, then the others in the order of their ports.
// So the aggregation switches of a pod share one table, however they are cabled, and a switch has
// only its seed and its ports of its own. An entry with one port hashes nothing: in a fat-tree a
// path hashes at its first two hops, because a core has one path to each destination (section
// IV-B). [Network.Snapshot] copies the tables, to build the same forwarding in another machine,
// such as a switch chip, and [Compare] returns the difference between two of them.
//
// For the fat-tree of the paper's section V-A, k = 36 with 11,664 hosts, paths need 364,704 bytes
// with dense addresses and 376,224 with addresses 10.pod.rack.host; the paper's prototype on a
// Tofino2 has 0.44 MB for the paths from one switch, the 364,704 bytes are for all 1,620, and 38
// different tables serve them. Updates and source routes need another 229,868
// (TestMemoryOfThePapersFatTree; [Network.Memory] has the parts). IPv6 takes 40 KiB of hash tables
// per function.
//
// # Cost
//
// Nanoseconds on a shared 2-core AMD EPYC virtual machine whose neighbours were busy, minimum of
// many runs of 10 ms, Go 1.26; hash/crc32 took 8 ns for the CRC-32C and 29 ns for the IEEE CRC-32
// of 16 bytes at the same time. Paths have five hops from a ToR, IPv4 unless said:
//
//	                                                    per path  per hop
//	fat-tree k = 16, any CRC, XOR or Toeplitz                 49     9.8
//	fat-tree k = 36, the same                                 60    12.0
//	fat-tree k = 16, IPv6                                     85    17.0
//	fat-tree k = 16, XXH64                                    97    19.5
//	every hop chooses of 8, one CRC with different seeds      63    12.6
//	every hop chooses of 8, a CRC of its own each             85    17.0
//	Egress at a ToR, CRC                                              18
//	Follow, a source route of five ports                      39
//
// (go test -bench 'Path|EveryHop|Egress|Follow' ./hashpath.) Nothing allocates. Building takes 6 ms
// for k = 16 and 0.13 s for k = 36; a link between switches that fails and comes back takes up to
// 14 ms for k = 36, a host's link a few microseconds.
//
// # Cache
//
// How many times as fast as the network itself a [Cache] of 4,096 paths is, by what is asked: 64
// flows or 2,048 in turn (a hit takes 18 to 60 ns, depending on which of the processor's caches the
// entry is in), 65,536 flows, the flow of rank r in proportion to 1/r (three questions in four are
// hits), and flows that never come again (a miss takes 30 ns more than the path):
//
//	                                          64    2,048    1/r    never
//	fat-tree k = 36, CRC-32C, IPv4           1.9      2.1    0.8      0.6
//	the same, IPv6                           6.3      4.2    1.4      0.7
//	fat-tree k = 36, XXH64, IPv4             6.3      1.8    1.4      0.9
//	the same, IPv6                           5.3      3.0    1.7      0.8
//	8 hops, each chooses of 8, one CRC       4.7      2.8    1.5      0.8
//	the same, resilient groups               4.2      2.7    1.5      0.9
//	the same, a CRC of its own each          6.3      3.6    1.8      0.8
//	the same, XXH64                           12      6.2    2.5      1.0
//
// (go test -bench Cache ./hashpath, the two in turn in each run, on the machine above.) So a Cache
// is worth having wherever most packets are of flows that it has room for, and, unless the hash is
// a CRC of IPv4, also where three in four are. Where most packets are the only ones of their flows
// it costs: there it is cheaper to calculate the path.
//
// # Deviations
//
// The paper describes the calculation in a paragraph; the rest are our decisions.
//
//   - The paper hashes at the first two hops of a fat-tree. Here any switch with one port towards
//     the destination does not hash, in any topology.
//   - The paper does not say where tables come from. Here they are all the shortest paths, in hops,
//     over the links that are up: what BGP or IS-IS with ECMP converge to. An update is for the
//     whole network at once. Real switches converge one after the other, and until they have, a
//     prediction may be wrong.
//   - The paper does not define "seeds". Here the seed of a CRC enters its initial register, the
//     seed of XOR and Toeplitz the result; the seed of XXH64 precedes the input, because our
//     one-shot function takes no seed.
//   - A host with one link is reached by the route to its switch: if the link fails, packets go as
//     far as the switch, as they do where racks are announced by prefix. It sends everything by its
//     port 0.
//   - A longest prefix that is unreachable does not fall back to a shorter one.
//   - Paths longer than sluice.MaxHops are cut off (TooLong).
//   - Per-packet spraying and DRILL cannot be predicted, as the paper says. They choose from
//     [Network.Choice]; [Network.Certain] returns the hops that no choice changes.
package hashpath
