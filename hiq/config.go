package hiq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
)

// Limits.
const (
	// MaxLevels is the most levels: the hops of the longest path beyond the port at hand.
	MaxLevels = sluice.MaxHops - 1
	// MaxIQs is the most isolation queues of a port.
	MaxIQs = bitset.Max - 1
	// MaxRoots is the most roots that can be numbered.
	MaxRoots = bitset.Max
	// MaxSingleTierIQs is the most isolation queues in a single tier.
	MaxSingleTierIQs = 1024
)

// Scheduler chooses among the IQs of a level.
type Scheduler uint8

// Schedulers.
const (
	RoundRobin        Scheduler = iota // one packet per turn
	DeficitRoundRobin                  // one MTU per turn
)

// String names the scheduler.
func (s Scheduler) String() string {
	return enum.Name(s, "Scheduler", "round robin", "deficit round robin")
}

// Config describes the queues of one port.
type Config struct {
	// Rate is the line rate. It must be positive.
	Rate sluice.Rate

	// Levels is the distance in hops of the farthest root, 1 to MaxLevels. 0: MaxLevels.
	Levels int

	// IQs is the number of isolation queues, from Levels to MaxIQs (MaxSingleTierIQs in a single
	// tier, where 2 are the least). 0: 100, the maximum of the paper's evaluation (section VIII).
	IQs int

	// Roots is how many roots may be known at once, 1 to MaxRoots. 0: 256.
	Roots int

	// MTU is the size of the largest packet in bytes, positive. It is the quantum of
	// DeficitRoundRobin and the most that a level may move at once. Larger packets work; then a
	// level may fall behind the line rate. 0: 1,518, the largest untagged Ethernet frame.
	MTU sluice.Bytes

	// Scheduler chooses among the IQs of a level.
	Scheduler Scheduler

	// Speedup is the rate of moves in multiples of the line rate, 1 to 64. 0: 1.
	Speedup int

	// Unordered lets the IQ of a new set be served at once, as in the paper, though packets wait for
	// its subsets. Flows on whose way a root appeared may then be reordered: Counters.Overtakes
	// counts the packets. Single tier only.
	Unordered bool

	// SingleTier has, instead of levels of IQs, one IQ per set of roots, and each sends to the wire
	// itself. Levels then is the distance of the farthest root all the same; Speedup has no
	// meaning.
	SingleTier bool
}

// withDefaults returns a copy with every default filled in, or the first rule that c breaks.
func (c Config) withDefaults() (Config, error) {
	k := check.Of("hiq", "Config")
	k.That(c.Rate > 0, c.Rate, "must be positive", "Rate")
	check.Default(&c.Levels, MaxLevels)
	check.Within(k, c.Levels, 1, MaxLevels, "Levels")
	check.Default(&c.IQs, 100)
	if c.SingleTier {
		k.That(c.IQs >= 2 && c.IQs <= MaxSingleTierIQs, c.IQs, "must be 2 to 1,024 in a single tier",
			"IQs")
	} else {
		k.That(c.IQs <= MaxIQs, c.IQs, "must be at most 4,095", "IQs")
		k.That(c.IQs >= c.Levels, c.IQs, "must be at least Levels: every level needs one", "IQs")
	}
	check.Default(&c.Roots, 256)
	check.Within(k, c.Roots, 1, MaxRoots, "Roots")
	check.Default(&c.MTU, 1518)
	check.Within(k, c.MTU, 1, 1<<24, "MTU")
	k.That(c.Scheduler <= DeficitRoundRobin, c.Scheduler,
		"must be RoundRobin or DeficitRoundRobin", "Scheduler")
	check.Default(&c.Speedup, 1)
	check.Within(k, c.Speedup, 1, 64, "Speedup")
	return c, k.Err()
}
