package pfc

import "github.com/sluicefc/sluice"

// BurstFrame is a frame of a burst that exceeds a headroom.
type BurstFrame struct {
	Size sluice.Bytes
	// Begins is when its first bit arrives, after the decision to pause; before it, of the frame that
	// crosses the threshold.
	Begins sluice.Time
	// Headroom is what the headroom holds when the frame has come, this one included.
	Headroom sluice.Bytes
}

// Burst returns the frames of a short burst whose last frame a port with so much headroom loses,
// though all obey: they come back to back, the first crosses the threshold, and all begin before
// the peer has to stop. Nil if the headroom is what HeadroomFor says, or more. It allocates.
func (p *PortConfig) Burst(mtu, cell, headroom sluice.Bytes) []BurstFrame {
	h := p.HeadroomFor(mtu, cell)
	if headroom >= h.Total {
		return nil
	}
	mtu, cell = max(mtu, MinimumFrame), max(cell, 1)
	cells := func(size sluice.Bytes) sluice.Bytes { return (size + cell - 1) / cell * cell }
	var frames []BurstFrame
	held, begin := sluice.Bytes(0), -mtu // in byte times
	add := func(size sluice.Bytes) {
		held += cells(size)
		frames = append(frames, BurstFrame{size, p.timeOf(begin), held})
		begin += size + max(0, p.Overhead)
	}
	// least is the smallest frame that the headroom has no room for.
	least := func() sluice.Bytes { return max(MinimumFrame, (headroom-held)/cell*cell+1) }
	if cells(mtu) > headroom {
		begin = -least()
		add(least())
		return frames
	}
	add(mtu)
	begin = min(max(0, p.Overhead), interPacketGap)
	for _, size := range p.framesIn(h.Window, mtu, cell) {
		if held+cells(mtu) > headroom {
			break
		}
		add(size)
	}
	add(least())
	return frames
}

// framesIn returns, of the frames that can begin in a window, those that take most of the buffer.
func (p *PortConfig) framesIn(window, mtu, cell sluice.Bytes) (sizes []sluice.Bytes) {
	over := max(0, p.Overhead)
	if cell > 1 {
		most := heaviest(window, mtu, cell, over)
		growth := (mtu-1)/cell - 1
		for i := range most.packets {
			size := MinimumFrame
			if i < most.larger {
				grown := min(growth, most.growth)
				most.growth -= grown
				size = (grown+1)*cell + 1
			}
			sizes = append(sizes, size)
		}
		return sizes
	}
	sum, packets := bytesIn(window, mtu, over), window/(mtu+over)
	if packets*mtu < sum {
		packets++
	}
	for i := range packets {
		sizes = append(sizes, sum*(i+1)/packets-sum*i/packets)
	}
	return sizes
}

// timeOf returns the transmission time of n bytes.
func (p *PortConfig) timeOf(n sluice.Bytes) sluice.Time {
	if n < 0 {
		return -p.Link.Rate.TimeOf(-n)
	}
	return p.Link.Rate.TimeOf(n)
}
