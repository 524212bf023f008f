package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/hol"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/stretchr/testify/require"
)

// "Pyrrha has no HOL blocking in any scenario (Theorem 1)": whatever is held anywhere in a running
// network, at any time a control frame was sent, is held by a root that is on its own way.
func TestNoPacketIsHeldByARootOffItsPath(t *testing.T) {
	for _, protocol := range []string{"pyrrha", "pyrrha-single"} {
		t.Run(protocol, func(t *testing.T) {
			r := fabric.Run{
				Protocol: protocol, Topology: leafSpine(t), Flows: incast(), Values: values(t, "buffer=8MiB"), Seed: 3,
			}
			framesBefore, held := int64(0), 0
			r.Inspect = func(s *sim.Simulator) error {
				if s.FramesSent() == framesBefore {
					return nil
				}
				framesBefore = s.FramesSent()
				for node := range r.Topology.Nodes {
					n, err := checkHeld(s, sluice.SwitchID(node))
					if err != nil {
						return err
					}
					held += n
				}
				return nil
			}
			do(t, r)
			require.Greater(t, held, 10000, "too few packets were held for this to say anything")
		})
	}
}

// checkHeld returns how many packets of a node wait in queues that are held, or an error for one
// that is not on the way to a root which holds its queue.
func checkHeld(s *sim.Simulator, node sluice.SwitchID) (held int, err error) {
	type queue struct {
		port sluice.PortID
		id   sluice.QueueID // 0 for all IQs of a port: in a single tier they belong to sets of roots
	}
	m := s.Machine(node)
	paused := make(map[queue][]sluice.Hop)
	for _, root := range kit.Unwrap(m).(*pyrrha.Switch).Snapshot().Roots {
		for _, iq := range root.IQs {
			if iq.State == hiq.Paused {
				at := queue{iq.Port, iq.Queue}
				paused[at] = append(paused[at], root.Root)
			}
		}
	}
	s.Buffered(node, func(port sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
		if m.Sendable(port, q) {
			return
		}
		roots := slices.Concat(paused[queue{port, q}], paused[queue{port, 0}])
		const output = 0
		if len(roots) == 0 && (m.Backlog(port, output) > 0 || m.Deadline() < s.Now().Add(sluice.Microsecond)) {
			return // nobody holds it: its level has moved its share for now, and will again
		}
		held++
		onPath := slices.ContainsFunc(roots, func(root sluice.Hop) bool { return hol.Check(&p.Path, root) == nil })
		if !onPath && err == nil {
			err = fmt.Errorf("node %d port %d queue %d: held by roots %v, none of which is on the path %s", node, port, q, roots, p.Path.String())
		}
	})
	return held, err
}
