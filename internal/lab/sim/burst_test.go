package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// TestUnsafeHeadroomLosesTheBurst: a port of less headroom than HeadroomFor, which Shortages calls
// unsafe, loses a packet, the last one, of the burst that PortConfig.Burst names, from a peer that
// obeys as late as it may, while a frame of the port's own has just begun. With as much headroom as
// that burst needs it loses no packet, and with a byte less it loses one.
func TestUnsafeHeadroomLosesTheBurst(t *testing.T) {
	unsafe := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBurst(t)
		needed := b.port.HeadroomFor(b.mtu, b.cell).Total
		headroom := needed - sluice.Bytes(rapid.IntRange(1, int(needed)).Draw(t, "too little"))
		if rapid.Bool().Draw(t, "just a byte") {
			headroom = needed - 1
		}
		frames := b.port.Burst(b.mtu, b.cell, headroom)
		need := frames[len(frames)-1].Headroom
		require.Equal(t, uint64(1), b.lost(t, frames, headroom))
		require.Equal(t, uint64(1), b.lost(t, frames, need-1))
		require.Zero(t, b.lost(t, frames, need))
		require.Zero(t, b.lost(t, frames, needed))
		unsafe++
	})
	t.Logf("%d unsafe configurations", unsafe)
}

// burst is a port whose peer is host 0, behind which host 1 takes nothing and host 2 sends what
// delays the pause. Nothing in the simulator takes the time of a transceiver or of a gap.
type burst struct {
	port      pfc.PortConfig
	mtu, cell sluice.Bytes
}

func drawBurst(t *rapid.T) *burst {
	rates := []sluice.Rate{10, 25, 40, 50, 100, 200, 400, 800}
	b := &burst{
		mtu:  sluice.Bytes(rapid.SampledFrom([]int{100, 1000, 1518, 4200, 9216}).Draw(t, "mtu")),
		cell: sluice.Bytes(rapid.SampledFrom([]int{1, 1, 64, 80, 127, 208, 254}).Draw(t, "cell")),
	}
	b.port.Link = sluice.Link{
		Rate:  rapid.SampledFrom(rates).Draw(t, "Gb/s") * sluice.Gbps,
		Delay: pfc.Cable(rapid.IntRange(0, 300).Draw(t, "metres")),
	}
	b.port.MTU = sluice.Bytes(rapid.SampledFrom([]int{0, 0, 9216}).Draw(t, "MTU of all classes"))
	b.port.Reaction = sluice.Quanta(rapid.SampledFrom([]int{0, 0, 1, 67, 152}).Draw(t, "reaction"))
	return b
}

// lost runs the burst and returns how many packets the port lost because headroom was full.
func (b *burst) lost(t *rapid.T, frames []pfc.BurstFrame, headroom sluice.Bytes) uint64 {
	rate, delay := b.port.Link.Rate, b.port.Link.Delay
	const far = 20 * sluice.Microsecond // of host 2's link
	begin := 2*far + delay
	const before = 1 // the packet behind which the pause waits comes a picosecond before the decision
	decision := begin + rate.TimeOf(frames[0].Size) + delay
	own := max(b.mtu, b.port.MTU)
	filler := max(b.cell, pfc.MinimumFrame)

	g := &topo.Graph{Name: "burst", Nodes: make([]topo.Node, 4)}
	g.Nodes[3].Tier = 1
	g.Connect(0, 3, b.port.Link)
	g.Connect(1, 3, sluice.Link{Rate: sluice.Gbps, Delay: delay})
	g.Connect(2, 3, sluice.Link{Rate: rate, Delay: far})
	flow := func(
		src, dst sluice.SwitchID, class sluice.Class, size sluice.Bytes, start sluice.Time,
	) workload.Flow {
		return workload.Flow{Src: src, Dst: dst, Class: class, Bytes: size - 1, Start: start}
	}
	flows := []workload.Flow{
		flow(0, 1, 3, filler, 0), flow(2, 0, 0, own, decision-far-rate.TimeOf(own)-before),
	}
	for i, f := range frames {
		one := flow(0, 1, 3, f.Size, begin)
		one.DstPort = uint16(i)
		flows = append(flows, one)
	}
	window := rate.TimeOf(b.port.HeadroomFor(b.mtu, b.cell).Window)
	s := b.newSwitch(t, headroom, filler)
	c := config(g, flows...)
	c.Payload, c.Header, c.AckSize, c.AckClass, c.NoticeClass = 1<<16, 1, 64, 0, 0
	c.Until = decision + 2*window + 10*sluice.Microsecond
	var peer *late
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		if node == 3 {
			return kit.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s), nil
		}
		card, err := kit.WrapNew(pfc.New(pfc.HostConfig(g.Nodes[node].Ports[0].Link)))
		if node == 0 {
			// The times of frames are rounded up to a picosecond each.
			peer = &late{Machine: card, obeysAt: decision + window - delay + 5, at: sluice.Never}
			return peer, err
		}
		return card, err
	}
	simulator, err := sim.New(c)
	require.NoError(t, err)
	_, err = simulator.Run()
	require.NoError(t, err)
	require.NoError(t, s.Audit())
	in := s.Port(0).Counters()
	if len(frames) > 1 {
		require.NotZero(t, in.Class[3].PausesSent, "the first frame crosses the threshold")
		require.GreaterOrEqual(t, peer.told, decision-before+rate.TimeOf(own)+delay,
			"behind a frame of ours")
		require.LessOrEqual(t, peer.told, peer.obeysAt)
	}
	require.EqualValues(t, len(frames)+1, in.Class[3].Received+in.Class[3].HeadroomDrops)
	return in.Class[3].HeadroomDrops
}

// newSwitch returns the switch, of whose ports the one to host 1 is held for long.
func (b *burst) newSwitch(t *rapid.T, headroom, filler sluice.Bytes) *pfc.Switch {
	port := b.port
	port.Headroom, port.XOff, port.XOn = headroom, (filler+b.cell-1)/b.cell*b.cell+1, 1
	c := pfc.Config{
		Ports: []pfc.PortConfig{port, port, port}, CellSize: b.cell, Classes: sluice.MakeClassSet(3),
	}
	c.Ports[1].Link.Rate = sluice.Gbps
	s, err := pfc.New(c)
	require.NoError(t, err)
	s.Port(1).Receive(0, &pfc.Frame{
		Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(3), Time: [8]sluice.Quanta{3: 65535},
	})
	return s
}

// late is a card that obeys a frame not before a time.
type late struct {
	kit.Machine
	obeysAt, at sluice.Time // at: Never, or when it obeys the frame
	told        sluice.Time // when the first frame came
	frame       []byte
}

func (l *late) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	if l.told == 0 {
		l.told = now
	}
	if now >= l.obeysAt {
		return l.Machine.Receive(now, port, frame)
	}
	l.at, l.frame = l.obeysAt, append([]byte(nil), frame...)
	return sluice.WakeDeadline, nil
}

func (l *late) Deadline() sluice.Time { return min(l.at, l.Machine.Deadline()) }

func (l *late) Expire(now sluice.Time) sluice.Wake {
	wake := l.Machine.Expire(now)
	if l.at <= now {
		l.at = sluice.Never
		held, err := l.Machine.Receive(now, 0, l.frame)
		if err != nil {
			panic(err)
		}
		wake = wake.Merge(held)
	}
	return wake
}
