package sluice_test

import (
	"fmt"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// wallClock gives a machine the time of a real clock. Its origin moves on before int64 picoseconds
// run out.
type wallClock struct {
	origin time.Time
	read   func() time.Time // time.Now
}

// dayLength is how long an origin lasts: far less than the 106 days that there are.
const dayLength = 24 * time.Hour

// now returns the time for the next hook, and moves the machine's origin once a day.
func (c *wallClock) now(rebase func(by sluice.Time)) sluice.Time {
	elapsed := c.read().Sub(c.origin)
	if elapsed > dayLength {
		rebase(sluice.FromDuration(elapsed))
		c.origin = c.origin.Add(elapsed)
		elapsed = 0
	}
	return sluice.FromDuration(elapsed)
}

// A switch that lives for a year on a wall clock: pauses run out when they should, whatever day it
// is.
func Example_wallClock() {
	machine, err := pfc.New(pfc.HostConfig(sluice.Link{Rate: 100 * sluice.Gbps}))
	if err != nil {
		panic(err)
	}
	port := machine.Port(0)
	present := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // an example reads no clock
	clock := &wallClock{origin: present, read: func() time.Time { return present }}
	pause := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(3)}
	pause.Time[3] = 65535 // quanta: 335.5392 us

	held, expired := 0, 0
	for range 365 {
		present = present.Add(dayLength)
		port.Receive(clock.now(machine.Rebase), &pause)
		if !port.Sendable(3) {
			held++
		}
		present = present.Add(336 * time.Microsecond)
		if now := clock.now(machine.Rebase); now >= machine.Deadline() {
			machine.Expire(now)
		}
		if port.Sendable(3) {
			expired++
		}
	}
	fmt.Println(held, "pauses held,", expired, "ran out in time")
	// Output: 365 pauses held, 365 ran out in time
}
