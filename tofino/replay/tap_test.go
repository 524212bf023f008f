package replay_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// forwarding is a program that sends a packet by the port and the queue that its first octets say:
// a switch whose buffer pauses no upstream needs no more.
type forwarding struct {
	program *ir.Program
	route   *ir.Table
	out     *ir.Action
	seen    *ir.Register
}

func newForwarding() *forwarding {
	dst, class := &ir.Field{Name: "dst", Bits: 8}, &ir.Field{Name: "class", Bits: 8}
	header := &ir.Header{Name: "way", Fields: []*ir.Field{dst, class}}
	port := &ir.Param{Name: "port", Bits: 9}
	f := &forwarding{out: &ir.Action{Name: "send_out", Params: []*ir.Param{port},
		Body: []ir.Statement{ir.Assign{To: ir.EgressSpec, Value: port},
			ir.Assign{To: ir.QueueSpec, Value: ir.Slice{X: class, High: 6}}}}}
	count := &ir.RegisterAction{Name: "add", Updates: []ir.Update{{When: ir.Always, To: ir.Low,
		Sum: ir.Sum{Memory: ir.Low, Constant: 1}}}}
	f.seen = &ir.Register{Name: "seen", Bits: 32, Size: 8, Actions: []*ir.RegisterAction{count}}
	note := &ir.Action{Name: "note", Body: []ir.Statement{ir.Execute{Action: count, Index: class}}}
	drop := &ir.Action{Name: "drop", Body: []ir.Statement{
		ir.Assign{To: ir.IngressDrop, Value: ir.Number(3, 1)}}}
	f.route = &ir.Table{Name: "route", Keys: []ir.Key{{Name: "dst", X: dst}},
		Actions: []*ir.Action{f.out, drop}, Default: ir.Call{Action: drop}, Size: 8}
	f.program = &ir.Program{Name: "forwarding", Headers: []*ir.Header{header},
		Actions: []*ir.Action{f.out, note, drop}, Tables: []*ir.Table{f.route},
		Registers: []*ir.Register{f.seen}}
	f.program.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
	f.program.Control[ir.Ingress] = []ir.Step{ir.Apply{Table: f.route}, ir.Do{Action: note}}
	return f
}

// config is of a switch of three ports, at the first channels of the first groups.
func (f *forwarding) config(t *testing.T) replay.Config {
	t.Helper()
	link := pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}}
	s, err := pfc.New(pfc.Config{Ports: []pfc.PortConfig{link, link, link}, Buffer: 100 * sluice.MiB,
		Classes: sluice.NoClasses})
	require.NoError(t, err)
	entries := &ir.Config{Tables: []ir.TableConfig{{Table: f.route}}}
	ports := []chip.DevPort{8, 16, 24}
	for at, port := range ports {
		entries.Tables[0].Entries = append(entries.Tables[0].Entries, ir.Entry{
			Keys: []ir.KeyValue{ir.ExactKey(uint64(at))},
			Call: ir.Call{Action: f.out, Data: []ir.Value{ir.Uint(uint64(port))}}})
	}
	return replay.Config{
		Machine: kit.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s), Program: f.program, Entries: entries,
		Ports: ports, Carving: chip.DefaultCarving(),
		Wiring: replay.Wiring{
			Packet: func(dst []byte, egress sluice.PortID, p *sluice.Packet) ([]byte, string) {
				return append(dst, byte(egress), byte(p.Class), byte(p.Flow)), ""
			},
			Left: func(octets []byte, q sluice.QueueID, p *sluice.Packet, v sluice.Verdict) string {
				if octets[2] != byte(p.Flow) {
					return "another packet"
				}
				return ""
			},
		},
	}
}

// pass sends packets through a tap, a few at a time.
func pass(tap *replay.Tap, packets int) {
	type place struct {
		port sluice.PortID
		q    sluice.QueueID
	}
	fifo := map[place][]*sluice.Packet{}
	for at := range packets {
		now := sluice.Time(at) * sluice.Microsecond
		p := &sluice.Packet{Flow: uint64(at), Size: sluice.Bytes(1 + at%1500),
			Ingress: sluice.PortID(at % 3), Class: sluice.Class(at % 8)}
		egress := sluice.PortID(at / 3 % 3)
		v := tap.Enqueue(now, egress, p)
		fifo[place{egress, v.Queue()}] = append(fifo[place{egress, v.Queue()}], p)
		for port := sluice.PortID(0); (at%5 == 0 || at == packets-1) && port < 3; port++ {
			for q, ok := tap.Next(now, port); ok; q, ok = tap.Next(now, port) {
				tap.Dequeue(now, port, q, fifo[place{port, q}][0])
				fifo[place{port, q}] = fifo[place{port, q}][1:]
			}
		}
	}
}

// A program that does what the machine does shows no difference, and what was compared is counted.
func TestNoDifference(t *testing.T) {
	f := newForwarding()
	tap, err := replay.New(f.config(t))
	require.NoError(t, err)
	pass(tap, 1001)
	require.NoError(t, tap.Check())
	stats := tap.Stats()
	assert.Equal(t, []uint64{2002, 1001}, []uint64{stats.Inputs, stats.Packets})
	assert.Empty(t, stats.LeftOut)
	assert.Equal(t, [2]uint32{126}, tap.Program().Register(f.seen, 0, 0))
}

// A wrong entry is found at the first packet that meets it; the report names the input, both
// decisions, and the table.
func TestDifferenceNamesTheTable(t *testing.T) {
	config := newForwarding().config(t)
	config.Entries.Tables[0].Entries[2].Data = []ir.Value{ir.Uint(8)}
	tap, err := replay.New(config)
	require.NoError(t, err)
	pass(tap, 100)
	assert.EqualError(t, tap.Err(), "replay: input 13, Enqueue at 6us: port 2, flow 0x6 from port 0 "+
		"queue 0, 176B: port: the machine says 24 (pipe 0, group 3, channel 0), the program 8 (pipe 0, "+
		"group 1, channel 0)\n"+
		"  ingress table route: send_out(0x8)\n"+
		"  ingress register seen[6]: 0 to 1 by add")
	inputs := tap.Stats().Inputs
	pass(tap, 1)
	assert.Greater(t, tap.Stats().Inputs, inputs, "the machine goes on")
}

// A missing entry is a packet that the program drops.
func TestMissingEntry(t *testing.T) {
	config := newForwarding().config(t)
	config.Entries.Tables[0].Entries = config.Entries.Tables[0].Entries[:2]
	config.Count = true
	tap, err := replay.New(config)
	require.NoError(t, err)
	pass(tap, 90)
	require.NoError(t, tap.Err())
	assert.Equal(t, map[string]uint64{"queue": 30}, tap.Stats().Differences)
}

// What cannot be compared is counted by its reason.
func TestLeftOut(t *testing.T) {
	config := newForwarding().config(t)
	told := config.Wiring.Packet
	config.Wiring.Packet = func(dst []byte, egress sluice.PortID, p *sluice.Packet) ([]byte, string) {
		if p.Flow%10 == 0 {
			return dst, "tenth packet"
		}
		return told(dst, egress, p)
	}
	tap, err := replay.New(config)
	require.NoError(t, err)
	pass(tap, 101)
	require.NoError(t, tap.Check())
	assert.Equal(t, map[string]uint64{"tenth packet": 11, "departure of a packet left out": 11},
		tap.Stats().LeftOut)

	tap.Enqueue(0, 0, &sluice.Packet{Size: 0})
	local := &sluice.Packet{Size: 1, Ingress: sluice.Local}
	tap.Enqueue(0, 0, local)
	tap.Dequeue(0, 0, 0, local)
	assert.Equal(t, uint64(1), tap.Stats().LeftOut["dropped by the machine: bad size"])
	assert.Equal(t, uint64(1), tap.Stats().LeftOut["from no port of the chip"])
	tap.LinkDown(0, 0)
	pass(tap, 1)
	assert.Equal(t, uint64(2), tap.Stats().LeftOut["after a link failed or came up"])
}

// What no tap can be made of is refused by name.
func TestConfigErrors(t *testing.T) {
	for field, spoil := range map[string]func(c *replay.Config){
		"Machine":       func(c *replay.Config) { c.Machine = nil },
		"Program":       func(c *replay.Config) { c.Entries = nil },
		"Ports":         func(c *replay.Config) { c.Ports = c.Ports[1:] },
		"Wiring.Packet": func(c *replay.Config) { c.Wiring.Packet = nil },
		"Tick":          func(c *replay.Config) { c.Tick = -1 },
		"Every":         func(c *replay.Config) { c.Every = -1 },
		"Latency":       func(c *replay.Config) { c.Latency.Notice = -1 },
	} {
		config := newForwarding().config(t)
		spoil(&config)
		_, err := replay.New(config)
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, field, fault.Field)
	}
	config := newForwarding().config(t)
	config.Program.Name = "9"
	_, err := replay.New(config)
	assert.Error(t, err)
}

// Where queues may have other names, the names are one-to-one: two queues of the machine that the
// program takes for one are a difference, as are two numbers for one queue.
func TestRenamedQueues(t *testing.T) {
	for name, test := range map[string]struct {
		renamed bool
		queue   func(p *sluice.Packet) byte
		differ  bool
	}{
		"another order":     {true, func(p *sluice.Packet) byte { return byte(p.Class) ^ 5 }, false},
		"not to be renamed": {false, func(p *sluice.Packet) byte { return byte(p.Class) ^ 5 }, true},
		"two in one":        {true, func(p *sluice.Packet) byte { return byte(p.Class) / 2 }, true},
		"one in two": {
			true, func(p *sluice.Packet) byte { return byte(p.Class) + byte(p.Flow&1)*8 }, true,
		},
		"that the port has not": {true, func(p *sluice.Packet) byte { return byte(p.Class) + 16 }, true},
		"that no port ever has": {
			false, func(p *sluice.Packet) byte { return byte(p.Class) + 100 }, true,
		},
		"the same, and may stay": {true, func(p *sluice.Packet) byte { return byte(p.Class) }, false},
	} {
		config := newForwarding().config(t)
		config.Renamed = test.renamed
		config.Wiring.Packet = func(dst []byte, egress sluice.PortID, p *sluice.Packet) ([]byte, string) {
			return append(dst, byte(egress), test.queue(p), byte(p.Flow)), ""
		}
		tap, err := replay.New(config)
		require.NoError(t, err)
		var held []*sluice.Packet // two packets of each class wait at once
		for at := range 16 {
			p := &sluice.Packet{Flow: uint64(at), Size: 100, Class: sluice.Class(at / 2)}
			tap.Enqueue(0, 1, p)
			held = append(held, p)
		}
		for len(held) > 0 {
			q, ok := tap.Next(0, 1)
			require.True(t, ok)
			at := slices.IndexFunc(held, func(p *sluice.Packet) bool { return int(p.Class) == int(q) })
			tap.Dequeue(0, 1, q, held[at])
			held = slices.Delete(held, at, at+1)
		}
		assert.Equal(t, test.differ, tap.Check() != nil, "%s: %v", name, tap.Err())
		if test.differ {
			assert.ErrorContains(t, tap.Err(), ": queue: ", name)
		}
	}
}

// Packets of the generator come after each input, and what the program does with them is compared.
func TestTimers(t *testing.T) {
	f := newForwarding()
	config := f.config(t)
	var asked int
	config.Wiring.Timers = func(now sluice.Time, generate func(pipe, app, batch, packet int)) {
		if asked++; asked == 3 {
			generate(0, 2, 0, 0) // its first octet says to go by port 2
		}
	}
	tap, err := replay.New(config)
	require.NoError(t, err)
	tap.Expire(5)
	tap.Expire(6)
	require.NoError(t, tap.Err())
	tap.Expire(7)
	assert.ErrorContains(t, tap.Err(),
		"input 3, Expire at 0ps: copies: the machine says no packet of the "+
			"generator's in a queue, the program one")
	assert.Equal(t, 3, asked)
}

// Registers are compared every Config.Every inputs, and by Check.
func TestStateIsCompared(t *testing.T) {
	f := newForwarding()
	config := f.config(t)
	config.Every = 4
	config.Wiring.State = func(registers *ir.Machine) *replay.Difference {
		if seen := registers.Register(f.seen, 0, 1); seen[0] > 1 {
			return &replay.Difference{What: "register seen[1]", Machine: "at most 1", Program: "2"}
		}
		return nil
	}
	tap, err := replay.New(config)
	require.NoError(t, err)
	for range 3 {
		tap.Enqueue(0, 0, &sluice.Packet{Size: 1, Class: 1})
		require.NoError(t, tap.Err(), "not yet")
	}
	tap.Enqueue(0, 0, &sluice.Packet{Size: 1, Class: 2})
	assert.ErrorContains(t, tap.Audit(), "register seen[1]: the machine says at most 1, the program 2")
	assert.Equal(t, uint64(1), tap.Stats().States)
}
