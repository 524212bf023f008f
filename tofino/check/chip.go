package check

import "fmt"

// Numbers of the chip, written here anew: this package shares none with what it checks.
const (
	pipes      = 4
	groups     = 9
	channels   = 8
	perGroup   = 128
	defaultOwn = perGroup / channels
	roundPort  = 6 // of a pipe: packets go round by it
)

// queue is a physical queue.
type queue struct{ pipe, group, number int }

func (q queue) String() string {
	return fmt.Sprintf("queue %d of port group %d of pipe %d", q.number, q.group, q.pipe)
}

// owned is a queue as a port has it.
type owned struct{ port, qid int }

// chipState is what the driver's tables of a list of entries make of the chip.
type chipState struct {
	counts    map[[2]int][channels]int // by pipe and group, of groups that are carved anew
	ports     map[int]bool
	xoff      map[queue]*entry
	signals   map[queue]bool // of the best priority
	reports   map[queue]bool // depth
	acting    [pipes]bool    // words do
	anyChange [pipes]bool    // of a depth is reported
}

func validPort(port int) bool { return port >= 0 && port < pipes<<7 && port&0x7F < groups*channels }

// portOf returns the port of a physical queue and its number there, false if the carving does not
// have the queue.
func (c *chipState) portOf(q queue) (owned, bool) {
	rest := q.number
	if q.pipe < 0 || q.pipe >= pipes || q.group < 0 || q.group >= groups || rest < 0 {
		return owned{}, false
	}
	counts, carved := c.counts[[2]int{q.pipe, q.group}]
	for channel, count := range counts {
		if !carved {
			count = defaultOwn
		}
		if rest < count {
			return owned{q.pipe<<7 | q.group<<3 | channel, rest}, true
		}
		rest -= count
	}
	return owned{}, false
}

// readChip reads the driver's tables, and notes what is wrong with several of them together.
func (s *state) readChip() {
	s.chip = chipState{counts: map[[2]int][channels]int{}, ports: map[int]bool{},
		xoff: map[queue]*entry{}, signals: map[queue]bool{}, reports: map[queue]bool{}}
	c := &s.chip
	for _, e := range s.of["$PORT"] {
		if port := e.keyed("$DEV_PORT"); validPort(port) {
			c.ports[port] = true
		} else {
			e.fault("the chip has no such port")
		}
	}
	for _, e := range s.of["tf2.tm.port.group"] {
		c.carve(e)
	}
	for _, e := range s.entries {
		switch {
		case e.tableName == "tf2.tm.pipe.sched_cfg" &&
			named(e.data, "advanced_flow_control_enable").yes():
			e.each(func(pipe int) { c.acting[pipe] = true })
		case e.tableName == "tf2.tm.pipe.cfg" &&
			named(e.data, "queue_depth_report_mode").text() == "ANY":
			e.each(func(pipe int) { c.anyChange[pipe] = true })
		}
		if q := (queue{0, e.keyed("pg_id"), e.keyed("pg_queue")}); q.number >= 0 && q.group >= 0 {
			c.queue(e, q)
		}
	}
	for _, e := range s.of["tf2.tm.port.cfg"] {
		c.expected(e)
	}
}

func (c *chipState) carve(e *entry) {
	listed, sum := e.listed("port_queue_count"), 0
	if len(listed) != channels {
		e.fault("port_queue_count has %d numbers: must be %d", len(listed), channels)
		return
	}
	for channel, count := range listed {
		if sum += count; count < 0 || count%4 != 0 {
			e.fault("channel %d has %d queues: must be a multiple of 4", channel, count)
		}
	}
	if sum > perGroup {
		e.fault("%d queues of all channels: at most %d", sum, perGroup)
	}
	group := e.keyed("pg_id")
	if group < 0 || group >= groups {
		e.fault("port group %d: must be 0 to %d", group, groups-1)
	}
	e.each(func(pipe int) { c.counts[[2]int{pipe, group}] = [channels]int(listed) })
}

// queue notes what an entry says of a queue.
func (c *chipState) queue(e *entry, q queue) {
	if q.group >= groups || q.number >= perGroup {
		e.fault("the chip has no such queue")
		return
	}
	e.each(func(pipe int) {
		q.pipe = pipe
		switch e.tableName {
		case "tf2.tm.queue.sched_cfg":
			if named(e.data, "advanced_flow_control").text() == "XOFF" {
				c.xoff[q] = e
			}
			if named(e.data, "max_priority").text() == "7" {
				c.signals[q] = true
			}
		case "tf2.tm.queue.cfg":
			if named(e.data, "depth_report_enable").yes() {
				c.reports[q] = true
			}
		}
	})
}

// expected checks the driver's answer about a port that the list expects.
func (c *chipState) expected(e *entry) {
	port := e.keyed("dev_port")
	switch {
	case e.op != "expect":
		return
	case !validPort(port):
		e.fault("the chip has no such port")
		return
	}
	for qid, number := range e.listed("egress_qid_queues") {
		at, is := c.portOf(queue{port >> 7, port & 0x7F >> 3, number})
		if !is || at != (owned{port, qid}) {
			e.fault("queue %d is not number %d of its group by the carving", qid, number)
			break
		}
	}
}
