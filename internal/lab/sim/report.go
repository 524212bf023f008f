package sim

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/sluicefc/sluice"
)

type frameCount struct {
	kind  string
	count int64
}

func (s *Simulator) countFrame(kind string) {
	for i := range s.frameKinds {
		if s.frameKinds[i].kind == kind {
			s.frameKinds[i].count++
			return
		}
	}
	s.frameKinds = append(s.frameKinds, frameCount{kind, 1})
}

type dropKey struct {
	at     sluice.Hop
	reason sluice.Reason
}

// lose counts a packet that a machine discarded.
func (s *Simulator) lose(p *port, pkt *packet, reason sluice.Reason) {
	s.result.Dropped++
	if s.result.Dropped == 1 && s.config.RetransmitFromLoss {
		s.newsAt = s.now + s.farthest
		s.check = min(s.check, s.newsAt)
	}
	key := dropKey{sluice.Hop{Switch: p.nodeID(), Port: p.id}, reason}
	i, known := s.drops[key]
	if !known {
		i = len(s.result.Drops)
		s.drops[key] = i
		s.result.Drops = append(s.result.Drops, DropRecord{At: key.at, Reason: reason, First: s.now})
	}
	s.result.Drops[i].Packets++
	if pkt.Value.kind == dataPacket && pkt.Ingress == sluice.Local {
		s.flows[pkt.Value.flow].inCard = false
	}
}

// MaxSamples is how many samples a run keeps at most: what they take of memory is bounded, however
// short the period.
const MaxSamples = 1 << 18

// sampler collects what Result.Series needs. A sample is taken between events and is none itself,
// so that a run with samples is the run without them.
type sampler struct {
	next      sluice.Time // Never: none
	delivered [4]sluice.Bytes
}

// firstSample is a period after the first flow starts: before that the network is empty.
func (s *Simulator) firstSample() sluice.Time {
	if s.config.SampleEvery == 0 || len(s.order) == 0 {
		return sluice.Never
	}
	return s.config.Flows[s.order[0]].Start.Add(s.config.SampleEvery)
}

// takeSample notes the network as it is after every event up to an instant.
func (s *Simulator) takeSample(at sluice.Time) {
	sample := Sample{At: at, DeliveredBytes: s.sample.delivered}
	s.sample.next = at.Add(s.config.SampleEvery)
	if len(s.result.Series) == MaxSamples-2 {
		s.sample.next = sluice.Never
		s.result.Note("samples end at %v, when there were %d: take fewer of them", at, MaxSamples)
	}
	s.sample.delivered = [4]sluice.Bytes{}
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 {
			continue
		}
		s.eachHeld(p, func(sluice.QueueID) { sample.PausedQueues++ })
		if !p.host {
			sample.MaxPortBytes = max(sample.MaxPortBytes, p.held)
			sample.TotalBytes += p.held
		}
	}
	s.result.Series = append(s.result.Series, sample)
	if s.config.Steering != nil {
		weight, closedForm := s.config.Steering.Sample()
		s.result.Steered = append(s.result.Steered, SteeringSample{at, weight, closedForm})
	}
	if s.config.Observer != nil {
		s.observe(at)
	}
}

// finish completes the result.
func (s *Simulator) finish() {
	if len(s.result.Series) > 0 || s.sample.next != sluice.Never {
		s.takeSample(s.now) // so that what was delivered since the last one is in the series
	}
	for _, i := range s.order[s.started:] {
		s.result.Flows[i].Ideal = s.ideal(&s.config.Flows[i], i)
	}
	s.result.Stalled = s.stalled
	slices.SortFunc(s.result.Drops, func(a, b DropRecord) int {
		return cmp.Or(
			cmp.Compare(a.First, b.First), cmp.Compare(a.At.Switch, b.At.Switch),
			cmp.Compare(a.At.Port, b.At.Port), cmp.Compare(a.Reason, b.Reason),
		)
	})
	if s.config.Observer != nil {
		s.result.Seen = s.config.Observer.Finish(s.now)
	}
	s.result.Transport, s.result.Control = s.transport.Counters(), s.control.Counters()
	s.result.ControlFrames = make(map[string]int64, len(s.frameKinds))
	for _, k := range s.frameKinds {
		s.result.ControlFrames[k.kind] = k.count
	}
	if s.result.Completed < len(s.config.Flows) {
		s.result.Notes = append(s.result.Notes, s.unfinished())
		if circle := s.deadlock(); circle != "" {
			s.result.Deadlock = circle
			s.result.Notes = append(s.result.Notes, circle)
		}
	}
}

// unfinished says where the packets of flows that did not complete are held.
func (s *Simulator) unfinished() string {
	type place struct {
		hop  sluice.Hop
		held sluice.Bytes
	}
	var places []place
	for i := range s.ports {
		if p := &s.ports[i]; p.held > 0 {
			places = append(places, place{sluice.Hop{Switch: p.nodeID(), Port: p.id}, p.held})
		}
	}
	sort.SliceStable(places, func(a, b int) bool { return places[a].held > places[b].held })
	text := fmt.Sprintf(
		"%d of %d flows did not complete by %v", len(s.config.Flows)-s.result.Completed,
		len(s.config.Flows), s.now,
	)
	for i, at := range places[:min(3, len(places))] {
		text += fmt.Sprintf("%s %d bytes wait at %v", [...]string{":", ",", ","}[i], at.held, at.hop)
	}
	return text
}
