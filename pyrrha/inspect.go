package pyrrha

import (
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/enum"
)

// UpstreamState is the state of an upstream in the tree of a root, or in the last frame to it.
type UpstreamState uint8

// States of an upstream in the tree of a root.
const (
	Unlisted        UpstreamState = iota // it is not in the tree
	PausedUpstream                       // it was sent PAUSE
	ResumedUpstream                      // it was sent RESUME or MERGE, and has not left the tree
)

// String names the state.
func (s UpstreamState) String() string {
	return enum.Name(s, "UpstreamState", "unlisted", "paused", "resumed")
}

// RootInfo is a switch's state of a congestion root.
type RootInfo struct {
	Root sluice.Hop
	// Own says that the root is a port of this switch; then OQ is the length of its OQ.
	Own bool
	OQ  sluice.Bytes
	// Level is the least distance from this switch, 0 for its own.
	Level int
	// IQs are the egress ports from which the root is reached, Upstreams the ingress ports in its tree
	// or with packets that wait for it; both by port. Local holds what the node's own packets wait.
	IQs       []IQInfo
	Upstreams []UpstreamInfo
	Local     sluice.Bytes
}

// IQInfo is the isolation of a root at an egress port.
type IQInfo struct {
	Port  sluice.PortID
	Level int
	State hiq.State
	// Queue is the root's IQ; in a single tier, where a set of roots has an IQ, it is 0.
	Queue sluice.QueueID
	// Bytes wait here for the root.
	Bytes sluice.Bytes
}

// UpstreamInfo is an ingress port as a child of a root.
type UpstreamInfo struct {
	Port  sluice.PortID
	State UpstreamState
	// Bytes came in by it and wait here in IQs for the root; 0 of an own root, whose packets are
	// in the OQ.
	Bytes sluice.Bytes
}

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Switch   sluice.SwitchID
	Now      sluice.Time // the latest time of a hook
	Deadline sluice.Time
	Buffered sluice.Bytes
	// Roots is what the switch knows of every congestion root, other switches' by identity and
	// then its own by port.
	Roots []RootInfo
	Ports []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port       sluice.PortID
	Role       Role
	Down       bool // the link is down
	Held       bool // by a flow control beneath
	OQ         sluice.Bytes
	Isolated   int // roots that have an IQ
	IQs        int // assigned
	Claims     int // upstreams that it paused as a congestion root
	FramesOwed int
	// Sets are the IQs in use of a single tier, by queue; nil in hierarchical queues.
	Sets []SetInfo
}

// SetInfo is the IQ of a set of roots in a single tier.
type SetInfo struct {
	Queue sluice.QueueID
	Roots []sluice.Hop // nil in the IQ that is shared by sets for which none was left
	Bytes sluice.Bytes
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		Switch: s.id, Now: s.clock.Now(), Deadline: s.Deadline(), Buffered: s.buffered,
		Roots: s.snapshotRoots(), Ports: chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state.
func (p *Port) Snapshot() PortSnapshot {
	return PortSnapshot{
		Port: p.id, Role: p.role, Down: p.peer.Down, Held: p.held, OQ: p.iq.OutputBacklog(),
		Isolated: int(p.isolated), IQs: p.iq.InUse(), Claims: int(p.claims), FramesOwed: int(p.owed),
		Sets: p.snapshotSets(),
	}
}

// Thresholds returns K_pause and K_resume in bytes for packets that came in by a port and leave by
// this one: its upstream is paused above the first and resumed below the second (section IV-A).
// Both are 0 for Local and for a port that does not exist, which are never paused.
func (p *Port) Thresholds(ingress sluice.PortID) (pause, resume sluice.Bytes) {
	if int(ingress) >= len(p.pause) {
		return 0, 0
	}
	return p.pause[ingress], p.resume[ingress]
}

// PausedFor returns a congestion root of an IQ whose PAUSE holds it, of several the one with the
// least key; false if no such root is known, as of the OQ and of the IQ that sets of a single tier
// share. O(roots).
func (p *Port) PausedFor(q sluice.QueueID) (root sluice.Hop, ok bool) {
	if !p.iq.Paused(q) {
		return root, false
	}
	for r := range p.owner.roots {
		hop := p.owner.roots[r].hop
		if p.iq.State(r) == hiq.Paused && p.isolates(q, r) && (!ok || hop.Key() < root.Key()) {
			root, ok = hop, true
		}
	}
	return root, ok
}

func (p *Port) snapshotSets() []SetInfo {
	if !p.owner.single {
		return nil
	}
	var sets []SetInfo
	for q := sluice.QueueID(1); int(q) < p.iq.Queues(); q++ {
		if p.iq.Backlog(q) == 0 {
			continue
		}
		set := SetInfo{Queue: q, Bytes: p.iq.Backlog(q)}
		for _, r := range p.iq.RootsOf(hiq.Place(q)) {
			set.Roots = append(set.Roots, p.owner.roots[r].hop)
		}
		sets = append(sets, set)
	}
	return sets
}

func (s *Switch) snapshotRoots() []RootInfo {
	var all []RootInfo
	for r := range s.roots {
		if k := &s.roots[r]; k.iqs > 0 || k.tree > 0 {
			all = append(all, s.describe(r))
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Own != all[j].Own {
			return all[j].Own
		}
		return all[i].Root.Key() < all[j].Root.Key()
	})
	return all
}

func (s *Switch) describe(r int) RootInfo {
	k := &s.roots[r]
	info := RootInfo{Root: k.hop, Own: r >= s.remotes, Level: int(k.level)}
	if info.Own {
		info.OQ = s.ports[r-s.remotes].iq.OutputBacklog()
	}
	for i := range s.ports {
		p, u := &s.ports[i], s.upstream(r, sluice.PortID(i))
		if state := p.iq.State(r); state != hiq.Unassigned {
			info.IQs = append(info.IQs, IQInfo{
				Port: p.id, Level: p.iq.Level(r), State: state, Queue: p.iq.Queue(r), Bytes: p.iq.Bytes(r),
			})
		}
		if bytes := s.waitsBy(s.row(r, p.id)); u.state != Unlisted || bytes > 0 {
			info.Upstreams = append(info.Upstreams, UpstreamInfo{Port: p.id, State: u.state, Bytes: bytes})
		}
	}
	info.Local = s.waitsBy(s.row(r, sluice.Local))
	return info
}
