package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// told writes what an input led to in one line.
func told(o *ir.Outcome) string {
	var said []string
	for _, c := range o.Copies {
		said = append(said, fmt.Sprintf("port %d queue %d rid %d: %x", uint16(c.Port), c.Queue, c.Replica,
			c.Octets[14:]))
	}
	for _, s := range o.Sent {
		said = append(said, fmt.Sprintf("sent by %d: %x", uint16(s.Port), s.Octets[14:]))
	}
	for _, w := range o.Words {
		said = append(said, fmt.Sprintf("%v in pipe %d says %v", w.Gress, w.Pipe, w.Word))
	}
	return strings.Join(said, "; ")
}

// own returns a copy that may wait.
func own(c ir.Copy) ir.Copy {
	c.Octets = append([]byte(nil), c.Octets...)
	return c
}

// Three packets to one port pass the limit of two, so that the third holds the queue; the notices
// of what leaves go round, and the last one releases it. Words are PAUSE and RESUME of queue 3 of
// port 9.
func TestPacketsNoticesAndWords(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	var waiting []ir.Copy
	for i := range 3 {
		o := m.Receive(0, 8, packet(2, byte(i)))
		require.Len(t, o.Copies, 1)
		waiting = append(waiting, own(o.Copies[0]))
		want := fmt.Sprintf("port 9 queue 3 rid 0: 0020%02x", i)
		if i == limit {
			want += "; ingress in pipe 0 says 0x82098001"
		}
		assert.Equal(t, want, told(o))
	}
	assert.Equal(t, [2]uint32{3}, m.Register(c.count, 0, 9))
	assert.Equal(t, [2]uint32{0}, m.Register(c.count, 1, 9), "a register is one of its pipe")

	for i, copied := range waiting {
		o := m.Depart(0, copied, 5)
		want := fmt.Sprintf("sent by 9: 0020%02x", i)
		if i == len(waiting)-1 {
			want += "; ingress in pipe 0 says 0x82098000"
		}
		assert.Equal(t, want, told(o))
	}
	assert.Equal(t, [2]uint32{0}, m.Register(c.count, 0, 9))
	assert.Equal(t, ir.MachineCounters{Passes: 3 + 3*3, Dropped: 3, Mirrored: 3, Rounds: 3},
		m.Counters(), "a departure is a pass, its notice two more, at the end of which it is dropped")
}

// A packet for the group goes to each port of it but the one that it came by.
func TestMulticastLeavesOutAPort(t *testing.T) {
	m := newCounting().machine(t)
	assert.Equal(t, "port 9 queue 0 rid 77: 004007; port 10 queue 0 rid 77: 004007",
		told(m.Receive(0, 8, packet(4, 7))))
	assert.Equal(t, "port 8 queue 0 rid 77: 004007; port 9 queue 0 rid 77: 004007; "+
		"port 10 queue 0 rid 77: 004007", told(m.Receive(0, 11, packet(4, 7))), "nothing excludes for 11")
}

// What a parser refuses and what no entry knows is counted and goes nowhere.
func TestRefusedAndDropped(t *testing.T) {
	m := newCounting().machine(t)
	for _, octets := range [][]byte{nil, {0}, make([]byte, 15), {0x20}, {0x10}} {
		assert.Empty(t, told(m.Receive(0, 8, octets)))
	}
	assert.Equal(t, ir.MachineCounters{Passes: 5, Refused: 5}, m.Counters())
	assert.Empty(t, told(m.Receive(0, 8, packet(9, 0))))
	assert.Equal(t, uint64(1), m.Counters().Dropped)
}

// A controller sets an element in every pipe, both halves, and no other element.
func TestSetRegister(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	m.SetRegister(c.count, 9, [2]uint32{7, 5})
	m.SetRegister(c.count, c.count.Size, [2]uint32{1})
	m.SetRegister(c.count, -1, [2]uint32{1})
	for pipe := range chip.Pipes {
		assert.Equal(t, [2]uint32{7, 5}, m.Register(c.count, pipe, 9), "pipe %d", pipe)
		assert.Zero(t, m.Register(c.count, pipe, 8), "pipe %d", pipe)
	}
}

// Ghost writes the depth that the traffic manager reports, in every pipe.
func TestGhostReportsDepth(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	queue, err := chip.NewQueue(2, 1, 16)
	require.NoError(t, err)
	m.Ghost(queue, 1234)
	m.Ghost(queue, 99)
	for pipe := range chip.Pipes {
		assert.Equal(t, [2]uint32{99}, m.Register(c.depth, pipe, 144), "pipe %d", pipe)
	}
	assert.Equal(t, uint64(8), m.Counters().Updates)
}

// Entries come and go while the machine runs; each refusal says why.
func TestEntriesChange(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	five := ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(5)},
		Call: ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(10)}}}
	require.NoError(t, m.Add(c.route, five))
	assert.Equal(t, "port 10 queue 3 rid 0: 005000", told(m.Receive(0, 8, packet(5, 0))))
	assert.EqualError(t, m.Add(c.route, five), "ir: table route: has an entry with these keys")

	five.Data = []ir.Value{ir.Uint(8)}
	require.NoError(t, m.Modify(c.route, five))
	assert.Equal(t, "port 8 queue 3 rid 0: 005000", told(m.Receive(0, 9, packet(5, 0))))

	require.NoError(t, m.Delete(c.route, five.Keys))
	assert.Empty(t, told(m.Receive(0, 8, packet(5, 0))))
	assert.EqualError(t, m.Delete(c.route, five.Keys), "ir: table route: has no entry with these keys")
	assert.EqualError(t, m.Modify(c.route, five), "ir: table route: has no entry with these keys")
	assert.Error(t, m.Add(&ir.Table{}, five))
	five.Data = nil
	assert.EqualError(
		t, m.Add(c.route, five), "ir: table route, entry 0: action send takes 1 data, not 0",
	)

	for to := uint64(5); to < 9; to++ {
		require.NoError(t, m.Add(c.route, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(to)},
			Call: ir.Call{Action: c.lost}}))
	}
	assert.EqualError(t, m.Add(c.route, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(9)},
		Call: ir.Call{Action: c.lost}}), "ir: table route: is full: it has room for 8 entries")
}

// Loading again forgets what the registers held.
func TestLoadBeginsAnew(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	m.Receive(0, 8, packet(1, 0))
	cfg := c.config(t)
	cfg.Registers = []ir.RegisterEntry{{Register: c.count, Pipe: -1, Index: 9, Value: [2]uint32{2}}}
	require.NoError(t, m.Load(cfg))
	assert.Equal(t, [2]uint32{0}, m.Register(c.count, 0, 8))
	assert.Contains(t, told(m.Receive(0, 8, packet(2, 0))), "says 0x82098001", "2 are under way")
}

// A packet that goes round for ever ends after MaxRounds passes and is counted.
func TestEndlessRounds(t *testing.T) {
	again := &ir.Action{Name: "again", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: ir.Number(9, 6)}}}
	p := &ir.Program{Name: "endless", Actions: []*ir.Action{again}}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: again}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	require.NoError(t, m.Load(&ir.Config{Fixed: []ir.FixedEntry{{Table: ir.GeneratorPort,
		Keys: data("dev_port", uint64(6)), Data: data("recirculation_enable", true)}}}))
	assert.Empty(t, told(m.Receive(0, 8, []byte{1, 2, 3})))
	assert.Equal(t, uint64(1), m.Counters().Endless)
	assert.Equal(t, uint64(ir.MaxRounds), m.Counters().Passes)
}

// A packet of the timer begins with pipe, application, batch and packet.
func TestTimerPackets(t *testing.T) {
	fields := []*ir.Field{field("pipe", 4), field("app", 4), field("pad", 8), field("batch", 16),
		field("packet", 16)}
	header := &ir.Header{Name: "timer", Fields: fields}
	send := &ir.Action{Name: "send", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: ir.Slice{X: fields[3], High: 8, Low: 0}},
		ir.Assign{To: ir.QueueSpec, Value: ir.Slice{X: fields[4], High: 6, Low: 0}}}}
	p := &ir.Program{Name: "timed", Headers: []*ir.Header{header}, Actions: []*ir.Action{send}}
	p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: send}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	o := m.Timer(0, 3, 2, 400, 21, []byte{0xAB})
	require.Len(t, o.Copies, 1)
	assert.Equal(t, ir.Copy{Port: 400, Queue: 21, Octets: []byte{0x32, 0, 1, 0x90, 0, 21, 0xAB}},
		o.Copies[0])
	assert.Empty(t, m.Timer(0, 4, 0, 0, 0, nil).Copies, "there is no pipe 4")
	assert.Equal(t, uint64(1), m.Counters().Lost)
}

// Whatever comes in, each pass is counted and no packet goes round without end.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0x10, 0x09, 0, 0}, uint16(8))
	f.Add(packet(2, 1), uint16(9))
	f.Fuzz(func(t *testing.T, octets []byte, port uint16) {
		m := newCounting().machine(t)
		in, err := chip.ParseDevPort(int(port))
		if err != nil {
			return
		}
		var waiting []ir.Copy
		for range 4 {
			for _, c := range m.Receive(0, in, octets).Copies {
				waiting = append(waiting, own(c))
			}
		}
		for _, c := range waiting {
			m.Depart(0, c, 1)
		}
		n := m.Counters()
		require.Equal(t, n.Passes, 4+uint64(len(waiting))+n.Mirrored+n.Rounds)
		require.Zero(t, n.Endless)
	})
}

// Packets of ports that the chip does not have are counted and go nowhere.
func TestPortsThatAreNotThere(t *testing.T) {
	m := newCounting().machine(t)
	for _, port := range []chip.DevPort{72, 512, 1<<16 - 1} {
		assert.Empty(t, told(m.Receive(0, port, packet(2, 0))))
		assert.Empty(t, told(m.Depart(0, ir.Copy{Port: port, Octets: packet(2, 0)}, 0)))
	}
	assert.Equal(t, ir.MachineCounters{Lost: 6}, m.Counters())
}

// Loading again forgets entries and the default that were there: what a switch was before its new
// configuration decides nothing any more.
func TestLoadForgetsEntries(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	require.NoError(t, m.SetDefault(c.route, ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(9)}}))
	require.NotEmpty(t, told(m.Receive(0, 8, packet(9, 0))))
	require.NotEmpty(t, told(m.Receive(0, 8, packet(2, 0))))

	require.NoError(t, m.Load(&ir.Config{}))
	assert.Empty(t, told(m.Receive(0, 8, packet(9, 0))), "the program's own default")
	assert.Empty(t, told(m.Receive(0, 8, packet(2, 0))), "no entry")
	for to := range uint64(8) { // all of the table's room is free again
		require.NoError(t, m.Add(c.route, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(to)},
			Call: ir.Call{Action: c.lost}}))
	}
}

// A trace says why a packet went where it did, in the order in which it happened; without one
// nothing is noted.
func TestTrace(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	var trace ir.Trace
	m.Record(&trace)
	m.Receive(0, 8, packet(2, 0))
	var steps []string
	for _, step := range trace.Steps {
		steps = append(steps, step.String())
	}
	assert.Equal(t, []string{"ingress table route: send(0x9)",
		"ingress register count[9]: 0 to 1 by plus"}, steps)

	m.Record(nil)
	m.Receive(0, 8, packet(2, 0))
	assert.Len(t, trace.Steps, len(steps), "it was recorded no more")
}
