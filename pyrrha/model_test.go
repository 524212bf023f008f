package pyrrha

import (
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// model is the protocol as the package documentation words it, in maps and lists, with packets in
// its queues: hierarchical, no frame lost, IQs and table large enough. It is as slow as it is
// plain.
type model struct {
	id     sluice.SwitchID
	config Config
	oq     map[int][]modelPacket
	trees  map[sluice.Hop]*modelTree // by root, our own ports too
	frames []modelFrame
}

type modelFrame struct {
	port int
	Frame
}

// modelTree is a congestion tree at this switch.
type modelTree struct {
	level     int
	iqs       map[int]*modelIQ      // by egress port
	upstreams map[int]UpstreamState // by ingress port
}

type modelIQ struct {
	state   hiq.State
	level   int
	number  int // the lowest that was free
	into    sluice.Hop
	packets []modelPacket
}

type modelPacket struct {
	ingress int
	size    sluice.Bytes
	path    []sluice.Hop
}

func newModel(c Config) *model {
	m := &model{
		id: c.Switch, config: c, oq: map[int][]modelPacket{}, trees: map[sluice.Hop]*modelTree{},
	}
	for i := range c.Ports {
		m.trees[m.own(i)] = &modelTree{iqs: map[int]*modelIQ{}, upstreams: map[int]UpstreamState{}}
	}
	return m
}

func (m *model) own(port int) sluice.Hop {
	return sluice.Hop{Switch: m.id, Port: sluice.PortID(port)}
}

func (m *model) isOwn(root sluice.Hop) bool {
	return root.Switch == m.id && int(root.Port) < len(m.config.Ports)
}

func (m *model) threshold(k sluice.Ratio, egress, ingress int) sluice.Bytes {
	bdp := m.config.Ports[egress].Link.Rate.BDP(2 * m.config.Ports[ingress].Link.Delay)
	return bdp * sluice.Bytes(k.Num) / sluice.Bytes(k.Den)
}

func (m *model) above(egress, ingress int, n sluice.Bytes) bool {
	return n > m.threshold(m.config.Pause, egress, ingress)
}

// below: an empty queue is below K_resume, even if that is 0.
func (m *model) below(egress, ingress int, n sluice.Bytes) bool {
	return n < m.threshold(m.config.Resume, egress, ingress) || n == 0
}

func bytesOf(packets []modelPacket, ingress int) (n sluice.Bytes) {
	for _, p := range packets {
		if ingress < 0 || p.ingress == ingress {
			n += p.size
		}
	}
	return n
}

const modelLocal = 1000

// enqueue routes a packet to an egress port and returns the root of its IQ; the zero Hop with
// false for the OQ.
func (m *model) enqueue(egress int, p modelPacket) (sluice.Hop, bool) {
	return m.place(egress, p, 0, 0)
}

// place searches the path for the nearest root with an IQ here, after the IQ of a given level and
// number. If two are at one distance, as happens only where switches disagree about distances, the
// lower number comes first.
func (m *model) place(
	egress int, p modelPacket, level, number int,
) (root sluice.Hop, isolated bool) {
	var best *modelIQ
	for _, hop := range p.path {
		t := m.trees[hop]
		if t == nil || t.iqs[egress] == nil {
			continue
		}
		q := t.iqs[egress]
		beyond := q.level > level || q.level == level && q.number > number
		if beyond && (best == nil || q.level < best.level || q.level == best.level &&
			q.number < best.number) {
			root, best = hop, q
		}
	}
	if best == nil {
		m.oq[egress] = append(m.oq[egress], p)
		m.enteredOQ(egress, p.ingress)
		return root, false
	}
	best.packets = append(best.packets, p)
	m.enteredIQ(egress, root, p.ingress)
	return root, true
}

func (m *model) enteredOQ(egress, ingress int) {
	n := bytesOf(m.oq[egress], -1)
	if ingress == modelLocal || !m.above(egress, ingress, n) {
		return
	}
	if m.config.Ports[egress].Role == Up {
		sum, count := sluice.Bytes(0), sluice.Bytes(0)
		for i, p := range m.config.Ports {
			if p.Role == Up {
				sum += bytesOf(m.oq[i], -1)
				count++
			}
		}
		if m.config.UpPorts == UpNever || m.config.UpPorts == UpImbalanced && n <= 2*(sum/count) {
			return
		}
	}
	m.pause(m.own(egress), ingress)
}

func (m *model) enteredIQ(egress int, root sluice.Hop, ingress int) {
	q := m.trees[root].iqs[egress]
	if ingress == modelLocal || q.state == hiq.SoftMerging || m.far(root, q) {
		return
	}
	if m.above(egress, ingress, m.waits(root, egress, ingress)) {
		m.pause(root, ingress)
	}
}

// waits is the measure that a child compares with the thresholds.
func (m *model) waits(root sluice.Hop, egress, ingress int) (n sluice.Bytes) {
	if m.config.Child == ByQueue {
		if q := m.trees[root].iqs[egress]; q != nil {
			return bytesOf(q.packets, -1)
		}
		return 0
	}
	for _, q := range m.trees[root].iqs {
		if !m.far(root, q) {
			n += bytesOf(q.packets, ingress)
		}
	}
	return n
}

// far: a packet is on a detour, and pauses no upstream, if another port of the switch is nearer to
// the root that it waits for.
func (m *model) far(root sluice.Hop, q *modelIQ) bool { return q.level > m.trees[root].level }

func (m *model) pause(root sluice.Hop, ingress int) {
	t := m.trees[root]
	if t.upstreams[ingress] == PausedUpstream || t.level >= 7 ||
		m.config.Ports[ingress].Role == Legacy {
		return
	}
	t.upstreams[ingress] = PausedUpstream
	m.send(ingress, &Frame{Type: Pause, Root: root, Hop: uint8(t.level + 1)})
}

// resumeAll resumes every upstream of a root that may be, after a packet left egress.
func (m *model) resumeAll(root sluice.Hop, egress, from int, leftOQ bool) {
	t := m.trees[root]
	for i := range m.config.Ports {
		if t.upstreams[i] != PausedUpstream {
			continue
		}
		if !leftOQ && m.config.Child == ByIngress && i != from {
			continue
		}
		if m.isOwn(root) && !m.below(int(root.Port), i, bytesOf(m.oq[int(root.Port)], -1)) {
			continue
		}
		may := true
		if m.config.Child == ByQueue {
			for e, q := range t.iqs {
				may = may && (m.far(root, q) || m.below(e, i, m.waits(root, e, i)))
			}
		} else {
			may = m.below(egress, i, m.waits(root, egress, i))
		}
		if may {
			m.resume(root, i)
		}
	}
}

func (m *model) resume(root sluice.Hop, ingress int) {
	m.send(ingress, &Frame{Type: Resume, Root: root})
	m.trees[root].upstreams[ingress] = ResumedUpstream
	if m.config.Ports[ingress].Role == Host {
		delete(m.trees[root].upstreams, ingress)
	}
}

// dequeueOQ sends the head of an OQ.
func (m *model) dequeueOQ(egress int) modelPacket {
	p := m.oq[egress][0]
	m.oq[egress] = m.oq[egress][1:]
	m.resumeAll(m.own(egress), egress, p.ingress, true)
	m.prune()
	return p
}

// dequeueIQ moves the head of the IQ of a root.
func (m *model) dequeueIQ(egress int, root sluice.Hop) (next sluice.Hop, isolated bool) {
	q := m.trees[root].iqs[egress]
	p := q.packets[0]
	q.packets = q.packets[1:]
	m.resumeAll(root, egress, p.ingress, false)
	next, isolated = m.place(egress, p, q.level, q.number)
	m.prune()
	return next, isolated
}

// prune frees whatever IQ may be freed, over and over.
func (m *model) prune() {
	for again := true; again; {
		again = false
		for _, root := range m.sorted() {
			t := m.trees[root]
			for egress := range m.config.Ports {
				q := t.iqs[egress]
				if q == nil || len(q.packets) > 0 || m.fed(root, egress) || q.state == hiq.Paused {
					continue
				}
				if q.state == hiq.Resumed && len(t.upstreams) > 0 && q.level <= t.level {
					continue
				}
				delete(t.iqs, egress)
				if q.state == hiq.Resumed {
					m.send(egress, &Frame{Type: Dealloc, Root: root})
				}
				again = true
			}
			if len(t.iqs) == 0 && len(t.upstreams) == 0 && !m.isOwn(root) {
				delete(m.trees, root)
			}
			m.recede(root)
		}
	}
}

// recede: ports equally far from a root are on no detour once nothing nearer is left, and no
// upstream in the tree has a frame with a smaller distance.
func (m *model) recede(root sluice.Hop) {
	t := m.trees[root]
	if t == nil || len(t.upstreams) > 0 || m.isOwn(root) {
		return
	}
	levels := map[int]bool{}
	for _, q := range t.iqs {
		levels[q.level] = true
	}
	for level := range levels {
		if len(levels) == 1 {
			t.level = level
			m.reword(root)
		}
	}
}

// fed reports whether an old IQ still merges into a root's IQ.
func (m *model) fed(root sluice.Hop, egress int) bool {
	for _, t := range m.trees {
		if q := t.iqs[egress]; q != nil && q.state == hiq.SoftMerging && q.into == root {
			return true
		}
	}
	return false
}

func (m *model) sorted() []sluice.Hop {
	var roots []sluice.Hop
	for root := range m.trees {
		roots = append(roots, root)
	}
	sort.Slice(roots, func(i, j int) bool { return roots[i].Key() < roots[j].Key() })
	return roots
}
