package report

import (
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// briefly keeps the runs of brief.
var briefly = struct {
	sync.Mutex
	subjects map[string]*run.Subject
	outcomes map[string][]*run.Outcome
}{subjects: map[string]*run.Subject{}, outcomes: map[string][]*run.Outcome{}}

// slow are the scenarios whose beginning has to do, and what makes them smaller still.
var slow = map[string]string{
	"reference": "", "reference-bfc": "", "fattree": "",
	"mix": "duration=20us", "permutation": "", "bfc/incast": "", "bfc/end-to-end": "duration=50us",
	"scale":       "k=4,duration=20us",
	"pyrrha/fig2": "duration=20us", "hosts/convergence": "",
	"pyrrha/cc": "", "pyrrha/cc-fig2": "duration=20us",
	"pyrrha/fig7": "", "pyrrha/legacy": "duration=20us", "pyrrha/fig15": "k=8,duration=5us",
	"pyrrha/fig14-memcached": "duration=20us",
	"pyrrha/fig14-webserver": "duration=20us", "pyrrha/fig14-websearch": "duration=100us",
	"pyrrha/drill": "duration=20us", "pyrrha/sizes": "duration=20us",
	"pyrrha/roots":  "duration=20us,incast.degree=60",
	"pyrrha/moving": "duration=20us", "pyrrha/moe": "moe.bytes=80KB,moe.bursts=2",
	"pyrrha/thresholds": "duration=20us", "pyrrha/hops": "duration=20us",
	"pyrrha/fig9-webserver": "duration=200us", "pyrrha/fig9-websearch": "duration=500us,load=4/5",
	"pyrrha/fig14f": "duration=20us", "pyrrha/fig15-small": "k=8,duration=2us",
	"pyrrha/windows": "duration=20us", "pyrrha/failure": "duration=20us",
	"ofc/fig4": "ofc.rounds=1", "ofc/fig6-edu1": "duration=5us", "ofc/fig6-edu2": "duration=5us",
	"ofc/fig8": "duration=5us", "ofc/fig9": "",
	"tcd/fig3": "", "tcd/fig4": "", "tcd/alike": "", "tcd/victim": "", "tcd/epsilon": "",
	"tcd/isolated": "", "tcd/overlapped": "",
	"tcd/covered": "",
	"pcn/fig2":    "", "pcn/fig5": "", "pcn/fig11": "", "pcn/fluid": "",
	"pcn/fig12": "duration=1ms", "pcn/fig13": "duration=1ms",
	"pcn/fig14-w1": "f.count=100", "pcn/fig14-w2": "f.count=100", "pcn/fig17": "", "pcn/fig18": "",
	"pcn/fig19": "",
	"pcn/fig20": "f.count=100", "pcn/fig21": "duration=1ms",
	"portfc/fig8-websearch": "duration=4500us", "portfc/fig8-hadoop": "duration=4500us",
	"portfc/fig8-storage":    "duration=4500us",
	"portfc/fig12-websearch": "duration=2200us", "portfc/fig12-hadoop": "duration=2200us",
	"portfc/fig12-storage": "duration=2200us", "portfc/deadlock": "", "portfc/hol": "",
	"portfc/fig15": "", "portfc/fig17": "moe.tokens=64,moe.batches=2",
	"portfc/fig18": "moe.tokens=16,moe.batches=2", "portfc/fig19": "",
	"training/data-parallel": "training.ranks=4,training.bytes=40KB,training.compute=10us," +
		"duration=10us,incast.degree=8",
	"training/experts": "training.ranks=4,moe.tokens=2,moe.top=2,duration=10us,incast.degree=8",
	"training/pipeline": "training.ranks=16,training.bytes=20KB,training.parts=1," +
		"training.compute=10us,duration=10us,incast.degree=8",
}

// turns are the scenarios of tests that run each: before thorough tests one in four.
func turns() (names []string) {
	for i := 0; i < len(papers.All.Scenarios); i += depth.Choose(6, 6, 1) {
		names = append(names, papers.All.Scenarios[i].Name)
	}
	return names
}

// brief runs a scenario under the protocols that it compares, with their variants, and in thorough
// tests under two of the others, which take turns. If it is slow, only its beginning is run, and
// before thorough tests under the first and the last of them. Tests share the runs.
func brief(t *testing.T, name string) (*run.Subject, []*run.Outcome) {
	t.Helper()
	runtest.Alone(t)
	briefly.Lock()
	defer briefly.Unlock()
	debug.SetMemoryLimit(300_000_000) // garbage is collected earlier beyond: go test is to take 1 GB
	if s := briefly.subjects[name]; s != nil {
		return s, briefly.outcomes[name]
	}
	set, isSlow := slow[name]
	if isSlow { // flows of BFC and queues of Pyrrha are most of what a large network takes
		set = strings.TrimPrefix(set+",bfc.vfids=1024,pyrrha.iqs=16", ",")
	}
	s := runtest.Prepared(t, papers.All, name, set)
	s.Protocols = withOthers(name, s.Protocols, depth.Choose(0, 0, 2))
	cut(s, isSlow)
	s.Changes = nil // what is published stands beside what is smaller
	var outcomes []*run.Outcome
	trials := s.Trials()
	if isSlow && len(trials) > 2 && depth.Now() < depth.Thorough {
		trials = slices.Delete(trials, 1, len(trials)-1) // what all others are compared with, and one
	}
	for _, trial := range trials {
		if trial.Subject != s {
			cut(trial.Subject, isSlow)
		}
		o := runtest.OutcomeOf(t, trial.Subject, trial.FC)
		o.FC = trial.Label
		outcomes = append(outcomes, o)
	}
	briefly.subjects[name], briefly.outcomes[name] = s, outcomes
	return s, outcomes
}

// cut has a subject sampled often, and end early if it is slow.
func cut(s *run.Subject, isSlow bool) {
	if isSlow {
		s.SampleEvery = min(s.SampleEvery, 5*sluice.Microsecond)
		s.Until = s.FirstStart() + 2*s.SampleEvery + 10*sluice.Microsecond
		s.WarmUp = 0
	}
}

// withOthers adds protocols, by the scenario's place in the list, so that each has its turn.
func withOthers(name string, protocols []string, more int) []string {
	all := run.ProtocolNames()
	place := slices.IndexFunc(papers.All.Scenarios, func(s run.Scenario) bool {
		return s.Name == name
	})
	protocols = slices.Clone(protocols)
	for i := range more {
		if other := all[(more*place+i)%len(all)]; !slices.Contains(protocols, other) {
			protocols = append(protocols, other)
		}
	}
	return protocols
}
