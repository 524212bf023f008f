package conformance

import (
	"runtime"

	"github.com/sluicefc/sluice"
)

var frameFault fault // of the last toy made: frames have no owner

var garbage any // keeps a fault's allocations

// The faults that are not one line of the protocol above.

func (p *toyPort) spoilEnqueue(
	now sluice.Time, pk *sluice.Packet, v sluice.Verdict,
) sluice.Verdict {
	s := p.owner
	switch s.fault {
	case allocates:
		garbage = make([]byte, 16)
	case losesBytes:
		if pk.Size == 64 {
			s.held--
		}
	case namesWrongQueue:
		if pk.Size == 64 {
			return sluice.AppendToQueue(1 - v.Queue()).WithWake(v.Wake())
		}
	case namesNoQueue:
		return sluice.AppendToQueue(toyQueues).WithWake(v.Wake())
	case reorders:
		if pk.Size == 64 && v.Queue() == 1 { // small packets overtake
			p.add(1, pk.Size, -1)
			p.add(0, pk.Size, 1)
			return sluice.AppendToQueue(0).WithWake(v.Wake())
		}
	case changesPacket:
		pk.Class = 0
	case keepsPointer:
		s.keep = pk
		s.held -= pk.Size // and adds it when it is asked
	case notDeterministic:
		if scheduled++; scheduled%7 == 0 {
			return v.WithWake(sluice.WakePort(p.id))
		}
	case breaksOnce:
		if scheduled++; scheduled == 101 {
			s.held++
		}
	case dropsEarly:
		if p.length[0] > 4 {
			p.add(v.Queue(), pk.Size, -1)
			if pk.Ingress != sluice.Local {
				s.ports[pk.Ingress].ingress -= pk.Size
			}
			return sluice.DropBecause(sluice.BufferFull).WithWake(v.Wake())
		}
	case leaksMemory:
		s.leak = append(s.leak, nil)
		runtime.KeepAlive(s.leak)
	}
	return v
}

// scheduled is the state shared by machines that one fault has.
var scheduled int

func (p *toyPort) spoilNext() (q sluice.QueueID, ok, spoilt bool) {
	switch p.owner.fault {
	case nextForgets:
		return 0, false, p.length[0] == 0 && p.length[1] > 0
	case nextIgnoresPause:
		return 0, true, p.paused && p.length[0] > 0
	case nextAnswersEmpty:
		return 0, true, !p.paused && p.length[0] == 0 && p.length[1] == 0
	case nextAlternates:
		if p.length[0] > 0 && p.length[1] > 0 && !p.paused {
			return sluice.QueueID(p.calls & 1), true, true
		}
	}
	return 0, false, false
}

func (p *toyPort) spoilMove(v sluice.Verdict) sluice.Verdict {
	if p.owner.fault == movesForEver {
		p.backlog[1], p.backlog[0] = p.backlog[0]+p.backlog[1], 0
		p.length[1], p.length[0] = p.length[0]+p.length[1], 0
		return sluice.AppendToQueue(1)
	}
	return v
}

func (p *toyPort) spoilTransmit(pk *sluice.Packet, v sluice.Verdict) sluice.Verdict {
	switch p.owner.fault {
	case losesBytesAtDequeue:
		if pk.Class == 2 {
			p.backlog[0]++
		}
	case panicsOnHold:
		if p.calls > 30 {
			panic("index out of range")
		}
	}
	return v
}
