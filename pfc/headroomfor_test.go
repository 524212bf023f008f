package pfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestHeadroomForLosesNothing: with 1 to 8 lossless classes, thresholds that flap, any MTU, cell,
// cable and delay, at 10 to 800 Gb/s, against a peer that stops as late as it may.
func TestHeadroomForLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLink(t)
		for c := range sluice.Class(rapid.IntRange(1, 8).Draw(t, "classes")) {
			l.classes = append(l.classes, c)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		random := func(n uint64) uint64 { // of the traffic: too much of it to be drawn
			seed = seed*6364136223846793005 + 1442695040888963407
			return seed >> 33 % n
		}
		alpha := rapid.Bool().Draw(t, "alpha")
		if alpha {
			l.port.Alpha, l.port.ResumeOffset = ratio(1, 8), ResumeAtThreshold
		} else {
			l.port.XOff = sluice.Bytes(rapid.IntRange(1, 20_000).Draw(t, "XOff"))
			l.port.XOn = l.port.XOff - 1
		}
		l.sizes = func() sluice.Bytes {
			if random(2) == 0 {
				return l.mtu
			}
			return MinimumFrame + sluice.Bytes(random(uint64(l.mtu-MinimumFrame+1)))
		}
		l.class = func(allowed []sluice.Class) sluice.Class {
			return allowed[random(uint64(len(allowed)))]
		}
		slow := 1 + random(3)
		l.drains = func() sluice.Time {
			if random(50) == 0 {
				return 20 * l.rate.TimeOf(l.mtu) // congestion comes and goes
			}
			return sluice.Time(random(slow * uint64(l.rate.TimeOf(l.mtu))))
		}
		l.start(t, alpha)
		now := sluice.Time(0)
		for range 3000 {
			now = max(now, l.next())
			l.step(t, now)
		}
		if n := l.drops(); n > 0 {
			t.Fatalf("%d packets lost with a headroom of %d", n, l.port.Headroom)
		}
		if l.s.Port(0).Counters().PausesSent == 0 {
			t.Skip("no peer was paused")
		}
	})
}

// TestHeadroomForIsTight: in the worst case the headroom is used to the last byte, and a byte less
// loses a packet. The packet that crosses X_off is of the MTU; a frame of ours begins at that
// instant; what the peer begins in the time it has takes the most of the buffer that it can, and
// the last is of the MTU again.
func TestHeadroomForIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLink(t)
		bound := l.port.Headroom
		require.Zero(t, l.worstCase(t, bound))
		require.Equal(t, bound, l.s.Port(0).HeadroomBytes(3), "used to the last byte")
		require.Equal(t, uint64(1), l.worstCase(t, bound-1), "a byte less")
	})
}

// worstCase runs the worst case and returns the bytes lost.
func (l *losslessLink) worstCase(t require.TestingT, headroom sluice.Bytes) uint64 {
	*l = losslessLink{
		rate:       l.rate,
		mtu:        l.mtu,
		cell:       l.cell,
		port:       l.port,
		pipelineIn: l.pipelineIn,
		classes:    []sluice.Class{3},
	}
	filler := max(l.cell, 64) // holds X_off less a byte, in a packet
	l.port.Headroom, l.port.XOff, l.port.XOn = headroom, (filler+l.cell-1)/l.cell*l.cell+1, 1
	l.start(t, false)
	l.drains = func() sluice.Time { return sluice.Never / 2 } // the egress never sends
	l.egressFree = sluice.Never / 2

	own := max(max(l.mtu, l.port.MTU)+l.port.Overhead, WireLength)
	window := l.rate.TimeOf(own+WireLength-l.gap()) + l.reaction()
	window += 2*l.oneWay() + l.port.Pipeline - l.rate.TimeOf(l.gap())
	sizes := append([]sluice.Bytes{filler, l.mtu}, l.heaviest(l.rate.BytesIn(window))...)
	l.sizes = func() sluice.Bytes {
		if len(sizes) == 0 {
			return l.mtu
		}
		size := sizes[0]
		sizes = sizes[1:]
		return size
	}
	l.class = func([]sluice.Class) sluice.Class { return 3 }
	// The transmitter begins a frame, of data or a pause of no account, at the instant at which the
	// second packet is enqueued, before that.
	crossing := l.rate.TimeOf(filler+l.port.Overhead) +
		l.rate.TimeOf(l.mtu+l.port.Overhead-l.gap()) + l.oneWay() + l.pipelineIn
	l.transmitter = crossing + l.rate.TimeOf(own)
	for now := l.next(); now < crossing+10*window && !l.held.Has(3); now = l.next() {
		l.step(t, now)
	}
	for len(l.arrivals) > 0 {
		l.step(t, l.arrivals[0].at)
	}
	return l.drops()
}

// heaviest returns packets that fit a window of the given bytes and take the most of the buffer.
func (l *losslessLink) heaviest(window sluice.Bytes) []sluice.Bytes {
	if l.cell == 1 {
		// By trying every number of packets.
		over, most, sizes := l.port.Overhead, sluice.Bytes(0), []sluice.Bytes(nil)
		for n := sluice.Bytes(1); n*(MinimumFrame+over) <= window; n++ {
			sum := min(n*l.mtu, window-n*over)
			if sum <= most {
				continue
			}
			most, sizes = sum, nil
			for i := range n {
				sizes = append(sizes, sum*(i+1)/n-sum*i/n)
			}
		}
		return sizes
	}
	// The knapsack, by dynamic programming: most[w] is the most cells in w bytes, by the packet
	// size that it ends with.
	var items []sluice.Bytes // the smallest packet that takes each number of cells
	for cells := sluice.Bytes(1); (cells-1)*l.cell < l.mtu; cells++ {
		items = append(items, max(MinimumFrame, (cells-1)*l.cell+1)+l.port.Overhead)
	}
	most, last := make([]int32, window+1), make([]int32, window+1)
	for w := range most {
		if w > 0 {
			most[w], last[w] = most[w-1], -1
		}
		for i, size := range items {
			if rest := w - int(size); rest >= 0 && most[rest]+int32(i)+1 > most[w] {
				most[w], last[w] = most[rest]+int32(i)+1, int32(i)
			}
			if int(size) > w {
				break
			}
		}
	}
	var sizes []sluice.Bytes
	for w := int(window); w > 0; {
		if last[w] < 0 || most[w] == 0 {
			w--
			continue
		}
		sizes = append(sizes, items[last[w]]-l.port.Overhead)
		w -= int(items[last[w]])
	}
	return sizes
}

// TestHeadroomForExamples: headrooms for an operator's profiles.
func TestHeadroomForExamples(t *testing.T) {
	for _, test := range []struct {
		gbps, metres int
		mtu, cell    sluice.Bytes
		want         string
	}{
		{10, 40, 1518, 0, "9426"}, {100, 40, 9216, 208, "147056"}, {400, 5, 9216, 254, "295402"},
	} {
		p := PortConfig{
			Link: sluice.Link{Rate: sluice.Rate(test.gbps) * sluice.Gbps, Delay: Cable(test.metres)},
		}
		require.Equal(t, test.want, fmt.Sprint(int64(p.HeadroomFor(test.mtu, test.cell).Total)))
	}
	p := PortConfig{Link: sluice.Link{Rate: g100, Delay: Cable(100)}}
	require.Equal(
		t,
		ofBytes(g100, Cable(100), 1518, Reaction(g100)),
		p.HeadroomFor(1518, 0).Total,
		"the terms of the annex and two more",
	)
	silly := PortConfig{Link: sluice.Link{Rate: 1 << 62, Delay: sluice.Never}}
	require.Equal(t, sluice.Bytes(1<<63-1), silly.HeadroomFor(1518, 0).Total, "it saturates")
	require.Equal(t, sluice.Bytes(1<<63-1), silly.HeadroomFor(1518, 65536).Total)
	before := p.HeadroomFor(1518, 208).Total
	p.Pipeline, p.PHY = sluice.Microsecond, 100*sluice.Nanosecond
	require.InDelta(
		t,
		int64(g100.BytesIn(1200*sluice.Nanosecond)/64*208),
		int64(p.HeadroomFor(1518, 208).Total-before),
		208,
	)
}

// TestBytesOfWholePackets: a window is filled but where one packet less is too small and one more
// too large.
func TestBytesOfWholePackets(t *testing.T) {
	for _, test := range []struct{ window, mtu, over, want sluice.Bytes }{
		{640, 64, 0, 640}, {641, 64, 0, 640}, {703, 64, 0, 640}, {63, 64, 0, 0}, {100, 80, 0, 80},
		{127, 100, 0, 100}, {128, 100, 0, 128}, {168, 84, 0, 168}, {5000, 1518, 0, 5000},
		{5000, 1518, 20, 4920}, {1538 + 84, 1518, 20, 1582}, {1548, 1518, 20, 1518},
		{3078, 1518, 20, 3036},
	} {
		require.Equal(t, test.want, bytesIn(test.window, test.mtu, test.over), "%+v", test)
	}
}

// TestHeadroomOfALossyJumboFrame: a lossy frame of 9,216 bytes delays the pause behind it, and
// nothing else: the lossless packets themselves are no larger for that.
func TestHeadroomOfALossyJumboFrame(t *testing.T) {
	p := PortConfig{Link: sluice.Link{Rate: g100}}
	one := p.HeadroomFor(1024, 0).Total
	p.MTU = 9216
	require.Equal(t, one+9216-1024, p.HeadroomFor(1024, 0).Total)
	require.Equal(t, p.HeadroomFor(1024, 0).Total+2*(9216-1024), p.HeadroomFor(9216, 0).Total)
}

// TestHeadroomOnARealWire: with cells of 208 to 256 bytes the smallest frames take the most, and on
// the wire 84 byte times instead of 64: a quarter less can arrive.
func TestHeadroomOnARealWire(t *testing.T) {
	for _, cell := range []sluice.Bytes{208, 254, 256} {
		p := PortConfig{Link: sluice.Link{Rate: g100, Delay: Cable(40)}}
		loose := p.HeadroomFor(9216, cell).Total
		p.Overhead = EthernetOverhead
		require.InDelta(t, 1.26, float64(loose)/float64(p.HeadroomFor(9216, cell).Total), 0.02)
	}
}

// TestHeadroomParts: their sums are what the comment says.
func TestHeadroomParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLink(t)
		h := l.port.HeadroomFor(l.mtu, l.cell)
		require.Equal(t, h.Total, h.Arrivals+h.Last+h.Crossing)
		sum := h.Own + h.Pause + h.Cable + h.Switch + h.Reaction - l.gap()
		require.InDelta(t, int64(sum), int64(h.Window), 4)
	})
}

// TestShortages: what New takes in silence.
func TestShortages(t *testing.T) {
	config := lossless34(3, func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Headroom = c.Ports[i].HeadroomFor(1500, 0).Total
		}
		c.Ports[1].Profiles[4] = &Profile{XOff: 5000, Headroom: c.Ports[1].Headroom - 1}
		c.Ports[2].Sends = sluice.MakeClassSet(4)
		c.Ports[2].Profiles[3] = &Profile{XOff: 5000}
	})
	needed := config.Ports[0].Headroom
	short := config.Shortages(1500)
	require.Equal(t, []Shortage{{Port: 1, Class: 4, Headroom: needed - 1, Needed: needed}}, short)
	require.EqualError(t, &short[0], fmt.Sprintf(
		"pfc: port 1 class 4: a headroom of %dB, %dB are needed", needed-1, needed))
	require.Len(t, config.Shortages(1501), 5, "all that tell the peer")
	config.HeadroomPool = needed - 1
	require.Len(t, config.Shortages(1500), 5)
}

// TestShortagesOfPortsThatSendNoPause: none are reported of a port that obeys classic PAUSE and
// sends none, nor of a card, whose packets are the host's.
func TestShortagesOfPortsThatSendNoPause(t *testing.T) {
	config := lossless34(2, func(c *Config) {
		c.Classes, c.Ports[0].Mode = sluice.MakeClassSet(0), ClassicObey
	})
	require.Len(t, config.Shortages(9000), 1)
	require.EqualValues(t, 1, config.Shortages(9000)[0].Port)
	config.Ports = config.Ports[1:]
	require.Empty(t, config.Shortages(9000))
}

// TestHeadroomOfSmallFrames: no frame is smaller than 64 bytes, and one a byte larger than a cell
// takes two.
func TestHeadroomOfSmallFrames(t *testing.T) {
	p := PortConfig{Link: sluice.Link{Rate: g100}}
	require.Equal(t, MinimumFrame, p.HeadroomFor(1, 0).Last)
	require.EqualValues(t, 208, p.HeadroomFor(208, 208).Last)
	require.EqualValues(t, 416, p.HeadroomFor(209, 208).Last)
}
