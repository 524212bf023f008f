package workload

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/topo"
)

// ManyToOneConfig describes the pattern of the Pyrrha paper, section IV-E, Figure 7: "(m - 1) out
// of m ToRs send traffic simultaneously to the left 1/m of the ToRs", "each host sends 40 one-BDP
// flows continuously". We read "left" as remaining, and take the racks that remain to be the last
// ones.
type ManyToOneConfig struct {
	Seed uint64
	// M is the share: the last 1/M of the racks, at least one, receive, the others send. 2 to the
	// number of racks.
	M int
	// FlowsPerHost is how many flows each sender starts, each to a host of the receiving racks
	// drawn with equal chance; Bytes is their payload. At least 1.
	FlowsPerHost int
	Bytes        sluice.Bytes
	// Start is when the first flow of every host starts, Interval the time from one to the next; 0:
	// all at once, to be sent as the host's link allows.
	Start, Interval sluice.Time

	Class   sluice.Class
	DstPort uint16 // 0: 100
}

// ManyToOne makes the flows of an (m-1):1 pattern, in order of start, then of sender. An error is a
// *sluice.ConfigError.
func ManyToOne(g *topo.Graph, c ManyToOneConfig) ([]Flow, error) {
	if g == nil {
		return nil, configError("Graph", g, "must be set")
	}
	hosts := g.Hosts()
	racks := int32(0)
	for _, h := range hosts {
		racks = max(racks, g.Nodes[h].Rack+1)
	}
	if err := c.validate(len(hosts), int(racks)); err != nil {
		return nil, err
	}
	firstReceiving := racks - racks/int32(c.M)
	var senders, receivers []sluice.SwitchID
	for _, h := range hosts {
		if g.Nodes[h].Rack < firstReceiving {
			senders = append(senders, h)
		} else {
			receivers = append(receivers, h)
		}
	}
	random := stream(c.Seed, 10)
	flows := make([]Flow, 0, len(senders)*c.FlowsPerHost)
	for i := range c.FlowsPerHost {
		for _, sender := range senders {
			flows = append(flows, Flow{
				Src: sender, Dst: receivers[random.Below(uint64(len(receivers)))], Class: c.Class,
				DstPort: portOr100(c.DstPort), Bytes: c.Bytes, Start: c.Start + sluice.Time(i)*c.Interval,
			})
		}
	}
	AssignPorts(flows)
	return flows, nil
}

func (c *ManyToOneConfig) validate(hosts, racks int) error {
	switch {
	case c.M < 2 || c.M > racks:
		return configError("M", c.M, fmt.Sprintf("must be 2 to the number of racks, %d", racks))
	case c.FlowsPerHost < 1 || c.FlowsPerHost > MaxFlows/hosts:
		return configError("FlowsPerHost", c.FlowsPerHost, fmt.Sprintf("must be 1 to %d on this network", MaxFlows/hosts))
	case c.Bytes < 1 || c.Bytes > MaxSize:
		return configError("Bytes", c.Bytes, fmt.Sprintf("must be 1 to %d", MaxSize))
	case c.Start < 0 || c.Start > maxDuration:
		return configError("Start", c.Start, "must be 0 to "+maxDuration.String())
	case c.Interval < 0 || c.Interval > maxDuration/sluice.Time(c.FlowsPerHost):
		return configError("Interval", c.Interval, "must not be negative, and all flows must start within "+maxDuration.String())
	case c.Class >= sluice.Classes:
		return configError("Class", c.Class, "must be 0 to 7")
	}
	return nil
}
