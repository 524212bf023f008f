package bfc

import (
	"math"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/conformance"
)

func mustNew(t require.TestingT, c Config) *Switch {
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// drawConfig draws a small switch with every option.
func drawConfig(t *rapid.T) Config {
	c := drawOptions(t)
	for range rapid.IntRange(1, 4).Draw(t, "ports") {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{
				Rate: rapid.SampledFrom([]sluice.Rate{100 * sluice.Gbps, 10 * sluice.Gbps, 3}).Draw(t, "rate"),
				Delay: rapid.SampledFrom([]sluice.Time{
					sluice.Microsecond, 100 * sluice.Nanosecond, 0,
				}).Draw(t, "delay"),
			},
			HRTT:           rapid.SampledFrom([]sluice.Time{0, 0, 3 * sluice.Microsecond}).Draw(t, "HRTT"),
			UpstreamQueues: rapid.SampledFrom([]int{0, 1, 4, 70}).Draw(t, "upstream queues"),
		})
	}
	c.Signalling = Signalling(rapid.IntRange(0, int(numSignallings)-1).Draw(t, "signalling"))
	if c.Signalling != Transitions {
		c.Expiry = rapid.SampledFrom([]sluice.Time{
			0, NoExpiry, 3 * sluice.Microsecond,
		}).Draw(t, "expiry")
	}
	c.Buffer = rapid.SampledFrom([]sluice.Bytes{0, 0, 20 * sluice.KB}).Draw(t, "buffer")
	for range rapid.IntRange(0, 2).Draw(t, "withheld") {
		port := rapid.IntRange(0, len(c.Ports)-1)
		c.Withhold = append(
			c.Withhold, Pair{sluice.PortID(port.Draw(t, "ingress")), sluice.PortID(port.Draw(t, "egress"))},
		)
	}
	return c
}

// drawOptions draws what does not depend on ports, and cannot lose packets.
func drawOptions(t *rapid.T) Config {
	c := Config{
		Queues:          rapid.SampledFrom([]int{1, 2, 3, 8, 70}).Draw(t, "queues"),
		VFIDs:           rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "VFIDs"),
		Ideal:           rapid.Bool().Draw(t, "ideal"),
		Seed:            rapid.Uint64().Draw(t, "seed"),
		Assignment:      Assignment(rapid.IntRange(0, int(numAssignments)-1).Draw(t, "assignment")),
		Overflow:        Overflow(rapid.IntRange(0, int(numOverflows)-1).Draw(t, "overflow")),
		AssignPaused:    rapid.Bool().Draw(t, "assign paused"),
		AssignForgotten: rapid.Bool().Draw(t, "assign forgotten"),
		Sticky: rapid.SampledFrom([]sluice.Time{
			0, NoSticky, 10 * sluice.Microsecond,
		}).Draw(t, "sticky"),
		Factor: rapid.SampledFrom([]sluice.Ratio{
			{}, {Num: 3, Den: 2}, {Num: 1, Den: 10}, {Num: 1, Den: 3},
		}).Draw(t, "factor"),
		CountLonePackets: rapid.Bool().Draw(t, "count lone packets"),
		FirstPacketQueue: rapid.Bool().Draw(t, "first-packet queue"),
		Classes:          rapid.SampledFrom(classSets).Draw(t, "classes"),
		ResumeLimit:      rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "resume limit"),
		IdleBitmaps:      rapid.SampledFrom([]int{0, -1, 2}).Draw(t, "idle bitmaps"),
		QueuesPerFrame:   rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "queues per frame"),
		Scheduler:        Scheduler(rapid.IntRange(0, int(numSchedulers)-1).Draw(t, "scheduler")),
		Quantum:          rapid.SampledFrom([]sluice.Bytes{0, 500}).Draw(t, "quantum"),
		MAC:              sluice.MAC{2, 0, 0, 0, 0, 1},
		Index:            Index(rapid.IntRange(0, int(numIndexes)-1).Draw(t, "index")),
	}
	// Options that exclude each other are not together.
	if c.Assignment == LastFreed {
		c.Ideal, c.AssignPaused = false, true
	}
	if c.Ideal || c.AssignPaused {
		c.AssignForgotten = false
	}
	if c.Ideal {
		c.Index = SpreadHash
	}
	if c.Index == LowBits {
		c.VFIDs = powerOfTwo(c.VFIDs)
		c.Queues = powerOfTwo(c.Queues)
	}
	return c
}

// powerOfTwo returns the largest power of two that is not above n; 0 for 0.
func powerOfTwo(n int) int {
	for n&(n-1) != 0 {
		n &= n - 1
	}
	return n
}

var classSets = []sluice.ClassSet{0, 0, 0x7f, 1, sluice.NoClasses}

// drawFrame draws a frame that an enemy might send to a device with the given number of queues.
func drawFrame(t *rapid.T, queues int) Frame {
	f := Frame{
		Type:     Type(rapid.IntRange(int(Pause), int(Bitmap)).Draw(t, "type")),
		Sequence: conformance.DrawSequence(t),
	}
	queue := rapid.OneOf(
		rapid.IntRange(0, queues), rapid.IntRange(0, queues), rapid.IntRange(0, math.MaxUint16),
	)
	if f.Type != Bitmap {
		f.Count = uint16(rapid.IntRange(1, MaxListed).Draw(t, "count"))
		for i := range f.Listed() {
			f.Queues[i] = sluice.QueueID(queue.Draw(t, "queue"))
		}
		return f
	}
	f.Count = uint16(rapid.OneOf(
		rapid.Just(queues), rapid.IntRange(1, MaxUpstreamQueues),
	).Draw(t, "covered"))
	for w := range (f.Covered() + 63) / 64 {
		f.Bits[w] = rapid.Uint64().Draw(t, "bits")
	}
	return f
}
