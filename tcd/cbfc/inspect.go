package cbfc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Config returns a deep copy of the configuration, its defaults filled in.
func (s *Switch) Config() Config {
	c := s.config
	c.Ports = slices.Clone(c.Ports)
	return c
}

// Buffered returns the bytes in all queues of all ports, local packets included.
func (s *Switch) Buffered() sluice.Bytes { return sluice.Bytes(s.buffered) }

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now      sluice.Time // the latest time of a hook
	Buffered sluice.Bytes
	Deadline sluice.Time
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port    sluice.PortID
	Down    bool            // the link is down
	Held    sluice.ClassSet // VLs without credit for an MTU
	Heard   sluice.ClassSet // VLs that the peer spoke of since the link came up
	Pending sluice.ClassSet // VLs that an FCP waits for the transmitter for
	VL      [sluice.Classes]VLSnapshot
}

// VLSnapshot is the observable state of a VL of a port.
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

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		s.clock.Now(), s.Buffered(), s.Deadline(), chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state.
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

// Credit returns the blocks that VL q may send; 0 if there is no such VL.
func (p *Port) Credit(q sluice.QueueID) int {
	if q >= sluice.Classes {
		return 0
	}
	return int(p.vls[q].credit)
}

// IngressBlocks returns the blocks that VL class uses of this port's buffer; 0 if there is no such
// VL.
func (p *Port) IngressBlocks(class sluice.Class) int {
	if class >= sluice.Classes {
		return 0
	}
	return int(p.vls[class].used)
}
