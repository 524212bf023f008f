package pfc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// slowerWays are settings that send every packet a slower way than the common one, and ask for no
// other decision: watermarks, a rule that changes no class, rules that limit nothing.
var slowerWays = []func(*Config){
	func(c *Config) { c.Watermarks = true },
	func(c *Config) { c.Retag = []Retag{{AnyPort, 0, AnyPort, 0}} },
	func(c *Config) { c.EgressPools = []sluice.Bytes{1} },
}

// twins are switches of such settings, the first without any, which get the same inputs.
type twins struct {
	*testing.T
	switches []*Switch
	random   *rand.Rand
	now      sluice.Time
	fifo     map[[2]int][]sluice.Packet
}

func newTwins(t *testing.T, config Config) *twins {
	w := &twins{T: t, random: rand.New(rand.NewPCG(1, 2)), fifo: map[[2]int][]sluice.Packet{}}
	for _, change := range append([]func(*Config){func(*Config) {}}, slowerWays...) {
		c := config
		change(&c)
		s, err := New(c)
		require.NoError(t, err)
		w.switches = append(w.switches, s)
	}
	return w
}

// each calls a hook of every switch; the answers must be the same.
func each[T comparable](w *twins, hook func(*Switch) T) T {
	w.Helper()
	want := hook(w.switches[0])
	for i, s := range w.switches[1:] {
		if got := hook(s); got != want {
			w.Fatalf("setting %d: %v, without it %v", i, got, want)
		}
	}
	return want
}

func (w *twins) port() sluice.PortID { return sluice.PortID(w.random.IntN(3)) }

func (w *twins) enqueue() {
	out, p := w.port(), sluice.Packet{
		Size:    []sluice.Bytes{1, 1, 64, 999, 1000, 1500, 0}[w.random.IntN(7)],
		Class:   []sluice.Class{0, 3, 4, 4, 8}[w.random.IntN(5)],
		Ingress: []sluice.PortID{0, 1, 2, 3, sluice.Local}[w.random.IntN(5)],
		ECN:     sluice.ECN(w.random.IntN(4)),
	}
	v := each(w, func(s *Switch) sluice.Verdict {
		offered := p
		return s.Port(out).Enqueue(w.now, &offered)
	})
	if v.Action() == sluice.Append {
		at := [2]int{int(out), int(v.Queue())}
		w.fifo[at] = append(w.fifo[at], p)
	}
}

// send sends the next packet of a port, or now and then asks for one that cannot be there.
func (w *twins) send() {
	type next struct {
		q  sluice.QueueID
		ok bool
	}
	out := w.port()
	n := each(w, func(s *Switch) next {
		q, ok := s.Port(out).Next(w.now)
		return next{q, ok}
	})
	at := [2]int{int(out), int(n.q)}
	if !n.ok {
		return
	}
	p := w.fifo[at][0]
	switch w.random.IntN(30) {
	case 0:
		p.Size += 1 << 20
	case 1:
		p.Size = 0
	case 2:
		p.Class = 5
	case 3:
		p.Ingress = 3
	case 4:
		n.q = 8
	default:
		w.fifo[at] = w.fifo[at][1:]
	}
	each(w, func(s *Switch) sluice.Verdict { return s.Port(out).Dequeue(w.now, n.q, &p) })
}

// step calls a hook; sends says how often of ten times it is Dequeue.
func (w *twins) step(sends int) {
	switch at := w.port(); w.random.IntN(20) {
	case 0:
		f := pauseOf(sluice.Quanta(w.random.IntN(3)), 0, 3, 4)
		each(w, func(s *Switch) sluice.Wake { return s.Port(at).Receive(w.now, &f) })
	case 1:
		w.now += sluice.Time(w.random.IntN(10_000))
		each(w, func(s *Switch) sluice.Wake { return s.Expire(w.now) })
	case 2:
		if w.random.IntN(10) == 0 {
			each(w, func(s *Switch) sluice.Wake { return s.Port(at).LinkDown(w.now) })
			w.send()
			each(w, func(s *Switch) sluice.Wake { return s.Port(at).LinkUp(w.now) })
		}
	default:
		if w.random.IntN(10) < sends {
			w.send()
		} else {
			w.enqueue()
		}
	}
}

// compare compares what can be seen. Watermarks of pools and of shared parts are counted only where
// Config.Watermarks says so, and local packets by queue only where there are rules.
func (w *twins) compare() {
	for id := range sluice.PortID(3) {
		each(w, func(s *Switch) Frame {
			var f Frame
			s.Port(id).PollFrame(w.now, &f)
			return f
		})
		each(w, func(s *Switch) PortCounters {
			c := s.Port(id).Counters()
			for class := range c.Class {
				if shared := &c.Class[class].SharedPeak; s.config.Watermarks {
					*shared = 0
				}
			}
			return c
		})
		each(w, func(s *Switch) PortSnapshot {
			snapshot := s.Port(id).Snapshot()
			for class := range snapshot.Class {
				snapshot.Class[class].Local = 0
			}
			return snapshot
		})
	}
	each(w, func(s *Switch) [4]sluice.Bytes {
		require.NoError(w, s.Audit())
		return [4]sluice.Bytes{s.Buffered(), s.FreeOf(0), s.FreeOf(1), s.FreeHeadroom()}
	})
	each(w, (*Switch).Deadline)
}

// TestSlowerWays: what sends packets a slower way changes no verdict, no counter and nothing else
// that can be seen, whether packets are marked, scheduled, misused or find the buffer full.
func TestSlowerWays(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"plain":         func(*Config) {},
		"headroom pool": func(c *Config) { c.HeadroomPool = 4000 },
		"overcommitted": func(c *Config) { c.ReservedClasses, c.LossyPool = 1, 1 },
		"marked": func(c *Config) {
			for _, class := range []int{0, 3, 4} {
				c.Ports[0].ECN[class] = sluice.Marking{KMin: 500, KMax: 4000, PMax: ratio(1, 2)}
			}
		},
		"groups": func(c *Config) { c.Groups = []Group{{Classes: 0x1f}, {Classes: 0xe0}} },
	} {
		t.Run(name, func(t *testing.T) {
			config := Config{Classes: sluice.MakeClassSet(3, 4), Pools: []sluice.Bytes{12_000}}
			for range 3 {
				p := PortConfig{Link: sluice.Link{Rate: g100}, LossyReserve: 300}
				p.Profile = Profile{XOff: 4000, XOn: 2000, Reserve: 1000, Headroom: 3000}
				p.Profiles[4] = &Profile{
					Alpha: ratio(1, 2), ResumeOffset: 500, Reserve: 500, Headroom: 3000, Pool: 1,
				}
				config.Ports = append(config.Ports, p)
			}
			change(&config)
			config.Buffer = config.SetApart() + 9000
			w := newTwins(t, config)
			for i := range 2000 {
				w.step(2 + i/100%2*5) // the buffer fills, and empties
				if i%10 == 0 {
					w.compare()
				}
			}
			require.NotZero(t, w.switches[0].Counters().Misuse)
			c := w.switches[0].Counters()
			require.NotZero(t, c.Class[4].XOns)
			require.Zero(t, c.PoolPeak, "Config.Watermarks is off")
			require.Zero(t, c.Class[3].SharedPeak)
		})
	}
}
