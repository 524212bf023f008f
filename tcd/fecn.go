package tcd

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/marking"
)

// FECNConfig configures an FECN.
type FECNConfig struct {
	// Threshold is the length that a queue must exceed, in bytes, the packet that leaves not
	// counted. Section 3.1.2 has 50 KB. Positive.
	Threshold sluice.Bytes
	// HeadOnly exempts only the packet at the head of the queue when credit comes, not those
	// behind it.
	HeadOnly bool
}

// FECN is the detector of InfiniBand as it is: "switches mark FECN when the queue length exceeds
// the queue threshold (i.e., 50KB) and the packet is not delayed due to lacking credit (i.e., not
// paused)" (section 3.1.2). Packets that waited in the queue when credit came back are those
// delayed. The mark is CE. Make it with NewFECN.
type FECN struct {
	rule     marking.Unpaused
	headOnly bool
}

// NewFECN returns a marker. The error is a [*sluice.ConfigError].
func NewFECN(c FECNConfig) (*FECN, error) {
	k := check.Of("tcd")
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

// Dequeue says that a packet of size bytes leaves with the code point ecn, and leaves backlog
// bytes behind. It returns the code point that the packet is to have.
func (f *FECN) Dequeue(
	_ sluice.Time, size int32, backlog sluice.Bytes, ecn sluice.ECN,
) sluice.ECN {
	return f.rule.Mark(size, backlog, ecn)
}

// Marked counts the packets whose code point became CE here.
func (f *FECN) Marked() uint64 { return f.rule.Marked }
