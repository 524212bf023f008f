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
	k := check.Of("tcd", "ECNConfig")
	checkMarking(k, c.Marking)
	if err := k.Err(); err != nil {
		return nil, err
	}
	return &ECN{red: marking.New(c.Marking), random: prng.New(c.Seed)}, nil
}

// Resumed changes nothing: this detector knows no flow control.
func (e *ECN) Resumed(sluice.Time, sluice.Bytes) {}

// Dequeue returns the code point of a packet that leaves: see Events in the package documentation.
func (e *ECN) Dequeue(_ sluice.Time, _, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN {
	mark := e.red.Mark(ecn, int64(backlog), &e.random)
	if mark != ecn {
		e.marked++
	}
	return mark
}

// Marked counts the packets whose code point became CE here.
func (e *ECN) Marked() uint64 { return e.marked }

// FECNConfig configures an FECN.
type FECNConfig struct {
	// Threshold is the length that a queue must exceed, in bytes, the packet that leaves not
	// counted. Section 3.1.2 has 50 KB. Positive.
	Threshold sluice.Bytes
	// HeadOnly exempts only the packet at the head of the queue when credit comes, not the packets
	// behind it.
	HeadOnly bool
}

// FECN is InfiniBand's own detector: it marks a packet that leaves a queue longer than the
// threshold, 50 KB in the paper, unless the packet waited for credit (section 3.1.2). Packets that
// were in the queue when credit came back count as delayed. The mark is CE. Make it with NewFECN.
type FECN struct {
	rule     marking.Unpaused
	headOnly bool
}

// NewFECN returns a marker. The error is a [*sluice.ConfigError].
func NewFECN(c FECNConfig) (*FECN, error) {
	k := check.Of("tcd", "FECNConfig")
	k.That(positive(c.Threshold), c.Threshold, lengthRule, "Threshold")
	if err := k.Err(); err != nil {
		return nil, err
	}
	return &FECN{rule: marking.Unpaused{Threshold: c.Threshold}, headOnly: c.HeadOnly}, nil
}

// Resumed says that the queue had no credit until now and has some again. It holds backlog bytes.
func (f *FECN) Resumed(_ sluice.Time, backlog sluice.Bytes) {
	if f.headOnly {
		backlog = min(backlog, 1) // of the packet at the head, whose departure takes it away
	}
	f.rule.Waiting.Resumed(backlog)
}

// Dequeue returns the code point of a packet that leaves: see Events in the package documentation.
func (f *FECN) Dequeue(
	_ sluice.Time, size, backlog sluice.Bytes, ecn sluice.ECN,
) sluice.ECN {
	return f.rule.Mark(size, backlog, ecn)
}

// Marked counts the packets whose code point became CE here.
func (f *FECN) Marked() uint64 { return f.rule.Marked }
