package bfc

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

func (c Config) withDefaults() (Config, error) {
	c = c.clone()
	k := check.Of("bfc", "Config")
	c.checkPorts(k)
	c.checkTable(k)
	c.checkPause(k)
	c.checkSignalling(k)
	c.checkService(k)
	return c, k.Err()
}

func (c *Config) checkPorts(k *check.Config) {
	check.Default(&c.Queues, DefaultQueues)
	check.Within(k, c.Queues, 1, MaxQueues, "Queues")
	check.Within(k, len(c.Ports), 1, MaxPorts, "Ports")
	for i := range c.Ports {
		p := &c.Ports[i]
		k.Link(p.Link, "Ports[%d].Link", i)
		check.Default(&p.HRTT, p.Link.RoundTrip())
		check.Within(k, p.HRTT, 0, 2*MaxPeriod, "Ports[%d].HRTT", i)
		check.Default(&p.UpstreamQueues, c.Queues)
		check.Within(k, p.UpstreamQueues, 1, MaxUpstreamQueues, "Ports[%d].UpstreamQueues", i)
	}
}

func (c *Config) checkTable(k *check.Config) {
	if c.Ideal {
		check.Default(&c.VFIDs, FlowsPerQueue*c.Queues)
	}
	if c.Index == LowBits {
		check.Default(&c.VFIDs, 1<<bits.Len(uint(max(VFIDsPerQueue*c.Queues, 1)-1)))
	}
	check.Default(&c.VFIDs, VFIDsPerQueue*c.Queues)
	check.Within(k, c.VFIDs, 1, MaxVFIDs, "VFIDs")
	k.That(c.Assignment < numAssignments, c.Assignment,
		"must be RandomScan, LowestFree, StaticHash or LastFreed", "Assignment")
	stack := c.Assignment == LastFreed
	k.That(!stack || !c.Ideal, c.Ideal, "must not be set with LastFreed", "Ideal")
	k.That(!stack || c.AssignPaused, c.AssignPaused, "must be set with LastFreed", "AssignPaused")
	forgotten := c.AssignForgotten
	k.That(!forgotten || !c.AssignPaused, forgotten, "must not be set with AssignPaused",
		"AssignForgotten")
	k.That(!forgotten || !c.Ideal, forgotten, "must not be set with Ideal", "AssignForgotten")
	c.checkIndex(k)
	k.That(c.Overflow < numOverflows, c.Overflow, "must be RandomQueue or HashQueue", "Overflow")
	k.That(c.Sticky == NoSticky || c.Sticky >= 0 && c.Sticky <= MaxPeriod, c.Sticky,
		"must be 0 to 1s, or NoSticky", "Sticky")
}

func (c *Config) checkIndex(k *check.Config) {
	k.That(c.Index < numIndexes, c.Index, "must be SpreadHash or LowBits", "Index")
	if c.Index != LowBits {
		return
	}
	k.That(!c.Ideal, c.Ideal, "must not be set with LowBits", "Ideal")
	k.That(c.VFIDs&(c.VFIDs-1) == 0, c.VFIDs, "must be a power of two with LowBits", "VFIDs")
	hashes := c.Overflow == HashQueue || c.Assignment == StaticHash
	k.That(!hashes || c.Queues&(c.Queues-1) == 0, c.Queues,
		"must be a power of two with LowBits and HashQueue or StaticHash", "Queues")
}

func (c *Config) checkPause(k *check.Config) {
	check.Default(&c.Factor, sluice.Ratio{Num: 1, Den: 1})
	k.That(c.Factor.Valid(), c.Factor, "both terms must be 1 to 2^20", "Factor")
	k.Classes(&c.Classes, sluice.AllClasses, "Classes")
	for i, pair := range c.Withhold {
		k.That(int(pair.Ingress) < len(c.Ports), pair.Ingress,
			"must be a port of the switch", "Withhold[%d].Ingress", i)
		k.That(int(pair.Egress) < len(c.Ports), pair.Egress,
			"must be a port of the switch", "Withhold[%d].Egress", i)
	}
	check.Within(k, c.ResumeLimit, 0, 1<<30, "ResumeLimit")
	k.That(c.ResumeLimit <= 0 || len(c.Ports)*c.Queues <= maxResumeWindows, c.ResumeLimit,
		"needs at most 1048576 queues in all", "ResumeLimit")
	check.Within(k, c.ResumePeriod, 0, MaxPeriod, "ResumePeriod")
}

func (c *Config) checkSignalling(k *check.Config) {
	k.That(c.Signalling < numSignallings, c.Signalling,
		"must be TransitionsAndBitmap, Transitions, PeriodicBitmap or BitmapResumeAtOnce",
		"Signalling")
	check.Default(&c.Period, DefaultPeriod)
	check.Within(k, c.Period, 1, MaxPeriod, "Period")
	check.Default(&c.IdleBitmaps, DefaultIdleBitmaps)
	k.That(c.Expiry == 0 || c.Expiry == NoExpiry || c.Expiry > c.Period && c.Expiry <= maxExpiry,
		c.Expiry, "must be 0, NoExpiry, or above Period and at most 8s", "Expiry")
	k.That(c.Expiry <= 0 || c.Signalling != Transitions, c.Expiry,
		"must be 0 or NoExpiry with Transitions", "Expiry")
	check.Default(&c.QueuesPerFrame, MaxListed)
	check.Within(k, c.QueuesPerFrame, 1, MaxListed, "QueuesPerFrame")
}

func (c *Config) checkService(k *check.Config) {
	k.That(c.Scheduler < numSchedulers, c.Scheduler,
		"must be DeficitRoundRobin, PacketRoundRobin or LowestFirst", "Scheduler")
	check.Default(&c.Quantum, DefaultQuantum)
	check.Within(k, c.Quantum, 1, maxQuantum, "Quantum")
	check.Within(k, c.Buffer, 0, maxBuffer, "Buffer")
}

// share returns F x HRTT x rate in whole bytes, rounded down once, saturating. HRTT is below 2^41
// and the terms of F are at most 2^20, so that neither product of 64 bits overflows.
func (c *Config) share(rate sluice.Rate, roundTrip sluice.Time) sluice.Bytes {
	high, low := bits.Mul64(uint64(roundTrip)*uint64(c.Factor.Num), uint64(rate))
	divisor := 8 * uint64(sluice.Second) * uint64(c.Factor.Den)
	if high >= divisor {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, divisor)
	return sluice.Bytes(min(quotient, math.MaxInt64))
}

// stickyTime returns Sticky of packets by a link of that round-trip time.
func (c *Config) stickyTime(roundTrip sluice.Time) sluice.Time {
	switch c.Sticky {
	case 0:
		return stickyRoundTrips * roundTrip
	case NoSticky:
		return 0
	}
	return c.Sticky
}

// charges returns the bytes that a queue may send in a round, and the most that a packet costs it.
func (c *Config) charges() (quantum, most int64) {
	if c.Scheduler == PacketRoundRobin {
		return 1, 1
	}
	return int64(c.Quantum), maxQuantaPerPacket * int64(c.Quantum)
}

func (c *Config) room() sluice.Bytes {
	if c.Buffer == 0 {
		return maxBuffer
	}
	return c.Buffer
}

// expiry returns how long a port obeys a pause that downstream does not repeat; 0: until a resume.
func (c *Config) expiry(id sluice.PortID) sluice.Time {
	switch {
	case c.Expiry == NoExpiry || c.Signalling == Transitions:
		return 0
	case c.Expiry > 0:
		return c.Expiry
	}
	return ExpiryBitmaps * (c.Period + c.Ports[id].Link.Rate.TimeOf(largestPacket+longestFrame))
}

// timers returns how many timers the switch has: two for each port, and one for each resume window.
func (c *Config) timers() int {
	if c.ResumeLimit > 0 {
		return len(c.Ports) * (timerKinds + c.Queues)
	}
	return len(c.Ports) * timerKinds
}
