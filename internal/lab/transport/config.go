package transport

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// Kind is how losses are found and repaired.
type Kind uint8

const (
	GoBackN Kind = iota
	Lossless
	IRN
)

// Names of the kinds, as a user writes them, in the order of their numbers.
var Names = [...]string{"gbn", "lossless", "irn"}

func (k Kind) String() string { return enum.Name(k, "Kind", Names[:]...) }

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
	// AckEvery, of gbn and lossless, is how many packets in order get one answer; the last packet of
	// a flow always gets one. 0 means 1.
	AckEvery int32

	// RTOLow and RTOHigh, of irn, are the timeouts of a packet: the low one if at most LowPackets
	// packets were in flight when it was sent, itself included. Positive, at most MaxTimeout.
	RTOLow, RTOHigh sluice.Time
	LowPackets      int32
	// Cap, of irn, is the most packets that are in flight when a new packet is sent, itself included:
	// all from the first that is not acknowledged to the last that was sent, or with Outstanding, of
	// these, the packets that are neither acknowledged nor known to be lost. 1 to MaxCap. LowPackets
	// counts from the first that is not acknowledged in either case.
	Cap         int32
	Outstanding bool
	// Single, of irn, has an answer name the packet that came and no other, as in Pyrrha's ns-3: a
	// packet whose answer is lost stays in flight until its timer, and is sent again. A SACK names
	// the last gap alone, from the packet after the highest that had come, and a packet that fills a
	// gap gets an ACK.
	Single bool
}

// Parameters returns the parameters of the configuration's kind, or of all kinds if asked for,
// bound to its fields. The caller gives Cap, which irn.cap overrides, and Timeout.
func (c *Config) Parameters(all bool) (fields []params.Field) {
	if all || c.Kind != IRN {
		fields = append(fields, params.In("network", params.Bind("ack.every", &c.AckEvery, "1",
			"packets in order that one acknowledgement answers, under gbn and lossless").
			Range("1", "65536"))...)
	}
	if all || c.Kind == GoBackN {
		fields = append(fields,
			params.Bind("gbn.nack-interval", &c.NackInterval, "never",
				"time after which a receiver that waits for the same packet sends a NACK again"),
			params.Bind("gbn.duplicates", &c.IgnoreDuplicates, "ack",
				"what a receiver does with a packet that it has: acknowledge again, or nothing").
				Of("ack", "ignore"))
	}
	if all || c.Kind == IRN {
		fields = append(fields,
			params.Bind("irn.rto-low", &c.RTOLow, "100us",
				"timeout of a packet sent with few in flight (SIGCOMM 2018, section 3.1)"),
			params.Bind("irn.rto-high", &c.RTOHigh, "320us", "timeout of other packets"),
			params.Bind("irn.n", &c.LowPackets, "3",
				"packets in flight up to which irn.rto-low applies").Range("", "65536"),
			params.Bind("irn.cap", &c.Cap, "",
				"packets in flight at most (BDP-FC); unset: a bandwidth-delay product of the longest "+
					"path"),
			params.Bind("irn.in-flight", &c.Outstanding, "span",
				"packets that irn.cap counts: from the oldest hole on (section 3.2), or neither "+
					"acknowledged nor lost, as in Pyrrha's ns-3").Of("span", "outstanding"),
			params.Bind("irn.acks", &c.Single, "cumulative",
				"what an answer acknowledges: all before the first packet that is missing, or the packet "+
					"that came alone, as in Pyrrha's ns-3").Of("cumulative", "single"))
	}
	return params.Checked(c, c.check, fields...)
}

func Definitions() []params.Definition {
	c := Config{Kind: IRN, Cap: 1}
	fields := c.Parameters(true)
	(*params.Values)(nil).Fill(fields)
	return params.Definitions(fields)
}

func (c *Config) check() error {
	r := check.Of("transport", "Config")
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

// span returns the most packets from the first that is not acknowledged to the last that was sent.
func (c *Config) span() int32 {
	if c.Outstanding {
		return MaxCap
	}
	return c.Cap
}

// log2Up returns the smallest k with 1<<k >= n, for n >= 1.
func log2Up(n int32) int { return bits.Len32(uint32(n - 1)) }
