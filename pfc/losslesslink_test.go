package pfc

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// losslessLink is a link into port 0 of a switch, at whose other end a peer does all that the
// standard lets it: it sends back to back, and begins frames until the last instant that a pause
// allows. The port's own transmitter is never idle: it sends frames of the MTU, and its pauses
// between them.
type losslessLink struct {
	rate        sluice.Rate
	mtu, cell   sluice.Bytes
	port        PortConfig
	pipelineIn  sluice.Time // of port.Pipeline, the part on the way in
	classes     []sluice.Class
	sizes       func() sluice.Bytes
	class       func(allowed []sluice.Class) sluice.Class
	drains      func() sluice.Time // pause of the egress after each packet
	s           *Switch
	egress      map[sluice.QueueID][]sluice.Packet
	arrivals    []arrival
	frames      []timedFrame // at the time when the peer must obey
	begin       sluice.Time  // of the peer's next packet
	held        sluice.ClassSet
	transmitter sluice.Time // of port 0 is free
	egressFree  sluice.Time
}

type arrival struct {
	at sluice.Time
	sluice.Packet
}

type timedFrame struct {
	at sluice.Time
	Frame
}

func (l *losslessLink) start(t require.TestingT, alpha bool) {
	other := l.port
	var set sluice.ClassSet
	for _, c := range l.classes {
		set |= 1 << c
	}
	config := Config{Ports: []PortConfig{l.port, other}, CellSize: l.cell, Classes: set}
	if alpha {
		config.Buffer = config.SetApart() + 200_000
	}
	s, err := New(config)
	require.NoError(t, err)
	l.s, l.egress = s, map[sluice.QueueID][]sluice.Packet{}
}

// gap is the part of the overhead that comes behind a frame.
func (l *losslessLink) gap() sluice.Bytes { return min(l.port.Overhead, 12) }

func (l *losslessLink) reaction() sluice.Time {
	if l.port.Reaction != 0 {
		return l.rate.TimeOfQuanta(l.port.Reaction)
	}
	return l.rate.TimeOfQuanta(Reaction(l.rate))
}

// oneWay is the time on the wire and in this switch's transceivers.
func (l *losslessLink) oneWay() sluice.Time { return l.port.Link.Delay + l.port.PHY }

// next returns the earliest event after now, Never if there is none: the peer stands still.
func (l *losslessLink) next() sluice.Time {
	at := min(l.transmitter, l.egressFree)
	if len(l.arrivals) > 0 {
		at = min(at, l.arrivals[0].at)
	}
	if len(l.frames) > 0 {
		at = min(at, l.frames[0].at)
	}
	if len(l.allowed()) > 0 {
		at = min(at, l.begin)
	}
	return at
}

func (l *losslessLink) allowed() (classes []sluice.Class) {
	for _, c := range l.classes {
		if !l.held.Has(c) {
			classes = append(classes, c)
		}
	}
	return classes
}

// step performs the events of an instant. The peer begins its frame before it obeys.
func (l *losslessLink) step(t require.TestingT, now sluice.Time) {
	if allowed := l.allowed(); len(allowed) > 0 && l.begin <= now {
		p := sluice.Packet{Size: l.sizes(), Class: l.class(allowed), Ingress: 0}
		end := l.begin + l.rate.TimeOf(p.Size+l.port.Overhead-l.gap())
		l.arrivals = append(l.arrivals, arrival{end + l.oneWay() + l.pipelineIn, p})
		l.begin = end + l.rate.TimeOf(l.gap())
	}
	for len(l.frames) > 0 && l.frames[0].at <= now {
		f := &l.frames[0].Frame
		for _, c := range l.classes {
			if f.Enabled.Has(c) && f.Time[c] > 0 {
				l.held |= 1 << c
			} else if f.Enabled.Has(c) {
				l.held &^= 1 << c
			}
		}
		l.frames = l.frames[1:]
		l.begin = max(l.begin, now)
	}
	if l.egressFree <= now {
		l.egressFree = now + l.drains()
		if q, ok := l.s.Port(1).Next(now); ok {
			p := l.egress[q][0]
			l.egress[q] = l.egress[q][1:]
			l.s.Port(1).Dequeue(now, q, &p)
		}
	}
	for len(l.arrivals) > 0 && l.arrivals[0].at <= now {
		p := l.arrivals[0].Packet
		l.arrivals = l.arrivals[1:]
		v := l.s.Port(1).Enqueue(now, &p)
		if v.Action() == sluice.Append {
			l.egress[v.Queue()] = append(l.egress[v.Queue()], p)
		}
	}
	if l.transmitter <= now {
		var f Frame
		if !l.s.Port(0).PollFrame(now, &f) {
			l.transmitter = now + l.rate.TimeOf(max(l.mtu, l.port.MTU)+l.port.Overhead)
			return
		}
		l.transmitter = now + l.rate.TimeOf(WireLength)
		out := l.port.Pipeline - l.pipelineIn
		l.frames = append(
			l.frames,
			timedFrame{l.transmitter - l.rate.TimeOf(l.gap()) + out + l.oneWay() + l.reaction(), f},
		)
	}
	require.NoError(t, l.s.Audit())
}

// drops returns how many lossless packets were lost.
func (l *losslessLink) drops() (sum uint64) {
	for _, c := range l.s.Port(0).Counters().Class {
		sum += c.HeadroomDrops
	}
	return sum
}

func drawLink(t *rapid.T) *losslessLink {
	rates := []sluice.Rate{10, 25, 40, 50, 100, 200, 400, 800}
	l := &losslessLink{
		rate: rapid.SampledFrom(rates).Draw(t, "Gb/s") * sluice.Gbps,
		mtu:  sluice.Bytes(rapid.SampledFrom([]int{64, 100, 1000, 1518, 4200, 9216}).Draw(t, "mtu")),
		cell: sluice.Bytes(rapid.SampledFrom([]int{1, 1, 64, 80, 127, 208, 254}).Draw(t, "cell")),
	}
	l.port.Link = sluice.Link{Rate: l.rate, Delay: Cable(rapid.IntRange(0, 300).Draw(t, "metres"))}
	l.port.Pipeline = sluice.Time(rapid.IntRange(0, 1_000_000).Draw(t, "pipeline"))
	l.port.PHY = sluice.Time(rapid.IntRange(0, 300_000).Draw(t, "PHY"))
	l.pipelineIn = sluice.Time(rapid.Int64Range(0, int64(l.port.Pipeline)).Draw(t, "of it in"))
	l.port.MTU = sluice.Bytes(rapid.SampledFrom([]int{0, 0, 9216}).Draw(t, "MTU of all classes"))
	l.port.Overhead = sluice.Bytes(rapid.SampledFrom([]int{0, 20, 20, 24, 7}).Draw(t, "overhead"))
	l.port.Reaction = sluice.Quanta(rapid.SampledFrom([]int{0, 0, 1, 67, 152}).Draw(t, "reaction"))
	l.port.Headroom = l.port.HeadroomFor(l.mtu, l.cell).Total
	return l
}
