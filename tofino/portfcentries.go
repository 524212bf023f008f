package tofino

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

func (b *portfcBuilder) entries() {
	b.rows("port_in", b.each(func(at int) (ir.Call, int) {
		return b.call("from_port", at), int(b.Ports[at])
	}))
	b.rows("egress", b.egressEntries())
	b.rows("queue", b.queueEntries())
	b.rows("packet_cells", b.cellEntries())
	b.rows("limits", b.limitEntries())
	b.rows("others", b.each(func(at int) (ir.Call, int) {
		return b.call("to_others", allPorts, at+1), at
	}))
	b.rows("afc", b.wordEntries())
	b.rows("signals", b.sends())
	if b.Depth == Ghost {
		var depths []ir.Entry
		for at := range b.Ports {
			depths = append(depths, b.reports("report", at, b.ddq(), at))
		}
		b.rows("depth", depths)
	}
	b.fixed()
}

// digit returns the key that matches the addresses of the network with a digit.
func (b *portfcBuilder) digit(layer, value int) ir.KeyValue {
	mask := ^uint32(0)
	for at, d := range b.addresses.Digits {
		if at != layer {
			mask &^= d.mask()
		}
	}
	return ir.TernaryKey(uint64(b.addresses.number()|uint32(value)<<b.addresses.Digits[layer].Low),
		uint64(mask))
}

func (b *portfcBuilder) egressEntries() (entries []ir.Entry) {
	for at, port := range b.Ports {
		entries = append(entries, ir.Entry{Keys: []ir.KeyValue{b.digit(b.layer, at)}, Priority: 1,
			Call: b.call("leave_by", int(port), at)})
	}
	return entries
}

// other returns the layer to which this switch's packets can go next, and the digit of that layer
// that all nodes at this switch have.
func (b *portfcBuilder) other() (layer, own int) {
	layer = 1 - b.layer
	return layer, b.network.Digit(b.network.NodeAt(b.full.Switch, 0), layer)
}

func (b *portfcBuilder) queueEntries() (entries []ir.Entry) {
	for class := range sluice.Class(sluice.Classes) {
		if b.full.High.Has(class) {
			entries = append(entries, ir.Entry{Priority: 1, Call: b.call("to_hq"),
				Keys: []ir.KeyValue{ir.TernaryKey(uint64(class), 7), ir.TernaryKey(0, 0)}})
		}
	}
	layer, own := b.other()
	for value := range b.network.N {
		call := b.call("to_ddq")
		if value != own {
			call = b.call("to_ihfq", ihfq(value, own))
		}
		entries = append(entries, ir.Entry{Priority: 2, Call: call,
			Keys: []ir.KeyValue{ir.TernaryKey(0, 0), b.digit(layer, value)}})
	}
	return entries
}

// ihfq returns the queue for an egress of the next switch, whose port to the node is own: no packet
// leaves by that port.
func ihfq(egress, own int) int {
	if egress > own {
		return egress - 1
	}
	return egress
}

// limitEntries say the thresholds in cells: X_off, which a queue reaches or exceeds, is rounded up,
// and X_on, below which or at which it resumes, is rounded down.
func (b *portfcBuilder) limitEntries() (entries []ir.Entry) {
	countsDDQ := b.number("COUNTS_DDQ")
	for at := range b.network.N {
		link := b.full.Ports[at].Link
		for _, one := range []struct {
			class, queue int
			off, on      sluice.Ratio
		}{
			{b.number("COUNTS_IHFQ"), 0, b.full.XOff, b.full.XOn},
			{countsDDQ, b.ddq(), b.full.DirectXOff, b.full.DirectXOn},
		} {
			off := max(bytesOf(one.off, link), 1)
			on := min(bytesOf(one.on, link), off)
			arrive, most := "arrives", int(chip.Cells(int64(off)))
			leave, least := "leaves", int(on/chip.CellBytes)
			if b.Depth == Ghost && one.class == countsDDQ {
				unit := int(b.Unit.Cells())
				arrive, most = "missing_to", (most+unit-1)/unit
				leave, least = "missing_to", least/unit+1 // at most that is less than one more
			}
			entries = append(entries,
				b.exact(b.call(arrive, most, one.queue), b.number("KIND_DATA"), one.class, at),
				b.exact(b.call(leave, least, one.queue), b.number("KIND_NOTICE"), one.class, at))
		}
	}
	return entries
}

// wordEntries say which IHFQ of a port a frame of its node is about: the IHFQ for the congested
// port of the node's other switch, whose DDQ is full.
func (b *portfcBuilder) wordEntries() (entries []ir.Entry) {
	layer, own := b.other()
	for at := range b.Ports {
		for congested := range b.network.N {
			if congested != own {
				entries = append(entries, b.says(at, ihfq(congested, own), at, b.ddq(), congested, layer))
			}
		}
	}
	return entries
}

// allPorts is the multicast group of all ports, and its only node.
const allPorts = 1

// fixed fills the chip's tables of queues, mirrors and multicast. IHFQs obey words and may fill the
// buffer, HQ goes first.
func (b *portfcBuilder) fixed() {
	var all []uint64
	ddq := b.ddq()
	for at, port := range b.Ports {
		all = append(all, uint64(port))
		for qid := range b.hq() {
			b.queueTables(at, qid, queueUse{priority: 1, held: qid < ddq, reported: qid == ddq,
				cells: chip.BufferCells})
		}
		b.queueTables(at, b.hq(), queueUse{signals: true})
		b.add(ir.MulticastPrune, 0, "", list{datum("$MULTICAST_L2_XID", int64(at+1))},
			list{{Field: "$DEV_PORT", Value: []uint64{uint64(port)}}})
	}
	b.chipTables()
	b.mirror("SIGNAL_SESSION", "INGRESS", clonedOctets, true)
	b.mirror("NOTICE_SESSION", "EGRESS", clonedOctets, true)
	b.add(ir.MulticastNodes, 0, "", list{datum("$MULTICAST_NODE_ID", allPorts)}, list{
		datum("$MULTICAST_RID", allPorts), {Field: "$DEV_PORT", Value: all}})
	b.add(ir.MulticastGroups, 0, "", list{datum("$MGID", allPorts)},
		list{{Field: "$MULTICAST_NODE_ID", Value: []uint64{allPorts}}})
}
