package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestAgainstModel drives a switch and the model with the same random inputs and compares all that
// can be seen, after each.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.ResumeLimit = 0
		if c.Ideal {
			c.VFIDs = 1000 // no two of the test's flows share an entry
		}
		d := &modelDriver{s: mustNew(t, c), lives: map[int]*life{}}
		for port := range d.s.Ports() {
			d.lives[port] = &life{until: -1}
		}
		d.m = newModel(t, d.s)
		d.t = t
		t.Repeat(map[string]func(*rapid.T){
			"enqueue":  d.enqueue,
			"enqueue2": d.enqueue,
			"enqueue3": d.enqueue,
			"serve":    d.serve,
			"serve2":   d.serve,
			"seize":    d.seize,
			"receive":  d.receive,
			"wait":     d.wait,
			"link up":  d.linkUp,
			"":         d.compare,
		})
	})
}

// expire ends the pauses of every port that heard nothing of them for as long as they hold.
func (d *modelDriver) expire() {
	for port, l := range d.lives {
		after := d.s.config.expiry(sluice.PortID(port))
		if after == 0 || d.now < l.told+after {
			continue
		}
		for q := range d.s.config.Queues {
			delete(d.m.paused, [2]int{port, q})
		}
	}
	d.m.step()
}

type modelDriver struct {
	t        *rapid.T
	s        *Switch
	m        *model
	now      sluice.Time
	sequence uint32
	lives    map[int]*life // of links, by port
}

// life is a port's record of its link's frames: the frames received since it came up, and how long
// earlier frames, which are numbered near the last of these, may still come in.
type life struct {
	newest, last   uint32
	heard, hadPast bool // in this life, in the one before
	until          sluice.Time
	told           sluice.Time // when anything was said to be paused last
}

// isPast says that a frame is from before the link came up.
func (l *life) isPast(now sluice.Time, sequence uint32) bool {
	apart := int64(sequence) - int64(l.last)
	return now <= l.until && (!l.hadPast || -32_768 <= apart && apart < 32_768)
}

func (d *modelDriver) enqueue(t *rapid.T) {
	port := rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")
	p := sluice.Packet{
		Flow:          uint64(rapid.IntRange(0, 9).Draw(t, "flow")),
		Size:          rapid.SampledFrom([]sluice.Bytes{64, 1000, 9000}).Draw(t, "size"),
		Ingress:       sluice.PortID(rapid.IntRange(0, d.s.Ports()-1).Draw(t, "ingress")),
		UpstreamQueue: sluice.QueueID(rapid.IntRange(0, 5).Draw(t, "upstream queue")),
		Class:         sluice.Class(rapid.IntRange(0, 7).Draw(t, "class")),
	}
	if rapid.IntRange(0, 9).Draw(t, "local") == 0 {
		p.Ingress = sluice.Local
	}
	for range rapid.IntRange(1, 8).Draw(t, "packets") {
		key := p.Flow
		if !d.s.config.Ideal {
			key = uint64(d.s.Port(sluice.PortID(port)).vfid(p.Flow))
		}
		if d.s.config.Index == LowBits {
			key = p.Flow % uint64(d.s.config.VFIDs)
		}
		v := d.s.Port(sluice.PortID(port)).Enqueue(d.now, &p)
		d.m.enqueue(d.now, port, key, p, v)
		d.drain(v.Wake())
	}
}

// serve takes what Next says.
func (d *modelDriver) serve(t *rapid.T) {
	port := rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")
	for range rapid.IntRange(1, 8).Draw(t, "packets") {
		if q, ok := d.s.Port(sluice.PortID(port)).Next(d.now); ok {
			d.take(port, int(q))
		}
	}
}

// seize takes from any queue, paused or not: a pause may come between Next and Dequeue.
func (d *modelDriver) seize(t *rapid.T) {
	port := rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")
	queue := rapid.IntRange(0, d.s.Queues()-1).Draw(t, "queue")
	if d.m.head(port, queue) >= 0 {
		d.take(port, queue)
	}
}

func (d *modelDriver) take(port, queue int) {
	i := d.m.head(port, queue)
	require.GreaterOrEqual(d.t, i, 0, "port %d queue %d is empty", port, queue)
	v := d.s.Port(sluice.PortID(port)).Dequeue(d.now, sluice.QueueID(queue), &d.m.held[i].Packet)
	require.Equal(d.t, sluice.Transmit, v.Action(), "%v", v)
	d.m.dequeue(d.now, i)
	d.drain(v.Wake())
}

func (d *modelDriver) receive(t *rapid.T) {
	port := rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")
	f := drawFrame(t, d.s.config.Queues)
	if f.Type == Bitmap {
		f.Count = uint16(d.s.config.Queues)
	}
	d.sequence++
	f.Sequence = d.sequence
	before := make([]bool, d.s.config.Queues)
	for q := range before {
		before[q] = d.s.Port(sluice.PortID(port)).Sendable(sluice.QueueID(q))
	}
	stale := d.s.Port(sluice.PortID(port)).Counters().Stale
	wake := d.s.Port(sluice.PortID(port)).Receive(d.now, &f)
	if l := d.lives[port]; l.isPast(d.now, f.Sequence) {
		require.Equal(t, stale+1, d.s.Port(sluice.PortID(port)).Counters().Stale)
	} else {
		l.heard, l.newest = true, f.Sequence
		d.m.obey(d.now, port, &f)
		if f.Type == Pause || f.Type == Bitmap {
			l.told = d.now
		}
	}
	released := false
	for q := range before {
		released = released || !before[q] && !d.m.paused[[2]int{port, q}]
	}
	named, ok := wake.Port()
	require.Equal(t, released, ok && named == sluice.PortID(port), "%v", wake)
	d.drain(wake)
}

// linkUp replaces the device at the other end of a link by a new one.
func (d *modelDriver) linkUp(t *rapid.T) {
	port := rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")
	for q := range d.s.config.Queues {
		delete(d.m.paused, [2]int{port, q})
	}
	d.m.step()
	for u := range d.s.config.Ports[port].UpstreamQueues {
		delete(d.m.peer, [2]int{port, u})
	}
	wake := d.s.Port(sluice.PortID(port)).LinkUp(d.now)
	l := d.lives[port]
	if l.heard || d.now >= l.until {
		l.hadPast, l.last = l.heard, l.newest
	}
	link := d.s.config.Ports[port].Link
	l.heard, l.until = false, d.now+link.Delay+link.Rate.TimeOf(longestFrame)
	if rapid.Bool().Draw(t, "its numbers jump") {
		d.sequence += 1 << 16
	}
	d.drain(wake)
}

func (d *modelDriver) wait(t *rapid.T) {
	d.now += sluice.Time(rapid.SampledFrom([]int64{1, 100_000, 1_000_000, 5_000_000}).Draw(t, "ps"))
	for d.s.Deadline() <= d.now {
		d.expire()
		d.drain(d.s.Expire(d.now))
	}
}

// drain polls the ports that a wake names and hands their frames to the device upstream. Afterwards
// no port has one, for a hook wakes every port that it gave a frame to send.
func (d *modelDriver) drain(w sluice.Wake) {
	if port, ok := w.Port(); ok {
		d.poll(port)
	}
	for port, ok := d.s.PollPort(); ok; port, ok = d.s.PollPort() {
		d.poll(port)
	}
	for i := range d.s.ports {
		require.False(d.t, d.s.ports[i].pending(), "port %d was not woken: %v", i, w)
	}
}

func (d *modelDriver) poll(port sluice.PortID) {
	var f, onWire Frame
	for d.s.Port(port).PollFrame(d.now, &f) {
		require.NoError(d.t, onWire.Parse(f.AppendTo(nil)))
		d.m.tell(int(port), &onWire)
	}
}

func (d *modelDriver) compare(t *rapid.T) {
	d.t = t
	s, m := d.s, d.m
	require.NoError(t, s.Audit())
	c := s.Counters()
	active, holding, paused := 0, 0, 0
	for i := range s.Ports() {
		p := s.Port(sluice.PortID(i))
		require.Equal(t, m.active(i), p.Active(), "N_active of port %d", i)
		active += p.Active()
		for q := range s.Queues() {
			require.Equal(t, m.bytes(in(i, q)), p.Backlog(sluice.QueueID(q)), "port %d queue %d", i, q)
			require.Equal(
				t, !m.paused[[2]int{i, q}], p.Sendable(sluice.QueueID(q)), "port %d queue %d", i, q,
			)
			if m.paused[[2]int{i, q}] {
				paused++
			}
		}
		for u := range s.config.Ports[i].UpstreamQueues {
			n := m.counter(i, u)
			require.Equal(
				t, n, p.Counter(sluice.QueueID(u)),
				"the counter of port %d upstream queue %d is its counted packets", i, u,
			)
			require.Equal(t, n > 0, p.Holding(sluice.QueueID(u)))
			if n > 0 {
				holding++
			}
		}
		d.compareEntries(t, i)
	}
	for _, p := range s.Snapshot().Ports {
		active -= p.Active
		holding -= p.Holding
		paused -= p.Paused
	}
	require.Equal(t, []int{0, 0, 0}, []int{active, holding, paused}, "what the snapshot says")
	require.Equal(t, uint64(len(m.held)), c.Enqueued-c.Transmitted)
	require.Equal(t, m.bytes(func(*modelPacket) bool { return true }), s.Buffered())
	d.comparePeers(t)
}

// compareEntries: the size of an entry is the number of packets held that belong to it.
func (d *modelDriver) compareEntries(t *rapid.T, port int) {
	want, got := map[int]int{}, map[int]int{}
	p := d.s.Port(sluice.PortID(port))
	for i := range d.m.held {
		if h := &d.m.held[i]; h.port == port && h.entry.port >= 0 {
			want[int(uint32(h.Note))]++
			e := p.entries[uint32(h.Note)]
			if d.s.config.Ideal {
				require.Equal(t, h.Flow, e.flow)
			} else {
				require.Equal(t, h.entry.key, uint64(uint32(h.Note)))
			}
		}
	}
	for i, e := range p.entries {
		if e.size > 0 {
			got[i] = int(e.size)
		}
	}
	require.Equal(t, want, got, "port %d", port)
}

// comparePeers: with all frames delivered, an upstream queue is paused exactly while its counter is
// not 0, except those whose change waits for the next bitmap.
func (d *modelDriver) comparePeers(t *rapid.T) {
	waits := func(paused bool) bool {
		switch d.s.config.Signalling {
		case PeriodicBitmap:
			return true
		case BitmapResumeAtOnce:
			return paused
		}
		return false
	}
	for i := range d.s.Ports() {
		for u := range d.s.config.Ports[i].UpstreamQueues {
			holds := d.m.counter(i, u) > 0
			if d.m.peer[[2]int{i, u}] == holds {
				continue
			}
			require.True(
				t, waits(holds), "port %d upstream queue %d: counted %t, and told otherwise", i, u, holds,
			)
			require.LessOrEqual(t, d.s.Deadline(), d.now+d.s.config.Period)
		}
	}
}

// TestNextServesAnEligibleQueue: Next answers a queue with packets that is not paused whenever
// there is one, the strict queues before all, and asked again the same.
func TestNextServesAnEligibleQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		d := &modelDriver{s: mustNew(t, c)}
		d.m = newModel(t, d.s)
		d.m.config.ResumeLimit = 0
		t.Repeat(map[string]func(*rapid.T){
			"fill": func(t *rapid.T) {
				p := sluice.Packet{
					Flow:    rapid.Uint64().Draw(t, "flow"),
					Size:    sluice.Bytes(rapid.Int32Range(1, 20000).Draw(t, "size")),
					Class:   sluice.Class(rapid.IntRange(0, 7).Draw(t, "class")),
					Ingress: sluice.Local,
				}
				if v := d.s.Port(0).Enqueue(d.now, &p); v.Action() == sluice.Append {
					d.m.held = append(d.m.held, modelPacket{Packet: p, queue: int(v.Queue())})
				}
			},
			"pause": func(t *rapid.T) {
				d.sequence++
				f := drawFrame(t, d.s.config.Queues)
				f.Sequence = d.sequence
				d.s.Port(0).Receive(d.now, &f)
				d.m.obey(d.now, 0, &f)
			},
			"serve": func(t *rapid.T) {
				q, ok := d.s.Port(0).Next(d.now)
				again, okAgain := d.s.Port(0).Next(d.now)
				require.Equal(t, q, again)
				require.Equal(t, ok, okAgain)
				strict := d.s.Queues() - 1 // the control queue, else the first-packet queue
				for ; strict >= d.s.config.Queues && d.m.head(0, strict) < 0; strict-- {
				}
				switch {
				case strict >= d.s.config.Queues:
					require.Equal(t, strict, int(q))
					require.True(t, ok)
				default:
					require.Equal(t, d.m.active(0) > 0, ok)
					if ok {
						require.False(t, d.m.paused[[2]int{0, int(q)}])
					}
				}
				if !ok {
					return
				}
				i := d.m.head(0, int(q))
				require.GreaterOrEqual(t, i, 0)
				require.Equal(t, sluice.Transmit, d.s.Port(0).Dequeue(d.now, q, &d.m.held[i].Packet).Action())
				d.m.held = append(d.m.held[:i], d.m.held[i+1:]...)
			},
		})
	})
}
