package main

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// tryMachines makes a machine of each kind of node, so that a configuration that breaks a rule is
// found when a network is built. Nodes of one tier with the same links are of one kind.
func tryMachines(g *topo.Graph, parts *sim.Config) error {
	tried := map[string]bool{}
	for id := range g.Nodes {
		node := &g.Nodes[id]
		kind := fmt.Sprint(node.Tier)
		for i := range node.Ports {
			kind += fmt.Sprint(node.Ports[i].Link)
		}
		if tried[kind] {
			continue
		}
		tried[kind] = true
		if _, err := parts.NewMachine(sluice.SwitchID(id)); err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
	}
	return nil
}

// ofTheSimulator are parameters of its hosts and links beside those of transports and congestion
// controls: an embedder has its own.
var ofTheSimulator = []string{
	"transport", "cc", "cc.pace", "cc.queue", "rto", "notice.class", "window.variable",
	"answer.loss", "answer.duplicate", "answer.reorder", "loss",
	"control.loss", "control.duplicate", "control.reorder",
}

// checkRead refuses parameters that were set and that change nothing here. Those of section network
// may: a program that changes the flow control by a word keeps its buffer.
func checkRead(values *params.Values, protocol string) error {
	simulated := slices.Clone(ofTheSimulator)
	for _, d := range slices.Concat(cc.Definitions(), transport.Definitions()) {
		simulated = append(simulated, d.Name)
	}
	set := values.Set()
	for _, d := range fabric.Definitions() {
		text, is := set[d.Name]
		switch {
		case !is:
		case slices.Contains(simulated, d.Name):
			return fmt.Errorf("parameter %s=%s: it is about hosts and links of the simulator, and you "+
				"have your own; detect chooses what switches mark by", d.Name, text)
		case d.Section != "network" && !values.WasRead(d.Name):
			return fmt.Errorf("parameter %s=%s has no effect under %s", d.Name, text, protocol)
		}
	}
	return nil
}
