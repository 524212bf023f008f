package cc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// exchange is what one data packet costs a flow: the rate is read, the packet sent, its arrival and
// its acknowledgement taken, one in 20 with a mark, and one in 200 a notice.
type exchange struct {
	c         *Control
	now       sluice.Time
	n         int
	telemetry INT
	sample    Sample
}

func newExchange(tb testing.TB, kind *Kind) *exchange {
	c := configured(tb, kind, "timely-pcn.every=1", func(c *Config) {
		*c = Config{
			Kind: kind, Values: c.Values, BaseRTT: 13 * us, Packet: 1048, Seed: 1,
			Window: 150_000, VariableWindow: true,
		}
	})
	e := &exchange{c: c}
	for range 3 {
		e.telemetry.Stamp(INTHop{Rate: 100 * sluice.Gbps})
	}
	e.start()
	return e
}

func (e *exchange) start() {
	for i := range int32(16) {
		e.c.Start(e.now, i, 100*sluice.Gbps)
	}
}

// prepare makes the next acknowledgement.
func (e *exchange) prepare() int32 {
	e.n++
	e.now += 84 * sluice.Nanosecond
	for h := range e.telemetry.N {
		hop := &e.telemetry.Hops[h]
		hop.Time = e.now
		hop.Sent += 1048
		hop.Queue = sluice.Bytes(e.n%100) * 1048
	}
	e.sample = Sample{
		Acked: int32(e.n/16 + 1), Sent: int32(e.n/16 + 100), RTT: 40*us + sluice.Time(e.n%50)*us,
		Telemetry: &e.telemetry,
	}
	if e.n%20 == 0 {
		e.sample.Mark = sluice.CE
	}
	return int32(e.n & 15)
}

func (e *exchange) packet() {
	i := e.prepare()
	e.c.Sent(e.now, i, 1048)
	a := e.c.Arrive(e.now, i, 1048, e.sample.Mark)
	if e.c.NoticeDue(i) <= e.now {
		a.Notice, _ = e.c.TakeNotice(e.now, i)
	}
	if e.n%200 == 0 || a.Notice != (Notice{}) {
		e.c.Notice(e.now, i, Notice{Mark: sluice.CE, Feedback: 7, RecRate: 6000})
	}
	e.c.Ack(e.now, i, &e.sample)
	e.c.Ready(e.now, i)
	e.c.Window(e.now, i)
}

// TestZeroAlloc: packets, acknowledgements, notices and timers, and flows at indexes that were used
// before.
func TestZeroAlloc(t *testing.T) {
	for _, kind := range kinds {
		e := newExchange(t, kind)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for range 1000 {
				e.packet()
			}
			e.start()
		}), "%v", kind)
	}
	p, err := configured(t, QCN, "").CongestionPoint(1)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(1000, func() { p.Arrive(1048, 60_000) }))
}

// BenchmarkAck: one acknowledgement. The baseline is the cost of making it.
func BenchmarkAck(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.String(), func(b *testing.B) {
			e := newExchange(b, kind)
			b.ReportAllocs()
			for range b.N {
				i := e.prepare()
				e.c.Ack(e.now, i, &e.sample)
			}
		})
	}
	b.Run("baseline", func(b *testing.B) {
		e := newExchange(b, None)
		for range b.N {
			e.prepare()
		}
	})
}

// BenchmarkNotice: a notice of congestion, or of none.
func BenchmarkNotice(b *testing.B) {
	for _, kind := range []*Kind{DCQCN, DCQCNTCD, QCN, IBCC, IBCCTCD, PCN} {
		b.Run(kind.String(), func(b *testing.B) {
			e := newExchange(b, kind)
			b.ReportAllocs()
			for n := range b.N {
				e.now += us
				notice := Notice{Mark: sluice.CE, Feedback: 7, RecRate: 6000}
				if n%3 > 0 && kind == PCN {
					notice.Mark = sluice.NotECT
				}
				e.c.Notice(e.now, int32(n&15), notice)
			}
		})
	}
}

// BenchmarkPacket: all that a packet costs.
func BenchmarkPacket(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.String(), func(b *testing.B) {
			e := newExchange(b, kind)
			b.ReportAllocs()
			for range b.N {
				e.packet()
			}
		})
	}
}
