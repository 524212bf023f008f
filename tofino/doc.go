// Package tofino makes programs and table entries for the Tofino 2 of the same configurations that
// make the machines of this module. It returns them in the representation of package ir: a program,
// and what fills it.
//
// [NewPFC] makes the entries of the traffic manager by which the chip pauses by itself; [NewBFC],
// [NewOFC], [NewPortFC] and [NewPyrrha] programs with their entries; [NewForwarding] a program that
// does nothing but find paths. [RealisePFC], [RealiseBFC] and so on give the nearest configuration
// of a machine that the chip can run, and what is changed in it; the makers of programs refuse any
// other.
//
// The programs are in P4, for the architecture T2NA: programs/bfc.p4 and so on. What a
// configuration decides is a file of defines, config.p4h, which the program includes. Package p4
// reads the two as the chip's compiler does; the entries of the tables are computed beside them.
//
// Path tables, of programs/path_tables.p4, let a switch know a packet's onward path: which ports it
// will pass behind this switch, as dense numbers a program can index registers with. They hold for
// any network of package hashpath whose switches hash with a function that the chip computes.
//
// # How a path is found
//
// A destination is a block and an offset in the block: where packets for all of a block go the same
// way, one entry speaks for the block. Each hop has its own copy of the tables, for a table is
// applied once in a pass:
//
//	path{h}_route   class, block          one way for the block; a group; or detail
//	path{h}_detail  class, offset         where the block does not go one way
//	path{h}_member  group, value          the link that the hash value chooses
//	path{h}_link    node, link            number of the root; node, class, constant of the next hop
//
// A class stands for all nodes with equal forwarding tables: in a fat-tree few tables do for a
// thousand switches. The digest of the flow is computed once; a node's seed is no part of it: for
// functions that are affine over GF(2) another seed exclusive-ors the result with a constant, which
// the link that leads to the node supplies. The chip computes no value modulo the size of a group
// that is no power of two: the table has an entry for each value.
//
// # BFC
//
// [NewBFC] makes the program of a switch of package bfc, [RealiseBFC] a configuration that it can
// run. Package replay runs the program beside the machine. The chip makes it differ from the
// machine in this:
//
//   - The clock that measures sticky times has 32 bits of nanoseconds: an entry that has rested for
//     a multiple of 4.29 s, and not for more than a sticky time beyond it, counts as rested for the
//     rest alone, and keeps its queue.
//   - A packet that the traffic manager drops after ingress has counted it is never uncounted: its
//     entry, its queue and its pause counter stay one too high. Give the queues the buffer that
//     they need.
//   - A frame that names several queues, and a bitmap, is refused: a packet says one word. So every
//     device of the network sends Pause and Resume frames of one queue, as RealiseBFC has it. A
//     frame longer than 60 octets, which the machine refuses, is obeyed if it begins as one should.
//   - Frames are sent as they become due. The machine sends none for a queue that is paused and
//     resumed before the transmitter polls.
//   - Late frames are refused however many come, after a forged frame for instance: a controller
//     that sees true frames refused clears the port's element of the register heard. A pause does
//     not expire when its sender no longer repeats it.
//   - The program does not see a link fail or come up: queues that it holds stay held until a
//     controller sends RESUME words and clears the registers.
//   - Packets are IPv4; one with options has no ports in its hash. Others are dropped.
//   - The shares of the data queues are the chip's: equal weights, by bytes.
//   - Ports of one pipe: a data packet adds to the registers of its egress port in the pipe of its
//     ingress port, which no copy of a frame can bring to another pipe.
//
// # OFC
//
// [NewOFC] makes the program of a switch of package ofc, [RealiseOFC] a configuration that it can
// run. All that differs under BFC differs here, except the clock, and besides:
//
//   - Two flows are one to the chip if they agree in half of their bits and in the bits of the
//     other half that choose a cell: each is paused and resumed with the other. At most 1 of 2^33
//     pairs of hashes agree so. A free cell holds the flow 0: every packet of that flow sends a
//     frame.
//   - A class whose queues have rotated 2^31 times forgets that flows are paused.
//   - A packet that moves is in neither of its two queues while it goes round. A frame that resumes
//     its flow goes round after it, twice, and so is behind it. Other events in that time, as the
//     end of a rotation, are not replayed: nothing takes time in a replay.
//   - A frame names one flow, so that every device of the network that sends frames is to have
//     ofc.Config.MaxFlowsPerFrame 1.
//   - Backup queues are held from the beginning by packets of the generator, which runs once.
//   - Signals have the highest of 8 priorities, so that classes 0 and 1 share one and take turns.
//
// A Tofino 1 has no words of flow control and cannot run the program. The paper's prototype lets
// paused packets circulate there; [Circulating] says what rates that would take.
//
// # Pyrrha
//
// [NewPyrrha] makes the program of a switch of package pyrrha with single-tier queues,
// [RealisePyrrha] a configuration that it can run. What differs from the machine:
//
//   - The order of sets is off: when a root appears, flows that pass it can be reordered.
//     QueueCounters.Overtakes of the machine counts the packets.
//   - Two sets of roots whose hashes share 12 bits share the queue of the set that came first, and
//     a set that finds no queue free goes to the last IQ, which is never held: isolation is lost,
//     never a packet. The register shared counts the packets of such sets.
//   - A frame is stale if it is not newer than the last frame that the port heard, whatever its
//     root.
//   - A frame is obeyed if it names a port at the distance that the path tables give the port. A
//     frame that names another port, or merges into a root that is no farther, is ignored.
//   - Slots are 255 for each distance, not in all.
//   - Frames of one input at one port are sent nearest root first.
//   - As with BFC, packets that the traffic manager drops stay counted, the program does not see a
//     link fail, packets are IPv4, and all ports are of one pipe.
//
// Ingress keeps the tree of a root, because an IQ is freed only when the tree is empty; the egress
// of each port might have kept its part. So a frame that concerns every upstream, as MERGE does,
// becomes a copy for each upstream by the recirculation port, and the last copy goes on. While
// copies are on their way a chip of real latency can decide by a tree that is about to change: such
// times are not replayed.
//
// By the estimate of package fit the tables lie behind one another in 19 stages at the edge of a
// fat-tree of three tiers, 12 of them to find a packet's path, and in 16 and 13 at its other
// switches: the chip has 20. For that a MERGE's copy goes round twice, to leave the tree of the old
// root and to join the tree of the new root, and a copy of each queue of a port goes round once
// more, whether a set has that queue or not. The public compiler fits one and two levels of roots,
// and refuses three and four.
//
// # The chip of a replay
//
// The chip itself is ideal in a replay: notices are round before the next packet. A chip of real
// latency frees queues later and counts packets that have left; tests of package replay say how
// many decisions differ.
//
// # Limits
//
// A host's own hop, by which paths end with [hashpath.Config.HostHops], has no number: the tables
// end with the port that leads to the host.
//
// # Not verified on hardware
//
//   - The driver alone says what the traffic manager does at a threshold: dynamic_baf is a share of
//     the free and the held cells together, a priority group pauses above its limit and resumes
//     hysteresis_cells below it, for any number of cells. The driver says of other limits that they
//     are rounded down to 8 cells.
//   - A port is taken to send pauses of 65,535 quanta and to send them anew by itself.
//   - The queues of class 0 have the pfc_cos that all queues have at first, 0: the driver's text
//     does not say whether a pause of class 0 holds them.
//
// # Deviations from the PortFC paper
//
// The paper (section IV-A) finds a queue by dividing the address by n. The chip does not divide:
// each digit has bits of its own in an address, or the layout is refused. Sums of queue lengths are
// counted by packets and by notices of their departure: ghost, the paper's source, overwrites and
// cannot add. The length of the DDQ alone may be known from ghost. Networks of more than two layers
// are refused.
//
// # Deviations from the OFC paper
//
// The paper (section IV-B) finds flows by cuckoo hashing, which moves one flow to make room for
// another: a packet would write twice. Here a flow has two cells and stays in one of them. Cells
// hold more than half of a hash in the place of addresses. The order mark is the RESUME itself, and
// the rotation that it marks ends when the queue that is served is empty, as notices say.
//
// # Deviations from the Pyrrha paper
//
// The paper (section V-A) gives the memory of its parts for a fat-tree with k = 36, and no layout.
// The edge switch's path calculation has 28 blocks there and 26 here, its congestion-root table 11
// and 11, all of it 712 and 166. Here roots have slots. With an element for each pair of egress
// port and root port in their place, our registers take 1,003 blocks instead of 50 and the program
// 1,119; IsAssigned and QueueId record alone, a bit and an octet a pair, take 92. The paper's queue
// manager has 553, so that slots are enough to explain that ours is smaller; the widths behind the
// 553 are not known, and the paper's processing logic, 120, has no counterpart in ours. Lengths of
// queues are counted by packets and notices; ghost threads, the paper's source, can be chosen for
// the lengths of OQs.
package tofino
