package pfc

import (
	"math/big"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
)

// model is the switch written slowly: the rules as the sources state them, one map an idea, rational
// numbers, no bit masks, no shared state between what could be kept apart. It has no watchdog and marks
// nothing.
type model struct {
	config  Config
	pool    int64
	used    int64                     // of the pool
	queues  map[portClass][]int64     // sizes of packets, head first
	ingress map[portClass]int64       // ingress_bytes of SwitchMmu
	hdrm    map[portClass]int64       // hdrm_bytes
	paused  map[portClass]bool        // upstream of
	held    map[portClass]sluice.Time // until
	refresh map[int]sluice.Time       // of a port
	rings   map[int][]drr.Ring        // of a port, by group
}

type portClass struct {
	port  int
	class sluice.Class
}

func newModel(config Config) *model {
	m := &model{
		config:  config,
		queues:  map[portClass][]int64{},
		ingress: map[portClass]int64{},
		hdrm:    map[portClass]int64{},
		paused:  map[portClass]bool{},
		held:    map[portClass]sluice.Time{},
		refresh: map[int]sluice.Time{},
		rings:   map[int][]drr.Ring{},
	}
	setApart := int64(config.ReservedClasses)
	if setApart == 0 {
		for c := range sluice.Class(sluice.Classes) {
			if config.Classes.OrAll().Has(c) {
				setApart++
			}
		}
	}
	m.pool = int64(config.Buffer)
	for i, p := range config.Ports {
		m.pool -= setApart * int64(p.Headroom+p.Reserve)
		for _, g := range config.Groups {
			quanta := drr.Uniform(sluice.Classes, int64(DefaultQuantum))
			for c, q := range g.Quantum {
				if q != 0 {
					quanta[c] = int64(q)
				}
			}
			m.rings[i] = append(m.rings[i], drr.New(quanta))
		}
	}
	return m
}

// threshold is T(p) = alpha * (pool - used), rounded down, or X_off without the reserve, or nothing.
func (m *model) threshold(port int) *big.Int {
	p := &m.config.Ports[port]
	if p.Alpha == (sluice.Ratio{}) {
		return big.NewInt(max(0, int64(p.XOff-p.Reserve)))
	}
	t := big.NewInt(m.pool - m.used)
	t.Mul(t, big.NewInt(p.Alpha.Num))
	return t.Div(t, big.NewInt(p.Alpha.Den))
}

// shared is S(p,c) = max(0, ingress_bytes - reserve).
func (m *model) shared(at portClass) int64 {
	return max(0, m.ingress[at]-int64(m.config.Ports[at.port].Reserve))
}

func (m *model) atMost(x int64, t *big.Int) bool { return big.NewInt(x).Cmp(t) <= 0 }

// enqueue returns the reason of a drop, and whether the ingress became paused.
func (m *model) enqueue(now sluice.Time, port int, p *sluice.Packet) (sluice.Reason, bool) {
	n, q := int64(p.Size), portClass{port, p.Class}
	if p.Ingress == sluice.Local {
		m.queues[q] = append(m.queues[q], n)
		return sluice.NoReason, false
	}
	if !m.config.Classes.OrAll().Has(p.Class) {
		if !m.admitLossy(q, n) {
			return sluice.BufferFull, false
		}
		m.used += n
		m.queues[q] = append(m.queues[q], n)
		return sluice.NoReason, false
	}
	in := portClass{int(p.Ingress), p.Class}
	if !m.admit(in, n) {
		return sluice.HeadroomExhausted, false
	}
	m.queues[q] = append(m.queues[q], n)
	withinReserve := m.ingress[in] < int64(m.config.Ports[in.port].Reserve)
	if m.paused[in] || m.hdrm[in] == 0 && (withinReserve || m.atMost(m.shared(in)+1, m.threshold(in.port))) {
		return sluice.NoReason, false
	}
	m.paused[in] = true
	m.changed(now, in.port)
	return sluice.NoReason, true
}

func (m *model) admitLossy(q portClass, n int64) bool {
	length := n
	for _, size := range m.queues[q] {
		length += size
	}
	alpha := m.config.Ports[q.port].LossyAlpha
	if n > m.pool-m.used {
		return false
	}
	limit := new(big.Rat).Mul(big.NewRat(max(alpha.Num, 1), max(alpha.Den, 1)), big.NewRat(m.pool-m.used, 1))
	return alpha == (sluice.Ratio{}) || big.NewRat(length, 1).Cmp(limit) <= 0
}

// admit is SwitchMmu's admission and update of an ingress, but that the reserve always admits what fits into it, and that
// nobody takes more of the pool than there is.
func (m *model) admit(in portClass, n int64) bool {
	port := &m.config.Ports[in.port]
	t := m.threshold(in.port)
	grown := m.ingress[in] + n
	added := max(0, min(n, grown-int64(port.Reserve)))
	if added == 0 || m.atMost(grown-int64(port.Reserve), t) && added <= m.pool-m.used {
		m.ingress[in] = grown
		m.used += added
		return true
	}
	if n+m.hdrm[in] > int64(port.Headroom) {
		return false
	}
	m.hdrm[in] += n
	return true
}

// dequeue takes the head of a queue; it returns whether the ingress became resumed.
func (m *model) dequeue(now sluice.Time, port int, p *sluice.Packet) bool {
	n, q := int64(p.Size), portClass{port, p.Class}
	m.queues[q] = m.queues[q][1:]
	m.charge(q, n)
	if p.Ingress == sluice.Local {
		return false
	}
	if !m.config.Classes.OrAll().Has(p.Class) {
		m.used -= n
		return false
	}
	in := portClass{int(p.Ingress), p.Class}
	fromHeadroom := min(m.hdrm[in], n)
	fromShared := min(n-fromHeadroom, m.shared(in))
	m.hdrm[in] -= fromHeadroom
	m.ingress[in] -= n - fromHeadroom
	m.used -= fromShared
	if !m.paused[in] || m.hdrm[in] != 0 {
		return false
	}
	shared, offset := m.shared(in), m.config.Ports[in.port].ResumeOffset
	if x := &m.config.Ports[in.port]; x.XOff != 0 {
		offset = x.XOff - x.XOn
	}
	if shared != 0 && !m.atMost(shared+int64(offset), m.threshold(in.port)) {
		return false
	}
	delete(m.paused, in)
	m.changed(now, in.port)
	return true
}

// changed starts the refresh of a port anew: a frame about all of its paused classes goes out. A port of classic
// PAUSE sends only where its first class pauses and its last one resumes.
func (m *model) changed(now sluice.Time, port int) {
	p := &m.config.Ports[port]
	_, running := m.refresh[port]
	switch paused := m.anyPaused(port); {
	case p.Mode == ClassicObey:
	case !paused:
		delete(m.refresh, port)
	case p.Mode == ClassicPause && running:
	default:
		m.refresh[port] = now + m.third(port)
	}
}

func (m *model) anyPaused(port int) bool {
	for in := range m.paused {
		if in.port == port {
			return true
		}
	}
	return false
}

func (m *model) third(port int) sluice.Time {
	p := &m.config.Ports[port]
	if p.Pause == 0 {
		return p.Link.Rate.TimeOfQuanta(65535) / 3
	}
	return p.Link.Rate.TimeOfQuanta(p.Pause) / 3
}

func (m *model) receive(now sluice.Time, port int, f *Frame) {
	p := &m.config.Ports[port]
	for c := range sluice.Class(sluice.Classes) {
		var t sluice.Quanta
		switch {
		case f.Opcode == OpcodePFC && p.Mode == PriorityPause && f.Enabled.Has(c) && m.config.Classes.OrAll().Has(c):
			t = f.Time[c]
		case f.Opcode == OpcodePause && p.Mode != PriorityPause:
			t = f.Time[0]
		default:
			continue
		}
		at := portClass{port, c}
		if t == 0 {
			delete(m.held, at)
		} else {
			m.held[at] = now + p.Link.Rate.TimeOfQuanta(t)
		}
	}
}

// expire returns the ports whose pauses are to be sent anew.
func (m *model) expire(now sluice.Time) (refreshed map[int]bool) {
	refreshed = map[int]bool{}
	for at, until := range m.held {
		if until <= now {
			delete(m.held, at)
		}
	}
	for port, at := range m.refresh {
		if at <= now {
			m.refresh[port] = now + m.third(port)
			refreshed[port] = true
		}
	}
	return refreshed
}

func (m *model) deadline() sluice.Time {
	due := sluice.Never
	for _, t := range m.held {
		due = min(due, t)
	}
	for _, t := range m.refresh {
		due = min(due, t)
	}
	return due
}

func (m *model) sendable(at portClass) bool {
	_, held := m.held[at]
	return !held
}

// next is strict priority among groups and a ring of internal/drr within each.
func (m *model) next(port int) (sluice.QueueID, bool) {
	groups := m.config.Groups
	if groups == nil {
		for c := sluice.Classes - 1; c >= 0; c-- {
			at := portClass{port, sluice.Class(c)}
			if len(m.queues[at]) > 0 && m.sendable(at) {
				return sluice.QueueID(c), true
			}
		}
		return 0, false
	}
	for i, g := range groups {
		ring := &m.rings[port][i]
		for c := range sluice.Class(sluice.Classes) {
			at := portClass{port, c}
			ring.SetEligible(int(c), g.Classes.Has(c) && len(m.queues[at]) > 0 && m.sendable(at))
		}
		if q := ring.Next(); q >= 0 {
			return sluice.QueueID(q), true
		}
	}
	return 0, false
}

func (m *model) charge(q portClass, n int64) {
	for i, g := range m.config.Groups {
		if !g.Classes.Has(q.class) {
			continue
		}
		m.rings[q.port][i].Charge(int(q.class), n)
		if len(m.queues[q]) == 0 {
			m.rings[q.port][i].Reset(int(q.class))
		}
	}
}
