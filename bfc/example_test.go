package bfc_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
)

// A switch of two ports whose second is congested: the queue of the upstream device that the
// packets came from is paused, and resumed when they have left.
func Example() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	s, err := bfc.New(bfc.Config{
		Ports: []bfc.PortConfig{{Link: link}, {Link: link}}, MAC: sluice.MAC{2, 0, 0, 0, 0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var frame bfc.Frame // kept, and used for every frame
	poll := func(w sluice.Wake) {
		if port, ok := w.Port(); ok && s.Port(port).PollFrame(0, &frame) {
			fmt.Printf("port %d: %v\n", port, frame)
		}
	}
	queues := make([][]*sluice.Packet, s.Queues())
	for range 30 {
		p := &sluice.Packet{Flow: 0xfeed, Size: 1000, Ingress: 0, UpstreamQueue: 7}
		v := s.Port(1).Enqueue(0, p)
		queues[v.Queue()] = append(queues[v.Queue()], p)
		poll(v.Wake())
	}
	fmt.Println("held:", s.Buffered(), "threshold", s.Threshold(0, 1, s.Port(1).Active()))
	for {
		q, ok := s.Port(1).Next(0)
		if !ok {
			break
		}
		p := queues[q][0]
		queues[q] = queues[q][1:]
		poll(s.Port(1).Dequeue(0, q, p).Wake())
	}
	fmt.Println("held:", s.Buffered())
	// Output:
	// port 0: pause [7]
	// held: 30000B threshold 25000B
	// port 0: resume [7]
	// held: 0B
}

// A host's network card obeys: the queue that the switch pauses waits, others go on.
func ExampleHostConfig() {
	nic, err := bfc.New(bfc.HostConfig(sluice.Link{
		Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond,
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	port := nic.Port(0)
	first := sluice.Packet{Flow: 1, Size: 1000, Ingress: sluice.Local}
	second := sluice.Packet{Flow: 2, Size: 1000, Ingress: sluice.Local}
	paused := port.Enqueue(0, &first).Queue()
	other := port.Enqueue(0, &second).Queue()

	pause := bfc.Frame{
		Type: bfc.Pause, Sequence: 1, Count: 1, Queues: [bfc.MaxListed]sluice.QueueID{paused},
	}
	port.Receive(0, &pause)
	q, ok := port.Next(0)
	fmt.Println(q == other, ok)
	port.Dequeue(0, q, &second)
	_, ok = port.Next(0)
	fmt.Println(ok)

	resume := bfc.Frame{Type: bfc.Resume, Sequence: 2, Count: 1, Queues: pause.Queues}
	fmt.Println(port.Receive(0, &resume))
	q, ok = port.Next(0)
	fmt.Println(q == paused, ok)
	// Output:
	// true true
	// false
	// port 0
	// true true
}

// Frames ride in Ethernet.
func ExampleFrame_Parse() {
	sent := bfc.Frame{Type: bfc.Bitmap, Source: sluice.MAC{2, 0, 0, 0, 0, 1}, Sequence: 42, Count: 32}
	sent.Bits[0] = 1<<3 | 1<<17
	wire := sent.AppendTo(nil)

	var got bfc.Frame
	if err := got.Parse(wire); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(wire), got)
	fmt.Println(got.Parse(wire[:59]))
	// Output:
	// 60 bitmap of 32: [3 17]
	// bfc: frame offset 0: shorter than 60 bytes
}

// The queue that a packet left by goes with it to the next hop.
func ExampleAppendShim() {
	addresses := make([]byte, 12)
	frame := bfc.AppendShim(addresses, 21)
	frame = append(frame, 0x08, 0x00) // the packet's own EtherType and all that follows

	q, rest, err := bfc.ParseShim(frame[12:])
	fmt.Println(q, len(rest), err)
	// Output:
	// 21 2 <nil>
}
