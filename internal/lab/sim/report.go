package sim

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
)

type frameCount struct {
	kind  string
	count int64
}

func (s *part) countFrame(kind string) {
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

// firstLoss notes when the part had the first reason for senders to set their timers, and ends the
// window before they hear of it, however long the window is.
func (s *part) firstLoss() {
	if s.config.RetransmitFromLoss && s.lostAt == sluice.Never {
		s.lostAt = s.now
		s.end = min(s.end, s.now+s.farthest)
	}
}

// lose counts a packet that a machine discarded.
func (s *part) lose(p *port, pkt *packet, reason sluice.Reason) {
	s.result.Dropped++
	s.firstLoss()
	key := dropKey{sluice.Hop{Switch: p.nodeID(), Port: p.id}, reason}
	i, known := s.drops[key]
	if !known {
		i = len(s.result.Drops)
		s.drops[key] = i
		s.result.Drops = append(s.result.Drops, DropRecord{At: key.at, Reason: reason, First: s.now})
	}
	s.result.Drops[i].Packets++
	if pkt.Value.kind == dataPacket && pkt.Ingress == sluice.Local {
		s.flows[s.endsAt(pkt.Value.flow).slot[sending]].inCard = false
	}
}

// MaxSamples is how many samples a run keeps at most: what they take of memory is bounded, however
// short the period.
const MaxSamples = 1 << 18

// firstSample is a period after the first flow or rank starts: before that the network is empty.
func (s *Simulator) firstSample() sluice.Time {
	if s.config.SampleEvery == 0 {
		return sluice.Never
	}
	return s.first.Add(s.config.SampleEvery)
}

// takeSample notes the network as it is after every event up to an instant. A sample is taken
// between events and is none itself, so that a run with samples is the run without them.
func (s *Simulator) takeSample(at sluice.Time) {
	sample := Sample{At: at}
	for _, p := range s.parts {
		for group, bytes := range p.byGroup {
			sample.DeliveredBytes[group] += bytes
		}
		p.byGroup = [4]sluice.Bytes{}
	}
	s.nextSample = at.Add(s.config.SampleEvery)
	if len(s.result.Series) == MaxSamples-2 {
		s.nextSample = sluice.Never
		s.result.Note("samples end at %v, when there were %d: take fewer of them", at, MaxSamples)
	}
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
	if s.config.Watcher != nil {
		s.config.Watcher.Sample(at, s)
	}
}

// finish completes the result.
func (s *Simulator) finish() {
	s.unpack()
	now := s.Now()
	if len(s.result.Series) > 0 || s.nextSample != sluice.Never {
		s.takeSample(now) // so that what was delivered since the last one is in the series
	}
	s.result.ControlFrames = make(map[string]int64)
	for _, p := range s.parts {
		p.finish()
		s.result.add(&p.result)
	}
	slices.SortFunc(s.result.Drops, func(a, b DropRecord) int {
		return cmp.Or(
			cmp.Compare(a.First, b.First), cmp.Compare(a.At.Switch, b.At.Switch),
			cmp.Compare(a.At.Port, b.At.Port), cmp.Compare(a.Reason, b.Reason),
		)
	})
	s.result.Stalled = s.stalled
	if s.config.Observer != nil {
		s.result.Seen = s.config.Observer.Finish(now)
	}
	s.finishJobs()
	if s.result.Completed < s.allFlows() {
		s.result.Notes = append(s.result.Notes, s.unfinished())
		if circle := s.deadlock(); circle != nil {
			s.result.Circle = circle
			s.result.Deadlock = fmt.Sprintf("deadlock at %v: %s", s.Now(), hol.Describe(circle))
			s.result.Notes = append(s.result.Notes, s.result.Deadlock)
		}
	}
}

// finish completes what a part adds to the result.
func (s *part) finish() {
	for _, i := range s.order[s.begun:] {
		s.finishFlow(i)
	}
	if s.planned {
		s.finishFlow(s.order[s.begun-1])
	}
	s.result.Transport, s.result.Control = s.transport.Counters(), s.control.Counters()
	for _, k := range s.frameKinds {
		s.whole.ControlFrames[k.kind] += k.count
	}
}

// finishFlow completes what is known of a flow that begins here and did not start.
func (s *part) finishFlow(i int32) {
	if s.has(s.known[i].node[sending]) {
		s.whole.Flows[i].Ideal = s.ideal(&s.config.Flows[i], i)
	}
}

// add adds what a part counted.
func (r *Result) add(p *Result) {
	r.Completed += p.Completed
	r.Dropped += p.Dropped
	r.Expired += p.Expired
	r.LostOnWire += p.LostOnWire
	r.LostAnswers += p.LostAnswers
	r.Timeouts += p.Timeouts
	r.Marked += p.Marked
	r.Notices += p.Notices
	r.Reordered += p.Reordered
	r.Relabelled += p.Relabelled
	r.Resequenced += p.Resequenced
	r.MaxResequence = max(r.MaxResequence, p.MaxResequence)
	r.GivenUp += p.GivenUp
	r.PacketHops += p.PacketHops
	r.Events += p.Events
	r.MaxSwitchBytes = max(r.MaxSwitchBytes, p.MaxSwitchBytes)
	r.MaxPortBytes = max(r.MaxPortBytes, p.MaxPortBytes)
	r.MaxRelayBytes = max(r.MaxRelayBytes, p.MaxRelayBytes)
	r.MaxDrainBytes = max(r.MaxDrainBytes, p.MaxDrainBytes)
	r.Drops = append(r.Drops, p.Drops...)
	r.Transport.Add(&p.Transport)
	r.Control.Add(&p.Control)
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
		"%d of %d flows did not complete by %v", s.allFlows()-s.result.Completed,
		s.allFlows(), s.Now(),
	)
	for i, at := range places[:min(3, len(places))] {
		text += fmt.Sprintf("%s %d bytes wait at %v", [...]string{":", ",", ","}[i], at.held, at.hop)
	}
	return text
}
