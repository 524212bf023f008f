package tofino

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// builder is a program that is being written for a site, with what fills it. The builders of the
// protocols stand on it.
type builder struct {
	site
	entryRoom
	p       *ir.Program
	filled  *ir.Config
	defines defines
	src     *p4.Program
}

func (b *builder) made() Made {
	b.defines.settled(b.p)
	return Made{b.p, b.filled, b.Site, b.rates}
}

// rows gives a table its entries.
func (b *builder) rows(table string, entries []ir.Entry) {
	b.filled.Tables = append(b.filled.Tables,
		ir.TableConfig{Table: b.src.Table(table), Entries: entries})
}

// sized gives a table its entries, and room for no more entries: the configuration says how many.
func (b *builder) sized(table, define string, entries []ir.Entry) {
	size := max(1, len(entries))
	b.src.Table(table).Size = size
	b.defines.set(define, size)
	b.rows(table, entries)
}

func (b *builder) call(action string, values ...int) ir.Call {
	return b.entryRoom.call(b.src.Action(action), values...)
}

// element fills an element of a register in all pipes.
func (b *builder) element(r *ir.Register, index, value int) {
	b.filled.Registers = append(b.filled.Registers, ir.RegisterEntry{Register: r, Pipe: -1,
		Index: index, Value: [2]uint32{uint32(value)}})
}

// egressClass returns the first port of a port's rate: ports of a rate have the same thresholds.
func (b *builder) egressClass(at int) int { return slices.Index(b.rates, b.rates[at]) }

// each returns an entry for each port.
func (b *builder) each(entry func(at int) (call ir.Call, key int)) []ir.Entry {
	entries := make([]ir.Entry, 0, len(b.Ports))
	for at := range b.Ports {
		call, key := entry(at)
		entries = append(entries, b.exact(call, key))
	}
	return entries
}

// routed returns the entries of the table of routes, with what a protocol wants to know of the
// port.
func (b *builder) routed(more func(to int) []int) (entries []ir.Entry) {
	for _, route := range b.Routes {
		octets, to := route.To.Addr().As4(), int(route.Port)
		entries = append(entries, ir.Entry{
			Keys: []ir.KeyValue{ir.PrefixKey(ir.BytesValue(octets[:]), route.To.Bits())},
			Call: b.call("route_to", append([]int{int(b.Ports[to]), to}, more(to)...)...)})
	}
	return entries
}

// sends returns the entries of the table of frames.
func (b *builder) sends() []ir.Entry {
	mac, send := ir.BytesValue(b.mac[:]), b.src.Action("send_signal")
	return b.each(func(at int) (ir.Call, int) {
		return ir.Call{Action: send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}, int(b.Ports[at])
	})
}

// reports returns the entry by which ghost tells the depth of a queue to an element of a register.
func (b *builder) reports(report string, at, qid, element int) ir.Entry {
	queue := b.physical(at, qid)
	return b.exact(b.call(report, element), queue.Pipe(), queue.Ghost())
}

// says returns the entry of a word of flow control for a queue. A word has 32 bits, which an int of
// 32 bits cannot hold.
func (b *builder) says(at, qid int, keys ...int) ir.Entry {
	value := ir.Uint(uint64(chip.Resume(b.physical(at, qid))))
	return b.exact(ir.Call{Action: b.src.Action("say_word"), Data: []ir.Value{value}}, keys...)
}

// cellEntries say how many cells IP packets of each length take, up to the longest, with what
// Ethernet adds to them.
func (b *builder) cellEntries() (entries []ir.Entry) {
	for cells := 1; cells <= b.mostCells(); cells++ {
		least := (cells-1)*chip.CellBytes - b.overhead + 1
		most := cells*chip.CellBytes - b.overhead
		entries = append(entries, ir.Entry{Call: b.call("takes_cells", cells), Priority: cells,
			Keys: []ir.KeyValue{ir.RangeKey(uint64(max(least, 0)), uint64(min(most, 1<<16-1)))}})
	}
	return entries
}
