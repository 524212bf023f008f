package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Snapshot is the observable state of a device at a time.
type Snapshot struct {
	Switch   sluice.SwitchID
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
	Due    bool     // a frame waits for the transmitter
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
		s.config.Switch, s.clock.Now(), s.Deadline(), s.Buffered(),
		chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state. It allocates.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{
		Port: p.id, Peer: p.peer, Down: p.down, Due: p.Owes(), Pauses: p.pausing(),
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
