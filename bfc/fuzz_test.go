package bfc

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// FuzzParse: Parse never panics and never reads past the end, and an accepted frame is appended
// with the same bytes.
func FuzzParse(f *testing.F) {
	f.Add((&Frame{Type: Pause, Count: 2, Queues: [MaxListed]sluice.QueueID{1, 2}}).AppendTo(nil))
	f.Add((&Frame{Type: Resume, Count: 17, Sequence: 1 << 31}).AppendTo(nil))
	f.Add((&Frame{Type: Bitmap, Count: 33, Bits: [64]uint64{1 << 32}}).AppendTo(nil))
	f.Add((&Frame{Type: Bitmap, Count: 4096, Bits: [64]uint64{63: 1 << 63}}).AppendTo(nil))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var frame Frame
		if frame.Parse(wire) == nil {
			require.Equal(t, wire, frame.AppendTo(nil))
		}
		if q, rest, err := ParseShim(wire); err == nil {
			require.Equal(t, wire, append(AppendShim(nil, q), rest...))
		}
	})
}

// FuzzActions decodes the input to a configuration and a list of hooks, some of them misused, and
// asserts the invariants after each.
func FuzzActions(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0})
	f.Add([]byte{
		255, 255, 255, 255, 255, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
		19,
	})
	f.Add([]byte{
		7, 1, 130, 9, 64, 3, 0, 33, 0, 34, 0, 35, 0, 36, 3, 9, 1, 1, 1, 1, 4, 40, 5, 1, 6, 0, 2, 77,
	})
	f.Fuzz(func(t *testing.T, input []byte) {
		d := fuzzDriver{T: t, input: input}
		d.start()
		for len(d.input) > 0 {
			d.act()
			d.drain()
			require.NoError(t, d.s.Audit())
		}
		d.empty()
	})
}

type fuzzDriver struct {
	*testing.T
	input    []byte
	s        *Switch
	held     [][][]sluice.Packet // by port and queue
	now      sluice.Time
	sequence uint32
}

func (d *fuzzDriver) byte() int {
	if len(d.input) == 0 {
		return 0
	}
	b := d.input[0]
	d.input = d.input[1:]
	return int(b)
}

func (d *fuzzDriver) start() {
	a, b, c, e, g := d.byte(), d.byte(), d.byte(), d.byte(), d.byte()
	config := Config{
		Ports:            make([]PortConfig, 1+a&3),
		Queues:           1 + a>>2&7,
		VFIDs:            1 + a>>5,
		Ideal:            b&1 != 0,
		CountLonePackets: b&2 != 0,
		FirstPacketQueue: b&4 != 0,
		AssignPaused:     b&8 != 0,
		AssignForgotten:  e&1 != 0,
		Scheduler:        Scheduler(b >> 4 & 1),
		Overflow:         Overflow(b >> 5 & 1),
		Assignment:       Assignment(b >> 6 % int(numAssignments)),
		Signalling:       Signalling(c & 3),
		ResumeLimit:      c >> 2 & 3,
		IdleBitmaps:      c>>4&3 - 1,
		QueuesPerFrame:   1 + c>>6,
		Classes:          sluice.ClassSet(e),
		Buffer:           sluice.Bytes(g) * sluice.KB,
		Index:            Index(a >> 7),
	}
	config = consistent(config)
	for i := range config.Ports {
		config.Ports[i] = PortConfig{
			Link: sluice.Link{Rate: sluice.Gbps, Delay: sluice.Microsecond}, UpstreamQueues: 1 + i*40,
		}
	}
	d.s = mustNew(d, config)
	d.held = make([][][]sluice.Packet, d.s.Ports())
	for i := range d.held {
		d.held[i] = make([][]sluice.Packet, d.s.Queues())
	}
}

func (d *fuzzDriver) act() {
	kind, x := d.byte(), d.byte()
	port := d.s.Port(sluice.PortID(kind >> 4 % d.s.Ports()))
	switch kind & 7 {
	case 0, 1:
		d.enqueue(port, x)
	case 2:
		if q, ok := port.Next(d.now); ok {
			d.dequeue(port, q)
		}
	case 3:
		q := sluice.QueueID(x % d.s.Queues())
		if len(d.held[port.id][q]) > 0 {
			d.dequeue(port, q)
		}
	case 4:
		d.receive(port, x)
	case 5:
		d.now += sluice.Time(x) * 100 * sluice.Nanosecond
		d.s.Expire(d.now)
	case 6:
		d.misuse(port, x)
	case 7:
		switch {
		case x > 220:
			port.LinkUp(d.now)
			return
		case x > 200:
			port.LinkDown(d.now)
			return
		case x > 180:
			by := sluice.Time(x-190) * 12345 * sluice.Nanosecond
			d.s.Rebase(by)
			d.now -= by
			return
		}
		if d.s.Deadline() < sluice.Never/2 {
			d.now = max(d.now, d.s.Deadline())
		}
		d.s.Expire(d.now)
		require.Greater(d, d.s.Deadline(), d.now)
	}
}

func (d *fuzzDriver) enqueue(port *Port, x int) {
	p := sluice.Packet{
		Flow:          uint64(x & 7),
		Size:          sluice.Bytes(1 + x*40),
		Ingress:       sluice.PortID(x >> 3 % d.s.Ports()),
		UpstreamQueue: sluice.QueueID(x >> 4),
		Class:         sluice.Class(x >> 5),
	}
	v := port.Enqueue(d.now, &p)
	if v.Action() == sluice.Append {
		queue := &d.held[port.id][v.Queue()]
		*queue = append(*queue, p)
	} else {
		require.Equal(d, sluice.BufferFull, v.Reason())
	}
}

func (d *fuzzDriver) dequeue(port *Port, q sluice.QueueID) {
	queue := &d.held[port.id][q]
	require.NotEmpty(d, *queue, "Next answered a queue without packets")
	v := port.Dequeue(d.now, q, &(*queue)[0])
	require.Equal(d, sluice.Transmit, v.Action())
	*queue = (*queue)[1:]
}

func (d *fuzzDriver) receive(port *Port, x int) {
	d.sequence += uint32(x & 3)
	f := Frame{Type: Type(x >> 2 & 3), Sequence: d.sequence, Count: uint16(1 + x>>4)}
	for i := range f.Queues {
		f.Queues[i] = sluice.QueueID(x>>4 + i)
	}
	f.Bits[0] = uint64(x) * 0x0101010101010101
	port.Receive(d.now, &f)
}

// misuse calls the switch with arguments that it must refuse.
func (d *fuzzDriver) misuse(port *Port, x int) {
	var note [8]byte
	for i := range note {
		note[i] = byte(d.byte())
	}
	p := sluice.Packet{
		Note: binary.LittleEndian.Uint64(note[:]), Size: sluice.Bytes(x - 3),
		Ingress: sluice.PortID(x >> 2), UpstreamQueue: sluice.QueueID(x),
	}
	q := sluice.QueueID(x)
	if int(q) < d.s.Queues() && len(d.held[port.id][q]) > 0 {
		q = sluice.QueueID(d.s.Queues())
	}
	before := d.s.Counters()
	require.Equal(d, sluice.DropBecause(sluice.BadQueue), port.Dequeue(d.now, q, &p))
	before.Misuse++
	before.Dropped[sluice.BadQueue]++
	require.Equal(d, before, d.s.Counters())
}

func (d *fuzzDriver) drain() {
	var f, back Frame
	for i := range d.s.Ports() {
		for n := 0; d.s.Port(sluice.PortID(i)).PollFrame(d.now, &f); n++ {
			require.Less(d, n, 1000)
			require.NoError(d, back.Parse(f.AppendTo(nil)))
		}
	}
}

// empty takes all packets out: then only a resume that waits may hold an upstream queue paused.
func (d *fuzzDriver) empty() {
	for i := range d.held {
		for q := range d.held[i] {
			for len(d.held[i][q]) > 0 {
				d.dequeue(d.s.Port(sluice.PortID(i)), sluice.QueueID(q))
				d.drain()
			}
		}
	}
	for range 10000 {
		if d.holding() == 0 {
			break
		}
		require.NotEqual(d, sluice.Never, d.s.Deadline())
		d.now = max(d.now, d.s.Deadline())
		d.s.Expire(d.now)
		d.drain()
	}
	require.NoError(d, d.s.Audit())
	require.Zero(d, d.holding())
	require.Zero(d, d.s.Buffered())
}

// holding counts the upstream queues that are held paused.
func (d *fuzzDriver) holding() (n int) {
	for i := range d.s.ports {
		n += d.s.ports[i].upstream.held.Len()
	}
	return n
}
