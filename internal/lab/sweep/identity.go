package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What decides the results of a sweep stands in the first line of its journal, part by part: values
// and seeds aside, which may be added. Where a network or a list of flows is read from counts for
// nothing; what it says is in a digest.
type part struct{ name, value string }

const (
	sweepMark = "# sweep: "
	partMark  = "; "
	// programPart is the last. Another program may have the same results, see Verify.
	programPart = "program"
)

func (s *Plan) identity() []part {
	scenario := s.Scenario.Name
	if s.Scenario.OfFiles() {
		scenario = "files"
	}
	network := xxhash.New()
	fmt.Fprint(network, s.first.Graph.Nodes, s.first.Graph.HostsForward)
	sonic := "none"
	if s.Request.SONiC != nil {
		sonic = digest(s.Request.SONiC)
	}
	others := s.Request
	others.Set, others.SONiCFile = nil, ""
	return []part{
		{"scenario", scenario},
		{"swept", strings.Join(s.parameters(), " ")},
		{"set", strings.Join(settings(s.Request.Set), ",")},
		{"flags", strings.Join(others.Changes(), " ")},
		{"network", fmt.Sprintf("%x", network.Sum64())},
		{"flows", s.flows},
		{"sonic", sonic},
	}
}

func digest(of any) string {
	d := xxhash.New()
	fmt.Fprint(d, of)
	return fmt.Sprintf("%x", d.Sum64())
}

// settings returns the assignments of lists, in the order of their names.
func settings(lists []string) (all []string) {
	for _, list := range lists {
		for _, assignment := range strings.Split(list, ",") {
			name, value, _ := strings.Cut(assignment, "=")
			if name = strings.TrimSpace(name); name != "" {
				all = append(all, name+"="+strings.TrimSpace(value))
			}
		}
	}
	slices.Sort(all)
	return all
}

// readSeeds finds out whether every seed has the same flows, and takes the digest of the flows: of
// files, each seed's; of what is generated the first's, because the others follow from the same
// parameters.
func (s *Plan) readSeeds(value string) error {
	of := xxhash.New()
	fmt.Fprint(of, s.first.Flows)
	for i := range s.first.Jobs {
		fmt.Fprint(of, s.first.Jobs[i].Schedule.Digest())
	}
	one, each := s.Scenario.FlowsOfSeeds()
	s.fixed = len(s.Seeds) > 1
	for _, seed := range s.Seeds[1:] {
		if one || !s.fixed && !each {
			break
		}
		subject, err := s.prepare(value, seed)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		if err := s.sameGroups(subject); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		if !slices.Equal(subject.Flows, s.first.Flows) {
			s.fixed = false
			fmt.Fprint(of, seed, subject.Flows)
		}
	}
	s.flows = fmt.Sprintf("%x", of.Sum64())
	return nil
}

// sameGroups refuses flows of a group with a name of one's own that the first value's flows do not
// have: the columns of the sweep's files are the first value's groups.
func (s *Plan) sameGroups(subject *run.Subject) error {
	for _, g := range subject.Groups {
		if !slices.Contains(s.groups, g) {
			return fmt.Errorf("flows have the group %s, which the flows of the first point of the sweep "+
				"do not have", g)
		}
	}
	return nil
}

// has reports whether the flows of the first point have a group.
func (s *Plan) has(g workload.Group) bool {
	return s.first.CountGroups()[g] > 0
}

// Digest tells sweeps apart that have the same words.
func (s *Plan) Digest(words ...string) uint64 {
	return xxhash.Sum64String(strings.Join(append(words, s.settings()), "\n"))
}

// settings is the first line of a journal: the identity, and which program made the runs.
func (s *Plan) settings() string {
	var words []string
	for _, p := range append(s.identity(), part{programPart, report.Build()}) {
		words = append(words, p.name+" "+strings.ReplaceAll(p.value, partMark, ";"))
	}
	return sweepMark + strings.Join(words, partMark)
}

// otherPart returns in what a line of a journal differs from the sweep, and which program the line
// names.
func (s *Plan) otherPart(line string) (program string, err error) {
	text, is := strings.CutPrefix(line, sweepMark)
	have, want := strings.Split(text, partMark), s.identity()
	if !is || len(have) != len(want)+1 {
		return "", fmt.Errorf("the runs there are of another sweep: its first line has " +
			"another form")
	}
	for i, p := range want {
		name, value, _ := strings.Cut(have[i], " ")
		ours := strings.ReplaceAll(p.value, partMark, ";")
		if name == p.name && value == ours {
			continue
		}
		return "", fmt.Errorf("the runs there are of another sweep: %s", p.differs(value, ours))
	}
	program, is = strings.CutPrefix(have[len(want)], programPart+" ")
	if !is {
		return "", fmt.Errorf("it names no program")
	}
	return program, nil
}

// differs says how two values of a part differ.
func (p *part) differs(theirs, ours string) string {
	show := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return value
	}
	switch p.name {
	case "network", "flows", "sonic":
		return map[string]string{
			"network": "their network has other nodes or links",
			"flows":   "their flows are others, by the file that is read or by what generates them",
			"sonic":   "their -sonic file is another",
		}[p.name]
	case "swept":
		return fmt.Sprintf("they sweep %s, this sweeps %s", show(theirs), show(ours))
	case "set":
		return fmt.Sprintf("they have -set %s, this has %s", show(theirs), show(ours))
	case "flags":
		return fmt.Sprintf("they are with %s, this with %s", show(theirs), show(ours))
	}
	return fmt.Sprintf("they are of the scenario %s, this of %s", show(theirs), show(ours))
}

// repeated reports, when all runs are done, whether all seeds have the same flows and gave the
// same: then nothing is random here, and one seed says as much as all.
func (s *Plan) repeated() bool {
	if s.same == nil {
		same := s.fixed && s.allSeedsSame()
		s.same = &same
	}
	return *s.same
}

func (s *Plan) allSeedsSame() bool {
	first := map[[2]string]*Run{}
	for i := range s.runs {
		r := &s.runs[i]
		of := first[[2]string{r.fc, r.value}]
		if of == nil {
			first[[2]string{r.fc, r.value}] = r
		} else if s.differ(of, r) != nil {
			return false
		}
	}
	return true
}

// seedsSay is what is to be said of seeds that have the same flows, "" if theirs differ.
func (s *Plan) seedsSay() string {
	switch {
	case s.repeated():
		return "every seed gave the same, as all have the same flows and nothing else was drawn: there " +
			"is no deviation, and no interval"
	case s.fixed:
		return "all seeds have the same flows: what differs was drawn in switches and hosts"
	}
	return ""
}
