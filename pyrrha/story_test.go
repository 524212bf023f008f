package pyrrha

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool(
	"update", false, "rewrite testdata/*.txt; read what changed before you commit it",
)

// TestStories runs small networks and compares every control frame, and what the switches know at
// some instants, with testdata/*.txt.
func TestStories(t *testing.T) {
	const us = sluice.Microsecond
	stories := []struct {
		name, about string
		config      Config
		racks       int
		hosts       int
		flows       func(n *network)
		dumps       []sluice.Time
	}{
		{
			name: "incast",
			about: "Two racks send to host H2.0. Its port at T2 becomes a congestion root, the tree " +
				"grows to the hosts, and is taken down\nfrom its leaves to its root.",
			racks: 3, hosts: 2,
			flows: func(n *network) {
				for h := range 2 {
					n.send(leafSpinePath(0, h, 2, 0, 0, 2), 50, 0)
				}
				n.send(leafSpinePath(2, 1, 2, 0, 0, 2), 50, 0)
			},
			dumps: []sluice.Time{8 * us},
		},
		{
			name: "false-root",
			about: "Two racks send to H2.0, and the spine's port to T2, where they meet, becomes a " +
				"congestion root. Then H2.1 sends to H2.0\ntoo, so that T2's port to H2.0 becomes one. The " +
				"spine abdicates and merges its tree into the new one (section IV-A,\nFigure 5(a)).",
			racks: 3, hosts: 2,
			flows: func(n *network) {
				n.send(leafSpinePath(0, 0, 2, 0, 0, 2), 90, 0)
				n.send(leafSpinePath(1, 0, 2, 0, 0, 2), 90, 0)
				n.send(leafSpinePath(2, 1, 2, 0, 0, 2), 60, 5*us)
			},
			dumps: []sluice.Time{6 * us, 8 * us},
		},
		{
			name: "two-roots",
			about: "H0.0 and H1.0 send to H2.0, to which H2.1 sends too; H0.1 and H1.1 send to H2.1. " +
				"Packets from H0.0 pass two congestion\nroots: the spine's port to T2, and T2's port to " +
				"H2.0 (section IV-C, Figure 5(b)).",
			racks: 3, hosts: 2,
			flows: func(n *network) {
				n.send(leafSpinePath(2, 1, 2, 0, 0, 2), 60, 0)
				for rack := range 2 {
					n.send(leafSpinePath(rack, 0, 2, 0, 0, 2), 60, 0)
					n.send(leafSpinePath(rack, 1, 2, 1, 0, 2), 60, 0)
				}
			},
			dumps: []sluice.Time{10 * us},
		},
		{
			name: "lost-resume",
			about: "H0.1 and H0.2 send to H0.0, and the first RESUME is lost. The host obeys the PAUSE " +
				"until it expires, 40 us after it was\nlast repeated.",
			config: Config{Refresh: 10 * us},
			racks:  1, hosts: 3,
			flows: func(n *network) {
				for h := 1; h <= 2; h++ {
					n.send(leafSpinePath(0, h, 0, 0, 0, 3), 40, 0)
				}
				n.Lose = func(_ *testnet.Node, kind string) bool { return kind == "resume" && n.Vanished == 0 }
			},
			dumps: []sluice.Time{6 * us},
		},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			n := newNetwork(t, 1)
			n.log = &strings.Builder{}
			n.Every = 1
			s.config.MTU = 1000
			n.leafSpine(s.config, s.racks, s.hosts, min(s.racks-1, 1), access, fabric)
			fmt.Fprintf(n.log, "%s\n\n", s.about)
			s.flows(n)
			for _, at := range s.dumps {
				n.Run(at)
				fmt.Fprintf(n.log, "\nat %v:\n%s\n", at, n.dump())
			}
			n.Run(sluice.Second)
			n.finish()
			fmt.Fprintf(n.log, "%v everything has arrived, no root is left\n", n.Now)
			golden(t, s.name, n.log.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
