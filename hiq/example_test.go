package hiq_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/kit"
)

// A packet's way past two congestion roots, one hop and two hops away: it waits for the near one,
// then for the far one, and then goes to the wire.
func Example() {
	port, err := hiq.New(hiq.Config{Rate: 100 * sluice.Gbps, Levels: 2, IQs: 8, Roots: 16})
	if err != nil {
		panic(err)
	}
	packets, err := kit.NewStore[string](1000)
	if err != nil {
		panic(err)
	}
	queues := make([]kit.Queue, port.Queues())
	const near, far = 3, 7 // our numbers for the two roots
	port.Pause(near, 0xa3, 1)
	port.Pause(far, 0xb7, 2)

	const size = 1500
	packet, _ := packets.Take()
	packets.At(packet).Value = "packet 42"
	packets.Push(&queues[port.Put(near, size)], packet)

	serve := func(now sluice.Time) {
		for {
			q, ok := port.Next(now)
			if !ok {
				fmt.Println(now, "nothing may go")
				return
			}
			if q == hiq.Output {
				port.TakeOutput(size)
				fmt.Println(now, packets.At(packets.Pop(&queues[q])).Value, "goes to the wire")
				return
			}
			if q == port.Queue(near) {
				port.Take(now, q, near, size)
				packets.Push(&queues[port.Put(far, size)], packets.Pop(&queues[q]))
				fmt.Println(now, "moved to the far root's queue, which is", port.State(far))
			} else {
				port.Take(now, q, far, size)
				port.PutOutput(size)
				packets.Push(&queues[hiq.Output], packets.Pop(&queues[q]))
				fmt.Println(now, "moved to the output queue")
			}
		}
	}
	serve(0)
	port.Resume(near)
	serve(1 * sluice.Microsecond)
	port.Resume(far)
	serve(2 * sluice.Microsecond)

	port.Free(near)
	port.Free(far)
	fmt.Println(port.InUse(), "isolation queues in use")
	// Output:
	// 0ps nothing may go
	// 1us moved to the far root's queue, which is paused
	// 1us nothing may go
	// 2us moved to the output queue
	// 2us packet 42 goes to the wire
	// 0 isolation queues in use
}

// In a single tier the IQ belongs to the set of roots on the path, and there are no moves between
// IQs.
func ExamplePort_PutSet() {
	port, err := hiq.New(hiq.Config{Rate: 100 * sluice.Gbps, IQs: 8, Roots: 16, SingleTier: true})
	if err != nil {
		panic(err)
	}
	port.Pause(3, 0xa3, 1)
	port.Pause(7, 0xb7, 2)
	q, place := port.PutSet([]uint16{3, 7}, 1500)
	fmt.Println("waits for", port.RootsOf(place))

	port.Resume(3)
	_, ok := port.Next(0)
	fmt.Println("one resumed:", ok)
	port.Resume(7)
	_, ok = port.Next(0)
	fmt.Println("both resumed:", ok)
	fmt.Println("taken:", port.TakeSet(q, place, 1500))
	// Output:
	// waits for [3 7]
	// one resumed: false
	// both resumed: true
	// taken: true
}
