package hashpath

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestZeroAlloc(t *testing.T) {
	check := func(name string, f func()) {
		require.Zero(t, testing.AllocsPerRun(100, f), name)
	}
	ports := []sluice.PortID{4, 5, 3, 2, 1}
	input := make([]byte, 40)
	for kind := range numKinds {
		h := Hash{Kind: kind, CRC: CRCParameters{Width: 24, Polynomial: 0x864CFB}}
		hasher, err := NewHasher(h)
		require.NoError(t, err)
		net := buildFatTree(t, 8, Config{Hash: h})
		h.Fields = []Field{FieldIngressPort, FieldSrcPort, FieldFlowLabel}
		read, err := fatTree{8}.declare(nil).Build(Config{Hash: h})
		require.NoError(t, err)
		f4, f6 := FlowBetween(0, 127, 1, 2, 6), MakeFlow(
			addrPort("[fd00::1]:1"), addrPort("[fd00::2]:2"), 6,
		)
		hops := buildFatTree(t, 8, Config{Hash: h, HostHops: true})
		for _, f := range []*Flow{&f4, &f6} {
			for _, n := range []*Network{net, read, hops} {
				for _, at := range []sluice.SwitchID{0, 127, 128, 999} {
					check("Path", func() { n.Path(at, 1, f) })
					check("Egress", func() { n.Egress(at, 1, f) })
					check("Certain", func() { n.Certain(at, 1, f) })
					check("Choice", func() {
						if c := n.Choice(at, f); c.Len() > 0 {
							c.Has(c.Port(1))
						}
					})
				}
			}
			check("Sum", func() { hasher.Sum(1, f) })
			check("AppendInput", func() { hasher.AppendInput(input[:0], 1, f) })
			check("Hash", func() { f.Hash() })
			check("Reverse", func() { f.Reverse() })
		}
		check("Follow", func() { net.Follow(128, ports) })
		require.NoError(t, net.FailLink(hop(128, 4)))
		check("Path after a failure", func() { net.Path(0, 1, &f4) })
	}
	source, destination := addrPort("10.0.0.1:1"), addrPort("[fd00::2]:2")
	check("flows", func() {
		FlowBetween(1, 2, 3, 4, 5)
		MakeFlow(source, destination, 17)
		HostAddress(5)
	})
}
