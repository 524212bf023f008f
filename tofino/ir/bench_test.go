package ir_test

import (
	"testing"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// BenchmarkPacket takes a packet from its arrival to its departure and its notice round: four
// passes, six tables and actions, three uses of registers.
func BenchmarkPacket(b *testing.B) {
	c := newCounting()
	m, err := ir.NewMachine(c.program)
	if err != nil {
		b.Fatal(err)
	}
	cfg := &ir.Config{}
	cfg.Tables = []ir.TableConfig{{Table: c.route, Entries: []ir.Entry{{
		Keys: []ir.KeyValue{ir.ExactKey(2)},
		Call: ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(9)}}}}}}
	if err := m.Load(cfg); err != nil {
		b.Fatal(err)
	}
	octets, waiting := packet(2, 0), make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		o := m.Receive(0, 8, octets)
		copied := o.Copies[0]
		waiting = append(waiting[:0], copied.Octets...)
		copied.Octets = waiting
		m.Depart(0, copied, 1)
	}
}

// BenchmarkYardstick is a search in a Go map of 1,024 ports, to compare with.
func BenchmarkYardstick(b *testing.B) {
	ports := map[chip.DevPort]int{}
	for at := range 1024 {
		ports[chip.DevPort(at)] = at
	}
	sum, at := 0, 0
	for b.Loop() {
		sum += ports[chip.DevPort(at*7&1023)]
		at++
	}
	_ = sum
}
