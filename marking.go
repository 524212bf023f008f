package sluice

// Marking is the ECN marking of an egress queue, random early detection by its length at dequeue:
// a packet that leaves q bytes behind is marked if q > KMax, with the probability
// PMax*(q-KMin)/(KMax-KMin) if KMin < q <= KMax, and not if q <= KMin. Only packets that are ECT(0)
// or ECT(1) are marked. The zero Marking marks nothing.
type Marking struct {
	// KMin and KMax are in bytes, 0 <= KMin <= KMax, and KMax is positive and at most MaxMarking.
	// Equal: the step marking of DCTCP.
	KMin, KMax Bytes
	// PMax is the probability at KMax, above 0 and at most 1. It may be left out where KMin
	// equals KMax.
	PMax Ratio
}

// MaxMarking is the largest KMax of a [Marking].
const MaxMarking Bytes = 4 << 40 // 4 TiB

// Check returns nil if m is the zero Marking or keeps the rules of its fields, otherwise a
// [*ConfigError] with the field that does not: "KMax", its value and the rule.
func (m Marking) Check() error {
	fault := func(field string, value any, rule string) error {
		return &ConfigError{
			Package: "sluice", Type: "Marking", Field: field, Value: value, Rule: rule,
		}
	}
	if m == (Marking{}) {
		return nil
	}
	switch {
	case m.KMax <= 0 || m.KMax > MaxMarking:
		return fault("KMax", m.KMax, "must be positive and at most 4 TiB")
	case m.KMin < 0 || m.KMin > m.KMax:
		return fault("KMin", m.KMin, "must be 0 to KMax")
	case m.KMin == m.KMax && m.PMax == (Ratio{}):
		return nil
	case !m.PMax.Valid() || m.PMax.Num > m.PMax.Den:
		return fault("PMax", m.PMax, "must be above 0 and at most 1, both terms at most 2^20")
	}
	return nil
}
