package explore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
)

// Nodes of one state may have sent different numbers of frames. What happens to them has the same
// effect nevertheless: else which of them is asked first would decide whether a symmetry holds.
func TestEffectsDoNotDependOnThePast(t *testing.T) {
	n := &Network{Nodes: []Node{{New: func() (kit.Machine, error) {
		s, err := bfc.New(bfc.HostConfig(sluice.Link{Rate: sluice.Gbps}))
		return kit.Wrap(s), err
	}}}}
	young, err := newNode(n, 0)
	require.NoError(t, err)
	old := young.clone()
	old.state.Renumber(0, 5, 0)
	require.Equal(t, young.state.AppendState(nil, 0), old.state.AppendState(nil, 0))
	frame := bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 1}
	for _, o := range []op{
		{kind: opReceive, item: item{frame: string(frame.AppendTo(nil)), kind: "pause"}},
		{kind: opPass, by: sluice.Microsecond}, {kind: opSend}, {kind: opDown}, {kind: opUp},
	} {
		sent, _ := old.state.Numbers(0)
		young, old := young.clone(), old.clone()
		was, _ := young.state.Numbers(0)
		require.NotEqual(t, sent, was)
		effect := young.do(o)
		require.Equal(t, fault{}, effect.fault)
		require.Equal(t, effect, old.do(o), "operation %d", o.kind)
	}
}
