package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
)

// portRecord is a port in JSON.
type portRecord struct {
	At                string  `json:"at" jsonschema:"switch:port"`
	MeanQueueBytes    int64   `json:"mean_queue_bytes" jsonschema:"weighted with time"`
	LongestQueueBytes int64   `json:"longest_queue_bytes"`
	SentBytes         int64   `json:"sent_bytes" jsonschema:"of packets"`
	Utilization       float64 `json:"utilization" jsonschema:"share of the link's rate"`
	Frames            int64   `json:"frames" jsonschema:"control frames sent"`
	Pauses            int64   `json:"pauses" jsonschema:"times that a queue became held; 0 unless the port is watched or -pfc is given"`
	HeldUS            float64 `json:"held_us" jsonschema:"in which a queue was held; as pauses"`
	UE                int64   `json:"ue" jsonschema:"packets marked so here"`
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
	HeldQueues   []int64   `json:"held_queues" jsonschema:"that may not send"`
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

func makePorts(s *subject, seen *probe.Report) []portRecord {
	if seen == nil {
		return nil
	}
	var records []portRecord
	for i := range seen.Ports {
		p := &seen.Ports[i]
		records = append(records, portRecord{
			At: p.At.String(), MeanQueueBytes: int64(p.MeanQueue), LongestQueueBytes: int64(p.LongestQueue),
			SentBytes: int64(p.Sent), Utilization: round6(utilization(p, s.rateOfPort(p.At), seen)),
			Frames: p.Frames,
			Pauses: p.Pauses, HeldUS: round6(p.Held.Microseconds()), UE: p.UE, CE: p.CE,
		})
	}
	return records
}

func (s *subject) rateOfPort(at sluice.Hop) sluice.Rate {
	return s.graph.Nodes[at.Switch].Ports[at.Port].Link.Rate
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
	us := make([]float64, len(times))
	for i, t := range times {
		us[i] = round6(t.Microseconds())
	}
	return us
}

func integers[T ~int | ~int64](values []T) []int64 {
	numbers := make([]int64, len(values))
	for i, v := range values {
		numbers[i] = int64(v)
	}
	return numbers
}

// writeWatchTables writes what the ports and the flows did that were asked for.
func writeWatchTables(b *strings.Builder, s *subject, outcomes []*outcome) {
	if s.probes == nil {
		return
	}
	ports := newTable(
		2, "  fc", "port", "mean kB", "longest", "used", "pauses", "held us", "UE", "CE",
	)
	flows := newTable(1, "  fc", "flow", "set Gb/s", "got Gb/s")
	for _, o := range outcomes {
		seen := o.result.Seen
		for i := range seen.Ports {
			p := &seen.Ports[i]
			if !slices.Contains(s.probes.Ports, p.At) {
				continue
			}
			ports.add(
				"  "+o.fc, p.At.String(), significant(float64(p.MeanQueue)/1e3),
				significant(float64(p.LongestQueue)/1e3),
				fmt.Sprintf("%.3f", utilization(p, s.rateOfPort(p.At), seen)), thousands(p.Pauses),
				significant(p.Held.Microseconds()), thousands(p.UE), thousands(p.CE),
			)
		}
		for _, f := range seen.Flows {
			set, got := meanRates(f, seen)
			flows.add("  "+o.fc, strconv.Itoa(int(f.Flow)), significant(set/1e9), significant(got/1e9))
		}
	}
	since := ""
	if s.warmUp > 0 {
		since = fmt.Sprintf(" from %v on", s.warmUp)
	}
	if len(s.probes.Ports) > 0 {
		fmt.Fprintf(b, "\nPorts%s: queues in kB, share of the link used\n\n%s\n", since, ports.String())
	}
	if len(s.probes.Flows) > 0 {
		fmt.Fprintf(
			b, "\nFlows%s: rate that the control set, payload that came\n\n%s\n", since, flows.String(),
		)
	}
}

// meanRates returns the means of the rate that was set for a flow and of that at which its payload
// came, from the warm-up to the end of the run, in b/s. The first is of the samples at which the
// flow was under way.
func meanRates(f *probe.FlowSeries, seen *probe.Report) (set, got float64) {
	var received sluice.Bytes
	samples, last := 0, seen.From
	for i, at := range f.Time {
		if at <= seen.From {
			continue
		}
		received += f.Received[i]
		last = at
		if f.Set[i] > 0 {
			samples++
			set += float64(f.Set[i])
		}
	}
	if samples > 0 {
		set /= float64(samples)
	}
	return set, float64(rateOf(received, last-seen.From))
}

// watched returns a row of panels for each port, of queue and rate under each protocol, and one
// with a panel for each protocol, of the rates of the flows.
func (f *figure) watched(s *subject, outcomes []*outcome) (rows [][]*panel) {
	if s.probes == nil {
		return nil
	}
	axis := "time, us"
	for i, at := range s.probes.Ports {
		queue := &panel{title: fmt.Sprintf("queue of port %v", at), xLabel: axis, yLabel: "kB"}
		rate := &panel{title: fmt.Sprintf("rate of port %v", at), xLabel: axis, yLabel: "Gb/s"}
		for _, o := range outcomes {
			p := o.result.Seen.Series[i]
			backlog := func(j int) float64 { return float64(p.Backlog[j]) / 1e3 }
			queue.curves = append(queue.curves, curve{fc: o.fc, points: sampledLine(p.Time, backlog)})
			rate.curves = append(rate.curves, curve{fc: o.fc, points: rateLine(p.Time, p.Sent)})
		}
		rows = append(rows, []*panel{queue, rate})
	}
	if len(s.probes.Flows) == 0 {
		return rows
	}
	var row []*panel
	for _, o := range outcomes {
		p := &panel{title: o.fc + ": rate of each flow", xLabel: axis, yLabel: "Gb/s"}
		f.addRates(p, o.result.Seen.Flows)
		if controlled := o.subject.values.String("cc") != "none"; controlled {
			f.addSetRates(p, o.result.Seen.Flows)
		}
		if row = append(row, p); len(row) == 3 {
			rows, row = append(rows, row), nil
		}
	}
	return append(rows, row)
}

// addRates adds the rates at which flows get through to a panel, and their lines to the legend.
func (f *figure) addRates(p *panel, flows []*probe.FlowSeries) {
	for _, flow := range flows {
		f.addCurve(p, fmt.Sprint("flow ", flow.Flow), rateLine(flow.Time, flow.Received))
	}
}

// mostSetRates is how many flows have the rates drawn that the control has set: of more, lines
// hide one another.
const mostSetRates = 4

// addSetRates adds the rates that the control has set.
func (f *figure) addSetRates(p *panel, flows []*probe.FlowSeries) {
	if len(flows) > mostSetRates {
		return
	}
	for _, flow := range flows {
		set := func(i int) float64 { return float64(flow.Set[i]) / 1e9 }
		f.addCurve(p, fmt.Sprintf("flow %d, set", flow.Flow), sampledLine(flow.Time, set))
	}
}

// addCurve adds a curve to a panel, and its line to the legend.
func (f *figure) addCurve(p *panel, name string, points []point) {
	p.curves = append(p.curves, curve{fc: name, points: points})
	if !slices.Contains(f.legend, name) {
		f.legend = append(f.legend, name)
	}
}

// sampledLine returns a point per sample, fewer if there are more than a picture shows.
func sampledLine(times []sluice.Time, y func(i int) float64) []point {
	var line []point
	for i := 0; i < len(times); i += 1 + len(times)/fineBins {
		line = append(line, point{X: times[i].Microseconds(), Y: y(i)})
	}
	return line
}

// rateLine returns the rate of bytes in Gb/s over spans long enough to hold many packets.
func rateLine(times []sluice.Time, bytes []sluice.Bytes) []point {
	var line []point
	step := 1 + len(times)/coarseBins
	var sum sluice.Bytes
	last := sluice.Time(0)
	for i, at := range times {
		sum += bytes[i]
		if (i+1)%step == 0 || i == len(times)-1 {
			rate := float64(rateOf(sum, at-last)) / 1e9
			line = append(line, point{X: at.Microseconds(), Y: rate})
			sum, last = 0, at
		}
	}
	return line
}
