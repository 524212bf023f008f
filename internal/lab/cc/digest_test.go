package cc

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// digest runs a kind through inputs of all sorts and returns a hash of every rate, and of alpha,
// utilisation and gradient to the last bit.
func digest(t *testing.T, kind *Kind) uint64 {
	c, err := New(defaults(t, kind))
	require.NoError(t, err)
	const flows = 4
	for i := range int32(flows) {
		c.Start(0, i, []sluice.Rate{40, 100}[i%2]*sluice.Gbps)
	}
	point, err := configured(t, QCN, "").CongestionPoint(3)
	require.NoError(t, err)
	random := prng.New(uint64(slices.Index(kinds, kind)))
	hash := fnv.New64a()
	add := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		hash.Write(b[:])
	}
	now := sluice.Time(0)
	sent := int32(1)
	var telemetry INT
	for range 3 {
		telemetry.Stamp(INTHop{Rate: 100 * sluice.Gbps})
	}
	for range 20_000 {
		now += sluice.Time(random.Below(uint64(3 * us)))
		i := int32(random.Below(flows))
		for h := range telemetry.N {
			hop := &telemetry.Hops[h]
			hop.Time = now
			hop.Sent += sluice.Bytes(random.Below(20_000))
			hop.Queue = sluice.Bytes(random.Below(300_000))
		}
		queue := sluice.Bytes(random.Below(120_000))
		c.Sent(now, i, 1048)
		n := Notice{Mark: sluice.CE}
		if random.Below(50) == 0 {
			n.Mark = sluice.UE
		}
		feedback, _ := point.Arrive(1048*12, queue)
		n.Feedback = feedback
		if kind == PCN {
			n.RecRate = uint32(random.Below(20_000))
			n.Mark = []sluice.ECN{sluice.CE, sluice.NotECT}[random.Below(2)]
		}
		if random.Below(100) < 3 || kind == QCN && feedback > 0 {
			c.Notice(now, i, n)
		}
		sent++
		s := Sample{
			Acked: sent - int32(random.Below(20)), Sent: sent, Telemetry: &telemetry,
			RTT: 30*us + sluice.Time(random.Below(uint64(100*us))),
		}
		if random.Below(10) == 0 {
			s.Mark = sluice.CE
		}
		c.Ack(now, i, &s)
		add(uint64(c.Rate(now, i)))
		add(uint64(c.Changes(i)))
		add(uint64(c.Ready(now, i)))
		add(math.Float64bits(c.internal(i)))
	}
	require.NotZero(t, map[bool]uint64{true: 1, false: c.Counters().Decreases}[kind == None])
	return hash.Sum64()
}

// internal returns the number by which a control decides.
func (c *Control) internal(i int32) float64 {
	switch k := c.law.(type) {
	case *dcqcn:
		return k.state[i].alpha
	case *dcqcnHPCC:
		return k.state[i].alpha
	case *timely:
		return k.state[i].difference
	case *timelyPCN:
		return k.state[i].difference + k.state[i].rate
	case *hpcc:
		return k.state[i].u
	case *dctcp:
		return k.state[i].alpha
	case *pcnLaw:
		return float64(k.state[i].reaction.Weight())
	}
	return 0
}

// TestDigest: the same bits on every platform. .ci/platforms runs it for 386, and for amd64 v1 and
// v3: from v3 on the compiler fuses x*y+z.
func TestDigest(t *testing.T) {
	want := map[*Kind]uint64{
		None:      0x162500e20f96b4cd,
		DCQCN:     0xe6091c920b214e01,
		DCQCNHPCC: 0xcba4ec73795cd48c,
		Timely:    0x676d5fde120c95dd,
		TimelyPCN: 0x872dccd165fd2b8b,
		HPCC:      0x252bf30f31d2a7de,
		QCN:       0xe60a8005eb84e25d,
		DCTCP:     0x789a2fffe274e0d7,
		DCQCNTCD:  0xf814d07af2c844b4,
		TimelyTCD: 0xcee4cf93ced3c96b,
		IBCC:      0x41fc558ce2d4fe16,
		IBCCTCD:   0xb62fc87cfd919adf,
		PCN:       0xd04638b73e9d41,
	}
	for _, kind := range kinds {
		got := digest(t, kind)
		assert.Equal(t, want[kind], got, "%v: %#x", kind, got)
	}
}
