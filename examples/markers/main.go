// Markers hangs congestion detectors on a machine, with the lines that an embedder writes for it.
//
// A port of 40 Gb/s under priority-based flow control gets packets at half its rate. For 50 us the
// peer pauses it, because of congestion farther on, and a queue builds up here although the port is
// not congested; when the peer resumes, it drains. Then packets come at 60 Gb/s, and the port is
// congested itself. Each of three detectors sees the same packets. ECN marks by queue length alone.
// TCD (SIGCOMM 2021) says of the first queue that it cannot tell, UE, and of the second that it is
// congested, CE. The congestion point of PCN (NSDI 2020) leaves alone what waited for the resume.
//
// Look first at marked, which hangs a detector on any machine: it is the whole composition.
package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pcn"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tcd"
)

const (
	class = 3 // the lossless class, and its queue
	size  = 1000
	out   = sluice.PortID(0) // where packets leave, and pauses come in
	rate  = 40 * sluice.Gbps
)

// marker is what every detector offers. It wants to know when its queue is held no longer, and of
// each packet that leaves.
type marker interface {
	Resumed(now sluice.Time, backlog sluice.Bytes)
	Dequeue(now sluice.Time, size, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN
}

// marked is a machine with a marker on one queue.
type marked struct {
	kit.Machine
	marker
}

// Dequeue marks what leaves: the code point changes, class and wake stay.
func (m *marked) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	if port == out && q == class && v.Action() == sluice.Transmit {
		v = v.WithMark(m.marker.Dequeue(now, p.Size, m.Backlog(port, q), v.Mark()))
	}
	return v
}

// Receive may release the queue.
func (m *marked) Receive(
	now sluice.Time, port sluice.PortID, frame []byte,
) (wake sluice.Wake, err error) {
	m.watch(now, func() { wake, err = m.Machine.Receive(now, port, frame) })
	return wake, err
}

// Expire may release the queue: a pause runs out.
func (m *marked) Expire(now sluice.Time) (wake sluice.Wake) {
	m.watch(now, func() { wake = m.Machine.Expire(now) })
	return wake
}

// watch calls a hook, and tells the marker if it released the queue.
func (m *marked) watch(now sluice.Time, hook func()) {
	held := !m.Sendable(out, class)
	hook()
	if held && m.Sendable(out, class) {
		m.Resumed(now, m.Backlog(out, class))
	}
}

// carry plays the traffic for a detector.
func carry(name string, m marker) {
	port := pfc.PortConfig{
		Link: sluice.Link{Rate: rate}, Profile: pfc.Profile{XOff: sluice.MB, XOn: sluice.MB},
	}
	machine, err := pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Classes: sluice.MakeClassSet(class),
	})
	check(err)
	store, err := kit.NewStore[struct{}](2000)
	check(err)
	l := &line{store: store}
	driver := kit.NewDriver[struct{}](&marked{kit.Wrap(machine), m}, store, l)
	pause := func(now sluice.Time, quanta sluice.Quanta) {
		frame := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(class)}
		frame.Time[class] = quanta
		check(driver.Receive(now, out, frame.AppendTo(nil)))
	}
	// A tick is two packets long: one packet in it is half the line rate, three are 3/2 of it.
	tick := 2 * rate.TimeOf(size)
	for i := range 1000 {
		l.now = sluice.Time(i) * tick
		driver.Expire(l.now)
		switch i {
		case 20:
			pause(l.now, 65_535)
		case 145:
			pause(l.now, 0)
		case 500:
			fmt.Printf("%-6s  paused     %s\n", name, l.counted())
		}
		arrivals := 1
		if i >= 500 {
			arrivals = 3
		}
		for range arrivals {
			h, _ := store.Take()
			store.At(h).Packet = sluice.Packet{Size: size, Class: class, Ingress: 1, ECN: sluice.ECT1}
			driver.Enqueue(l.now, out, h)
		}
		l.now += tick / 2
		driver.Ready(l.now, out)
	}
	fmt.Printf("%-6s  congested  %s\n", name, l.counted())
}

func main() {
	red := sluice.Marking{KMin: 20_000, KMax: 20_000}
	ecn, err := tcd.NewECN(tcd.ECNConfig{Marking: red})
	check(err)
	link := sluice.Link{Rate: rate, Delay: sluice.Microsecond}
	ternary, err := tcd.New(tcd.Config{
		MaxTon: tcd.MaxTonCEE(link, 2*size, size, tcd.DefaultEpsilon()), Marking: red, Drained: 2 * size,
	})
	check(err)
	point, err := pcn.NewCongestionPoint(pcn.CPConfig{Threshold: 20_000})
	check(err)
	carry("ECN", ecn)
	carry("TCD", ternary)
	carry("PCN", &point)
}
