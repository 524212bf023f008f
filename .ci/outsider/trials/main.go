// Command outsider looks for broken promises from outside: a module of its own, which can use the
// public packages alone. It makes random networks under random configurations of every protocol,
// and gives them traffic, links that fail and lose, restarts, hostile frames, clocks that step,
// and misuse. When the faults have ended, everything has to come to rest. After every few calls it
// asserts the invariants of ARCHITECTURE.md.
//
//	go run ./.ci/outsider -seconds 600            as many trials as there is time for
//	go run ./.ci/outsider -seed 7 -only pyrrha    one trial again
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	seconds = flag.Int("seconds", 0, "how long to look; 0: until -calls, or one trial of -seed")
	budget  = flag.Uint64("calls", 0, "stop after so many hook calls; 0: no limit")
	seed    = flag.Uint64("seed", 1, "the first seed; the trials after it have the seeds that follow")
	only    = flag.String("only", "", "protocols, comma-separated; all if it is empty")
	jobs    = flag.Int("jobs", 1, "trials at a time")
	trace   = flag.Bool("trace", false, "print every control frame of the last run of each finding")
	patient = flag.Duration("shrink", 20*time.Second, "how long to shrink one finding")
)

type tally struct {
	calls, trials, refused, findings atomic.Uint64
}

type search struct {
	protocols []protocol
	tallies   []tally
	started   time.Time
	total     atomic.Uint64
	next      atomic.Uint64
	mutex     sync.Mutex
	shapes    map[string]int
}

func main() {
	flag.Parse()
	s := &search{started: time.Now(), shapes: map[string]int{}}
	for _, p := range protocols {
		if *only == "" || slices.Contains(strings.Split(*only, ","), p.name) {
			s.protocols = append(s.protocols, p)
		}
	}
	if len(s.protocols) == 0 {
		fmt.Fprintln(os.Stderr, "outsider: -only names no protocol")
		os.Exit(2)
	}
	s.tallies = make([]tally, len(s.protocols))
	var all sync.WaitGroup
	for range max(1, *jobs) {
		all.Go(s.work)
	}
	all.Wait()
	if s.print() > 0 {
		os.Exit(1)
	}
}

// work runs trials, protocol by protocol and seed by seed, until there is enough.
func (s *search) work() {
	for {
		i := s.next.Add(1) - 1
		if s.enough(i) {
			return
		}
		s.try(int(i%uint64(len(s.protocols))), *seed+i/uint64(len(s.protocols)))
	}
}

func (s *search) enough(trials uint64) bool {
	if *seconds == 0 && *budget == 0 {
		return trials >= uint64(len(s.protocols))
	}
	return *seconds > 0 && time.Since(s.started) > time.Duration(*seconds)*time.Second ||
		*budget > 0 && s.total.Load() >= *budget
}

func (s *search) try(i int, seed uint64) {
	p, tally := &s.protocols[i], &s.tallies[i]
	t := drawTrial(p, seed)
	if t == nil {
		tally.refused.Add(1)
		return
	}
	calls, f := check(t)
	tally.trials.Add(1)
	tally.calls.Add(calls)
	s.total.Add(calls)
	if f == nil {
		return
	}
	tally.findings.Add(1)
	shape := f.shape(p.name)
	s.mutex.Lock()
	s.shapes[shape]++
	first := s.shapes[shape] == 1
	s.mutex.Unlock()
	if !first {
		return
	}
	before := tally.calls.Load()
	t, f = shrink(t, f, *patient)
	fmt.Printf("%safter %d hook calls of %s\n\n", report(t, f), before, p.name)
	if *trace {
		t.trace = true
		run(t, false)
	}
}

func (s *search) print() (findings uint64) {
	took := time.Since(s.started).Seconds()
	fmt.Printf("%-8s %14s %8s %8s %8s\n", "", "hook calls", "trials", "refused", "findings")
	for i := range s.protocols {
		t := &s.tallies[i]
		fmt.Printf("%-8s %14d %8d %8d %8d\n", s.protocols[i].name, t.calls.Load(), t.trials.Load(),
			t.refused.Load(), t.findings.Load())
		findings += t.findings.Load()
	}
	fmt.Printf("%-8s %14d, %.2f million per second\n", "all", s.total.Load(),
		float64(s.total.Load())/took/1e6)
	for shape, n := range s.shapes {
		fmt.Printf("%6d x %s\n", n, shape)
	}
	return findings
}
