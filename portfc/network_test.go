package portfc

import (
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

// conformanceNetworks draws NDCs, with layers of different rates, for the suite: flows take any
// order of digits.
func conformanceNetworks() *conformance.Network {
	var network NDC // of the layout drawn last
	fabric := func(t *rapid.T, refresh sluice.Time) conformance.Fabric {
		base := drawOptions(t, network, 0)
		base.Refresh, base.Expiry, base.Buffer = refresh, 0, 0
		return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
			c := base
			c.Switch, c.Ports = n.ID, nil
			for _, p := range n.Ports {
				c.Ports = append(c.Ports, PortConfig{Link: p.Link})
			}
			return conformance.Machines(c, New)()
		}}
	}
	return &conformance.Network{
		Layout: func(t *rapid.T) *conformance.Layout {
			network = rapid.SampledFrom([]NDC{{2, 1}, {3, 1}, {2, 2}, {4, 1}, {3, 2}}).Draw(t, "network")
			return layout(t, network)
		},
		New: func(t *rapid.T) conformance.Fabric { return fabric(t, 0) },
		Lossy: func(t *rapid.T) conformance.Fabric {
			return fabric(t, 20*sluice.Microsecond)
		},
	}
}

// layout describes an NDC to the suite.
func layout(t *rapid.T, network NDC) *conformance.Layout {
	rates := []sluice.Rate{100 * sluice.Gbps, 160 * sluice.Gbps, 40 * sluice.Gbps}
	var links []sluice.Link
	for range network.Layers() {
		links = append(links, sluice.Link{
			Rate: rapid.SampledFrom(rates).Draw(t, "rate of a layer"),
			Delay: rapid.SampledFrom([]sluice.Time{
				100 * sluice.Nanosecond, sluice.Microsecond,
			}).Draw(t, "delay"),
		})
	}
	l := &conformance.Layout{
		Name: network.String(), HostsForward: true,
		Path: func(src, dst sluice.SwitchID, salt uint64) sluice.Path {
			path, _ := network.Path(src, dst, int(salt%uint64(network.Orders(src, dst))))
			return path
		},
	}
	for id := range sluice.SwitchID(network.Devices()) {
		n := conformance.Node{ID: id}
		if !network.IsNode(id) {
			n.Tier = 1
		}
		for port := range network.Ports(id) {
			far, _ := network.Peer(sluice.Hop{Switch: id, Port: sluice.PortID(port)})
			layer := port
			if !network.IsNode(id) {
				layer = network.Layer(id)
			}
			n.Ports = append(n.Ports, conformance.NodePort{
				Peer: far.Switch, PeerPort: far.Port, Link: links[layer],
			})
		}
		l.Nodes = append(l.Nodes, n)
	}
	return l
}
