package sim_test

import (
	"errors"
	"math"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	for _, c := range []struct {
		field string
		spoil func(*sim.Config)
	}{
		{"Topology", func(c *sim.Config) { c.Topology = nil }},
		{"Payload", func(c *sim.Config) { c.Payload = 0 }},
		{"AckSize", func(c *sim.Config) { c.AckSize = 0 }},
		{"Flows[0].Dst", func(c *sim.Config) { c.Flows[0].Dst = 2 }},
		{"Flows[0].Dst", func(c *sim.Config) { c.Flows[0].Dst = 0 }},
		{"Flows[0].Src", func(c *sim.Config) { c.Flows[0].Src = 99 }},
		{"Flows[0].Bytes", func(c *sim.Config) { c.Flows[0].Bytes = 0 }},
		{"Flows[0].Class", func(c *sim.Config) { c.Flows[0].Class = 8 }},
		{"Flows[0].Start", func(c *sim.Config) { c.Flows[0].Start = -1 }},
		{"Flows[0].Start", func(c *sim.Config) { c.Flows[0].Start = sluice.Never }},
		{"Flows[0].Group", func(c *sim.Config) { c.Flows[0].Group = workload.Background + 1 }},
		{"Flows[0].Bytes", func(c *sim.Config) { c.Flows[0].Bytes = math.MaxInt64 }},
		{"Flows[0].Bytes", func(c *sim.Config) { c.Flows[0].Bytes = 1460*math.MaxInt32 + 1 }},
		{"Topology", func(c *sim.Config) { c.Topology.Nodes[0].Ports = nil }},
		{"NewMachine", func(c *sim.Config) { c.NewMachine = nil }},
		{"Network", func(c *sim.Config) { c.Network = nil }},
		{"Header", func(c *sim.Config) { c.Header = -1 }},
		{"Window", func(c *sim.Config) { c.Window = -1 }},
		{"AckClass", func(c *sim.Config) { c.AckClass = sluice.Classes + 1 }},
		{"ECN", func(c *sim.Config) { c.ECN = sluice.CE + 1 }},
		{"RetransmitAfter", func(c *sim.Config) { c.RetransmitAfter = -1 }},
		{"Until", func(c *sim.Config) { c.Until = -1 }},
		{"RunOn", func(c *sim.Config) { c.RunOn = -1 }},
		{"StallAfter", func(c *sim.Config) { c.StallAfter = -1 }},
		{"SampleEvery", func(c *sim.Config) { c.SampleEvery = -1 }},
		{"Balance.Kind", func(c *sim.Config) { c.Balance.Kind = sim.PLB + 1 }},
		{"Balance.Kind", func(c *sim.Config) {
			c.Network, c.Balance.Kind = fixed{c.Network}, sim.Spray
		}},
		{"Balance.Samples", func(c *sim.Config) { c.Balance = sim.Balance{Kind: sim.DRILL} }},
		{"Balance.Memory", func(c *sim.Config) {
			c.Balance = sim.Balance{Kind: sim.DRILL, Samples: 2, Memory: sim.MaxLooks - 1}
		}},
		{"Balance.PLB.Share", func(c *sim.Config) { c.Balance.Kind = sim.PLB }},
		{"Balance.PLB.Suspend", func(c *sim.Config) {
			c.Balance = sim.Balance{Kind: sim.PLB, PLB: sim.PLBConfig{
				Share: sluice.Ratio{Num: 1, Den: 2}, IdleRounds: 3, Rounds: 12, Suspend: -1,
			}}
		}},
		{"Resequence.Timeout", func(c *sim.Config) { c.Resequence.Timeout = -1 }},
		{"Resequence.Packets", func(c *sim.Config) { c.Resequence.Timeout = 1 }},
		{"NoticeClass", func(c *sim.Config) { c.NoticeClass = sluice.Classes + 1 }},
		{"Answers.Duplicate", func(c *sim.Config) { c.Answers.Loss, c.Answers.Duplicate = 1, always }},
		{"Loss", func(c *sim.Config) { c.Loss = always + 1 }},
		{"ControlLoss", func(c *sim.Config) { c.ControlLoss = always + 1 }},
		{"ControlReorder", func(c *sim.Config) {
			c.ControlLoss, c.ControlDuplicate, c.ControlReorder = always/2, always/2, 1
		}},
		{"Failures", func(c *sim.Config) {
			c.Network, c.Failures = fixed{c.Network}, make([]sim.Failure, 1)
		}},
		{"Failures[0].At", func(c *sim.Config) {
			c.Failures = []sim.Failure{{At: sluice.Hop{Switch: 1, Port: 1}}}
		}},
		{"Failures[0]", func(c *sim.Config) { c.Failures = []sim.Failure{{Down: 2, Up: 1}} }},
		{"Failures[0]", func(c *sim.Config) { c.Failures = []sim.Failure{{Down: -1}} }},
	} {
		config := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1})
		c.spoil(&config)
		_, err := sim.New(config)
		require.ErrorContains(t, err, "sim: Config."+c.field+" = ")
		require.EqualError(t, sim.Check(config), err.Error())
	}
}

// fixed is a network whose links cannot fail.
type fixed struct{ sim.Routes }

func TestNetworksWhoseLinksCannotFail(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	c.Network = fixed{c.Network}
	require.Equal(t, 1, run(t, c).Completed, "none is to fail")
}

// unsteered leaves all flows to the network.
type unsteered struct{}

func (unsteered) Path(_, _ sluice.SwitchID) (sluice.Path, bool) { return sluice.Path{}, false }
func (unsteered) Moved(sluice.Hop, sluice.Bytes)                {}
func (unsteered) Sample() (weight, closedForm float64)          { return 0, 0 }

func TestSteeringThatLeavesAllToTheNetwork(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	c.VerifyPaths = false
	plain := run(t, c)
	c.Steering = unsteered{}
	require.Equal(t, plain.Flows, run(t, c).Flows)
}

func TestControlThatCannotBe(t *testing.T) {
	c := config(star(2))
	c.Control = cc.Config{Kind: cc.HPCC, BaseRTT: -1}
	_, err := sim.New(c)
	require.ErrorContains(t, err, "cc: Config.BaseRTT = ")
	require.EqualError(t, sim.Check(c), err.Error())
}

func TestABadMachineIsNamedByItsNode(t *testing.T) {
	c := config(star(2))
	at(&c, 2, func(kit.Machine) kit.Machine { return ideal.New(3, 1600) })
	_, err := sim.New(c)
	require.EqualError(t, err, "node 2: its machine has 3 ports, the topology 2")
	require.EqualError(t, sim.Check(c), err.Error())

	refused := errors.New("refused")
	c.NewMachine = func(sluice.SwitchID) (kit.Machine, error) { return nil, refused }
	_, err = sim.New(c)
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, err, "node 0: ")
}

// Check makes the machine of one host and of the switch, and no other.
func TestCheckMakesAMachineOfEachKind(t *testing.T) {
	c := config(star(9))
	c.Control.Kind = cc.QCN
	var made []sluice.SwitchID
	build := c.NewMachine
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		made = append(made, node)
		return build(node)
	}
	require.NoError(t, sim.Check(c))
	require.Equal(t, []sluice.SwitchID{0, 9}, made)
}
