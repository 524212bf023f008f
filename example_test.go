package sluice_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// A frame of 1,500 bytes with preamble and gap takes 124.16 ns at 100 Gb/s, and a cable of
// 100 m holds 12,500 bytes there and back.
func ExampleRate() {
	rate := 100 * sluice.Gbps
	delay := 500 * sluice.Nanosecond // 100 m of fibre
	fmt.Println(rate.TimeOf(1552))
	fmt.Println(rate.BDP(2 * delay))
	fmt.Println(rate)
	// Output:
	// 124.16ns
	// 12500B
	// 100Gb/s
}

// At 400 Gb/s the time of a byte is 20 ps and a PFC quantum 1.28 ns: whole picoseconds, but not
// whole nanoseconds.
func ExampleRate_TimeOfQuanta() {
	rate := 400 * sluice.Gbps
	fmt.Println(rate.TimeOf(1), rate.TimeOfQuanta(1), rate.TimeOfQuanta(65535))
	fmt.Println(
		rate.QuantaIn(sluice.Microsecond), "quanta last",
		rate.TimeOfQuanta(rate.QuantaIn(sluice.Microsecond)),
	)
	// Output:
	// 20ps 1.28ns 83.8848us
	// 782 quanta last 1.00096us
}

// Deadlines combine with min, for Never is later than all.
func ExampleTime() {
	timers := [...]sluice.Time{sluice.Never, 2500 * sluice.Nanosecond, sluice.Never}
	deadline := sluice.Never
	for _, t := range timers {
		deadline = min(deadline, t)
	}
	fmt.Println(deadline, sluice.Never, sluice.Never.Add(sluice.Second))
	// Output: 2.5us never never
}

// What an embedder does with the word that Enqueue answered.
func ExampleVerdict() {
	v := sluice.AppendToQueue(3).WithWake(sluice.WakePort(0)) // a machine's answer
	switch v.Action() {
	case sluice.Append:
		fmt.Println("append to queue", v.Queue())
	case sluice.Drop:
		fmt.Println("discard:", v.Reason())
	}
	if port, ok := v.Wake().Port(); ok {
		fmt.Println("port", port, "may have something to send")
	}
	fmt.Println(v)
	// Output:
	// append to queue 3
	// port 0 may have something to send
	// append 3, port 0
}

// Two words in one: a second port does not fit, so that PollPort of the switch has to name both.
func ExampleWake_Merge() {
	woken := sluice.WakePort(3)
	fmt.Println(woken.Merge(sluice.WakeDeadline))
	fmt.Println(woken.Merge(sluice.WakePort(5)))
	// Output:
	// port 3, deadline
	// several ports
}

// A packet's way from the top-of-rack switch 160 over core 170 to its host: each switch drops the
// nearest hop when the packet has left it.
func ExamplePath() {
	path, _ := sluice.MakePath(
		sluice.Hop{Switch: 160, Port: 16},
		sluice.Hop{Switch: 170, Port: 1},
		sluice.Hop{Switch: 161, Port: 3},
	)
	fmt.Println(&path)
	path.Advance()
	fmt.Println(path.Len(), "hops remain, the nearest", path.At(0))
	// Output:
	// 160:16 170:1 161:3
	// 2 hops remain, the nearest 170:1
}
