package kit_test

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// bench is an embedder of one machine that writes down what the driver does.
type bench struct {
	store  *kit.Store[string]
	driver *kit.Driver[string]
	now    sluice.Time
	busy   map[sluice.PortID]bool
	log    []string
	sent   func(port sluice.PortID, name string)
}

func newBench(t *testing.T, m kit.Machine) *bench {
	store, err := kit.NewStore[string](100)
	require.NoError(t, err)
	b := &bench{store: store, busy: map[sluice.PortID]bool{}}
	b.driver = kit.NewDriver(m, store, b)
	return b
}

func (b *bench) Free(port sluice.PortID) bool { return !b.busy[port] }

func (b *bench) Send(port sluice.PortID, h kit.Handle) {
	name := b.store.At(h).Value
	b.log = append(b.log, fmt.Sprintf("%d sends %s", port, name))
	b.busy[port] = true
	b.store.Release(h)
	if b.sent != nil {
		b.sent(port, name)
	}
}

func (b *bench) SendFrame(port sluice.PortID, frame []byte, kind string) {
	b.log = append(b.log, fmt.Sprintf("%d sends frame %s", port, kind))
	b.busy[port] = true
}

func (b *bench) Drop(port sluice.PortID, h kit.Handle, why sluice.Reason) {
	b.log = append(b.log, fmt.Sprintf("%d drops %s: %v", port, b.store.At(h).Value, why))
	b.store.Release(h)
}

// packet takes a packet out of the store.
func (b *bench) packet(name string) kit.Handle {
	h, ok := b.store.Take()
	if !ok {
		panic("the store is full")
	}
	item := b.store.At(h)
	item.Packet = sluice.Packet{Flow: 1, Size: 1000, Ingress: sluice.Local}
	item.Value = name
	return h
}

func (b *bench) enqueue(port sluice.PortID, names ...string) {
	for _, name := range names {
		b.driver.Enqueue(b.now, port, b.packet(name))
	}
}

// ready ends the transmission of a port.
func (b *bench) ready(port sluice.PortID) {
	b.busy[port] = false
	b.driver.Ready(b.now, port)
}

// told returns what was written down since it was asked last.
func (b *bench) told() []string {
	log := b.log
	b.log = nil
	return log
}

// TestDriverSendsWhatMayGo: a free transmitter sends its port's frame, or else its port's packet
// (package sluice).
func TestDriverSendsWhatMayGo(t *testing.T) {
	b := newBench(t, ideal.New(2, 1500))
	b.enqueue(1, "a", "b", "c")
	require.Equal(t, []string{"1 sends a"}, b.told(), "the others wait for the transmitter")
	require.Equal(t, 2, b.driver.Waiting(1))
	b.ready(1)
	b.ready(1)
	b.ready(1)
	require.Equal(t, []string{"1 sends b", "1 sends c"}, b.told())
	b.enqueue(1, "d")
	require.Equal(t, []string{"1 sends d"}, b.told(), "an idle transmitter sends at once")
	require.Zero(t, b.store.Used())
	require.NoError(t, b.driver.Err())
}

// TestDriverStampsPackets: what the protocols need of who drives them: the queue that a packet left
// is stamped on it (BFC), and its path goes on (Pyrrha).
func TestDriverStampsPackets(t *testing.T) {
	b := newBench(t, ideal.New(1, 1500))
	h := b.packet("a")
	item := b.store.At(h)
	item.ECN = sluice.ECT1
	item.UpstreamQueue = 99
	item.Path, _ = sluice.MakePath(sluice.Hop{Switch: 1}, sluice.Hop{Switch: 2, Port: 3})
	b.sent = func(sluice.PortID, string) {
		require.EqualValues(t, 0, item.UpstreamQueue, "the first flow has queue 0")
		require.Equal(t, "2:3", item.Path.String())
		require.Equal(t, sluice.ECT1, item.ECN)
	}
	b.driver.Enqueue(0, 0, h)
	require.Equal(t, []string{"0 sends a"}, b.told())
}

// TestOutputMayEnqueue: a card that sent a packet is given the next one from within Send.
func TestOutputMayEnqueue(t *testing.T) {
	b := newBench(t, ideal.New(1, 1500))
	b.sent = func(port sluice.PortID, name string) {
		if name == "a" {
			b.enqueue(port, "b")
		}
	}
	b.enqueue(0, "a")
	require.Equal(t, []string{"0 sends a"}, b.told())
	b.ready(0)
	require.Equal(t, []string{"0 sends b"}, b.told())
}

// telling is a machine that owes the peer of port 0 some frames, and wakes it for each packet at
// port 1.
type telling struct {
	kit.Machine
	frames  int
	several bool
	polled  int
}

func (m *telling) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := m.Machine.Enqueue(now, port, p)
	if port == 1 {
		m.frames++
		if m.several {
			return v.WithWake(sluice.WakeSeveral)
		}
		return v.WithWake(sluice.WakePort(0))
	}
	return v
}

func (m *telling) PollFrame(_ sluice.Time, port sluice.PortID, buf []byte) ([]byte, string, bool) {
	if port != 0 || m.frames == 0 {
		return buf, "", false
	}
	m.frames--
	return append(buf, 1), "hello", true
}

func (m *telling) PollPort() (sluice.PortID, bool) {
	if !m.several || m.polled == 1 {
		m.polled = 0
		return 0, false
	}
	m.polled++
	return 0, true
}

// TestFramesGoFirst: a frame of a port goes before its packets, and wakes find ports that are idle,
// be they named in the word or one by one.
func TestFramesGoFirst(t *testing.T) {
	for _, several := range []bool{false, true} {
		b := newBench(t, &telling{Machine: ideal.New(2, 1500), several: several})
		b.enqueue(0, "a", "b")
		b.enqueue(1, "x", "y")
		require.Equal(t, []string{"0 sends a", "1 sends x"}, b.told())
		b.ready(0)
		b.ready(0)
		b.ready(0)
		b.ready(0)
		require.Equal(t, []string{"0 sends frame hello", "0 sends frame hello", "0 sends b"}, b.told())
		b.enqueue(1, "z")
		require.Equal(t, []string{"0 sends frame hello"}, b.told(), "port 0 was idle")
	}
}

// TestFlush: packets of a link that is down can be discarded, in their order.
func TestFlush(t *testing.T) {
	b := newBench(t, ideal.New(1, 1500))
	b.busy[0] = true
	b.enqueue(0, "a", "b")
	b.driver.LinkDown(0, 0)
	b.driver.Flush(0, 0)
	require.Equal(t, []string{"0 drops a: link down", "0 drops b: link down"}, b.told())
	require.Zero(t, b.store.Used())
	b.driver.LinkUp(0, 0)
	b.busy[0] = false
	b.enqueue(0, "c")
	require.Equal(t, []string{"0 sends c"}, b.told())
}

// TestDriverDropsWhatIsRefused: a packet that the machine refuses goes to Drop, with the reason.
func TestDriverDropsWhatIsRefused(t *testing.T) {
	b := newBench(t, ideal.New(1, 1500))
	h := b.packet("a")
	b.store.At(h).Class = 9
	verdict := b.driver.Enqueue(0, 0, h)
	require.Equal(t, sluice.DropBecause(sluice.BadClass), verdict)
	require.Equal(t, []string{"0 drops a: bad class"}, b.told())
}

// lying is a machine whose Next names a queue that does not exist.
type lying struct{ kit.Machine }

func (lying) Next(sluice.Time, sluice.PortID) (sluice.QueueID, bool) { return 60000, true }

// TestErr: a machine that breaks the contract is named, and nothing panics.
func TestErr(t *testing.T) {
	b := newBench(t, lying{ideal.New(1, 1500)})
	b.enqueue(0, "a")
	require.Empty(t, b.told())
	require.EqualError(t, b.driver.Err(), "kit: Next of port 0 names queue 60000, which is empty")
}

// TestZeroAlloc drives packets through a port.
func TestZeroAlloc(t *testing.T) {
	b := newBench(t, ideal.New(2, 1500))
	quiet := &silent{b.store}
	driver := kit.NewDriver[string](ideal.New(2, 1500), b.store, quiet)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		h, _ := b.store.Take()
		b.store.At(h).Packet = sluice.Packet{Size: 1000, Ingress: sluice.Local}
		driver.Enqueue(1, 1, h)
		driver.Ready(2, 1)
		driver.Expire(3)
		driver.DeadlineMoved()
	}))
}

// silent sends packets nowhere.
type silent struct{ store *kit.Store[string] }

func (s *silent) Free(sluice.PortID) bool                             { return true }
func (s *silent) Send(_ sluice.PortID, h kit.Handle)                  { s.store.Release(h) }
func (s *silent) SendFrame(sluice.PortID, []byte, string)             {}
func (s *silent) Drop(_ sluice.PortID, h kit.Handle, _ sluice.Reason) { s.store.Release(h) }

// planning is a machine that has a timer: each packet moves its deadline while moves is set.
type planning struct {
	kit.Machine
	moves bool
}

func (m *planning) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := m.Machine.Enqueue(now, port, p)
	if m.moves {
		v = v.WithWake(sluice.WakeDeadline)
	}
	return v
}

// TestDeadlineMoved: an embedder that keeps the deadline in an agenda asks for it once at first,
// and then when a wake says so, or the origin of time moved; each time once.
func TestDeadlineMoved(t *testing.T) {
	m := &planning{Machine: ideal.New(1, 1500)}
	b := newBench(t, m)
	require.True(t, b.driver.DeadlineMoved(), "the first answer")
	require.False(t, b.driver.DeadlineMoved())
	b.enqueue(0, "a")
	require.False(t, b.driver.DeadlineMoved())
	m.moves = true
	b.enqueue(0, "b")
	m.moves = false
	b.enqueue(0, "c")
	require.True(t, b.driver.DeadlineMoved(), "a later wake that does not say so takes nothing back")
	require.False(t, b.driver.DeadlineMoved())
	b.driver.Rebase(0)
	require.True(t, b.driver.DeadlineMoved())
	require.False(t, b.driver.DeadlineMoved())
}

// discarding is a machine that drops the first head that it is asked to send, as a watchdog does.
type discarding struct {
	kit.Machine
	dropped bool
}

func (m *discarding) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	if !m.dropped {
		m.dropped = true
		return sluice.DropBecause(sluice.WatchdogDrop)
	}
	return v
}

// TestHeadsThatAreDropped go to Drop, with the reason, and the next packet is sent in their place.
func TestHeadsThatAreDropped(t *testing.T) {
	b := newBench(t, &discarding{Machine: ideal.New(1, 1500)})
	b.busy[0] = true
	b.enqueue(0, "a", "b")
	b.ready(0)
	require.Equal(t, []string{"0 drops a: " + sluice.WatchdogDrop.String(), "0 sends b"}, b.told())
	require.Zero(t, b.store.Used())
	require.NoError(t, b.driver.Err())
}

// holding is a machine that holds what it has.
type holding struct{ kit.Machine }

func (holding) Next(sluice.Time, sluice.PortID) (sluice.QueueID, bool) { return 0, false }

// TestHeldPacketsWait: a machine that says that nothing may go has said enough, whatever queue it
// names with that.
func TestHeldPacketsWait(t *testing.T) {
	b := newBench(t, holding{ideal.New(1, 1500)})
	b.enqueue(0, "a")
	b.ready(0)
	require.Empty(t, b.told())
	require.Equal(t, 1, b.driver.Waiting(0))
	require.NoError(t, b.driver.Err())
}

// misplacing is a machine that names a queue which does not exist, at Enqueue or at Dequeue.
type misplacing struct {
	kit.Machine
	late bool
}

func (m misplacing) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := m.Machine.Enqueue(now, port, p)
	if m.late {
		return v
	}
	return sluice.AppendToQueue(ideal.MaxFlows)
}

func (m misplacing) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	m.Machine.Dequeue(now, port, q, p)
	return sluice.AppendToQueue(ideal.MaxFlows)
}

// TestQueuesThatDoNotExist: the packet is dropped with a reason, the machine is named, and no other
// port's queue gets it.
func TestQueuesThatDoNotExist(t *testing.T) {
	for _, late := range []bool{false, true} {
		b := newBench(t, misplacing{ideal.New(2, 1500), late})
		b.enqueue(0, "a")
		require.Equal(t, []string{"0 drops a: bad queue"}, b.told())
		require.ErrorContains(t, b.driver.Err(), "a verdict of port 0 names queue 2048 of 2048")
		require.Zero(t, b.driver.Waiting(0))
		require.Zero(t, b.driver.Waiting(1))
	}
}
