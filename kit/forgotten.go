package kit

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Forgotten returns an error that says what the embedder of a machine seems to have forgotten, by
// what its ports counted: packets that are [sluice.Counters] Incomplete, or packets of classes that
// the configuration leaves out where packets met a full buffer. It returns nil if it found nothing,
// and changes nothing.
func Forgotten(m Machine) error {
	var sum sluice.Counters
	for port := range m.Ports() {
		c := m.Counters(sluice.PortID(port))
		sum.Add(&c)
	}
	lost := sum.Dropped[sluice.BufferFull]
	switch {
	case sum.Incomplete > 0:
		return fmt.Errorf("kit: %d packets had no Path or no stamp of the upstream device, which the "+
			"protocol needs", sum.Incomplete)
	case sum.Outside > 0 && lost > 0:
		return fmt.Errorf("kit: %d packets were of classes that the configuration leaves out, and %d "+
			"met a full buffer", sum.Outside, lost)
	}
	return nil
}
