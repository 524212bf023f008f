package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// TestVariantErrors: an error names the field, the value and the rule; the last values that keep
// the rule are taken.
func TestVariantErrors(t *testing.T) {
	guard := func(num, den int64) func(*Config) {
		return func(c *Config) { c.Variant.Guard = ratio(num, den) }
	}
	lower := func(n sluice.Bytes) func(*Config) { return func(c *Config) { c.Variant.Lower = n } }
	xOff := func(n sluice.Bytes) func(*Config) {
		return func(c *Config) {
			c.Ports = c.Ports[:2]
			for i := range c.Ports {
				c.Ports[i].XOff, c.Ports[i].XOn = n, 0
			}
		}
	}
	for _, good := range []func(*Config){
		guard(1, 1), guard(16, 1), guard(32, 2), lower(75_000), xOff(1), xOff(1<<27 - 1),
	} {
		variantOf(t, trigger.CAPFC, good)
	}
	for want, bad := range map[string]func(*Config){
		"Variant.Lower = -1B: " + ruleLimit:               lower(-1),
		"Variant.Lower = 75001B: must be at most every":   lower(75_001),
		"Variant.Guard = 17: must be 1 to 16":             guard(17, 1),
		"Variant.Guard = 1/2: must be 1 to 16":            guard(1, 2),
		"Variant.Guard = 2097152/1048577: must be 1 to":   guard(1<<21, 1<<20+1),
		"Ports[0].XOff = 128MiB: must be given, at most ": xOff(1 << 27),
	} {
		c := variantOf(t, trigger.CAPFC).Config()
		bad(&c)
		_, err := New(c)
		require.ErrorContains(t, err, "pfc: Config."+want)
	}
}

// TestCAPFCNeedsBoth: a long egress queue pauses no ingress that is below X_off (OFC, section
// IV-A4). What arrives while an ingress is paused does not pause it anew.
func TestCAPFCNeedsBoth(t *testing.T) {
	s := variantOf(t, trigger.CAPFC, func(c *Config) { c.Variant.Egress = 68_000 })
	require.False(t, load(t, s, 0, 2, 3, 74_000))
	require.False(t, load(t, s, 0, 1, 3, 1000), "1,000 of 75,000")
	require.True(t, load(t, s, 0, 2, 3, 1000))
	load(t, s, 0, 2, 3, 5000)
	require.EqualValues(t, 1, s.Counters().Class[3].XOffs)
}

// TestGuardOfAVariant: at Guard times X_off, reserve included, an ingress pauses whatever the
// egress queues hold.
func TestGuardOfAVariant(t *testing.T) {
	for _, kind := range []trigger.Kind{trigger.CAPFC, trigger.PPFC} {
		s := variantOf(t, kind, func(c *Config) {
			c.Variant.Egress, c.Variant.Guard = 1<<20, ratio(3, 2)
			for i := range c.Ports {
				c.Ports[i].Reserve = 1000
			}
		})
		load(t, s, 3, 3, 0, 70_000)
		load(t, s, 3, 3, 1, 70_000)
		load(t, s, 3, 2, 1, 70_000) // port 3 is busier than the mean
		require.False(t, load(t, s, 0, 1, 3, 40_000))
		require.False(t, load(t, s, 1, 1, 3, 40_000))
		require.False(t, load(t, s, 2, 1, 3, 32_499), "a byte below 112,500")
		require.True(t, load(t, s, 2, 1, 3, 1))
	}
}

// TestPPFCAtTheMean: an egress that holds the mean of all, to the byte, is as busy as P-PFC needs.
func TestPPFCAtTheMean(t *testing.T) {
	s := variantOf(t, trigger.PPFC)
	for egress := range sluice.PortID(3) {
		require.False(t, load(t, s, egress, 1, 3, 18_750))
	}
	require.False(t, load(t, s, 3, 1, 3, 18_749))
	require.True(t, load(t, s, 3, 1, 3, 1), "75,000, a quarter of it at each port")
}

// TestFramesOfGFC: one for each stage that an ingress enters, upwards or downwards, and none where
// the peer is sent no pauses of the class. Down to X_on to the byte it stays in the first stage.
func TestFramesOfGFC(t *testing.T) {
	s := variantOf(t, trigger.GFC)
	stage := func() (sluice.Quanta, bool) {
		var f Frame
		polled := s.Port(1).PollFrame(0, &f)
		return f.Time[3], polled
	}
	expect := func(want sluice.Quanta) {
		t.Helper()
		got, polled := stage()
		require.True(t, polled && got == want, "stage %d, polled %t", got, polled)
		_, polled = stage()
		require.False(t, polled)
	}
	load(t, s, 0, 1, 3, 45_000)
	expect(1)
	load(t, s, 0, 1, 3, 14_000)
	_, polled := stage()
	require.False(t, polled, "59,000 is the same stage")
	load(t, s, 0, 1, 3, 1000)
	expect(2)
	unload(t, s, 0, 1, 3, 15_000)
	expect(1)
	require.Equal(t, sluice.MakeClassSet(3), s.Port(1).Paused(), "45,000")
	unload(t, s, 0, 1, 3, 1000)
	expect(0)

	s = variantOf(t, trigger.GFC, func(c *Config) { c.Ports[1].Sends = sluice.MakeClassSet(4) })
	load(t, s, 0, 1, 3, 60_000)
	_, polled = stage()
	require.False(t, polled)
}

// TestResumesOfVariants: what leaves an ingress that is not paused resumes nothing.
func TestResumesOfVariants(t *testing.T) {
	for kind := trigger.CAPFC; kind < trigger.Kinds; kind++ {
		s := variantOf(t, kind)
		load(t, s, 0, 1, 3, 3000)
		unload(t, s, 0, 1, 3, 3000)
		require.Zero(t, s.Counters().Class[3].XOns, kind)
	}
}

// TestTerabytes: without a limit of the buffer, more is held than any buffer has.
func TestTerabytes(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Buffer = 0
		c.Ports[1].XOff, c.Ports[1].XOn = MaxBuffer, MaxBuffer
	}))
	packet := sluice.Packet{Size: sluice.MaxPacket, Class: 3, Ingress: 1}
	for range 1500 {
		require.Equal(t, sluice.Append, k.s.Port(0).Enqueue(0, &packet).Action())
	}
	require.Equal(t, 1500*sluice.MaxPacket, k.s.Port(0).Backlog(3))
	require.NoError(t, k.s.Audit())
}
