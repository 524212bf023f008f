// Package sluice is the vocabulary shared by per-hop flow-control algorithms
// for lossless datacenter networks: time, bytes and rates with exact
// arithmetic, the names of switches, ports and queues, what a machine may know
// of a packet, and the one-word answers its hooks give.
//
// Each protocol lives in a package of its own below this one (pfc, bfc,
// pyrrha, ...) and follows one contract.
//
// # The contract
//
// A protocol is a Switch, built once by New(Config) (*Switch, error), which does
// every allocation and refuses a bad configuration with a [*ConfigError]. The
// switch owns its ports, and the ports carry the hooks:
//
//	port.Enqueue(now, *Packet) Verdict           the packet was routed to this egress port
//	port.Next(now) (QueueID, bool)               the transmitter is free: whose head goes next?
//	port.Dequeue(now, QueueID, *Packet) Verdict  that head was taken from its queue
//	port.Receive(now, *Frame) Wake               a control frame came in at this port
//	switch.Expire(now) Wake                      now has reached switch.Deadline()
//	switch.PollFrame(now, *Frame) (PortID, bool) the next control frame to send, and where
//	switch.Deadline() Time                       the earliest timer, Never if none
//
// Machines decide and count; packets stay with the embedder, who keeps one
// FIFO for each queue of each port. A machine never keeps a pointer it is given,
// reads no clock, starts no goroutine, and allocates nothing after New.
//
// Enqueue answers [Append] with the queue to append the packet to, or [Drop]
// with a [Reason]. Dequeue answers [Transmit], [Append] (the packet goes to the tail of
// another queue of the same port: call Next again) or [Drop] (discard it: call
// Next again).
//
// Hooks return one word, a [Verdict] or a [Wake]. Its flags say what changed:
// frames are pending (drain PollFrame), queues of a port were released (call its
// Next if its transmitter is idle), the deadline moved (read Deadline again).
// Frames are built from state at the moment they are polled: two changes before a
// poll coalesce, nothing overflows, and a lost frame's successor carries the truth.
//
// One rule for embedders: after a hook whose word carries a flag, act on it before
// the next input to the same switch. A build with the tag sluicedebug panics at an input
// that finds frames not drained.
//
// Time never goes back. A machine that sees it step back uses the latest time it
// has seen. A switch and its ports are not safe for concurrent use.
//
// A host's network card is a switch of one port whose packets have the ingress
// [Local]. Every protocol has a HostConfig for it.
package sluice
