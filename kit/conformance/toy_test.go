package conformance

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/timers"
	"github.com/sluicefc/sluice/kit"
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
	woken   chassis.Woken
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
	brief    bool        // no pause lasts longer than hold, whatever a forged frame says
}

type toyPort struct {
	owner   *toy
	id      sluice.PortID
	backlog [2]sluice.Bytes
	length  [2]int64
	ingress sluice.Bytes // bytes of this ingress, wherever they wait
	pausing bool         // a pause was sent to the peer, or is pending
	paused  bool         // the peer paused us
	dirty   bool         // a frame to the peer is pending
	down    bool         // the link
	calls   int64
}

const toyQueues = 2

func newToy(config toyConfig, f fault) *toy {
	frameFault = f
	s := &toy{
		config: config, fault: f, latest: math.MinInt64 / 4,
		woken: chassis.NewWoken(config.ports), timers: timers.New(2 * config.ports),
	}
	for i := range config.ports {
		s.ports = append(s.ports, &toyPort{owner: s, id: sluice.PortID(i)})
	}
	return s
}

func wrapToy(s *toy) kit.Machine { return kit.Wrap(s) }

func (s *toy) Ports() int                       { return len(s.ports) }
func (s *toy) PollPort() (sluice.PortID, bool)  { return s.woken.Poll() }
func (s *toy) Snapshot() struct{}               { return struct{}{} }
func (p *toyPort) ID() sluice.PortID            { return p.id }
func (p *toyPort) Counters() sluice.Counters    { return sluice.Counters{} }
func (s *toy) Queues() int                      { return toyQueues }
func (s *toy) Port(id sluice.PortID) *toyPort   { return s.ports[id] }
func (p *toyPort) Sendable(sluice.QueueID) bool { return !p.paused }

func (s *toy) Buffered() sluice.Bytes {
	if s.keep != nil {
		s.held += s.keep.Size
		s.keep = nil
	}
	return s.held
}

func (s *toy) clock(now sluice.Time) sluice.Time {
	if s.fault == timeGoesBack {
		s.latest = now
	}
	if now != sluice.Never || s.fault == believesNever {
		s.latest = max(s.latest, now)
	}
	return s.latest
}

func (s *toy) Rebase(by sluice.Time) {
	s.latest = chassis.Shift(s.latest, by)
	if s.fault != rebasesClockAlone {
		s.timers.Rebase(by)
	}
}

func (p *toyPort) Enqueue(now sluice.Time, pk *sluice.Packet) sluice.Verdict {
	s := p.owner
	if reason := s.refuse(pk); reason != sluice.NoReason {
		s.refused++
		return sluice.DropBecause(reason)
	}
	now = s.clock(now)
	local := pk.Ingress == sluice.Local
	if !local && s.ports[pk.Ingress].ingress+pk.Size > s.config.off+s.config.headroom {
		return s.dropFull()
	}
	if !local {
		in := s.ports[pk.Ingress]
		in.ingress += pk.Size
		in.update(now)
	}
	w := s.woken.Take()
	q := sluice.QueueID(pk.Class & 1)
	p.add(q, pk.Size, 1)
	pk.Note = uint64(pk.Size)
	v := sluice.AppendToQueue(q).WithWake(w)
	return p.spoilEnqueue(now, pk, v)
}

func (s *toy) refuse(pk *sluice.Packet) sluice.Reason {
	switch {
	case pk.Ingress != sluice.Local && int(pk.Ingress) >= len(s.ports) &&
		s.fault != panicsOnBadIngress:
		return sluice.BadIngress
	case pk.Class >= sluice.Classes && s.fault != acceptsBadClass:
		return sluice.BadClass
	case !pk.Sized():
		if s.fault == countsBadSize {
			s.held += pk.Size
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

func (p *toyPort) add(q sluice.QueueID, size sluice.Bytes, packets int64) {
	p.backlog[q] += size * sluice.Bytes(packets)
	p.length[q] += packets
	p.owner.held += size * sluice.Bytes(packets)
}

// update decides whether the peer of an ingress is to stop.
func (p *toyPort) update(now sluice.Time) {
	s := p.owner
	switch {
	case !p.pausing && p.ingress > s.config.off:
		p.pausing = true
	case p.pausing && p.ingress < s.config.on:
		p.pausing = false
		if s.fault == forgetsResume {
			return
		}
	default:
		return
	}
	p.tell(now)
}

func (p *toyPort) tell(now sluice.Time) {
	s := p.owner
	if p.down {
		return
	}
	p.dirty = true
	if s.fault != framesWithoutWake || p.id != 1 {
		s.woken.Port(p.id)
	}
	if s.config.hold > 0 {
		renewal := sluice.Never
		if p.pausing && s.fault != neverRenews {
			renewal = now.Add(s.config.hold / 2)
		}
		if s.timers.Put(len(s.ports)+int(p.id), renewal) {
			s.woken.Deadline()
		}
	}
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
		return p.spoilMove(sluice.AppendToQueue(0))
	}
	if pk.Ingress != sluice.Local {
		in := s.ports[pk.Ingress]
		in.ingress -= pk.Size
		in.update(now)
	}
	return p.spoilTransmit(pk, sluice.TransmitMarked(pk.ECN).WithWake(s.woken.Take()))
}

func (p *toyPort) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	var f toyFrame
	if err := f.Parse(frame); err != nil {
		if p.owner.fault == wakesOnRubbish {
			return sluice.WakePort(p.id), err
		}
		return 0, err
	}
	return p.Receive(now, &f), nil
}

func (p *toyPort) Receive(now sluice.Time, f *toyFrame) sluice.Wake {
	s := p.owner
	now = s.clock(now)
	if p.down && s.fault != obeysWhileDown {
		return 0
	}
	was := p.paused
	p.paused = f.pause
	end := sluice.Never
	hold := f.hold
	if s.config.brief && (hold <= 0 || hold > s.config.hold) {
		hold = s.config.hold
	}
	if f.pause && hold > 0 {
		end = now.Add(hold)
	}
	if s.timers.Put(int(p.id), end) && s.fault != forgetsDeadline {
		s.woken.Deadline()
	}
	if was && !p.paused && s.fault != forgetsWake && (s.fault != wakesOnlyWithPackets ||
		p.length[0]+p.length[1] > 0) {
		s.woken.Port(p.id)
	}
	return s.woken.Take()
}

func (p *toyPort) LinkDown(now sluice.Time) sluice.Wake {
	s := p.owner
	s.clock(now)
	p.down, p.dirty = true, s.fault == sendsWhileDown
	p.lift()
	if s.timers.Put(len(s.ports)+int(p.id), sluice.Never) {
		s.woken.Deadline()
	}
	return s.woken.Take()
}

// lift ends what the peer said.
func (p *toyPort) lift() {
	if p.owner.fault == keepsPauseOfDeadLink {
		return
	}
	if p.paused {
		p.owner.woken.Port(p.id)
	}
	p.paused = false
	if p.owner.timers.Put(int(p.id), sluice.Never) {
		p.owner.woken.Deadline()
	}
}

func (p *toyPort) LinkUp(now sluice.Time) sluice.Wake {
	now = p.owner.clock(now)
	p.down = false
	p.lift()
	if p.pausing {
		p.tell(now)
	}
	return p.owner.woken.Take()
}

func (s *toy) Expire(now sluice.Time) sluice.Wake {
	if s.fault == expiresEarly {
		now = now.Add(s.config.hold)
	}
	now = s.clock(now)
	for {
		slot, at := s.timers.Min()
		if at > now || at == sluice.Never || s.fault == expiresOnlyOne && !s.woken.Quiet() {
			return s.woken.Take()
		}
		if s.timers.Put(slot, sluice.Never); slot < len(s.ports) {
			s.ports[slot].paused = false
			if s.fault != forgetsWakeAtExpiry {
				s.woken.Port(sluice.PortID(slot))
			}
		} else {
			s.ports[slot-len(s.ports)].tell(now)
		}
		s.woken.Deadline()
	}
}

func (s *toy) Deadline() sluice.Time {
	_, at := s.timers.Min()
	return at
}

func (p *toyPort) Owes() bool { return p.dirty && p.owner.fault != overlooksFrames }

func (p *toyPort) WaitsFor(
	q sluice.QueueID, pk *sluice.Packet, _ sluice.QueueID, came bool,
) bool {
	switch p.owner.fault {
	case waitsBySize:
		came = pk.Size&1 == 0
	case waitsWithoutQueue:
		return came
	}
	return q < toyQueues && came
}

func (p *toyPort) PollFrame(_ sluice.Time, f *toyFrame) bool {
	s := p.owner
	if !p.dirty {
		return false
	}
	p.dirty = s.fault == pollsForEver
	f.pause, f.hold = p.pausing, s.config.hold
	if s.fault == sendsOldState {
		f.pause = true
	}
	return true
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
