package replay

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Tap is a machine with a program beside it. It answers as the machine does. After the first
// difference it compares no more, unless [Config.Count] is set. [New] makes one. It is not safe
// for concurrent use.
type Tap struct {
	kit.Machine
	config Config
	chip   *ir.Machine
	index  map[chip.DevPort]sluice.PortID
	trace  ir.Trace

	input   Input
	first   *Difference
	stats   Stats
	down    string      // why nothing is compared any more, a reason to leave inputs out
	origin  sluice.Time // of the machine's time, in the chip's time
	latest  sluice.Time // the latest time of the machine: the chip's clock does not go back
	packets store
	ports   []port
	bytes   sluice.Bytes // held
	named   []int        // the chip's queue of each queue of the machine, unless they are renamed
	sent    []frame      // by the program, in this input
	octets  []byte
	copies  []ir.Copy // of an outcome that is looked at
	later   agenda
	moved   []chipGate // by words of an outcome
}

// port is what a tap keeps of a port.
type port struct {
	queues []queue        // of the machine
	due    [][]byte       // frames that were polled and not handed out
	kinds  []string       // of the frames that are due
	free   [][]byte       // octets of frames that were handed out
	held   []bool         // by queue of the chip: words hold it
	names  []int          // by queue of the machine: the chip's, while packets are in it
	users  []int          // by queue of the chip: the machine's, while packets are in it
	cells  []int64        // by queue of the chip
	bytes  []sluice.Bytes // by queue of the machine, not rounded
	shared uint64         // packets that shared a queue so far
}

// none is no queue.
const none = -1

// New hangs a program on a machine that holds nothing. The error is a [*sluice.ConfigError], or
// says what is wrong with the program or its entries.
func New(config Config) (*Tap, error) {
	c := config.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	runs, err := ir.NewMachine(c.Program)
	if err != nil {
		return nil, err
	}
	entries := *c.Entries
	if c.Latency.Notice > 0 {
		entries = withoutRounds(entries)
	}
	if err := runs.Load(&entries); err != nil {
		return nil, err
	}
	t := &Tap{Machine: c.Machine, config: c, chip: runs, index: map[chip.DevPort]sluice.PortID{},
		ports: make([]port, len(c.Ports)), latest: chassis.Earliest}
	t.stats.LeftOut, t.stats.Differences = map[string]uint64{}, map[string]uint64{}
	t.stats.Kinds = map[string]uint64{}
	for at, dev := range c.Ports {
		t.index[dev] = sluice.PortID(at)
		t.ports[at] = newPort(c.Machine.Queues(), c.Carving.Count(dev.Channel()))
	}
	for q := range c.Machine.Queues() {
		name, is := q, true
		if c.Wiring.Queue != nil {
			name, is = c.Wiring.Queue(sluice.QueueID(q))
		}
		if !is {
			name = none
		}
		t.named = append(t.named, name)
	}
	runs.Record(&t.trace)
	if c.Wiring.Start != nil {
		c.Wiring.Start(func(pipe, app, batch, packet int) { t.generate(0, pipe, app, batch, packet) })
	}
	return t, nil
}

func newPort(machine, chip int) port {
	return port{queues: make([]queue, machine), held: make([]bool, chip),
		names: slices.Repeat([]int{none}, machine), users: slices.Repeat([]int{none}, chip),
		cells: make([]int64, chip), bytes: make([]sluice.Bytes, machine)}
}

// withoutRounds returns a configuration in which nothing comes round: a packet that should leaves
// by a recirculation port, and the tap gives it back when it is time.
func withoutRounds(c ir.Config) ir.Config {
	fixed := c.Fixed
	c.Fixed = nil
	for _, entry := range fixed {
		if entry.Table != ir.GeneratorPort {
			c.Fixed = append(c.Fixed, entry)
		}
	}
	return c
}

// Unwrap returns the machine.
func (t *Tap) Unwrap() kit.Machine { return t.Machine }

// Program returns the interpreter, whose registers may be looked at.
func (t *Tap) Program() *ir.Machine { return t.chip }

// Err returns the first [*Difference], nil if there was none.
func (t *Tap) Err() error {
	if t.first == nil {
		return nil
	}
	return t.first
}

// Stats returns what was compared so far.
func (t *Tap) Stats() Stats { return t.stats }

// Enqueue implements [kit.Machine].
func (t *Tap) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	now = t.begin(now, Enqueue, port)
	size := t.round(p)
	v := t.Machine.Enqueue(now, port, p)
	if t.comparing() {
		t.input.Packet = *p
		t.arrives(now, port, p, v)
	}
	p.Size = size
	if v.Action() == sluice.Append {
		t.holds(port, v.Queue(), size)
	}
	t.end(now, v.Wake())
	return v
}

// Next implements [kit.Machine].
func (t *Tap) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	return t.Machine.Next(t.tick(now), port)
}

// Dequeue implements [kit.Machine].
func (t *Tap) Dequeue(now sluice.Time, port sluice.PortID, q sluice.QueueID,
	p *sluice.Packet) sluice.Verdict {
	now = t.begin(now, Dequeue, port)
	size := t.round(p)
	v := t.Machine.Dequeue(now, port, q, p)
	if t.comparing() {
		t.input.Queue, t.input.Packet = q, *p
		t.departs(now, port, q, p, v)
	}
	p.Size = size
	switch v.Action() {
	case sluice.Append:
		t.holds(port, v.Queue(), size)
		fallthrough
	case sluice.Transmit:
		t.holds(port, q, -size)
	}
	t.end(now, v.Wake())
	return v
}

// holds adds bytes to a queue's backlog.
func (t *Tap) holds(port sluice.PortID, q sluice.QueueID, more sluice.Bytes) {
	t.ports[port].bytes[q] += more
	t.bytes += more
}

// Backlog implements [kit.Machine]: packets count as long as they are.
func (t *Tap) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	if int(q) >= len(t.ports[port].bytes) {
		return 0
	}
	return t.ports[port].bytes[q]
}

// Buffered implements [kit.Machine]: packets count as long as they are.
func (t *Tap) Buffered() sluice.Bytes { return t.bytes }

// Receive implements [kit.Machine].
func (t *Tap) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	now = t.begin(now, Receive, port)
	wake, err := t.Machine.Receive(now, port, frame)
	if err == nil { // a refused frame changes nothing, not even the machine's clock
		t.advance(now)
	}
	if t.comparing() {
		t.hears(now, port, frame)
	}
	t.end(now, wake)
	return wake, err
}

// Expire implements [kit.Machine].
func (t *Tap) Expire(now sluice.Time) sluice.Wake {
	now = t.begin(now, Expire, 0)
	wake := t.Machine.Expire(now)
	t.end(now, wake)
	return wake
}

// Deadline implements [kit.Machine]: it is a time that the chip's clock shows.
func (t *Tap) Deadline() sluice.Time {
	at := t.Machine.Deadline()
	if shown := t.tick(at); shown != at {
		return shown.Add(t.config.Tick)
	}
	return at
}

// LinkDown implements [kit.Machine]. The program does not see it, so nothing is compared from then
// on.
func (t *Tap) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	t.down = afterLink
	p := &t.ports[port]
	p.free, p.due, p.kinds = append(p.free, p.due...), p.due[:0], p.kinds[:0]
	return t.Machine.LinkDown(t.tick(now), port)
}

// LinkUp implements [kit.Machine]. The program does not see it, so nothing is compared from then
// on.
func (t *Tap) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	t.down = afterLink
	return t.Machine.LinkUp(t.tick(now), port)
}

const afterLink = "after a link failed or came up"

// Rebase implements [kit.Machine]. The chip's clock goes on as it did.
func (t *Tap) Rebase(by sluice.Time) {
	t.Machine.Rebase(by)
	t.origin += by
	t.latest -= by
	for at := range t.later.notices {
		t.later.notices[at].at -= by
	}
	for at := range t.later.reports {
		t.later.reports[at].at -= by
	}
}

// Audit implements [kit.Machine]: it returns what the machine finds wrong, or the first difference.
func (t *Tap) Audit() error {
	if err := t.Machine.Audit(); err != nil {
		return err
	}
	return t.Err()
}

// PollFrame implements [kit.Machine]: it hands out the frames that were polled after earlier
// inputs.
func (t *Tap) PollFrame(now sluice.Time, id sluice.PortID,
	buf []byte) (octets []byte, kind string, ok bool) {
	p := &t.ports[id]
	if len(p.due) == 0 && !t.comparing() {
		return t.Machine.PollFrame(t.tick(now), id, buf)
	}
	if len(p.due) == 0 {
		t.pollPort(t.tick(now), id)
	}
	if len(p.due) == 0 {
		return buf, "", false
	}
	buf, kind = append(buf, p.due[0]...), p.kinds[0]
	p.free = append(p.free, p.due[0])
	p.due = append(p.due[:0], p.due[1:]...)
	p.kinds = append(p.kinds[:0], p.kinds[1:]...)
	return buf, kind, true
}

// tick returns a time as the chip's clock shows it.
func (t *Tap) tick(now sluice.Time) sluice.Time {
	if now == sluice.Never {
		return now
	}
	past := (now + t.origin) % t.config.Tick
	if past < 0 {
		past += t.config.Tick
	}
	return now - past
}

// round makes a packet whole cells long and returns what it was.
func (t *Tap) round(p *sluice.Packet) sluice.Bytes {
	size := p.Size
	if p.Sized() {
		p.Size = min(sluice.Bytes(chip.Cells(int64(size))*chip.CellBytes), sluice.MaxPacket)
	}
	return size
}

// comparing reports whether the program still runs beside the machine.
func (t *Tap) comparing() bool { return t.down == "" && t.first == nil }
