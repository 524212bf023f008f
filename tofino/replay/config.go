package replay

import (
	"cmp"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Config says what is compared with what.
type Config struct {
	// Machine is the machine of the protocol, of the same configuration as the program.
	Machine kit.Machine
	// Program and Entries are what the chip runs.
	Program *ir.Program
	Entries *ir.Config
	// Ports are the chip's ports, by the number that they have in the machine.
	Ports []chip.DevPort
	// Carving says which queues of the chip the ports have.
	Carving chip.Carving
	// Wiring says how the protocol's inputs look to the chip.
	Wiring Wiring

	// Tick is the step of the chip's clock, which times are rounded down to. Zero means a nanosecond.
	Tick sluice.Time
	// Every is how many inputs lie between two comparisons of state. Zero means 10,000.
	Every int

	// Renamed lets the program put packets into other queues than the machine, as long as the two
	// numbers of a port are one-to-one while packets are in them.
	Renamed bool
	// Turned lets the program send the frames of one input by one port in another order. Such frames
	// are counted in [Stats.Turned].
	Turned bool
	// Count goes on after a difference and counts it in [Stats.Differences]: for chips that are known
	// to be unlike the machine. State is not compared then.
	Count bool
	// Lead hands out the program's frames instead of the machine's, with Count: neighbours obey the
	// program, and queues grow as far as it lets them.
	Lead bool
	// Ghost reports depths of queues to the ghost thread, in this unit, whenever they change.
	Ghost bool
	Unit  chip.DepthUnit
	// Latency says how long events take on a chip that is not ideal.
	Latency Latency
}

// Latency is how long after its cause an event happens on a chip that is not ideal. Zero is at
// once.
type Latency struct {
	Notice sluice.Time // until a packet that goes round is in ingress again
	Report sluice.Time // until the ghost thread receives a depth
}

// Wiring tells a tap about a protocol and its program. Fields that may be nil say so.
type Wiring struct {
	// Packet appends a data packet as it comes in at its ingress port on its way to an egress port. A
	// reason leaves the input out.
	Packet func(dst []byte, egress sluice.PortID, p *sluice.Packet) (octets []byte, reason string)
	// Left looks at a data packet as the program sends it and says what is wrong with the packet, ""
	// for nothing. May be nil.
	Left func(octets []byte, q sluice.QueueID, p *sluice.Packet, v sluice.Verdict) string
	// Frame says why a control frame that comes in by a port is left out. May be nil.
	Frame func(port sluice.PortID, frame []byte) (reason string)
	// Control does what a controller does before the program sees a frame. May be nil.
	Control func(registers *ir.Machine, port sluice.PortID)
	// Shared returns a count of packets of a port that the program put into a queue of another set, as
	// no queue was free: the queue of such a packet is not compared. May be nil.
	Shared func(registers *ir.Machine, port sluice.PortID) uint64
	// State compares registers with the machine's state and returns the first that differs. May be
	// nil.
	State func(registers *ir.Machine) *Difference
	// Queue returns the chip's queue of a queue of the machine; false if the chip does not have it.
	// Nil: the numbers are the same.
	Queue func(q sluice.QueueID) (int, bool)
	// Start calls generate for each packet of the generator that is due once, when the program is
	// loaded. May be nil.
	Start func(generate func(pipe, app, batch, packet int))
	// Timers calls generate for each packet of the generator that is due after an input. May be nil.
	Timers func(now sluice.Time, generate func(pipe, app, batch, packet int))
}

const defaultEvery = 10_000

func (c Config) withDefaults() Config {
	c.Tick, c.Every = cmp.Or(c.Tick, sluice.Nanosecond), cmp.Or(c.Every, defaultEvery)
	return c
}

// check returns the first rule that the configuration breaks.
func (c *Config) check() error {
	switch {
	case c.Machine == nil:
		return refused("Machine", nil, "must be a machine")
	case c.Program == nil || c.Entries == nil:
		return refused("Program", nil, "must be a program with its entries")
	case len(c.Ports) != c.Machine.Ports():
		return refused("Ports", len(c.Ports), "must be as many as the machine's")
	case c.Wiring.Packet == nil:
		return refused("Wiring.Packet", nil, "must be a function")
	case c.Tick < 0:
		return refused("Tick", c.Tick, "must not be negative")
	case c.Lead && !c.Count:
		return refused("Lead", c.Lead, "must go with Count")
	case c.Every < 0:
		return refused("Every", c.Every, "must not be negative")
	case c.Latency.Notice < 0 || c.Latency.Report < 0:
		return refused("Latency", c.Latency, "must not be negative")
	}
	for _, port := range c.Ports {
		if port.Internal() || c.Carving.Count(port.Channel()) == 0 {
			return refused("Ports", port, "must be front ports with queues")
		}
	}
	return nil
}

func refused(field string, value any, rule string) error {
	return &sluice.ConfigError{
		Package: "replay", Type: "Config", Field: field, Value: value, Rule: rule,
	}
}
