package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

const mtu = 1500

// protocol draws configurations of a protocol for a network.
type protocol struct {
	name string
	draw func(r *random, g *graph) *setup
}

// setup is a configuration of a whole network, and what may be expected of it.
type setup struct {
	text string // the configuration, for people
	// node makes a machine.
	node func(id int) (kit.Machine, error)
	// forge makes a frame that an enemy might send to a port.
	forge func(r *random, id int, port sluice.PortID) []byte
	// renumber changes the sequence number of a true frame; nil if the bytes are no frame, or if
	// frames have no number.
	renumber func(r *random, frame []byte) []byte
	// operate does to a machine what an operator may, and returns the machine that is in its place
	// then: the same or another. Nil: an operator has nothing to do.
	operate func(r *random, id int, m kit.Machine, now sluice.Time) (kit.Machine, sluice.Wake)
	// mayDrop says whether a packet may be dropped although everyone obeys. Nil: no packet may.
	mayDrop func(p *sluice.Packet, why sluice.Reason) bool
	classes []sluice.Class
	cellOf  func(kit.Machine) sluice.Bytes // what Buffered counts in; nil: bytes
	pathOf  sluice.ClassSet                // classes whose paths are read
	repairs bool                           // what lost, doubled and forged frames did is repaired
	circles bool                           // routes that loop do no harm
	reorder bool                           // packets of a flow may be reordered, as documented
	pulled  bool                           // Congested of hosts may be called
}

var protocols = []protocol{
	{"pfc", drawPFC}, {"bfc", drawBFC}, {"ofc", drawOFC}, {"pyrrha", drawPyrrha},
	{"portfc", drawPortFC}, {"cbfc", drawCBFC}, {"hybrid", drawHybrid},
}

var allClasses = []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}

func someClasses(r *random, from sluice.ClassSet) (classes []sluice.Class) {
	for _, c := range allClasses {
		if from.Has(c) {
			classes = append(classes, c)
		}
	}
	for len(classes) > 1 && r.below(3) > 0 {
		classes = append(classes[:0:0], classes[r.below(len(classes)):]...)
	}
	return classes
}

func ratio(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }

// somewhere draws a hop that is in the network, or nearly.
func (g *graph) somewhere(r *random) sluice.Hop {
	id := r.below(len(g.nodes) + 1)
	ports := 2
	if id < len(g.nodes) {
		ports = len(g.nodes[id].ports)
	}
	return sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(r.below(ports + 1))}
}

// renumber makes a setup's renumber of a function that changes the numbers of a parsed frame.
func renumber[F any, P interface {
	*F
	Parse([]byte) error
	AppendTo([]byte) []byte
}](change func(*random, P)) func(*random, []byte) []byte {
	return func(r *random, frame []byte) []byte {
		f := P(new(F))
		if f.Parse(frame) != nil {
			return nil
		}
		change(r, f)
		return f.AppendTo(nil)
	}
}

// whenFull is a setup's mayDrop: packets may be dropped for want of a buffer, if the buffer has a
// bound.
func whenFull(buffer sluice.Bytes) func(*sluice.Packet, sluice.Reason) bool {
	return func(_ *sluice.Packet, why sluice.Reason) bool {
		return buffer > 0 && why == sluice.BufferFull
	}
}

// forgedSequence draws a sequence number given a true one.
func forgedSequence(r *random, sequence uint32) uint32 {
	switch r.below(5) {
	case 0:
		return sequence + uint32(r.below(1<<17))
	case 1:
		return sequence + pick[uint32](r, 65534, 65535, 65536, 65537, 1<<31, 1<<31-1)
	case 2:
		return sequence - uint32(r.below(1<<17))
	case 3:
		return uint32(r.below(100))
	}
	return uint32(r.next())
}

func show(name string, config any) string { return fmt.Sprintf("%s %+v", name, config) }
