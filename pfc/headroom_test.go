package pfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// ofBytes is what HeadroomFor comes to in a switch of bytes instead of cells, without delays of its
// own and on a wire without gaps: the annex, the pause frame, and the packet that crosses the
// threshold.
func ofBytes(
	rate sluice.Rate, cable sluice.Time, mtu sluice.Bytes, reaction sluice.Quanta,
) sluice.Bytes {
	return chassis.Add(annex(rate, cable, mtu, reaction), max(0, mtu)+WireLength)
}

// TestHeadroomExamples: frames of 1,518 bytes, 5 ns a metre.
func TestHeadroomExamples(t *testing.T) {
	for _, test := range []struct {
		rate   sluice.Rate
		metres int
		want   sluice.Bytes
	}{
		{10 * sluice.Gbps, 100, 1_250 + 3_036 + 67*64},
		{40 * sluice.Gbps, 100, 5_000 + 3_036 + 7_552},
		{100 * sluice.Gbps, 100, 12_500 + 3_036 + 25_216},
		{100 * sluice.Gbps, 300, 37_500 + 3_036 + 25_216},
	} {
		require.Equal(
			t,
			test.want,
			annex(test.rate, Cable(test.metres), 1518, Reaction(test.rate)),
		)
	}
	require.Equal(t, sluice.Bytes(8_126), annex(10*sluice.Gbps, Cable(100), 1518, 60))
	require.Equal(t, sluice.Bytes(65_752), annex(100*sluice.Gbps, Cable(300), 1518, 394))
	require.Equal(t, sluice.Bytes(65_752+1518+84), ofBytes(100*sluice.Gbps, Cable(300), 1518, 394))
}

// TestReaction: the quanta of 802.3 clause 31B.3.7, and what lies between and beyond.
func TestReaction(t *testing.T) {
	for _, test := range []struct {
		rate sluice.Rate
		want sluice.Quanta
	}{
		{sluice.Gbps, 2}, {10 * sluice.Gbps, 67}, {20 * sluice.Gbps, 80}, {25 * sluice.Gbps, 80},
		{40 * sluice.Gbps, 118},
		{50 * sluice.Gbps, 147}, {100 * sluice.Gbps, 394}, {200 * sluice.Gbps, 453},
		{400 * sluice.Gbps, 905},
		{800 * sluice.Gbps, 1810}, {1600 * sluice.Gbps, 3620}, {0, 2}, {1 << 62, 65535},
	} {
		require.Equal(t, test.want, Reaction(test.rate), "%v", test.rate)
	}
}

func TestHeadroomOfNothing(t *testing.T) {
	require.Zero(t, annex(0, -5, -5, 0))
	require.Equal(t, WireLength, ofBytes(0, 0, -1, 0))
	require.Equal(t, sluice.Bytes(1<<63-1), annex(1<<62, sluice.Never, 1500, 60))
	require.Equal(t, sluice.Bytes(1<<63-1), ofBytes(1<<62, sluice.Never, 1500, 60))
	require.Zero(t, Cable(-1))
	require.Equal(t, 5*sluice.Nanosecond, Cable(1))
	require.Equal(t, 5*sluice.Nanosecond*math.MaxInt32, Cable(math.MaxInt32))
	if uint64(math.MaxInt) > math.MaxInt32 {
		require.Equal(t, sluice.Never, Cable(math.MaxInt))
		longest := sluice.Never / (5 * sluice.Nanosecond)
		require.Equal(t, longest*5*sluice.Nanosecond, Cable(int(longest)))
		require.Equal(t, sluice.Never, Cable(int(longest+1)))
	}
}

// worstLink is a link on which everything goes as badly as the standard lets it. All is in bytes at
// the link's rate: a byte takes 80 ps at 100 Gb/s.
type worstLink struct {
	cable    sluice.Bytes // one way
	own      sluice.Bytes // frame of ours that begins as the pause is decided
	frame    sluice.Bytes // the pause on the wire
	reaction sluice.Bytes
	packet   func(i int) sluice.Bytes // sizes of what the peer sends, back to back
}

const worstByte = 80 * sluice.Picosecond

// run sends from the peer into port 0 for an egress that never sends, until the peer has stopped:
// it begins no packet later than the last instant the pause allows.
func (w *worstLink) run(t require.TestingT, port PortConfig) ClassCounters {
	port.Link.Rate = 100 * sluice.Gbps
	s, err := New(
		Config{Ports: []PortConfig{port, port}, Buffer: 64 * sluice.MiB, Classes: sluice.MakeClassSet(3)},
	)
	require.NoError(t, err)
	begin, stop := sluice.Bytes(0), sluice.Bytes(1<<40)
	for i := 0; begin <= stop; i++ {
		size := w.packet(i)
		arrival := begin + size + w.cable
		p := sluice.Packet{Size: size, Class: 3, Ingress: 0}
		v := s.Port(1).Enqueue(sluice.Time(arrival)*worstByte, &p)
		if port, ok := v.Wake().Port(); ok {
			var f Frame
			require.True(t, s.Port(port).PollFrame(0, &f))
			stop = arrival + w.own + w.frame + w.cable + w.reaction
		}
		begin += size
	}
	require.NoError(t, s.Audit())
	return s.Port(0).Counters().Class[3]
}

// requireExact fails unless the port's headroom is filled and a byte less loses a packet.
func (w *worstLink) requireExact(t *testing.T, port PortConfig) {
	t.Helper()
	c := w.run(t, port)
	require.Equal(t, port.Headroom, c.HeadroomPeak)
	require.Zero(t, c.HeadroomDrops)
	port.Headroom--
	c = w.run(t, port)
	require.Equal(t, uint64(1), c.HeadroomDrops)
	require.Equal(t, sluice.Bytes(1), c.HeadroomMissing)
}

// TestAnnexHeadroomIsReachedExactly drives the worst case to the bound: the packet that reaches
// X_off ends as a frame of ours begins, the wire is full both ways, the peer takes all of its
// reaction and begins its largest frame at the very end. The bound holds and not a byte of it is
// left; a byte less loses a packet.
func TestAnnexHeadroomIsReachedExactly(t *testing.T) {
	const mtu, quanta = 1518, 394
	// 2 cable + own + reaction is a whole number of packets.
	link := worstLink{
		cable:    6367,
		own:      mtu,
		reaction: quanta * 64,
		packet:   func(int) sluice.Bytes { return mtu },
	}
	require.Zero(t, (2*link.cable+link.own+link.reaction)%mtu)
	bound := annex(100*sluice.Gbps, sluice.Time(link.cable)*worstByte, mtu, quanta)

	port := PortConfig{Profile: Profile{XOff: 20 * mtu, XOn: 10 * mtu, Headroom: bound}}
	link.requireExact(t, port)
}

// TestHeadroomIsReachedExactly: the same with the pause frame's time on the wire, and a packet that
// crosses X_off with a byte less than it has.
func TestHeadroomIsReachedExactly(t *testing.T) {
	const mtu, quanta = 1518, 394
	link := worstLink{
		cable:    6325,
		own:      mtu,
		frame:    WireLength,
		reaction: quanta * 64,
		packet:   func(int) sluice.Bytes { return mtu },
	}
	require.Zero(t, (2*link.cable+link.own+link.frame+link.reaction)%mtu)
	bound := ofBytes(100*sluice.Gbps, sluice.Time(link.cable)*worstByte, mtu, quanta)

	port := PortConfig{Profile: Profile{XOff: 20*mtu + 1, XOn: 10 * mtu, Headroom: bound}}
	link.requireExact(t, port)
}

// TestHeadroomIsNeverExceeded, by any link, threshold and mix of packets.
func TestHeadroomIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mtu := sluice.Bytes(rapid.IntRange(64, 9216).Draw(t, "mtu"))
		quanta := sluice.Quanta(rapid.IntRange(0, 905).Draw(t, "quanta"))
		sizes := rapid.SliceOfN(rapid.IntRange(1, int(mtu)), 1, 20).Draw(t, "sizes")
		link := worstLink{
			cable:    sluice.Bytes(rapid.IntRange(0, 40_000).Draw(t, "cable")),
			own:      sluice.Bytes(rapid.IntRange(0, int(mtu)).Draw(t, "own")),
			frame:    WireLength,
			reaction: sluice.Bytes(rapid.IntRange(0, int(quanta)*64).Draw(t, "reaction")),
			packet: func(i int) sluice.Bytes {
				if i%3 == 0 {
					return mtu
				}
				return sluice.Bytes(sizes[i%len(sizes)])
			},
		}
		bound := ofBytes(100*sluice.Gbps, sluice.Time(link.cable)*worstByte, mtu, quanta)
		port := PortConfig{
			Profile: Profile{
				Reserve:  sluice.Bytes(rapid.IntRange(0, 5000).Draw(t, "reserve")),
				Headroom: bound,
			},
		}
		if rapid.Bool().Draw(t, "static") {
			port.XOff = port.Reserve + sluice.Bytes(rapid.IntRange(1, 50_000).Draw(t, "XOff"))
			port.XOn = port.Reserve
		} else {
			port.Alpha = ratio(1, int64(rapid.IntRange(500, 5000).Draw(t, "1/alpha")))
		}
		c := link.run(t, port)
		if c.HeadroomDrops > 0 || c.HeadroomPeak > bound || c.XOffs != 1 {
			t.Fatalf("%+v beyond %d", c, bound)
		}
	})
}
