package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Config returns a deep copy of the configuration, its defaults filled in.
func (s *Switch) Config() Config { return s.config.filled() }

// Buffered returns the bytes in all queues of all ports, local packets included.
func (s *Switch) Buffered() sluice.Bytes { return sluice.Bytes(s.buffered) }

// Free returns the free bytes of pool 0.
func (s *Switch) Free() sluice.Bytes { return sluice.Bytes(s.free[0]) }

// Pool returns the size of pool 0: the buffer without reserves, headrooms and other pools;
// MaxBuffer if there is no limit.
func (s *Switch) Pool() sluice.Bytes { return sluice.Bytes(s.pool[0]) }

// FreeOf returns the free bytes of a pool, 0 or one of Config.Pools counted from 1; 0 if there is
// no such pool.
func (s *Switch) FreeOf(pool int) sluice.Bytes {
	if pool < 0 || pool >= maxPools {
		return 0
	}
	return sluice.Bytes(s.free[pool])
}

// FreeOfEgress returns the bytes of one of Config.EgressPools, counted from 0, that no queue has
// taken; 0 if there is no such pool.
func (s *Switch) FreeOfEgress(pool int) sluice.Bytes {
	if pool < 0 || pool >= maxPools {
		return 0
	}
	return sluice.Bytes(s.egress.free[pool])
}

// FreeHeadroom returns the free bytes of the shared headroom pool; 0 if there is none.
func (s *Switch) FreeHeadroom() sluice.Bytes {
	if s.config.HeadroomPool == 0 {
		return 0
	}
	return sluice.Bytes(s.freeHeadroom)
}

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now            sluice.Time // the latest time of a hook
	Buffered, Free sluice.Bytes
	Deadline       sluice.Time
	Local          [sluice.Classes]sluice.Bytes // local packets in the queues of each class
	BigRedSwitch   bool                         // every lossless class is discarded
	Changing       bool                         // packets wait from before a change of Classes
	Pools          [maxPools]PoolSnapshot
	Ports          []PortSnapshot
}

// PoolSnapshot is the observable state of a shared pool.
type PoolSnapshot struct{ Size, Free sluice.Bytes }

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port     sluice.PortID
	Down     bool            // the link is down
	Paused   sluice.ClassSet // classes whose upstream is to be paused
	Told     sluice.ClassSet // classes that the last frame to the upstream paused
	Pending  bool            // a frame waits for the transmitter
	Held     sluice.ClassSet // classes that the peer holds
	Storming sluice.ClassSet // classes in a pause storm
	Class    [sluice.Classes]ClassSnapshot
}

// ClassSnapshot is the observable state of a class of a port.
type ClassSnapshot struct {
	Backlog   sluice.Bytes // in the egress queue
	Lossy     sluice.Bytes // of it lossy
	Local     sluice.Bytes // of it from no port, where the switch keeps rules: see PortConfig.QoS
	Packets   uint64       // in the egress queue
	Sendable  bool
	HeldSince sluice.Time  // if it is held
	HeldUntil sluice.Time  // Never: not held
	Ingress   sluice.Bytes // held by the ingress, headroom included
	Headroom  sluice.Bytes // of it in headroom
	XOff, XOn sluice.Bytes
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	snapshot := Snapshot{
		Now: s.clock.Now(), Buffered: s.Buffered(), Free: s.Free(), Deadline: s.Deadline(),
		BigRedSwitch: s.watchdog.bigRed, Changing: s.changing,
		Ports: chassis.Each(s.ports, (*Port).Snapshot),
	}
	for pool, size := range s.pool {
		snapshot.Pools[pool] = PoolSnapshot{sluice.Bytes(size), sluice.Bytes(s.free[pool])}
	}
	for c, n := range s.local {
		snapshot.Local[c] = sluice.Bytes(n)
	}
	return snapshot
}

// Snapshot returns a copy of the port's observable state.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{
		Port: p.id, Down: p.down, Paused: p.paused, Told: p.state.told, Pending: p.pending != 0,
		Held: p.state.held, Storming: p.state.storming,
	}
	for i := range snapshot.Class {
		c, q := sluice.Class(i), sluice.QueueID(i)
		snapshot.Class[i] = ClassSnapshot{
			Backlog: p.Backlog(q), Lossy: sluice.Bytes(p.queues[i].lossy), Sendable: p.Sendable(q),
			Packets: p.came(i) - p.left(i), HeldUntil: p.HeldUntil(c),
			Ingress: p.IngressBytes(c), Headroom: p.HeadroomBytes(c), XOff: p.XOff(c), XOn: p.XOn(c),
		}
		if p.state.rules != nil {
			snapshot.Class[i].Local = sluice.Bytes(p.state.rules.local[i])
		}
		if p.state.held.Has(c) {
			snapshot.Class[i].HeldSince = p.state.heldSince[i]
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
	return sluice.Bytes(p.queues[q].bytes)
}

// Sendable reports whether neither a pause nor a shaper holds queue q; false for a queue that does
// not exist.
func (p *Port) Sendable(q sluice.QueueID) bool {
	return q < sluice.Classes && p.blocked>>q&1 == 0
}

// Held returns the classes whose pause timer runs. The watchdog may let one send: see Sendable.
func (p *Port) Held() sluice.ClassSet { return p.state.held }

// HeldUntil returns when the pause of a class runs out; Never if it is not held.
func (p *Port) HeldUntil(class sluice.Class) sluice.Time {
	if class >= sluice.Classes {
		return sluice.Never
	}
	return p.state.expiresAt[class]
}

// Paused returns the classes whose upstream at this ingress is to be paused.
func (p *Port) Paused() sluice.ClassSet { return p.paused }

// IngressBytes returns what this ingress holds in a lossless class, headroom included; else 0.
func (p *Port) IngressBytes(class sluice.Class) sluice.Bytes {
	if class >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.account(class).held())
}

// HeadroomBytes returns how much of that is in headroom.
func (p *Port) HeadroomBytes(class sluice.Class) sluice.Bytes {
	if class >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.account(class).headroom)
}

// Threshold returns T of a class of this ingress as it is now: how much of the pool it may
// take. It moves with the free pool where alpha is given. 0 for a class that is not lossless.
func (p *Port) Threshold(class sluice.Class) sluice.Bytes {
	if !p.lossless(class) {
		return 0
	}
	a := p.account(class)
	return sluice.Bytes(a.limit.bytes(p.room(a)))
}

// XOff returns the IngressBytes at which a pause goes out as the pool is now: the reserve and the
// threshold. 0 for a class that is not lossless.
func (p *Port) XOff(class sluice.Class) sluice.Bytes {
	if !p.lossless(class) {
		return 0
	}
	return sluice.Bytes(p.account(class).reserve) + p.Threshold(class)
}

// XOn returns the IngressBytes at or below which a resume goes out as the pool is now: the reserve,
// and by how much the threshold exceeds the resume offset, or the floor if that is more. 0 for a
// class that is not lossless.
func (p *Port) XOn(class sluice.Class) sluice.Bytes {
	if !p.lossless(class) {
		return 0
	}
	a := p.account(class)
	return max(sluice.Bytes(a.floor), p.XOff(class)-sluice.Bytes(a.resumeOffset))
}

func (p *Port) lossless(class sluice.Class) bool {
	return class < sluice.Classes && p.account(class).flags&lossy == 0
}
