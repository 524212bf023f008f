package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/debug"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is a shared-buffer switch with priority-based flow control. Its invariants, which Audit
// recomputes:
//
//  1. The bytes in the egress queues are the bytes accounted: to ingresses for lossless classes, to the
//     pool for lossy ones, to nobody for local packets.
//  2. free + the bytes taken from the pool = pool, and free >= 0.
//  3. No counter of bytes is negative, and no headroom in use exceeds its limit.
//  4. An ingress that is paused holds bytes, so a departure that resumes it will come.
//  5. Whatever a peer was told otherwise than it stands now is pending in PollFrame.
//  6. While an ingress is paused, a refresh is due no later than half a pause time after the last frame.
//  7. A held class has an expiry, and the deadline is the earliest of all.
//
// A Switch and its ports are not safe for concurrent use.
type Switch struct {
	// Touched by every packet.
	accounts []account // by ingress port, then class
	ports    []Port
	now      sluice.Time
	free     int64 // bytes of the pool not taken
	buffered int64
	peak     int64 // of buffered
	lossless sluice.ClassSet
	strict   bool // every class is a group of its own, class 7 first

	// Scheduling.
	groups  []sluice.ClassSet
	quantum [sluice.Classes]int64

	// Frames and deadlines.
	dirty  bitset.Set // ports with a frame pending
	cursor int        // PollFrame goes round from here
	timers timers.Set // a slot for each port

	pool     int64
	local    [sluice.Classes]int64 // bytes queued that no ingress accounts
	watchdog watchdog
}

// New returns the switch of a configuration, or a [*sluice.ConfigError] that names its first
// bad field. It does all the allocation there is.
func New(config Config) (*Switch, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	s := &Switch{
		accounts: make([]account, len(config.Ports)*sluice.Classes),
		ports:    make([]Port, len(config.Ports)),
		now:      -1 << 63,
		pool:     int64(config.pool()),
		free:     int64(config.pool()),
		lossless: config.Lossless,
		dirty:    bitset.New(len(config.Ports)),
		timers:   timers.New(len(config.Ports)),
	}
	s.setGroups(config.Groups)
	for i := range s.ports {
		s.ports[i].init(s, sluice.PortID(i), &config)
	}
	s.startWatchdog(&config)
	return s, nil
}

// Port returns a port, nil for one that does not exist.
func (s *Switch) Port(id sluice.PortID) *Port {
	if int(id) >= len(s.ports) {
		return nil
	}
	return &s.ports[id]
}

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: one a class. QueueID i is class i.
func (s *Switch) Queues() int { return sluice.Classes }

// Buffered returns the bytes in all queues of all ports, local packets included.
func (s *Switch) Buffered() sluice.Bytes { return sluice.Bytes(s.buffered) }

// Free returns the bytes of the shared pool that nobody has taken.
func (s *Switch) Free() sluice.Bytes { return sluice.Bytes(s.free) }

// Pool returns the size of the shared pool: the buffer without reserves and headrooms.
func (s *Switch) Pool() sluice.Bytes { return sluice.Bytes(s.pool) }

// Expire does what is due at now: refreshes of pauses sent, expiries of pauses received, polls of
// the watchdog. An early call does nothing. O(d log ports) for d ports that are due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	if debug.Enabled {
		s.mustBeDrained("Expire")
	}
	s.advance(now)
	var wake sluice.Wake
	for {
		port, due := s.timers.Min()
		if due > s.now || due == sluice.Never {
			break
		}
		wake = wake.Merge(s.ports[port].expire()) | sluice.WakeDeadline
	}
	if w := &s.watchdog; w.pollAt <= s.now && w.pollAt != sluice.Never {
		wake = wake.Merge(s.poll()) | sluice.WakeDeadline
	}
	return wake
}

// Deadline returns the time of the earliest timer, Never if none runs.
func (s *Switch) Deadline() sluice.Time {
	_, due := s.timers.Min()
	return min(due, s.watchdog.pollAt)
}

// PollFrame builds the next pending frame, one for each port that has something to tell its
// peer, and returns the port it leaves by. It goes round the ports, starting behind the one it
// answered last. False, and f unchanged, when nothing is pending. The time is not looked at. O(1).
func (s *Switch) PollFrame(_ sluice.Time, f *Frame) (sluice.PortID, bool) {
	i := s.dirty.NextCyclic(s.cursor)
	if i < 0 {
		return 0, false
	}
	s.dirty.Remove(i)
	s.cursor = i + 1
	s.ports[i].buildFrame(f)
	return sluice.PortID(i), true
}

// advance moves the switch's time on. A now that went back changes nothing: hooks work with s.now, the
// latest time seen.
func (s *Switch) advance(now sluice.Time) {
	if now > s.now {
		s.now = now
	}
}

// mustBeDrained panics if frames are pending: the embedder has broken the one rule of the
// contract. Only builds with the tag sluicedebug call it.
func (s *Switch) mustBeDrained(hook string) {
	if !s.dirty.Empty() {
		panic("pfc: " + hook + " before PollFrame was drained")
	}
}

func (s *Switch) setGroups(groups []Group) {
	s.strict = true
	for i, g := range groups {
		s.groups = append(s.groups, g.Classes)
		s.strict = s.strict && g.Classes == 1<<(sluice.Classes-1-i)
		for c := range s.quantum {
			if g.Classes>>c&1 == 0 {
				continue
			}
			s.quantum[c] = int64(g.Quantum[c])
			if g.Quantum[c] == 0 {
				s.quantum[c] = int64(DefaultQuantum)
			}
		}
	}
}
