package workload_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func nodes(t *testing.T, n int) *topo.Graph {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.NDC(topo.NDCConfig{N: n, K: 1, Links: []sluice.Link{link, link}})
	require.NoError(t, err)
	return g
}

// "In the first stage, all computing servers push their locally computed parameters to the
// parameter server ... In the second stage, after the parameter server receives all the parameters
// ... it sends the updated parameters to all the computing servers" (PortFC, section V-D).
func TestParameterServer(t *testing.T) {
	flows, err := workload.ParameterServer(nodes(t, 4), 5, 8*sluice.MB, 3)
	require.NoError(t, err)
	require.Len(t, flows, 30)
	others := map[sluice.SwitchID]int{}
	for i, f := range flows {
		require.Equal(t, 8*sluice.MB, f.Bytes)
		require.Zero(t, f.Start)
		if i < 15 {
			require.Equal(t, int32(0), f.Stage)
			require.Equal(t, sluice.SwitchID(5), f.Dst)
			others[f.Src]++
		} else {
			require.Equal(t, int32(1), f.Stage)
			require.Equal(t, sluice.SwitchID(5), f.Src)
			others[f.Dst]++
		}
	}
	require.Len(t, others, 15)
	for _, test := range []struct {
		field  string
		server sluice.SwitchID
		bytes  sluice.Bytes
		class  sluice.Class
	}{{"Server", 16, 1, 0}, {"Server", 99, 1, 0}, {"Bytes", 0, 0, 0}, {"Class", 0, 1, 8}} {
		_, err := workload.ParameterServer(nodes(t, 4), test.server, test.bytes, test.class)
		requireField(t, test.field, err)
	}
}

func requireField(t *testing.T, field string, err error) {
	t.Helper()
	var c *sluice.ConfigError
	require.True(t, errors.As(err, &c), "%s: %v", field, err)
	require.Equal(t, field, c.Field)
}

func moe() workload.MoEConfig {
	return workload.MoEConfig{
		Seed: 1, Tokens: 2048, TokenBytes: 7 * sluice.KiB, TopK: 2, Skew: 1, Batches: 8,
		Every: sluice.Microsecond, Class: 3,
	}
}

// Every token goes to TopK different experts, so that no expert has more than all tokens; what was
// dispatched comes back; the i-th expert is chosen in proportion to 1/i.
func TestMoE(t *testing.T) {
	c := moe()
	flows, err := workload.MoE(nodes(t, 4), c)
	require.NoError(t, err)
	half := len(flows) / 2
	received := map[sluice.SwitchID]sluice.Bytes{}
	var sum sluice.Bytes
	for i, f := range flows[:half] {
		back := flows[half+i]
		require.Equal(t, f.Bytes, back.Bytes)
		require.Equal(t, [2]sluice.SwitchID{f.Src, f.Dst}, [2]sluice.SwitchID{back.Dst, back.Src})
		require.Equal(t, [2]int32{0, 1}, [2]int32{f.Stage, back.Stage})
		require.NotEqual(t, f.Src, f.Dst)
		require.Zero(t, f.Bytes%c.TokenBytes)
		require.Equal(t, f.Start, back.Start)
		received[f.Dst] += f.Bytes
		sum += f.Bytes
	}
	require.InEpsilon(
		t, float64(16*2048*2*c.TokenBytes)*15/16, float64(sum), 0.01, "a 16th stays at home",
	)
	var most, least sluice.Bytes = 0, 1 << 60
	for _, n := range received {
		most, least = max(most, n), min(least, n)
		require.LessOrEqual(t, n, 15*2048*c.TokenBytes)
	}
	// Of two draws without replacement, the first expert of 16 is in 0.51, the last in 0.039.
	require.InDelta(t, 13, float64(most)/float64(least), 2)

	again, err := workload.MoE(nodes(t, 4), c)
	require.NoError(t, err)
	require.Equal(t, flows, again)
	c.Seed = 2
	again, err = workload.MoE(nodes(t, 4), c)
	require.NoError(t, err)
	require.NotEqual(t, flows, again)

	c = moe()
	c.Skew, c.TopK, c.Batches = 0, 16, 1
	flows, err = workload.MoE(nodes(t, 4), c)
	require.NoError(t, err)
	require.Len(t, flows, 2*16*15, "every token goes to every expert")
	for _, f := range flows {
		require.Equal(t, 2048*c.TokenBytes, f.Bytes)
	}
}

func TestMoEErrors(t *testing.T) {
	for _, test := range []struct {
		field  string
		change func(*workload.MoEConfig)
	}{
		{"Tokens", func(c *workload.MoEConfig) { c.Tokens = 0 }},
		{"TokenBytes", func(c *workload.MoEConfig) { c.TokenBytes = 0 }},
		{"TokenBytes", func(c *workload.MoEConfig) { c.TokenBytes = 1 << 40 }},
		{"TopK", func(c *workload.MoEConfig) { c.TopK = 17 }},
		{"Skew", func(c *workload.MoEConfig) { c.Skew = -1 }},
		{"Batches", func(c *workload.MoEConfig) { c.Batches = 0 }},
		{"Batches", func(c *workload.MoEConfig) { c.Batches = 2049 }},
		{"Every", func(c *workload.MoEConfig) { c.Every = -1 }},
		{"Class", func(c *workload.MoEConfig) { c.Class = 8 }},
	} {
		c := moe()
		test.change(&c)
		_, err := workload.MoE(nodes(t, 4), c)
		requireField(t, test.field, err)
	}
}
