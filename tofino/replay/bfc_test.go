package replay_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

// realisedBFC is a switch of so many ports as the chip can run it.
func realisedBFC(ports, queues int) bfc.Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	c := bfc.Config{Queues: queues, VFIDs: 1024, MAC: [6]byte{2, 0, 0, 0, 0, 9}}
	for range ports {
		c.Ports = append(c.Ports, bfc.PortConfig{Link: link})
	}
	c, _, err := tofino.RealiseBFC(c)
	if err != nil {
		panic(err)
	}
	return c
}

// programOf is the program of a switch that sends what is for 10.0.port.1 by that port.
func programOf(
	machine bfc.Config, depth tofino.DepthSource, unit chip.DepthUnit,
) (*tofino.BFC, []netip.Addr, error) {
	c := tofino.BFCConfig{Machine: machine, Depth: depth, Unit: unit}
	var routes []netip.Addr
	for at := range machine.Ports {
		port, err := chip.NewDevPort(0, 1+at/4, at%4*2)
		if err != nil {
			return nil, nil, err
		}
		address := netip.AddrFrom4([4]byte{10, 0, byte(at), 1})
		c.Ports, routes = append(c.Ports, port), append(routes, address)
		c.Routes = append(c.Routes, tofino.Route{Port: sluice.PortID(at), To: netip.PrefixFrom(address, 32)})
	}
	made, err := tofino.NewBFC(c)
	return made, routes, err
}

// tapOf hangs the program of a configuration on its machine.
func tapOf(machine bfc.Config, depth tofino.DepthSource) (*replay.Tap, error) {
	made, routes, err := programOf(machine, depth, 0)
	if err != nil {
		return nil, err
	}
	c, err := replay.BFC(made, routes)
	if err != nil {
		return nil, err
	}
	return replay.New(c)
}

// A story: packets of a flow go over the threshold, pause the queue that they came from, and
// resume it when the last has left; frames of the next device hold queues.
func TestBFCStory(t *testing.T) {
	tap, err := tapOf(realisedBFC(4, 8), tofino.Notices)
	require.NoError(t, err)
	var held []*sluice.Packet
	var queue sluice.QueueID
	for at := range 200 {
		p := &sluice.Packet{Flow: 0xBEEF, Size: 1500, Ingress: 1, UpstreamQueue: 3}
		v := tap.Enqueue(sluice.Time(at)*sluice.Nanosecond, 2, p)
		require.Equal(t, sluice.Append, v.Action())
		queue = v.Queue()
		held = append(held, p)
		require.NoError(t, tap.Err())
	}
	_, kind, ok := tap.PollFrame(0, 1, nil)
	require.True(t, ok)
	assert.Equal(t, "pause", kind)
	frame := bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 1, Queues: [bfc.MaxListed]sluice.QueueID{queue}}
	_, err = tap.Receive(0, 2, frame.AppendTo(nil))
	require.NoError(t, err)
	require.NoError(t, tap.Check())
	frame.Type, frame.Sequence = bfc.Resume, 2
	_, err = tap.Receive(0, 2, frame.AppendTo(nil))
	require.NoError(t, err)
	for at, p := range held {
		q, ok := tap.Next(0, 2)
		require.True(t, ok)
		tap.Dequeue(sluice.Time(1000+at)*sluice.Nanosecond, 2, q, p)
		require.NoError(t, tap.Err())
	}
	_, kind, ok = tap.PollFrame(0, 1, nil)
	require.True(t, ok)
	assert.Equal(t, "resume", kind)
	require.NoError(t, tap.Check())
	assert.Empty(t, tap.Stats().LeftOut)
}
