package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/prng"
)

// speedNetworks are fat-trees by the ports of their switches. The flows of each have 1 GiB in all,
// so that each is about as much work.
var speedNetworks = []struct{ k, hosts int }{{8, 128}, {12, 432}, {16, 1024}}

const speedBytes = sluice.GiB

// speed is the command "speed".
func (c command) speed(args []string) error {
	var o options
	if err := c.parse(&o, "speed", args); err != nil {
		return err
	}
	if len(o.protocols) == 0 {
		o.protocols = []string{"pfc"}
	}
	var subjects []*run.Subject
	for _, network := range speedNetworks {
		s, err := o.speedSubject(network.k, speedBytes/sluice.Bytes(network.hosts))
		if err != nil {
			return usageError{err}
		}
		subjects = append(subjects, s)
	}
	return c.profiled(&o, func() error {
		t := show.NewTable(
			1, "fc", "hosts", "transmissions", "wall s", "M/s", "ns each", "yardsticks", "to 128 hosts",
		)
		hit, with := yardstick(), ""
		if len(o.set) > 0 {
			with = "; with -set " + strings.Join(o.set, ",")
		}
		for _, fc := range o.protocols {
			smallest := 0.0
			for i, s := range subjects {
				best, err := fastest(s, fc, o.count)
				if err != nil {
					return err
				}
				if i == 0 {
					smallest = best.HopsPerSecond()
				}
				each := 1e9 / best.HopsPerSecond()
				t.Add(
					fc, show.Thousands(speedNetworks[i].hosts), show.Thousands(best.Result.PacketHops),
					fmt.Sprintf("%.2f", best.Result.Wall.Seconds()),
					fmt.Sprintf("%.2f", best.HopsPerSecond()/1e6), show.Significant(each),
					show.Significant(each/hit),
					fmt.Sprintf("%.2f", best.HopsPerSecond()/smallest),
				)
			}
		}
		_, err := io.WriteString(c.stdout,
			fmt.Sprintf("%s\n\nyardstick: %s ns for a hit in a Go map of 1,024 entries; fastest of %s%s\n",
				t.String(), show.Significant(hit), show.Plural(o.count, "run"), with))
		return err
	})
}

// speedSubject is the scenario "permutation" with long packets and an open window.
func (o *options) speedSubject(k int, bytes sluice.Bytes) (*run.Subject, error) {
	s, err := papers.All.Find("permutation")
	if err != nil {
		return nil, err
	}
	with := *o
	with.set = append(
		[]string{fmt.Sprintf("k=%d,payload=4096B,window=1GiB,flow.bytes=%d", k, bytes)}, o.set...,
	)
	with.seed = run.DefaultSeed
	subject, err := papers.All.Prepare(s, with.request())
	if err != nil {
		return nil, err
	}
	subject.SampleEvery = 0
	return subject, subject.Check(1)
}

// yardstick returns how many nanoseconds an operation takes that everybody knows, to set figures of
// other machines against: a hit in a Go map of 1,024 entries, keys in an order the processor cannot
// guess. The fastest of several tries counts.
func yardstick() float64 {
	const hits = 1 << 20
	m := newYardstickMap()
	best := time.Duration(1 << 62)
	sum := uint64(0)
	for range 10 {
		began := time.Now()
		for i := range hits {
			sum += m.hit(i)
		}
		best = min(best, time.Since(began))
	}
	if sum == 0 {
		panic("bench: nothing was found in the yardstick's map")
	}
	return float64(best.Nanoseconds()) / hits
}

type yardstickMap struct {
	entries map[uint64]uint64
	keys    [1024]uint64
}

func newYardstickMap() *yardstickMap {
	m := &yardstickMap{entries: make(map[uint64]uint64)}
	random := prng.New(1)
	for i := range m.keys {
		m.keys[i] = random.Uint64()
		m.entries[m.keys[i]] = uint64(i + 1)
	}
	return m
}

func (m *yardstickMap) hit(i int) uint64 { return m.entries[m.keys[i*7919%len(m.keys)]] }

// fastest returns the run of several that took least time.
func fastest(s *run.Subject, fc string, runs int) (best *run.Outcome, err error) {
	for range runs {
		o, err := s.Simulate(fc, false, nil)
		if err != nil {
			return nil, err
		}
		if best == nil || o.Result.Wall < best.Result.Wall {
			best = o
		}
	}
	return best, nil
}
