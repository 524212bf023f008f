package transport

import (
	"math/bits"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// Kind is how losses are found and repaired.
type Kind uint8

// Kinds.
const (
	GoBackN Kind = iota
	Lossless
	IRN
)

// Names of the kinds, as a user writes them, in the order of their numbers.
var Names = [...]string{"gbn", "lossless", "irn"}

// String names the kind.
func (k Kind) String() string {
	if int(k) < len(Names) {
		return Names[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// MaxCap is the largest Cap of a [Config].
const MaxCap = 1 << 16

// MaxTimeout is the longest RTOLow and RTOHigh of a [Config].
const MaxTimeout = sluice.Second

// Config configures a [Transport]. The zero value is gbn without a timer, with an answer to every
// packet.
type Config struct {
	Kind Kind

	// Timeout, of gbn, is the time without progress after which a sender goes back to the first
	// packet that is not acknowledged. 0 and sluice.Never: no timer.
	Timeout sluice.Time
	// NackInterval, of gbn, is the time after which a receiver that still waits for the same packet
	// answers with a NACK again. 0 and sluice.Never: one NACK a gap.
	NackInterval sluice.Time
	// IgnoreDuplicates, of gbn, has a receiver leave packets that it has already without an answer,
	// as HPCC's ns-3 code does. A lost last acknowledgement is then never made good.
	IgnoreDuplicates bool
	// AckEvery, of gbn and lossless, answers every so many packets that come in order, and the last
	// one of a flow. 0 means 1.
	AckEvery int32

	// RTOLow and RTOHigh, of irn, are the timeouts of a packet: the low one if at most LowPackets
	// packets were in flight when it was sent, itself included. Positive, at most MaxTimeout.
	RTOLow, RTOHigh sluice.Time
	LowPackets      int32
	// Cap, of irn, is the most packets from the first that is not acknowledged to the last that was
	// sent. 1 to MaxCap.
	Cap int32
}

// Definitions returns the parameters of all kinds.
func Definitions() []params.Definition {
	return []params.Definition{
		{Name: "gbn.nack-interval", Kind: params.Time, Default: "never", Section: "gbn",
			Doc: "time after which a receiver that waits for the same packet sends a NACK again"},
		{Name: "gbn.duplicates", Kind: params.Choice, Default: "ack", Section: "gbn",
			Choices: []string{"ack", "ignore"},
			Doc:     "what a receiver does with a packet that it has: acknowledge again, or nothing"},
		{Name: "ack.every", Kind: params.Int, Default: "1", Min: "1", Max: "65536", Section: "network",
			Doc: "packets in order that one acknowledgement answers, under gbn and lossless"},
		{Name: "irn.rto-low", Kind: params.Time, Default: "100us", Min: "1ns", Max: "1s", Section: "irn",
			Doc: "timeout of a packet sent with few in flight (SIGCOMM 2018, section 3.1)"},
		{Name: "irn.rto-high", Kind: params.Time, Default: "320us", Min: "1ns", Max: "1s", Section: "irn",
			Doc: "timeout of other packets"},
		{Name: "irn.n", Kind: params.Int, Default: "3", Max: "65536", Section: "irn",
			Doc: "packets in flight up to which irn.rto-low applies"},
		{Name: "irn.cap", Kind: params.Int, Default: "", Min: "1", Max: "65536", Section: "irn",
			Doc: "packets in flight at most (BDP-FC); unset: a bandwidth-delay product of the longest " +
				"path; 65536 leaves the window alone, as in Pyrrha's ns-3"},
	}
}

// Configure returns the configuration of a kind by its parameters. timeout is gbn's;
// window is the packets of a bandwidth-delay product, irn's cap where irn.cap is not set.
func Configure(kind Kind, v *params.Values, timeout sluice.Time, window int32) Config {
	if kind == IRN {
		c := Config{
			Kind:       IRN,
			RTOLow:     v.Time("irn.rto-low"),
			RTOHigh:    v.Time("irn.rto-high"),
			LowPackets: int32(v.Int("irn.n")),
			Cap:        max(1, min(window, MaxCap)),
		}
		if v.IsSet("irn.cap") {
			c.Cap = int32(v.Int("irn.cap"))
		}
		return c
	}
	c := Config{Kind: kind, AckEvery: int32(v.Int("ack.every"))}
	if kind == GoBackN {
		c.Timeout = timeout
		c.NackInterval = v.Time("gbn.nack-interval")
		c.IgnoreDuplicates = v.String("gbn.duplicates") == "ignore"
	}
	return c
}

// check returns the first error of the configuration.
func (c *Config) check() error {
	r := check.Of("transport")
	r.That(c.Kind <= IRN, c.Kind, "must be one of the kinds", "Kind")
	r.That(c.Timeout >= 0, c.Timeout, "must not be negative", "Timeout")
	r.That(c.NackInterval >= 0, c.NackInterval, "must not be negative", "NackInterval")
	r.That(c.AckEvery >= 0, c.AckEvery, "must not be negative", "AckEvery")
	if c.Kind == IRN {
		r.That(0 < c.RTOLow && c.RTOLow <= MaxTimeout, c.RTOLow, "must be positive and at most 1s",
			"RTOLow")
		r.That(c.RTOLow <= c.RTOHigh && c.RTOHigh <= MaxTimeout, c.RTOHigh,
			"must be at least RTOLow and at most 1s", "RTOHigh")
		r.That(c.LowPackets >= 0, c.LowPackets, "must not be negative", "LowPackets")
		r.That(1 <= c.Cap && c.Cap <= MaxCap, c.Cap, "must be 1 to 65536", "Cap")
	}
	return r.Err()
}

// log2Up returns the smallest k with 1<<k >= n, for n >= 1.
func log2Up(n int32) int { return bits.Len32(uint32(n - 1)) }
