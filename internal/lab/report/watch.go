package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

type PortRecord struct {
	At                string  `json:"at" jsonschema:"switch:port"`
	MeanQueueBytes    int64   `json:"mean_queue_bytes" jsonschema:"weighted with time"`
	LongestQueueBytes int64   `json:"longest_queue_bytes"`
	SentBytes         int64   `json:"sent_bytes" jsonschema:"of packets"`
	Utilization       float64 `json:"utilization" jsonschema:"share of the link's rate"`
	Frames            int64   `json:"frames" jsonschema:"control frames sent"`
	Pauses            int64   `json:"pauses" jsonschema:"times that downstream began to pause a queue; 0 unless the port is watched or -pfc is given"`
	HeldUS            float64 `json:"held_us" jsonschema:"in which downstream paused a queue; as pauses"`
	UE                int64   `json:"ue" jsonschema:"packets marked UE here"`
	CE                int64   `json:"ce"`
}

type probesRecord struct {
	Ports []portProbeRecord `json:"ports"`
	Flows []flowProbeRecord `json:"flows"`
}

type portProbeRecord struct {
	At           string    `json:"at"`
	TimeUS       []float64 `json:"time_us"`
	BacklogBytes []int64   `json:"backlog_bytes"`
	HeldQueues   []int64   `json:"held_queues" jsonschema:"that downstream pauses"`
	SentBytes    []int64   `json:"sent_bytes" jsonschema:"of packets, since the last sample"`
	Pauses       []int64   `json:"pauses" jsonschema:"since the last sample"`
	UE           []int64   `json:"ue" jsonschema:"packets marked so here, since the last sample"`
	CE           []int64   `json:"ce"`
	State        []string  `json:"state" jsonschema:"of the detector: 0, 1, / or D under tcd, empty otherwise"`
}

type flowProbeRecord struct {
	Flow          int64     `json:"flow" jsonschema:"place in the list of flows, from 0 on"`
	TimeUS        []float64 `json:"time_us"`
	SetRateBPS    []int64   `json:"set_rate_bps" jsonschema:"of the control; 0 before the flow starts and after its end"`
	ReceivedBytes []int64   `json:"received_bytes" jsonschema:"payload, since the last sample"`
}

func makePorts(s *run.Subject, seen *probe.Report) []PortRecord {
	if seen == nil {
		return nil
	}
	var records []PortRecord
	for i := range seen.Ports {
		p := &seen.Ports[i]
		records = append(records, PortRecord{
			At: p.At.String(), MeanQueueBytes: int64(p.MeanQueue), LongestQueueBytes: int64(p.LongestQueue),
			SentBytes: int64(p.Sent), Utilization: run.Round6(run.Utilization(p, s.RateOfPort(p.At), seen)),
			Frames: p.Frames,
			Pauses: p.Pauses, HeldUS: run.Round6(p.Held.Microseconds()), UE: p.UE, CE: p.CE,
		})
	}
	return records
}

func makeProbes(seen *probe.Report) probesRecord {
	r := probesRecord{Ports: []portProbeRecord{}, Flows: []flowProbeRecord{}}
	if seen == nil {
		return r
	}
	for _, s := range seen.Series {
		r.Ports = append(r.Ports, portProbeRecord{
			At: s.At.String(), TimeUS: inMicroseconds(s.Time), BacklogBytes: integers(s.Backlog),
			HeldQueues: integers(s.Held), SentBytes: integers(s.Sent), Pauses: integers(s.Pauses),
			UE: integers(s.UE), CE: integers(s.CE), State: append([]string{}, s.State...),
		})
	}
	for _, f := range seen.Flows {
		r.Flows = append(r.Flows, flowProbeRecord{
			Flow: int64(f.Flow), TimeUS: inMicroseconds(f.Time), SetRateBPS: integers(f.Set),
			ReceivedBytes: integers(f.Received),
		})
	}
	return r
}

func inMicroseconds(times []sluice.Time) []float64 {
	return column(times, func(t *sluice.Time) float64 { return run.Round6(t.Microseconds()) })
}

func integers[T ~int | ~int64](values []T) []int64 {
	return column(values, func(v *T) int64 { return int64(*v) })
}

func writeWatchTables(b *strings.Builder, s *run.Subject, outcomes []*run.Outcome) {
	if s.Probes == nil || s.RatesOnly {
		return
	}
	ports := show.NewTable(
		2, "  fc", "port", "mean kB", "longest", "used", "pauses", "held us", "UE", "CE",
	)
	flows := show.NewTable(1, "  fc", "flow", "set Gb/s", "got Gb/s")
	for _, o := range outcomes {
		own, seen := o.Subject, o.Result.Seen // a variant may have a network of its own
		for i := range seen.Ports {
			p := &seen.Ports[i]
			if !slices.Contains(own.Probes.Ports, p.At) {
				continue
			}
			ports.Add("  "+o.FC, p.At.String(), show.Significant(float64(p.MeanQueue)/1e3),
				show.Significant(float64(p.LongestQueue)/1e3),
				fmt.Sprintf("%.3f", run.Utilization(p, own.RateOfPort(p.At), seen)),
				show.Thousands(p.Pauses), show.Significant(p.Held.Microseconds()),
				show.Thousands(p.UE), show.Thousands(p.CE))
		}
		for _, f := range seen.Flows {
			set, got := run.MeanRates(f, seen)
			flows.Add("  "+o.FC, strconv.Itoa(int(f.Flow)), show.Significant(set/1e9),
				show.Significant(got/1e9))
		}
	}
	since := ""
	if s.WarmUp > 0 {
		since = fmt.Sprintf(" from %v on", s.WarmUp)
	}
	if len(s.Probes.Ports) > 0 {
		fmt.Fprintf(b, "\nPorts%s: queues in kB, share of the link used\n\n%s\n", since, ports.String())
	}
	if len(s.Probes.Flows) > 0 {
		fmt.Fprintf(
			b, "\nFlows%s: rate that the control set, payload that came\n\n%s\n", since, flows.String(),
		)
	}
}

// Watched returns two panels for each port, of queue and rate under each protocol, in rows of at
// most four, and a panel of the rates of flows for each protocol, in rows of at most three.
func Watched(f *draw.Figure, s *run.Subject, outcomes []*run.Outcome) (rows [][]*draw.Panel) {
	if s.Probes == nil {
		return nil
	}
	panel := func(name, title, y string) *draw.Panel {
		return &draw.Panel{Name: name, Title: title, XLabel: "time, us", YLabel: y}
	}
	var ports, flows []*draw.Panel
	for i, at := range s.Probes.Ports {
		queue := panel(fmt.Sprintf("port-queue:%v", at), fmt.Sprintf("queue of port %v", at), "queue, kB")
		rate := panel(fmt.Sprintf("port-rate:%v", at), fmt.Sprintf("rate of port %v", at), "rate, Gb/s")
		for _, o := range outcomes {
			p := o.Result.Seen.Series[i]
			backlog := func(j int) float64 { return float64(p.Backlog[j]) / 1e3 }
			queue.Curves = append(queue.Curves, draw.Curve{FC: o.FC, Points: sampledLine(p.Time, backlog)})
			rate.Curves = append(rate.Curves, draw.Curve{FC: o.FC, Points: rateLine(p.Time, p.Sent)})
		}
		ports = append(ports, queue, rate)
	}
	for _, o := range outcomes {
		if len(s.Probes.Flows) == 0 {
			break
		}
		p := panel("flows:"+o.FC, o.FC+": rate of each flow", "rate, Gb/s")
		AddRates(f, p, o.Result.Seen.Flows)
		if controlled := o.Subject.Values.String("cc") != "none"; controlled {
			addSetRates(f, p, o.Result.Seen.Flows)
		}
		flows = append(flows, p)
	}
	return slices.AppendSeq(slices.Collect(slices.Chunk(ports, 4)), slices.Chunk(flows, 3))
}

// AddRates adds the rates at which flows get through to a panel, and their lines to the legend.
func AddRates(f *draw.Figure, p *draw.Panel, flows []*probe.FlowSeries) {
	for _, flow := range flows {
		f.AddCurve(p, fmt.Sprint("flow ", flow.Flow), rateLine(flow.Time, flow.Received))
	}
}

// mostSetRates is for how many flows the rates are drawn that the control has set: more lines hide
// one another.
const mostSetRates = 4

func addSetRates(f *draw.Figure, p *draw.Panel, flows []*probe.FlowSeries) {
	if len(flows) > mostSetRates {
		return
	}
	for _, flow := range flows {
		set := func(i int) float64 { return float64(flow.Set[i]) / 1e9 }
		f.AddCurve(p, fmt.Sprintf("flow %d, set", flow.Flow), sampledLine(flow.Time, set))
	}
}

// sampledLine returns a point per sample, fewer if there are more than a picture shows.
func sampledLine(times []sluice.Time, y func(i int) float64) []draw.Point {
	var line []draw.Point
	for i := 0; i < len(times); i += 1 + len(times)/fineBins {
		line = append(line, draw.Point{X: times[i].Microseconds(), Y: y(i)})
	}
	return line
}

// rateLine returns the rate of bytes in Gb/s over spans long enough to hold many packets.
func rateLine(times []sluice.Time, bytes []sluice.Bytes) []draw.Point {
	var line []draw.Point
	step := 1 + len(times)/coarseBins
	var sum sluice.Bytes
	last := sluice.Time(0)
	for i, at := range times {
		sum += bytes[i]
		if (i+1)%step == 0 || i == len(times)-1 {
			rate := float64(run.RateOf(sum, at-last)) / 1e9
			line = append(line, draw.Point{X: at.Microseconds(), Y: rate})
			sum, last = 0, at
		}
	}
	return line
}
