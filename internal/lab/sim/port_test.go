package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// discarding is a machine that drops one head instead of sending it, as a watchdog does.
type discarding struct {
	kit.Machine
	countdown int
}

func (d *discarding) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := d.Machine.Dequeue(now, port, q, p)
	if d.countdown--; d.countdown == 0 {
		return sluice.DropBecause(sluice.WatchdogDrop).WithWake(v.Wake())
	}
	return v
}

// The next packet goes in the same instant.
func TestAHeadThatIsDroppedMakesRoomForTheNext(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 1460 * 10},
		workload.Flow{Src: 1, Dst: 2, Bytes: 1460 * 10},
	)
	c.RetransmitAfter = 100 * sluice.Microsecond
	at(&c, 3, func(m kit.Machine) kit.Machine { return &discarding{m, 5} })
	var leaves []sluice.Time
	watch(&c, 3, func(now sluice.Time, port sluice.PortID, _ *sluice.Packet) {
		if port == 2 {
			leaves = append(leaves, now)
		}
	})
	result := run(t, c)
	require.Equal(t, []sim.DropRecord{{
		At: sluice.Hop{Switch: 3, Port: result.Drops[0].At.Port}, Reason: sluice.WatchdogDrop, Packets: 1,
		First: result.Drops[0].First,
	}}, result.Drops)
	for i := 1; i < 10; i++ {
		require.Equal(t, 122080*sluice.Picosecond, leaves[i]-leaves[i-1], "the link was idle")
	}
}

// moving puts every packet into queue 0 and moves it from there to queue 1, from which it leaves.
type moving struct {
	kit.Machine
	packets [2]map[sluice.PortID]int
}

func newMoving(m kit.Machine) *moving {
	return &moving{m, [2]map[sluice.PortID]int{{}, {}}}
}

func (m *moving) Queues() int { return 2 }

func (m *moving) Enqueue(_ sluice.Time, port sluice.PortID, _ *sluice.Packet) sluice.Verdict {
	m.packets[0][port]++
	return sluice.AppendToQueue(0)
}

func (m *moving) Next(_ sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if m.packets[0][port] > 0 {
		return 0, true
	}
	return 1, m.packets[1][port] > 0
}

func (m *moving) Dequeue(
	_ sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	m.packets[q][port]--
	if q == 1 {
		return sluice.TransmitMarked(p.ECN)
	}
	m.packets[1][port]++
	return sluice.AppendToQueue(1)
}

// Append moves a packet to the tail of another queue, and the port then asks Next again.
func TestMovesTakeNoTimeAndKeepTheOrder(t *testing.T) {
	flows := []workload.Flow{{Src: 0, Dst: 2, Bytes: 1460 * 50}, {Src: 1, Dst: 2, Bytes: 1460 * 50}}
	c := config(star(3), flows...)
	stamps := map[sluice.QueueID]int{}
	at(&c, 3, func(m kit.Machine) kit.Machine { return newMoving(m) })
	at(&c, 0, func(m kit.Machine) kit.Machine { return newMoving(m) })
	c.Inspect = func(s *sim.Simulator) error {
		s.Buffered(3, func(_ sluice.PortID, q sluice.QueueID, _ *sluice.Packet) { stamps[q]++ })
		return nil
	}
	result := run(t, c)
	require.Equal(t, 2, result.Completed)
	require.Zero(t, result.Reordered)
	require.Equal(
		t, 100*122080*sluice.Picosecond+122080*sluice.Picosecond+2*delay,
		max(result.Flows[0].FCT, result.Flows[1].FCT),
	)
	require.Positive(t, stamps[1], "what moved waits in the other queue")
}

// "That device stamped on it": the queue that a packet left its last device by.
func TestPacketsCarryTheQueueTheyLeft(t *testing.T) {
	c := config(chain(2), workload.Flow{Src: 0, Dst: 1, Bytes: 14600})
	at(&c, 2, func(m kit.Machine) kit.Machine { return newMoving(m) })
	stamps := map[sluice.QueueID]int{}
	watch(&c, 3, func(_ sluice.Time, port sluice.PortID, p *sluice.Packet) {
		if port == 1 {
			stamps[p.UpstreamQueue]++
			require.EqualValues(t, 0, p.Ingress)
		}
	})
	run(t, c)
	require.Equal(t, map[sluice.QueueID]int{1: 10}, stamps)
}

// Ten packets leave a host at 100 Gb/s for one at 10 Gb/s: the slow link spaces them.
func TestPortsOfDifferentRates(t *testing.T) {
	g := &topo.Graph{Name: "two rates", Nodes: []topo.Node{{}, {}, {Tier: 1}}}
	g.Connect(0, 2, sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay})
	g.Connect(1, 2, sluice.Link{Rate: 10 * sluice.Gbps, Delay: 2 * delay})
	result := run(t, config(g, workload.Flow{Src: 0, Dst: 1, Bytes: 14600}))
	require.Equal(
		t, 122080*sluice.Picosecond+delay+10*1220800*sluice.Picosecond+2*delay, result.Flows[0].FCT,
	)
	require.Equal(t, result.Flows[0].FCT, result.Flows[0].Ideal)
	require.Greater(
		t, result.MaxPortBytes, sluice.Bytes(8*1526), "the fast link fills the queue of the slow one",
	)
	require.Equal(t, result.MaxPortBytes, result.MaxSwitchBytes)
}

// A frame waits for the packet on the wire, and for no other: data wait in the same port's queue.
func TestControlFramesGoBeforeData(t *testing.T) {
	flows := []workload.Flow{
		{Src: 0, Dst: 1, Bytes: 1460 * 20}, {Src: 1, Dst: 0, Bytes: 1460 * 20},
		{Src: 2, Dst: 0, Bytes: 1460 * 20},
	}
	c := config(star(3), flows...)
	var got []byte
	listener := &chatty{received: &got}
	at(&c, 0, func(m kit.Machine) kit.Machine { listener.Machine = m; return listener })
	const frames = 15
	hub := &chatty{frames: frames, received: &got}
	at(&c, 3, func(m kit.Machine) kit.Machine { hub.Machine = m; return hub })
	var heard []sluice.Time
	c.Inspect = func(s *sim.Simulator) error {
		for len(heard) < len(got) {
			heard = append(heard, s.Now())
		}
		return nil
	}
	run(t, c)
	require.Len(t, heard, frames)
	const frameTime, packetTime = 64 * 80 * sluice.Picosecond, 122080 * sluice.Picosecond
	waited := 0
	for i := range heard {
		wait := heard[i] - hub.asked[i] - delay - frameTime
		require.GreaterOrEqual(t, wait, sluice.Time(0))
		require.LessOrEqual(
			t, wait, packetTime+frameTime,
			"frame %d waited for more than the packet that was on the wire and a frame", i,
		)
		if wait > frameTime {
			waited++
		}
	}
	require.Positive(t, waited, "no frame met a packet on the wire")
}

// wrong is a machine that breaks one rule of the contract.
type wrong struct {
	kit.Machine
	next func(port sluice.PortID) (sluice.QueueID, bool)
	poll func(port sluice.PortID) bool
	wake sluice.Wake
}

func (w *wrong) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	return w.Machine.Enqueue(now, port, p).WithWake(w.wake)
}

func (w *wrong) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if w.next != nil {
		return w.next(port)
	}
	return w.Machine.Next(now, port)
}

func (w *wrong) PollFrame(_ sluice.Time, port sluice.PortID, buf []byte) ([]byte, string, bool) {
	if w.poll == nil {
		return buf, "", false
	}
	return append(buf, 1), "wrong", w.poll(port)
}

// What a machine must not do ends the run with a sentence that says who did it.
func TestBrokenMachinesAreNamed(t *testing.T) {
	frames := 1
	once := func(sluice.PortID) bool {
		frames--
		return frames >= 0
	}
	for _, c := range []struct {
		machine wrong
		says    string
	}{
		{
			wrong{next: func(sluice.PortID) (sluice.QueueID, bool) { return 7, true }},
			"at 722.08ns: machine of node 2: kit: Next of port 1 names queue 7, which is empty",
		},
		{
			wrong{next: func(sluice.PortID) (sluice.QueueID, bool) { return 40000, true }},
			"machine of node 2: kit: Next of port 1 names queue 40000, which is empty",
		},
		{wrong{wake: sluice.WakePort(2)}, "machine of node 2: kit: a wake names port 2 of 2"},
		{
			wrong{wake: sluice.WakePort(0), poll: once},
			"node 0 refused a frame at port 0: ideal: a machine without flow control got a control frame",
		},
	} {
		frames = 1
		config := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
		at(&config, 2, func(m kit.Machine) kit.Machine { c.machine.Machine = m; return &c.machine })
		_, err := attempt(t, config)
		require.ErrorContains(t, err, c.says)
	}
}

// announcing is a moving machine that has a frame for its peer at every move, and at every packet
// that it drops.
type announcing struct {
	*moving
	owed sluice.PortID
	any  bool
	drop bool
}

func (m *announcing) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.moving.Dequeue(now, port, q, p)
	if q == 1 {
		return v
	}
	m.owed, m.any = port, true
	if m.drop {
		m.packets[1][port]--
		v = sluice.DropBecause(sluice.WatchdogDrop)
	}
	return v.WithWake(sluice.WakePort(port))
}

func (m *announcing) PollFrame(
	_ sluice.Time, port sluice.PortID, buf []byte,
) ([]byte, string, bool) {
	if !m.any || m.owed != port {
		return buf, "", false
	}
	m.any = false
	return append(buf, make([]byte, 60)...), "moved", true
}

func (m *announcing) Receive(sluice.Time, sluice.PortID, []byte) (sluice.Wake, error) {
	return 0, nil
}

// What a move or a drop has to say to the peer of its port goes before the packet that follows.
func TestAFrameMadeByAMoveGoesFirst(t *testing.T) {
	for name, drop := range map[string]bool{"a packet moves": false, "a packet is dropped": true} {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
		build := c.NewMachine
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			m, err := build(node)
			return &announcing{moving: newMoving(m), drop: drop && node == 0}, err
		}
		s, err := sim.New(c)
		require.NoError(t, err)
		result, err := s.Run()
		require.NoError(t, err)
		const frameTime = 64 * 80 * sluice.Picosecond
		if drop {
			require.EqualValues(t, 1, result.ControlFrames["moved"], name)
			require.EqualValues(t, 1, result.Dropped, name)
			continue
		}
		require.Equal(t, 2*(frameTime+122080*sluice.Picosecond+delay), result.Flows[0].FCT, name)
		require.EqualValues(
			t, 4, result.ControlFrames["moved"], "at two hops each of the packet and its acknowledgement",
		)
	}
}

// overtaking is a machine of two queues, one of which is served first. Every fourth packet goes to
// the other.
type overtaking struct {
	*moving
	count int
}

func (m *overtaking) Enqueue(_ sluice.Time, port sluice.PortID, _ *sluice.Packet) sluice.Verdict {
	m.count++
	q := sluice.QueueID(0)
	if m.count%4 == 0 {
		q = 1
	}
	m.packets[q][port]++
	return sluice.AppendToQueue(q)
}

func (m *overtaking) Dequeue(
	_ sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	m.packets[q][port]--
	return sluice.TransmitMarked(p.ECN)
}

// A packet that others overtook is counted, and its flow completes all the same.
func TestReorderingIsCounted(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 1460 * 20},
		workload.Flow{Src: 1, Dst: 2, Bytes: 1460 * 20},
	)
	c.RetransmitAfter = 100 * sluice.Microsecond
	var hub *overtaking
	at(&c, 3, func(m kit.Machine) kit.Machine { hub = &overtaking{newMoving(m), 0}; return hub })
	result := run(t, c)
	require.Equal(t, 2, result.Completed)
	require.Positive(t, result.Reordered)
	require.LessOrEqual(t, result.Reordered, int64(hub.count/4))
	require.Zero(t, result.Dropped)
}

// gathering is a machine that sends the first four packets of port 1 when it has them all, the
// fourth first.
type gathering struct {
	*moving
	count int
}

func (m *gathering) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	if port != 1 {
		return m.moving.Enqueue(now, port, p)
	}
	m.count++
	q := sluice.QueueID(0)
	if m.count < 4 {
		q = 1
	}
	m.packets[q][port]++
	return sluice.AppendToQueue(q)
}

func (m *gathering) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if port == 1 && m.count < 4 {
		return 0, false
	}
	return m.moving.Next(now, port)
}

func (m *gathering) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	if port != 1 {
		return m.moving.Dequeue(now, port, q, p)
	}
	m.packets[q][port]--
	return sluice.TransmitMarked(p.ECN)
}

// A packet is out of order if any that was sent after it came before it, not only the last that
// came: one that overtakes three puts all three out of order. What is sent again because of that is
// not.
func TestEveryOvertakenPacketIsReordered(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 4})
	at(&c, 2, func(m kit.Machine) kit.Machine { return &gathering{newMoving(m), 0} })
	result := run(t, c)
	require.Equal(t, 1, result.Completed)
	require.EqualValues(t, 3, result.Reordered)
	require.Greater(t, result.PacketHops, int64(4*2), "they were sent again")
}
