package strict

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// mistakes are what an embedder did, by kind in the order of their first time.
type mistakes struct {
	list   []string
	counts map[string]int // by kind
	kinds  []string
}

// mistake notes one; of a kind the first is kept, and the others are counted.
func (m *mistakes) mistake(kind, format string, args ...any) {
	if m.counts == nil {
		m.counts = map[string]int{}
	}
	if m.counts[kind]++; m.counts[kind] == 1 {
		m.kinds = append(m.kinds, kind)
		m.list = append(m.list, fmt.Sprintf(format, args...))
	}
}

// Err returns the mistakes so far, the first of each kind with how many more there were; nil if
// there are none.
func (m *mistakes) Err() error {
	var lines []string
	for i, kind := range m.kinds {
		line := m.list[i]
		if more := m.counts[kind] - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	return errors.New("strict: " + strings.Join(lines, "\nstrict: "))
}

// Done returns what Err does, and what is left at the end of a test, in which every packet was to
// leave: packets, ports that were woken in vain, queues that are held, and fields of packets that
// look forgotten. Every timer that is due has to be served before, and every frame delivered.
func (c *Machine) Done(now sluice.Time) error {
	c.clock("Done", now)
	if err := c.Audit(); err != nil {
		c.mistake("audit", "%v", err)
	}
	if c.several {
		c.mistake("several", "a wake said WakeSeveral, and PollPort was not called until it answers "+
			"false")
	}
	for at := range c.ports {
		c.left(sluice.PortID(at))
	}
	if err := c.Quiescent(); err != nil {
		c.mistake("quiescent", "at the end: %v", err)
	}
	if err := kit.Forgotten(c.Machine); err != nil {
		c.mistake("forgotten", "%v", err)
	}
	c.oneIngress()
	return c.Err()
}

// left names what is left of a port.
func (c *Machine) left(at sluice.PortID) {
	p := &c.ports[at]
	if p.woken != "" {
		c.mistake("unasked", "%s woke port %d, which was not asked since", p.woken, at)
	}
	for q := range p.queues {
		if list := p.queues[q].packets; len(list) > 0 {
			state := "may go"
			if !c.Sendable(at, sluice.QueueID(q)) {
				state = "is held"
			}
			c.mistake("left", "packets left in queue %d of port %d, which %s: %d", q, at, state, len(list))
		}
	}
	lost := c.Counters(at).Dropped[sluice.HeadroomExhausted]
	if lost > 0 {
		c.mistake("headroom", "port %d dropped %d packets for which no headroom was left: a pause did not "+
			"reach their senders, their Ingress is wrong, or the headroom is less than HeadroomFor", at, lost)
	}
}

// oneIngress finds the embedder that leaves Ingress at its zero value: all packets have one
// ingress, and packets leave by that port, too.
func (c *Machine) oneIngress() {
	if len(c.ports) < 3 {
		return
	}
	used, all := -1, 0
	for at := range c.ports {
		if c.ports[at].in > 0 {
			if used >= 0 {
				return
			}
			used, all = at, c.ports[at].in
		}
	}
	if used >= 0 && all > 1 && c.ports[used].out > 0 {
		c.mistake("one ingress", "all %d packets have Ingress %d, and %d packets left by that port: is "+
			"Ingress set to the port that a packet came in by?", all, used, c.ports[used].out)
	}
}
