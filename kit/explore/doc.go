// Package explore visits every state that a small network of machines can be in: a model checker
// whose model is the code that ships. From a network in which nothing happened it tries every
// order of what may happen next, breadth first, and looks at each state once.
//
// What may happen next, one at a time:
//
//   - a host gives its card the next packet of a flow that is [Flow.Late]; the others are there
//     from the beginning;
//   - a free transmitter sends a frame, or else a packet, if its link has room for it;
//   - a packet or a frame arrives at the end of its link, in the order of that direction;
//   - time passes, up to the earliest deadline of all machines: see [Timers];
//   - a fault, if the network has any left: a frame is lost or comes twice, a link fails or comes
//     back, a node starts anew.
//
// Two things arrive as soon as they are sent, as nothing can tell the difference: a packet where it
// is delivered, unless the machine there counts it, and without faults a frame at a host that
// has nothing to send. So no packet is lost with the last link of its way.
//
// So, without [Network.Prompt] and [Network.Instant], a frame takes any time on its way, and any
// number of packets that the link holds can leave meanwhile; which of two events is first is never
// decided by a delay. Nothing is drawn at random.
//
// What must hold: every machine's Audit; no frame is malformed to its receiver, nor, without
// faults, out of order; no packet is lost but to what [Network.MayLose] names; no two packets
// of a flow are out of order; a port that has something to send either was asked since, or was
// named by a wake; Next names a queue if a packet waits in a Sendable queue; from every
// state the queues can empty, and then every machine can become quiescent; [Network.Check] of every
// machine; and [Network.CheckAll] of the whole network, where no frame is due or on a link.
//
// States differ by what machines append as their state (kit.Stateful), by what waits, and
// by what is on the links. Time is relative, and so are the sequence numbers of frames. A violation
// comes with the shortest way to that state, as steps that [Network.Replay] takes, and in words.
//
// # Symmetry
//
// States count as one if they differ only in which of equal parts is where: two hosts of a switch
// that send to the same third host, the three parts of a circle. Which nodes, ports and flows can
// take each other's places follows from the links, the flows' ways and the faults. Whether machines
// agree is not assumed: whatever happens to a node happens also to the nodes that take its place,
// and what comes of it, and all that follows, must correspond. Where it does not, because a queue
// is chosen by a hash of the flow, say, the search begins anew without that symmetry. At most 64
// symmetries are used. [Network.Check] and [Network.CheckAll] must not tell nodes apart that are
// alike.
//
// # Memory
//
// Of a state that was visited 64 bits of its hash are kept, and about 50 bytes of how it was
// reached and where it leads. If n states are visited in s symmetries, the odds that a state
// was taken for another, and so not visited, are at most (n s)² in 2^65: one in 370,000 for ten
// million states. States of single nodes, far fewer, have 128 bits. [Options] bounds time, states
// and memory. When a bound is reached, [Result] names it, and says through how many steps the
// search is complete.
//
// What it is not: a proof for other networks, other numbers of packets, or sizes that it was not
// given. TLA+ and the like check a model of a protocol; this package checks the code, on small
// networks.
package explore
