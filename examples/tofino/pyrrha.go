package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

const (
	leaf  = sluice.SwitchID(100)
	spine = sluice.SwitchID(200)
	up    = sluice.PortID(2) // of a leaf, to the spine
)

// root is the port of the second leaf to its first host.
var root = sluice.Hop{Switch: leaf + 1, Port: 0}

// runPyrrha makes the program of a Pyrrha switch for the Tofino 2 and runs it beside the
// machine.
//
// Two leaves with two hosts each hang on one spine. RealisePyrrha says what the chip does otherwise
// than the machine of a default configuration; program and machine of leaf 100 are then given the
// same packets and frames. The port of leaf 101 to host 2 becomes a congestion root: the spine
// passes its PAUSE on, packets for host 2 wait in a queue of their own while those for host 3 go,
// host 0 is paused in turn, and when the root resumes all is given back.
func runPyrrha() error {
	network, err := leaves()
	if err != nil {
		return err
	}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 200 * sluice.Nanosecond}
	machine, changes, err := tofino.RealisePyrrha(pyrrha.Config{Switch: leaf,
		Ports: []pyrrha.PortConfig{{Link: link, Role: pyrrha.Host}, {Link: link, Role: pyrrha.Host},
			{Link: link, Role: pyrrha.Up}}})
	if err != nil {
		return err
	}
	printChanges(changes)
	made, err := tofino.NewPyrrha(tofino.PyrrhaConfig{Machine: machine, Network: network.Snapshot(),
		Stages: 42, // as many as the replay is to run, more than the chip has

		Ports: []chip.DevPort{136, 144, 152}})
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)
	beside, err := replay.Pyrrha(made, network)
	if err != nil {
		return err
	}
	tap, err := replay.New(beside)
	if err != nil {
		return err
	}
	if err := story(tap, network); err != nil {
		return err
	}
	if idle := replay.PyrrhaIdle(made, tap.Program()); idle != nil {
		return idle
	}
	fmt.Println("every slot, queue and set is free again")
	return nil
}

// leaves declares the network.
func leaves() (*hashpath.Network, error) {
	b := hashpath.NewBuilder()
	b.AddSwitch(spine)
	for i := range sluice.SwitchID(2) {
		b.AddSwitch(leaf + i)
		for j := range sluice.SwitchID(2) {
			b.AddHost(2*i + j)
			b.Connect(sluice.Hop{Switch: 2*i + j}, sluice.Hop{Switch: leaf + i, Port: sluice.PortID(j)})
		}
		down := sluice.Hop{Switch: spine, Port: sluice.PortID(i)}
		b.Connect(sluice.Hop{Switch: leaf + i, Port: up}, down)
	}
	return b.Build(hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}, Seed: 1})
}
