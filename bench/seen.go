package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What was seen of a run of a scenario that watches ports and flows, as its claims ask for it.

// marksAt returns what a port did to the packets of a flow.
func (o *outcome) marksAt(at sluice.Hop, flow int) probe.FlowMarks {
	key := workload.Key(&o.subject.flows[flow], flow)
	hash := key.Hash()
	for _, m := range o.result.Seen.Marks {
		if m.At == at && m.Flow == hash {
			return *m
		}
	}
	return probe.FlowMarks{}
}

// statistics returns those of a port.
func (o *outcome) statistics(at sluice.Hop) probe.PortStatistics {
	for _, p := range o.result.Seen.Ports {
		if p.At == at {
			return p
		}
	}
	return probe.PortStatistics{}
}

// released returns when a queue of a port was released last; Never if none was.
func (o *outcome) released(at sluice.Hop) sluice.Time {
	last := sluice.Never
	for _, p := range o.result.Seen.Pauses {
		if p.At == at && !p.Paused {
			last = p.Time
		}
	}
	return last
}

// states returns the changes of the state of a port's detector.
func (o *outcome) states(at sluice.Hop) (changes []probe.Change) {
	for _, c := range o.result.Seen.States {
		if c.At == at {
			changes = append(changes, c)
		}
	}
	return changes
}

// rate returns what a port sent in a span, in Gb/s, by its samples.
func (o *outcome) rate(at sluice.Hop, from, to sluice.Time) float64 {
	for _, s := range o.result.Seen.Series {
		if s.At != at {
			continue
		}
		var sent sluice.Bytes
		var span sluice.Time
		for i, t := range s.Time {
			if from < t && t <= to {
				sent += s.Sent[i]
				span += o.subject.sampleEvery
			}
		}
		return gbps(sent, span)
	}
	return 0
}

// throughput returns the payload that a watched flow delivered in a span, in Gb/s.
func (o *outcome) throughput(i int, from, to sluice.Time) float64 {
	f := o.result.Seen.Flows[i]
	var received sluice.Bytes
	var span sluice.Time
	for k, t := range f.Time {
		if from < t && t <= to {
			received += f.Received[k]
			span += o.subject.sampleEvery
		}
	}
	return gbps(received, span)
}

// onWire returns the same with the headers of the packets, as the papers' links and rates count.
func (o *outcome) onWire(i int, from, to sluice.Time) float64 {
	return o.subject.framing() * o.throughput(i, from, to)
}

// cuts returns how often the rate of a watched flow was cut.
func (o *outcome) cuts(i int) (n int) {
	for _, c := range o.result.Seen.Flows[i].Cuts {
		n = max(n, c)
	}
	return n
}

// framing returns how many bytes of packets there are to a byte of payload, if packets are full.
func (s *subject) framing() float64 {
	payload, header := s.values.Bytes("payload"), s.values.Bytes("header")
	return float64(payload+header) / float64(payload)
}

// gbps is a rate in Gb/s.
func gbps(bytes sluice.Bytes, span sluice.Time) float64 {
	if span <= 0 {
		return 0
	}
	return float64(bytes) * 8000 / float64(span)
}
