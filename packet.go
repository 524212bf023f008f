package sluice

import "github.com/sluicefc/sluice/internal/enum"

// ECN is the two-bit code point of RFC 3168, section 5, as it stands in the IP header.
type ECN uint8

// Code points of RFC 3168. They order as numbers: where several devices mark a packet, and where a
// receiver sums up the marks of several packets, the larger code point stands, max and not a
// bitwise or (ECT1|UE would be CE).
const (
	NotECT ECN = 0 // not ECN-capable: never marked
	ECT1   ECN = 1 // ECN-capable: what senders use under TCD
	ECT0   ECN = 2 // ECN-capable
	CE     ECN = 3 // congestion experienced

	// UE, undetermined congestion experienced, is what TCD makes of ECT0 (SIGCOMM 2021).
	UE = ECT0
)

// String names the code point.
func (e ECN) String() string { return enum.Name(e, "ECN", "NotECT", "ECT1", "ECT0", "CE") }

// Packet is what a machine may know of a packet. The embedder keeps it with its packet,
// anywhere it likes, and hands it to Enqueue and to Dequeue of the same port with
// every field as it was; machines never keep the pointer.
//
// A pointer to a local variable that is passed through an interface escapes to the heap:
// keep the Packet in the packet's own storage.
type Packet struct {
	// Flow is a hash of the packet's five-tuple.
	Flow uint64
	// Note is the machine's own while the packet waits: written at Enqueue (and when Dequeue
	// answers Append), read at Dequeue. Until the packet has left the embedder carries it and
	// neither reads nor changes it.
	Note uint64
	// Size is the packet's length as the buffer counts it, header and payload, 1 to MaxPacket.
	Size Bytes
	// Ingress is the port it came in by, or Local.
	Ingress PortID
	// UpstreamQueue is the queue of the upstream device that it came from, which that device
	// stamped on it (BFC).
	UpstreamQueue QueueID
	// Class is its priority.
	Class Class
	// ECN is its code point.
	ECN ECN
	// Stamped says that UpstreamQueue is what the upstream device stamped on it. BFC counts packets
	// that came in by a port without it as Counters.Incomplete.
	Stamped bool
	// Path is the rest of its way, this egress port first (Pyrrha, PortFC). Other protocols do
	// not read it.
	Path Path
}

// MaxPacket is the largest Size of a packet.
const MaxPacket Bytes = 1<<31 - 1

// Sized reports whether Size is in its range. Machines drop other packets for the reason BadSize.
func (p *Packet) Sized() bool { return uint64(p.Size-1) < uint64(MaxPacket) }

// Depart gives p the fields with which it leaves its device, after Dequeue of queue q answered v,
// which is Transmit: the code point and the class that v says, q as UpstreamQueue, and Path without
// the hop taken. Ingress and Note are for the next device to set.
func (p *Packet) Depart(q QueueID, v Verdict) {
	p.ECN = v.Mark()
	if class, ok := v.Class(); ok {
		p.Class = class
	}
	p.UpstreamQueue, p.Stamped = q, true
	p.Path.Advance()
}
