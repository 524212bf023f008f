package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestShares: thresholds in two steps, as Spectrum-4 has them (sonic-mgmt, qos_sai_base.py). A port
// may take P times the free bytes of a pool of S, and a group alpha times the rest of the port's
// part: the first group x holds alpha*(P*(S-x)-x) at its pause, alpha*P*S/(1+alpha+alpha*P) of it.
// The second has the rest of both. A group of another port finds its own port empty, and a smaller
// pool.
func TestShares(t *testing.T) {
	const pool = 30_000
	config := func(shares bool) Config {
		c := Config{Buffer: pool, Classes: sluice.MakeClassSet(3, 4)}
		for range 3 {
			p := PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}}
			p.Profile = Profile{Alpha: sluice.Ratio{Num: 1, Den: 1}, ResumeOffset: ResumeAtThreshold}
			p.QoS = &qos.Port{Shares: shares, Ingress: []qos.Limit{{Alpha: sluice.Ratio{Num: 1, Den: 1}}}}
			c.Ports = append(c.Ports, p)
		}
		return c
	}
	pauses := func(s *Switch, in sluice.PortID, class sluice.Class) (packets int) {
		for packets = 0; !s.Port(in).Paused().Has(class); packets++ {
			v := s.Port(2).Enqueue(0, &sluice.Packet{Ingress: in, Class: class, Size: 100})
			require.Equal(t, sluice.Append, v.Action())
		}
		return packets
	}
	made := func(shares bool) *Switch {
		s, err := New(config(shares))
		require.NoError(t, err)
		return s
	}
	s := made(true)
	require.EqualValues(t, pool, s.Port(0).Threshold(3))
	require.Equal(t, 100, pauses(s, 0, 3), "a third: 30,000/(1+1+1)")
	require.EqualValues(t, 10_000, s.Port(0).Threshold(4), "20,000 free, 10,000 taken")
	require.Equal(t, 34, pauses(s, 0, 4), "a third of that")
	packet := sluice.Packet{Ingress: 0, Class: 4, Size: 100}
	require.Equal(t, sluice.Transmit, s.Port(2).Dequeue(0, 4, &packet).Action())
	require.False(t, s.Port(0).Paused().Has(4), "resumes by the same threshold")
	require.True(t, s.Port(0).Paused().Has(3))
	require.Equal(t, 1, pauses(s, 0, 4))
	require.Equal(t, 56, pauses(s, 1, 3), "a third of 16,600, of the pool alone")
	require.Zero(t, s.Port(0).Threshold(4), "11,000 free, 13,400 taken")

	require.Equal(t, 150, pauses(made(false), 0, 3), "half: alpha/(1+alpha)")
}
