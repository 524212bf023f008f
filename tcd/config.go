package tcd

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// AuthorsSlack is the Config.Slack of the first author's ns-3 code: 0.9 times its payload of 1,000
// bytes.
const AuthorsSlack sluice.Bytes = 900

// Config configures a Detector.
type Config struct {
	// MaxTon is max(T_on), the longest time for which flow control lets the port send at a
	// stretch: see MaxTonCEE and MaxTonInfiniBand. Positive, and less than sluice.Never.
	MaxTon sluice.Time
	// Marking decides between non-congestion and congestion while the port is persistently on. It
	// must be given.
	Marking sluice.Marking
	// Drained is the length down to which a draining queue must come to count as empty, in bytes:
	// two frames. Positive.
	Drained sluice.Bytes
	// Slack is how much a draining queue may have grown since it was last looked at, in bytes, for
	// the growth not to be congestion. Zero: a queue that did not become shorter is congested. With
	// s > 0 a queue that grew by less than s is not; the ns-3 code has AuthorsSlack. Not negative,
	// at most sluice.MaxMarking.
	Slack sluice.Bytes
	// Seed of the random numbers of Marking's ramp. Give every detector one of its own.
	Seed uint64
}

func (c *Config) check() error {
	k := check.Of("tcd", "Config")
	k.That(c.MaxTon > 0 && c.MaxTon < sluice.Never, c.MaxTon,
		"must be positive and less than never", "MaxTon")
	k.That(positive(c.Drained), c.Drained, lengthRule, "Drained")
	k.That(c.Slack == 0 || positive(c.Slack), c.Slack, "must be 0 to 4 TiB", "Slack")
	checkMarking(k, c.Marking)
	return k.Err()
}

const lengthRule = "must be positive and at most 4 TiB"

func positive(n sluice.Bytes) bool { return n > 0 && n <= sluice.MaxMarking }

// checkMarking refuses a marking that is off too: a detector without one detects nothing.
func checkMarking(k *check.Config, m sluice.Marking) {
	k.That(m != sluice.Marking{}, m, "must be given", "Marking")
	k.Part(m.Check(), "Marking")
}
