package pfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// markedAt returns the share of marked packets among packets that leave a queue of q bytes behind.
func markedAt(t *testing.T, m sluice.Marking, seed uint64, q, packets int) float64 {
	config := Config{
		Ports:   []PortConfig{{Link: sluice.Link{Rate: 100 * sluice.Gbps}}},
		Buffer:  sluice.GiB,
		Seed:    seed,
		Classes: sluice.NoClasses,
	}
	config.Ports[0].ECN[2] = m
	s, err := New(config)
	require.NoError(t, err)
	port := s.Port(0)
	standing := sluice.Packet{Size: sluice.Bytes(q), Class: 2, Ingress: 0}
	if q > 0 {
		port.Enqueue(0, &standing)
	}
	marked := 0
	for range packets {
		p := sluice.Packet{Size: 1000, Class: 2, Ingress: 0, ECN: sluice.ECT0}
		port.Enqueue(0, &p)
		if port.Dequeue(0, 2, &p).Mark() == sluice.CE {
			marked++
		}
	}
	require.Equal(t, uint64(marked), port.Counters().Class[2].Marked)
	return float64(marked) / float64(packets)
}

// TestMarkingRamp: as in HPCC's ns-3 code (ShouldSendCN), by the bytes that a packet leaves behind
// in its queue, with its values at 100 Gb/s: certainly above KMax, with PMax*(q-KMin)/(KMax-KMin)
// above KMin.
func TestMarkingRamp(t *testing.T) {
	m := sluice.Marking{KMin: 400 * sluice.KB, KMax: 1600 * sluice.KB, PMax: ratio(1, 5)}
	const n = 40_000
	for _, test := range []struct {
		q    int
		want float64
	}{
		{0, 0}, {400_000, 0}, {700_000, 0.05}, {1_000_000, 0.1}, {1_600_000, 0.2}, {1_600_001, 1},
	} {
		got := markedAt(t, m, 7, test.q, n)
		deviation := 5 * math.Sqrt(test.want*(1-test.want)/n)
		require.InDelta(t, test.want, got, deviation, "q = %d", test.q)
	}
}

// TestMarkingOfTheShortestRamp: one of two draws at the middle of a ramp of two bytes.
func TestMarkingOfTheShortestRamp(t *testing.T) {
	m := sluice.Marking{KMin: 10, KMax: 12, PMax: ratio(1, 1)}
	require.InDelta(t, 0.5, markedAt(t, m, 5, 11, 10_000), 5*math.Sqrt(0.25/10_000))
}

// TestStepMarking: KMin = KMax is DCTCP's K, without a draw.
func TestStepMarking(t *testing.T) {
	m := sluice.Marking{KMin: 30_000, KMax: 30_000}
	require.Zero(t, markedAt(t, m, 1, 30_000, 100))
	require.Equal(t, 1.0, markedAt(t, m, 1, 30_001, 100))
}

// TestSeed: the same seed marks the same packets, another one others.
func TestSeed(t *testing.T) {
	pattern := func(seed uint64, port int) (marks []bool) {
		config := Config{
			Ports:   make([]PortConfig, 2),
			Buffer:  sluice.MiB,
			Seed:    seed,
			Classes: sluice.NoClasses,
		}
		for i := range config.Ports {
			config.Ports[i].Link.Rate = 1
			config.Ports[i].ECN[0] = sluice.Marking{KMin: 0, KMax: 2000, PMax: ratio(1, 1)}
		}
		s, err := New(config)
		require.NoError(t, err)
		p := sluice.Packet{Size: 1000, ECN: sluice.ECT1}
		s.Port(sluice.PortID(port)).Enqueue(0, &p)
		for range 64 {
			s.Port(sluice.PortID(port)).Enqueue(0, &p)
			marks = append(marks, s.Port(sluice.PortID(port)).Dequeue(0, 0, &p).Mark() == sluice.CE)
		}
		return marks
	}
	require.Equal(t, pattern(1, 0), pattern(1, 0))
	require.NotEqual(t, pattern(1, 0), pattern(2, 0))
	require.NotEqual(t, pattern(1, 0), pattern(1, 1), "ports draw on their own")
}

// TestCodePoints: only ECN-capable packets are marked, and CE stays (RFC 3168 section 5).
func TestCodePoints(t *testing.T) {
	config := Config{
		Ports:   []PortConfig{{Link: sluice.Link{Rate: 1}}},
		Buffer:  sluice.MiB,
		Classes: sluice.NoClasses,
	}
	config.Ports[0].ECN[0] = sluice.Marking{KMin: 10, KMax: 10}
	k := newBench(t, config)
	for _, ecn := range []sluice.ECN{sluice.NotECT, sluice.ECT0, sluice.ECT1, sluice.CE, sluice.ECT0} {
		k.enqueuePacket(0, sluice.Packet{Size: 1000, ECN: ecn})
	}
	for _, want := range []sluice.ECN{sluice.NotECT, sluice.CE, sluice.CE, sluice.CE, sluice.ECT0} {
		_, v, _ := k.send(0)
		require.Equal(t, sluice.TransmitMarked(want), v)
	}
	require.Equal(t, uint64(2), k.s.Counters().Class[0].Marked)
}

// TestPortsMarkByTheirOwn: neighbours that mark alike share what was worked out for them. A port
// that differs marks by its own configuration.
func TestPortsMarkByTheirOwn(t *testing.T) {
	config := lossless34(4, func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].ECN[0] = sluice.Marking{KMin: 1500, KMax: 1500}
		}
		c.Ports[2].ECN[0] = sluice.Marking{KMin: 500, KMax: 500}
	})
	k := newBench(t, config)
	for port, want := range []sluice.ECN{sluice.ECT0, sluice.ECT0, sluice.CE, sluice.ECT0} {
		for range 2 {
			k.enqueuePacket(sluice.PortID(port), sluice.Packet{Size: 1000, ECN: sluice.ECT0})
		}
		_, v, _ := k.send(sluice.PortID(port))
		require.Equal(t, want, v.Mark(), "port %d", port)
	}
	require.Same(t, k.s.ports[0].state.marks, k.s.ports[1].state.marks)
}

// TestBytesOfMarkedPackets: what is sent counts, marked or not.
func TestBytesOfMarkedPackets(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Ports[0].ECN[0] = sluice.Marking{KMin: 1500, KMax: 1500}
	}))
	for range 4 {
		k.enqueuePacket(0, sluice.Packet{Size: 1000, Ingress: 1, ECN: sluice.ECT0})
	}
	k.drain(0)
	c := k.s.Port(0).Counters()
	require.EqualValues(t, 4, c.Transmitted)
	require.EqualValues(t, 2, c.Class[0].Marked)
	require.EqualValues(t, 4000, c.Class[0].TransmittedBytes)
}
