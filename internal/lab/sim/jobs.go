package sim

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
)

// jobs is what carries out schedules. The ranks of a host belong to the host's part: messages that
// leave and arrive there, and their own computations, are all that they hear of.
type jobs struct {
	ranks []*schedule.Ranks // by job
	// numbers of the first operation and the first rank of each job, counted over all; one more at
	// the end
	firstOperation, firstRank []int32
	firstMessage              int32 // flows from there on are messages
}

// listed returns how many flows start when the list says.
func (c *Config) listed() int {
	if len(c.Jobs) == 0 {
		return len(c.Flows)
	}
	return c.Jobs[0].First
}

func (c *Config) validateJobs() error {
	if len(c.Jobs) == 0 {
		return nil
	}
	fail := func(i int, field string, value any, rule string) error {
		return &sluice.ConfigError{
			Package: "sim", Field: fmt.Sprintf("Jobs[%d].%s", i, field), Value: value, Rule: rule,
		}
	}
	next, operations := c.listed(), 0
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if err := j.Check(c.Topology); err != nil {
			return err
		}
		if j.First != next {
			return fail(i, "First", j.First, "must be where the messages of the job before end")
		}
		next += j.Messages()
		if operations += j.Schedule.Operations(); operations > maxPlaces {
			return fail(i, "Schedule", operations, "must have at most 268,435,456 operations, with others")
		}
	}
	if last := len(c.Jobs) - 1; next != len(c.Flows) {
		return fail(last, "First", c.Jobs[last].First, "must leave room for just the job's messages")
	}
	return nil
}

// planJobs plans when ranks begin.
func (s *Simulator) planJobs() {
	s.firstMessage = int32(s.config.listed())
	s.firstOperation, s.firstRank = []int32{0}, []int32{0}
	for i := range s.config.Jobs {
		j := &s.config.Jobs[i]
		s.ranks = append(s.ranks, schedule.NewRanks(j))
		first := s.firstRank[i]
		s.firstOperation = append(s.firstOperation, s.firstOperation[i]+int32(j.Schedule.Operations()))
		s.firstRank = append(s.firstRank, first+int32(j.Schedule.Ranks))
		for rank, host := range j.Hosts {
			p := s.at(host)
			p.toBegin++
			p.agenda.plan(j.Start, eventBegin, first+int32(rank))
		}
		s.first = min(s.first, j.Start)
	}
}

// isMessage reports whether a flow is a message of a job.
func (s *Simulator) isMessage(flow int32) bool { return flow >= s.firstMessage }

// jobOf returns the job of an operation or rank that is counted over all jobs: the last whose first
// is not behind it.
func jobOf(first []int32, number int32) int {
	job := 0
	for first[job+1] <= number {
		job++
	}
	return job
}

// jobOfFlow returns the job that a message is of.
func (s *Simulator) jobOfFlow(flow int32) int {
	job := 0
	for !s.ranks[job].Has(flow) {
		job++
	}
	return job
}

// beginRank handles the start of a rank.
func (s *part) beginRank(rank int32) {
	s.toBegin--
	job := jobOf(s.firstRank, rank)
	s.ranks[job].Begin(&s.effects, s.now, rank-s.firstRank[job])
	s.goAhead(job)
}

// computed handles the end of a computation.
func (s *part) computed(operation int32) {
	job := jobOf(s.firstOperation, operation)
	s.ranks[job].Computed(&s.effects, s.now, operation-s.firstOperation[job])
	s.goAhead(job)
}

// planInjected plans the end of a send, when the last packet of its message goes on the wire for
// the first time.
func (s *part) planInjected(p *port, slot int32) {
	if f := &s.flows[slot]; !f.injected {
		f.injected = true
		s.agenda.plan(p.busyUntil, eventInjected, f.index)
	}
}

// injected handles that the last bit of a message has left its host.
func (s *part) injected(flow int32) {
	job := s.jobOfFlow(flow)
	s.ranks[job].Injected(&s.effects, s.now, flow)
	s.goAhead(job)
}

// messageArrived handles that all of a message has arrived.
func (s *part) messageArrived(flow int32) {
	job := s.jobOfFlow(flow)
	s.ranks[job].Arrived(&s.effects, s.now, s.whole.Flows[flow].Start, flow)
	s.goAhead(job)
}

// goAhead does what ranks of a job want.
func (s *part) goAhead(job int) {
	e := &s.effects
	for _, flow := range e.Messages {
		s.flowsFrom++
		s.agenda.plan(s.now, eventFlow, flow)
	}
	for _, c := range e.Computations {
		s.agenda.plan(c.End, eventComputed, s.firstOperation[job]+c.Operation)
	}
	e.Messages, e.Computations = e.Messages[:0], e.Computations[:0]
}

// startMessage starts the flow of a message.
func (s *part) startMessage(index int32) {
	s.whole.Flows[index].Start = s.now
	s.start(index)
}

// meet makes the state of a message that began in another part, at the first packet of it that
// comes here. It is as though it had been made when the message started, since nothing asks for it
// before.
func (s *part) meet(index int32) int32 {
	s.open(index, s.whole.Flows[index].Start, false, true)
	return s.known[index].slot[receiving]
}

// computing returns how many computations are under way, and ranks have not begun.
func (s *Simulator) computing() int {
	return int(s.sum(func(p *part) int64 { return int64(p.effects.Computing + p.toBegin) }))
}

// jobsDone reports whether all ranks have done all.
func (s *Simulator) jobsDone() bool {
	ranks := s.firstRank[len(s.firstRank)-1]
	return s.sum(func(p *part) int64 { return int64(p.effects.Finished) }) == int64(ranks)
}

// stuck reports whether ranks wait for messages that no rank will send: nothing is under way, and
// nothing of the list is to come.
func (s *Simulator) stuck() bool {
	begun := s.sum(func(p *part) int64 { return int64(p.flowsFrom) })
	return !s.jobsDone() && s.computing() == 0 && int64(s.completed()) == begun
}

// finishJobs completes what is known of jobs.
func (s *Simulator) finishJobs() {
	if len(s.config.Jobs) == 0 {
		return
	}
	for i := s.firstMessage; int(i) < len(s.config.Flows); i++ {
		if f := &s.result.Flows[i]; f.Ideal == 0 { // it did not start
			f.Ideal = s.at(f.Src).ideal(&s.config.Flows[i], i)
		}
	}
	if s.err == nil && s.stuck() {
		s.result.Stalled = true
	}
	for i, ranks := range s.ranks {
		j := &s.config.Jobs[i]
		one := JobResult{Name: j.Name, Start: j.Start}
		for k := range max(j.Repeat, 1) {
			one.Ends = append(one.Ends, slices.Max(ranks.Ends(k)))
			one.RankEnds = ranks.Ends(k)
		}
		one.Spent, one.SpentByLast, _ = ranks.Total()
		one.Critical = ranks.Critical(func(flow int) sluice.Time { return s.result.Flows[flow].Start })
		s.result.Jobs = append(s.result.Jobs, one)
		if text := ranks.Stuck(); text != "" {
			s.result.Note("%s", text)
		}
	}
}
