package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	simulated "github.com/sluicefc/sluice/kit/network"
)

// TestSimulator: a C program has the events that Go has, to the picosecond, and what it may not do
// is refused with a text.
func TestSimulator(t *testing.T) {
	depth.Need(t, "C", "cc")
	out, err := exec.Command(compile(t, "testdata/simulator.c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	var b strings.Builder
	n, err := simulated.New(simulated.Config{Topology: "5 2 4\n3 4\n0 3 100Gbps 1us 0\n" +
		"1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n",
		Protocol: "pyrrha", Settings: []string{"cc=dcqcn,loss=1/50"}, Seed: 1})
	require.NoError(t, err)
	send := func(src sluice.SwitchID, step uint64) {
		_, err := n.Send(src, (src+1)%3, 100_000, step)
		require.NoError(t, err)
	}
	for rank := range sluice.SwitchID(3) {
		send(rank, 1)
	}
	require.NoError(t, n.Schedule(5*sluice.Microsecond, 77))
	for {
		e, ok, err := n.Next(sluice.Never)
		require.NoError(t, err)
		if !ok {
			break
		}
		fmt.Fprintf(&b, "%d kind %d tag %d", e.At, e.Kind, e.Tag)
		if e.Kind != simulated.Timer {
			fmt.Fprintf(&b, " message %d %d->%d after %d", e.Message, e.Src, e.Dst, e.At-e.Start)
		}
		fmt.Fprintln(&b)
		if e.Kind == simulated.Arrived && e.Tag < 4 {
			send(e.Dst, e.Tag+1)
		}
	}
	fmt.Fprintf(&b, "0, at %d, under way 0\n", n.Now())
	c := n.Counters()
	require.True(t, c.LostOnWire > 0 && c.Timeouts > 0, "%+v", c)
	fmt.Fprintf(&b, "%d dropped, %d lost, %d reordered, %d marked, %d timeouts, %d frames, "+
		"%d transmissions\n", c.Dropped, c.LostOnWire, c.Reordered, c.Marked, c.Timeouts,
		c.ControlFrames, c.PacketHops)
	refused, err := os.ReadFile("testdata/simulator.txt")
	require.NoError(t, err)
	require.Equal(t, b.String()+string(refused), string(out))
}
