package sim_test

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// One packet of 1,526 B: 122.08 ns and 600 ns on each of two links.
func TestOnePacketTakesSerialisationAndPropagationOfEachLink(t *testing.T) {
	result := run(t, config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460}))
	require.Equal(t, 2*(122080*sluice.Picosecond+delay), result.Flows[0].FCT)
	require.Equal(t, result.Flows[0].Ideal, result.Flows[0].FCT)
	require.EqualValues(t, 4, result.PacketHops, "the packet and its acknowledgement, two links each")
}

// Ten full packets and one of 40 B of payload: alone, the flow takes exactly its ideal time.
func TestFlowAloneTakesItsIdealTime(t *testing.T) {
	result := run(t, config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 10*1460 + 40}))
	require.Equal(t, result.Flows[0].Ideal, result.Flows[0].FCT)
	last := sluice.Time(40+66) * 80
	require.Equal(t, 11*122080*sluice.Picosecond+2*delay+last, result.Flows[0].FCT,
		"all full packets on the first link, one more store-and-forward, then the short last packet")
}

func TestTwoFlowsShareALinkEvenly(t *testing.T) {
	flows := []workload.Flow{{Src: 0, Dst: 2, Bytes: 1460 * 500}, {Src: 1, Dst: 2, Bytes: 1460 * 500}}
	result := run(t, config(star(3), flows...))
	for i := range flows {
		require.InEpsilon(t, 2, result.Flows[i].Slowdown(), 0.05, "flow %d", i)
	}
	require.Zero(t, result.Reordered)
	require.Zero(t, result.Dropped)
}

// With a window of one packet, every packet waits for the acknowledgement of the one before.
func TestWindowLimitsWhatIsInFlight(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 5})
	c.Window = 1460
	result := run(t, c)
	oneWay := 2 * (122080*sluice.Picosecond + delay)
	ack := 2 * (60*80*sluice.Picosecond + delay)
	require.Equal(t, 5*oneWay+4*ack, result.Flows[0].FCT)
}

func TestSameSeedSameResult(t *testing.T) {
	flows := []workload.Flow{
		{Src: 0, Dst: 2, Bytes: 99999}, {Src: 1, Dst: 2, Bytes: 77777, Start: 5},
		{Src: 2, Dst: 0, Bytes: 55555},
	}
	first, second := run(t, config(star(3), flows...)), run(t, config(star(3), flows...))
	first.Wall, second.Wall = 0, 0
	require.Equal(t, first, second)
}

func TestUntilEndsTheRunAndSaysWhatIsLeft(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 100})
	c.Until = 3 * sluice.Microsecond
	result := run(t, c)
	require.Zero(t, result.Completed)
	require.Equal(t, sluice.Never, result.Flows[0].FCT)
	require.Len(t, result.Notes, 1)
	require.Contains(t, result.Notes[0], "1 of 1 flows did not complete")
}

func TestSamplesAddUpToWhatWasDelivered(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 200000},
		workload.Flow{Src: 1, Dst: 2, Bytes: 200000},
	)
	c.SampleEvery = sluice.Microsecond
	c.Until = sluice.Millisecond
	result := run(t, c)
	var sum, peak sluice.Bytes
	for _, sample := range result.Series {
		sum += sample.DeliveredBytes[workload.Incast]
		peak = max(peak, sample.MaxPortBytes)
	}
	require.EqualValues(t, 400000, sum)
	require.LessOrEqual(t, peak, result.MaxPortBytes)
	require.Positive(t, peak)
}

// A run with samples is the run without them, and its series begins when the first flow does.
func TestSamplesChangeNothing(t *testing.T) {
	flows := []workload.Flow{
		{Src: 0, Dst: 2, Bytes: 200_000, Start: 2 * sluice.Second},
		{Src: 1, Dst: 2, Bytes: 300_000, Start: 2 * sluice.Second},
	}
	plain := run(t, config(star(3), flows...))
	c := config(star(3), flows...)
	c.SampleEvery = 7 * sluice.Microsecond
	sampled := run(t, c)
	require.Equal(t, 2*sluice.Second+c.SampleEvery, sampled.Series[0].At)
	require.Equal(t, sampled.Simulated, sampled.Series[len(sampled.Series)-1].At)
	plain.Wall, sampled.Wall, sampled.Series = 0, 0, nil
	require.Equal(t, plain, sampled)
}

// However short the period, memory is bounded, and the result says where samples end.
func TestSamplesAreBounded(t *testing.T) {
	c := config(star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 200_000})
	c.SampleEvery = sluice.Picosecond
	result := run(t, c)
	require.Len(t, result.Series, sim.MaxSamples)
	require.Equal(t, result.Simulated, result.Series[sim.MaxSamples-1].At)
	require.Contains(t, strings.Join(result.Notes, "\n"), "when there were 262144: take fewer of them")
}

// lossy drops every packet of one sequence of enqueues at the hub.
type lossy struct {
	kit.Machine
	countdown int
}

func (l *lossy) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	if l.countdown--; l.countdown == 0 {
		return sluice.DropBecause(sluice.BufferFull)
	}
	return l.Machine.Enqueue(now, port, p)
}

// Go-back-N: "snd_nxt = snd_una" on a NACK; a lost tail is found by the timer.
func TestEveryLossIsRepaired(t *testing.T) {
	const packets = 20
	for lost := 1; lost <= 2*packets; lost++ {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * packets})
		c.RetransmitAfter = 20 * sluice.Microsecond
		build := c.NewMachine
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			m, err := build(node)
			if node == 2 {
				m = &lossy{m, lost}
			}
			return m, err
		}
		result := run(t, c)
		require.Equal(t, 1, result.Completed, "packet %d through the switch lost", lost)
		require.EqualValues(t, 1, result.Dropped)
		require.Equal(t, []sim.DropRecord{
			{At: result.Drops[0].At, Reason: sluice.BufferFull, Packets: 1, First: result.Drops[0].First},
		}, result.Drops)
		require.Zero(t, result.Reordered, "a retransmission is no reordering")
	}
}

func TestGroups(t *testing.T) {
	g := star(4)
	g.Nodes[0].Rack, g.Nodes[1].Rack, g.Nodes[2].Rack, g.Nodes[3].Rack = 0, 0, 1, 1
	flows := []workload.Flow{
		{Src: 2, Dst: 0, Bytes: 500}, {Src: 3, Dst: 0, Bytes: 500}, {Src: 2, Dst: 1, Bytes: 10},
		{Src: 0, Dst: 3, Bytes: 10},
		{Src: 0, Dst: 3, Bytes: 10}, {Src: 1, Dst: 3, Bytes: 10},
	}
	const incast, vulnerable, background = workload.Incast, workload.Vulnerable, workload.Background
	require.Equal(t, []workload.Group{incast, incast, vulnerable, background, background, background},
		sim.Groups(g, flows),
		"two elephants to one host are the incast, not three mice to another")
	flows[5].Group = incast
	require.Equal(t, []workload.Group{background, background, background, incast, incast, incast},
		sim.Groups(g, flows),
		"a flow that says that it is of the incast names the victim")
	flows[0].Group = vulnerable
	require.Equal(t, vulnerable, sim.Groups(g, flows)[0], "a flow knows best")
}

// A result that is kept does not keep the packets, queues and machines of its run.
func TestAResultOutlivesItsSimulator(t *testing.T) {
	s, err := sim.New(config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460}))
	require.NoError(t, err)
	simulator := weak.Make(s)
	result, err := s.Run()
	require.NoError(t, err)
	s = nil
	runtime.GC()
	require.True(t, simulator.Value() == nil)
	require.Equal(t, 1, result.Completed)
}
