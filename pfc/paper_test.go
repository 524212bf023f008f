package pfc

import (
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// hpcc is a switch with the constants of the ns-3 code of HPCC: reserve 4 KiB, resume offset 3 KiB,
// alpha 1/8, headroom three one-way bandwidth-delay products.
func hpcc(ports int, rate sluice.Rate, delay sluice.Time, buffer sluice.Bytes) Config {
	config := Config{Buffer: buffer, Classes: sluice.MakeClassSet(3)}
	for range ports {
		config.Ports = append(config.Ports, PortConfig{
			Link: sluice.Link{Rate: rate, Delay: delay},
			Profile: Profile{
				Alpha:        ratio(1, 8),
				ResumeOffset: 3 * sluice.KiB,
				Reserve:      4 * sluice.KiB,
				Headroom:     3 * rate.BytesIn(delay),
			},
		})
	}
	return config
}

// TestThresholdOfHPCC: 32 ports at 100 Gb/s, 1 us, 32 MiB.
func TestThresholdOfHPCC(t *testing.T) {
	config := hpcc(32, 100*sluice.Gbps, sluice.Microsecond, 32*sluice.MiB)
	require.Equal(t, sluice.Bytes(37_500), config.Ports[0].Headroom)
	k := newBench(t, config)
	// (33,554,432 - 32 * 37,500 - 32 * 4,096) >> 3
	require.Equal(t, sluice.Bytes(4_027_920), k.s.Port(0).Threshold(3))
	require.Equal(t, sluice.Bytes(4_027_920+4096), k.s.Port(0).XOff(3))
	require.Equal(t, sluice.Bytes(4_027_920+4096-3072), k.s.Port(0).XOn(3))
	require.Equal(t, sluice.Bytes(32_223_360), k.s.Pool())
	require.Zero(t, k.s.Port(0).Threshold(2), "class 2 is not lossless")
}

// TestOneClassSetApart: the ns-3 codes sum headroom and reserve over ports, for one class each.
func TestOneClassSetApart(t *testing.T) {
	config := hpcc(32, 100*sluice.Gbps, sluice.Microsecond, 32*sluice.MiB)
	config.Classes = sluice.MakeClassSet(1, 2, 3, 4, 5, 6, 7)
	config.ReservedClasses = 1
	require.Equal(t, sluice.Bytes(4_027_920), newBench(t, config).s.Port(0).Threshold(3))
	config.ReservedClasses = 0
	require.Equal(
		t,
		sluice.Bytes((33_554_432-7*32*(37_500+4096))/8),
		newBench(t, config).s.Port(0).Threshold(3),
	)
}

// TestAlphaOfFasterPorts: the ns-3 codes double alpha for every halving that brings a port's rate
// down to the network cards': an uplink of four times the rate has four times the alpha.
func TestAlphaOfFasterPorts(t *testing.T) {
	for _, test := range []struct {
		rate sluice.Rate
		want sluice.Ratio
	}{
		{25 * sluice.Gbps, ratio(1, 8)},
		{100 * sluice.Gbps, ratio(1, 8)},
		{101 * sluice.Gbps, ratio(1, 4)},
		{200 * sluice.Gbps, ratio(1, 4)},
		{400 * sluice.Gbps, ratio(1, 2)},
		{800 * sluice.Gbps, ratio(1, 1)},
		{1600 * sluice.Gbps, ratio(2, 1)},
	} {
		require.Equal(t, test.want, ScaleAlpha(ratio(1, 8), test.rate, 100*sluice.Gbps), "%v", test.rate)
	}
	require.Equal(t, ratio(2, 3), ScaleAlpha(ratio(1, 3), 2*sluice.Gbps, sluice.Gbps))
	require.Equal(t, ratio(1, 3), ScaleAlpha(ratio(1, 3), 2*sluice.Gbps, 0))
	require.Equal(
		t,
		ratio(sluice.MaxRatio, 1),
		ScaleAlpha(ratio(sluice.MaxRatio, 1), 2*sluice.Gbps, sluice.Gbps),
	)
}

// TestPauseAboveOneThresholdResumeBelowAnother: an ingress queue longer than X_off pauses the
// upstream device, and resumes it when it has drained below X_on (PCN, section 2.1; PortFC, section
// II).
func TestPauseAboveOneThresholdResumeBelowAnother(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps},
		Profile: Profile{XOff: 10_000, XOn: 4_000, Headroom: 5_000},
	}
	k := newBench(
		t,
		Config{
			Ports:   []PortConfig{port, port, port},
			Buffer:  sluice.MiB,
			Classes: sluice.MakeClassSet(3, 4),
		},
	)
	for range 9 {
		k.enqueue(0, 1, 3, 1000)
	}
	require.Empty(t, k.take())
	k.enqueue(2, 1, 3, 1000) // the ingress counts, wherever its packets wait
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused())

	k.enqueue(0, 2, 3, 1000) // another ingress
	k.enqueue(0, 1, 4, 1000) // another class
	require.Empty(t, k.take())

	for range 5 {
		k.drainOne(0, 3)
	}
	require.Equal(t, sluice.Bytes(5000), k.s.Port(1).IngressBytes(3))
	require.Empty(t, k.take())
	k.drainOne(2, 3)
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
	require.Zero(t, k.s.Port(1).Paused())
}

// drainOne sends one packet of a class.
func (k *bench) drainOne(out sluice.PortID, class sluice.Class) {
	k.t.Helper()
	for {
		p, _, ok := k.send(out)
		require.True(k.t, ok)
		if p.Class == class {
			return
		}
	}
}

// TestAccounting follows one account byte by byte through the rules of SwitchMmu, HPCC's ns-3 code
// (CheckIngressAdmission, UpdateIngressAdmission, RemoveFromIngressAdmission, CheckShouldPause,
// CheckShouldResume).
func TestAccounting(t *testing.T) {
	config := Config{Buffer: 20_000, Classes: sluice.MakeClassSet(3)}
	for range 2 {
		config.Ports = append(config.Ports, PortConfig{
			Link:    sluice.Link{Rate: 100 * sluice.Gbps},
			Profile: Profile{Alpha: ratio(1, 2), Reserve: 1000, ResumeOffset: 500, Headroom: 4000},
		})
	}
	k := newBench(t, config)
	in := k.s.Port(1)
	require.Equal(t, sluice.Bytes(10_000), k.s.Pool())
	require.Equal(t, sluice.Bytes(5_000), in.Threshold(3))

	// Up to the reserve, the pool is untouched.
	k.enqueue(0, 1, 3, 1000)
	require.Equal(t, sluice.Bytes(10_000), k.s.Free())
	// Bytes beyond the reserve are taken of the pool.
	k.enqueue(0, 1, 3, 1500)
	require.Equal(t, sluice.Bytes(8_500), k.s.Free())
	require.Equal(t, sluice.Bytes(4_250), in.Threshold(3))
	k.enqueue(0, 1, 3, 1500)
	require.Equal(t, sluice.Bytes(7_000), k.s.Free())
	require.Empty(t, k.take())
	// S = 3000, T = 3500. A packet that would make S more than T goes to the headroom, all of it.
	k.enqueue(0, 1, 3, 600)
	require.Equal(t, sluice.Bytes(600), in.HeadroomBytes(3))
	require.Equal(t, sluice.Bytes(4_600), in.IngressBytes(3))
	require.Equal(t, sluice.Bytes(7_000), k.s.Free())
	// A pause goes out if headroom is in use or S >= T.
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
	// A packet that fits T again goes to the pool although headroom is in use.
	k.enqueue(0, 1, 3, 100)
	require.Equal(t, sluice.Bytes(600), in.HeadroomBytes(3))
	require.Equal(t, sluice.Bytes(6_900), k.s.Free())
	// A packet is dropped if it fits neither the headroom nor, with S, T.
	require.Equal(t, sluice.AppendToQueue(3), k.enqueue(0, 1, 3, 3400))
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 1, 3, 1500))
	c := in.Counters().Class[3]
	require.Equal(t, sluice.Bytes(4000), c.HeadroomPeak)
	require.Equal(t, sluice.Bytes(1500), c.HeadroomMissing)
	require.Equal(t, uint64(1), c.HeadroomDrops)
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Dropped[sluice.HeadroomExhausted])

	// The headroom empties first.
	k.send(0) // 1000
	require.Equal(t, sluice.Bytes(3_000), in.HeadroomBytes(3))
	require.Equal(t, sluice.Bytes(6_900), k.s.Free())
	k.send(0) // 1500
	k.send(0) // 1500: the last of the headroom
	require.Zero(t, in.HeadroomBytes(3))
	require.Equal(t, sluice.Bytes(4_100), in.IngressBytes(3))
	require.Empty(t, k.take(), "S + offset = 3600 is above T = 3450")
	// A resume goes out when no headroom is in use and S + offset <= T.
	k.send(0) // 600
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
	require.Equal(t, 2, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestPauseAtExactlyT: S >= T pauses, S + offset <= T resumes, and a byte less does neither. With
// powers of two and other ratios.
func TestPauseAtExactlyT(t *testing.T) {
	const pool = 1_000_000
	for _, alpha := range []sluice.Ratio{
		ratio(1, 64), ratio(1, 8), ratio(1, 1), ratio(4, 1), ratio(1, 3), ratio(2, 7), ratio(9, 8),
	} {
		threshold := func(s int64) int64 { return (pool - s) * alpha.Num / alpha.Den }
		const offset = 700
		port := PortConfig{
			Link:    sluice.Link{Rate: 100 * sluice.Gbps},
			Profile: Profile{Alpha: alpha, ResumeOffset: offset, Headroom: 3000},
		}
		k := newBench(
			t,
			Config{Ports: []PortConfig{port, port}, Buffer: pool + 6000, Classes: sluice.MakeClassSet(3)},
		)
		require.Equal(t, sluice.Bytes(pool), k.s.Pool())

		xOff := sort.Search(pool, func(s int) bool { return int64(s) >= threshold(int64(s)) })
		xOn := sort.Search(pool, func(s int) bool { return int64(s)+offset > threshold(int64(s)) }) - 1
		k.enqueue(0, 1, 3, xOn)
		k.enqueue(0, 1, 3, 1)
		k.enqueue(0, 1, 3, xOff-xOn-2)
		require.Empty(t, k.take(), "%v: S = %d", alpha, xOff-1)
		k.enqueue(0, 1, 3, 1)
		require.Len(t, k.take(), 1, "%v: S = %d", alpha, xOff)

		// The machine counts bytes: a queue of other sizes and the same sum will do.
		k.queues[[2]int{0, 3}] = []sluice.Packet{
			{Size: sluice.Bytes(xOff - xOn - 2), Class: 3, Ingress: 1},
			{Size: 1, Class: 3, Ingress: 1},
			{Size: 1, Class: 3, Ingress: 1},
			{Size: sluice.Bytes(xOn), Class: 3, Ingress: 1},
		}
		k.send(0)
		k.send(0)
		require.Empty(t, k.take(), "%v: S = %d", alpha, xOn+1)
		k.send(0)
		require.Len(t, k.take(), 1, "%v: S = %d", alpha, xOn)
	}
}

// TestDropTail: a switch without lossless classes drops where the buffer is full; one queue may
// have all of it.
func TestDropTail(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}}
	k := newBench(
		t,
		Config{Ports: []PortConfig{port, port}, Buffer: 10_000, Classes: sluice.NoClasses},
	)
	for range 10 {
		require.Equal(t, sluice.AppendToQueue(2), k.enqueue(0, 1, 2, 1000))
	}
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), k.enqueue(0, 1, 2, 1))
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), k.enqueue(1, 1, 0, 1))
	require.Equal(t, 10, k.drain(0))
	require.NoError(t, k.s.Quiescent())
	require.Empty(t, k.take())
	c := k.s.Counters()
	require.Equal(t, uint64(2), c.Dropped[sluice.BufferFull])
	require.Equal(t, sluice.Bytes(10_000), c.BufferPeak)
	require.Equal(t, sluice.Bytes(10_000), c.Class[2].BacklogPeak)
}

// TestDynamicThresholdOfLossyQueues: a queue may grow to alpha times what is free, so that one
// alone settles at alpha/(1+alpha) of the pool (Choudhury and Hahne).
func TestDynamicThresholdOfLossyQueues(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}, LossyAlpha: ratio(2, 1)}
	k := newBench(
		t,
		Config{Ports: []PortConfig{port, port}, Buffer: 30_000, Classes: sluice.NoClasses},
	)
	for k.enqueue(0, 1, 0, 100).Action() == sluice.Append {
	}
	// The packet that takes q to x sees x - 100 taken: x <= 2 (30,000 - (x - 100)).
	require.Equal(t, sluice.Bytes(20_000), k.s.Port(0).Backlog(0))
	for k.enqueue(1, 0, 5, 100).Action() == sluice.Append {
	}
	require.Equal(t, sluice.Bytes(6_700), k.s.Port(1).Backlog(5))
}

// TestPoolIsNeverOverrun: with a constant threshold above what is left, the headroom takes it.
func TestPoolIsNeverOverrun(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps},
		Profile: Profile{XOff: 8_000, XOn: 8_000, Headroom: 1_500},
	}
	k := newBench(
		t,
		Config{Ports: []PortConfig{port, port, port}, Buffer: 14_500, Classes: sluice.MakeClassSet(3)},
	)
	for range 7 {
		k.enqueue(0, 1, 3, 1000)
	}
	require.Equal(t, sluice.Bytes(3_000), k.s.Free())
	for range 3 {
		k.enqueue(0, 2, 3, 1000)
	}
	require.Empty(t, k.take())
	k.enqueue(0, 2, 3, 1000)
	require.Equal(t, []sent{{2, pauseOf(DefaultPause, 3)}}, k.take())
	require.Equal(t, sluice.Bytes(1000), k.s.Port(2).HeadroomBytes(3))
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 2, 3, 1000))
}
