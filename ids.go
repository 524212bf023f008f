package sluice

import (
	"encoding/binary"
	"strconv"
)

// SwitchID names a node of the network, a switch or a host, uniquely.
type SwitchID uint32

// PortID names a port of a switch, counted from 0. Ingress and egress share the number.
type PortID uint16

// MAC is an Ethernet address, as it goes on the wire. The zero MAC is not an address of any device.
type MAC [6]byte

// String formats m as "02:00:00:00:00:01".
func (m MAC) String() string {
	const digits = "0123456789abcdef"
	text := make([]byte, 0, 3*len(m)-1)
	for i, b := range m {
		if i > 0 {
			text = append(text, ':')
		}
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// Local is the ingress of a packet that did not come in by a port: a host's own.
// No machine accounts it to an ingress or pauses one for it.
const Local PortID = 0xffff

// QueueID names a queue of an egress port, counted from 0. What the numbers mean
// is the protocol's; every protocol says how many it uses.
type QueueID uint16

// Class is a priority of IEEE 802.1Q, 0 to 7. A larger number is served first where
// service is strict.
type Class uint8

// Classes is the number of classes.
const Classes = 8

// Hop is an egress port anywhere in the network. It is also the identity of a congestion
// root (Pyrrha, section III).
type Hop struct {
	Switch SwitchID
	Port   PortID
}

// Key packs h into one word, different for different hops.
func (h Hop) Key() uint64 { return uint64(h.Switch)<<16 | uint64(h.Port) }

// String formats h as "switch:port", the form of the Pyrrha paper.
func (h Hop) String() string {
	return strconv.FormatUint(uint64(h.Switch), 10) + ":" + strconv.FormatUint(uint64(h.Port), 10)
}

// MaxHops is the longest Path: seven levels of congestion roots, which is a five-stage
// Clos entered and left through hosts with room for one detour, plus the port at hand.
const MaxHops = 8

// Path is the rest of a packet's way: the egress ports it will take, nearest first.
// At a switch, the first hop is the egress port the packet is routed to there. The zero value is
// the empty path. A Path holds no pointer and is copied by assignment.
type Path struct {
	// Bytes, because a Packet has 49 of them left: words would make each packet longer.
	ends     uint8 // bits 0-3: how many hops were taken; bits 4-7: how many remain
	ports    [MaxHops][2]byte
	switches [MaxHops][4]byte
}

// MakePath returns the path of the given hops, nearest first; hops beyond MaxHops
// are cut off, and ok is false.
func MakePath(hops ...Hop) (path Path, ok bool) {
	for _, h := range hops {
		if !path.Append(h) {
			return path, false
		}
	}
	return path, true
}

// Append adds a hop at the far end; false, and no change, if MaxHops hops were appended already.
func (p *Path) Append(h Hop) bool {
	end := p.ends&15 + p.ends>>4
	if end >= MaxHops {
		return false
	}
	binary.LittleEndian.PutUint16(p.ports[end][:], uint16(h.Port))
	binary.LittleEndian.PutUint32(p.switches[end][:], uint32(h.Switch))
	p.ends += 1 << 4
	return true
}

// Advance drops the nearest hop: the packet has left by it. On the empty path it does nothing.
func (p *Path) Advance() {
	if p.ends >= 1<<4 {
		p.ends -= 1<<4 - 1
	}
}

// Len returns how many hops remain.
func (p *Path) Len() int { return int(p.ends >> 4) }

// At returns the i-th remaining hop, 0 the nearest; the zero Hop if i is out of range.
func (p *Path) At(i int) Hop {
	if uint(i) >= uint(p.ends>>4) {
		return Hop{}
	}
	i = (int(p.ends) + i) & (MaxHops - 1) // 16 is a multiple of MaxHops
	s := &p.switches[i]
	return Hop{
		SwitchID(s[0]) | SwitchID(s[1])<<8 | SwitchID(s[2])<<16 | SwitchID(s[3])<<24,
		PortID(p.ports[i][0]) | PortID(p.ports[i][1])<<8,
	}
}

// Hops returns the remaining hops, nearest first. It is a copy; where nothing may be allocated, use
// Len and At.
func (p *Path) Hops() []Hop {
	hops := make([]Hop, p.Len())
	for i := range hops {
		hops[i] = p.At(i)
	}
	return hops
}

// String formats the remaining hops, nearest first: "160:16 170:0 160:3".
func (p Path) String() string {
	s := ""
	for i, h := range p.Hops() {
		if i > 0 {
			s += " "
		}
		s += h.String()
	}
	return s
}

// Link is the wire of a port: its rate, and the propagation delay of one way.
type Link struct {
	Rate  Rate
	Delay Time
}

// RoundTrip returns the propagation delay of both ways, saturating.
func (l Link) RoundTrip() Time { return l.Delay.Add(l.Delay) }
