package run

import (
	"strings"

	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Measure is what a claim asks of a run.
type Measure = func(*Outcome) Measured

func Value(of func(*Outcome) float64) Measure {
	return func(o *Outcome) Measured { return Number(of(o)) }
}

// AboveZero measures a number that is 0 where there is nothing to measure.
func AboveZero(of func(*Outcome) float64) Measure {
	return func(o *Outcome) Measured { return Positive(of(o)) }
}

// MeanFCT measures the mean completion time of a group in microseconds.
func MeanFCT(g workload.Group) Measure {
	return fct(g, func(s *Summary) float64 { return s.Mean })
}

// P99 measures the 99th percentile of a group's completion times in microseconds.
func P99(g workload.Group) Measure { return fct(g, func(s *Summary) float64 { return s.P99 }) }

func fct(g workload.Group, of func(*Summary) float64) Measure {
	return func(o *Outcome) Measured {
		if s := *o.FCT.Of(g); s != nil {
			return Number(of(s))
		}
		return None()
	}
}

// LongestQueue is the largest amount that was held for one egress port, in KB, LargestBacklog in
// one switch.
var (
	LongestQueue = Value(func(o *Outcome) float64 { return float64(o.Result.MaxPortBytes) / 1000 })

	LargestBacklog = Value(func(o *Outcome) float64 {
		return float64(o.Result.MaxSwitchBytes) / 1000
	})
)

// Figure measures a number of the protocol's own, by the first of the names that the protocol has.
func Figure(names ...string) Measure {
	return func(o *Outcome) Measured {
		for _, name := range names {
			if n, ok := o.Result.Figures[name]; ok {
				return Number(float64(n))
			}
		}
		return None()
	}
}

// Deadlocked measures whether a run ended in a deadlock: 1, or 0.
func Deadlocked(o *Outcome) Measured {
	if o.Result.Deadlock != "" {
		return Number(1)
	}
	return Number(0)
}

// Variant is what a run and a baseline of another protocol have in common.
func (o *Outcome) Variant() string { return strings.TrimPrefix(o.FC, o.Run) }
