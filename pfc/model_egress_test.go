package pfc

import "github.com/sluicefc/sluice"

// dequeue takes the head of a queue; it returns whether the ingress became resumed.
func (m *model) dequeue(now sluice.Time, port int, p *sluice.Packet) bool {
	n, q := m.size(p), m.queue(port, p)
	lossy := m.kinds[q][0]
	m.queues[q], m.kinds[q] = m.queues[q][1:], m.kinds[q][1:]
	m.charge(q, int64(p.Size))
	m.shape(now, q, p.Size)
	if p.Ingress == sluice.Local {
		m.rules.local[q] -= n
		return false
	}
	if lossy {
		reserve := m.config.Ports[port].LossyReserve
		m.used[m.config.LossyPool] -= m.beyond(m.lossy[q], reserve) - m.beyond(m.lossy[q]-n, reserve)
		m.lossy[q] -= n
		return false
	}
	in := m.ingressOf(p)
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
		_, _, pauseQueue, _ := p.QoS.Maps()
		at := portClass{port, c}
		if f.Opcode == OpcodePFC {
			at.class = pauseQueue[c]
		}
		switch {
		case f.Opcode == OpcodePFC && p.Mode == PriorityPause && f.Enabled.Has(c) &&
			p.Obeys.Has(at.class):
			t = f.Time[c]
		case f.Opcode == OpcodePause && p.Mode != PriorityPause:
			t = f.Time[0]
		default:
			continue
		}
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
	for at, until := range m.rules.slow {
		if until <= now {
			delete(m.rules.slow, at)
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
	for _, t := range m.rules.slow {
		due = min(due, t)
	}
	return due
}

func (m *model) sendable(at portClass) bool {
	_, held := m.held[at]
	_, slow := m.rules.slow[at]
	return !held && !slow
}

// next is strict priority among groups and a ring of internal/drr within each.
func (m *model) next(port int) (sluice.QueueID, bool) {
	groups := m.groups(port)
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
	for i, g := range m.groups(q.port) {
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
