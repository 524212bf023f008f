package pcn_test

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pcn"
)

// A flow at its line rate of 40 Gb/s meets a congested port that leaves it a quarter: the receiver
// sends the sender a CNP.
func Example() {
	var port pcn.CongestionPoint
	var receiver pcn.NotificationPoint
	sender, err := pcn.NewReactionPoint(pcn.RPConfig{LineRate: 40 * sluice.Gbps})
	if err != nil {
		fmt.Println(err)
		return
	}
	var now sluice.Time
	for now < 200*sluice.Microsecond {
		backlog := sluice.Bytes(100_000) // a queue behind every packet, for the first 100 us
		if now > 100*sluice.Microsecond {
			backlog = 0
		}
		mark := port.Dequeue(now, 1250, backlog, sluice.ECT0)
		now += sluice.Microsecond // 1,250 bytes at 10 Gb/s
		for receiver.Deadline() < now {
			if cnp, ok := receiver.Expire(receiver.Deadline()); ok {
				sender.Receive(&cnp)
				fmt.Printf("congested %v, %d Mb/s: send at %v\n", cnp.Congested, cnp.RecRate, sender.Rate())
			}
		}
		receiver.Arrive(now, 1250, mark)
	}
	// Output:
	// congested true, 10200 Mb/s: send at 10.1203125Gb/s
	// congested true, 10000 Mb/s: send at 9.921875Gb/s
	// congested false, 10000 Mb/s: send at 10.156860351Gb/s
}

// A CNP on the wire.
func ExampleCNP() {
	cnp := pcn.CNP{
		Congested: true, RecRate: 9500, DestinationQP: 0x118, SourcePort: 0xc000, DSCP: 48,
		SourceMAC: sluice.MAC{2, 0, 0, 0, 0, 2}, DestinationMAC: sluice.MAC{2, 0, 0, 0, 0, 1},
		Source: netip.MustParseAddr("10.0.0.2"), Destination: netip.MustParseAddr("10.0.0.1"),
	}
	frame := cnp.AppendTo(nil)
	fmt.Printf("%d bytes, invariant CRC %x\n", len(frame), frame[len(frame)-4:])
	var received pcn.CNP
	err := received.Parse(frame)
	fmt.Println(received.Congested, received.RecRate, received.Source, err)
	frame[60]++
	fmt.Println(received.Parse(frame))
	// Output:
	// 74 bytes, invariant CRC e7829555
	// true 9500 10.0.0.2 <nil>
	// pcn: frame offset 70: invariant CRC is wrong
}

// The configuration for up to 16 flows at a bottleneck of 10 Gb/s.
func ExampleAdvice() {
	p, bounds, err := pcn.Advice(16, 10*sluice.Gbps, 500*sluice.Microsecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("T %v, w_min %v, w_max %v\n", p.Period, p.WMin, p.WMax)
	fmt.Printf(
		"the queue swings by %.0f bytes, a rate by %.1f Mb/s\n", bounds.Queue, bounds.SteadyRate/1e6,
	)
	fmt.Printf(
		"16 flows that start together drain in %d periods\n",
		p.DrainLoops(160*sluice.Gbps, 10*sluice.Gbps),
	)
	// Output:
	// T 500us, w_min 1/160, w_max 1/2
	// the queue swings by 54712 bytes, a rate by 58.6 Mb/s
	// 16 flows that start together drain in 2401 periods
}

// Four flows from unequal rates.
func ExampleFluid() {
	model, err := pcn.NewFluid(pcn.FluidConfig{
		Capacity: 10 * sluice.Gbps, Period: 500 * sluice.Microsecond,
		Rates: []sluice.Rate{10 * sluice.Gbps, 10 * sluice.Gbps, 5 * sluice.Gbps, 5 * sluice.Gbps},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, until := range []int{1, 257, 1000} {
		for model.Loop() < until {
			model.Step()
		}
		fmt.Printf("loop %d: queue %.0f bytes, rates %.2f to %.2f Gb/s\n",
			until, model.Queue(), model.Rate(3)/1e9, model.Rate(0)/1e9)
	}
	// Output:
	// loop 1: queue 1250000 bytes, rates 1.65 to 3.31 Gb/s
	// loop 257: queue 0 bytes, rates 1.72 to 3.36 Gb/s
	// loop 1000: queue 38 bytes, rates 2.48 to 2.48 Gb/s
}
