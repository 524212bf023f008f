package conformance

import (
	"encoding/binary"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/machine"
	"github.com/sluicefc/sluice/internal/timers"
)

// toy is a complete little protocol, against which the suite itself is tested: an ingress that
// has more than off bytes here pauses its peer, whose pause lasts for hold and is renewed at half
// of it. Packets of odd classes wait in queue 1 and move to the tail of queue 0 before they
// leave. It is a machine of its own fault: each mutant breaks one thing.
type toy struct {
	config  toyConfig
	fault   fault
	latest  sluice.Time
	ports   []*toyPort
	held    sluice.Bytes
	dirty   bitset.Set // ports whose peer is to be told
	timers  timers.Set // by port: end of a received pause; then by port: renewal of a sent one
	misuses int64
	refused int64
	keep    *sluice.Packet
	leak    [][]byte
}

type toyConfig struct {
	ports    int
	off, on  sluice.Bytes
	headroom sluice.Bytes
	hold     sluice.Time // 0: a pause lasts until it is lifted
}

type toyPort struct {
	owner   *toy
	id      sluice.PortID
	backlog [2]sluice.Bytes
	length  [2]int64
	ingress sluice.Bytes // bytes of this ingress, wherever they wait
	pausing bool         // the peer was told, or is about to be told, to stop
	paused  bool         // the peer told us to stop
	calls   int64
}

type toyFrame struct {
	pause bool
	hold  sluice.Time
}

const toyQueues = 2

func newToy(config toyConfig, f fault) *toy {
	frameFault = f
	s := &toy{config: config, fault: f, dirty: bitset.New(config.ports), timers: timers.New(2 * config.ports)}
	for i := range config.ports {
		s.ports = append(s.ports, &toyPort{owner: s, id: sluice.PortID(i)})
	}
	return s
}

func wrapToy(s *toy) machine.Machine { return machine.Wrap[*toy, *toyPort, toyFrame](s) }

func (s *toy) Ports() int                       { return len(s.ports) }
func (s *toy) Queues() int                      { return toyQueues }
func (s *toy) Port(id sluice.PortID) *toyPort   { return s.ports[id] }
func (p *toyPort) Sendable(sluice.QueueID) bool { return !p.paused }

func (s *toy) Buffered() sluice.Bytes {
	if s.keep != nil {
		s.held += sluice.Bytes(s.keep.Size)
		s.keep = nil
	}
	return s.held
}

func (s *toy) clock(now sluice.Time) sluice.Time {
	if s.fault == timeGoesBack {
		s.latest = now
	}
	s.latest = max(s.latest, now)
	return s.latest
}

func (p *toyPort) Enqueue(now sluice.Time, pk *sluice.Packet) sluice.Verdict {
	s := p.owner
	if reason := s.refuse(pk); reason != sluice.NoReason {
		s.refused++
		return sluice.DropBecause(reason)
	}
	now = s.clock(now)
	local := pk.Ingress == sluice.Local
	if !local && s.ports[pk.Ingress].ingress+sluice.Bytes(pk.Size) > s.config.off+s.config.headroom {
		return s.dropFull()
	}
	var w sluice.Wake
	if !local {
		in := s.ports[pk.Ingress]
		in.ingress += sluice.Bytes(pk.Size)
		w = in.update(now)
	}
	q := sluice.QueueID(pk.Class & 1)
	p.add(q, pk.Size, 1)
	pk.Note = uint64(pk.Size)
	v := sluice.AppendTo(q).WithWake(w)
	return p.spoilEnqueue(now, pk, v)
}

func (s *toy) refuse(pk *sluice.Packet) sluice.Reason {
	switch {
	case pk.Ingress != sluice.Local && int(pk.Ingress) >= len(s.ports) && s.fault != panicsOnBadIngress:
		return sluice.BadIngress
	case pk.Class >= sluice.Classes && s.fault != acceptsBadClass:
		return sluice.BadClass
	case pk.Size <= 0:
		if s.fault == countsBadSize {
			s.held += sluice.Bytes(pk.Size)
		}
		return sluice.BadSize
	}
	return sluice.NoReason
}

func (s *toy) dropFull() sluice.Verdict {
	if s.fault == dropsWithoutReason {
		return 0
	}
	return sluice.DropBecause(sluice.HeadroomExhausted)
}

func (p *toyPort) add(q sluice.QueueID, size int32, packets int64) {
	p.backlog[q] += sluice.Bytes(size) * sluice.Bytes(packets)
	p.length[q] += packets
	p.owner.held += sluice.Bytes(size) * sluice.Bytes(packets)
}

// update decides whether the peer of an ingress is to stop.
func (p *toyPort) update(now sluice.Time) sluice.Wake {
	s := p.owner
	switch {
	case !p.pausing && p.ingress > s.config.off:
		p.pausing = true
	case p.pausing && p.ingress < s.config.on:
		p.pausing = false
		if s.fault == forgetsResume {
			return 0
		}
	default:
		return 0
	}
	return p.tell(now)
}

func (p *toyPort) tell(now sluice.Time) sluice.Wake {
	s := p.owner
	s.dirty.Add(int(p.id))
	if s.fault == framesWithoutFlag && p.id == 1 {
		return 0
	}
	w := sluice.WakeFrames
	if s.config.hold > 0 {
		renewal := sluice.Never
		if p.pausing && s.fault != neverRenews {
			renewal = now.Add(s.config.hold / 2)
		}
		if s.timers.Put(len(s.ports)+int(p.id), renewal) {
			w |= sluice.WakeDeadline
		}
	}
	return w
}

func (p *toyPort) Next(now sluice.Time) (sluice.QueueID, bool) {
	p.calls++
	if q, ok, spoilt := p.spoilNext(); spoilt {
		return q, ok
	}
	if p.paused {
		return 0, false
	}
	for q := toyQueues - 1; q >= 0; q-- {
		if p.length[q] > 0 {
			return sluice.QueueID(q), true
		}
	}
	return 0, false
}

func (p *toyPort) Dequeue(now sluice.Time, q sluice.QueueID, pk *sluice.Packet) sluice.Verdict {
	s := p.owner
	if s.fault != trustsDequeue && (q >= toyQueues || p.length[q] == 0) {
		s.misuses++
		return sluice.DropBecause(sluice.BadQueue)
	}
	now = s.clock(now)
	p.add(q, pk.Size, -1)
	if q == 1 {
		p.add(0, pk.Size, 1)
		return p.spoilMove(sluice.AppendTo(0))
	}
	var w sluice.Wake
	if pk.Ingress != sluice.Local {
		in := s.ports[pk.Ingress]
		in.ingress -= sluice.Bytes(pk.Size)
		w = in.update(now)
	}
	return p.spoilTransmit(pk, sluice.TransmitMarked(pk.ECN).WithWake(w))
}

func (p *toyPort) Receive(now sluice.Time, f *toyFrame) sluice.Wake {
	s := p.owner
	now = s.clock(now)
	was := p.paused
	p.paused = f.pause
	end := sluice.Never
	if f.pause && f.hold > 0 {
		end = now.Add(f.hold)
	}
	var w sluice.Wake
	if s.timers.Put(int(p.id), end) && s.fault != forgetsDeadline {
		w = sluice.WakeDeadline
	}
	if was && !p.paused && s.fault != forgetsWake {
		w = w.Merge(sluice.WakePort(p.id))
	}
	return w
}

func (s *toy) Expire(now sluice.Time) sluice.Wake {
	if s.fault == expiresEarly {
		now = now.Add(s.config.hold)
	}
	now = s.clock(now)
	var w sluice.Wake
	for {
		slot, at := s.timers.Min()
		if at > now {
			return w
		}
		if s.fault == expiresOnlyOne && w != 0 {
			return w
		}
		if s.timers.Put(slot, sluice.Never); slot < len(s.ports) {
			s.ports[slot].paused = false
			if s.fault != forgetsWakeAtExpiry {
				w = w.Merge(sluice.WakePort(sluice.PortID(slot)))
			}
		} else {
			w = w.Merge(s.ports[slot-len(s.ports)].tell(now))
		}
		w |= sluice.WakeDeadline
	}
}

func (s *toy) Deadline() sluice.Time {
	_, at := s.timers.Min()
	return at
}

func (s *toy) PollFrame(_ sluice.Time, f *toyFrame) (sluice.PortID, bool) {
	i := s.dirty.Next(0)
	if i < 0 {
		return 0, false
	}
	if s.fault != pollsForEver {
		s.dirty.Remove(i)
	}
	f.pause, f.hold = s.ports[i].pausing, s.config.hold
	if s.fault == sendsOldState {
		f.pause = true
	}
	return sluice.PortID(i), true
}

func (p *toyPort) Backlog(q sluice.QueueID) sluice.Bytes {
	if q >= toyQueues {
		return 0
	}
	return p.backlog[q]
}

func (s *toy) Audit() error {
	for i, p := range s.ports {
		if p.ingress < 0 || p.backlog[0] < 0 || p.backlog[1] < 0 {
			return fmt.Errorf("port %d has a negative counter", i)
		}
	}
	return nil
}

func (s *toy) Quiescent() error {
	for i, p := range s.ports {
		switch {
		case p.backlog[0]+p.backlog[1] > 0:
			return fmt.Errorf("port %d has a backlog", i)
		case p.pausing:
			return fmt.Errorf("port %d pauses its peer", i)
		case p.paused:
			return fmt.Errorf("port %d is paused", i)
		}
	}
	if s.fault == neverQuiescent && s.refused+s.misuses == 0 && s.latest > 0 {
		return fmt.Errorf("a resource is not freed")
	}
	return nil
}

const toyFrameLength = 12

func (f *toyFrame) Kind() string {
	if f.pause {
		return "pause"
	}
	return "resume"
}

func (f *toyFrame) AppendTo(dst []byte) []byte {
	if frameFault == overwritesBuffer {
		dst = dst[:0]
	}
	dst = append(dst, 'T', 'O', 'Y', 0)
	if f.pause {
		dst[len(dst)-1] = 1
	}
	return binary.BigEndian.AppendUint64(dst, uint64(f.hold))
}

func (f *toyFrame) Parse(src []byte) error {
	if len(src) != toyFrameLength || string(src[:3]) != "TOY" || src[3] > 1 {
		return errToyFrame
	}
	if frameFault == writesFrame {
		src[11]++
	}
	f.pause = src[3] == 1
	f.hold = sluice.Time(binary.BigEndian.Uint64(src[4:]))
	return nil
}

var errToyFrame = &sluice.FrameError{Protocol: "toy", Rule: "not a frame of the toy"}
