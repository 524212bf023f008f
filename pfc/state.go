package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// ID returns the number of the port.
func (p *Port) ID() sluice.PortID { return p.id }

// Backlog returns the bytes in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if q >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.queues[q].bytes)
}

// Sendable reports whether no pause holds queue q; false for a queue that does not exist.
func (p *Port) Sendable(q sluice.QueueID) bool {
	return q < sluice.Classes && p.blocked>>q&1 == 0
}

// Held returns the classes whose pause timer runs, loaded by frames of the peer. The watchdog
// may let a held class send: see Sendable.
func (p *Port) Held() sluice.ClassSet { return p.held }

// HeldUntil returns when the pause of a class runs out; Never if it is not held.
func (p *Port) HeldUntil(class sluice.Class) sluice.Time {
	if class >= sluice.Classes {
		return sluice.Never
	}
	return p.expiresAt[class]
}

// Paused returns the classes whose upstream at this ingress is to be paused.
func (p *Port) Paused() sluice.ClassSet { return p.paused }

// IngressBytes returns what the ingress of this port holds in a lossless class, headroom included; 0 for
// other classes.
func (p *Port) IngressBytes(class sluice.Class) sluice.Bytes {
	if class >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.account(class).bytes + p.account(class).headroom)
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
	if !p.owner.lossless.Has(class) {
		return 0
	}
	return sluice.Bytes(p.account(class).limit.bytes(p.owner.free))
}

// XOff returns the IngressBytes at which a pause goes out as the pool is now: the reserve and the
// threshold. 0 for a class that is not lossless.
func (p *Port) XOff(class sluice.Class) sluice.Bytes {
	if !p.owner.lossless.Has(class) {
		return 0
	}
	return sluice.Bytes(p.account(class).reserve) + p.Threshold(class)
}

// XOn returns the IngressBytes at or below which a resume goes out as the pool is now: the reserve, and
// by how much the threshold exceeds the resume offset. 0 for a class that is not lossless.
func (p *Port) XOn(class sluice.Class) sluice.Bytes {
	if !p.owner.lossless.Has(class) {
		return 0
	}
	a := p.account(class)
	return sluice.Bytes(a.reserve) + max(0, p.Threshold(class)-sluice.Bytes(a.resumeOffset))
}

// String says in one line what the port is up to: "port 1: backlog {3}, held {}, paused {3}, storming {}". It
// allocates.
func (p *Port) String() string {
	return fmt.Sprintf("port %d: backlog %v, held %v, paused %v, storming %v", p.id, p.backlog, p.held, p.paused, p.storming)
}
