package replay_test

import (
	"net/netip"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// realisedBFC is a switch with these ports and queues as the chip can run it.
func realisedBFC(ports, queues int) bfc.Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	c := bfc.Config{Queues: queues, VFIDs: 1024, MAC: sluice.MAC{2, 0, 0, 0, 0, 9}}
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
	c := tofino.BFCConfig{Machine: machine, Site: tofino.Site{Depth: depth, Unit: unit}}
	var routes []netip.Addr
	for at := range machine.Ports {
		port, err := chip.NewDevPort(0, 1+at/4, at%4*2)
		if err != nil {
			return nil, nil, err
		}
		address := netip.AddrFrom4([4]byte{10, 0, byte(at), 1})
		c.Ports, routes = append(c.Ports, port), append(routes, address)
		c.Routes = append(
			c.Routes, tofino.Route{Port: sluice.PortID(at), To: netip.PrefixFrom(address, 32)},
		)
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

// What the program cannot be shown, or is documented to refuse, is left out by its reason.
func TestBFCLeavesOut(t *testing.T) {
	tap, err := tapOf(realisedBFC(2, 4), tofino.Notices)
	require.NoError(t, err)
	tap.Enqueue(0, 0, &sluice.Packet{Size: 1<<16 + 100})
	tap.Enqueue(0, 0, &sluice.Packet{Size: 100, Ingress: sluice.Local})
	several := bfc.Frame{
		Type: bfc.Pause, Sequence: 1, Count: 2, Queues: [bfc.MaxListed]sluice.QueueID{1, 2},
	}
	bitmap := bfc.Frame{Type: bfc.Bitmap, Sequence: 2, Count: 4}
	for _, frame := range [][]byte{several.AppendTo(nil), bitmap.AppendTo(nil), make([]byte, 61)} {
		tap.Receive(0, 0, frame)
	}
	_, err = tap.Receive(0, 1, make([]byte, 60))
	assert.Error(t, err, "and the program drops it too")
	require.NoError(t, tap.Err())
	assert.Equal(t, map[string]uint64{"of a length that no IP packet has": 1,
		"from no port of the chip": 1,
		"frame of several queues":  1, "bitmap": 1,
		"longer than a frame, which only the machine sees": 1},
		tap.Stats().LeftOut)
}

// What registers hold beside every decision is compared too: a fault in them that has not decided
// anything yet is found, and the register is named.
func TestBFCRegistersAreCompared(t *testing.T) {
	for register, index := range map[string]int{"active": 1, "packets": 3, "length": 2, "paused": 1,
		"counter": 5, "free_top": 0, "free_id": 1, "listed": 6} {
		made, routes, err := programOf(realisedBFC(2, 4), tofino.Notices, 0)
		require.NoError(t, err)
		for _, r := range made.Program.Registers {
			if r.Name == register {
				entry := ir.RegisterEntry{Register: r, Index: index, Value: [2]uint32{9 & (1<<r.Bits - 1)}}
				if register == "listed" {
					entry.Value[0] = 0
				}
				made.Config.Registers = append(made.Config.Registers, entry)
			}
		}
		config, err := replay.BFC(made, routes)
		require.NoError(t, err)
		tap, err := replay.New(config)
		require.NoError(t, err)
		assert.ErrorContains(
			t, tap.Check(), "register "+register+"["+strconv.Itoa(index)+"]: the machine",
		)
	}
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
	frame := bfc.Frame{
		Type: bfc.Pause, Sequence: 1, Count: 1, Queues: [bfc.MaxListed]sluice.QueueID{queue},
	}
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

// A machine uses the latest time that it has seen, but bytes that are no frame count as Malformed
// and leave its clock ([bfc.Port.ReceiveWire]). So the departure after them is at 10 us, in the
// program too, and at 1 ms the flow's sticky time is over.
func TestBFCRefusedFramesLeaveTheClock(t *testing.T) {
	tap, err := tapOf(realisedBFC(2, 8), tofino.Notices)
	require.NoError(t, err)
	const departure = 10 * sluice.Microsecond
	arrives := func(now sluice.Time, flow uint64) sluice.QueueID {
		v := tap.Enqueue(now, 0, &sluice.Packet{Flow: flow, Size: 1000, Ingress: 1})
		require.Equal(t, sluice.Append, v.Action())
		return v.Queue()
	}
	first := &sluice.Packet{Flow: 1, Size: 1000, Ingress: 1}
	queue := tap.Enqueue(0, 0, first).Queue()
	_, err = tap.Receive(sluice.Millisecond, 0, nil)
	require.Error(t, err)
	tap.Dequeue(departure, 0, queue, first)
	require.Equal(t, queue, arrives(departure, 2), "the one freed last")

	require.NotEqual(t, queue, arrives(sluice.Millisecond, 1), "its sticky time is over")
	require.NoError(t, tap.Check())

	frame := bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 1}
	_, err = tap.Receive(2*sluice.Millisecond, 0, frame.AppendTo(nil))
	require.NoError(t, err, "and a frame that is obeyed moves both clocks")
	second := &sluice.Packet{Flow: 3, Size: 1000, Ingress: 1}
	q := tap.Enqueue(departure, 0, second).Queue()
	tap.Dequeue(departure, 0, q, second)
	require.Equal(t, q, arrives(departure, 4))
	require.Equal(t, q, arrives(2*sluice.Millisecond, 3), "it left at 2 ms")
	require.NoError(t, tap.Check())
}
