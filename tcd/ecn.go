package tcd

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
)

// ECNConfig configures an ECN.
type ECNConfig struct {
	// Marking is K_min, K_max and P_max. It must be given.
	Marking sluice.Marking
	// Seed of the random numbers of Marking's ramp. Give every marker one of its own.
	Seed uint64
}

// ECN is the detector of converged Ethernet as it is: a packet is marked by the length of the
// queue that it leaves behind, whether flow control held the queue or not. Package pfc can do the
// same by itself. Make it with NewECN.
type ECN struct {
	red    marking.RED
	random prng.Source
	marked uint64
}

// NewECN returns a marker. The error is a [*sluice.ConfigError].
func NewECN(c ECNConfig) (*ECN, error) {
	k := check.Of("tcd")
	checkMarking(k, c.Marking)
	if err := k.Err(); err != nil {
		return nil, err
	}
	return &ECN{red: marking.New(c.Marking), random: prng.New(c.Seed)}, nil
}

// Resumed changes nothing: this detector knows no flow control.
func (e *ECN) Resumed(sluice.Time, sluice.Bytes) {}

// Dequeue says that a packet of size bytes leaves with the code point ecn, and leaves backlog
// bytes behind. It returns the code point that the packet is to have.
func (e *ECN) Dequeue(_ sluice.Time, _ int32, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN {
	mark := e.red.Mark(ecn, int64(backlog), &e.random)
	if mark != ecn {
		e.marked++
	}
	return mark
}

// Marked counts the packets whose code point became CE here.
func (e *ECN) Marked() uint64 { return e.marked }
