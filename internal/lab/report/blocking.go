package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Blocking is a scenario whose flows are all under way, and what the model says of each protocol.
type Blocking struct {
	subject   *run.Subject
	congested []sluice.Hop
	Models    []HolModel
}

// HolModel is what the model says of one protocol.
type HolModel struct {
	FC           string    `json:"fc"`
	PortQueues   int       `json:"port_queues"`  // at the port that needs most
	TotalQueues  int       `json:"total_queues"` // at all ports
	BlockedFlows int       `json:"blocked_flows"`
	Circle       string    `json:"circle"` // of queues that may wait for one another, "" for none
	Cases        []holCase `json:"cases"`
}

// holCase is a flow that waits in a queue for a port that is not ahead of it.
type holCase struct {
	Flow  int    `json:"flow"`
	Src   int    `json:"src"`
	Dst   int    `json:"dst"`
	Queue string `json:"queue"`
	Port  string `json:"port"`
	Pause int    `json:"pauser"` // the flow through the port that shares the queue
}

// NewBlocking has the model look at a subject with some ports congested; with none, the last ports
// of the incast are. If strict, every protocol must have a model; else a protocol without a model
// is left out.
func NewBlocking(s *run.Subject, congested []sluice.Hop, strict bool) (*Blocking, error) {
	flows, err := paths(s)
	if err != nil {
		return nil, err
	}
	a := &Blocking{subject: s, congested: congested}
	if len(a.congested) == 0 {
		a.congested = incastPorts(s, flows)
	}
	for _, hop := range a.congested {
		if err := s.CheckPort("-congested", hop); err != nil {
			return nil, err
		}
	}
	state, err := hol.New(flows, a.congested)
	if err != nil {
		return nil, err
	}
	for _, fc := range s.Protocols {
		protocol, err := fabric.Find(fc)
		if err != nil {
			return nil, err
		}
		strategy := protocol.Model(s.Values)
		switch {
		case strategy != nil:
			a.Models = append(a.Models, analyse(s, fc, state, strategy(state)))
		case strict:
			return nil, fmt.Errorf("flow control %s has no model of head-of-line blocking", fc)
		}
	}
	return a, s.CheckUnread()
}

// paths returns the ways of all flows, as the switches hash them. A way that loops ends where it
// meets itself.
func paths(s *run.Subject) ([]hol.Flow, error) {
	network, err := fabric.Forwarding(s.Graph, s.Seed, s.Routes...)
	if err != nil {
		return nil, err
	}
	var flows []hol.Flow
	for i := range s.Flows {
		key := workload.Key(&s.Flows[i], i)
		flow := hol.Flow{ID: key.Hash()}
		for at, ingress := s.Flows[i].Src, sluice.Local; at != s.Flows[i].Dst; {
			path, status := network.Path(at, ingress, &key)
			if path.Len() == 0 {
				return nil, fmt.Errorf("flow %d has no way on from node %d: %v", i, at, status)
			}
			hop := path.At(0)
			looped := slices.Contains(flow.Path, hop)
			flow.Path = append(flow.Path, hop)
			if looped {
				break
			}
			end := s.Graph.Nodes[hop.Switch].Ports[hop.Port]
			at, ingress = end.Peer, end.PeerPort
		}
		flows = append(flows, flow)
	}
	return flows, nil
}

// incastPorts returns the last ports of the incast's flows, or of all flows if there is no incast.
func incastPorts(s *run.Subject, flows []hol.Flow) []sluice.Hop {
	var ports []sluice.Hop
	counts := s.CountGroups()
	for i, f := range flows {
		if s.Groups[i] == workload.Incast || counts[workload.Incast] == 0 {
			ports = append(ports, f.Path[len(f.Path)-1])
		}
	}
	slices.SortFunc(ports, func(a, b sluice.Hop) int {
		return strings.Compare(a.String(), b.String())
	})
	return slices.Compact(ports)
}

func analyse(s *run.Subject, fc string, state *hol.Scenario, a *hol.Assignment) HolModel {
	m := HolModel{FC: fc, TotalQueues: a.Total().InUse, Cases: []holCase{}}
	for _, port := range state.Ports() {
		m.PortQueues = max(m.PortQueues, a.CountAt(port).InUse)
	}
	blocked := map[int]bool{}
	for _, w := range a.Blocked() {
		blocked[w.Flow] = true
		f := &s.Flows[w.Flow]
		m.Cases = append(
			m.Cases, holCase{w.Flow, int(f.Src), int(f.Dst), w.In.String(), w.Root.String(), w.Because},
		)
	}
	m.BlockedFlows = len(blocked)
	var graph hol.WaitGraph
	a.Waits(&graph)
	m.Circle = hol.Describe(graph.Cycle())
	return m
}

func (a *Blocking) WriteTables(w io.Writer, cases int) error {
	var b strings.Builder
	WriteHeading(&b, a.subject, a.subject.Seed)
	ports := make([]string, len(a.congested))
	for i, hop := range a.congested {
		ports[i] = hop.String()
	}
	const shown = 8
	text := "congested: " + strings.Join(ports[:min(shown, len(ports))], ", ")
	if more := len(ports) - shown; more > 0 {
		text += fmt.Sprintf(" and %s", show.Plural(more, "other port"))
	}
	b.WriteString(text + "\n\n")
	t := show.NewTable(
		1, "fc", "queues at a port", "in all", "blocked flows", "cases", "waits in a circle",
	)
	for _, m := range a.Models {
		circle := "no"
		if m.Circle != "" {
			circle = "yes"
		}
		t.Add(m.FC, show.Thousands(m.PortQueues), show.Thousands(m.TotalQueues),
			show.Thousands(m.BlockedFlows), show.Thousands(len(m.Cases)), circle)
	}
	b.WriteString(t.String() + "\n\n")
	writeLines(&b, "queues at a port: that needs most; blocked: flows that wait for a "+
		"congested port which is not ahead of them (Pyrrha paper, Definition 7), a case per queue "+
		"they wait in; waits in a circle: queues may wait for one another, a deadlock in the making.")
	for _, m := range a.Models {
		a.writeCases(&b, &m, cases)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *Blocking) writeCases(b *strings.Builder, m *HolModel, cases int) {
	if len(m.Cases) == 0 && m.Circle == "" {
		return
	}
	fmt.Fprintf(b, "\n%s\n", m.FC)
	var notes []string
	for _, c := range m.Cases[:min(cases, len(m.Cases))] {
		notes = append(notes,
			fmt.Sprintf("flow %d, host %d to %d, waits in queue %s for port %s, which is not ahead of it "+
				"but of flow %d, which shares the queue",
				c.Flow, c.Src, c.Dst, c.Queue, c.Port, c.Pause))
	}
	if more := len(m.Cases) - cases; more > 0 {
		notes = append(notes, fmt.Sprintf("and %s", show.Plural(more, "other case")))
	}
	if m.Circle != "" {
		notes = append(notes, m.Circle)
	}
	WriteList(b, notes)
}
