package cc

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/params"
)

func TestKinds(t *testing.T) {
	for kind := range numKinds {
		require.Equal(t, Names[kind], kind.String())
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		require.Equal(t, kind, c.Kind())
		c.Start(0, 0, 40*sluice.Gbps)
		require.Equal(t, 40*sluice.Gbps, c.Rate(0, 0), "a flow begins at line rate")
		require.Equal(t, sluice.Never, c.Changes(0))
		require.Equal(t, kind == None, kind.Signals() == 0)
	}
	require.Equal(t, "Kind(8)", numKinds.String())
	require.Zero(t, numKinds.Signals())
}

// TestConfigRules: each rule refuses what breaks it, by name.
func TestConfigRules(t *testing.T) {
	zero, two := sluice.Ratio{Num: 0, Den: 1}, sluice.Ratio{Num: 2, Den: 1}
	for _, test := range []struct {
		kind   Kind
		field  string
		change func(*Config)
	}{
		{None, "Kind", func(c *Config) { c.Kind = numKinds }},
		{None, "Window", func(c *Config) { c.Window = -1 }},
		{None, "BaseRTT", func(c *Config) { c.BaseRTT = -1 }},
		{None, "Packet", func(c *Config) { c.Packet = -1 }},
		{HPCC, "BaseRTT", func(c *Config) { c.BaseRTT = 0 }},
		{DCQCN, "DCQCN.G", func(c *Config) { c.DCQCN.G = zero }},
		{DCQCN, "DCQCN.Alpha0", func(c *Config) { c.DCQCN.Alpha0 = two }},
		{DCQCN, "DCQCN.AlphaTimer", func(c *Config) { c.DCQCN.AlphaTimer = 0 }},
		{DCQCN, "DCQCN.RateTimer", func(c *Config) { c.DCQCN.RateTimer = MaxSpan + 1 }},
		{DCQCN, "DCQCN.ByteCounter", func(c *Config) { c.DCQCN.ByteCounter = 0 }},
		{DCQCN, "DCQCN.FastRecovery", func(c *Config) { c.DCQCN.FastRecovery = -1 }},
		{DCQCN, "DCQCN.AI", func(c *Config) { c.DCQCN.AI = -1 }},
		{DCQCN, "DCQCN.HAI", func(c *Config) { c.DCQCN.HAI = MaxRate + 1 }},
		{DCQCN, "DCQCN.MinRate", func(c *Config) { c.DCQCN.MinRate = -1 }},
		{DCQCN, "DCQCN.NoticeSpacing", func(c *Config) { c.DCQCN.NoticeSpacing = 0 }},
		{DCQCNHPCC, "DCQCNHPCC.DecreaseTimer", func(c *Config) { c.DCQCNHPCC.DecreaseTimer = 0 }},
		{DCQCNHPCC, "DCQCNHPCC.FirstRate", func(c *Config) { c.DCQCNHPCC.FirstRate = zero }},
		{Timely, "Timely.High", func(c *Config) { c.Timely.High = c.Timely.Low - 1 }},
		{Timely, "Timely.MinRTT", func(c *Config) { c.Timely.MinRTT = 0 }},
		{TimelyPCN, "TimelyPCN.Every", func(c *Config) { c.TimelyPCN.Every = -1 }},
		{TimelyPCN, "TimelyPCN.Burst", func(c *Config) { c.TimelyPCN.Burst = -1 }},
		{HPCC, "HPCC.Eta", func(c *Config) { c.HPCC.Eta = two }},
		{HPCC, "HPCC.INTUnit", func(c *Config) { c.HPCC.INTUnit = -1 }},
		{QCN, "QCN.Jitter", func(c *Config) { c.QCN.Jitter = sluice.Ratio{Num: 1, Den: 1} }},
		{DCTCP, "DCTCP.G", func(c *Config) { c.DCTCP.G = sluice.Ratio{} }},
	} {
		config := defaults(t, test.kind)
		test.change(&config)
		_, err := New(config)
		var e *sluice.ConfigError
		require.True(t, errors.As(err, &e), test.field)
		require.Equal(t, test.field, e.Field)
	}
	for field, change := range map[string]func(*PointConfig){
		"QCN.Point.Setpoint": func(c *PointConfig) { c.Setpoint = 0 },
		"QCN.Point.Weight":   func(c *PointConfig) { c.Weight.Num = 65 },
		"QCN.Point.Base":     func(c *PointConfig) { c.Base = 0 },
		"QCN.Point.Jitter":   func(c *PointConfig) { c.Jitter.Num = c.Jitter.Den },
	} {
		config := defaults(t, QCN).QCN.Point
		change(&config)
		_, err := NewCongestionPoint(config, 0)
		var e *sluice.ConfigError
		require.True(t, errors.As(err, &e), field)
		require.Equal(t, field, e.Field)
	}
}

// TestParameters: every parameter changes the configuration of its kind and of no other, and is
// within what New accepts.
func TestParameters(t *testing.T) {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	for _, d := range r.Definitions() {
		value := map[params.Kind]string{
			params.Rational: "1/3", params.Time: "777us", params.Bytes: "777B", params.Rate: "777Mbps",
			params.Int: "7", params.Bool: map[string]string{"on": "off", "off": "on"}[d.Default],
		}[d.Kind]
		if d.Kind == params.Choice {
			value = d.Choices[len(d.Choices)-1]
		}
		if d.Name == "timely.tlow" || d.Name == "timely-pcn.tlow" {
			value = "7us"
		}
		v, err := r.Parse(d.Name + "=" + value)
		require.NoError(t, err)
		for kind := range numKinds {
			section, _, _ := strings.Cut(d.Name, ".")
			config := Configure(kind, v)
			config.BaseRTT, config.Packet, config.Seed = 13*us, 1048, 1
			same := reflect.DeepEqual(defaults(t, kind), config)
			require.Equal(t, kind.String() != section, same, "%s under %v", d.Name, kind)
			_, err := New(config)
			require.NoError(t, err, d.Name)
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
	for kind := range numKinds {
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
	for _, kind := range []Kind{Timely, TimelyPCN} {
		config := defaults(t, kind)
		config.TimelyPCN.Every = 0
		c, err := New(config)
		require.NoError(t, err)
		c.Start(0, 0, 100*sluice.Gbps)
		c.flows[0].rate, c.timely[0].rate = sluice.Gbps, 1e9
		for k := range int32(2) {
			c.Ack(sluice.Second, 0, &Sample{Acked: k + 1, Sent: k + 1, RTT: 100 * us})
		}
		want := map[Kind]sluice.Rate{Timely: 1100 * sluice.Mbps, TimelyPCN: sluice.Gbps}
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
	require.Zero(t, c.hpcc[0].lastUpdate)
}

// TestHostile: whatever comes, nothing panics and rates stay within their limits.
func TestHostile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := defaults(t, Kind(rapid.IntRange(0, int(numKinds)-1).Draw(t, "kind")))
		config.Window, config.VariableWindow = 50_000, true
		config.DCQCN.NoticeWindow = rapid.Bool().Draw(t, "interval")
		config.HPCC.MultiRate = rapid.Bool().Draw(t, "multi-rate")
		c, err := New(config)
		require.NoError(t, err)
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
				c.Arrive(now, index.Draw(t, "i"), sluice.ECN(rapid.Byte().Draw(t, "ecn")))
			},
			"take": func(t *rapid.T) { c.TakeNotice(now, index.Draw(t, "i")) },
			"notice": func(t *rapid.T) {
				c.Notice(now, index.Draw(t, "i"), Notice{
					sluice.ECN(rapid.Byte().Draw(t, "mark")), rapid.Byte().Draw(t, "feedback"),
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
		"hpcc with hpcc.multi-rate": unsafe.Sizeof(hpccFlow{}) + unsafe.Sizeof(hopRates{}),
	} {
		t.Logf("%s: %d bytes a flow", name, common+size)
		require.LessOrEqual(t, common+size, uintptr(300), name)
	}
}
