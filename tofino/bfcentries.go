package tofino

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fills tables, stacks and the chip's own tables. Data queues obey words and share the rate
// that signals leave; a paused queue may fill the buffer, but hold no more than registers can
// count.
func (b *bfcBuilder) entries() {
	b.rows("port_in", b.each(func(at int) (ir.Call, int) {
		return b.call("from_port", at, b.ingressClass(at), int(stickyTime(&b.full, at)/tick),
			b.full.Ports[at].UpstreamQueues), int(b.Ports[at])
	}))
	b.rows("route", b.routed(func(to int) []int { return []int{b.egressClass(to)} }))
	b.rows("packet_cells", b.cellEntries())
	b.sized("threshold", "THRESHOLDS", b.thresholdEntries())
	if len(b.full.Withhold) > 0 {
		b.sized("withhold", "WITHHELD_PAIRS", b.withheldEntries())
	}
	never, freeID := b.number("NEVER"), b.src.Register("free_id")
	var words, depths []ir.Entry
	for at, port := range b.Ports {
		for qid := range b.full.Queues {
			words = append(words, b.says(at, qid, int(port), qid))
			if b.Depth == Ghost {
				depths = append(depths, b.reports("report", at, qid, at<<b.queueBits|qid))
			}
			// Stacks of free queues, queue 0 on top.
			b.element(freeID, at<<b.queueBits|qid, b.full.Queues-1-qid)
			b.queueTables(at, qid, queueUse{priority: 1, held: true, reported: true,
				cells: int64(never) - 1})
		}
		b.queueTables(at, b.full.Queues, queueUse{signals: true})
	}
	b.rows("afc", words)
	b.rows("signals", b.sends())
	if b.Depth == Ghost {
		b.rows("depth", depths)
	}
	b.chipTables()
	b.mirror("SIGNAL_SESSION", "INGRESS", clonedOctets, false)
	b.mirror("NOTICE_SESSION", "EGRESS", noticeOctets, true)
}

// ingressClass returns the first port with the HRTT of a port: all ports of a class have the same
// thresholds.
func (b *bfcBuilder) ingressClass(at int) int {
	return slices.IndexFunc(b.full.Ports, func(p bfc.PortConfig) bool {
		return p.HRTT == b.full.Ports[at].HRTT
	})
}

// thresholdEntries say, for each class of ingress, class of egress, and number of active queues,
// how many cells a queue may have.
func (b *bfcBuilder) thresholdEntries() (entries []ir.Entry) {
	for in := range b.full.Ports {
		for out := range b.full.Ports {
			if b.ingressClass(in) != in || b.egressClass(out) != out {
				continue
			}
			for active := range b.full.Queues + 1 {
				entries = append(entries, b.exact(b.call("limit_to", int(b.limit(in, out, active))), in, out,
					active))
			}
		}
	}
	return entries
}

// limit returns the threshold above which a queue pauses, in cells or in ghost's units. Packets are
// whole cells, so that more bytes than the threshold are more cells than the threshold has.
func (b *bfcBuilder) limit(in, out, active int) int64 {
	bytes := b.machine.Threshold(sluice.PortID(in), sluice.PortID(out), active)
	cells := int64(bytes) / chip.CellBytes
	if b.Depth == Ghost {
		down, _ := b.Unit.Round(chip.Above, cells)
		cells, _ = b.Unit.Limit(chip.Above, down)
	}
	return min(cells, 1<<limitBits-1)
}

func (b *bfcBuilder) withheldEntries() (entries []ir.Entry) {
	for at, pair := range b.full.Withhold {
		if !slices.Contains(b.full.Withhold[:at], pair) {
			entries = append(entries, b.exact(b.call("withholds"), int(pair.Ingress), int(pair.Egress)))
		}
	}
	return entries
}
