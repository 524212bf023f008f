// Package network simulates a network under any of the protocols for a program that has events of
// its own: a model of training jobs, of storage, of a scheduler. The program sends messages, sets
// timers, and takes what happens one event after another; the present stands still between two.
//
//	n, err := network.New(network.Config{Topology: text, Protocol: "pyrrha"})
//	id, err := n.Send(0, 3, 1*sluice.MB, 7)
//	for {
//		event, ok, err := n.Next(sluice.Never)
//		...
//	}
//
// It is the simulator of go run ./bench, with its defaults: hosts that send by windows, congestion
// control and repair of losses as the settings say, switches with the protocol's machines. The same
// calls give the same events. One goroutine at a time may use a Network.
package network

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Config is a network. Topology must be set.
type Config struct {
	// Topology is the text of a topology file in the format of HPCC's simulator, as `go run ./bench
	// topology` writes it: nodes are numbered from 0, and those that are no switches are hosts.
	Topology string
	// Protocol is a name of `go run ./bench list protocols`. Empty: "pfc".
	Protocol string
	// Settings are parameters of the network and of protocols as -set takes them, "buffer=20MiB" or
	// "pfc.alpha=1/4,cc=dcqcn". `go run ./bench list parameters` explains them.
	Settings []string
	// Class is the class of all messages, 0 to 7.
	Class sluice.Class
	// Seed is for everything random. Networks of one configuration behave alike.
	Seed uint64
}

// Network is a network at an instant. Use New.
type Network struct {
	live   *sim.Live
	class  sluice.Class
	hosts  []sluice.SwitchID
	timers timers
	err    error // of Next: nothing goes on
}

// MessageID is the number of a message: 0, 1 and so on in the order of Send.
type MessageID int64

// New builds a network at time 0. An error names the line of Topology, the parameter, or the field
// with its value and the rule that it breaks.
func New(c Config) (*Network, error) {
	graph, err := topo.Read(strings.NewReader(c.Topology), "Topology")
	if err != nil {
		return nil, err
	}
	if c.Class >= sluice.Classes {
		return nil, &sluice.ConfigError{
			Package: "network", Type: "Config", Field: "Class", Value: c.Class, Rule: "must be 0 to 7",
		}
	}
	if c.Protocol == "" {
		c.Protocol = "pfc"
	}
	if _, err := fabric.Find(c.Protocol); err != nil {
		return nil, &sluice.ConfigError{
			Package: "network", Type: "Config", Field: "Protocol", Value: c.Protocol, Rule: err.Error(),
		}
	}
	registry, err := params.NewRegistry(fabric.Definitions())
	if err != nil {
		return nil, err
	}
	values, err := registry.Parse(c.Settings...)
	if err != nil {
		return nil, err
	}
	run := fabric.Run{
		Protocol: c.Protocol, Topology: graph, Values: values, Seed: c.Seed,
		Flows: []workload.Flow{{Class: c.Class}}, // whose class is all that counts
	}
	live, _, err := run.Live()
	if err != nil {
		return nil, err
	}
	return &Network{live: live, class: c.Class, hosts: graph.Hosts()}, nil
}

// Hosts returns the numbers of the hosts, ascending. The slice is the network's: do not change it.
func (n *Network) Hosts() []sluice.SwitchID { return n.hosts }

// Now returns the present: the instant of the event that Next returned last, or the instant that it
// was given if nothing happened until then.
func (n *Network) Now() sluice.Time { return n.live.Now() }

// Send starts a message at the present. Messages between two hosts are flows of their own, with
// consecutive source ports: they may take different paths, and overtake one another. The tag comes
// back with the message's events. An error says which of Src, Dst and Bytes breaks which rule;
// nothing is sent then. O(1) and no allocation, once as many messages were under way before.
func (n *Network) Send(
	src, dst sluice.SwitchID, bytes sluice.Bytes, tag uint64,
) (MessageID, error) {
	if n.err != nil {
		return 0, n.err
	}
	number, err := n.live.Send(workload.Flow{
		Src: src, Dst: dst, Class: n.class, DstPort: 100, Bytes: bytes,
	}, tag)
	if err != nil {
		return 0, own(err)
	}
	return MessageID(number), nil
}

// own has an error about a field name this package.
func own(err error) error {
	var wrong *sluice.ConfigError
	if errors.As(err, &wrong) {
		wrong.Package = "network"
	}
	return err
}

// Schedule has Next return a Timer event after a time from the present, which is not negative. The
// tag comes back with it.
func (n *Network) Schedule(after sluice.Time, tag uint64) error {
	if after < 0 || after > longest || n.Now() > longest-after {
		return fmt.Errorf("network: a timer after %v: must be 0 to %v from time 0 on", after, longest)
	}
	n.timers.push(timer{at: n.Now() + after, tag: tag})
	return nil
}

// longest is the latest time of a timer.
const longest = 50 * 24 * 3600 * sluice.Second

// UnderWay returns how many messages have a packet or an acknowledgement under way, or to come.
func (n *Network) UnderWay() int { return n.live.Open() }

// Counters are what happened in a network so far.
type Counters struct {
	Dropped       int64 // packets, by switches and cards that were full
	LostOnWire    int64 // packets and answers, as the settings loss and answer.loss say
	Reordered     int64 // packets that arrived after a later one of their message
	Marked        int64 // packets that arrived with CE
	Timeouts      int64 // of senders
	ControlFrames int64 // of the protocol
	PacketHops    int64 // transmissions of any packet on any link, control frames included
}

// Counters returns what was counted so far.
func (n *Network) Counters() Counters {
	total := n.live.Totals()
	c := Counters{
		Dropped: total.Dropped, LostOnWire: total.LostOnWire + total.LostAnswers,
		Reordered: total.Reordered, Marked: total.Marked, Timeouts: total.Timeouts,
		PacketHops: total.PacketHops,
	}
	for _, count := range total.ControlFrames {
		c.ControlFrames += count
	}
	return c
}
