package cbfc

import (
	"fmt"
	"io"

	"github.com/sluicefc/sluice"
)

// Config returns the configuration with its defaults filled in, as a deep copy.
func (s *Switch) Config() Config { return s.config.filled() }

// Buffered returns the bytes in all queues of all ports, local packets included.
func (s *Switch) Buffered() sluice.Bytes { return sluice.Bytes(s.buffered) }

// Snapshot is what can be seen of a switch, as a value.
type Snapshot struct {
	Now      sluice.Time // the latest time seen
	Buffered sluice.Bytes
	Deadline sluice.Time
	Ports    []PortSnapshot
}

// PortSnapshot is what can be seen of a port, as a value.
type PortSnapshot struct {
	Port    sluice.PortID
	Down    bool            // the link is down
	Held    sluice.ClassSet // VLs without credit for an MTU
	Heard   sluice.ClassSet // VLs of which the peer was heard since the link came up
	Pending sluice.ClassSet // VLs that an FCP waits for the transmitter for
	VL      [sluice.Classes]VLSnapshot
}

// VLSnapshot is what can be seen of a VL of a port, as a value.
type VLSnapshot struct {
	Backlog  sluice.Bytes // in the egress queue
	Credit   int          // blocks that may go
	FCTBS    uint16       // blocks sent
	Limit    uint16       // the FCCL heard last
	Used     int          // blocks of the ingress buffer
	Capacity int          // blocks that it has
	ABR      uint16       // blocks received
	FCCL     uint16       // the limit as it is
}

// Snapshot returns the state of the switch. It allocates.
func (s *Switch) Snapshot() Snapshot {
	snapshot := Snapshot{Now: s.clock.Now(), Buffered: s.Buffered(), Deadline: s.Deadline()}
	for i := range s.ports {
		snapshot.Ports = append(snapshot.Ports, s.ports[i].Snapshot())
	}
	return snapshot
}

// Snapshot returns the state of the port.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{
		Port: p.id, Down: p.down, Held: p.Held(), Heard: p.heard, Pending: p.pending,
	}
	for i := range snapshot.VL {
		v := &p.vls[i]
		snapshot.VL[i] = VLSnapshot{
			Backlog: sluice.Bytes(v.bytes), Credit: int(v.credit), FCTBS: v.sent, Limit: v.limit,
			Used: int(v.used), Capacity: int(v.size), ABR: v.received, FCCL: v.announced(),
		}
	}
	return snapshot
}

// Dump writes the state of the switch for people to read: a line for the switch, one per port, and
// one per VL in use.
func (s *Switch) Dump(w io.Writer) error {
	_, err := fmt.Fprintf(w, "cbfc switch at %v: buffered %d, deadline %v\n",
		s.clock.Now(), s.buffered, s.Deadline())
	for i := range s.ports {
		p := &s.ports[i]
		if err == nil {
			_, err = fmt.Fprintf(w, "%v\n", p)
		}
		for class := range sluice.Class(sluice.Classes) {
			v := &p.vls[class]
			if !s.classes.Has(class) || err != nil {
				continue
			}
			_, err = fmt.Fprintf(w, "  VL %d: backlog %d, sent %d, limit %d, credit %d; "+
				"received %d, used %d of %d, announced %d\n",
				class, v.bytes, v.sent, v.limit, v.credit, v.received, v.used, v.size, v.announced())
		}
	}
	return err
}

// String says in one line what the port is up to: "port 1: backlog {3}, held {3}, owes {0 3}", and
// "link down" if it is. It allocates.
func (p *Port) String() string {
	text := fmt.Sprintf("port %d: backlog %v, held %v, owes %v", p.id, p.backlog, p.Held(), p.pending)
	if p.down {
		text += ", link down"
	}
	return text
}

// ID returns the number of the port.
func (p *Port) ID() sluice.PortID { return p.id }

// Backlog returns the bytes in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if q >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.vls[q].bytes)
}

// Sendable reports whether queue q has credit for an MTU; false for a queue that does not exist.
func (p *Port) Sendable(q sluice.QueueID) bool { return q < sluice.Classes && p.blocked>>q&1 == 0 }

// Held returns the VLs in use that have no credit for an MTU.
func (p *Port) Held() sluice.ClassSet { return p.blocked & p.owner.classes }

// Credit returns the blocks that VL q may send; 0 for one that does not exist.
func (p *Port) Credit(q sluice.QueueID) int {
	if q >= sluice.Classes {
		return 0
	}
	return int(p.vls[q].credit)
}

// IngressBlocks returns the blocks that VL class uses of this port's buffer; 0 for one that does
// not exist.
func (p *Port) IngressBlocks(class sluice.Class) int {
	if class >= sluice.Classes {
		return 0
	}
	return int(p.vls[class].used)
}
