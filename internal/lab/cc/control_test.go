package cc

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func TestKinds(t *testing.T) {
	for _, kind := range kinds {
		require.Equal(t, kind, Find(kind.String()))
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		require.Equal(t, kind, c.Kind())
		c.Start(0, 0, 40*sluice.Gbps)
		require.Equal(t, 40*sluice.Gbps, c.Rate(0, 0), "a flow begins at line rate")
		require.Equal(t, sluice.Never, c.Changes(0))
		require.Equal(t, kind == None, kind.Signals == 0)
	}
	require.Nil(t, Find("reno"))
	c, err := New(Config{})
	require.NoError(t, err)
	require.Equal(t, None, c.Kind())
}

// TestUnknown: flows that were never started, or are finished, have no rate, and what comes for
// them is counted.
func TestUnknown(t *testing.T) {
	for _, kind := range kinds {
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		c.Start(0, 1, sluice.Gbps)
		c.Finish(1)
		for _, i := range []int32{-1, 0, 1, 2} {
			before := c.Counters().Ignored
			c.Notice(0, i, cnp)
			c.Ack(0, i, &Sample{Acked: 1, Mark: sluice.CE, Telemetry: &INT{}})
			require.Equal(t, before+2, c.Counters().Ignored)
			c.Sent(0, i, 1000)
			c.Finish(i)
			require.Zero(t, c.Rate(0, i))
			require.Equal(t, sluice.Never, c.Changes(i))
			require.Equal(t, sluice.Never, c.NoticeDue(i))
			_, ok := c.TakeNotice(0, i)
			require.False(t, ok)
			require.Zero(t, c.Arrive(0, i, 1048, sluice.CE))
			require.Equal(t, before+3, c.Counters().Ignored)
		}
		for _, line := range []sluice.Rate{0, -1, MaxRate + 1} {
			c.Start(0, 1, line)
			require.Zero(t, c.Rate(0, 1))
		}
		c.Start(0, -1, sluice.Gbps)
		c.Start(0, 1, MaxRate)
		require.Equal(t, MaxRate, c.Rate(0, 1))
	}
}

// TestIdle: what falls due in a thousand seconds of timers of a nanosecond takes no time.
func TestIdle(t *testing.T) {
	for _, kind := range []*Kind{DCQCN, DCQCNHPCC} {
		c := configured(t, kind, "dcqcn.rate-timer=1ns,dcqcn.alpha-timer=1ns,dcqcn-hpcc.alpha-timer=1ns,"+
			"dcqcn-hpcc.decrease-timer=1ns,dcqcn-hpcc.increase-timer=1ns")
		c.Start(0, 0, 100*sluice.Gbps)
		notice := func(now sluice.Time) {
			c.Notice(now, 0, cnp)
			c.Ack(now, 0, &Sample{Mark: sluice.CE})
		}
		notice(0)
		require.Less(t, c.Rate(2000, 0), 100*sluice.Gbps)
		for _, now := range []sluice.Time{sluice.Millisecond, MaxSpan, MaxSpan + 1000*sluice.Second} {
			require.Equal(t, 100*sluice.Gbps, c.Rate(now, 0))
			require.Equal(t, sluice.Never, c.Changes(0))
			notice(now)
			c.Rate(now+2000, 0)
		}
	}
}

// TestReady: the next packet may go the time of the last one after that one began, at the present
// rate: a rate that rises shortens the wait.
func TestReady(t *testing.T) {
	c := configured(t, DCQCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	require.LessOrEqual(t, c.Ready(0, 0), sluice.Time(0), "the first goes at once")
	c.Notice(0, 0, cnp) // 20 Gb/s
	c.Notice(0, 0, cnp) // 10
	c.Sent(0, 0, 1000)
	require.Equal(t, 800*sluice.Nanosecond, c.Ready(1, 0))
	require.Equal(t, 55*us, c.Changes(0))
	for range 7 {
		c.Notice(0, 0, cnp)
	}
	require.Equal(t, 80*us, c.Ready(1, 0), "at 100 Mb/s, the least")
	require.Less(t, c.Ready(55*us, 0), 63*us, "the timer has ended")
}

// TestBurst: timely-pcn sends 64 kB at once, and then waits for as long as they take at its rate.
func TestBurst(t *testing.T) {
	c := configured(t, TimelyPCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	for k := range 64 {
		require.LessOrEqual(t, c.Ready(sluice.Time(k), 0), sluice.Time(k))
		c.Sent(sluice.Time(k), 0, 1000)
	}
	require.Equal(t, 12800*sluice.Nanosecond, c.Ready(64, 0))
	c.Sent(12800*sluice.Nanosecond, 0, 1000)
	require.LessOrEqual(t, c.Ready(13*us, 0), 13*us, "the second of the next")
}

func TestWindow(t *testing.T) {
	window := func(w sluice.Bytes, variable bool) *Control {
		return configured(t, DCQCN, "dcqcn.min-rate=1bps", func(c *Config) {
			c.Window, c.VariableWindow = w, variable
		})
	}
	for _, c := range []*Control{window(0, true), window(0, false)} {
		c.Start(0, 0, 40*sluice.Gbps)
		require.Equal(t, sluice.Bytes(math.MaxInt64), c.Window(0, 0))
	}
	c := window(63_625, false)
	c.Start(0, 0, 40*sluice.Gbps)
	c.Notice(0, 0, cnp)
	require.EqualValues(t, 63_625, c.Window(0, 0))
	for _, w := range []sluice.Bytes{63_625, MaxAmount} {
		c := window(w, true)
		c.Start(0, 0, 40*sluice.Gbps)
		require.Equal(t, w, c.Window(0, 0))
		c.Notice(0, 0, cnp)
		require.Equal(t, w/2, c.Window(0, 0))
		for range 100 {
			c.Notice(0, 0, cnp)
		}
		require.Equal(t, max(1, w/40_000_000_000), c.Window(0, 0), "at 1 b/s, at least a byte")
	}
}

// TestFixed: a flow with a rate of its own keeps it.
func TestFixed(t *testing.T) {
	for _, kind := range kinds {
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		c.StartFixed(0, 0, 5*sluice.Gbps)
		c.Notice(0, 0, Notice{Mark: sluice.CE, Feedback: 63})
		c.Ack(0, 0, &Sample{Acked: 1, Sent: 2, RTT: sluice.Second, Mark: sluice.CE, Telemetry: &INT{}})
		c.Sent(0, 0, 1<<40)
		require.Equal(t, 5*sluice.Gbps, c.Rate(sluice.Second, 0))
		require.Equal(t, sluice.Never, c.Changes(0))
	}
}

// TestLineRates: published constants are scaled to the rate of each flow's own network card.
func TestLineRates(t *testing.T) {
	c, err := New(defaults(t, DCQCN))
	require.NoError(t, err)
	for i, line := range []sluice.Rate{40 * sluice.Gbps, 100 * sluice.Gbps, 40 * sluice.Gbps} {
		c.Start(0, int32(i), line)
		require.Equal(t, line/1000, c.classes[c.flows[i].class].ai)
	}
	require.Len(t, c.classes, 2)
}

// TestEqualGradient: equal samples between the thresholds raise HPCC's TIMELY and leave PCN's as it
// is.
func TestEqualGradient(t *testing.T) {
	for _, kind := range []*Kind{Timely, TimelyPCN} {
		c := configured(t, kind, "timely-pcn.every=0")
		c.Start(0, 0, 100*sluice.Gbps)
		c.flows[0].rate = sluice.Gbps
		if k, ok := c.law.(*timelyPCN); ok {
			k.state[0].rate = 1e9
		}
		for k := range int32(2) {
			c.Ack(sluice.Second, 0, &Sample{Acked: k + 1, Sent: k + 1, RTT: 100 * us})
		}
		want := map[*Kind]sluice.Rate{Timely: 1100 * sluice.Mbps, TimelyPCN: sluice.Gbps}
		require.Equal(t, want[kind], c.Rate(0, 0))
	}
}

// TestTelemetry: five hops and no more; more, or none, are of no use.
func TestTelemetry(t *testing.T) {
	var telemetry INT
	for n := range int8(10) {
		require.Equal(t, min(n, MaxINTHops+1), telemetry.N)
		telemetry.Stamp(INTHop{Sent: sluice.Bytes(n)})
	}
	require.EqualValues(t, 4, telemetry.Hops[4].Sent)
	c, err := New(defaults(t, HPCC))
	require.NoError(t, err)
	c.Start(0, 0, sluice.Gbps)
	c.Ack(0, 0, &Sample{Acked: 1, Sent: 2, Telemetry: &telemetry})
	c.Ack(0, 0, &Sample{Acked: 1, Sent: 2})
	require.EqualValues(t, 2, c.Counters().Ignored)
	require.Zero(t, lawOf[*hpcc](c).state[0].lastUpdate)
}

// TestHostile: whatever comes, nothing panics and rates stay within their limits.
func TestHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := fmt.Sprintf("dcqcn.np=%s,hpcc.multi-rate=%v",
			rapid.SampledFrom([]string{"at-once", "interval"}).Draw(t, "np"),
			rapid.Bool().Draw(t, "multi-rate"))
		c := configured(t, rapid.SampledFrom(kinds).Draw(t, "kind"), set, func(c *Config) {
			c.Window, c.VariableWindow, c.BaseRTT = 50_000, true, 13*us
		})
		now := sluice.Time(0)
		index := rapid.Int32Range(-1, 3)
		hop := rapid.Custom(func(t *rapid.T) INTHop {
			return INTHop{
				sluice.Time(rapid.Int64().Draw(t, "time")), sluice.Bytes(rapid.Int64().Draw(t, "sent")),
				sluice.Bytes(rapid.Int64().Draw(t, "queue")), sluice.Rate(rapid.Int64().Draw(t, "rate")),
			}
		})
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) { now += sluice.Time(rapid.Int64Range(0, int64(100*us)).Draw(t, "d")) },
			"start": func(t *rapid.T) {
				lines := []sluice.Rate{-1, 0, 1, sluice.Gbps, 400 * sluice.Gbps, math.MaxInt64}
				c.Start(now, index.Draw(t, "i"), rapid.SampledFrom(lines).Draw(t, "line"))
			},
			"finish": func(t *rapid.T) { c.Finish(index.Draw(t, "i")) },
			"sent": func(t *rapid.T) {
				c.Sent(now, index.Draw(t, "i"), sluice.Bytes(rapid.Int32().Draw(t, "size")))
			},
			"arrive": func(t *rapid.T) {
				i, size := index.Draw(t, "i"), sluice.Bytes(rapid.Int64().Draw(t, "size"))
				c.Arrive(now, i, size, sluice.ECN(rapid.Byte().Draw(t, "ecn")))
			},
			"take": func(t *rapid.T) { c.TakeNotice(now, index.Draw(t, "i")) },
			"notice": func(t *rapid.T) {
				c.Notice(now, index.Draw(t, "i"), Notice{
					sluice.ECN(rapid.Byte().Draw(t, "mark")), rapid.Byte().Draw(t, "feedback"),
					rapid.Uint32().Draw(t, "recRate"),
				})
			},
			"ack": func(t *rapid.T) {
				s := Sample{
					Acked: rapid.Int32().Draw(t, "acked"), Sent: rapid.Int32().Draw(t, "sent"),
					RTT:  sluice.Time(rapid.Int64().Draw(t, "RTT")),
					Mark: sluice.ECN(rapid.Byte().Draw(t, "mark")),
				}
				if rapid.Bool().Draw(t, "telemetry") {
					s.Telemetry = &INT{N: int8(rapid.IntRange(-2, 7).Draw(t, "n"))}
					for i := range s.Telemetry.Hops {
						s.Telemetry.Hops[i] = hop.Draw(t, "hop")
					}
				}
				c.Ack(now, index.Draw(t, "i"), &s)
			},
			"": func(t *rapid.T) {
				for i := int32(-1); i < 4; i++ {
					rate := c.Rate(now, i)
					c.Ready(now, i)
					require.Positive(t, c.Window(now, i))
					if i < 0 || int(i) >= len(c.flows) || c.flows[i].rate == 0 {
						require.Zero(t, rate)
						continue
					}
					k := c.classes[c.flows[i].class]
					require.GreaterOrEqual(t, rate, max(1, k.least))
					require.LessOrEqual(t, rate, k.line)
				}
			},
		})
	})
}

// TestSizes: what a flow costs beyond the transport's state.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("of 64-bit platforms")
	}
	common := unsafe.Sizeof(flow{})
	require.EqualValues(t, 40, common)
	for name, size := range map[string]uintptr{
		"dcqcn": unsafe.Sizeof(dcqcnFlow{}), "dcqcn-hpcc": unsafe.Sizeof(dcqcnHPCCFlow{}),
		"timely": unsafe.Sizeof(timelyFlow{}), "hpcc": unsafe.Sizeof(hpccFlow{}),
		"qcn": unsafe.Sizeof(recovery{}), "dctcp": unsafe.Sizeof(dctcpFlow{}),
		"ibcc": unsafe.Sizeof(ibccFlow{}), "pcn": unsafe.Sizeof(pcnFlow{}),
		"hpcc with hpcc.multi-rate": unsafe.Sizeof(hpccFlow{}) + unsafe.Sizeof(hopRates{}),
	} {
		t.Logf("%s: %d bytes a flow", name, common+size)
		require.LessOrEqual(t, common+size, uintptr(300), name)
	}
}
