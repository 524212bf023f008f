package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hurry asks that every thread of the process, once it can run, does so before those of others, as
// switch software does. All of them, for a node that wakes up may have to wait for the garbage
// collector's. Threads to come inherit it. Where it is not allowed they remain ordinary threads,
// and the measurement of the delay shows it.
func hurry() { setPolicy(unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1}) }

// relax ends that.
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
