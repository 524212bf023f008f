package transport

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

const us = sluice.Microsecond

func TestConfigRules(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*Config)
	}{
		{"Kind", func(c *Config) { c.Kind = 3 }},
		{"Timeout", func(c *Config) { c.Timeout = -1 }},
		{"NackInterval", func(c *Config) { c.NackInterval = -1 }},
		{"AckEvery", func(c *Config) { c.AckEvery = -1 }},
		{"RTOLow", func(c *Config) { c.RTOLow = 0 }},
		{"RTOLow", func(c *Config) { c.RTOLow = MaxTimeout + 1 }},
		{"RTOHigh", func(c *Config) { c.RTOHigh = c.RTOLow - 1 }},
		{"RTOHigh", func(c *Config) { c.RTOHigh = MaxTimeout + 1 }},
		{"LowPackets", func(c *Config) { c.LowPackets = -1 }},
		{"Cap", func(c *Config) { c.Cap = 0 }},
		{"Cap", func(c *Config) { c.Cap = MaxCap + 1 }},
	} {
		config := irnConfig
		c.change(&config)
		_, err := New(config)
		var e *sluice.ConfigError
		require.True(t, errors.As(err, &e), c.field)
		require.Equal(t, c.field, e.Field)
	}
}

// configure returns a configuration by its parameters.
func configure(c Config, v *params.Values) Config {
	v.Fill(c.Parameters(false))
	return c
}

func TestParameters(t *testing.T) {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	irn, gbn := Config{Kind: IRN, Cap: 104}, Config{Timeout: 7}
	v, err := r.Parse()
	require.NoError(t, err)
	require.Equal(t, Config{
		Kind: IRN, RTOLow: 100 * us, RTOHigh: 320 * us, LowPackets: 3, Cap: 104,
	}, configure(irn, v))
	require.Equal(t, Config{
		Timeout: 7, NackInterval: sluice.Never, AckEvery: 1,
	}, configure(gbn, v))
	require.Equal(t, Config{Kind: Lossless, AckEvery: 1}, configure(Config{Kind: Lossless}, v))
	v, err = r.Parse("gbn.nack-interval=500us,gbn.duplicates=ignore,ack.every=256",
		"irn.rto-low=1us,irn.rto-high=2us,irn.n=4,irn.cap=9")
	require.NoError(t, err)
	require.Equal(t, Config{
		NackInterval: 500 * us, IgnoreDuplicates: true, AckEvery: 256,
	}, configure(Config{}, v))
	require.Equal(t, Config{
		Kind: IRN, RTOLow: us, RTOHigh: 2 * us, LowPackets: 4, Cap: 9,
	}, configure(irn, v))
	for k, name := range Names {
		require.Equal(t, name, Kind(k).String())
	}
	require.Equal(t, "Kind(3)", Kind(3).String())
}

// TestHostile: whatever comes, nothing panics, and the counts keep their sense.
func TestHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := irnConfig
		c.Kind = Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
		c.Timeout, c.Cap = sluice.Millisecond, 7
		tr, err := New(c)
		require.NoError(t, err)
		index := rapid.Int32Range(-2, 3)
		number := rapid.OneOf(rapid.Int32Range(-2, 12), rapid.Int32())
		now := sluice.Time(0)
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				tr.Start(now, index.Draw(t, "i"), rapid.Int32Range(-1, 10).Draw(t, "packets"))
			},
			"finish": func(t *rapid.T) { tr.Finish(index.Draw(t, "i")) },
			"send":   func(t *rapid.T) { tr.Send(now, index.Draw(t, "i")) },
			"arrive": func(t *rapid.T) { tr.Arrive(now, index.Draw(t, "i"), number.Draw(t, "sequence")) },
			"answer": func(t *rapid.T) {
				tr.Answered(index.Draw(t, "i"), Answer{
					Kind:     AnswerKind(rapid.IntRange(0, 5).Draw(t, "kind")),
					Expected: number.Draw(t, "expected"), Seen: number.Draw(t, "seen"),
				})
			},
			"expire": func(t *rapid.T) {
				now += sluice.Time(rapid.IntRange(0, int(sluice.Millisecond)).Draw(t, "d"))
				i := index.Draw(t, "i")
				if tr.Deadline(i) <= now {
					tr.Expire(now, i, rapid.Bool().Draw(t, "waiting"))
					require.Greater(t, tr.Deadline(i), now)
				}
			},
			"": func(t *rapid.T) {
				for i := int32(-2); i < 4; i++ {
					require.GreaterOrEqual(t, tr.InFlight(i), int32(0))
					require.LessOrEqual(t, tr.Acked(i), tr.Highest(i))
					tr.Next(i)
					tr.recovering(i)
				}
			},
		})
	})
}

// TestZeroAlloc: packets, answers, timers, and flows at indexes that were used before.
func TestZeroAlloc(t *testing.T) {
	for _, kind := range []Kind{GoBackN, Lossless, IRN} {
		c := irnConfig
		c.Kind, c.Timeout = kind, sluice.Millisecond
		tr := newTransport(t, c)
		now := sluice.Time(0)
		run := func() {
			tr.Start(now, 0, 100)
			for k := 0; !tr.Done(0); k++ {
				s, _, _ := tr.Send(now, 0)
				if k%10 == 7 && kind != Lossless {
					now += sluice.Microsecond
					tr.Expire(now+sluice.Millisecond, 0, false)
					continue
				}
				a, _ := tr.Arrive(now, 0, s)
				tr.Answered(0, a)
			}
			tr.Finish(0)
		}
		run()
		require.Zero(t, testing.AllocsPerRun(10, run), "%v", kind)
	}
}

func BenchmarkPacket(b *testing.B) {
	for _, kind := range []Kind{GoBackN, Lossless, IRN} {
		b.Run(kind.String(), func(b *testing.B) {
			c := irnConfig
			c.Kind, c.Timeout = kind, sluice.Millisecond
			tr := newTransport(b, c)
			b.ReportAllocs()
			for n := 0; n < b.N; {
				tr.Start(0, 0, 1000)
				for ; !tr.Done(0); n++ {
					s, _, _ := tr.Send(sluice.Time(n), 0)
					a, _ := tr.Arrive(sluice.Time(n), 0, s)
					tr.Answered(0, a)
				}
			}
		})
	}
}
