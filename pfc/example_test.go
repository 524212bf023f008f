package pfc_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// A switch of two ports. Packets of class 3 come in by port 1 and leave by port 0; the ingress
// reaches X_off, its peer is paused, and resumed when enough has left.
func Example() {
	port := pfc.PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)},
		Profile: pfc.Profile{XOff: 6000, XOn: 3000},
	}
	port.Headroom = port.HeadroomFor(1518, 0).Total
	s, err := pfc.New(pfc.Config{
		Ports:   []pfc.PortConfig{port, port},
		Buffer:  sluice.MiB,
		Classes: sluice.MakeClassSet(3),
		MAC:     sluice.MAC{0x02, 0, 0, 0, 0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	var frame pfc.Frame                                    // kept and reused
	sendFrame := func(now sluice.Time, wake sluice.Wake) { // its transmitters are always free
		if port, ok := wake.Port(); ok && s.Port(port).PollFrame(now, &frame) {
			fmt.Printf("%v: port %d sends %v\n", now, port, frame)
		}
	}

	var now sluice.Time
	var queue []*sluice.Packet // the embedder's FIFO of (port 0, class 3)
	for range 5 {
		packet := &sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
		verdict := s.Port(0).Enqueue(now, packet)
		fmt.Printf("%v: %v\n", now, verdict.Action())
		if verdict.Action() == sluice.Append {
			queue = append(queue, packet)
		}
		sendFrame(now, verdict.Wake())
		now += 120 * sluice.Nanosecond
	}
	for {
		q, ok := s.Port(0).Next(now)
		if !ok {
			break
		}
		packet := queue[0]
		queue = queue[1:]
		verdict := s.Port(0).Dequeue(now, q, packet)
		fmt.Printf("%v: %v\n", now, verdict.Action())
		sendFrame(now, verdict.Wake())
		now += 120 * sluice.Nanosecond
	}
	// Output:
	// 0ps: append
	// 120ns: append
	// 240ns: append
	// 360ns: append
	// 360ns: port 1 sends pause {3} for 65535 quanta
	// 480ns: append
	// 600ns: transmit
	// 720ns: transmit
	// 840ns: transmit
	// 840ns: port 1 sends resume {3}
	// 960ns: transmit
	// 1.08us: transmit
}

// A host's network card: a switch of one port. Its packets are local, and obey what the peer says.
func Example_host() {
	s, err := pfc.New(pfc.HostConfig(sluice.Link{Rate: 100 * sluice.Gbps}))
	if err != nil {
		fmt.Println(err)
		return
	}
	card := s.Port(0)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	card.Enqueue(0, &packet)

	pause := pfc.Frame{
		Opcode:  pfc.OpcodePFC,
		Enabled: sluice.MakeClassSet(3),
		Time:    [8]sluice.Quanta{3: 1000},
	}
	card.Receive(0, &pause)
	_, ok := card.Next(0)
	fmt.Println("may send:", ok, "until", s.Deadline())

	wake := s.Expire(s.Deadline())
	queue, ok := card.Next(5120 * sluice.Nanosecond)
	fmt.Println("may send:", ok, "queue", queue, "as the word said:", wake)
	// Output:
	// may send: false until 5.12us
	// may send: true queue 3 as the word said: port 0, deadline
}

// Without lossless classes, a switch with a shared buffer and drop tail: one queue may fill all of
// it.
func ExampleConfig_lossy() {
	port := pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}}
	s, err := pfc.New(
		pfc.Config{Ports: []pfc.PortConfig{port, port}, Buffer: 4000, Classes: sluice.NoClasses},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	packet := sluice.Packet{Size: 1500, Ingress: 1}
	for range 3 {
		fmt.Println(s.Port(0).Enqueue(0, &packet))
	}
	// Output:
	// append 0
	// append 0
	// drop: buffer full
}

// 100 m of cable at 100 Gb/s, frames of 1,518 bytes, and the reaction that IEEE 802.3 allows the
// peer.
func ExamplePortConfig_HeadroomFor() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)}
	headroom := (&pfc.PortConfig{Link: link}).HeadroomFor(1518, 0)
	fmt.Println(headroom.Total)
	fmt.Println(headroom.Annex, "by the formula in common use")
	// Output:
	// 42354B
	// 40752B by the formula in common use
}

// The uplinks of a leaf run at four times the rate of its host ports.
func ExampleScaleAlpha() {
	fmt.Println(pfc.ScaleAlpha(sluice.Ratio{Num: 1, Den: 8}, 400*sluice.Gbps, 100*sluice.Gbps))
	// Output:
	// 1/2
}

func ExampleFrame_AppendTo() {
	frame := pfc.Frame{
		Source:  sluice.MAC{0x02, 0, 0, 0, 0, 1},
		Opcode:  pfc.OpcodePFC,
		Enabled: sluice.MakeClassSet(3),
		Time:    [8]sluice.Quanta{3: 0xffff},
	}
	fmt.Printf("%x\n", frame.AppendTo(nil))
	// Output:
	// 0180c2000001020000000001880801010008000000000000ffff00000000000000000000000000000000000000000000000000000000000000000000
}

// A frame that is not a pause frame is refused with where and why.
func ExampleFrame_Parse() {
	var frame pfc.Frame
	fmt.Println(frame.Parse(make([]byte, 60)))
	// Output:
	// pfc: frame offset 0: destination is not 01-80-C2-00-00-01
}
