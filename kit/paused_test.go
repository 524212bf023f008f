package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// closed is a machine of an embedder's own: queue 2 is not sendable.
type closed struct{ kit.Machine }

func (c *closed) Sendable(_ sluice.PortID, q sluice.QueueID) bool { return q != 2 }

// A machine that says which queues its peer pauses is asked, however deep it hangs; of any other
// the peer pauses what is not sendable.
func TestPausedByPeer(t *testing.T) {
	own := hung{&closed{}}
	require.True(t, kit.PausedByPeer(own, 0, 2))
	require.False(t, kit.PausedByPeer(own, 0, 1))

	link := sluice.Link{Rate: 100 * sluice.Gbps}
	card, err := kit.WrapNew(pyrrha.New(pyrrha.HostConfig(link)))
	require.NoError(t, err)
	require.False(t, card.Sendable(0, 1))
	require.False(t, kit.PausedByPeer(hung{card}, 0, 1), "it has no root")

	card, err = kit.WrapNew(pfc.New(pfc.HostConfig(link)))
	require.NoError(t, err)
	frame := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(3)}
	frame.Time[3] = 1000
	_, err = card.Receive(0, 0, frame.AppendTo(nil))
	require.NoError(t, err)
	require.True(t, kit.PausedByPeer(hung{card}, 0, 3))
	require.False(t, kit.PausedByPeer(hung{card}, 0, 4))
}

// Of machines whose pauses name a root, and of those that wrap one, a held queue says which; any
// other machine has none.
func TestRootedOf(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	card, err := kit.WrapNew(pfc.New(pfc.HostConfig(link)))
	require.NoError(t, err)
	require.Nil(t, kit.RootedOf(hung{card}))

	card, err = kit.WrapNew(pyrrha.New(pyrrha.HostConfig(link)))
	require.NoError(t, err)
	rooted := kit.RootedOf(hung{card})
	for _, root := range []sluice.Hop{{Switch: 9, Port: 2}, {Switch: 7, Port: 3}} {
		frame := pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 1}
		_, err = card.Receive(0, 0, frame.AppendTo(nil))
		require.NoError(t, err)
	}
	var roots []sluice.Hop
	for q := range sluice.QueueID(card.Queues()) {
		root, ok := rooted.PausedFor(0, q)
		require.Equal(t, kit.PausedByPeer(card, 0, q), ok, "queue %d", q)
		if ok {
			roots = append(roots, root)
		}
	}
	require.ElementsMatch(t, []sluice.Hop{{Switch: 9, Port: 2}, {Switch: 7, Port: 3}}, roots)
}
