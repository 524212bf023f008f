package replay_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/replay"
)

func init() { depth.CollectSeldom() }

var longReplay = flag.Uint64("replay.inputs", 0, "inputs of the replay of an incast, more than it has")

// incast is a switch, the devices upstream of each port and those downstream, in slots of the time
// that a full packet takes: in each, every device upstream sends a packet of a queue that is not
// paused, three of four to port 0, and every port sends one. Frames take effect some slots later.
// Devices downstream pause and resume queues at random.
type incast struct {
	tap      kit.Machine
	random   *rand.Rand
	now      sluice.Time
	ports    int
	queues   int
	fifos    [][][]*sluice.Packet // by port and queue
	paused   [][]bool             // upstream queues by port
	flows    [][]uint64           // of each upstream queue, its flow now
	left     [][]int              // packets that the flow has left
	next     []int                // upstream queue whose turn it is
	waiting  []delayed            // frames on their way upstream
	free     []*sluice.Packet
	sequence []uint32
	held     [][]bool // by port and queue: what the device downstream said
	inputs   uint64
	deepest  sluice.Bytes // of all queues, ever
	slots    int
	busy     int // upstream queues of each device that have flows, in this phase
}

// delayed is a frame that takes effect at a time.
type delayed struct {
	at    sluice.Time
	port  sluice.PortID
	queue sluice.QueueID
	pause bool
}

const (
	slot  = 120 * sluice.Nanosecond
	delay = 8 * slot
	phase = 500 // slots, for which as many queues have flows
)

func newIncast(tap kit.Machine, seed uint64) *incast {
	n := &incast{
		tap: tap, random: rand.New(rand.NewPCG(seed, 1)), ports: tap.Ports(), queues: tap.Queues(),
	}
	for range n.ports {
		n.fifos = append(n.fifos, make([][]*sluice.Packet, n.queues))
		n.paused = append(n.paused, make([]bool, n.queues))
		n.flows, n.left = append(n.flows, make([]uint64, n.queues)), append(n.left, make([]int, n.queues))
		n.held = append(n.held, make([]bool, n.queues))
	}
	n.next, n.sequence = make([]int, n.ports), make([]uint32, n.ports)
	return n
}

// step is one slot.
func (n *incast) step() {
	n.now += slot
	if n.slots++; n.slots%phase == 1 {
		n.busy = 1 + n.random.IntN(n.queues)
	}
	for len(n.waiting) > 0 && n.waiting[0].at <= n.now {
		f := n.waiting[0]
		n.waiting = n.waiting[1:]
		n.paused[f.port][f.queue] = f.pause
	}
	for port := range n.ports {
		n.arrive(sluice.PortID(port))
		n.leave(sluice.PortID(port))
		if n.random.IntN(16) == 0 {
			n.downstream(sluice.PortID(port))
		}
	}
}

// arrive sends a packet of the device upstream of a port.
func (n *incast) arrive(port sluice.PortID) {
	for range n.queues {
		q := n.next[port]
		n.next[port] = (q + 1) % n.queues
		if n.paused[port][q] {
			continue
		}
		if n.left[port][q] == 0 {
			if q >= n.busy || n.random.IntN(4) > 0 {
				continue // idle for now
			}
			n.flows[port][q], n.left[port][q] = uint64(n.random.Uint32()), 1+n.random.IntN(64)
		}
		n.left[port][q]--
		n.send(port, q)
		return
	}
}

// send hands the switch a packet of an upstream queue.
func (n *incast) send(port sluice.PortID, q int) {
	p := &sluice.Packet{}
	if last := len(n.free) - 1; last >= 0 {
		p, n.free = n.free[last], n.free[:last]
	}
	flow := n.flows[port][q]
	*p = sluice.Packet{Flow: flow, Size: sluice.Bytes(64 + n.random.IntN(1437)), Ingress: port,
		UpstreamQueue: sluice.QueueID(q)}
	egress := sluice.PortID(0)
	if flow>>20&3 == 0 {
		egress = sluice.PortID(flow >> 22 % uint64(n.ports))
	}
	v := n.tap.Enqueue(n.now, egress, p)
	n.inputs++
	n.poll(v.Wake())
	n.deepest = max(n.deepest, n.tap.Backlog(egress, v.Queue()))
	n.fifos[egress][v.Queue()] = append(n.fifos[egress][v.Queue()], p)
}

// leave lets a port send a packet.
func (n *incast) leave(port sluice.PortID) {
	q, ok := n.tap.Next(n.now, port)
	if !ok {
		return
	}
	fifo := n.fifos[port][q]
	p := fifo[0]
	n.fifos[port][q] = append(fifo[:0], fifo[1:]...)
	v := n.tap.Dequeue(n.now, port, q, p)
	n.inputs++
	n.free = append(n.free, p)
	n.poll(v.Wake())
}

// poll sends frames to the devices upstream.
func (n *incast) poll(wake sluice.Wake) {
	port, one := wake.Port()
	if !one {
		return
	}
	var buf [64]byte
	for {
		octets, _, ok := n.tap.PollFrame(n.now, port, buf[:0])
		if !ok {
			return
		}
		var f bfc.Frame
		if f.Parse(octets) != nil {
			panic("no frame")
		}
		for _, q := range f.Listed() {
			n.waiting = append(n.waiting, delayed{n.now + delay, port, q, f.Type == bfc.Pause})
		}
	}
}

// downstream pauses or resumes a queue of a port.
func (n *incast) downstream(port sluice.PortID) {
	q := n.random.IntN(n.queues)
	f := bfc.Frame{Type: bfc.Pause, Count: 1}
	f.Queues[0] = sluice.QueueID(q)
	if n.held[port][q] || n.random.IntN(3) > 0 {
		f.Type = bfc.Resume
	}
	n.held[port][q] = f.Type == bfc.Pause
	n.sequence[port]++
	f.Sequence = n.sequence[port]
	if n.random.IntN(16) == 0 { // overtaken by two others: it is not obeyed
		f.Sequence -= min(f.Sequence, 2)
	}
	var buf [64]byte
	wake, err := n.tap.Receive(n.now, port, f.AppendTo(buf[:0]))
	if err != nil {
		panic(err)
	}
	n.inputs++
	n.poll(wake)
}

// runIncast runs an incast of eight ports until a tap had the given inputs, or found a difference.
func runIncast(tap *replay.Tap, inputs, seed uint64) {
	n := newIncast(tap, seed)
	for n.inputs < inputs && tap.Err() == nil {
		n.step()
	}
}

// An incast with thousands of pauses: program and machine decide alike, in all that they do and
// hold, and nothing is left out. The flag replay.inputs makes it longer.
func TestBFCIncast(t *testing.T) {
	inputs := max(*longReplay, depth.Choose[uint64](50_000, 50_000, 200_000, 500_000))
	config := realisedBFC(8, 16)
	config.VFIDs = 4096
	tap, err := tapOf(config, tofino.Notices)
	require.NoError(t, err)
	began := time.Now()
	runIncast(tap, inputs, 1)
	took := time.Since(began)
	require.NoError(t, tap.Check())
	stats := tap.Stats()
	t.Logf("%d inputs, %.0f a second: %d packets, %d frames, %d words of which %d PAUSE, %d states",
		stats.Inputs, float64(stats.Inputs)/took.Seconds(), stats.Packets, stats.Frames, stats.Words,
		stats.Pauses, stats.States)
	assert.Empty(t, stats.LeftOut)
	assert.Greater(t, stats.Frames, inputs/100, "the traffic is to pause")
	assert.Greater(t, stats.Pauses, inputs/100, "and to be paused")
}
