package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

const (
	us = sluice.Microsecond
	g  = sluice.Gbps
)

func newSwitch(t testing.TB, c Config) *Switch {
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// exchange takes every FCP that a port owes to the port at the other end, at once.
func exchange(t testing.TB, now sluice.Time, from, to *Port) (frames []Frame) {
	var f Frame
	for from.PollFrame(now, &f) {
		frames = append(frames, f)
		_, err := to.ReceiveWire(now, f.AppendTo(nil))
		require.NoError(t, err)
	}
	return frames
}

// wire is one link: a sender that always has packets on VL 3, and a host that takes arrivals at
// once. Packets and frames take the link's delay after their last bit; a frame or packet occupies
// its transmitter.
type wire struct {
	t        testing.TB
	link     sluice.Link
	size     sluice.Bytes
	from, to *Switch
	now      sluice.Time
	free     [2]sluice.Time // transmitters
	flight   [2][]parcel    // on the way, in order
	random   prng.Source
	loss     uint64 // one packet in this number is lost; 0: none
	sent     sluice.Bytes
	arrived  sluice.Bytes
	offs     int // times the sender was free and had no credit
	waiting  bool
}

type parcel struct {
	at    sluice.Time
	frame Frame
	size  sluice.Bytes // of a packet; 0: a frame
}

func newWire(t testing.TB, port PortConfig, mtu, size sluice.Bytes) *wire {
	config := Config{Ports: []PortConfig{port}, MTU: mtu, Classes: sluice.MakeClassSet(3)}
	return &wire{
		t: t, link: port.Link, size: size, random: prng.New(1),
		from: newSwitch(t, config), to: newSwitch(t, config),
	}
}

func (w *wire) packet() sluice.Packet {
	return sluice.Packet{Size: w.size, Class: 3, Ingress: sluice.Local, ECN: sluice.ECT1}
}

// run goes on until a time.
func (w *wire) run(until sluice.Time) {
	for w.now < until {
		w.deliver()
		for i, s := range [...]*Switch{w.from, w.to} {
			if s.Deadline() <= w.now {
				s.Expire(w.now)
			}
			if w.free[i] <= w.now {
				w.transmit(i, s)
			}
		}
		w.advance()
	}
}

// transmit sends a frame, or a packet.
func (w *wire) transmit(i int, s *Switch) {
	var f Frame
	port := s.Port(0)
	if port.PollFrame(w.now, &f) {
		w.put(i, parcel{frame: f}, WireLength)
		return
	}
	if i == 1 {
		return
	}
	p := w.packet()
	if port.Backlog(3) == 0 {
		port.Enqueue(w.now, &p)
	}
	q, ok := port.Next(w.now)
	if !ok {
		if !w.waiting {
			w.offs++
		}
		w.waiting = true
		return
	}
	w.waiting = false
	require.Equal(w.t, sluice.Transmit, port.Dequeue(w.now, q, &p).Action())
	w.sent += w.size
	w.put(i, parcel{size: w.size}, w.size)
}

func (w *wire) put(i int, p parcel, length sluice.Bytes) {
	w.free[i] = w.now + w.link.Rate.TimeOf(length)
	p.at = w.free[i] + w.link.Delay
	if p.size > 0 && w.loss > 0 && w.random.Below(w.loss) == 0 {
		return
	}
	w.flight[i] = append(w.flight[i], p)
}

// deliver hands over the arrivals.
func (w *wire) deliver() {
	for i, s := range [...]*Switch{w.to, w.from} {
		for len(w.flight[i]) > 0 && w.flight[i][0].at <= w.now {
			p := w.flight[i][0]
			w.flight[i] = w.flight[i][1:]
			if p.size == 0 {
				s.Port(0).Receive(w.now, &p.frame)
				continue
			}
			packet := w.packet()
			packet.Size = p.size
			s.Port(0).Consume(w.now, &packet)
			w.arrived += p.size
		}
	}
}

// advance goes to the next moment at which something can happen.
func (w *wire) advance() {
	next := min(w.from.Deadline(), w.to.Deadline())
	for i := range w.free {
		if w.free[i] > w.now {
			next = min(next, w.free[i])
		}
		if len(w.flight[i]) > 0 {
			next = min(next, w.flight[i][0].at)
		}
	}
	w.now = max(next, w.now)
}
