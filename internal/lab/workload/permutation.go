package workload

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// Permutation returns a flow from every host to another, so that every host receives one. All are
// of one size, start at 0 and belong to the background. Every cyclic permutation is equally likely
// (Sattolo: An algorithm to generate a random cyclic permutation, IPL 22, 1986). The network needs
// two hosts.
func Permutation(g *topo.Graph, seed uint64, bytes sluice.Bytes) ([]Flow, error) {
	hosts := g.Hosts()
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
