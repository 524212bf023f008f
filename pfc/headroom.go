package pfc

import (
	"cmp"
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// quantumBytes is the length of a pause quantum: 512 bit times (IEEE 802.3 clause 31B.2).
const quantumBytes = sluice.QuantumBits / 8

// MinimumFrame is the length of the smallest frame, which takes the most cells for its bytes.
const MinimumFrame sluice.Bytes = 64

// EthernetOverhead is a frame's length on a real wire beyond its bytes, check sequence included:
// preamble, start delimiter and inter-packet gap (IEEE 802.3 clauses 4.4.2 and 3.1.1).
const EthernetOverhead sluice.Bytes = 8 + 12

// HeadroomFor returns what a headroom is made of; Total is the least Profile.Headroom with which
// the port loses no packet of a lossless class: for lossless frames of MinimumFrame to mtu bytes
// and others of up to PortConfig.MTU, any number of lossless classes and whatever their thresholds
// do, in a switch of cells of the given bytes (Config.CellSize), with the slowest peer that IEEE
// 802.3 allows. The embedder must poll the pause frame when its transmitter is free.
//
// From the decision to pause until the peer begins no more frames, this time passes:
//
//	max(MTU, mtu, pause)  a frame of our own has just begun, of data or another pause: MAC control
//	                      does not interrupt a frame (IEEE 802.3 clause 31.3)
//	+ pause               the pause frame on the wire, WireLength
//	+ 2 * Link.Delay      the pause travels to the peer, and its earlier frames here
//	+ Pipeline + 2 * PHY  both pass through this switch and its transceivers
//	+ Reaction            the peer may begin frames for so long (IEEE 802.3 clause 31B.3.7)
//
// Frames that begin in this time are in the headroom, and the largest frame at its very end; and so
// is the packet that takes the ingress over its threshold. A frame takes PortConfig.Overhead of the
// wire beyond its Size. If that has a gap, the gap behind the pause frame delays no frame, and the
// peer's next frame begins a gap after the packet that crosses the threshold. Only cells round up.
// It saturates.
func (p *PortConfig) HeadroomFor(mtu, cell sluice.Bytes) HeadroomParts {
	rate, over := p.Link.Rate, max(0, p.Overhead)
	gap := min(over, interPacketGap)
	inside := p.Pipeline.Add(p.PHY).Add(p.PHY)
	reaction := cmp.Or(p.Reaction, Reaction(rate))
	obeys := rate.TimeOfQuanta(reaction)
	h := HeadroomParts{
		Annex:    annex(rate, p.Link.Delay, mtu, reaction),
		Own:      max(chassis.Add(max(mtu, p.MTU), over), WireLength),
		Pause:    WireLength - gap,
		Cable:    rate.BytesIn(p.Link.RoundTrip()),
		Switch:   rate.BytesIn(inside),
		Reaction: rate.BytesIn(obeys),
	}
	h.Window = rate.BytesIn(
		rate.TimeOf(chassis.Add(h.Own, h.Pause-gap)).Add(p.Link.RoundTrip()).Add(inside).Add(obeys))
	mtu = max(mtu, MinimumFrame)
	if cell = max(cell, 1); cell == 1 {
		h.Arrivals, h.Last = bytesIn(h.Window, mtu, over), mtu
	} else {
		cells := heaviest(h.Window, mtu, cell, over).cells()
		h.Arrivals, h.Last = math.MaxInt64, (mtu+cell-1)/cell*cell
		if cells <= math.MaxInt64/cell {
			h.Arrivals = cells * cell
		}
	}
	h.Crossing = h.Last
	h.Total = chassis.Add(h.Arrivals, chassis.Add(h.Last, h.Crossing))
	return h
}

// HeadroomParts is a headroom and what it is made of: see [PortConfig.HeadroomFor]. The first five
// are byte times of the wire, and their sum, apart from roundings, is Window; the next three are
// bytes of the buffer, and their sum is Total.
//
// Annex is what the annex of IEEE 802.1Q on the buffer requirements of PFC adds up, in bytes: twice
// the cable, two frames of the mtu, ours and the peer's, and the peer's reaction. The formula takes
// the pause frame's own time as part of the reaction, and leaves out the packet that crosses the
// threshold, a delay of this switch, cells, and what a wire has beyond frames. A port that has only
// so much can lose a packet.
type HeadroomParts struct {
	Own      sluice.Bytes // the frame of ours that has just begun
	Pause    sluice.Bytes // the pause frame
	Cable    sluice.Bytes // twice the propagation delay
	Switch   sluice.Bytes // Pipeline and twice PHY
	Reaction sluice.Bytes // of the peer

	Window   sluice.Bytes // byte times in which the peer begins frames
	Arrivals sluice.Bytes // the most that whole frames take of the buffer which arrive in it
	Last     sluice.Bytes // the largest frame, begun at its end
	Crossing sluice.Bytes // the largest frame, which crosses the threshold
	Total    sluice.Bytes

	Annex sluice.Bytes // by the formula in common use, for comparison
}

// interPacketGap is the idle time between two frames, in byte times (IEEE 802.3 clause 4.4.2).
const interPacketGap sluice.Bytes = 12

// bytesIn returns the most bytes that whole packets have in a window, if each takes so much more of
// the window than its bytes. They are as many of mtu bytes as fit; or one packet more, all a little
// smaller, which fill the window.
func bytesIn(window, mtu, over sluice.Bytes) sluice.Bytes {
	packets := window / (mtu + over)
	full := packets * mtu
	if packets++; packets <= window/(MinimumFrame+over) {
		return max(full, min(window-packets*over, packets*mtu))
	}
	return full
}

// packing is a number of packets, how many are larger than a cell, and the cells that these have
// beyond two each.
type packing struct{ packets, larger, growth sluice.Bytes }

func (p packing) cells() sluice.Bytes { return p.packets + p.larger + p.growth }

// heaviest returns the whole packets that take the most cells in a window, where each takes so much
// more of it than its bytes. The smallest packet takes one cell, a packet of a byte more than a
// cell takes two, and every cell more costs as many bytes as it has. So, given the number of
// packets, the best is to make as many of them as the window allows larger than a cell, and then to
// let them grow; which number is best is found by trying, near the numbers at which one of the
// three uses the window up.
func heaviest(window, mtu, cell, over sluice.Bytes) (most packing) {
	single, upgrade := MinimumFrame+over, cell+1-MinimumFrame
	growth := (mtu-1)/cell - 1 // cells that a packet of two can have more; -1: there is none of two
	best := func(packets sluice.Bytes) {
		if packets < 0 || packets > window/single {
			return
		}
		p := packing{packets: packets}
		if rest := window - packets*single; growth >= 0 {
			p.larger = min(packets, rest/upgrade)
			p.growth = min(p.larger*growth, (rest-p.larger*upgrade)/cell)
		}
		if p.cells() > most.cells() {
			most = p
		}
	}
	for _, around := range []sluice.Bytes{
		window / single, window / (single + upgrade), window / (single + upgrade + max(growth, 0)*cell),
	} {
		const near = 512
		for packets := around - near; packets <= around+near; packets++ {
			best(packets)
		}
	}
	return most
}

// annex returns HeadroomParts.Annex for a rate and a one-way propagation delay, which is rounded up
// to a byte. Negative arguments count as nothing. It saturates for an mtu of up to 2^61.
func annex(
	rate sluice.Rate, cable sluice.Time, mtu sluice.Bytes, reaction sluice.Quanta,
) sluice.Bytes {
	arrives := 2*max(0, mtu) + sluice.Bytes(reaction)*quantumBytes
	return chassis.Add(rate.BytesInUp(cable.Add(cable)), arrives)
}

// Cable returns the propagation delay of a cable of the given metres, copper or fibre, at 5 ns per
// metre, as in the annex of IEEE 802.1Q on buffer requirements. It saturates.
func Cable(metres int) sluice.Time {
	const metre = 5 * sluice.Nanosecond
	switch {
	case metres <= 0:
		return 0
	case sluice.Time(metres) > sluice.Never/metre:
		return sluice.Never
	}
	return sluice.Time(metres) * metre
}

// reactions are the quanta within which a station obeys, by rate (IEEE 802.3 clause 31B.3.7).
var reactions = [...]struct {
	rate   sluice.Rate
	quanta sluice.Quanta
}{
	{sluice.Gbps, 2},
	{10 * sluice.Gbps, 67}, // the clause has 60, SONiC's table 67, which is the safe side
	{25 * sluice.Gbps, 80},
	{40 * sluice.Gbps, 118},
	{50 * sluice.Gbps, 147},
	{100 * sluice.Gbps, 394},
	{200 * sluice.Gbps, 453},
	{400 * sluice.Gbps, 905},
}

// Reaction returns how many quanta a station of a rate may take from a pause frame's last bit until
// it begins no more frames (IEEE 802.3 clause 31B.3.7). A rate between two of the standard's has
// the quanta of the faster, the safe side; above 400 Gb/s they grow with the rate. It saturates.
func Reaction(rate sluice.Rate) sluice.Quanta {
	for _, r := range reactions {
		if rate <= r.rate {
			return r.quanta
		}
	}
	fastest := reactions[len(reactions)-1]
	return rate.QuantaIn(fastest.rate.TimeOfQuanta(fastest.quanta))
}

// Shortage is a headroom with which packets can be lost.
type Shortage struct {
	Port     sluice.PortID
	Class    sluice.Class
	Headroom sluice.Bytes // its own, or at most all of Config.HeadroomPool
	Needed   sluice.Bytes // see PortConfig.HeadroomFor
}

// Error names the port, the class and both headrooms, such as
//
//	pfc: port 3 class 4: a headroom of 9000B, 12000B are needed
func (s *Shortage) Error() string {
	return fmt.Sprintf("pfc: port %d class %d: a headroom of %dB, %dB are needed",
		s.Port, s.Class, s.Headroom, s.Needed)
}

// Shortages returns every (port, class) that is lossless and tells its peer to pause, but has less
// headroom than the Total of HeadroomFor for lossless frames of up to mtu bytes. It returns none if
// the switch loses no packet. New takes such a configuration, as some are meant to lose packets. A
// HeadroomPool that no single port exceeds may still be too small for several at a time. New must
// accept the configuration. O(ports).
func (c Config) Shortages(mtu sluice.Bytes) (short []Shortage) {
	c = c.filled()
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Mode == ClassicObey || len(c.Ports) == 1 {
			continue // it sends no pause, or accounts nothing
		}
		needed := p.HeadroomFor(mtu, c.CellSize).Total
		for rest := p.Classes & p.Sends & sluice.AllClasses; rest != 0; rest &= rest - 1 {
			class := lowest(rest)
			has := p.profile(class).Headroom
			if c.HeadroomPool != 0 {
				has = min(has, c.HeadroomPool)
			}
			if has < needed {
				short = append(short, Shortage{sluice.PortID(i), class, has, needed})
			}
		}
	}
	return short
}
