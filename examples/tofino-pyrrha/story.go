package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/replay"
)

// story gives leaf 100 packets of host 0 for hosts 2 and 3, and the frames of the spine.
func story(tap *replay.Tap, network *hashpath.Network) error {
	heard := uint32(0)
	receive := func(f pyrrha.Frame) error {
		heard++
		f.Sequence = heard
		_, err := tap.Receive(0, up, f.AppendTo(nil))
		fmt.Println("the spine says", f)
		return err
	}
	if err := receive(pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 2}); err != nil {
		return err
	}
	waiting := map[sluice.QueueID][]*sluice.Packet{}
	for at := range 16 {
		to := sluice.SwitchID(2 + at%2)
		flow := hashpath.FlowBetween(0, to, 1, 4791, 17)
		path, _ := network.Path(leaf, 0, &flow)
		p := &sluice.Packet{Flow: uint64(to), Size: 1518, Ingress: 0, Path: path}
		v := tap.Enqueue(0, up, p)
		waiting[v.Queue()] = append(waiting[v.Queue()], p)
		tell(tap)
	}
	send(tap, waiting)
	if err := receive(pyrrha.Frame{Type: pyrrha.Resume, Root: root}); err != nil {
		return err
	}
	send(tap, waiting)
	tell(tap)
	if err := tap.Check(); err != nil {
		return err
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// send lets the port to the spine send what it may.
func send(tap *replay.Tap, waiting map[sluice.QueueID][]*sluice.Packet) {
	for {
		q, some := tap.Next(0, up)
		if !some {
			break
		}
		p := waiting[q][0]
		waiting[q] = waiting[q][1:]
		tap.Dequeue(0, up, q, p)
		fmt.Printf("sent from queue %d for host %d\n", q, p.Flow)
		tell(tap)
	}
}

// tell prints the frames that are due, upstream to host 0 and downstream to the spine.
func tell(tap *replay.Tap) {
	for _, port := range []sluice.PortID{0, up} {
		for {
			octets, _, some := tap.PollFrame(0, port, nil)
			if !some {
				break
			}
			var f pyrrha.Frame
			if f.Parse(octets) == nil {
				fmt.Printf("leaf %d says by port %d: %v\n", leaf, port, f)
			}
		}
	}
}
