package schedule

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Job is a schedule on hosts.
type Job struct {
	Name     string
	Schedule *Schedule
	// Hosts are the hosts of the ranks. Several ranks may be on one: a message between them arrives
	// when it is sent.
	Hosts []sluice.SwitchID
	Start sluice.Time // of every rank
	// Repeat is how often each rank does what the schedule says: 0 and 1 are once. A rank begins again
	// when it has done all, and waits for no other.
	Repeat int
	Class  sluice.Class
	// Groups are what the messages are for, in turn by their tags: a message of tag t is of the group
	// t modulo the number of groups. None: GroupAuto.
	Groups []workload.Group
	// First is the index of the first of the job's messages in the list of flows.
	First int
}

// maxRepeat bounds how often a job repeats its schedule.
const maxRepeat = 1 << 20

// iterations returns how often the schedule is done.
func (j *Job) iterations() int { return max(j.Repeat, 1) }

// Check returns nil if the job can run on a network: every rank has a host of it.
func (j *Job) Check(g *topo.Graph) error {
	fail := func(field string, value any, rule string) error {
		return fmt.Errorf("job %s: %w", j.Name, configError(field, value, rule))
	}
	switch {
	case j.Schedule == nil:
		return fail("Schedule", nil, "must be set")
	case j.Start < 0 || j.Start > workload.MaxStart:
		return fail("Start", j.Start, "must be 0 to 50 days")
	case j.Repeat < 0 || j.Repeat > maxRepeat:
		return fail("Repeat", j.Repeat, fmt.Sprintf("must be 0 to %d", maxRepeat))
	case len(j.Hosts) < j.Schedule.Ranks:
		return fail("Hosts", len(j.Hosts), fmt.Sprintf(
			"must be %d, one for each rank: rank %d has none", j.Schedule.Ranks, len(j.Hosts)))
	case len(j.Hosts) > j.Schedule.Ranks:
		return fail("Hosts", len(j.Hosts), fmt.Sprintf("must be %d, one for each rank",
			j.Schedule.Ranks))
	case j.Class >= sluice.Classes:
		return fail("Class", j.Class, "must be 0 to 7")
	}
	for rank, host := range j.Hosts {
		if int(host) >= len(g.Nodes) || !g.IsHost(host) {
			return fail(fmt.Sprintf("Hosts[%d]", rank), host, "must be a host")
		}
	}
	if n := j.Schedule.Ranks * j.iterations(); n > workload.MaxFlows {
		return fail("Repeat", j.Repeat, fmt.Sprintf(
			"must be at most %d for %d ranks", workload.MaxFlows/j.Schedule.Ranks, j.Schedule.Ranks))
	}
	if n := j.Messages(); n > workload.MaxFlows {
		return fail("Repeat", j.Repeat, fmt.Sprintf(
			"must be less: the job sends %d messages in all, at most %d are possible", n,
			workload.MaxFlows))
	}
	return nil
}

// Messages returns how many messages go between different hosts, in all iterations.
func (j *Job) Messages() (n int) {
	j.eachMessage(func(int32, int32, *Operation) { n++ })
	return n * j.iterations()
}

// eachMessage visits the sends of an iteration that go to other hosts, in the order of the file.
func (j *Job) eachMessage(visit func(rank, operation int32, o *Operation)) {
	s := j.Schedule
	for rank := range int32(s.Ranks) {
		for i := s.first[rank]; i < s.first[rank+1]; i++ {
			o := &s.operations[i]
			if o.Kind == Send && j.Hosts[rank] != j.Hosts[o.Peer] {
				visit(rank, i, o)
			}
		}
	}
}

func (j *Job) group(o *Operation) workload.Group {
	if len(j.Groups) == 0 {
		return workload.GroupAuto
	}
	return j.Groups[o.Tag%uint32(len(j.Groups))]
}

// Flows returns a flow for each message between different hosts: iteration by iteration, rank by
// rank, in the order of the file. When they start is known when they do.
func (j *Job) Flows() []workload.Flow {
	flows := make([]workload.Flow, 0, j.Messages())
	for range j.iterations() {
		j.eachMessage(func(rank, _ int32, o *Operation) {
			flows = append(flows, workload.Flow{
				Src: j.Hosts[rank], Dst: j.Hosts[o.Peer], Class: j.Class, DstPort: 100,
				Bytes: sluice.Bytes(cmp.Or(o.Size, 1)), Start: j.Start, Group: j.group(o),
			})
		})
	}
	workload.AssignPorts(flows)
	return flows
}
