package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

func (b *ofcBuilder) entries() {
	b.rows("port_in", b.each(func(at int) (ir.Call, int) {
		return b.call("from_port", at, at), int(b.Ports[at])
	}))
	b.rows("route", b.routed(func(int) []int { return nil }))
	b.rows("packet_cells", b.cellEntries())
	b.rows("class_queue", b.classEntries())
	b.rows("limits", b.each(func(at int) (ir.Call, int) { return b.limit(at), at }))
	words, depths := b.queueEntries()
	b.rows("afc", words)
	if b.Depth == Ghost {
		for q, entries := range depths {
			b.rows(fmt.Sprint("queues", q), entries)
		}
	}
	b.rows("signals", b.sends())
	b.fixed()
}

func (b *ofcBuilder) classEntries() (entries []ir.Entry) {
	for class := range sluice.Class(sluice.Classes) {
		action := "not_under_ofc"
		if b.full.Classes.Has(class) {
			action = "under_ofc"
		}
		entries = append(entries, b.exact(b.call(action, b.queueOf(class, 0)), int(class)))
	}
	return entries
}

// limit returns the thresholds of an ingress in cells: the most cells that are less than X^c_OFF,
// the most that are less than X_OFF, and the least that are more than X_ON.
func (b *ofcBuilder) limit(at int) ir.Call {
	p := &b.full.Ports[at]
	cells := func(bytes sluice.Bytes) int { return int(chip.Cells(int64(bytes))) }
	long := cells(p.XOffCongested) - 1
	if b.Depth == Ghost {
		least, _ := b.Unit.Round(chip.Above, int64(long))
		units, _ := b.Unit.Limit(chip.Above, least)
		long = int(units)
	}
	return b.call("limit_to", cells(p.XOffCongested)-1, cells(p.XOff)-1,
		int(p.XOn/chip.CellBytes)+1, long)
}

// queueEntries fills the scheduler's entries of each queue, and returns the words that hold queues
// of classes under OFC and, by the places of queues in their classes, the entries by which ghost
// tells depths. Data queues may fill the buffer. Classes go by strict priority, or take turns if
// there is a quantum.
func (b *ofcBuilder) queueEntries() (words []ir.Entry, depths [ofc.QueuesPerClass][]ir.Entry) {
	for at := range b.Ports {
		for class := range sluice.Class(sluice.Classes) {
			use := queueUse{priority: int(max(class, 1) - 1), // 7 is for signals alone
				held: b.full.Classes.Has(class), reported: true, cells: chip.BufferCells}
			if b.full.Quantum > 0 {
				use.priority = 1
			}
			for q := range b.queuesOf(class) {
				qid := b.queueOf(class, q)
				b.queueTables(at, qid, use)
				if use.held { // no frame holds a class that is not under OFC
					words = append(words, b.says(at, qid, at, int(class), q))
				}
				if b.Depth == Ghost {
					depths[q] = append(depths[q],
						b.reports(fmt.Sprint("report", q), at, qid, at*sluice.Classes+int(class)))
				}
			}
		}
		b.queueTables(at, b.signals(), queueUse{signals: true})
	}
	return words, depths
}

// queuesOf returns how many queues a class has: one if it is not under OFC. queueOf returns the
// number of a queue of a class, signals the number of the queue of signals.
func (b *ofcBuilder) queuesOf(class sluice.Class) int {
	if b.full.Classes.Has(class) {
		return ofc.QueuesPerClass
	}
	return 1
}

func (b *ofcBuilder) queueOf(class sluice.Class, q int) int {
	for below := range class {
		q += b.queuesOf(below)
	}
	return q
}

func (b *ofcBuilder) signals() int { return b.queueOf(sluice.Classes, 0) }

// StartApp is the application of the packet generator that holds all backup queues as the program
// begins: a batch for each port, a packet for each backup queue of each class.
const StartApp = 1

// startPackets is how many packets a batch of StartApp has.
const startPackets = 2 * sluice.Classes

// fixed fills the chip's tables of mirrors and of the generator.
func (b *ofcBuilder) fixed() {
	b.chipTables(turnOn("pktgen_enable"))
	b.mirror("SIGNAL_SESSION", "INGRESS", clonedOctets, false)
	b.mirror("NOTICE_SESSION", "EGRESS", noticeOctets, true)
	b.mirror("ROUND_SESSION", "INGRESS", clonedOctets, true)
	b.mirror("MOVED_SESSION", "EGRESS", mostMoved+14, true)
	b.add(ir.GeneratorApp, b.pipe(), "trigger_timer_one_shot", list{datum("app_id", StartApp)}, list{
		turnOn("app_enable"), datum("timer_nanosec", 1000), datum("pkt_len", noticeOctets),
		datum("pkt_buffer_offset", 0),
		datum("pipe_local_source_port", int64(b.number("RECIRCULATION"))),
		datum("batch_count_cfg", int64(len(b.Ports)-1)),
		datum("packets_per_batch_cfg", startPackets-1)})
}
