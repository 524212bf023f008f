package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tcd"
)

// TestEveryDetectorOnEveryMachine: an incast arrives marked by any detector on any flow control,
// completes, and loses nothing for it.
func TestEveryDetectorOnEveryMachine(t *testing.T) {
	detectors := []string{"none", "ecn", "tcd", "fecn", "npecn"}
	for i, p := range fabric.Protocols() {
		for j, detect := range detectors {
			if depth.Now() < depth.Thorough && j != i%len(detectors) {
				continue
			}
			assignments := "cc=dcqcn,buffer=4MiB,npecn.threshold=20KB,detect=" + detect
			if detect == "ecn" || detect == "tcd" {
				assignments += ",ecn.kmin=20KB,ecn.kmax=40KB"
			}
			r := fabric.Run{
				Protocol: p.Name, Topology: leafSpine(t), Flows: incast(), Seed: 7,
				Values: values(t, assignments),
			}
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%s %s: %v", p.Name, detect, result.Notes)
			if p.Lossless {
				require.Zero(t, result.Dropped)
			}
			require.Equal(t, detect != "none", result.Marked > 0, "%s %s", p.Name, detect)
		}
	}
}

// TestDetectorOfControl: without detect, switches mark for the control that learns from marks.
func TestDetectorOfControl(t *testing.T) {
	for assignments, marked := range map[string]bool{
		"window=1GiB": false, "cc=dcqcn,window=1GiB": true, "cc=timely,window=1GiB": false,
		"cc=dctcp,detect=none": false,
		"ecn.kmin=20KB":        true, "cc=dctcp,ecn.kmin=10KB": true,
	} {
		r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Flows: incast(), Seed: 7}
		r.Values = values(t, assignments)
		result := do(t, r)
		require.Equal(t, marked, result.Marked > 0, assignments)
		if assignments == "cc=dctcp,detect=none" {
			require.Contains(t, result.Notes, "dctcp never acts: no packet is marked (detect=none)")
		}
	}
}

// stating is what a machine with detectors offers.
type stating interface {
	DetectorState(sluice.PortID, sluice.QueueID) string
}

// TestStatesOfDetectors: TCD, section 3.2.1: the port into the incast's host "is persistently ON"
// with "queue buildup", congested; ports that flow control holds are undetermined.
func TestStatesOfDetectors(t *testing.T) {
	for _, fc := range []string{"pyrrha", "pfc", "bfc"}[:depth.Choose(1, 1, 3)] {
		r := fabric.Run{Protocol: fc, Topology: leafSpine(t), Flows: incast(), Seed: 7}
		r.Values = values(t, "detect=tcd,ecn.kmin=20KB,ecn.kmax=40KB,buffer=1200KB,window=1GiB")
		seen := map[bool]map[string]bool{true: {}, false: {}} // states of the incast's port and of others
		r.Inspect = func(s *sim.Simulator) error {
			for node := range r.Topology.Nodes {
				m, ok := s.Machine(sluice.SwitchID(node)).(stating)
				require.Equal(t, !r.Topology.IsHost(sluice.SwitchID(node)), ok)
				if !ok {
					continue
				}
				for i, end := range r.Topology.Nodes[node].Ports {
					seen[end.Peer == 0][m.DetectorState(sluice.PortID(i), 3)] = true
				}
			}
			return nil
		}
		do(t, r)
		require.Equal(t, map[string]bool{"0": true, "1": true}, seen[true], fc)
		require.True(t, seen[false]["/"], fc)
	}
}

// TestResumesAreSeen compares the resumes that detectors count with a count at every queue after
// every event.
func TestResumesAreSeen(t *testing.T) {
	depth.From(t, depth.Thorough, "every event is looked at")
	r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Flows: incast(), Seed: 7}
	r.Values = values(t, "detect=tcd,buffer=1200KB,window=1GiB,pfc.quanta=40")
	type queue struct {
		at sluice.Hop
		q  sluice.QueueID
	}
	held := map[queue]bool{}
	seen := uint64(0)
	var last *sim.Simulator
	r.Inspect = func(s *sim.Simulator) error {
		last = s
		for node := sluice.SwitchID(16); int(node) < len(r.Topology.Nodes); node++ {
			m := s.Machine(node)
			for port := range sluice.PortID(m.Ports()) {
				key := queue{sluice.Hop{Switch: node, Port: port}, 3}
				now := !m.Sendable(port, 3)
				if held[key] && !now {
					seen++
				}
				held[key] = now
			}
		}
		return nil
	}
	do(t, r)
	counted := uint64(0)
	for node := sluice.SwitchID(16); int(node) < len(r.Topology.Nodes); node++ {
		m := last.Machine(node).(interface {
			Detector(sluice.PortID, sluice.QueueID) *tcd.Detector
		})
		for port := range sluice.PortID(last.Machine(node).Ports()) {
			counted += m.Detector(port, 3).Counters().Resumes
		}
	}
	require.Greater(t, seen, uint64(20))
	require.Equal(t, seen, counted)
}

// TestUnwrapped: what looks inside a machine looks through its detectors.
func TestUnwrapped(t *testing.T) {
	r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Flows: incast()[:1]}
	r.Values = values(t, "detect=npecn")
	r.Inspect = func(s *sim.Simulator) error {
		require.NotNil(t, kit.Unwrap(s.Machine(16)))
		return nil
	}
	do(t, r)
}
