package transport

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// Transport is both ends of all flows. Its methods take the index of a flow that was started and
// not finished; with another index they do nothing and answer as for a flow that is done.
type Transport struct {
	config   Config
	flows    []flow
	sends    []selective // of irn
	rings    pool        // of irn
	counters Counters
}

// flow is both ends of one flow: a cache line.
type flow struct {
	// Sender.
	deadline sluice.Time // of the timer, Never if none runs
	packets  int32
	next     int32 // packet to send next for the first time, or again under gbn
	acked    int32 // packets acknowledged: all before this one
	sentUpTo int32 // packets sent at least once
	progress int32 // of gbn: acked when the timer was set

	// Receiver.
	expected   int32
	complained bool // a NACK for expected was sent
	nackedAt   sluice.Time
	_          [16]byte
}

// Counters count what went wrong, over all flows.
type Counters struct {
	Sent       uint64 // packets, each time
	Resent     uint64 // packets that were sent before
	Timeouts   uint64 // timers that ended: of flows under gbn, of packets under irn
	Gaps       uint64 // packets that came while an earlier packet was missing
	Duplicates uint64 // packets that came and were there already
	Ignored    uint64 // packets and answers that no correct peer sends
}

func (c *Counters) Add(o *Counters) { fields.Add(c, o) }

func New(c Config) (*Transport, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Timeout == 0 || c.Kind != GoBackN {
		c.Timeout = sluice.Never
	}
	if c.NackInterval == 0 {
		c.NackInterval = sluice.Never
	}
	c.AckEvery = max(1, c.AckEvery)
	return &Transport{config: c}, nil
}

// Start begins a flow of packets packets at index i, which is free: it was never started, or is
// finished. Indexes should be small: the state of all up to the largest is kept. It allocates when
// more flows are under way than ever before.
func (t *Transport) Start(now sluice.Time, i, packets int32) {
	if i < 0 {
		return
	}
	for int(i) >= len(t.flows) {
		t.flows = append(t.flows, flow{})
		if t.config.Kind == IRN {
			t.sends = append(t.sends, selective{ring: none})
		}
	}
	t.Finish(i)
	t.flows[i] = flow{packets: packets, deadline: now.Add(t.config.Timeout)}
	if t.config.Kind == IRN && packets > 0 {
		t.flows[i].deadline = sluice.Never
		t.sends[i].start(&t.rings, min(packets, t.config.span()))
	}
}

// Finish forgets flow i. Packets and answers of it that are still under way must not be given to
// the flow that is next at this index.
func (t *Transport) Finish(i int32) {
	if !t.known(i) {
		return
	}
	if t.config.Kind == IRN {
		t.sends[i].finish(&t.rings)
	}
	t.flows[i] = finished
}

// known reports whether i was ever started.
func (t *Transport) known(i int32) bool { return uint(i) < uint(len(t.flows)) }

// flow returns a flow to read, finished if it was never started.
func (t *Transport) flow(i int32) *flow {
	if t.known(i) {
		return &t.flows[i]
	}
	return &finished
}

var finished = flow{deadline: sluice.Never}

// Next returns the packet to send next; packets to send again come first. ok is false if there is
// none, or irn's cap is reached. O(1), under irn amortised over the flow.
func (t *Transport) Next(i int32) (sequence int32, ok bool) {
	if !t.known(i) {
		return 0, false
	}
	f := &t.flows[i]
	if t.config.Kind == IRN {
		if s := &t.sends[i]; s.lost > 0 {
			return s.firstLost(&t.rings), true
		}
		if t.full(i) {
			return 0, false
		}
	}
	return f.next, f.next < f.packets
}

// full reports whether irn's cap keeps flow i from sending a new packet.
func (t *Transport) full(i int32) bool {
	f := &t.flows[i]
	span := f.next - f.acked
	if t.config.Outstanding && span < MaxCap {
		return t.InFlight(i) >= t.config.Cap
	}
	return span >= t.config.span()
}

// Send takes the packet that Next answers as sent, or as handed to the network card. again reports
// that it was sent before.
func (t *Transport) Send(now sluice.Time, i int32) (sequence int32, again, ok bool) {
	sequence, ok = t.Next(i)
	if !ok {
		return 0, false, false
	}
	f := &t.flows[i]
	again = sequence < f.sentUpTo
	t.counters.Sent++
	if again {
		t.counters.Resent++
	}
	if sequence == f.next {
		f.next++
		f.sentUpTo = max(f.sentUpTo, f.next)
	}
	if t.config.Kind == IRN {
		t.arm(now, i, sequence, again)
	}
	return sequence, again, true
}

// InFlight returns how many packets of flow i are taken to be in the network: sent, and neither
// acknowledged nor known to be lost.
func (t *Transport) InFlight(i int32) int32 {
	if !t.known(i) {
		return 0
	}
	f := &t.flows[i]
	n := f.next - f.acked
	if t.config.Kind == IRN {
		n -= t.sends[i].lost + t.sends[i].kept
	}
	return n
}

// Acked returns how many packets of flow i are acknowledged without a gap.
func (t *Transport) Acked(i int32) int32 { return t.flow(i).acked }

// Highest returns how many packets of flow i were sent at least once.
func (t *Transport) Highest(i int32) int32 { return t.flow(i).sentUpTo }

// Received returns how many packets of flow i have come without a gap.
func (t *Transport) Received(i int32) int32 { return t.flow(i).expected }

// Done reports whether all packets of flow i are acknowledged.
func (t *Transport) Done(i int32) bool { return t.flow(i).acked >= t.flow(i).packets }

// Complete reports whether all packets of flow i have come.
func (t *Transport) Complete(i int32) bool { return t.flow(i).expected >= t.flow(i).packets }

// Line returns the address of what every packet of flow i touches, 0 if i was never started, for
// callers that ask the processor for it ahead of time. It must not be read.
func (t *Transport) Line(i int32) uintptr {
	if !t.known(i) {
		return 0
	}
	return uintptr(unsafe.Pointer(&t.flows[i]))
}

func (t *Transport) Counters() Counters { return t.counters }
