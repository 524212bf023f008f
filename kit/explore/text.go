package explore

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
)

// text describes what waits, what is on the links, and which queues with packets are held, a line
// for each.
func (w *world) text() (lines []string) {
	for i, n := range w.nodes {
		name := w.network.Nodes[i].Name
		if name == "" {
			name = fmt.Sprint("node ", i)
		}
		for port := range n.machine.Ports() {
			for q := range n.machine.Queues() {
				fifo := *n.fifo(sluice.PortID(port), sluice.QueueID(q))
				if len(fifo) == 0 {
					continue
				}
				held := ""
				if !n.machine.Sendable(sluice.PortID(port), sluice.QueueID(q)) {
					held = ", held"
				}
				lines = append(lines, fmt.Sprintf("%s port %d queue %d: %s%s", name, port, q, list(fifo), held))
			}
		}
	}
	for i := range w.wires {
		d := &w.wires[i]
		for k := range d.items {
			what := d.items[k].kind
			if p := &d.items[k].packet; d.items[k].frame == "" {
				what = fmt.Sprintf("%d.%d", p.flow, p.number)
			}
			lines = append(lines, fmt.Sprintf("%s on its way to %v", what, d.to))
		}
	}
	return lines
}

// list names packets by flow and number.
func list(fifo []packet) string {
	var names []string
	for i := range fifo {
		names = append(names, fmt.Sprintf("%d.%d", fifo[i].flow, fifo[i].number))
	}
	return strings.Join(names, " ")
}

// difference returns the lines that are new, and says how many are gone.
func difference(before, after []string) string {
	old := map[string]int{}
	for _, line := range before {
		old[line]++
	}
	var fresh []string
	for _, line := range after {
		if old[line]--; old[line] < 0 {
			fresh = append(fresh, line)
		}
	}
	if len(fresh) == 0 {
		return "-"
	}
	return strings.Join(fresh, "; ")
}
