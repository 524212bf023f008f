package tcd_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tcd"
)

// A port of 40 Gb/s whose queue was held by flow control, drains, and is then overloaded.
func Example() {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 4 * sluice.Microsecond}
	detector, err := tcd.New(tcd.Config{
		MaxTon:  tcd.MaxTonCEE(link, 2*1030, 1030, tcd.DefaultEpsilon()),
		Marking: sluice.Marking{KMin: 5150, KMax: 206_000, PMax: sluice.Ratio{Num: 1, Den: 100}},
		Drained: 2 * 1030,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	detector.Resumed(0, 300_000)
	for _, leaves := range []struct {
		now     sluice.Time
		backlog sluice.Bytes
	}{
		{50 * sluice.Microsecond, 290_000},
		{100 * sluice.Microsecond, 220_000},
		{150 * sluice.Microsecond, 2000},
		{200 * sluice.Microsecond, 250_000},
	} {
		mark := detector.Dequeue(leaves.now, 1030, leaves.backlog, sluice.ECT1)
		name := mark.String()
		if mark == sluice.UE {
			name = "UE"
		}
		fmt.Printf("%v: %v behind it, %v, %s\n", leaves.now, leaves.backlog, detector.State(), name)
	}
	// Output:
	// 50us: 290000B behind it, /, UE
	// 100us: 220000B behind it, D, ECT1
	// 150us: 2000B behind it, 0, ECT1
	// 200us: 250000B behind it, 1, CE
}

// The same port at several speeds and degrees of congestion.
func ExampleMaxTonCEE() {
	for _, rate := range []sluice.Rate{10 * sluice.Gbps, 40 * sluice.Gbps, 400 * sluice.Gbps} {
		link := sluice.Link{Rate: rate, Delay: sluice.Microsecond}
		mild := tcd.MaxTonCEE(link, 2*1500, 1500, tcd.DefaultEpsilon())
		severe := tcd.MaxTonCEE(link, 2*1500, 1500, sluice.Ratio{Num: 1, Den: 5})
		fmt.Println(rate, mild, severe)
	}
	// Output:
	// 10Gb/s 96.6us 27.6us
	// 40Gb/s 39.9us 11.4us
	// 400Gb/s 22.89us 6.54us
}

// A receiver sums up what the packets of an interval were marked with.
func ExampleCombine() {
	marks := sluice.NotECT
	for _, mark := range []sluice.ECN{sluice.ECT1, sluice.UE, sluice.ECT1} {
		marks = tcd.Combine(marks, mark)
	}
	fmt.Println(marks == sluice.UE)
	// Output: true
}
