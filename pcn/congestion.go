package pcn

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/marking"
)

// CPConfig configures a CongestionPoint.
type CPConfig struct {
	// Threshold is the length that the queue must exceed for a packet to be marked, in bytes, the
	// packet that leaves not counted. The paper's is zero. Not negative, at most sluice.MaxMarking.
	Threshold sluice.Bytes
}

// CongestionPoint marks the packets of one egress queue by NP-ECN (section 5.1, Figure 7). The zero
// CongestionPoint has the threshold of the paper, zero, and nothing waits in its queue.
type CongestionPoint struct {
	rule marking.Unpaused // its Waiting is PN, in bytes
}

// NewCongestionPoint returns the congestion point of a queue that was never held. The error is a
// [*sluice.ConfigError].
func NewCongestionPoint(c CPConfig) (CongestionPoint, error) {
	if c.Threshold < 0 || c.Threshold > sluice.MaxMarking {
		return CongestionPoint{}, configError("CPConfig", "Threshold", c.Threshold, "must be 0 to 4 TiB")
	}
	return CongestionPoint{marking.Unpaused{Threshold: c.Threshold}}, nil
}

// Resumed reports that flow control held the queue until now and that it may send again. The queue
// holds backlog bytes: they are exempt, as the N waiting packets of the paper (section 5.1).
func (p *CongestionPoint) Resumed(_ sluice.Time, backlog sluice.Bytes) {
	p.rule.Waiting.Resumed(backlog)
}

// Dequeue returns the code point of a packet of size bytes that leaves with the code point ecn, and
// leaves backlog bytes behind: CE if it did not wait and leaves a queue behind.
func (p *CongestionPoint) Dequeue(
	_ sluice.Time, size, backlog sluice.Bytes, ecn sluice.ECN,
) sluice.ECN {
	return p.rule.Mark(size, backlog, ecn)
}

// Waiting returns PN in bytes: how much of what waited when the queue last went on has not left.
func (p *CongestionPoint) Waiting() sluice.Bytes { return p.rule.Waiting.Bytes() }

// Marked counts the packets whose code point became CE here.
func (p *CongestionPoint) Marked() uint64 { return p.rule.Marked }

func configError(of, field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "pcn", Type: of, Field: field, Value: value, Rule: rule}
}
