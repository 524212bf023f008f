// Package sluice is the vocabulary shared by per-hop flow-control algorithms for lossless
// datacenter networks: time, bytes and rates with exact arithmetic, the names of switches, ports
// and queues, what a machine may know of a packet, and the one-word answers that its hooks give.
//
// Each protocol lives in a package of its own below this one (pfc, bfc, pyrrha, ...) and follows
// one contract. Package kit has what an embedder of any of them needs: a packet store, a driver,
// the contract as interfaces and a conformance suite.
//
// # Quick start
//
// A switch under PFC; another protocol is another package. Packets wait in FIFOs of yours, by port
// and queue:
//
//	machine, err := pfc.New(config) // err names the field that is wrong, and the rule
//	port := machine.Port(1)
//
//	// A packet was routed to port 1.
//	if verdict := port.Enqueue(now, packet); verdict.Action() == sluice.Append {
//		fifo[1][verdict.Queue()] = append(fifo[1][verdict.Queue()], packet)
//	}
//
//	// The transmitter of port 1 is free.
//	if port.PollFrame(now, &frame) {
//		transmit(frame.AppendTo(nil))
//	} else if queue, ok := port.Next(now); ok {
//		packet := fifo[1][queue][0]
//		fifo[1][queue] = fifo[1][queue][1:]
//		if verdict := port.Dequeue(now, queue, packet); verdict.Action() == sluice.Transmit {
//			transmit(packet)
//		}
//	}
//
//	// A control frame came in at port 1; the timer that was set for machine.Deadline() fired.
//	wake, err := port.ReceiveWire(now, bytes)
//	wake = machine.Expire(now)
//
// Each verdict and each wake names the port that may have something to send now: ask it if it is
// idle. The example of this package is a whole program. A [kit.Driver] does all of this but the
// transmitting:
//
//	driver := kit.NewDriver(kit.Wrap(machine), store, output)
//
// # The contract
//
// A protocol is a Switch, built once by New(Config) (*Switch, error), which does every allocation
// and refuses a bad configuration with a [*ConfigError]. The switch owns its ports, and the ports
// carry the hooks:
//
//	port.Enqueue(now, *Packet) Verdict           the packet was routed to this egress port
//	port.PollFrame(now, *Frame) bool             the transmitter is free: a frame to send first?
//	port.Next(now) (QueueID, bool)               the transmitter is free: whose head goes next?
//	port.Dequeue(now, QueueID, *Packet) Verdict  that head was taken from its queue
//	port.Receive(now, *Frame) Wake               a control frame came in at this port
//	port.ReceiveWire(now, []byte) (Wake, error)  the same, from the bytes on the wire
//	port.LinkDown(now), port.LinkUp(now) Wake    the link failed; it is there again
//	switch.Expire(now) Wake                      now has reached switch.Deadline()
//	switch.Deadline() Time                       the earliest timer, Never if none
//	switch.PollPort() (PortID, bool)             after WakeSeveral: the ports, one by one
//	switch.Rebase(by)                            the origin of time moves: see below
//
// Machines decide and count; packets stay with the embedder, who keeps one FIFO for each queue
// of each port. A machine never keeps a pointer it is given, reads no clock, starts no
// goroutine, and allocates nothing after New.
//
// Enqueue answers [Append] with the queue to append the packet to, or [Drop] with a [Reason].
// Dequeue answers [Transmit], [Append] (the packet goes to the tail of another queue of the same
// port: call Next again) or [Drop] (discard it: call Next again).
//
// # What an embedder does
//
// A transmitter that is free asks its port for a frame, then for a packet, and sends the first that
// it gets. If it gets neither it is idle. The hooks say when to ask again: a hook returns a [Wake]
// (a [Verdict] carries one) that names the port which may have something to send, and after an
// Enqueue the port of that call may. Only idle transmitters need to be asked then, as busy ones ask
// anyway when they are free.
//
// Frames are built from state at the moment they are polled. Changes before that coalesce, nothing
// overflows, no frame is stale when it leaves, and a lost frame's successor carries the truth. A
// frame leaves after the packets that were dequeued before it was polled, and before later ones.
// Nothing has to be polled before the next input. PollFrame and PollPort move no deadline.
//
// A packet that came in by a port and goes no further, because it was delivered or discarded before
// any Enqueue, must be passed to that port's Consume where the protocol has one (credit-based flow
// control).
//
// A queue is held while its head may not go although the transmitter is free: Sendable says so. A
// queue with packets becomes held only in a hook of its own port or in Expire. An empty one may in
// any hook: an isolation queue of pyrrha belongs to no root, and is not Sendable, once the last
// device that needed it says so, at another port. A hook after which a held queue is sendable
// always wakes the port, whether the queue has packets or not.
//
// A search for deadlocks asks the port's WaitsFor what a held queue waits for at the next device:
// queues may change their roles, so that their numbers alone do not say. Where a device passes
// pauses on, WaitsBehind says which of its queues, empty or not, to search next.
//
// # What protocols need of their driver
//
// All need FIFOs and the order of frames above. Beyond that:
//
//	                                     pfc  bfc  pyrrha  portfc  ofc   cbfc  what kit.Driver does
//	UpstreamQueue as the sender left by  -    yes  -       -       -     -     stamps Next's queue
//	Flow, a hash of the five-tuple       -    yes  -       -       yes   -     nothing
//	Path, this egress first              -    -    yes     yes     -     -     advances it on leaving
//	Consume of what is not enqueued      -    -    -       -       -     yes   passes it on
//	a host that pulls                    -    -    better  -       -     -     nothing: Port.Blocked
//	timers that never stop               -    yes  -       -       some  yes   never waits for Never
//
// What is missing is counted. A packet without a Path that these two need is Counters.Incomplete:
// under pyrrha no pause of a root holds it, under portfc it is dropped. So is a packet that came in
// by a port of bfc without the stamp, UpstreamQueue and Stamped: it is taken for a packet of queue
// 0. Packets of classes that the configuration leaves out are Counters.Outside. kit.Forgotten reads
// both. Packet.Depart does to a packet that leaves what the driver does, for embedders without one.
//
// A host pulls if it gives its card a packet of a flow only when that flow may send, as
// pyrrha.Port.Blocked says, because no pause of a congestion root stops a packet in a card's output
// queue. Some timers never stop: bfc repeats its bitmaps, and ofc with Config.Refresh its lists, at
// intervals that double; cbfc repeats credits at least once per KeepAlive while a link is up. So do
// not run until Deadline is Never: Quiescent says whether anything is left to do.
//
// # Markers
//
// A congestion detector (tcd.Detector, pcn.CongestionPoint and others) hangs on the queue of a
// port. The embedder calls its Resumed when the queue is held no longer, even if the queue is
// empty, and its Dequeue for each packet that leaves, whose code point it decides. Around every
// Receive, Expire, LinkDown and LinkUp, for each port that the wake names, an embedder writes
//
//	held := !port.Sendable(q)
//	wake := port.Receive(now, &frame)
//	if held && port.Sendable(q) {
//		marker.Resumed(now, port.Backlog(q))
//	}
//
// and around Dequeue
//
//	v := port.Dequeue(now, q, packet)
//	if v.Action() == sluice.Transmit { // class and wake stay
//		v = v.WithMark(marker.Dequeue(now, packet.Size, port.Backlog(q), v.Mark()))
//	}
//
// Only switches mark, and hosts that forward; a network card does not. Where queues are no classes,
// one marker sits on the whole port: its backlog is all that the port holds, and it is held while
// it has packets and Next names none. A machine's own marking is off then. See examples/markers.
//
// # Links
//
// After LinkDown the port polls no frame, obeys none, and holds no queue on the word of the peer:
// what waits there can be emptied by Next and Dequeue, and discarded or routed anew, or it can
// stay. Both ends of a link call LinkUp when it is there again, or when the device at the other end
// started anew. What was sent to the peer is void then, and the port sends its state again.
//
// # Frames on the wire
//
// Frames of pfc, tcd/cbfc and pcn have the formats of their standards. Frames of bfc, ofc, pyrrha
// and portfc are Ethernet frames: a common header, numbers big endian, and a body, which the
// protocol's Frame describes:
//
//	offset bytes field
//	 0     6     destination: 01-80-C2-00-00-0E, nearest bridge, not forwarded (802.1Q, table 8-1)
//	 6     6     source
//	12     2     EtherType 0x88B5 (IEEE 802, local experimental 1)
//	14     1     protocol: 1 bfc, 2 ofc, 3 pyrrha, 4 portfc
//	15     1     version, 1
//	16     1     type, the protocol's
//	17     1     flags, 0
//	18     2     length of the body
//	20     4     sequence number
//	24     n     body
//	       m     zero padding to 60 bytes in all
//
// The frame check sequence is the MAC's: AppendTo does not write it, and Parse wants it taken off.
// Wireshark reads them all with wireshark/sluice.lua.
//
// # Time
//
// Time is in picoseconds from any origin, and never goes back: a machine that sees it step back
// uses the latest it has seen. It does not keep the time of bytes that it refuses as no frame. A
// now of [Never] is misuse: it is counted, unless Next or PollFrame need no time, and taken as the
// latest time seen. Picoseconds in 64 bits overflow after 106 days. A switch that lives longer
// moves the origin with Rebase now and then: after Rebase(by), every time given to the switch and
// read from it is less by that much. The example WallClock shows it. No time may be before -2^61
// ps, 26 days before the origin, or after 2^63 - 2^55 ps, 106 days after it, also after Rebase: a
// machine takes it for the nearest of these. What ends later than that has Never for its Deadline
// until Rebase brings it near.
//
// # Copies
//
// Clone returns a switch in the same state, which shares no memory with the first: for a warm
// restart, or to see what inputs would lead to. It allocates, in a time that is linear in the
// memory of the switch. A kit.Stateful also writes down what its answers from now on depend on;
// with it package kit/explore visits every state of a small network.
//
// # Hosts
//
// A host is a switch whose own packets have the ingress [Local]. A network card is a switch of one
// port; a host that forwards has several. Every protocol has a HostConfig; where all hosts forward
// it is a NodeConfig (PortFC).
//
// A switch and its ports are not safe for concurrent use.
//
// [kit.Driver]: https://pkg.go.dev/github.com/sluicefc/sluice/kit#Driver
package sluice
