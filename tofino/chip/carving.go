package chip

import "fmt"

// Carving says how many of a port group's queues each channel has. Channels take theirs in order:
// the first of channel c follows the last of channel c-1. The zero value gives no channel a queue;
// [DefaultCarving] is what the driver begins with.
type Carving struct {
	counts [Channels]uint8
}

// DefaultCarving returns the driver's: 16 queues for each channel.
func DefaultCarving() Carving {
	return Carving{[Channels]uint8{16, 16, 16, 16, 16, 16, 16, 16}}
}

// NewCarving returns a carving by the queues of each channel, port_queue_count in the driver's
// table tf2.tm.port.group. The chip maps queues in blocks of four, so each count must be a multiple
// of 4; the sum is at most 128.
func NewCarving(counts [Channels]int) (Carving, error) {
	var carving Carving
	sum := 0
	for channel, count := range counts {
		field := fmt.Sprintf("queues of channel %d", channel)
		if fault := within(field, count, QueuesPerGroup); fault != nil {
			return Carving{}, fault
		}
		if count%4 != 0 {
			return Carving{}, &RangeError{field, count, "must be a multiple of 4"}
		}
		carving.counts[channel] = uint8(count)
		sum += count
	}
	if sum > QueuesPerGroup {
		return Carving{}, &RangeError{"queues of all channels", sum, "must be at most 128"}
	}
	return carving, nil
}

// Breakout returns the carving that shares a port group evenly among its ports: 1 (channel 0), 2
// (channels 0 and 4), 4 (the even ones) or 8, with 128, 64, 32 or 16 queues each.
func Breakout(ports int) (Carving, error) {
	switch ports {
	case 1, 2, 4, 8:
	default:
		return Carving{}, &RangeError{"ports of a group", ports, "must be 1, 2, 4 or 8"}
	}
	var carving Carving
	for channel := 0; channel < Channels; channel += Channels / ports {
		carving.counts[channel] = uint8(QueuesPerGroup / ports)
	}
	return carving, nil
}

// Count returns how many queues a channel has: none if it is no channel.
func (c Carving) Count(channel int) int {
	if channel < 0 || channel >= Channels {
		return 0
	}
	return int(c.counts[channel])
}

// Counts returns the queues of each channel, as port_queue_count has them.
func (c Carving) Counts() [Channels]int {
	var counts [Channels]int
	for channel, count := range c.counts {
		counts[channel] = int(count)
	}
	return counts
}

// Base returns the number in the group of a channel's first queue: the sum of the counts before.
func (c Carving) Base(channel int) int {
	base := 0
	for _, count := range c.counts[:min(max(channel, 0), Channels)] {
		base += int(count)
	}
	return base
}

// Queue returns the physical queue of a port's queue qid, counted from 0, or an error if the port
// has fewer: the chip would wrap such a number into the port's others, silently.
func (c Carving) Queue(port DevPort, qid int) (Queue, error) {
	count := c.Count(port.Channel())
	if count == 0 {
		return Queue{}, &RangeError{"dev_port", int(port), "has no queues in this carving"}
	}
	if qid < 0 || qid >= count {
		return Queue{}, within(fmt.Sprintf("queue of dev_port %d", port), qid, count-1)
	}
	return NewQueue(port.Pipe(), port.Group(), c.Base(port.Channel())+qid)
}

// Port returns whose queue a physical one is: the port, and the queue's number at it. ok is false
// for a queue that no channel has.
func (c Carving) Port(queue Queue) (port DevPort, qid int, ok bool) {
	qid = queue.Number()
	for channel, count := range c.counts {
		if qid < int(count) {
			port, fault := NewDevPort(queue.Pipe(), queue.Group(), channel)
			return port, qid, fault == nil
		}
		qid -= int(count)
	}
	return 0, 0, false
}

// PortConfig is what the driver answers when it is asked for a port: the fields that can only be
// read of the table tf2.tm.port.cfg. A loader compares them before it writes words that rely on
// them.
type PortConfig struct {
	Group         int   // pg_id
	Channel       int   // pg_port_nr
	Count         int   // port_queues_count
	IngressQueues []int // ingress_qid_map: the port's queue that a program's qid means
	EgressQueues  []int // egress_qid_queues: the group's queue that each of the port's is
}

// PortConfig returns what the driver is to answer for a port under this carving.
func (c Carving) PortConfig(port DevPort) PortConfig {
	count, base := c.Count(port.Channel()), c.Base(port.Channel())
	config := PortConfig{Group: port.Group(), Channel: port.Channel(), Count: count,
		IngressQueues: make([]int, count), EgressQueues: make([]int, count)}
	for qid := range count {
		config.IngressQueues[qid] = qid
		config.EgressQueues[qid] = base + qid
	}
	return config
}
