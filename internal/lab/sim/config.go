package sim

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// Config is a run.
type Config struct {
	Topology *topo.Graph
	Flows    []workload.Flow
	// Jobs are schedules on hosts. Flows ends with the messages of the jobs, one job after the other,
	// as Job.Flows and Job.First have them.
	Jobs []schedule.Job

	// NewMachine builds the flow control of a node, switch or host.
	NewMachine func(node sluice.SwitchID) (kit.Machine, error)
	// Network is the forwarding state of all nodes. A packet leaves its host with the path that
	// it predicts.
	Network Routes
	// Steering, if set, chooses the ways of flows' data before Network does. It goes with neither
	// Failures nor VerifyPaths, which are about Network.
	Steering Steering
	// Balance is how load is balanced over equally short ways.
	Balance Balance
	// VerifyPaths asks every switch for the egress port of every packet, which must be the
	// predicted one; a difference ends the run with an error. Where switches choose a way for every
	// packet, the hop there that was certain is compared.
	VerifyPaths bool
	// Inspect, if set, is called after every event with the simulator at rest: a test's window.
	Inspect func(*Simulator) error

	// Payload is the largest payload of a packet, Header what is added to it on the wire and in
	// buffers, AckSize the size of an acknowledgement. Bytes.
	Payload, Header, AckSize sluice.Bytes
	// Window is how many payload bytes a flow may have unacknowledged. It sends a packet while it has
	// fewer, as HPCC's ns-3 does, so that it may have up to a packet more. 0: one bandwidth-delay
	// product of the longest path, see topo.Graph.BaseRTT.
	Window sluice.Bytes
	// AckClass is the class of acknowledgements; sluice.Classes means the class of the data.
	AckClass sluice.Class
	// NoticeClass is the class of congestion notices, CNPs and CNMs, alike.
	NoticeClass sluice.Class
	// RetransmitAfter is how often, counted from its start, a sender looks whether anything was
	// acknowledged since it last looked; if not, it goes back to the first unacknowledged packet. So
	// it goes back after one to two RetransmitAfter without progress. 0: never, as on a lossless
	// network.
	RetransmitAfter sluice.Time
	// RetransmitFromLoss has senders begin to look when the first packet is dropped, or rather when
	// they hear of it, after the delay of the longest link: a run without a loss is as with
	// RetransmitAfter of 0. It is for gbn; irn has its own timers.
	RetransmitFromLoss bool
	// Transport is how hosts repair losses. The zero value is Go-back-N, with RetransmitAfter as its
	// timeout.
	Transport transport.Config
	// Resequence has receivers hand packets up in order; by default they do not.
	Resequence ResequenceConfig
	// Control is the congestion control of senders, within Window. The zero value is none.
	Control cc.Config
	// ControlByQueue has switches tell Control of the queue that a packet leaves, in telemetry and at
	// congestion points, in place of all that waits for the port.
	ControlByQueue bool
	// PaceOnWire counts the time to a flow's next packet, and round-trip times, from a packet's first
	// bit on the wire, not from when it enters the network card. They differ where flows share a card.
	PaceOnWire bool
	// Failures are links that fail, while flows are under way or before. They change Network.
	Failures []Failure
	// HopLimit is how many switches a packet may pass (RFC 791, time to live); it is discarded at the
	// next. 0: 64.
	HopLimit uint8
	// PairKeys makes Packet.Flow a hash of the two hosts, so that all flows between them are one to a
	// protocol that tells flows apart; otherwise it is one of the five-tuple. Routes look at the
	// five-tuple in either case.
	PairKeys bool
	// ECN is the code point of data packets as they leave their host.
	ECN sluice.ECN

	// Drains are hosts that take what they receive more slowly than it comes.
	Drains []Drain

	// Loss is the probability, in parts per million, that a packet which is no control frame is lost
	// on a link.
	Loss uint64
	// ControlLoss, ControlDuplicate and ControlReorder are probabilities in parts per million that a
	// control frame is lost, doubled, or held back behind the next one on a link (for 10 us if none
	// comes). Their sum is at most a million.
	ControlLoss, ControlDuplicate, ControlReorder uint64
	// Answers are the faults of acknowledgements and congestion notices: a host loses them, takes
	// them twice, or 10 us late, after answers that came later.
	Answers Faults
	// Seed is the seed of these probabilities.
	Seed uint64
	// Threads is how many threads share the work, at most; 0: one. It changes no result. A network is
	// not cut for them, so that one does it all, if links fail amid Spray, DRILL, RetransmitFromLoss
	// or Jobs, an Observer, a Watcher or Inspect is set, or no link delays.
	Threads int
	// Parts is how many parts the network is cut into, at most; 0: four for each thread, one for one.
	// Windows, if set, is called after each window with the events of each part in it: for a model of
	// how parts share the work. It keeps nothing.
	Parts   int
	Windows func(events []int64)

	// Until ends the run at an instant; 0: when nothing is left to happen.
	Until sluice.Time
	// RunOn is how long timers and control frames go on after the last packet was sent, once every
	// flow has completed: for tests of what a protocol leaves behind. 0: the run ends when no packet
	// is left.
	RunOn sluice.Time
	// StallAfter ends the run when for so long no packet was sent for the first time, and either
	// packets wait or missing packets will not be sent again: a deadlock whose pauses are refreshed
	// would go on for ever. A flow that waits for its rate is none. 0: 10 ms, or if that is longer
	// two RetransmitAfter, or four packets on the slowest link.
	StallAfter sluice.Time
	// SampleEvery is the period of Result.Series; 0: none. It changes nothing else.
	SampleEvery sluice.Time
	// Observer, if set, watches the run; its samples are the samples of SampleEvery. It changes
	// nothing.
	Observer *probe.Observer
	// Watcher, if set, looks at the whole network at every sample. It changes nothing.
	Watcher Watcher
	// Progress, if set, is called now and then with the payload bytes delivered and to deliver.
	Progress func(delivered, total sluice.Bytes)
}

func (c *Config) validate() error {
	fail := func(field string, value any, rule string) error {
		return &sluice.ConfigError{Package: "sim", Type: "Config", Field: field, Value: value, Rule: rule}
	}
	for i, d := range c.Drains {
		if int(d.Host) >= len(c.Topology.Nodes) || !c.Topology.IsHost(d.Host) || d.Rate <= 0 {
			return fail(fmt.Sprintf("Drains[%d]", i), d.Host, "must be a host, with a positive rate")
		}
	}
	switch {
	case c.Topology == nil:
		return fail("Topology", nil, "must be set")
	case c.Topology.Validate() != nil:
		return fail("Topology", c.Topology.Name, c.Topology.Validate().Error())
	case c.NewMachine == nil:
		return fail("NewMachine", nil, "must be set")
	case c.Network == nil:
		return fail("Network", nil, "must be set")
	case c.Steering != nil && (c.VerifyPaths || len(c.Failures) > 0):
		return fail("Steering", c.Steering, "must be nil with VerifyPaths or Failures")
	case c.Steering != nil && c.Balance.Kind != ECMP:
		return fail("Steering", c.Steering, "must be nil unless Balance is ecmp")
	case c.Resequence.Timeout > 0 && c.Resequence.Packets < 1:
		return fail("Resequence.Packets", c.Resequence.Packets, "must be positive")
	case len(c.Flows) > maxPlaces:
		return fail("Flows", len(c.Flows), "must be at most 268,435,456")
	case c.Payload <= 0 || c.Payload > 1<<20:
		return fail("Payload", c.Payload, "must be 1 byte to 1 MiB")
	case c.Header < 0 || c.Header > 1<<16:
		return fail("Header", c.Header, "must be 0 to 64 KiB")
	case c.AckSize <= 0 || c.AckSize > 1<<16:
		return fail("AckSize", c.AckSize, "must be 1 byte to 64 KiB")
	case c.Window < 0:
		return fail("Window", c.Window, "must not be negative")
	case c.AckClass > sluice.Classes:
		return fail("AckClass", c.AckClass, "must be a class or sluice.Classes")
	case c.NoticeClass > sluice.Classes:
		return fail("NoticeClass", c.NoticeClass, "must be a class or sluice.Classes")
	case c.ECN > sluice.CE:
		return fail("ECN", c.ECN, "must be a code point")
	}
	if err := c.Balance.validate(fail); err != nil {
		return err
	}
	if err := c.validateFaults(); err != nil {
		return err
	}
	for _, span := range []struct {
		field string
		value sluice.Time
	}{
		{"RetransmitAfter", c.RetransmitAfter}, {"Until", c.Until}, {"RunOn", c.RunOn},
		{"StallAfter", c.StallAfter}, {"SampleEvery", c.SampleEvery},
		{"Resequence.Timeout", c.Resequence.Timeout},
	} {
		if span.value < 0 || span.value > latest {
			return fail(span.field, span.value, "must be 0 to 50 days")
		}
	}
	if _, ok := c.Network.(failing); len(c.Failures) > 0 && !ok {
		return fail("Failures", len(c.Failures), "must be none: no link of this Network can fail")
	}
	for i, f := range c.Failures {
		field := fmt.Sprintf("Failures[%d]", i)
		switch {
		case int(f.At.Switch) >= len(c.Topology.Nodes) || int(f.At.Port) >= len(
			c.Topology.Nodes[f.At.Switch].Ports,
		):
			return fail(field+".At", f.At, "must be a port of the network")
		case f.Down < 0 || f.Down > latest || f.Up < 0 || f.Up > latest || f.Up != 0 && f.Up <= f.Down:
			return fail(field, f.Down, "must be 0 to 50 days, and before it is up again")
		}
	}
	for i := range c.Flows {
		if err := c.validateFlow(i); err != nil {
			return err
		}
	}
	return c.validateJobs()
}

// latest is the last instant that a configuration may name: half of what sluice.Time can hold is
// left for what follows.
const latest = 50 * 24 * 3600 * sluice.Second

func (c *Config) validateFaults() error {
	for _, f := range []struct {
		prefix string
		Faults
	}{{"Control", c.frameFaults()}, {"Answers.", c.Answers}, {"", Faults{Loss: c.Loss}}} {
		sum := uint64(0)
		for _, p := range []struct {
			field string
			value uint64
		}{{"Loss", f.Loss}, {"Duplicate", f.Duplicate}, {"Reorder", f.Reorder}} {
			if sum = min(sum, million) + p.value; p.value > million || sum > million {
				return &sluice.ConfigError{
					Package: "sim", Type: "Config", Field: f.prefix + p.field, Value: p.value,
					Rule: "must be 0 to a million, and so must the sum of all fates",
				}
			}
		}
	}
	return nil
}

// frameFaults are the faults of control frames.
func (c *Config) frameFaults() Faults {
	return Faults{c.ControlLoss, c.ControlDuplicate, c.ControlReorder}
}

func (c *Config) validateFlow(i int) error {
	f := &c.Flows[i]
	fail := func(field string, value any, rule string) error {
		return &sluice.ConfigError{
			Package: "sim", Type: "Config", Field: fmt.Sprintf("Flows[%d].%s", i, field), Value: value,
			Rule: rule,
		}
	}
	hosts := len(c.Topology.Nodes)
	switch {
	case int(f.Src) >= hosts || !c.Topology.IsHost(f.Src):
		return fail("Src", f.Src, "must be a host")
	case int(f.Dst) >= hosts || !c.Topology.IsHost(f.Dst):
		return fail("Dst", f.Dst, "must be a host")
	case f.Src == f.Dst:
		return fail("Dst", f.Dst, "must differ from Src")
	case f.Bytes <= 0 || (f.Bytes-1)/c.Payload >= math.MaxInt32:
		return fail("Bytes", f.Bytes, "must be positive and below 2^31 packets")
	case f.Class >= sluice.Classes:
		return fail("Class", f.Class, "must be 0 to 7")
	case f.Start < 0 || f.Start > latest:
		return fail("Start", f.Start, "must be 0 to 50 days")
	case f.Rate < 0 || f.Rate > cc.MaxRate:
		return fail("Rate", f.Rate, "must be 0 to 10 Tb/s")
	case !f.Group.IsKnown():
		return fail("Group", f.Group, "must be a group")
	}
	return nil
}
