package strict

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// time notes the time of a hook.
func (c *Machine) time(hook string, now sluice.Time) {
	switch {
	case now == sluice.Never:
		c.mistake("never", "%s at Never: a time has to be given", hook)
		return
	case c.started && now < c.now:
		c.mistake("back", "%s at %v, after a call at %v: time goes back", hook, now, c.now)
		return
	}
	c.now, c.started = now, true
}

// clock notes the time of a hook that comes after all timers before that time.
func (c *Machine) clock(hook string, now sluice.Time) {
	c.time(hook, now)
	if due := c.Deadline(); due < now && now != sluice.Never {
		c.mistake("late", "%s at %v, and Expire was not called at the deadline %v", hook, now, due)
	}
}

// changed notes that a frame may be due at a port, and that Next may answer otherwise.
func (c *Machine) changed(at sluice.PortID) {
	c.ports[at].polled, c.ports[at].named = false, false
}

// note remembers the ports that a wake names until they are asked.
func (c *Machine) note(hook string, wake sluice.Wake) sluice.Wake {
	if at, ok := wake.Port(); ok {
		c.ports[at].woken = hook
	}
	c.several = c.several || wake.Has(sluice.WakeSeveral)
	return wake
}

// arrives checks the fields of a packet that the embedder sets.
func (c *Machine) arrives(at sluice.PortID, p *sluice.Packet) {
	if in := int(p.Ingress); in < len(c.ports) {
		c.ports[in].in++
	} else if p.Ingress != sluice.Local {
		c.mistake("ingress", "Enqueue to port %d: Ingress %d is no port of %d, and not Local", at, in,
			len(c.ports))
	}
	if p.Path.Len() == 0 {
		return
	}
	if hop := p.Path.At(0); hop.Port != at {
		c.mistake("path", "Enqueue to port %d: Path begins with port %d of switch %d: the hop before was "+
			"not taken off, or the packet was routed otherwise", at, hop.Port, hop.Switch)
	}
}

// queue has what the embedder's FIFO must hold.
type queue struct{ packets []sluice.Packet }

func (p *port) push(q sluice.QueueID, packet *sluice.Packet) {
	if int(q) < len(p.queues) {
		p.queues[q].packets = append(p.queues[q].packets, *packet)
	}
}

// pop takes the head of a queue, and returns the rule that a packet breaks if it is another.
func (p *port) pop(q sluice.QueueID, packet *sluice.Packet) (rule string) {
	if int(q) >= len(p.queues) || len(p.queues[q].packets) == 0 {
		return "the queue is empty"
	}
	list := p.queues[q].packets
	head := list[0]
	p.queues[q].packets = list[1:]
	switch {
	case *packet == head:
		return ""
	case packet.Flow == head.Flow && packet.Size == head.Size && packet.Note != head.Note:
		return "Note changed while the packet waited, or the packet is not the head of the queue"
	}
	return fmt.Sprintf("the packet has %d bytes of flow %#x from port %d, the head of the queue %d of "+
		"flow %#x from port %d", packet.Size, packet.Flow, packet.Ingress, head.Size, head.Flow,
		head.Ingress)
}

func (p *port) waiting() (packets int) {
	for q := range p.queues {
		packets += len(p.queues[q].packets)
	}
	return packets
}
