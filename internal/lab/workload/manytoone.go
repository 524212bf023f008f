package workload

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// ManyToOneConfig describes the pattern of the Pyrrha paper, section IV-E, Figure 7: "(m - 1) out
// of m ToRs send traffic simultaneously to the left 1/m of the ToRs", "each host sends 40 one-BDP
// flows continuously". As in its authors' ns-3, the first 1/m of the n hosts receive, host s of the
// others sends all its flows to host (s - n/m) / (m - 1), and of these the first starts alone and
// the others together some time later.
type ManyToOneConfig struct {
	// M is the share: the first 1/M of the hosts receive, the others send. 2 to the number of hosts.
	M int
	// FlowsPerHost is how many flows each sender has, Bytes is their payload. At least 1.
	FlowsPerHost int
	Bytes        sluice.Bytes
	// Start is when the first flow of every sender starts, Later how much later all its others do.
	Start, Later sluice.Time

	Class   sluice.Class
	DstPort uint16 // 0: 100
}

// ManyToOne makes the flows of an (m-1):1 pattern, in order of start, then of sender, all in the
// group Incast. Nothing is random. An error is a *sluice.ConfigError.
func ManyToOne(g *topo.Graph, c ManyToOneConfig) ([]Flow, error) {
	if g == nil {
		return nil, configError("Graph", g, "must be set")
	}
	hosts := g.Hosts()
	if err := c.validate(len(hosts)); err != nil {
		return nil, err
	}
	receivers := len(hosts) / c.M
	flows := make([]Flow, 0, (len(hosts)-receivers)*c.FlowsPerHost)
	send := func(start sluice.Time) {
		for i, sender := range hosts[receivers:] {
			to := min(i/(c.M-1), receivers-1) // the last has more if M does not divide the hosts
			flows = append(flows, Flow{
				Src: sender, Dst: hosts[to], Class: c.Class, DstPort: portOr100(c.DstPort), Bytes: c.Bytes,
				Start: start, Group: Incast,
			})
		}
	}
	send(c.Start)
	for range c.FlowsPerHost - 1 {
		send(c.Start + c.Later)
	}
	AssignPorts(flows)
	return flows, nil
}

func (c *ManyToOneConfig) validate(hosts int) error {
	switch {
	case c.M < 2 || c.M > hosts:
		return configError("M", c.M, fmt.Sprintf("must be 2 to the number of hosts, %d", hosts))
	case c.FlowsPerHost < 1 || c.FlowsPerHost > MaxFlows/hosts:
		return configError(
			"FlowsPerHost", c.FlowsPerHost, fmt.Sprintf("must be 1 to %d on this network", MaxFlows/hosts),
		)
	case c.Bytes < 1 || c.Bytes > MaxSize:
		return configError("Bytes", c.Bytes, fmt.Sprintf("must be 1 to %d", MaxSize))
	case c.Start < 0 || c.Start > maxDuration:
		return configError("Start", c.Start, "must be 0 to "+maxDuration.String())
	case c.Later < 0 || c.Later > maxDuration:
		return configError("Later", c.Later, "must be 0 to "+maxDuration.String())
	case c.Class >= sluice.Classes:
		return configError("Class", c.Class, "must be 0 to 7")
	}
	return nil
}
