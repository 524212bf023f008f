package cbfc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// predicted returns the bytes that arrive by a time, packet by packet from the definition of the
// limit: FCP k says at k*T_c what had arrived, and the sender may have a buffer's worth beyond
// that on the way.
func predicted(
	link sluice.Link, period sluice.Time, size, buffer sluice.Bytes, until sluice.Time,
) sluice.Bytes {
	perPacket := int64(blocks(int64(size)))
	room := min(int64(buffer/Block), maxCredit)
	frame, fcp := link.Rate.TimeOf(size), link.Rate.TimeOf(WireLength)
	var arrivals []sluice.Time
	received := 0 // of arrivals
	limit, free := room, sluice.Time(0)
	for tick := sluice.Time(0); ; tick += period {
		heard := tick + fcp + link.Delay
		for int64(len(arrivals)+1)*perPacket <= limit && free < heard {
			free += frame
			arrivals = append(arrivals, free+link.Delay)
		}
		for received < len(arrivals) && arrivals[received] <= tick {
			received++
		}
		if limit < room+int64(received)*perPacket && free < heard {
			free = heard
		}
		limit = room + int64(received)*perPacket
		if tick > until {
			n, _ := slices.BinarySearch(arrivals, until+1)
			return sluice.Bytes(n) * size
		}
	}
}

// TestThroughput: one flow over one link, its rate against a prediction from the definition, and
// against RateFor. Run with -v for the table.
func TestThroughput(t *testing.T) {
	const size = 1030
	t.Log("rate, T_c, buffer: Gb/s measured, predicted; RateFor, and in a row")
	for _, rate := range []sluice.Rate{10 * g, 40 * g, 100 * g, 400 * g} {
		for _, period := range []sluice.Time{
			us, 4096 * sluice.Nanosecond, 13_107_200, 65_536 * sluice.Nanosecond, 100 * us,
		} {
			for _, buffer := range []sluice.Bytes{4 * 1088, 20_000, 65_536, MaxAnnounced, sluice.MB} {
				link := sluice.Link{Rate: rate, Delay: 4 * us}
				w := newWire(t, PortConfig{
					Link: link, Period: period, Buffer: buffer, PeerBuffer: buffer, KeepAlive: sluice.Second,
				}, size, size)
				from, until := 20*(period+10*us), 120*(period+10*us)
				w.run(from)
				before := w.arrived
				w.run(until)
				over := func(n sluice.Bytes) float64 {
					return float64(n) * 8 / (float64(until-from) / float64(sluice.Second))
				}
				got := over(w.arrived - before)
				want := over(
					predicted(link, period, size, buffer, until) - predicted(link, period, size, buffer, from),
				)
				alone, inARow, err := RateFor(link, period, size, buffer)
				require.NoError(t, err)
				t.Logf("%v %v %d: %.2f %.2f; %.2f %.2f", rate, period, buffer, got/1e9, want/1e9,
					float64(alone)/1e9, float64(inARow)/1e9)
				require.InEpsilon(t, want, got, 0.03, "%v, T_c %v, buffer %d", rate, period, buffer)
				require.InEpsilon(t, float64(alone), got, 0.03, "%v, T_c %v, buffer %d", rate, period, buffer)
				require.LessOrEqual(t, inARow, alone)
			}
		}
	}
}

// TestALoopWithinAPeriod: a buffer's worth per T_c and loop is too little to expect. The FCP that
// reports a packet's arrival goes at the next multiple of T_c, whenever in the period the packet
// came: a loop that fits into the period, with the packets that come together, costs nothing beside
// it. One that does not costs another period.
func TestALoopWithinAPeriod(t *testing.T) {
	const size, packets = 1030, 4
	link := sluice.Link{Rate: 40 * g, Delay: 4 * us} // its loop takes 8.22 us
	for _, test := range []struct{ period, per sluice.Time }{
		{10 * us, 10 * us}, {9 * us, 9 * us},
		{8 * us, 2 * 8 * us},
	} {
		w := newWire(t, PortConfig{
			Link: link, Period: test.period, Buffer: packets * 1088, PeerBuffer: packets * 1088,
			KeepAlive: sluice.Second,
		}, size, size)
		w.run(sluice.Millisecond)
		before := w.arrived
		w.run(3 * sluice.Millisecond)
		periods := float64(2*sluice.Millisecond) / float64(test.per)
		got := float64(w.arrived-before) / (periods * packets * size)
		t.Logf("T_c %v: %.3f of a buffer's worth per %v", test.period, got, test.per)
		require.InDelta(t, 1, got, 0.03)
		_, least, err := RateFor(link, test.period, size, packets*1088)
		require.NoError(t, err)
		require.InEpsilon(
			t, float64(packets*size*8)/float64(test.period+loop(link, size))*float64(sluice.Second),
			float64(least), 1e-6,
		)
	}
}

// TestRateForExactly: at 8 Gb/s a byte takes 1 ns, so that the loop is 2,008 ns and a packet.
// Packets of 1,000 bytes take 16 blocks each.
func TestRateForExactly(t *testing.T) {
	link := sluice.Link{Rate: 8 * g, Delay: us}
	loop := 2008 + 1000
	for _, test := range []struct {
		period        sluice.Time
		buffer        sluice.Bytes
		alone, inARow int // bytes, in nanoseconds
		over, overRow int
	}{
		{3008, 1024, 1000, 1000, 3008, 3008 + loop},
		{3007, 1024, 1000, 1000, 2 * 3007, 3007 + loop},         // the loop is a nanosecond too long
		{3009, 2 * 1024, 3000, 2000, 2 * 3009, 3009 + loop},     // the second one misses every other FCP
		{3009, 3*1024 - 1, 3000, 2000, 2 * 3009, 3009 + loop},   // only whole packets count
		{4008, 3 * 1024, 5000, 3000, 2 * 4008, 4008 + loop},     // two are sent before the next limit
		{4008 - 1, 3 * 1024, 4000, 3000, 2 * 4007, 4007 + loop}, // but the second one just
	} {
		alone, inARow, err := RateFor(link, test.period*sluice.Nanosecond, 1000, test.buffer)
		require.NoError(t, err)
		require.Equal(
			t, gbpsOf(test.alone, test.over), alone, "T_c %d ns, buffer %d", test.period, test.buffer,
		)
		require.Equal(
			t, gbpsOf(test.inARow, test.overRow), inARow, "T_c %d ns, buffer %d", test.period, test.buffer,
		)
	}
	alone, inARow, err := RateFor(link, us, 1000, 7*1024)
	require.NoError(t, err)
	require.Equal(
		t, [2]sluice.Rate{8 * g, 8 * g}, [2]sluice.Rate{alone, inARow}, "the rate of the link",
	)
	_, inARow, err = RateFor(link, us, 1000, 3*1024)
	require.NoError(t, err)
	require.Equal(t, gbpsOf(3000, 1000+loop), inARow)

	want, wantRow, err := RateFor(link, link.Rate.TimeOf(65_536), DefaultMTU, MaxAnnounced)
	require.NoError(t, err)
	alone, inARow, err = RateFor(link, 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, [2]sluice.Rate{want, wantRow}, [2]sluice.Rate{alone, inARow}, "the defaults")
	alone, inARow, err = RateFor(link, us, 1000, 1000)
	require.ErrorContains(t, err, "Buffer")
	require.Zero(t, alone+inARow)
}

// gbpsOf is the rate of a number of bytes in a number of nanoseconds.
func gbpsOf(bytes, span int) sluice.Rate {
	return sluice.Rate(float64(bytes) * 8 * 1e12 / (float64(span) * 1000))
}

// TestFullRate: with the buffer that BufferFor asks for, the sender never waits for credit; with
// half of it, it does.
func TestFullRate(t *testing.T) {
	for _, rate := range []sluice.Rate{10 * g, 40 * g, 100 * g} {
		for _, period := range []sluice.Time{us / 2, 2 * us, 5 * us} {
			for _, size := range []sluice.Bytes{1030, 1500, 4096} {
				link := sluice.Link{Rate: rate, Delay: us}
				need, err := BufferFor(link, period, size)
				require.NoError(t, err)
				w := newWire(t, PortConfig{
					Link: link, Period: period, Buffer: need, PeerBuffer: need, KeepAlive: 100 * us,
				}, size, size)
				w.run(sluice.Millisecond)
				require.Zero(t, w.offs, "%v, T_c %v, packets of %d", rate, period, size)
				w = newWire(t, PortConfig{
					Link: link, Period: period, Buffer: need / 2, PeerBuffer: need / 2, KeepAlive: 100 * us,
				}, size, size)
				w.run(sluice.Millisecond)
				require.NotZero(t, w.offs, "half of it does not do")
			}
		}
	}
}

func TestBufferFor(t *testing.T) {
	link := sluice.Link{Rate: 40 * g, Delay: 4 * us}
	need, err := BufferFor(link, 13_107_200, 1030)
	require.NoError(t, err)
	require.InDelta(t, 112_000, int(need), 4000)
	_, err = BufferFor(link, 65_500*sluice.Nanosecond, 1030)
	require.ErrorContains(t, err, "131072 can be announced")
	need, err = BufferFor(sluice.Link{}, us, 1030)
	require.ErrorContains(t, err, "Link.Rate")
	require.Zero(t, need)

	// 2,048 blocks can be announced, and no more: one packet, and 2,047 packets' times of 12.8 ns
	// each. A packet and an FCP on the wire take 14.4 ns of that time.
	const period = 2047*12_800 - 14_400
	need, err = BufferFor(sluice.Link{Rate: 40 * g}, period, 64)
	require.NoError(t, err)
	require.Equal(t, MaxAnnounced, need)
	need, err = BufferFor(sluice.Link{Rate: 40 * g}, period+1, 64)
	require.Error(t, err)
	require.Equal(t, MaxAnnounced+Block, need)
}

// TestBufferForExactly: a period of 10 packets' time, a loop of 2 us, a packet and an FCP, which
// begins one more packet, and a packet that waits for the credit of an MTU: at 40 Gb/s 1,000 bytes
// take 200 ns and 16 blocks.
func TestBufferForExactly(t *testing.T) {
	link := sluice.Link{Rate: 40 * g, Delay: us}
	need, err := BufferFor(link, 2*us, 1000)
	require.NoError(t, err)
	require.Equal(t, (10+10+1+1+1)*16*Block, need)
	link.Delay = us - link.Rate.TimeOf(WireLength)/2
	need, err = BufferFor(link, 2*us, 1000)
	require.NoError(t, err)
	require.Equal(t, (10+10+1+1)*16*Block, need, "the FCP's time fits into the last packet's")
	_, err = BufferFor(link, 2*us, MaxMTU+1)
	require.ErrorContains(t, err, "MTU")
}
