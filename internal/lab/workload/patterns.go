package workload

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// ManyToOneConfig describes the pattern of the Pyrrha paper, section IV-E, Figure 7: of m racks m-1
// send at once to the one that is left, and each host sends 40 flows, one after another, of one
// bandwidth-delay product. The first 1/m receive, whether of racks or of hosts.
type ManyToOneConfig struct {
	// M is the share: the first 1/M receive, the others send. 2 to the number of hosts, or of racks.
	M int
	// ByHost has hosts for racks, as the paper's ns-3: host s of n sends to host (s-n/m)/(m-1). By
	// rack, rack s of n sends to rack (s-n/m)/(m-1), each of its hosts to the host in its own place.
	ByHost bool
	// FlowsPerHost is how many flows each sender has, Bytes is their payload. At least 1.
	FlowsPerHost int
	Bytes        sluice.Bytes
	// Start is when the first flow of every sender starts, and Later after each of them the next; if
	// Together is set all but the first start together, as in the paper's ns-3.
	Start, Later sluice.Time
	Together     bool

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
	unit := 1 // hosts that send and receive as one
	if !c.ByHost {
		for unit < len(hosts) && g.Nodes[hosts[unit]].Rack == g.Nodes[hosts[0]].Rack {
			unit++
		}
	}
	if err := c.validate(len(hosts), len(hosts)/unit); err != nil {
		return nil, err
	}
	receivers := len(hosts) / unit / c.M
	flows := make([]Flow, 0, len(hosts)*c.FlowsPerHost)
	for n := range c.FlowsPerHost {
		start := c.Start + sluice.Time(n)*c.Later
		if c.Together {
			start = c.Start + sluice.Time(min(n, 1))*c.Later
		}
		for i, sender := range hosts[receivers*unit:] {
			to := min(i/unit/(c.M-1), receivers-1) // the last has more if M does not divide them
			flows = append(flows, Flow{
				Src: sender, Dst: hosts[to*unit+i%unit], Class: c.Class,
				DstPort: cmp.Or(c.DstPort, defaultPort), Bytes: c.Bytes, Start: start, Group: Incast,
			})
		}
	}
	AssignPorts(flows)
	return flows, nil
}

func (c *ManyToOneConfig) validate(hosts, units int) error {
	r := check.Of("workload", "ManyToOneConfig")
	r.That(2 <= c.M && c.M <= units, c.M,
		fmt.Sprintf("must be 2 to the number of those that send and receive, %d", units), "M")
	check.Within(r, c.FlowsPerHost, 1, MaxFlows/max(hosts, 1), "FlowsPerHost")
	check.Within(r, c.Bytes, 1, MaxSize, "Bytes")
	check.Within(r, c.Start, 0, maxDuration, "Start")
	check.Within(r, c.Later, 0, maxDuration, "Later")
	check.Within(r, c.Class, 0, sluice.Classes-1, "Class")
	return r.Err()
}

// Permutation returns a flow from every host to another, so that every host receives one. All are
// of one size, start at 0 and belong to the background. Every cyclic permutation is equally likely
// (Sattolo: An algorithm to generate a random cyclic permutation, IPL 22, 1986). The network needs
// two hosts.
func Permutation(g *topo.Graph, seed uint64, bytes sluice.Bytes) ([]Flow, error) {
	return PermutationOf(g.Hosts(), seed, bytes)
}

// PermutationOf is a Permutation of some hosts.
func PermutationOf(hosts []sluice.SwitchID, seed uint64, bytes sluice.Bytes) ([]Flow, error) {
	if len(hosts) < 2 || bytes <= 0 {
		return nil, fmt.Errorf(
			"workload: a permutation of %d hosts and %d bytes: needs 2 hosts and 1 byte", len(hosts), bytes,
		)
	}
	random := prng.New(seed)
	to := append([]sluice.SwitchID(nil), hosts...)
	for i := len(to) - 1; i > 0; i-- {
		j := random.Below(uint64(i))
		to[i], to[j] = to[j], to[i]
	}
	flows := make([]Flow, len(hosts))
	for i, host := range hosts {
		flows[i] = Flow{Src: host, Dst: to[i], Class: 3, DstPort: 100, Bytes: bytes, Group: Background}
	}
	AssignPorts(flows)
	return flows, nil
}

// Exchange returns a flow from every host of one list to every host of another, but to itself, of
// one size, which start at 0 and belong to the background: an all-to-all exchange without any order
// if the lists are all hosts. Host i of a list sends to host i+1 first, in the order of the list,
// then to host i+2, so that no host is the first destination of several. An error is a
// *sluice.ConfigError.
func Exchange(g *topo.Graph, from, to []sluice.SwitchID, bytes sluice.Bytes) ([]Flow, error) {
	r := check.Of("workload", "")
	r.That(len(from) > 0 && len(to) > 0 && len(to) <= MaxFlows/len(from) &&
		(len(from) > 1 || len(to) > 1 || from[0] != to[0]), len(to),
		fmt.Sprintf("must be hosts that others can send to, at most %d pairs", MaxFlows), "Hosts")
	check.Within(r, bytes, 1, MaxSize, "Bytes")
	if err := r.Err(); err != nil {
		return nil, err
	}
	for _, list := range [][]sluice.SwitchID{from, to} {
		if _, err := hostSet(g, "Hosts", list); err != nil {
			return nil, err
		}
	}
	flows := make([]Flow, 0, len(from)*len(to))
	for step := range to {
		for i, host := range from {
			if dst := to[(i+step)%len(to)]; dst != host {
				flows = append(flows, Flow{Src: host, Dst: dst, Class: 3, DstPort: defaultPort, Bytes: bytes,
					Group: Background})
			}
		}
	}
	AssignPorts(flows)
	return flows, nil
}
