package check

import "fmt"

// Numbers of the chip, written here anew: this package shares none with what it checks.
const (
	pipes      = 4
	groups     = 9
	channels   = 8
	perGroup   = 128
	defaultOwn = perGroup / channels
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
	counts    map[[2]int][channels]int // by pipe and group, those that are carved anew
	ports     map[int]bool
	xoff      map[queue]*entry
	signals   map[queue]bool // of the best priority
	reports   map[queue]bool // depth
	acting    [pipes]bool    // words do
	anyChange [pipes]bool    // of a depth is reported
}

// validPort reports whether the chip has a port.
func validPort(port int) bool { return port >= 0 && port < pipes<<7 && port&0x7F < groups*channels }

// portOf returns whose queue a physical one is, false if the carving has it not.
func (c *chipState) portOf(q queue) (owned, bool) {
	rest := q.number
	if q.pipe < 0 || q.pipe >= pipes || q.group < 0 || q.group >= groups || rest < 0 {
		return owned{}, false
	}
	for channel, count := range c.carving(q.pipe, q.group) {
		if rest < count {
			return owned{q.pipe<<7 | q.group<<3 | channel, rest}, true
		}
		rest -= count
	}
	return owned{}, false
}

// carving returns the queues of each channel of a port group.
func (c *chipState) carving(pipe, group int) [channels]int {
	if counts, known := c.counts[[2]int{pipe, group}]; known {
		return counts
	}
	var counts [channels]int
	for channel := range counts {
		counts[channel] = defaultOwn
	}
	return counts
}

// each calls visit for each pipe of an entry.
func (e *entry) each(visit func(pipe int)) {
	for pipe := range pipes {
		if e.pipe == allPipes || e.pipe == pipe {
			visit(pipe)
		}
	}
}

// keyed returns a key of an entry as a number, -1 if it is none.
func (e *entry) keyed(name string) int { return named(e.key, name).whole() }

// readChip reads the driver's tables, and notes what is wrong with them beside each other.
func readChip(f *faults, entries []*entry) *chipState {
	c := &chipState{counts: map[[2]int][channels]int{}, ports: map[int]bool{},
		xoff: map[queue]*entry{}, signals: map[queue]bool{}, reports: map[queue]bool{}}
	for _, e := range entries {
		switch e.tableName {
		case "$PORT":
			c.port(f, e)
		case "tf2.tm.port.group":
			c.carve(f, e)
		case "tf2.tm.pipe.sched_cfg":
			if named(e.data, "advanced_flow_control_enable").yes() {
				e.each(func(pipe int) { c.acting[pipe] = true })
			}
		case "tf2.tm.pipe.cfg":
			if named(e.data, "queue_depth_report_mode").text() == "ANY" {
				e.each(func(pipe int) { c.anyChange[pipe] = true })
			}
		}
		if q := (queue{0, e.keyed("pg_id"), e.keyed("pg_queue")}); q.number >= 0 && q.group >= 0 {
			c.queue(f, e, q)
		}
	}
	c.expected(f, entries)
	return c
}

// port notes a port.
func (c *chipState) port(f *faults, e *entry) {
	port := e.keyed("$DEV_PORT")
	if !validPort(port) {
		f.add(e.file, e.offset, e.tableName, e.String(), "the chip has no such port")
		return
	}
	c.ports[port] = true
}

// carve notes the carving of a port group.
func (c *chipState) carve(f *faults, e *entry) {
	var counts [channels]int
	sum := 0
	listed := list(named(e.data, "port_queue_count"))
	if len(listed) != channels {
		f.add(e.file, e.offset, e.tableName, e.String(), "port_queue_count has %d numbers: must be %d",
			len(listed), channels)
		return
	}
	for channel, n := range listed {
		counts[channel] = n.whole()
		sum += counts[channel]
		if counts[channel] < 0 || counts[channel]%4 != 0 {
			f.add(e.file, e.offset, e.tableName, e.String(),
				"channel %d has %d queues: must be a multiple of 4",
				channel, counts[channel])
		}
	}
	if sum > perGroup {
		f.add(
			e.file, e.offset, e.tableName, e.String(), "%d queues of all channels: at most %d", sum,
			perGroup,
		)
	}
	if group := e.keyed("pg_id"); group < 0 || group >= groups {
		f.add(
			e.file, e.offset, e.tableName, e.String(), "port group %d: must be 0 to %d", group, groups-1,
		)
	}
	e.each(func(pipe int) { c.counts[[2]int{pipe, e.keyed("pg_id")}] = counts })
}

// queue notes what an entry says of a queue.
func (c *chipState) queue(f *faults, e *entry, q queue) {
	if q.group >= groups || q.number >= perGroup {
		f.add(e.file, e.offset, e.tableName, e.String(), "the chip has no such queue")
		return
	}
	e.each(func(pipe int) {
		q.pipe = pipe
		switch e.tableName {
		case "tf2.tm.queue.sched_cfg":
			if mode := named(e.data, "advanced_flow_control"); mode.text() == "XOFF" {
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

// expected checks what the list says that the driver will answer of ports.
func (c *chipState) expected(f *faults, entries []*entry) {
	for _, e := range entries {
		if e.tableName != "tf2.tm.port.cfg" || e.op != "expect" {
			continue
		}
		port := e.keyed("dev_port")
		if !validPort(port) {
			f.add(e.file, e.offset, e.tableName, e.String(), "the chip has no such port")
			continue
		}
		for qid, n := range list(named(e.data, "egress_qid_queues")) {
			at, is := c.portOf(queue{port >> 7, port & 0x7F >> 3, n.whole()})
			if !is || at != (owned{port, qid}) {
				f.add(e.file, e.offset, e.tableName, e.String(),
					"queue %d is not number %d of its group by the carving",
					qid, n.whole())
				break
			}
		}
	}
}
