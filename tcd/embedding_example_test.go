package tcd_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tcd"
)

// A detector on a class of a port under PFC, with an embedder's code around the port's hooks. The
// peer pauses the class, lets it go on, and after max(T_on) the port is still overloaded.
func Example_embedding() {
	const class, size = 3, 1000
	port := pfc.PortConfig{Link: sluice.Link{Rate: 40 * sluice.Gbps}}
	port.XOff, port.XOn = sluice.MB, sluice.MB
	machine, err := pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Classes: sluice.MakeClassSet(class),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	detector, err := tcd.New(tcd.Config{
		MaxTon:  tcd.MaxTonCEE(port.Link, 2*size, size, tcd.DefaultEpsilon()),
		Marking: sluice.Marking{KMin: 50_000, KMax: 50_000},
		Drained: 2 * size,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	out := machine.Port(0)
	packet := sluice.Packet{Size: size, Class: class, Ingress: 1, ECN: sluice.ECT1}
	pause := func(now sluice.Time, quanta sluice.Quanta) {
		frame := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(class)}
		frame.Time[class] = quanta
		held := !out.Sendable(class)
		out.Receive(now, &frame)
		if held && out.Sendable(class) { // the same around Expire
			detector.Resumed(now, out.Backlog(class))
		}
	}
	send := func(now sluice.Time) {
		queue, ok := out.Next(now)
		if !ok {
			fmt.Printf("%v: held\n", now)
			return
		}
		verdict := out.Dequeue(now, queue, &packet)
		if verdict.Action() == sluice.Transmit {
			mark := detector.Dequeue(now, packet.Size, out.Backlog(queue), verdict.Mark())
			fmt.Printf("%v: state %v, code point %02b\n", now, detector.State(), mark)
		}
		out.Enqueue(now, &packet)
		out.Enqueue(now, &packet) // more arrive than leave
	}

	for range 100 {
		out.Enqueue(0, &packet)
	}
	send(0)
	pause(sluice.Microsecond, 100)
	send(sluice.Microsecond)
	pause(2*sluice.Microsecond, 0)
	send(2 * sluice.Microsecond)
	send(20 * sluice.Microsecond)
	// Output:
	// 0ps: state 1, code point 11
	// 1us: held
	// 2us: state /, code point 10
	// 20us: state 1, code point 11
}
