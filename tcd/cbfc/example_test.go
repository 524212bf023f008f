package cbfc_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// A sender with credit for two packets, and a receiver that sends one on.
func Example() {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: sluice.Microsecond}
	card := cbfc.HostConfig(link)
	card.MTU = 1500
	card.Ports[0].PeerBuffer = 2 * 1536 // the link is up
	host, err := cbfc.New(card)
	if err != nil {
		fmt.Println(err)
		return
	}
	port := cbfc.PortConfig{Link: link, Buffer: 2 * 1536, PeerBuffer: cbfc.MaxAnnounced}
	machine, err := cbfc.New(cbfc.Config{Ports: []cbfc.PortConfig{port, port}, MTU: 1500})
	if err != nil {
		fmt.Println(err)
		return
	}

	var now sluice.Time
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	arrival := sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
	for range 3 {
		host.Port(0).Enqueue(now, &packet)
	}
	for range 3 {
		queue, ok := host.Port(0).Next(now)
		if !ok {
			fmt.Println("the third waits for credit")
			break
		}
		host.Port(0).Dequeue(now, queue, &packet)
		machine.Port(1).Enqueue(now, &arrival) // routed from port 0 to port 1
		fmt.Println("sent, credit left:", host.Port(0).Credit(queue))
	}

	queue, _ := machine.Port(1).Next(now)
	machine.Port(1).Dequeue(now, queue, &arrival)
	now = machine.Deadline()
	machine.Expire(now)
	var frame cbfc.Frame // kept and reused
	for machine.Port(0).PollFrame(now, &frame) {
		if frame.VL == 3 {
			fmt.Println(frame)
			host.Port(0).Receive(now, &frame)
		}
	}
	fmt.Println("credit:", host.Port(0).Credit(3))
	// Output:
	// sent, credit left: 24
	// sent, credit left: 0
	// the third waits for credit
	// credit VL 3: sent 0, limit 72
	// credit: 24
}

// How much buffer a VL needs for full rate.
func ExampleBufferFor() {
	for _, period := range []sluice.Time{4 * sluice.Microsecond, 65_536 * sluice.Nanosecond} {
		need, err := cbfc.BufferFor(
			sluice.Link{Rate: 40 * sluice.Gbps, Delay: sluice.Microsecond}, period, 1500,
		)
		fmt.Println(period, int64(need), err)
	}
	// Output:
	// 4us 35328 <nil>
	// 65.536us 350208 cbfc: full rate needs 350208 bytes of buffer, and 131072 can be announced: at most 15.563964843Gb/s
}

// The rate that a buffer leaves of a link's: over one link, and the least over several in a row.
func ExampleRateFor() {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 4 * sluice.Microsecond}
	alone, inARow, err := cbfc.RateFor(link, 30*sluice.Microsecond, 1030, 64*sluice.KB)
	fmt.Printf("%.1f %.1f Gb/s %v\n", float64(alone)/1e9, float64(inARow)/1e9, err)
	_, _, err = cbfc.RateFor(link, 30*sluice.Microsecond, 1030, 1000)
	fmt.Println(err)
	// Output:
	// 15.9 12.5 Gb/s <nil>
	// cbfc: Config.Ports[0].Buffer = 1000B: must be 0, or hold an MTU in whole blocks of 64 bytes, and at most 64 GiB
}
