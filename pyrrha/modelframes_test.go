package pyrrha

import (
	"fmt"
	"slices"
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

func (m *model) receive(port int, f *Frame) {
	if m.config.Ports[port].Role == Legacy {
		return
	}
	switch f.Type {
	case Pause:
		if f.Root != m.own(port) {
			m.receivePause(port, f)
		}
	case Resume:
		m.receiveResume(port, f)
	case Merge:
		m.receiveMerge(port, f)
	case Dealloc:
		if t := m.trees[f.Root]; t != nil && t.upstreams[port] == ResumedUpstream {
			delete(t.upstreams, port)
		}
	}
	m.prune()
}

// iq returns the IQ of a root, made if need be.
func (m *model) iq(port int, root sluice.Hop, level int) (q *modelIQ, isNew bool) {
	t := m.trees[root]
	if t == nil {
		t = &modelTree{level: level, iqs: map[int]*modelIQ{}, upstreams: map[int]UpstreamState{}}
		m.trees[root] = t
	}
	if q = t.iqs[port]; q != nil {
		return q, false
	}
	if level < t.level { // the others are on a detour now, and pause no upstream
		t.level = level
		for _, i := range m.listed(root) {
			if t.upstreams[i] == PausedUpstream {
				m.resume(root, i)
			}
		}
	}
	used := map[int]bool{}
	for _, other := range m.trees {
		if other.iqs[port] != nil {
			used[other.iqs[port].number] = true
		}
	}
	q = &modelIQ{level: level, number: 1}
	for used[q.number] {
		q.number++
	}
	t.iqs[port] = q
	return q, true
}

func (m *model) receivePause(port int, f *Frame) {
	q, isNew := m.iq(port, f.Root, int(f.Hop))
	q.state, q.into = hiq.Paused, sluice.Hop{}
	if isNew && m.abdicates(port) {
		m.mergeTree(m.own(port), f.Root)
	}
}

func (m *model) abdicates(port int) bool {
	switch {
	case m.config.Ports[port].Role == Up && !m.config.AbdicateUp, m.config.Merge == MergeNever:
		return false
	case m.config.Merge == MergeIfCalm:
		for ingress := range m.config.Ports {
			if m.below(port, ingress, bytesOf(m.oq[port], -1)) {
				return true
			}
		}
		return false
	}
	return true
}

func (m *model) receiveResume(port int, f *Frame) {
	t := m.trees[f.Root]
	if t == nil || t.iqs[port] == nil {
		m.send(port, &Frame{Type: Dealloc, Root: f.Root})
		return
	}
	if q := t.iqs[port]; q.state == hiq.Paused {
		q.state = hiq.Resumed
	}
}

func (m *model) receiveMerge(port int, f *Frame) {
	isOwn := f.Root == m.own(port)
	old := m.trees[f.Old]
	hadOld := old != nil && old.iqs[port] != nil
	if !isOwn {
		q, _ := m.iq(port, f.Root, int(f.Hop))
		q.state, q.into = hiq.Resumed, sluice.Hop{}
	}
	if hadOld {
		q := old.iqs[port]
		q.state = hiq.SoftMerging
		q.into = sluice.Hop{}
		if !isOwn {
			q.into = f.Root
			m.mergeTree(f.Old, f.Root)
		} else {
			for _, i := range m.listed(f.Old) {
				if old.upstreams[i] == PausedUpstream {
					m.resume(f.Old, i)
				}
			}
		}
	}
	if isOwn {
		m.send(port, &Frame{Type: Dealloc, Root: f.Root})
	}
}

func (m *model) listed(root sluice.Hop) []int {
	var all []int
	for i := range m.trees[root].upstreams {
		all = append(all, i)
	}
	sort.Ints(all)
	return all
}

// mergeTree moves the upstreams of one tree to another.
func (m *model) mergeTree(old, into sluice.Hop) {
	for _, i := range m.listed(old) {
		if m.trees[into].level >= 7 {
			if m.trees[old].upstreams[i] == PausedUpstream {
				m.resume(old, i)
			}
			continue
		}
		delete(m.trees[old].upstreams, i)
		m.trees[into].upstreams[i] = ResumedUpstream
		if m.config.Ports[i].Role == Host {
			delete(m.trees[into].upstreams, i)
		}
		m.unsend(i, &Frame{Type: Resume, Root: into}) // MERGE says that too
		m.send(i, &Frame{Type: Merge, Old: old, Root: into, Hop: uint8(m.trees[into].level + 1)})
	}
}

func (m *model) send(port int, f *Frame) { m.frames = append(m.frames, modelFrame{port, *f}) }

func (m *model) unsend(port int, f *Frame) {
	m.frames = slices.DeleteFunc(m.frames, func(sent modelFrame) bool {
		return sent == modelFrame{port, *f}
	})
}

// reword puts the present distance into the frames that go to the wire after this hook. A host is
// in no tree, so the root of a frame that it is owed may have become farther.
func (m *model) reword(root sluice.Hop) {
	for i := range m.frames {
		if f := &m.frames[i].Frame; f.Type == Merge && f.Root == root {
			f.Hop = uint8(min(m.trees[root].level+1, 7))
		}
	}
}

// sent returns the frames since it was called last, as text.
func (m *model) sent() []string {
	var all []string
	for _, f := range m.frames {
		all = append(all, fmt.Sprintf("port %d: %v", f.port, &f.Frame))
	}
	m.frames = nil
	return all
}
