package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/prng"
)

// speedNetworks are fat-trees by the ports of their switches. The flows of each have 1 GiB in all,
// so that each is about as much work; in the smallest and with -scale they are shorter.
var speedNetworks = []struct{ k, hosts int }{
	{4, 16}, {8, 128}, {12, 432}, {16, 1024}, {24, 3456}, {36, 11_664}, {48, 27_648},
}

const (
	firstSpeed = 1 // first network that is run
	lastSpeed  = 3 // last network that is run without -scale
)

const speedBytes = sluice.GiB

func (c command) speed(o *options) error {
	if len(o.protocols) == 0 {
		o.protocols = []string{"pfc"}
	}
	networks := speedNetworks[firstSpeed : lastSpeed+1]
	switch {
	case o.scale:
		networks = speedNetworks[firstSpeed:]
	case len(o.counts) > 0:
		networks = speedNetworks[:lastSpeed+1]
	}
	if len(o.counts) == 0 {
		o.counts = []int{1}
	}
	if o.model {
		return c.speedModel(o)
	}
	return c.profiled(o, func() error {
		t := show.NewTable(1, speedColumns...)
		hit, with := yardstick(), ""
		if len(o.set) > 0 {
			with = "; with -set " + strings.Join(o.set, ",")
		}
		for _, fc := range o.protocols {
			for _, network := range networks {
				began := time.Now()
				s, err := o.speedSubject(network.k, speedBytes/sluice.Bytes(network.hosts))
				if err != nil {
					return usageError{err}
				}
				if err = o.addSpeed(t, s, fc, network.hosts, hit, time.Since(began)); err != nil {
					return err
				}
			}
		}
		_, err := io.WriteString(c.stdout,
			fmt.Sprintf("%s\n\nyardstick: %s ns for a hit in a Go map of 1,024 entries; fastest of %s%s\n",
				t.String(), show.Significant(hit), show.Plural(o.count, "run"), with))
		return err
	})
}

var speedColumns = []string{
	"fc", "hosts", "threads", "transmissions", "wall s", "M/s", "ns each", "yardsticks", "to one",
	"built in s", "MB", "KB a host",
}

// addSpeed adds a row for each number of threads, whose runs take turns. The scenario was prepared
// in some time, to which the building of the network adds.
func (o *options) addSpeed(
	t *show.Table, s *run.Subject, fc string, hosts int, hit float64, prepared time.Duration,
) error {
	best, build := make([]*run.Outcome, len(o.counts)), make([]time.Duration, len(o.counts))
	for range o.count {
		for i, threads := range o.counts {
			s.Threads = threads
			began := time.Now()
			one, err := s.Simulate(fc, true, nil)
			if err != nil {
				return err
			}
			build[i] = prepared + time.Since(began) - one.Result.Wall
			if best[i] == nil || one.Result.Wall < best[i].Result.Wall {
				best[i] = one
			}
		}
	}
	for i, b := range best {
		each := 1e9 / b.HopsPerSecond()
		t.Add(fc, show.Thousands(hosts), strconv.Itoa(o.counts[i]), show.Thousands(b.Result.PacketHops),
			fmt.Sprintf("%.2f", b.Result.Wall.Seconds()), fmt.Sprintf("%.2f", b.HopsPerSecond()/1e6),
			show.Significant(each), show.Significant(each/hit),
			fmt.Sprintf("%.2f", b.HopsPerSecond()/best[0].HopsPerSecond()),
			fmt.Sprintf("%.2f", build[i].Seconds()), show.Thousands(*b.PeakRSS/1e6),
			show.Significant(float64(*b.PeakRSS)/1024/float64(hosts)))
	}
	return nil
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
	lean(subject).SampleEvery = 0
	return subject, subject.Check(1)
}

// yardstick returns how many nanoseconds an operation takes that is known everywhere, to set
// figures of other machines against: a hit in a Go map of 1,024 entries, keys in an order the
// processor cannot guess. The fastest of several tries counts.
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
