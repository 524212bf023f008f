package ofc_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// Downstream pauses one of two flows. Its packet moves to the paused queue at the head of the
// normal queue, and the other flow's packet passes. A RESUME of the flow rotates the queues.
func Example() {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}
	device, err := ofc.New(ofc.Config{Ports: []ofc.PortConfig{{Link: link}, {Link: link}}})
	if err != nil {
		panic(err)
	}
	out, now := device.Port(0), sluice.Time(0)
	packets := []sluice.Packet{
		{Flow: 0xA, Size: 1500, Ingress: 1}, {Flow: 0xB, Size: 1500, Ingress: 1},
	}
	for i := range packets {
		out.Enqueue(now, &packets[i])
	}
	send := func(p *sluice.Packet) {
		q, _ := out.Next(now)
		fmt.Printf("flow %X from queue %d: %v; %v\n", p.Flow, q, out.Dequeue(now, q, p), out.State(0))
	}
	pause := ofc.Frame{Type: ofc.Pause, Sequence: 1, Count: 1, Keys: [ofc.MaxListed]uint64{0xA}}
	out.Receive(now, &pause)
	fmt.Println(out.State(0))
	send(&packets[0])
	send(&packets[1])
	resume := ofc.Frame{Type: ofc.Resume, Sequence: 2, Last: true, Count: 1, Keys: pause.Keys}
	out.Receive(now, &resume)
	fmt.Println(out.State(0))
	send(&packets[0])
	// Output:
	// partial paused
	// flow A from queue 0: append 1; partial paused
	// flow B from queue 0: transmit NotECT; all paused
	// partial resumed
	// flow A from queue 1: transmit NotECT, port 0; all resumed
}

// Headroom is what an (ingress, class) needs beyond X_OFF to lose nothing.
func ExampleConfig_HeadroomFor() {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}
	c := ofc.Config{Ports: []ofc.PortConfig{{Link: link}}, Classes: sluice.MakeClassSet(0)}
	fmt.Println(c.HeadroomFor(0, 1500))
	// Output: 4815B
}
