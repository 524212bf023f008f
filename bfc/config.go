package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/enum"
)

// Limits of a configuration.
const (
	// MaxQueues is the largest number of data queues of a port.
	MaxQueues = 4095
	// MaxUpstreamQueues is the largest number of queues an upstream device can have, host network
	// cards included.
	MaxUpstreamQueues = bitset.Max
	// MaxPorts is the largest number of ports of a switch.
	MaxPorts = bitset.Max
	// MaxVFIDs is the largest flow table of an egress port.
	MaxVFIDs = 1 << 24
	// MaxPeriod is the longest span a configuration may name: a second.
	MaxPeriod = sluice.Second
)

// Defaults: what zero means in a Config.
const (
	DefaultQueues      = 32                 // Config.Queues: the paper's
	VFIDsPerQueue      = 100                // Config.VFIDs, for each data queue
	FlowsPerQueue      = 4                  // the same with Config.Ideal
	DefaultPeriod      = sluice.Microsecond // Config.Period: tau, half the paper's HRTT
	DefaultIdleBitmaps = 8                  // Config.IdleBitmaps
	ExpiryBitmaps      = 8                  // Config.Expiry, in Bitmaps
	DefaultQuantum     = 1518 * sluice.Byte // Config.Quantum: the largest untagged Ethernet frame
)

// HostQueues is the number of data queues of a network card by HostConfig: as many as in the
// authors' ns-3 code.
const HostQueues = 2047

const (
	stickyRoundTrips   = 2
	maxResumeWindows   = 1 << 20
	maxQuantum         = 1 << 30
	maxQuantaPerPacket = 16        // bounds the work of Next
	maxBuffer          = 1<<50 - 1 // times MaxQueues it does not overflow
	maxExpiry          = ExpiryBitmaps * MaxPeriod
	largestPacket      = 9216 // that a Bitmap has to wait for: a jumbo frame
)

// NoSticky, as Config.Sticky, lets a flow without packets here take a new queue as soon as any
// time has passed.
const NoSticky sluice.Time = -1

// NoExpiry, as Config.Expiry, obeys a pause until it is taken back.
const NoExpiry sluice.Time = -1

// Assignment is how a flow that needs a queue gets one.
type Assignment uint8

// Assignments.
const (
	// RandomScan looks at each queue once, from a random one on, and takes the first free one (the
	// authors' ns-3 code).
	RandomScan Assignment = iota
	// LowestFree takes the free queue of the lowest number.
	LowestFree
	// StaticHash takes the queue that the VFID hashes to, free or not: stochastic fair queueing,
	// which BFC is measured against, and the worst case of a deadlock analysis.
	StaticHash
	// LastFreed takes the queue that emptied last: free queues are on a stack, onto which a queue
	// goes when it empties. One that fills again without being taken stays on it, because a stack
	// cannot give up its middle, and a flow that takes it later shares it. It is for switch chips,
	// and needs Config.AssignPaused.
	LastFreed
	numAssignments
)

// String names the assignment.
func (a Assignment) String() string {
	return enum.Name(a, "Assignment", "random scan", "lowest free", "static hash", "last freed")
}

// Index is how a flow finds its entry of the flow table.
type Index uint8

// Indexes.
const (
	// SpreadHash spreads Packet.Flow again, by Config.Seed, over a table of any size.
	SpreadHash Index = iota
	// LowBits takes the low bits of Packet.Flow, which has to be a hash that is even in them, and
	// takes the low bits of the VFID where a queue hashes. Config.VFIDs, and Config.Queues where
	// HashQueue or StaticHash is in force, are powers of two. It is for switch chips.
	LowBits
	numIndexes
)

// String names the index.
func (i Index) String() string { return enum.Name(i, "Index", "spread hash", "low bits") }

// Overflow is which queue a flow shares when no queue is free.
type Overflow uint8

// Overflows.
const (
	// RandomQueue takes any queue, each as likely.
	RandomQueue Overflow = iota
	// HashQueue takes the queue that the VFID hashes to (the authors' ns-3 code).
	HashQueue
	numOverflows
)

// String names the overflow.
func (o Overflow) String() string { return enum.Name(o, "Overflow", "random queue", "hash queue") }

// Signalling is how the upstream device learns which queues are paused.
type Signalling uint8

// Signallings.
const (
	// TransitionsAndBitmap sends a Pause or Resume frame when a queue's state changes, and the
	// state of all queues every Period, which repairs losses (BFC, NSDI 2022).
	TransitionsAndBitmap Signalling = iota
	// Transitions sends Pause and Resume frames only, and a Bitmap after LinkUp. A lost Resume is
	// never repaired: the queue hangs.
	Transitions
	// PeriodicBitmap sends the state of all queues every Period and nothing else.
	PeriodicBitmap
	// BitmapResumeAtOnce is PeriodicBitmap that also sends when a queue is resumed, at once; a
	// pause waits for the period (the authors' ns-3 code).
	BitmapResumeAtOnce
	numSignallings
)

// String names the signalling.
func (s Signalling) String() string {
	return enum.Name(s, "Signalling", "transitions and bitmap", "transitions", "periodic bitmap",
		"bitmap resume at once")
}

// Scheduler is how the data queues of a port share it.
type Scheduler uint8

// Schedulers.
const (
	// DeficitRoundRobin shares by bytes.
	DeficitRoundRobin Scheduler = iota
	// PacketRoundRobin shares by packets, fair only while packets are of one size (the authors'
	// ns-3 code).
	PacketRoundRobin
	// LowestFirst serves the queue of the lowest number that may be served, as long as it has
	// packets. Pyrrha's ns-3 code does so, where round robin was meant.
	LowestFirst
	numSchedulers
)

// String names the scheduler.
func (s Scheduler) String() string {
	return enum.Name(s, "Scheduler", "deficit round robin", "packet round robin", "lowest first")
}

// Pair names packets by where they come in and go out.
type Pair struct{ Ingress, Egress sluice.PortID }

// PortConfig describes a port and the device at its other end.
type PortConfig struct {
	// Link is the wire. The rate must be positive, the delay not negative and at most a second.
	Link sluice.Link
	// HRTT is the one-hop round-trip time, which a pause needs to take effect. Zero means
	// Link.RoundTrip(); serialisation and processing may be added. At most two seconds.
	HRTT sluice.Time
	// UpstreamQueues is how many queues the device at the other end has that can be paused, at most
	// MaxUpstreamQueues: the numbers that it stamps on packets are below it. Zero means
	// Config.Queues.
	UpstreamQueues int
}

// Config describes a switch. The zero value of every field but Ports is the form of the paper
// (Goyal et al., Backpressure Flow Control, NSDI 2022); [AuthorsConfig] is the form of its authors'
// ns-3 code, [PyrrhaConfig] the form of Pyrrha's authors' code, [HostConfig] a host's network card.
type Config struct {
	// Ports describes the ports, 1 to MaxPorts.
	Ports []PortConfig
	// Queues is the number of data queues of each port, at most MaxQueues. Zero means
	// DefaultQueues; 8 to 128 are usual.
	Queues int

	// VFIDs is the number of entries of the flow table of each egress port, at most MaxVFIDs. Zero
	// means VFIDsPerQueue times Queues, or FlowsPerQueue times Queues with Ideal; with LowBits the
	// next power of two. An entry costs 24 bytes, with Ideal about 80.
	VFIDs int
	// Index is how a flow finds its entry. With Ideal it has to be SpreadHash.
	Index Index
	// Ideal gives every flow an entry of its own, and a queue of its own while there are enough:
	// see Flow table in the package documentation. VFIDs is then how many flows can be known at
	// once, and counts as Queues if it is less.
	Ideal bool
	// Seed seeds the hash of flows to VFIDs and the random choice of queues. Give each switch another,
	// or flows that collide at one hop collide at every hop. With LowBits the hash has no seed.
	Seed uint64

	// Assignment is how a flow gets a queue.
	Assignment Assignment
	// Overflow is which queue a flow shares when none is free.
	Overflow Overflow
	// AssignPaused lets Assignment take empty queues that downstream has paused. By default they
	// are not free.
	AssignPaused bool
	// AssignForgotten lets Assignment take an empty queue that downstream has paused once no entry
	// of the flow table names it, as Pyrrha's ns-3 code does, which judges by its flow table alone.
	// An entry names the queue it had last until it takes another. It excludes Ideal, whose flows
	// own their queues, and AssignPaused, which says more.
	AssignForgotten bool
	// Sticky is how long a flow without packets here keeps its queue, counted from its last
	// departure, at most MaxPeriod. Zero means two HRTT of the packet's ingress link (of the egress
	// link for local packets). NoSticky means not at all. With Ideal a flow keeps its queue until
	// another needs it, and Sticky says only when the flow counts as new for FirstPacketQueue.
	Sticky sluice.Time

	// Factor is F of the pause threshold, both terms 1 to sluice.MaxRatio. Zero means 1.
	Factor sluice.Ratio
	// CountLonePackets lets the only packet of a flow here pause its upstream queue. By default it
	// is exempt.
	CountLonePackets bool
	// FirstPacketQueue sends the first packet of a flow that is new here through a queue of its own
	// that is served before the data queues and obeys no pause. All devices of a network agree on it.
	FirstPacketQueue bool
	// Classes are the classes under BFC. Zero means all, sluice.NoClasses none. Packets of other
	// classes go through a control queue that is served first and obeys no pause.
	Classes sluice.ClassSet
	// Withhold lists the pairs of ports between which no packet pauses a queue: enough of them
	// break every cyclic buffer dependency, at the price of drops there when the buffer is full.
	Withhold []Pair
	// ResumeLimit bounds how many upstream queues the packets leaving one of our queues may resume
	// within ResumePeriod; others wait their turn. Zero means no bound.
	ResumeLimit int
	// ResumePeriod goes with ResumeLimit, at most MaxPeriod. Zero means the HRTT of the egress
	// link, or DefaultPeriod if that is zero.
	ResumePeriod sluice.Time

	// Signalling is how pauses reach the upstream device.
	Signalling Signalling
	// Period is tau, the time between two Bitmaps of a port, at most MaxPeriod. Zero means
	// DefaultPeriod.
	Period sluice.Time
	// IdleBitmaps is how many Bitmaps a port sends at intervals of Period after the last queue was
	// resumed; after them the interval doubles each time. Zero means DefaultIdleBitmaps. A negative
	// number means no end: every port sends every Period from the start, as the authors' ns-3 code
	// does.
	IdleBitmaps int
	// Expiry is how long a queue stays paused without another Pause or Bitmap of it, at most 8 s.
	// It must be above the neighbours' Period, several times if frames are lost. Zero means
	// ExpiryBitmaps times the time of a Bitmap: Period, the largest frame before it, and itself.
	// With Transitions nothing is repeated, and nothing expires; a network card next to a switch of
	// that Signalling, or of NoExpiry, has to have the same.
	Expiry sluice.Time
	// QueuesPerFrame bounds how many queues a Pause or Resume frame names, at most MaxListed. Zero
	// means MaxListed, which still fits the smallest Ethernet frame.
	QueuesPerFrame int
	// MAC is the source address of frames.
	MAC sluice.MAC

	// Scheduler is how data queues share a port.
	Scheduler Scheduler
	// Quantum is the bytes that a data queue may send in a round of DeficitRoundRobin, at most
	// 2^30, overdrawn by less than a packet: see Service in the package documentation. It should be
	// at least the largest packet; one of more than 16 quanta is charged as 16. Zero means
	// DefaultQuantum.
	Quantum sluice.Bytes

	// Buffer is how many bytes the switch holds in all; a packet beyond it is dropped. At most
	// 2^50-1. Zero means no limit.
	Buffer sluice.Bytes
}

// HostConfig returns the configuration of a host's network card: one port of link, whose packets
// have the ingress sluice.Local, with a queue for each flow, up to HostQueues of them. The device
// at the other end needs that number in its UpstreamQueues. A flow keeps its queue until another
// needs it, and as long as it is paused. A card pauses no upstream queue.
func HostConfig(link sluice.Link) Config {
	return Config{
		Ports:  []PortConfig{{Link: link}},
		Queues: HostQueues,
		Ideal:  true,
	}
}

// AuthorsConfig returns the choices of the authors' ns-3 code for a switch of the given ports,
// whose HRTT, where it is zero, is the constant 2 us of that code.
func AuthorsConfig(ports []PortConfig) Config {
	const roundTrip = 2 * sluice.Microsecond
	c := Config{
		Ports:       append([]PortConfig(nil), ports...),
		Queues:      31,
		VFIDs:       7200,
		Overflow:    HashQueue,
		Sticky:      3 * roundTrip,
		Factor:      sluice.Ratio{Num: 3, Den: 2},
		Signalling:  BitmapResumeAtOnce,
		IdleBitmaps: -1,
		Scheduler:   PacketRoundRobin,
	}
	for i := range c.Ports {
		if c.Ports[i].HRTT == 0 {
			c.Ports[i].HRTT = roundTrip
		}
	}
	return c
}

// PyrrhaConfig returns the choices of the BFC in the ns-3 code of Pyrrha (ToN 2026) for a switch of
// the given ports, as published. It serves the lowest queue first, where round robin was meant:
// for that set PacketRoundRobin in place of LowestFirst.
func PyrrhaConfig(ports []PortConfig) Config {
	const queues = 32 // one is for what obeys no pause
	return Config{
		Ports:            append([]PortConfig(nil), ports...),
		Queues:           queues - 1,
		VFIDs:            min(max(VFIDsPerQueue*queues*len(ports), 1), MaxVFIDs),
		Assignment:       LowestFree,
		AssignForgotten:  true,
		CountLonePackets: true,
		Signalling:       Transitions,
		Scheduler:        LowestFirst,
	}
}

func (c Config) clone() Config {
	c.Ports = append([]PortConfig(nil), c.Ports...)
	c.Withhold = append([]Pair(nil), c.Withhold...)
	return c
}
