package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// delays is how long what comes in on a wire waits until its node runs. Cables of veth have no
// length: here that is the delay of the links.
type delays struct {
	usual time.Duration // sets thresholds that are in bandwidth-delay products
	worst time.Duration // sets the headroom
	text  string
}

// What was measured is not the worst that can happen: it is a short while of a machine that did
// nothing else.
const (
	safety     = 4
	leastUsual = 500 * time.Microsecond
	leastWorst = 250 * time.Millisecond // as virtual machines are stopped for
	mostUsual  = 20 * time.Millisecond
	mostWorst  = time.Second // that a configuration may have
)

// measureDelays lets as many threads as there are nodes sleep for a millisecond again and again,
// and sees by how much they oversleep.
func measureDelays(nodes int, lasting time.Duration) delays {
	late := make([][]time.Duration, nodes)
	var wait sync.WaitGroup
	for i := range late {
		wait.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for began := time.Now(); time.Since(began) < lasting; {
				const nap = time.Millisecond
				lying := time.Now()
				sleep(nil, nap)
				late[i] = append(late[i], time.Since(lying)-nap)
			}
		})
	}
	wait.Wait()
	all := slices.Concat(late...)
	slices.Sort(all)
	p99, most := all[len(all)*99/100], all[len(all)-1]
	return delays{
		usual: min(max(safety*p99, leastUsual), mostUsual),
		worst: min(max(safety*most, leastWorst), mostWorst),
		text: fmt.Sprintf("scheduling delay of %d threads in %v: 99 of 100 within %v, at most %v",
			nodes, lasting, p99.Round(time.Microsecond), most.Round(time.Microsecond)),
	}
}

// givenDelays returns the delays of a machine whose worst delay the user knows.
func givenDelays(worst time.Duration) delays {
	return delays{
		usual: min(max(worst/20, leastUsual), mostUsual), worst: worst, text: "scheduling delay as given",
	}
}

// credit is how much of the time in which it slept a transmitter may make up for.
func (d delays) credit() time.Duration { return d.worst / 4 }

func (d delays) String() string { return d.text }

// sleep waits until a file is ready or a time has passed.
func sleep(files []unix.PollFd, atMost time.Duration) {
	timeout := unix.NsecToTimespec(max(atMost, 0).Nanoseconds() + 1)
	unix.Ppoll(files, &timeout, nil) // interrupted is as good as early
}

// hurry asks that every thread of the process, once it can run, runs before threads of other
// processes, as switch software does. It asks for all threads, as a node that wakes up may have to
// wait for the garbage collector's. Threads to come inherit the policy. Where the policy is not
// allowed they remain ordinary threads, and the measurement of the delay shows it.
func hurry() { setPolicy(unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1}) }

// relax makes the threads ordinary again.
func relax() error {
	setPolicy(unix.SchedAttr{Policy: unix.SCHED_NORMAL})
	return nil
}

func setPolicy(attributes unix.SchedAttr) {
	attributes.Size = unix.SizeofSchedAttr
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			unix.SchedSetAttr(id, &attributes, 0)
		}
	}
}
