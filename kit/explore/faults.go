package explore

import (
	"slices"

	"github.com/sluicefc/sluice"
)

func (w *world) setFlap(link int, from, to flap) {
	for i, l := range w.network.Faults.Flaps {
		if l == link && w.faults.flaps[i] == from {
			w.faults.flaps[i] = to
			return
		}
	}
}

// bothEnds calls a hook at both ends of a link, on which nothing is any more.
func (w *world) bothEnds(link int, kind opKind) fault {
	for _, d := range []*wire{&w.wires[2*link], &w.wires[2*link+1]} {
		if f := w.end(d, kind); f != (fault{}) {
			return f
		}
	}
	return fault{}
}

func (w *world) end(d *wire, kind opKind) fault {
	e := w.touch(int(d.from.Switch), op{kind: kind, port: d.from.Port, ahead: d.ahead})
	d.items, d.ahead, d.number = nil, e.ahead, 0
	return e.fault
}

// restart makes a node start anew: its neighbours see their links fail, it forgets all, and the
// links come back.
func (w *world) restart(id int) fault {
	w.faults.restarted[slices.Index(w.network.Faults.Restarts, id)] = true
	fresh, err := w.freshNode(id)
	if err != nil {
		return broken("restart", "node %d: %v", id, err)
	}
	for i := range w.wires {
		d := &w.wires[i]
		if int(d.to.Switch) == id {
			if f := w.end(d, opDown); f != (fault{}) {
				return f
			}
		} else if int(d.from.Switch) == id {
			d.items, d.ahead, d.number = nil, 0, 0
		}
	}
	w.nodes[id] = fresh
	for port := range fresh.ready {
		at := w.wire(sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(port)})
		if at < 0 || !w.up(at/2) {
			continue
		}
		if f := w.bothEnds(at/2, opUp); f != (fault{}) {
			return f
		}
	}
	return w.pass(w.network.Flight)
}

func (w *world) freshNode(id int) (*node, error) {
	if w.memory != nil {
		return w.memory.fresh[id], nil
	}
	return newNode(w.network, id)
}
