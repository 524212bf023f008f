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

// Check returns nil if m is the zero Marking or keeps the rules of its fields, otherwise the field
// that does not: "KMax", its value and the rule. The caller names its package and puts the path of
// m before the field.
func (m Marking) Check() *ConfigError {
	if m == (Marking{}) {
		return nil
	}
	switch {
	case m.KMax <= 0 || m.KMax > MaxMarking:
		return &ConfigError{Field: "KMax", Value: m.KMax, Rule: "must be positive and at most 4 TiB"}
	case m.KMin < 0 || m.KMin > m.KMax:
		return &ConfigError{Field: "KMin", Value: m.KMin, Rule: "must be 0 to KMax"}
	case m.KMin == m.KMax && m.PMax == (Ratio{}):
		return nil
	case !m.PMax.Valid() || m.PMax.Num > m.PMax.Den:
		rule := "must be above 0 and at most 1, both terms at most 2^20"
		return &ConfigError{Field: "PMax", Value: m.PMax, Rule: rule}
	}
	return nil
}
