package fabric

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// sonicParameters are the figures of the chip, which a configuration of SONiC does not have.
func sonicParameters(chip *sonic.Chip) []params.Field {
	return params.In("pfc",
		params.Bind("sonic.cell", &chip.Cell, "0",
			"cell of the buffer of the switch that -sonic configures; 0: its platform's, or bytes"),
		params.Bind("sonic.buffer", &chip.Buffer, "0",
			"memory of that switch, where the configuration gives no size of its lossless pool"),
		params.Bind("sonic.mtu", &chip.LosslessMTU, "1518B",
			"largest lossless frame of that switch, for headrooms that SONiC's dynamic model computes"),
	)
}

// ImportSONiC makes a switch of a configuration of SONiC, for the chip that the parameters
// describe.
func ImportSONiC(db *sonic.DB, v *params.Values) (*sonic.Switch, error) {
	var chip sonic.Chip
	v.Fill(sonicParameters(&chip))
	return db.Import(chip)
}

// LosslessClass returns the lowest traffic class that is lossless.
func LosslessClass(s *sonic.Switch) (sluice.Class, error) {
	for class := range sluice.Class(sluice.Classes) {
		if Lossless(s, class) {
			return class, nil
		}
	}
	return 0, errors.New("-sonic: no class is lossless at every port of the configuration")
}

// Lossless reports whether every port of a switch takes a traffic class to a lossless priority
// group, which pauses its peer.
func Lossless(s *sonic.Switch, class sluice.Class) bool {
	for i := range s.Config.Ports {
		p := &s.Config.Ports[i]
		_, group, _, _ := p.QoS.Maps()
		if !(p.Classes & p.Sends).Has(group[class]) {
			return false
		}
	}
	return true
}

// likeSONiC gives a switch of the network the buffer and the ports of the configuration: each port
// is the next of its speed. The pools are as large as in the configuration, even if ports of it are
// not used.
func (f *pfcFleet) likeSONiC(node sluice.SwitchID) (pfc.Config, error) {
	all := &f.sonic.Config
	if f.graph.IsHost(node) {
		return *all, fmt.Errorf("-sonic: host %d forwards, and is no switch of SONiC", node)
	}
	c := *all
	c.Ports, c.Seed, c.MAC = nil, f.seed+uint64(node), MAC(node)
	ports, used := map[sluice.Rate][]pfc.PortConfig{}, map[sluice.Rate]int{}
	for _, p := range all.Ports {
		ports[p.Link.Rate] = append(ports[p.Link.Rate], p)
	}
	for _, end := range f.graph.Nodes[node].Ports {
		rate := end.Link.Rate
		if used[rate] == len(ports[rate]) {
			return c, fmt.Errorf("-sonic: node %d has more ports of %v than the configuration, which has %d",
				node, rate, used[rate])
		}
		p := ports[rate][used[rate]]
		p.Link = end.Link
		c.Ports = append(c.Ports, p)
		used[rate]++
	}
	c.Buffer += c.SetApart() - all.SetApart()
	return c, nil
}

// cardOfSONiC gives a card, whose packets have traffic classes, the maps of its switch's ports.
func (f *pfcFleet) cardOfSONiC(c *pfc.Config) {
	if q := f.sonic.Config.Ports[0].QoS; q != nil {
		c.Ports[0].QoS = &qos.Port{Queue: q.Queue, PauseQueue: q.PauseQueue}
	}
	c.Classes = sluice.AllClasses
}

// reportSONiC says what rules of the configuration dropped, and how many entries are not carried
// over.
func (f *pfcFleet) reportSONiC(r *sim.Result) {
	var wred, queues, groups uint64
	f.eachPort(func(_ sluice.Hop, _ *pfc.Switch, port *pfc.Port) {
		counters := port.Counters()
		for i := range counters.Class {
			c := &counters.Class[i]
			for _, n := range c.WREDDrops {
				wred += n
			}
			queues, groups = queues+c.QueueDrops, groups+c.GroupDrops
		}
	})
	if wred > 0 {
		r.Note("WRED dropped %d packets that are not ECN-capable (counter WREDDrops): packets of "+
			"a -cc that learns from marks are", wred)
	}
	if queues > 0 {
		r.Note("limits of egress queues dropped %d packets (counter QueueDrops)", queues)
	}
	if groups > 0 {
		r.Note("limits of lossy priority groups dropped %d packets (counter GroupDrops)", groups)
	}
	if n := len(f.sonic.Left); n > 0 {
		r.Note("%d entries of the configuration are not carried over, the first: %v", n, f.sonic.Left[0])
	}
}
