package portfc

import (
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Snapshot is the observable state of a device at a time.
type Snapshot struct {
	Now      sluice.Time // the latest time told
	Deadline sluice.Time
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port   sluice.PortID
	Peer   sluice.SwitchID
	Down   bool     // the link is down
	Pauses []string // detectors that pause: "IHFQ", "DDQ", "relay queue"
	Queues []QueueSnapshot
}

// QueueSnapshot is the observable state of a queue.
type QueueSnapshot struct {
	Bytes   sluice.Bytes
	Packets int
	Held    bool // by the peer
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		s.clock.Now(), s.Deadline(), s.Buffered(), chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state. It allocates.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{
		Port: p.id, Peer: p.peer, Down: p.down, Pauses: p.pausing(),
		Queues: make([]QueueSnapshot, p.owner.queues),
	}
	for i := range p.owner.queues {
		q := p.queue(i)
		snapshot.Queues[i] = QueueSnapshot{q.bytes, int(q.packets), q.holds != 0}
	}
	return snapshot
}

// pausing names the detectors that pause.
func (p *Port) pausing() (names []string) {
	for class := range uint8(classes) {
		if p.pauses(class) {
			names = append(names, p.className(class))
		}
	}
	return names
}

// className names a class of queues: with Config.HopClasses an IHFQ by its relays left, too.
func (p *Port) className(class uint8) string {
	switch {
	case class == relayClass:
		return "relay queue"
	case class == 0:
		return "DDQ"
	case p.owner.network.K == 1:
		return "IHFQ"
	}
	return fmt.Sprintf("IHFQ of %d relays", class)
}

// String describes the port's state in a line: "port 3 to 15: 12000B in 2 of 5 queues, 1 held;
// pauses for DDQ, frame due".
func (p *Port) String() string {
	bytes, full := sluice.Bytes(0), 0
	for q := range p.owner.queues {
		bytes += p.queue(q).bytes
		if p.queue(q).packets > 0 {
			full++
		}
	}
	text := fmt.Sprintf("port %d to %d: %v in %d of %d queues, %d held",
		p.id, p.peer, bytes, full, p.owner.queues, p.heldQueues())
	if names := p.pausing(); len(names) > 0 {
		text += "; pauses for " + strings.Join(names, ", ")
	}
	if p.Owes() {
		text += ", frame due"
	}
	if p.down {
		text += ", link down"
	}
	return text
}

// Dump writes the state for people to read: a line for the device, each port, and queues in use.
func (s *Switch) Dump(w io.Writer) error {
	kind := "node"
	if !s.node {
		kind = fmt.Sprintf("switch of layer %d,", s.layer)
	}
	name := fmt.Sprintf("portfc %s %d of %v", kind, s.config.Switch, s.network)
	d := chassis.NewDump(w, name, len(s.ports), s.Buffered(), s.clock.Now(), s.Deadline())
	for i := range s.ports {
		p := &s.ports[i]
		d.Line("  %v", p)
		for number := range s.queues {
			q, held := p.queue(number), ""
			if q.holds != 0 {
				held = ", held"
			}
			if q.packets > 0 || q.holds != 0 {
				d.Line("    queue %d: %v in %d packets%s", number, q.bytes, q.packets, held)
			}
		}
	}
	return d.Err()
}
