package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Record is the JSON object of one protocol; schema.json is made from it. Keys keep this order. For
// one seed and one set of parameters every byte is the same in every run, except wall_s,
// packet_hops_per_s and peak_rss_bytes.
type Record struct {
	Scenario    string            `json:"scenario"`
	Description string            `json:"description"`
	Version     string            `json:"version" jsonschema:"of the program: module version and revision"`
	FC          string            `json:"fc" jsonschema:"flow control"`
	Seed        uint64            `json:"seed"`
	Parameters  map[string]string `json:"parameters" jsonschema:"set by the scenario or the user; the others have the defaults that the command list prints"`
	Topology    topologyRecord    `json:"topology"`
	Failures    []string          `json:"failures" jsonschema:"of links, as PORT@TIME or PORT@TIME-TIME"`

	Flows            int                       `json:"flows"`
	FlowBytes        int64                     `json:"flow_bytes" jsonschema:"payload of all flows"`
	Completed        int                       `json:"completed" jsonschema:"flows; completion times and slowdowns are theirs"`
	Groups           run.ByGroup[GroupRecord]  `json:"groups"`
	WarmUpUS         float64                   `json:"warmup_us" jsonschema:"flows that start before are not counted in groups, fct_us and slowdown, nor is anything in ports"`
	Stalled          bool                      `json:"stalled" jsonschema:"the run was ended because nothing moved and nothing would"`
	Deadlock         string                    `json:"deadlock" jsonschema:"the queues that wait for one another in a circle at the end; empty if there are none"`
	DroppedPackets   int64                     `json:"dropped_packets"`
	LostPackets      int64                     `json:"lost_packets" jsonschema:"that a failed link carried, not in dropped_packets"`
	ExpiredPackets   int64                     `json:"expired_packets" jsonschema:"discarded at their hop limit, not in dropped_packets"`
	ReorderedPackets int64                     `json:"reordered_packets"`
	MarkedPackets    int64                     `json:"marked_packets" jsonschema:"data packets that arrived with congestion experienced"`
	Timeouts         int64                     `json:"timeouts" jsonschema:"retransmission timers that found no progress"`
	PacketHops       int64                     `json:"packet_hops" jsonschema:"transmissions of any packet on any link"`
	Events           int64                     `json:"events"`
	FirstFlowUS      float64                   `json:"first_flow_us" jsonschema:"simulated time when the first flow starts"`
	SimulatedUS      float64                   `json:"simulated_us" jsonschema:"simulated time of the last event"`
	WallS            float64                   `json:"wall_s"`
	PacketHopsPerS   float64                   `json:"packet_hops_per_s" jsonschema:"transmissions per second of wall time"`
	PeakRSSBytes     *int64                    `json:"peak_rss_bytes" jsonschema:"null unless -memory is given"`
	MaxSwitchBytes   int64                     `json:"max_switch_bytes" jsonschema:"largest amount held in one switch"`
	MaxPortBytes     int64                     `json:"max_port_bytes" jsonschema:"largest amount held for one egress port"`
	ControlSent      int64                     `json:"control_frames_sent"`
	ControlFrames    map[string]int64          `json:"control_frames" jsonschema:"sent, by kind"`
	Figures          map[string]int64          `json:"figures" jsonschema:"numbers of the protocol's own"`
	Drops            []dropRecord              `json:"drops" jsonschema:"by place, in order of the first loss"`
	FCTUS            run.ByGroup[*run.Summary] `json:"fct_us" jsonschema:"flow completion time; null where no flow completed"`
	Slowdown         run.ByGroup[*run.Summary] `json:"slowdown" jsonschema:"completion time over that in an empty network"`
	Published        *publishedRecord          `json:"published" jsonschema:"null if nobody published this scenario under this protocol"`
	Claims           []claimRecord             `json:"claims" jsonschema:"numbers of the paper and ours"`
	Notes            []string                  `json:"notes" jsonschema:"sentences for the reader"`
	Ports            []PortRecord              `json:"ports" jsonschema:"all ports since the warm-up; null if nothing is watched"`
	Series           seriesRecord              `json:"series" jsonschema:"the network over time since the first flow; every list has a number per sample"`
	Steered          steeredRecord             `json:"steered" jsonschema:"what sources did that choose between domains, at the times of the series; empty lists if none does"`
	Probes           probesRecord              `json:"probes" jsonschema:"ports and flows that are watched, over time; every list has a number per sample"`
}

type topologyRecord struct {
	Name     string `json:"name"`
	Hosts    int    `json:"hosts"`
	Switches int    `json:"switches"`
}

type GroupRecord struct {
	Flows        int      `json:"flows"`
	Completed    int      `json:"completed"`
	CompletionUS *float64 `json:"completion_us" jsonschema:"from the first start to the last arrival; null unless all completed"`
}

type dropRecord struct {
	At      string  `json:"at" jsonschema:"switch:port"`
	Reason  string  `json:"reason"`
	Packets int64   `json:"packets"`
	FirstUS float64 `json:"first_us"`
}

type publishedRecord struct {
	Source    string                `json:"source"`
	MeanFCTUS run.ByGroup[*float64] `json:"mean_fct_us"`
	Ratio     run.ByGroup[*float64] `json:"ratio" jsonschema:"our mean over theirs"`
}

type claimRecord struct {
	What  string `json:"what"`
	Paper string `json:"paper" jsonschema:"empty where the paper gives no number"`
	Ours  string `json:"ours"`
}

type steeredRecord struct {
	TimeUS     []float64 `json:"time_us" jsonschema:"simulated time"`
	W          []float64 `json:"w" jsonschema:"share of flows that go by the high-bandwidth domain first, mean over the pairs of nodes that had a choice"`
	ClosedForm []float64 `json:"closed_form" jsonschema:"min(1, p B_H / D) with what is in flight, the same mean"`
}

type seriesRecord struct {
	TimeUS              []float64 `json:"time_us" jsonschema:"simulated time"`
	MaxPortBytes        []int64   `json:"max_port_bytes" jsonschema:"longest egress queue of any switch"`
	TotalBytes          []int64   `json:"total_bytes" jsonschema:"held in all switches"`
	PausedQueues        []int64   `json:"paused_queues" jsonschema:"queues with packets that are held"`
	IncastDelivered     []int64   `json:"incast_delivered_bytes" jsonschema:"payload since the last sample"`
	VulnerableDelivered []int64   `json:"vulnerable_delivered_bytes"`
	BackgroundDelivered []int64   `json:"background_delivered_bytes"`
}

func MakeRecord(s *run.Subject, o *run.Outcome) Record {
	r := o.Result
	rec := Record{
		Scenario: s.Name, Description: s.Describe(), Version: Version(), FC: o.FC, Seed: s.Seed,
		Parameters: o.Subject.Values.Set(),
		Topology: topologyRecord{
			s.Graph.Name, len(s.Graph.Hosts()), len(s.Graph.Nodes) - len(s.Graph.Hosts()),
		},
		Flows: len(r.Flows), FlowBytes: int64(s.FlowBytes()), Completed: r.Completed,
		Deadlock: r.Deadlock,
		WarmUpUS: run.Round6(s.WarmUp.Microseconds()), Stalled: r.Stalled, Ports: makePorts(s, r.Seen),
		Probes:   makeProbes(r.Seen),
		Failures: s.Failures.Words(), LostPackets: r.LostOnWire,
		DroppedPackets: r.Dropped, ExpiredPackets: r.Expired, ReorderedPackets: r.Reordered,
		MarkedPackets: r.Marked, Timeouts: r.Timeouts,
		PacketHops: r.PacketHops, Events: r.Events,
		FirstFlowUS: run.Round6(s.FirstStart().Microseconds()),
		SimulatedUS: run.Round6(r.Simulated.Microseconds()),
		WallS:       r.Wall.Seconds(), PacketHopsPerS: run.Round6(o.HopsPerSecond()), PeakRSSBytes: o.PeakRSS,
		MaxSwitchBytes: int64(r.MaxSwitchBytes), MaxPortBytes: int64(r.MaxPortBytes),
		ControlSent: o.Frames(), ControlFrames: orEmpty(r.ControlFrames), Figures: orEmpty(r.Figures),
		Drops: []dropRecord{}, FCTUS: o.FCT, Slowdown: o.Slowdown, Published: makePublished(s, o),
		Claims: []claimRecord{},
		Notes:  append([]string{}, r.Notes...), Series: makeSeries(r.Series),
		Steered: makeSteered(r.Steered),
	}
	counts := s.Counted()
	for _, g := range run.ReportGroups {
		*rec.Groups.Of(g) = GroupRecord{counts[g], o.Completed(g), o.Completion(g)}
	}
	for _, d := range r.Drops {
		rec.Drops = append(
			rec.Drops,
			dropRecord{d.At.String(), d.Reason.String(), d.Packets, run.Round6(d.First.Microseconds())},
		)
	}
	if s.Claims != nil {
		for _, c := range s.Claims(s, []*run.Outcome{o}) {
			rec.Claims = append(rec.Claims, claimRecord{c.What, c.Published, c.Ours})
		}
	}
	return rec
}

func orEmpty(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}

func makePublished(s *run.Subject, o *run.Outcome) *publishedRecord {
	if s.Published == nil || s.Published.FCT[o.FC] == nil {
		return nil
	}
	p := &publishedRecord{Source: s.Published.Source}
	for _, g := range run.ReportGroups {
		theirs, ok := s.Published.Mean(o.FC, s.Groups, g)
		if ours := *o.FCT.Of(g); ok && ours != nil {
			ratio := run.Round6(ours.Mean / theirs)
			*p.MeanFCTUS.Of(g), *p.Ratio.Of(g) = &theirs, &ratio
		}
	}
	return p
}

func makeSteered(samples []sim.SteeringSample) steeredRecord {
	n := len(samples)
	r := steeredRecord{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i, s := range samples {
		r.TimeUS[i], r.W[i] = run.Round6(s.At.Microseconds()), run.Round6(s.Weight)
		r.ClosedForm[i] = run.Round6(s.ClosedForm)
	}
	return r
}

func makeSeries(samples []sim.Sample) seriesRecord {
	var s seriesRecord
	for _, list := range []*[]int64{
		&s.MaxPortBytes, &s.TotalBytes, &s.PausedQueues, &s.IncastDelivered, &s.VulnerableDelivered,
		&s.BackgroundDelivered,
	} {
		*list = make([]int64, len(samples))
	}
	s.TimeUS = make([]float64, len(samples))
	for i := range samples {
		sample := &samples[i]
		s.TimeUS[i] = run.Round6(sample.At.Microseconds())
		s.MaxPortBytes[i], s.TotalBytes[i] = int64(sample.MaxPortBytes), int64(sample.TotalBytes)
		s.PausedQueues[i] = int64(sample.PausedQueues)
		s.IncastDelivered[i] = int64(sample.DeliveredBytes[workload.Incast])
		s.VulnerableDelivered[i] = int64(sample.DeliveredBytes[workload.Vulnerable])
		s.BackgroundDelivered[i] = int64(sample.DeliveredBytes[workload.Background])
	}
	return s
}

// WriteJSON writes one array with an object per protocol, in the order of the runs: a line per key,
// but one line for the long lists of the series, of what was steered and of the probes.
func WriteJSON(w io.Writer, s *run.Subject, outcomes []*run.Outcome) error {
	var out []byte
	for i, o := range outcomes {
		rec := MakeRecord(s, o)
		long := []struct {
			key   string
			lists any
		}{{"series", rec.Series}, {"steered", rec.Steered}, {"probes", rec.Probes}}
		rec.Series, rec.Steered, rec.Probes = seriesRecord{}, steeredRecord{}, probesRecord{}
		object, err := json.MarshalIndent(rec, "  ", "  ")
		if err != nil {
			return err
		}
		// The long ones are the last keys: what was written of them goes.
		object = object[:bytes.LastIndex(object, []byte(",\n    \"series\": "))]
		for _, l := range long {
			line, err := json.Marshal(l.lists)
			if err != nil {
				return err
			}
			object = fmt.Appendf(object, ",\n    %q: %s", l.key, line)
		}
		out = fmt.Appendf(out, "%s%s\n  }", [...]string{"[\n  ", ",\n  "}[min(i, 1)], object)
	}
	_, err := w.Write(append(out, "\n]\n"...))
	return err
}
