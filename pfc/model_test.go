package pfc

import (
	"math/big"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
)

// model is the switch written slowly: the rules as the sources state them, one map per idea,
// rational numbers, no bit masks, no shared state between what could be kept apart. It has no
// watchdog and marks by steps alone. Its configuration has the defaults filled in.
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
	rules   modelRules
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
		rules:   newModelRules(&config),
	}
	for i, size := range config.Pools {
		m.sizes[i+1] = int64(size)
		m.sizes[0] -= int64(size)
	}
	for i, p := range config.Ports {
		apart := config.ReservedClasses // of the lossless classes, the first ones
		for c := range sluice.Class(sluice.Classes) {
			m.sizes[0] -= int64(p.LossyReserve)
			if m.heldToProfile(portClass{i, c}) {
				m.sizes[0] -= int64(m.profile(portClass{i, c}).Reserve)
			}
			if !p.Classes.Has(c) || apart == 0 {
				continue
			}
			apart--
			m.sizes[0] -= int64(m.profile(portClass{i, c}).Reserve)
			if config.HeadroomPool == 0 {
				m.sizes[0] -= int64(m.profile(portClass{i, c}).Headroom)
			}
		}
		for _, g := range m.groups(i) {
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
	if !p.Classes.Has(in.class) && !m.heldToProfile(in) {
		return &Profile{Pool: own.Pool} // its bytes are all of the pool
	}
	return own
}

func (m *model) free(pool int) int64 { return m.sizes[pool] - m.used[pool] }

// size is the buffer size of a packet: the bytes of the fewest cells that hold it.
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
	t := big.NewInt(max(0, m.room(in)))
	t.Mul(t, big.NewInt(p.Alpha.Num))
	return t.Div(t, big.NewInt(p.Alpha.Den))
}

// shared is S(p,c) = max(0, ingress_bytes - reserve).
func (m *model) shared(in portClass) int64 {
	return max(0, m.ingress[in]-int64(m.profile(in).Reserve))
}

func (m *model) atMost(x int64, t *big.Int) bool { return big.NewInt(x).Cmp(t) <= 0 }

// queue returns the queue of a packet at an egress: the queue of the class in which it leaves.
func (m *model) queue(port int, p *sluice.Packet) portClass {
	at := m.leaves(port, p)
	if q := m.config.Ports[port].QoS; q != nil && q.Queue != nil {
		at.class = q.Queue[at.class]
	}
	return at
}

// leaves returns the class in which a packet leaves.
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
	n, q := m.size(p), m.queue(port, p)
	if p.Ingress == sluice.Local {
		m.rules.local[q] += n
		m.append(q, n, false)
		return sluice.NoReason, false
	}
	in := m.ingressOf(p)
	lossless := m.config.Ports[p.Ingress].Classes.Has(in.class)
	switch {
	case m.full(n) && !lossless:
		return sluice.BufferFull, false
	case !m.full(n) && m.refused(q, p, n):
		return sluice.BufferFull, false
	case m.heldToProfile(in):
		if m.overPort(in, n) || !m.admitShared(in, n) {
			m.rules.groupDrops[in]++
			return sluice.BufferFull, false
		}
		m.append(q, n, false)
		return sluice.NoReason, false
	}
	if !lossless {
		if !m.admitLossy(q, n) {
			return sluice.BufferFull, false
		}
		m.append(q, n, true)
		return sluice.NoReason, false
	}
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

// admitLossy: a packet within the queue's reserve always fits.
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

// admit is SwitchMmu's admission and update of an ingress, with two changes: the reserve always
// admits a packet that fits into it, and no account takes more of the pool than there is.
func (m *model) admit(in portClass, n int64) bool {
	p := m.profile(in)
	if !m.overPort(in, n) && m.admitShared(in, n) {
		return true
	}
	if n+m.hdrm[in] > int64(p.Headroom) ||
		m.config.HeadroomPool != 0 && n+m.allHeadroom() > int64(m.config.HeadroomPool) {
		return false
	}
	m.hdrm[in] += n
	return true
}

// admitShared admits to the reserve and the pool.
func (m *model) admitShared(in portClass, n int64) bool {
	p := m.profile(in)
	grown := m.ingress[in] + n
	added := max(0, min(n, grown-int64(p.Reserve)))
	if added > 0 && (!m.atMost(grown-int64(p.Reserve), m.threshold(in)) || added > m.free(p.Pool)) {
		return false
	}
	m.ingress[in] = grown
	m.used[p.Pool] += added
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
