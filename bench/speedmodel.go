package main

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

var modelThreads = []int{2, 8, 16, 64}

// speedModel prints the speed-up that more cores would give. It counts the events of each part in
// each window, and hands them to threads as the simulator does, part by part to a thread that is
// free. An event takes its mean time in a run on one thread, and threads meet after every window.
func (c command) speedModel(o *options) error {
	t := show.NewTable(
		1, "fc", "hosts", "threads", "parts", "windows", "events a window", "speed-up", "without meeting",
	)
	meeting := meetingTime()
	for _, fc := range o.protocols {
		for _, network := range speedNetworks[:lastSpeed+1] {
			s, err := o.speedSubject(network.k, speedBytes/sluice.Bytes(network.hosts))
			if err != nil {
				return usageError{err}
			}
			for _, threads := range modelThreads {
				m := model{threads: threads}
				if err = m.run(s, fc); err != nil {
					return err
				}
				t.Add(fc, show.Thousands(network.hosts), fmt.Sprint(threads), fmt.Sprint(m.parts),
					show.Thousands(m.windows), show.Thousands(m.events/max(m.windows, 1)),
					fmt.Sprintf("%.2f", m.speedUp(meeting)), fmt.Sprintf("%.2f", m.speedUp(0)))
			}
		}
	}
	_, err := io.WriteString(c.stdout, fmt.Sprintf(
		"%s\n\nto meet takes %d ns here, measured with two threads\n", t, meeting.Nanoseconds()))
	return err
}

// model adds up what windows take.
type model struct {
	threads, parts  int
	windows, events int64
	longest         int64 // events of the thread that has most, over all windows
	wall            time.Duration
	loads           []int64 // of threads
}

func (m *model) run(s *run.Subject, fc string) error {
	r := s.FabricRun(fc)
	r.Threads, r.Parts, r.Windows = 1, 4*m.threads, m.add
	result, err := r.Do()
	if err == nil {
		m.wall = result.Wall
	}
	return err
}

// add adds a window: the next part goes to the thread with the fewest events.
func (m *model) add(parts []int64) {
	m.parts = len(parts)
	m.windows++
	m.loads = append(m.loads[:0], make([]int64, m.threads)...)
	for i := len(parts) - 1; i >= 0; i-- {
		least := 0
		for thread, load := range m.loads {
			if load < m.loads[least] {
				least = thread
			}
		}
		m.loads[least] += parts[i]
		m.events += parts[i]
	}
	most := int64(0)
	for _, load := range m.loads {
		most = max(most, load)
	}
	m.longest += most
}

// speedUp is how many times as fast the threads are as one thread, if to meet takes them so long.
func (m *model) speedUp(meeting time.Duration) float64 {
	each := m.wall.Seconds() / float64(max(m.events, 1))
	taken := float64(m.longest)*each + float64(m.windows)*meeting.Seconds()
	return m.wall.Seconds() / taken
}

// meetingTime measures how long two threads take to hand each other a word and back.
func meetingTime() time.Duration {
	const meetings = 10_000
	best := time.Duration(1 << 62)
	for range 5 {
		best = min(best, meet(meetings)/meetings)
	}
	return best
}

// meet has two threads wait for each other so often.
func meet(times int64) time.Duration {
	var here, there atomic.Int64
	began := time.Now()
	go func() {
		for i := int64(1); i <= times; i++ {
			wait(&here, i)
			there.Store(i)
		}
	}()
	for i := int64(1); i <= times; i++ {
		here.Store(i)
		wait(&there, i)
	}
	return time.Since(began)
}

func wait(word *atomic.Int64, value int64) {
	for i := 0; word.Load() != value; i++ {
		if i > 1000 {
			runtime.Gosched()
		}
	}
}
