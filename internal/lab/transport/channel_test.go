package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/agenda"
	"github.com/sluicefc/sluice/internal/prng"
)

// channel is one flow between two ends over a link of a packet a microsecond and a delay, that
// loses, doubles and reorders packets and answers.
type channel struct {
	t      *Transport
	random prng.Source
	window int32
	lose   [2]uint64 // of packets and answers: in 1000
	double uint64
	delay  sluice.Time // of each, and up to jitter more
	jitter sluice.Time

	now     sluice.Time
	agenda  agenda.Agenda[event]
	sending bool

	arrivals []int32 // packets kept, in the order in which they came
	lost     [2]int
}

type event struct {
	at       sluice.Time
	kind     eventKind
	sequence int32
	answer   Answer
}

type eventKind uint8

const (
	packetArrives eventKind = iota
	answerArrives
	senderFree
)

func (c *channel) plan(e event) { c.agenda.Plan(e.at, e) }

// put puts a packet or an answer on the wire.
func (c *channel) put(e event) {
	if c.random.Below(1000) < c.lose[e.kind] {
		c.lost[e.kind]++
		return
	}
	copies := 1
	if c.random.Below(1000) < c.double {
		copies++
	}
	for range copies {
		e.at = c.now + c.delay + sluice.Time(c.random.Below(uint64(c.jitter)+1))
		c.plan(e)
	}
}

// send sends the next packet, one a microsecond.
func (c *channel) send() {
	if c.sending || c.t.InFlight(0) >= c.window {
		return
	}
	if s, _, ok := c.t.Send(c.now, 0); ok {
		c.sending = true
		c.plan(event{at: c.now + sluice.Microsecond, kind: senderFree})
		c.put(event{kind: packetArrives, sequence: s})
	}
}

// run runs the flow to its end, or for limit events.
func (c *channel) run(packets int32, limit int) bool {
	c.t.Start(c.now, 0, packets)
	c.send()
	for ; limit > 0 && !c.t.Done(0); limit-- {
		if d := c.t.Deadline(0); c.agenda.Empty() || d < c.agenda.Next() {
			if d == sluice.Never {
				return false
			}
			c.now = d
			c.t.Expire(c.now, 0, false)
			c.send()
			continue
		}
		_, e := c.agenda.Take()
		c.now = e.at
		switch e.kind {
		case packetArrives:
			a, kept := c.t.Arrive(c.now, 0, e.sequence)
			if kept {
				c.arrivals = append(c.arrivals, e.sequence)
			}
			if a.Kind != NoAnswer {
				c.put(event{kind: answerArrives, answer: a})
			}
		case answerArrives:
			c.t.Answered(0, e.answer)
		case senderFree:
			c.sending = false
		}
		c.send()
	}
	return c.t.Done(0)
}

func channelConfig(kind Kind) Config {
	c := irnConfig
	c.Kind, c.Timeout = kind, 400*sluice.Microsecond
	return c
}

// TestChannel: over a channel that loses, doubles and reorders packets and answers, every packet is
// kept once, under gbn in order, and the sender learns of it.
func TestChannel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := channelConfig(rapid.SampledFrom([]Kind{GoBackN, IRN}).Draw(t, "kind"))
		config.Cap = int32(rapid.IntRange(1, 40).Draw(t, "cap"))
		config.Outstanding = rapid.Bool().Draw(t, "outstanding")
		config.Single = rapid.Bool().Draw(t, "single")
		config.AckEvery = int32(rapid.IntRange(1, 5).Draw(t, "ack every"))
		config.NackInterval = sluice.Time(rapid.IntRange(0, 3).Draw(t, "nack interval")) * 20 * us
		tr, err := New(config)
		require.NoError(t, err)
		c := &channel{
			t: tr, random: prng.New(rapid.Uint64().Draw(t, "seed")),
			window: int32(rapid.IntRange(1, 40).Draw(t, "window")),
			double: uint64(rapid.IntRange(0, 100).Draw(t, "double")),
			delay:  sluice.Time(rapid.IntRange(0, 20).Draw(t, "delay")) * sluice.Microsecond,
			jitter: sluice.Time(rapid.IntRange(0, 20).Draw(t, "jitter")) * sluice.Microsecond,
		}
		c.lose[0] = uint64(rapid.IntRange(0, 200).Draw(t, "lose packets"))
		c.lose[1] = uint64(rapid.IntRange(0, 200).Draw(t, "lose answers"))
		packets := int32(rapid.IntRange(1, 150).Draw(t, "packets"))
		require.True(t, c.run(packets, 200_000), "the flow ends")

		require.True(t, tr.Complete(0))
		require.Len(t, c.arrivals, int(packets))
		seen := map[int32]bool{}
		for k, s := range c.arrivals {
			require.False(t, seen[s], "packet %d was kept twice", s)
			seen[s] = true
			if config.Kind == GoBackN {
				require.EqualValues(t, k, s)
			}
		}
		require.Zero(t, tr.InFlight(0))
		require.Equal(t, sluice.Never, tr.Deadline(0))
		require.Zero(t, tr.Counters().Ignored)
	})
}

// TestResent: where packets are lost and nothing else happens, each loss costs one
// packet more; under gbn, a window at most, each time that the sender goes back.
func TestResent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := channelConfig(rapid.SampledFrom([]Kind{GoBackN, IRN}).Draw(t, "kind"))
		tr, err := New(config)
		require.NoError(t, err)
		c := &channel{
			t: tr, random: prng.New(rapid.Uint64().Draw(t, "seed")),
			window: int32(rapid.IntRange(1, 40).Draw(t, "window")), delay: 10 * sluice.Microsecond,
		}
		c.lose[0] = uint64(rapid.IntRange(0, 100).Draw(t, "lose packets"))
		require.True(t, c.run(300, 200_000))
		if config.Kind == IRN {
			require.EqualValues(t, c.lost[0], tr.Counters().Resent)
			require.Zero(t, tr.Counters().Duplicates)
			return
		}
		require.LessOrEqual(t, tr.Counters().Resent, uint64(c.lost[0])*uint64(c.window))
	})
}

// TestLosslessChannel: without loss and reordering of packets, whatever becomes of the answers but
// the last, every packet is sent once.
func TestLosslessChannel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, err := New(Config{Kind: Lossless})
		require.NoError(t, err)
		c := &channel{
			t: tr, random: prng.New(rapid.Uint64().Draw(t, "seed")), window: 20, delay: 5 * us,
		}
		c.double = uint64(rapid.IntRange(0, 500).Draw(t, "double"))
		require.True(t, c.run(100, 100_000))
		require.Len(t, c.arrivals, 100)
		require.EqualValues(t, 100, tr.Counters().Sent)
		require.Zero(t, tr.Counters().Resent)
	})
}
