package pfc

import (
	"math/big"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
)

// model is the switch written slowly: the rules as the sources state them, one map per idea,
// rational numbers, no bit masks, no shared state between what could be kept apart. It has no
// watchdog and marks nothing. Its configuration has the defaults filled in.
type model struct {
	config  Config
	sizes   map[int]int64             // of pools
	used    map[int]int64             // of pools
	queues  map[portClass][]int64     // what packets take of the buffer, head first
	kinds   map[portClass][]bool      // which of them are lossy
	lossy   map[portClass]int64       // what these take
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
		sizes:   map[int]int64{0: int64(config.Buffer - config.HeadroomPool)},
		used:    map[int]int64{},
		queues:  map[portClass][]int64{},
		kinds:   map[portClass][]bool{},
		lossy:   map[portClass]int64{},
		ingress: map[portClass]int64{},
		hdrm:    map[portClass]int64{},
		paused:  map[portClass]bool{},
		held:    map[portClass]sluice.Time{},
		refresh: map[int]sluice.Time{},
		rings:   map[int][]drr.Ring{},
	}
	for i, size := range config.Pools {
		m.sizes[i+1] = int64(size)
		m.sizes[0] -= int64(size)
	}
	for i, p := range config.Ports {
		apart := config.ReservedClasses // the first so many lossless classes
		for c := range sluice.Class(sluice.Classes) {
			m.sizes[0] -= int64(p.LossyReserve)
			if !p.Classes.Has(c) || apart == 0 {
				continue
			}
			apart--
			m.sizes[0] -= int64(m.profile(portClass{i, c}).Reserve)
			if config.HeadroomPool == 0 {
				m.sizes[0] -= int64(m.profile(portClass{i, c}).Headroom)
			}
		}
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

func (m *model) profile(in portClass) *Profile {
	p := &m.config.Ports[in.port]
	own := &p.Profile
	if p.Profiles[in.class] != nil {
		own = p.Profiles[in.class]
	}
	if !p.Classes.Has(in.class) {
		return &Profile{Pool: own.Pool} // what it still holds is all of the pool
	}
	return own
}

func (m *model) free(pool int) int64 { return m.sizes[pool] - m.used[pool] }

// size is what a packet takes: the bytes of the fewest cells that hold it.
func (m *model) size(p *sluice.Packet) int64 {
	cell, cells := max(1, int64(m.config.CellSize)), int64(0)
	for cells*cell < int64(p.Size) {
		cells += 1 + (int64(p.Size)-cells*cell-1)/cell
	}
	return cells * cell
}

// threshold is T = alpha * (pool - used), rounded down, or X_off without the reserve, or nothing.
func (m *model) threshold(in portClass) *big.Int {
	p := m.profile(in)
	if p.Alpha == (sluice.Ratio{}) {
		return big.NewInt(max(0, int64(p.XOff-p.Reserve)))
	}
	t := big.NewInt(max(0, m.free(p.Pool)))
	t.Mul(t, big.NewInt(p.Alpha.Num))
	return t.Div(t, big.NewInt(p.Alpha.Den))
}

// shared is S(p,c) = max(0, ingress_bytes - reserve).
func (m *model) shared(in portClass) int64 {
	return max(0, m.ingress[in]-int64(m.profile(in).Reserve))
}

func (m *model) atMost(x int64, t *big.Int) bool { return big.NewInt(x).Cmp(t) <= 0 }

// leaves returns the queue of a packet at an egress: of the class in which it leaves.
func (m *model) leaves(port int, p *sluice.Packet) portClass {
	for _, r := range m.config.Retag {
		isPort := p.Ingress != sluice.Local
		if (r.Ingress == AnyPort && isPort || r.Ingress == p.Ingress) &&
			(r.Egress == AnyPort || int(r.Egress) == port) && r.Class == p.Class {
			return portClass{port, r.To}
		}
	}
	return portClass{port, p.Class}
}

// enqueue returns the reason of a drop, and whether the ingress became paused.
func (m *model) enqueue(now sluice.Time, port int, p *sluice.Packet) (sluice.Reason, bool) {
	n, q := m.size(p), m.leaves(port, p)
	if p.Ingress == sluice.Local {
		m.append(q, n, false)
		return sluice.NoReason, false
	}
	lossless := m.config.Ports[p.Ingress].Classes.Has(p.Class)
	if m.full(n) && !lossless {
		return sluice.BufferFull, false
	}
	if !lossless {
		if !m.admitLossy(q, n) {
			return sluice.BufferFull, false
		}
		m.append(q, n, true)
		return sluice.NoReason, false
	}
	in := portClass{int(p.Ingress), p.Class}
	if m.full(n) || !m.admit(in, n) {
		return sluice.HeadroomExhausted, false
	}
	m.append(q, n, false)
	withinReserve := m.ingress[in] < int64(m.profile(in).Reserve)
	if m.paused[in] ||
		m.hdrm[in] == 0 && (withinReserve || m.atMost(m.shared(in)+1, m.threshold(in))) {
		return sluice.NoReason, false
	}
	m.paused[in] = true
	m.changed(now, in)
	return sluice.NoReason, true
}

func (m *model) append(q portClass, n int64, lossy bool) {
	m.queues[q], m.kinds[q] = append(m.queues[q], n), append(m.kinds[q], lossy)
}

// admitLossy: what is within the queue's reserve always fits.
func (m *model) admitLossy(q portClass, n int64) bool {
	length := n
	for _, size := range m.queues[q] {
		length += size
	}
	port, pool := &m.config.Ports[q.port], m.config.LossyPool
	added := m.beyond(m.lossy[q]+n, port.LossyReserve) - m.beyond(m.lossy[q], port.LossyReserve)
	if added > 0 {
		alpha := port.LossyAlpha
		limit := new(
			big.Rat,
		).Mul(
			big.NewRat(max(alpha.Num, 1), max(alpha.Den, 1)),
			big.NewRat(m.free(pool), 1),
		)
		if added > m.free(pool) || alpha != (sluice.Ratio{}) && big.NewRat(length, 1).Cmp(limit) > 0 {
			return false
		}
	}
	m.lossy[q] += n
	m.used[pool] += added
	return true
}

func (m *model) beyond(n int64, reserve sluice.Bytes) int64 { return max(0, n-int64(reserve)) }

// admit is SwitchMmu's admission and update of an ingress, but that the reserve always admits what
// fits into it, and that nobody takes more of the pool than there is.
func (m *model) admit(in portClass, n int64) bool {
	p := m.profile(in)
	t := m.threshold(in)
	grown := m.ingress[in] + n
	added := max(0, min(n, grown-int64(p.Reserve)))
	if added == 0 || m.atMost(grown-int64(p.Reserve), t) && added <= m.free(p.Pool) {
		m.ingress[in] = grown
		m.used[p.Pool] += added
		return true
	}
	if n+m.hdrm[in] > int64(p.Headroom) ||
		m.config.HeadroomPool != 0 && n+m.allHeadroom() > int64(m.config.HeadroomPool) {
		return false
	}
	m.hdrm[in] += n
	return true
}

// full reports whether n bytes have no room where more is promised than there is: a port has more
// lossless classes than are set apart, and one of the others has something of its own.
func (m *model) full(n int64) bool {
	for i := range m.config.Ports {
		number := 0
		for c := range sluice.Class(sluice.Classes) {
			if !m.config.Ports[i].Classes.Has(c) {
				continue
			}
			number++
			x := m.profile(portClass{i, c})
			own := x.Reserve > 0 || x.Headroom > 0 && m.config.HeadroomPool == 0
			if number > m.config.ReservedClasses && own && m.config.Buffer != 0 {
				return m.all()+n > int64(m.config.Buffer)
			}
		}
	}
	return false
}

// all is what ingresses and lossy queues hold.
func (m *model) all() int64 {
	sum := m.allHeadroom()
	for _, n := range m.ingress {
		sum += n
	}
	for _, n := range m.lossy {
		sum += n
	}
	return sum
}

func (m *model) allHeadroom() (sum int64) {
	for _, n := range m.hdrm {
		sum += n
	}
	return sum
}

// dequeue takes the head of a queue; it returns whether the ingress became resumed.
func (m *model) dequeue(now sluice.Time, port int, p *sluice.Packet) bool {
	n, q := m.size(p), m.leaves(port, p)
	lossy := m.kinds[q][0]
	m.queues[q], m.kinds[q] = m.queues[q][1:], m.kinds[q][1:]
	m.charge(q, int64(p.Size))
	if p.Ingress == sluice.Local {
		return false
	}
	if lossy {
		reserve := m.config.Ports[port].LossyReserve
		m.used[m.config.LossyPool] -= m.beyond(m.lossy[q], reserve) - m.beyond(m.lossy[q]-n, reserve)
		m.lossy[q] -= n
		return false
	}
	in := portClass{int(p.Ingress), p.Class}
	x := m.profile(in)
	fromHeadroom := min(m.hdrm[in], n)
	fromShared := min(n-fromHeadroom, m.shared(in))
	m.hdrm[in] -= fromHeadroom
	m.ingress[in] -= n - fromHeadroom
	m.used[x.Pool] -= fromShared
	if !m.paused[in] || !m.under(in) {
		return false
	}
	delete(m.paused, in)
	m.changed(now, in)
	return true
}

// under: no headroom is in use, and nothing of the pool, or no more than the floor, or the offset
// less than T.
func (m *model) under(in portClass) bool {
	x := m.profile(in)
	shared, offset := m.shared(in), max(0, x.ResumeOffset)
	if x.XOff != 0 {
		offset = x.XOff - x.XOn
	}
	return m.hdrm[in] == 0 &&
		(shared == 0 || m.ingress[in] <= int64(x.XOnFloor) || m.atMost(
			shared+int64(offset), m.threshold(in),
		))
}

// changed starts the refresh of a port anew: a frame about all of its paused classes goes out. A
// port of classic PAUSE sends only where its first class pauses and its last one resumes.
func (m *model) changed(now sluice.Time, in portClass) {
	port := in.port
	p := &m.config.Ports[port]
	_, running := m.refresh[port]
	switch paused := m.anyPaused(port); {
	case p.Mode == ClassicObey || !p.Sends.Has(in.class):
	case !paused:
		delete(m.refresh, port)
	case p.Mode == ClassicPause && running:
	default:
		m.refresh[port] = now + m.third(port)
	}
}

// anyPaused reports whether the peer of a port is to be paused in any class.
func (m *model) anyPaused(port int) bool {
	for in := range m.paused {
		if in.port == port && m.config.Ports[port].Sends.Has(in.class) {
			return true
		}
	}
	return false
}

func (m *model) third(port int) sluice.Time {
	p := &m.config.Ports[port]
	return max(1, p.Link.Rate.TimeOfQuanta(p.Pause)/3)
}

func (m *model) receive(now sluice.Time, port int, f *Frame) {
	p := &m.config.Ports[port]
	for c := range sluice.Class(sluice.Classes) {
		var t sluice.Quanta
		switch {
		case f.Opcode == OpcodePFC && p.Mode == PriorityPause && f.Enabled.Has(c) && p.Obeys.Has(c):
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
		if ring := &m.rings[q.port][i]; len(m.queues[q]) > 0 {
			ring.Charge(int(q.class), n)
		} else {
			ring.ChargeLast(int(q.class), n)
		}
	}
}
