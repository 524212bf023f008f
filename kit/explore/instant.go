package explore

import "github.com/sluicefc/sluice/kit"

// mostAnswers is how many frames a step of an Instant network can lead to.
const mostAnswers = 1000

// exchange sends the frames that are due, which arrive at once, until none is.
func (w *world) exchange() fault {
	for range mostAnswers {
		due := w.due()
		if due < 0 {
			return fault{}
		}
		if f := w.send(&w.wires[due]); f != (fault{}) {
			return f
		}
	}
	return broken("contract", "frames are answered by frames for ever")
}

// due returns the index of a wire for which there is a frame, -1 if there is none.
func (w *world) due() int {
	for i := range w.wires {
		from := w.wires[i].from
		if w.up(i/2) && w.nodes[from.Switch].owes[from.Port] {
			return i
		}
	}
	return -1
}

// checkAll looks at the network for the property that it must have if no frame is due or on a link.
func (w *world) checkAll() fault {
	if w.network.CheckAll == nil || w.framesWait() {
		return fault{}
	}
	var machines []kit.Machine
	for _, n := range w.nodes {
		machines = append(machines, n.machine)
	}
	if err := w.network.CheckAll(machines); err != nil {
		return broken("check", "%v", err)
	}
	return fault{}
}
