package main

import (
	"math/rand/v2"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// hostile sends what it likes.
type hostile struct {
	lab    *lab
	host   *node
	random *rand.Rand
	valid  [][]byte // frames to mutate, of every protocol, and packets
	sent   uint64
}

func newHostile(l *lab, host int) *hostile {
	h := &hostile{lab: l, host: l.nodes[host], random: rand.New(rand.NewPCG(1, 2))}
	pause := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.AllClasses}
	for c := range pause.Time {
		pause.Time[c] = 0xffff
	}
	resume := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.AllClasses}
	classic := pfc.Frame{Opcode: pfc.OpcodePause, Time: pause.Time}
	root := sluice.Hop{Switch: 9, Port: 1}
	h.valid = [][]byte{
		pause.AppendTo(nil), resume.AppendTo(nil), classic.AppendTo(nil),
		(&pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 1, Sequence: 1}).AppendTo(nil),
		(&pyrrha.Frame{Type: pyrrha.Merge, Root: root, Old: sluice.Hop{Switch: 5}, Hop: 1}).AppendTo(nil),
		(&bfc.Frame{Type: bfc.Pause, Count: 1}).AppendTo(nil),
		(&ofc.Frame{Type: ofc.Pause, Class: class, All: true}).AppendTo(nil),
		(&portfc.Frame{Type: portfc.Pause}).AppendTo(nil),
	}
	from := h.host.place
	for to := range 3 {
		shim := l.settings.protocol == "bfc"
		h.valid = append(h.valid, template(0x2000+to, from, l.plan.places[to], 200*(to+1), shim))
	}
	return h
}

// attack sends at the rate of the link.
func (h *hostile) attack(lasts time.Duration) {
	cable := h.host.ports[0].socket
	rate := h.lab.settings.rate()
	began, busy := time.Now(), time.Duration(0)
	for busy < lasts {
		frame := h.frame()
		if cable.send(frame) == nil {
			h.sent++
		}
		busy += rate.TimeOf(sluice.Bytes(len(frame))).Duration()
		if ahead := busy - time.Since(began); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
	}
}

// fallSilent waits until what it asked for has run out. Pauses of BFC and OFC do not: they end with
// the link.
func (h *hostile) fallSilent(s settings) {
	time.Sleep(s.rate().TimeOfQuanta(pfc.DefaultPause).Duration())
	if s.protocol == "bfc" || s.protocol == "ofc" {
		for _, up := range []bool{false, true} {
			if err := h.lab.cables.setLink(h.host.place, 0, up); err != nil {
				panic(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// frame makes a frame. It does not end in a VLAN tag, because the kernel discards such frames.
func (h *hostile) frame() []byte {
	frame := h.draw()
	if tag := frame[typeOffset]; len(frame) < ethernetLength+6 && (tag == 0x81 || tag == 0x88) {
		frame = append(frame, 0, 0, 0, 0, 0, 0)
	}
	return frame
}

// draw returns noise, noise of a known type, or something valid with a few octets changed.
func (h *hostile) draw() []byte {
	r := h.random
	switch r.IntN(4) {
	case 0:
		return h.noise()
	case 1:
		frame := h.noise()
		types := [][2]byte{{0x88, 0x08}, {0x88, 0xb5}, {0x88, 0xb6}, {0x08, 0x00}, {0x81, 0x00}}
		copy(frame[typeOffset:], types[r.IntN(len(types))][:])
		return frame
	}
	frame := append([]byte(nil), h.valid[r.IntN(len(h.valid))]...)
	for range r.IntN(4) {
		frame[typeOffset+r.IntN(len(frame)-typeOffset)] = byte(r.Uint32())
	}
	if r.IntN(8) == 0 {
		frame = frame[:ethernetLength+r.IntN(len(frame)-ethernetLength)]
	}
	return frame
}

func (h *hostile) noise() []byte {
	frame := make([]byte, ethernetLength+h.random.IntN(mtu+1))
	for i := range frame {
		frame[i] = byte(h.random.Uint32())
	}
	return frame
}
