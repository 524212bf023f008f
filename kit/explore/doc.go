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
// Two arrivals are not put off, as nothing can tell: that of a packet where it is delivered, unless
// the machine there is told of it, and without faults that of a frame at a host that has nothing to
// send. So no packet is lost with the last link of its way.
//
// So a frame takes any time on its way, and any number of packets that the link holds can leave
// meanwhile; which of two events is first is never decided by a delay. Nothing is drawn at random.
//
// What must hold: every machine's Audit; no packet is lost but to what [Network.MayLose] names; no
// two packets of a flow are out of order; a port that has something to send either was asked since,
// or was named by a wake; from every state the queues can empty, and then every machine can become
// quiescent; and [Network.Check].
//
// States are told apart by what machines append as their state (kit.Stateful), by what waits, and
// by what is on the links. Time is relative, and so are the sequence numbers of frames. A violation
// comes with the shortest way to that state, as steps that [Network.Replay] takes, and in words.
//
// What it is not: a proof for other networks, other numbers of packets, or sizes that it was not
// given. TLA+ and the like check a model of a protocol; this checks the code, on small networks.
package explore
