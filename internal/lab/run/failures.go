package run

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// Failures are links that fail.
type Failures []sim.Failure

// Words returns the failures as a user writes them.
func (l Failures) Words() []string {
	words := make([]string, len(l))
	for i, f := range l {
		words[i] = fmt.Sprintf("%v@%v", f.At, f.Down)
		if f.Up > 0 {
			words[i] += fmt.Sprintf("-%v", f.Up)
		}
	}
	return words
}

// checkFailures refuses links that are not there, and two failures of one link at a time: the first
// repair would end both.
func (s *Subject) checkFailures(failures Failures) error {
	for i, f := range failures {
		if err := s.CheckPort("-fail", f.At); err != nil {
			return err
		}
		end := &s.Graph.Nodes[f.At.Switch].Ports[f.At.Port]
		for j, other := range failures[:i] {
			sameLink := f.At == other.At ||
				other.At == sluice.Hop{Switch: end.Peer, Port: end.PeerPort}
			if sameLink && (f.Up == 0 || other.Down < f.Up) && (other.Up == 0 || f.Down < other.Up) {
				words := failures.Words()
				return fmt.Errorf("-fail %s: the link is down then already, by %s", words[i], words[j])
			}
		}
	}
	return nil
}
