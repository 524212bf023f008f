package run

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What was seen of a run of a scenario that watches ports and flows, as its claims ask for it.

// MarksAt returns what a port did to the packets of a flow.
func (o *Outcome) MarksAt(at sluice.Hop, flow int) probe.FlowMarks {
	key := workload.Key(&o.Subject.Flows[flow], flow)
	hash := key.Hash()
	for _, m := range o.Result.Seen.Marks {
		if m.At == at && m.Flow == hash {
			return *m
		}
	}
	return probe.FlowMarks{}
}

func (o *Outcome) Statistics(at sluice.Hop) probe.PortStatistics {
	for _, p := range o.Result.Seen.Ports {
		if p.At == at {
			return p
		}
	}
	return probe.PortStatistics{}
}

// Released returns when a queue of a port was released last; Never if none was.
func (o *Outcome) Released(at sluice.Hop) sluice.Time {
	last := sluice.Never
	for _, p := range o.Result.Seen.Pauses {
		if p.At == at && !p.Paused {
			last = p.Time
		}
	}
	return last
}

// States returns the changes of the state of a port's detector.
func (o *Outcome) States(at sluice.Hop) (changes []probe.Change) {
	for _, c := range o.Result.Seen.States {
		if c.At == at {
			changes = append(changes, c)
		}
	}
	return changes
}

// Rate returns what a port sent in a span, in Gb/s, by its samples.
func (o *Outcome) Rate(at sluice.Hop, from, to sluice.Time) float64 {
	for _, s := range o.Result.Seen.Series {
		if s.At == at {
			return o.rate(s.Time, s.Sent, from, to)
		}
	}
	return 0
}

// rate returns what samples have in a span, in Gb/s.
func (o *Outcome) rate(at []sluice.Time, bytes []sluice.Bytes, from, to sluice.Time) float64 {
	var sum sluice.Bytes
	var span sluice.Time
	for i, t := range at {
		if from < t && t <= to {
			sum += bytes[i]
			span += o.Subject.SampleEvery
		}
	}
	return Gbps(sum, span)
}

// Throughput returns the payload that a watched flow delivered in a span, in Gb/s.
func (o *Outcome) Throughput(i int, from, to sluice.Time) float64 {
	f := o.Result.Seen.Flows[i]
	return o.rate(f.Time, f.Received, from, to)
}

// Delivered returns the payload that flows of a group delivered in a span, in Gb/s, by the samples
// of the network.
func (o *Outcome) Delivered(g workload.Group, from, to sluice.Time) float64 {
	var bytes sluice.Bytes
	var span sluice.Time
	for _, sample := range o.Result.Series {
		if from < sample.At && sample.At <= to {
			bytes += sample.DeliveredBytes[g]
			span += o.Subject.SampleEvery
		}
	}
	return Gbps(bytes, span)
}

// OnWire returns a flow's Throughput with the headers of its packets, as links and rates of papers
// count.
func (o *Outcome) OnWire(i int, from, to sluice.Time) float64 {
	return o.Subject.Framing() * o.Throughput(i, from, to)
}

// Cuts returns how often the rate of a watched flow was cut.
func (o *Outcome) Cuts(i int) (n int) {
	for _, c := range o.Result.Seen.Flows[i].Cuts {
		n = max(n, c)
	}
	return n
}

// Framing returns how many bytes of packets there are to a byte of payload, if packets are full.
func (s *Subject) Framing() float64 {
	payload, header := s.Values.Bytes("payload"), s.Values.Bytes("header")
	return float64(payload+header) / float64(payload)
}

// Gbps is a rate in Gb/s.
func Gbps(bytes sluice.Bytes, span sluice.Time) float64 {
	if span <= 0 {
		return 0
	}
	return float64(bytes) * 8000 / float64(span)
}

// RateOf returns bytes over a time in b/s, rounded; 0 over no time.
func RateOf(n sluice.Bytes, span sluice.Time) int64 {
	if span <= 0 {
		return 0
	}
	return int64(float64(n)*8/(float64(span)/float64(sluice.Second)) + 0.5)
}

// Utilization is the share of a link's rate that packets took.
func Utilization(p *probe.PortStatistics, rate sluice.Rate, seen *probe.Report) float64 {
	return float64(RateOf(p.Sent, seen.To-seen.From)) / float64(rate)
}

func (s *Subject) RateOfPort(at sluice.Hop) sluice.Rate {
	return s.Graph.Nodes[at.Switch].Ports[at.Port].Link.Rate
}

// MeanRates returns the mean rate that was set for a flow, over the samples at which the flow was
// under way, and the mean rate at which its payload came, both from the warm-up to the end of the
// run, in b/s.
func MeanRates(f *probe.FlowSeries, seen *probe.Report) (set, got float64) {
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
	return set, float64(RateOf(received, last-seen.From))
}
