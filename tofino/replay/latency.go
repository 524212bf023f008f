package replay

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
)

// agenda lists the events that happen later on a chip that is not ideal. Each kind of event has one
// delay, so that events happen in the order of their causes.
type agenda struct {
	notices []notice
	reports []report
}

// notice is a packet that comes round.
type notice struct {
	at     sluice.Time
	port   chip.DevPort
	octets []byte
}

// report is the depth of a queue that is on its way to ghost.
type report struct {
	at    sluice.Time
	queue chip.Queue
	cells int64
}

// catchUp lets events happen that are due by now.
func (t *Tap) catchUp(now sluice.Time) {
	for len(t.later.notices) > 0 && t.later.notices[0].at <= now && t.comparing() {
		n := t.later.notices[0]
		t.later.notices = t.later.notices[1:]
		t.latest = max(t.latest, n.at)
		t.outcome(n.at, t.chip.Receive(t.clock(), n.port, n.octets))
	}
	for len(t.later.reports) > 0 && t.later.reports[0].at <= now {
		r := t.later.reports[0]
		t.later.reports = t.later.reports[1:]
		t.report(r)
	}
}

// depth adds cells to a queue of the chip, and reports its depth to ghost.
func (t *Tap) depth(now sluice.Time, id sluice.PortID, q int, more int64) {
	cells := &t.ports[id].cells[q]
	*cells += more
	if !t.config.Ghost {
		return
	}
	queue, err := t.config.Carving.Queue(t.config.Ports[id], q)
	if err != nil {
		return // it was compared before: the port has the queue
	}
	r := report{now.Add(t.config.Latency.Report), queue, *cells}
	if t.config.Latency.Report == 0 {
		t.report(r)
		return
	}
	t.later.reports = append(t.later.reports, r)
}

func (t *Tap) report(r report) { t.chip.Ghost(r.queue, uint64(t.config.Unit.Qlength(r.cells))) }
