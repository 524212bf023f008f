package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
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
	Changes     []string          `json:"changes" jsonschema:"what was changed of the scenario, as flags; published numbers are about the scenario as it is, and null here if anything was changed"`
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
	LostPackets      int64                     `json:"lost_packets" jsonschema:"packets that a failed link carried, not in dropped_packets"`
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
	Slowdown         run.ByGroup[*run.Summary] `json:"slowdown" jsonschema:"completion time over the time in an empty network"`
	Published        *publishedRecord          `json:"published" jsonschema:"null where others published no result of this scenario under this protocol"`
	Claims           []claimRecord             `json:"claims" jsonschema:"numbers of the paper and ours, and comparisons of this run with others of the same results"`
	Jobs             []JobRecord               `json:"jobs" jsonschema:"schedules on hosts"`
	Notes            []string                  `json:"notes" jsonschema:"sentences for the reader"`
	Ports            []PortRecord              `json:"ports" jsonschema:"all ports since the warm-up; null if nothing is watched"`
	Series           seriesRecord              `json:"series" jsonschema:"the network over time since the first flow; every list has a number per sample"`
	Steered          steeredRecord             `json:"steered" jsonschema:"what sources did that choose between domains, at the times of the series; empty lists if none does"`
	Probes           probesRecord              `json:"probes" jsonschema:"ports and flows that are watched, over time; every list has a number per sample"`
}

type topologyRecord struct {
	Name            string `json:"name"`
	Hosts           int    `json:"hosts"`
	Switches        int    `json:"switches"`
	ForwardingHosts int    `json:"forwarding_hosts" jsonschema:"hosts with several links, which forward packets of others"`
}

func makeTopology(g *topo.Graph) topologyRecord {
	hosts := g.Hosts()
	r := topologyRecord{Name: g.Name, Hosts: len(hosts), Switches: len(g.Nodes) - len(hosts)}
	for _, host := range hosts {
		if g.Forwards(host) {
			r.ForwardingHosts++
		}
	}
	return r
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
	Statement      string   `json:"statement" jsonschema:"of the paper, in words of this program's; empty where the paper gives nothing"`
	Place          string   `json:"place" jsonschema:"where the paper states it"`
	Source         string   `json:"source" jsonschema:"of the published number: text, curve (read off a figure), derived (computed from what the paper gives), formula (of the paper, evaluated), measured (by others, on the same traffic)"`
	Kind           string   `json:"kind" jsonschema:"of what is published: exact, about, at most, at least, up to, range, order, none (a 0), words; empty for nothing"`
	What           string   `json:"what" jsonschema:"what is measured; in a comparison with another run, its kind and that run too"`
	Unit           string   `json:"unit" jsonschema:"empty for counts and shares"`
	Figure         string   `json:"figure" jsonschema:"of the paper that draws it; empty for the figure of the scenario"`
	Baseline       string   `json:"baseline" jsonschema:"fc of the run that this one is compared with; empty if with none"`
	PublishedLow   *float64 `json:"published_low" jsonschema:"as the paper gives it; null without a lower bound"`
	PublishedHigh  *float64 `json:"published_high" jsonschema:"equal to published_low for a number; null without an upper bound"`
	PublishedWords string   `json:"published_words" jsonschema:"where the paper gives no number"`
	Value          *float64 `json:"value" jsonschema:"ours; null if it could not be measured, or words say it"`
	Spread         *float64 `json:"spread" jsonschema:"standard deviation of the values whose mean is value; null if unknown"`
	Words          string   `json:"words" jsonschema:"ours, where no number says it"`
	Verdict        string   `json:"verdict" jsonschema:"of this cell; the statement's verdict is of all its cells"`
	Note           string   `json:"note" jsonschema:"what a reader has to know beside it"`
}

func makeClaims(findings []run.Finding, fc string) []claimRecord {
	records := []claimRecord{}
	for i := range findings {
		f := &findings[i]
		if f.Run != fc {
			continue
		}
		r := claimRecord{
			What: f.What, Unit: f.Unit, Figure: f.Figure, Baseline: f.Baseline, Kind: string(f.Kind()),
			Value: finite(f.Measured.Value), Words: f.Measured.Words, Verdict: string(f.Verdict()),
			Note: f.Claim.Note,
		}
		if f.Part() {
			r.Statement, r.Place, r.Source = f.Claim.Statement, f.Claim.Place, string(f.Claim.Source)
		}
		if f.Measured.Spread > 0 {
			r.Spread = finite(f.Measured.Spread)
		}
		if p := f.Published; p != nil {
			r.PublishedLow, r.PublishedHigh, r.PublishedWords = finite(p.Low), finite(p.High), p.Words
		}
		records = append(records, r)
	}
	return records
}

// finite returns a number rounded to six digits; nil if it is infinite or no number.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	x = run.Round6(x)
	return &x
}

type steeredRecord struct {
	TimeUS     []float64 `json:"time_us" jsonschema:"simulated time"`
	W          []float64 `json:"w" jsonschema:"share of flows that go by the high-bandwidth domain first, mean over the pairs of nodes that had a choice"`
	ClosedForm []float64 `json:"closed_form" jsonschema:"min(1, p B_H / D) with what is in flight, mean over the same pairs"`
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

// MakeRecord returns the record of one run, with what was found of it.
func MakeRecord(s *run.Subject, o *run.Outcome, findings []run.Finding) Record {
	own := o.Subject // s, or with the parameters of a variant
	r, seen := o.Result, o.Result.Seen
	if own.RatesOnly {
		seen = nil
	}
	rec := Record{
		Scenario: s.Name, Description: s.Describe(), Version: Version(), FC: o.FC, Seed: s.Seed,
		Parameters: o.Subject.Values.Set(),
		Changes:    append([]string{}, s.Changes...), Topology: makeTopology(own.Graph),
		Flows: own.Count(), FlowBytes: int64(own.FlowBytes()), Completed: r.Completed,
		Deadlock: r.Deadlock,
		WarmUpUS: run.Round6(s.WarmUp.Microseconds()), Stalled: r.Stalled, Ports: makePorts(own, seen),
		Probes: makeProbes(seen), Failures: s.Failures.Words(), LostPackets: r.LostOnWire,
		DroppedPackets: r.Dropped, ExpiredPackets: r.Expired, ReorderedPackets: r.Reordered,
		MarkedPackets: r.Marked, Timeouts: r.Timeouts, PacketHops: r.PacketHops, Events: r.Events,
		FirstFlowUS: run.Round6(own.FirstStart().Microseconds()),
		SimulatedUS: run.Round6(r.Simulated.Microseconds()),
		WallS:       r.Wall.Seconds(), PacketHopsPerS: run.Round6(o.HopsPerSecond()),
		PeakRSSBytes:   o.PeakRSS,
		MaxSwitchBytes: int64(r.MaxSwitchBytes), MaxPortBytes: int64(r.MaxPortBytes),
		ControlSent: o.Frames(), ControlFrames: orEmpty(r.ControlFrames), Figures: orEmpty(r.Figures),
		Drops: []dropRecord{}, FCTUS: o.FCT, Slowdown: o.Slowdown, Published: makePublished(s, o),
		Claims: makeClaims(findings, o.FC), Jobs: makeJobs(r.Jobs),
		Notes: append([]string{}, r.Notes...), Series: makeSeries(r.Series),
		Steered: makeSteered(r.Steered),
	}
	counts := own.Counted()
	for _, g := range run.ReportGroups(own.Groups) {
		*rec.Groups.Of(g) = GroupRecord{counts[g], o.Completed(g), o.Completion(g)}
	}
	for _, d := range r.Drops {
		rec.Drops = append(rec.Drops,
			dropRecord{d.At.String(), d.Reason.String(), d.Packets, run.Round6(d.First.Microseconds())})
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
	others := published(s)
	if others == nil || others.FCT[o.FC] == nil {
		return nil
	}
	p := &publishedRecord{Source: others.Source}
	for _, g := range run.PaperGroups {
		theirs, ok := others.Mean(o.FC, s.Groups, g)
		if ours := *o.FCT.Of(g); ok && ours != nil {
			ratio := run.Round6(ours.Mean / theirs)
			*p.MeanFCTUS.Of(g), *p.Ratio.Of(g) = &theirs, &ratio
		}
	}
	return p
}

// column returns a number of each sample.
func column[S, N any](samples []S, of func(*S) N) []N {
	numbers := make([]N, len(samples))
	for i := range samples {
		numbers[i] = of(&samples[i])
	}
	return numbers
}

func makeSteered(samples []sim.SteeringSample) (r steeredRecord) {
	r.TimeUS = column(samples, func(s *sim.SteeringSample) float64 {
		return run.Round6(s.At.Microseconds())
	})
	r.W = column(samples, func(s *sim.SteeringSample) float64 { return run.Round6(s.Weight) })
	r.ClosedForm = column(samples, func(s *sim.SteeringSample) float64 {
		return run.Round6(s.ClosedForm)
	})
	return r
}

func makeSeries(samples []sim.Sample) (r seriesRecord) {
	delivered := func(g workload.Group) []int64 {
		return column(samples, func(s *sim.Sample) int64 { return int64(s.DeliveredBytes[g]) })
	}
	r.TimeUS = column(samples, func(s *sim.Sample) float64 { return run.Round6(s.At.Microseconds()) })
	r.MaxPortBytes = column(samples, func(s *sim.Sample) int64 { return int64(s.MaxPortBytes) })
	r.TotalBytes = column(samples, func(s *sim.Sample) int64 { return int64(s.TotalBytes) })
	r.PausedQueues = column(samples, func(s *sim.Sample) int64 { return int64(s.PausedQueues) })
	r.IncastDelivered = delivered(workload.Incast)
	r.VulnerableDelivered = delivered(workload.Vulnerable)
	r.BackgroundDelivered = delivered(workload.Background)
	return r
}

// WriteJSON writes one array with an object per protocol, in the order of the runs: a line per key,
// but one line for the long lists of the series, of what was steered and of the probes.
func WriteJSON(w io.Writer, s *run.Subject, outcomes []*run.Outcome) error {
	var out []byte
	findings := findings(s, outcomes)
	for i, o := range outcomes {
		rec := MakeRecord(s, o, findings)
		long := []struct {
			key   string
			lists any
		}{{"series", rec.Series}, {"steered", rec.Steered}, {"probes", rec.Probes}}
		rec.Series, rec.Steered, rec.Probes = seriesRecord{}, steeredRecord{}, probesRecord{}
		object, err := json.MarshalIndent(rec, "  ", "  ")
		if err != nil {
			return err
		}
		// The long lists are the last keys: what was written of them goes.
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
