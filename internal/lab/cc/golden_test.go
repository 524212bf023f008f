package cc

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

const us = sluice.Microsecond

// configured returns a control with a list of assignments as a user writes them.
func configured(
	t require.TestingT, kind *Kind, assignments string, change ...func(*Config),
) *Control {
	config := Config{Kind: kind, Values: values(t, assignments)}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	require.NoError(t, err)
	return c
}

// values returns the constants of a list of assignments.
func values(t require.TestingT, assignments string) *params.Values {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	v, err := r.Parse(assignments)
	require.NoError(t, err)
	return v
}

// lawOf returns the law of a control.
func lawOf[L law](c *Control) L { return c.law.(L) }

// changed gives the law of a control other constants, before flows begin.
func changed[L law](t require.TestingT, c *Control, change func(L)) *Control {
	change(lawOf[L](c))
	require.NoError(t, c.law.prepare())
	return c
}

// isMbps requires that a rate is this many Mb/s to the last digit of the vector.
func isMbps(t testing.TB, want float64, got sluice.Rate, digits int, note ...any) {
	t.Helper()
	require.InDelta(t, want, float64(got)/1e6, 0.50001*math.Pow10(-digits), note...)
}

// point6 requires that a number is another to six digits after the point.
func point6(t testing.TB, want, got float64, note ...any) {
	t.Helper()
	require.InDelta(t, want, got, 0.50001e-6, note...)
}

// step is what dcqcn has at an instant, in microseconds and Mb/s.
type step struct {
	at                  sluice.Time
	alpha, target, rate float64
}

func (c *Control) requireSteps(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		isMbps(t, s.rate, c.Rate(s.at*us, 0), 3, "rate at %d us", s.at)
		d := &lawOf[*dcqcn](c).state[0]
		d.decay(s.at*us, lawOf[*dcqcn](c))
		isMbps(t, s.target, d.target, 3, "target at %d us", s.at)
		point6(t, s.alpha, d.alpha, "alpha at %d us", s.at)
	}
}

var cnp = Notice{Mark: sluice.CE}

// TestDCQCN: SIGCOMM 2015, section 3.1, reaction point: a CNP cuts R_C by alpha, raises alpha, and
// keeps the old R_C as R_T, to which the rate recovers. CNPs at 0, 50 and 100 us, then none.
func TestDCQCN(t *testing.T) {
	c := configured(t, DCQCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	for k, s := range []step{{0, 1, 40000, 20000}, {50, 1, 20000, 10000}, {100, 1, 10000, 5000}} {
		c.Notice(sluice.Time(k)*50*us, 0, cnp)
		c.requireSteps(t, []step{s})
	}
	c.requireSteps(t, []step{
		{155, .996094, 10000, 7500}, {210, .992203, 10000, 8750}, {265, .988327, 10000, 9375},
		{320, .984466, 10000, 9687.5}, {375, .980621, 10040, 9863.75}, {430, .976790, 10080, 9971.875},
		{485, .972975, 10120, 10045.9375}, {540, .969174, 10160, 10102.96875},
	})
}

// TestDCQCNOfPublicCode: alpha starts at one half and is raised before the cut. UE at 150 us: the
// rate is held.
func TestDCQCNOfPublicCode(t *testing.T) {
	c := configured(t, DCQCNTCD, "dcqcn.alpha0=0.5,dcqcn.order=update-first")
	c.Start(0, 0, 40*sluice.Gbps)
	for k, s := range []step{
		{0, .501953, 40000, 29960.938}, {50, .503899, 29960.938, 22412.300},
		{100, .505837, 22412.300, 16743.820},
	} {
		c.Notice(sluice.Time(k)*50*us, 0, cnp)
		c.requireSteps(t, []step{s})
	}
	c.Notice(150*us, 0, Notice{Mark: sluice.UE})
	c.requireSteps(t, []step{
		{150, .505837, 16743.820, 16743.820}, {205, .503861, 16743.820, 16743.820},
		{260, .501892, 16743.820, 16743.820}, {315, .499932, 16743.820, 16743.820},
	})
}

// byteEvent ends the byte counter of flow 0 at an instant.
func (c *Control) byteEvent(now sluice.Time, r *recovery) {
	k, ok := c.law.(*dcqcn)
	if !ok {
		c.countBytes(now, 0, r, &lawOf[*qcn](c).recovery, r.left+1)
		return
	}
	c.countBytes(now, 0, r, &k.recovery, r.left+1)
}

// TestDCQCNIncreases: events of the byte counter and of the timer from target 10,000, rate 5,000
// on.
func TestDCQCNIncreases(t *testing.T) {
	c := configured(t, DCQCN, "dcqcn.halve-in-hyper=off")
	c.Start(0, 0, 40*sluice.Gbps)
	for range 3 {
		c.Notice(0, 0, cnp)
	}
	d := &lawOf[*dcqcn](c).state[0]
	now := sluice.Time(0)
	targets := []float64{
		10000, 10000, 10000, 10000, 10040, 10080, 10120, 10160, 10200, 10400, 10600, 11000, 11400,
	}
	for k, want := range []float64{
		7500, 8750, 9375, 9687.5, 9863.75, 9971.875, 10045.9375, 10102.96875, 10151.484375, 10275.742,
		10437.871, 10718.936, 11059.468,
	} {
		if "BBBBBTTTTTTBT"[k] == 'B' {
			c.byteEvent(now, &d.recovery)
		} else {
			now += 55 * us
		}
		isMbps(t, want, c.Rate(now, 0), 3, "event %d", k)
		isMbps(t, targets[k], d.target, 3, "event %d", k)
	}

	d.recovery.restart(now, &lawOf[*dcqcn](c).recovery)
	d.target, c.flows[0].rate = 20000*sluice.Mbps, 1500*sluice.Mbps
	c.byteEvent(now, &d.recovery)
	isMbps(t, 2500, d.target, 3)
	isMbps(t, 2000, c.Rate(now, 0), 3)
}

// TestHyperIncreaseBegins: with timer and counter at F both, as in public code, or past it: "if
// Min(T, BC) > F". Target 10,000 and rate 5,000; the first step is R_HAI in both.
func TestHyperIncreaseBegins(t *testing.T) {
	for hyper, want := range map[string][]float64{
		"from-f": {10000, 10040, 10080, 10280, 10480, 10880},
		"past-f": {10000, 10040, 10080, 10120, 10160, 10360},
	} {
		c := configured(t, DCQCN, "dcqcn.halve-in-hyper=off,dcqcn.fast-recovery=2,dcqcn.hyper="+hyper)
		c.Start(0, 0, 40*sluice.Gbps)
		for range 3 {
			c.Notice(0, 0, cnp)
		}
		d := &lawOf[*dcqcn](c).state[0]
		now := sluice.Time(0)
		for k, event := range "BBTTTB" {
			if event == 'B' {
				c.byteEvent(now, &d.recovery)
			} else {
				now += 55 * us
				c.Rate(now, 0)
			}
			isMbps(t, want[k], d.target, 3, "%s, event %d", hyper, k)
		}
	}
}

// TestDCQCNHPCC: marks at 0, 10, 60, 61 and 120 us; cuts one nanosecond after 50, 100 and 150.
func TestDCQCNHPCC(t *testing.T) {
	c := configured(t, DCQCNHPCC, "dcqcn-hpcc.alpha-timer=50us,dcqcn-hpcc.decrease-timer=50us,"+
		"dcqcn-hpcc.increase-timer=55us")
	c.Start(0, 0, 100*sluice.Gbps)
	require.Equal(t, []sluice.Rate{20 * sluice.Mbps, 200 * sluice.Mbps, sluice.Gbps},
		[]sluice.Rate{c.classes[0].ai, c.classes[0].hai, c.classes[0].least})
	mark := &Sample{Mark: sluice.CE}
	marks := []sluice.Time{0, 10, 60, 61, 120}
	d := &lawOf[*dcqcnHPCC](c).state[0]
	for _, s := range []struct {
		ns   sluice.Time
		rate float64
	}{
		{50_000, 100000}, {50_001, 50000}, {100_000, 50000}, {100_001, 25000}, {150_000, 25000},
		{150_001, 12500}, {205_000, 12500}, {205_001, 56250}, {260_001, 78125}, {315_001, 89062.5},
		{370_001, 94531.25},
	} {
		now := s.ns * sluice.Nanosecond
		for len(marks) > 0 && marks[0]*us < now {
			c.Ack(marks[0]*us, 0, mark)
			marks = marks[1:]
		}
		isMbps(t, s.rate, c.Rate(now, 0), 4, "at %d ns", s.ns)
		isMbps(t, 100000, d.target, 4)
		if s.ns == 205_000 {
			d.decay(now, lawOf[*dcqcnHPCC](c))
			point6(t, .996094, d.alpha)
		}
	}
}

// TestTimely: HPCC's version at 100 Gb/s.
func TestTimely(t *testing.T) {
	c := configured(t, Timely, "")
	c.Start(0, 0, 100*sluice.Gbps)
	require.Equal(t, 100*sluice.Mbps, c.classes[0].ai)
	require.Equal(t, 500*sluice.Mbps, c.classes[0].hai)
	want := []float64{
		100000, 100000, 45312.5, 10496.2158, 10596.2158, 10696.2158, 10796.2158, 10896.2158, 10996.2158,
		9530.0537, 9630.0537, 9730.0537,
	}
	for k, rtt := range []sluice.Time{40, 45, 60, 80, 75, 70, 66, 63, 61, 600, 48, 47} {
		c.Ack(0, 0, &Sample{Acked: int32(k + 1), Sent: int32(k + 1), RTT: rtt * us})
		isMbps(t, want[k], c.Rate(0, 0), 4, "RTT %d us", rtt)
		c.Ack(0, 0, &Sample{Acked: int32(k + 1), Sent: int32(k + 1), RTT: sluice.Second})
		isMbps(t, want[k], c.Rate(0, 0), 4, "not a round trip later")
	}
}

// TestTimelyPCN: PCN's version at 40 Gb/s.
func TestTimelyPCN(t *testing.T) {
	for _, every := range []int{1, 64} {
		c := configured(t, TimelyPCN, fmt.Sprintf("timely-pcn.every=%d", every))
		c.Start(0, 0, 40*sluice.Gbps)
		require.Equal(t, 40*sluice.Mbps, c.classes[0].ai)
		require.Equal(t, 200*sluice.Mbps, c.classes[0].hai)
		now := sluice.Time(0)
		for _, s := range []struct {
			rtt, since sluice.Time
			want       float64
		}{
			{35, 0, 40000}, {40, 13, 40000}, {60, 13, 39468.8}, {120, 15, 37692.1356}, {200, 20, 34421.1828},
			{190, 30, 31677.4073}, {180, 40, 29371.7907}, {170, 40, 27433.3923}, {160, 40, 25805.4398},
			{150, 40, 24442.3493}, {140, 40, 23307.4406}, {700, 40, 17980.0256}, {45, 40, 18020.0256},
		} {
			now += s.since * us
			for k := range every {
				rtt := s.rtt * us
				if k != every-1 {
					rtt = sluice.Second // not a sample
				}
				c.Ack(now, 0, &Sample{RTT: rtt})
			}
			isMbps(t, s.want, c.Rate(now, 0), 4, "RTT %d us", s.rtt)
		}
	}
}

// TestHPCC: one hop of 100 Gb/s, T 13 us, W 162,500 B.
func TestHPCC(t *testing.T) {
	rates := map[string][]float64{
		"0": {95040, 46989.76, 40513.9310, 23866.0499, 23657.4452, 26795.4440, 34511.2222},
		"5": {95040, 46989.76, 40513.9310, 23866.0499, 23657.4452, 23697.4452, 23737.4452},
	}
	for stages, want := range rates {
		for _, multi := range []string{"off", "on"} {
			c := configured(t, HPCC, "hpcc.max-stage="+stages+",hpcc.multi-rate="+multi,
				func(c *Config) { c.BaseRTT = 13 * us })
			c.Start(0, 0, 100*sluice.Gbps)
			require.Equal(t, 1e11/162_500, lawOf[*hpcc](c).drain[0])
			require.Equal(t, 40*sluice.Mbps, c.classes[0].ai)
			require.Equal(t, sluice.Gbps, c.classes[0].least)
			utilisation := []float64{1, 1.923077, 2.230769, 1.615385, .96, .84, .738462}
			sent := int32(1)
			for k, s := range []struct {
				ns, sent, queue int64
				full            bool
			}{
				{0, 0, 0, true}, {13000, 162500, 325000, true}, {19500, 243750, 300000, false},
				{26000, 325000, 250000, true}, {39000, 487500, 100000, true}, {52000, 643500, 0, true},
				{65000, 780000, 0, true}, {78000, 900000, 0, true},
			} {
				var telemetry INT
				telemetry.Stamp(INTHop{
					Time: sluice.Time(s.ns) * sluice.Nanosecond, Sent: sluice.Bytes(s.sent),
					Queue: sluice.Bytes(s.queue), Rate: 100 * sluice.Gbps,
				})
				sample := Sample{Acked: sent, Sent: sent + 1, Telemetry: &telemetry}
				if !s.full {
					sample.Acked--
				}
				c.Ack(0, 0, &sample)
				if s.full {
					sent = sample.Sent + 1
				}
				if k == 0 {
					isMbps(t, 100000, c.Rate(0, 0), 4, "the first only stores")
					continue
				}
				u := lawOf[*hpcc](c).state[0].u
				if multi == "on" {
					u = lawOf[*hpcc](c).hops[0].u[0]
				}
				point6(t, utilisation[k-1], u)
				isMbps(t, want[k-1], c.Rate(0, 0), 4, "max-stage %s, sample %d", stages, k)
			}
		}
	}
}

// TestDCTCP: batches of 100 packets, and the packets marked in each; one acknowledgement stands for
// the batch that it ends. SIGCOMM 2010, section 3.1: alpha estimates the share of packets that are
// marked, and changes once per window.
func TestDCTCP(t *testing.T) {
	c := configured(t, DCTCP, "")
	c.Start(0, 0, 100*sluice.Gbps)
	d := &lawOf[*dctcp](c).state[0]
	alpha := []float64{1, .968750, .923828, .866089, .811958, .767461}
	rates := []float64{50000, 25781.25, 13872.5281, 14487.5281, 15102.5281, 9307.2280}
	sent := int32(100)
	for k, marked := range []int32{100, 50, 25, 0, 0, 10} {
		sample := Sample{Acked: sent + 1, Sent: sent + 100}
		d.lastUpdate, d.batch, d.marked = sent, 100, marked
		if marked > 0 {
			d.marked--
			sample.Mark = sluice.CE
		}
		sent = sample.Sent
		c.Ack(0, 0, &sample)
		point6(t, alpha[k], d.alpha, "batch %d", k)
		isMbps(t, rates[k], c.Rate(0, 0), 4, "batch %d", k)
		require.Equal(t, sample.Sent, d.lastUpdate)
		require.EqualValues(t, sample.Sent-sample.Acked+1, d.batch)
	}
}

// TestTimelyTCD: the vector of TestTimely up to 60 us, whose decreases need a packet that is marked
// CE, and whose increases a packet that is not marked UE; the strongest mark of a round trip
// counts.
func TestTimelyTCD(t *testing.T) {
	c := configured(t, TimelyTCD, "")
	c.Start(0, 0, 100*sluice.Gbps)
	n := int32(0)
	for k, s := range []struct {
		rtt  sluice.Time
		mark sluice.ECN
		want float64
	}{
		{40, sluice.NotECT, 100000}, {45, sluice.NotECT, 100000},
		{60, sluice.CE, 45312.5 + 0}, {80, sluice.UE, 45312.5}, {120, sluice.NotECT, 45312.5},
		{700, sluice.UE, 45312.5}, {48, sluice.UE, 45312.5}, {47, sluice.NotECT, 45412.5},
		{46, sluice.CE, 45512.5}, {600, sluice.CE, 39444.1667},
	} {
		n++
		// An earlier acknowledgement of the round trip has the mark, the acknowledgement that ends it
		// none.
		last := lawOf[*timely](c).state[0].lastUpdate
		c.Ack(0, 0, &Sample{Acked: last, Sent: n, RTT: sluice.Second, Mark: s.mark})
		c.Ack(0, 0, &Sample{Acked: n, Sent: n, RTT: s.rtt * us})
		isMbps(t, s.want, c.Rate(0, 0), 4, "sample %d", k)
	}
}

// defaults returns the configuration of a kind at its defaults.
func defaults(_ require.TestingT, kind *Kind) Config {
	return Config{Kind: kind, BaseRTT: 13 * us, Packet: 1048, Seed: 1}
}
