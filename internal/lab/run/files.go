package run

import (
	"bytes"
	"fmt"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// FileScenario is a topology and a flow list of the user's.
func FileScenario(topology, flows string) *Scenario {
	return &Scenario{
		Name: flows, Doc: "flows of a file on the network of " + topology,
		SampleEvery: 5 * sluice.Microsecond, ofFiles: true,
		Build: func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
			topologyText, err := readFile(topology)
			if err != nil {
				return nil, nil, err
			}
			flowText, err := readFile(flows)
			if err != nil {
				return nil, nil, err
			}
			return ReadNetwork(topology, topologyText, flows, flowText)
		},
	}
}

func readFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read: %w", err)
	}
	return content, nil
}

func ReadNetwork(
	topologyName string, topology []byte, flowsName string, flowText []byte,
) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.Read(bytes.NewReader(topology), topologyName)
	if err != nil {
		return nil, nil, err
	}
	flows, err := workload.ReadFlows(bytes.NewReader(flowText), flowsName, graph)
	return graph, flows, err
}
