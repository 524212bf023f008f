package portfc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// What is a route of the network as far as a device reads it is taken in; all else is dropped for
// sluice.BadPath.
func TestOnlyRoutesOfTheNetwork(t *testing.T) {
	networks := []NDC{{2, 1}, {3, 1}}
	if depth.Now() >= depth.Thorough {
		networks = append(networks, NDC{2, 2})
	}
	for _, network := range networks {
		taken, dropped := 0, 0
		for device := range sluice.SwitchID(network.Devices()) {
			c := SwitchConfig(network, device, benchLink)
			if network.IsNode(device) {
				c = NodeConfig(network, device, benchLink)
			}
			c.HopClasses = true
			s := mustNew(t, c)
			for port := range sluice.PortID(network.Ports(device)) {
				eachLikeness(network, sluice.Hop{Switch: device, Port: port}, func(hops []sluice.Hop) {
					p := sluice.Packet{Size: 1, Ingress: sluice.Local}
					p.Path, _ = sluice.MakePath(hops...)
					v := s.Port(port).Enqueue(0, &p)
					require.Equal(t, network.routed(device, port, hops), v.Action() == sluice.Append,
						"%d:%d %v", device, port, hops)
					if v.Action() == sluice.Append {
						require.Less(t, int(v.Queue()), s.Queues()-1)
						taken++
					} else {
						require.Equal(t, sluice.BadPath, v.Reason())
						dropped++
					}
				})
			}
			require.NoError(t, s.Audit())
		}
		require.Positive(t, taken)
		require.Greater(t, dropped, taken)
	}
}

// A node sends no packet back by the layer it came from, nor by a layer that the network does not
// have, and what it relays still has its own hop and the next switch's before it.
func TestPathsThatTurnBack(t *testing.T) {
	network := NDC{4, 1}
	beyond := network.SwitchOf(12, 2)
	for _, hops := range [][]sluice.Hop{
		{{Switch: 19}, {Switch: 12, Port: 0}, {Switch: 19, Port: 1}},
		{{Switch: 19}, {Switch: 12, Port: 2}, {Switch: beyond, Port: 1}},
		{{Switch: 15}, {Switch: 19}, {Switch: 12, Port: 1}},
	} {
		s := mustNew(t, smallConfig(network, hops[0].Switch))
		p := sluice.Packet{Size: 1000, Ingress: 1}
		p.Path, _ = sluice.MakePath(hops...)
		require.Equal(t, sluice.BadPath, s.Port(0).Enqueue(0, &p).Reason(), "%v", hops)
	}
}

// Beyond the next node a packet may take the switch of any other layer, also of the highest that a
// network can have.
func TestRoutesOfEveryLayer(t *testing.T) {
	network := NDC{2, MaxK}
	device := network.SwitchOf(0, 0)
	c := SwitchConfig(network, device, benchLink)
	c.HopClasses = true
	s := mustNew(t, c)
	for layer := 1; layer <= MaxK; layer++ {
		p := sluice.Packet{Size: 1000, Ingress: 1}
		p.Path.Append(sluice.Hop{Switch: device})
		network.step(&p.Path, 0, layer, 1)
		v := s.Port(0).Enqueue(0, &p)
		require.Equal(t, sluice.Append, v.Action(), "layer %d: %v", layer, v)
	}
}

// eachLikeness calls visit for a walk of each length that begins with a hop, with each of the hops
// that a device reads replaced by others, among them the hop that was there and some that cannot
// be, and also with a next hop that cannot be.
func eachLikeness(network NDC, first sluice.Hop, visit func([]sluice.Hop)) {
	var devices []sluice.SwitchID
	for device := range network.Devices() {
		devices = append(devices, sluice.SwitchID(device))
	}
	devices = append(devices, 1<<31, 1<<32-1)
	ports := []sluice.PortID{0, 1, 2, 3, 4, 5, 0xfffe, sluice.Local}
	route := []sluice.Hop{first}
	for len(route) <= sluice.MaxHops {
		for i := range min(len(route), 3) {
			other := slices.Clone(route)
			for _, other[i].Switch = range devices {
				for _, other[i].Port = range ports {
					visit(other)
					if i+1 < len(other) {
						far := slices.Clone(other)
						far[i+1] = sluice.Hop{Switch: 1<<32 - 1, Port: 1}
						visit(far)
					}
				}
			}
		}
		far, _ := network.Peer(route[len(route)-1])
		route = append(route, sluice.Hop{
			Switch: far.Switch, Port: (far.Port + 1) % sluice.PortID(network.Ports(far.Switch)),
		})
	}
}

// routed reports whether hops are the rest of a route from a port of a device, as far as it reads
// them: up to the switch beyond the next node.
func (t NDC) routed(device sluice.SwitchID, port sluice.PortID, hops []sluice.Hop) bool {
	read, relays := 2, len(hops)/2-1
	if !t.IsNode(device) {
		read, relays = 3, len(hops)/2
	}
	if hops[0] != (sluice.Hop{Switch: device, Port: port}) || relays < 0 || relays > t.K ||
		len(hops)%2 != read%2 {
		return false
	}
	for i := 1; i < min(len(hops), read); i++ {
		came, _ := t.Peer(hops[i-1])
		if hops[i].Switch != came.Switch || hops[i].Port == came.Port ||
			int(hops[i].Port) >= t.Ports(came.Switch) {
			return false
		}
	}
	return true
}

func TestCompact(t *testing.T) {
	for own := range int32(5) {
		next := int32(0)
		for e := range int32(5) {
			if e != own {
				require.Equal(t, next, compact(e, own))
				require.Equal(t, e, expand(next, own))
				next++
			}
		}
	}
}
