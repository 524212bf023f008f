package run

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// jobOptions are what a job may say of itself, in the syntax of parameters.
var jobOptions = []params.Definition{
	{Name: "ranks", Kind: params.Int, Default: "0", Max: "1048576"},
	{Name: "bytes", Kind: params.Bytes, Default: "0", Max: "1000000GB"},
	{Name: "start", Kind: params.Time, Default: "0", Max: "4000000s"},
	{Name: "repeat", Kind: params.Int, Default: "1", Min: "1", Max: "1048576"},
	{Name: "perhost", Kind: params.Int, Default: "1", Min: "1", Max: "1048576"},
	{Name: "class", Kind: params.Int, Default: "0", Max: "7"},
	{Name: "place", Kind: params.Choice, Default: "order", Choices: []string{"order", "random"},
		Files: true},
	{Name: "window", Kind: params.Int, Default: "0", Max: "1048576"},
}

// jobSpec is a job as -schedule names it.
type jobSpec struct {
	text, what string // what: a file, or a collective operation
	values     *params.Values
}

func parseJob(text string) (*jobSpec, error) {
	what, options, _ := strings.Cut(text, ",")
	registry, err := params.NewRegistry(slices.Concat(jobOptions, chakraOptions))
	if err != nil {
		return nil, err
	}
	spec := &jobSpec{text: text, what: what}
	if spec.values, err = registry.Parse(options); err != nil {
		return nil, spec.wrap(err)
	}
	return spec, nil
}

func (j *jobSpec) wrap(err error) error { return fmt.Errorf("-schedule %s: %w", j.text, err) }

// schedule reads or makes what the job does.
func (j *jobSpec) schedule(mayWindow bool) (s *schedule.Schedule, err error) {
	set := j.values.Set()
	_, ranks := set["ranks"]
	_, bytes := set["bytes"]
	if c := schedule.CollectiveNamed(j.what); c != nil {
		return c.Make(int(j.values.Int("ranks")), j.values.Bytes("bytes"))
	}
	if ranks || bytes {
		return nil, fmt.Errorf("ranks and bytes are for collective operations, which are %s: "+
			"the ranks of a file are in it", strings.Join(CollectiveNames(), ", "))
	}
	if j.isChakra() {
		return j.chakra(mayWindow)
	}
	for _, o := range chakraOptions {
		if _, given := set[o.Name]; given {
			return nil, fmt.Errorf("%s is for traces of Chakra: there is no %s", o.Name,
				chakraName(j.what, 0))
		}
	}
	err = readFile(j.what, func(r io.Reader) (err error) {
		if file, is := r.(*os.File); is && mayWindow && j.window(j.what) > 0 {
			s, err = schedule.ReadInWindow(file, j.what, j.window(j.what))
		} else {
			s, err = schedule.Read(r, j.what)
		}
		return err
	})
	return s, err
}

// largeFile is how large files are whose operations are read in a window, if window= is not given.
const largeFile = 256 << 20

// window returns how many operations of a rank are read at a time, 0 for all.
func (j *jobSpec) window(files ...string) int {
	if _, given := j.values.Set()["window"]; given {
		return int(j.values.Int("window"))
	}
	size := int64(0)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	if size > largeFile {
		return schedule.DefaultWindow
	}
	return 0
}

// CollectiveNames are the names that -schedule takes beside files.
func CollectiveNames() (names []string) {
	for _, c := range schedule.Collectives() {
		names = append(names, c.Name)
	}
	return names
}

// MakeSchedule returns what a job of -schedule does.
func MakeSchedule(text string) (*schedule.Schedule, error) {
	spec, err := parseJob(text)
	if err != nil {
		return nil, err
	}
	s, err := spec.schedule(false)
	if err != nil {
		return nil, spec.wrap(err)
	}
	return s, nil
}

// makeJobs builds the jobs of the scenario, and those that were asked for, and appends their
// messages to the flows.
func (s *Scenario) makeJobs(
	r *Request, graph *topo.Graph, v *params.Values, flows []workload.Flow,
) (jobs []schedule.Job, _ []workload.Flow, err error) {
	if s.Jobs != nil {
		jobs, err = s.Jobs(graph, r.Seed, v)
	}
	taken := map[sluice.SwitchID]bool{}
	for i := range jobs {
		if err == nil {
			err = jobs[i].Check(graph)
		}
		take(taken, jobs[i].Hosts)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	for i, text := range r.Schedules {
		spec, err := parseJob(text)
		if err != nil {
			return nil, nil, err
		}
		one, err := spec.job(graph, prng.Mix(r.Seed+uint64(i)), taken)
		if err == nil {
			err = one.Check(graph)
		}
		if err != nil {
			return nil, nil, spec.wrap(err)
		}
		take(taken, one.Hosts)
		jobs = append(jobs, *one)
	}
	names, windowed, next := map[string]int{}, -1, len(flows)
	for i := range jobs {
		one := &jobs[i]
		if names[one.Name]++; names[one.Name] > 1 {
			one.Name = fmt.Sprintf("%s-%d", one.Name, names[one.Name])
		}
		if one.Schedule.InWindow() {
			windowed = i
		}
		if windowed >= 0 && !one.Schedule.InWindow() {
			if one.Schedule, err = one.Schedule.InWindowOf(schedule.DefaultWindow); err != nil {
				return nil, nil, err
			}
		}
		if one.First = next; windowed < 0 {
			flows = append(flows, one.Flows()...)
		}
		next += one.Messages()
	}
	return jobs, flows, nil
}

func take(taken map[sluice.SwitchID]bool, hosts []sluice.SwitchID) {
	for _, host := range hosts {
		taken[host] = true
	}
}

func (j *jobSpec) job(
	graph *topo.Graph, seed uint64, taken map[sluice.SwitchID]bool,
) (*schedule.Job, error) {
	s, err := j.schedule(true)
	if err != nil {
		return nil, err
	}
	hosts, err := j.place(s.Ranks, graph, seed, taken)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(j.what)
	return &schedule.Job{
		Name: strings.TrimSuffix(name, filepath.Ext(name)), Schedule: s, Hosts: hosts,
		Start: j.values.Time("start"), Repeat: int(j.values.Int("repeat")),
		Class:  sluice.Class(j.values.Int("class")),
		Groups: []workload.Group{workload.Background},
	}, nil
}

// place returns the hosts of the ranks: by a file, or of the hosts that no job before has, in
// order or drawn, with perhost ranks each.
func (j *jobSpec) place(
	ranks int, graph *topo.Graph, seed uint64, taken map[sluice.SwitchID]bool,
) ([]sluice.SwitchID, error) {
	rule := j.values.String("place")
	if path, is := strings.CutPrefix(rule, params.FilePrefix); is {
		return readPlaces(path, ranks, graph)
	}
	free := slices.DeleteFunc(slices.Clone(graph.Hosts()), func(h sluice.SwitchID) bool {
		return taken[h]
	})
	each := int(j.values.Int("perhost"))
	need := (ranks + each - 1) / each
	if need > len(free) {
		return nil, fmt.Errorf("%d ranks need %d hosts, and %d have no job yet: perhost=N puts more on "+
			"one, place=file:FILE says where they are", ranks, need, len(free))
	}
	if rule == "random" {
		random := prng.New(seed)
		for i := range need {
			k := i + int(random.Below(uint64(len(free)-i)))
			free[i], free[k] = free[k], free[i]
		}
	}
	hosts := make([]sluice.SwitchID, ranks)
	for rank := range hosts {
		hosts[rank] = free[rank/each]
	}
	return hosts, nil
}

// readPlaces reads a file with a line "rank host" for each rank.
func readPlaces(path string, ranks int, graph *topo.Graph) (hosts []sluice.SwitchID, err error) {
	places := map[uint64]sluice.SwitchID{}
	err = readFile(path, func(r io.Reader) error {
		lines := textfile.NewReader(r, path)
		for {
			fields, err := lines.Fields()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if len(fields) != 2 {
				return lines.Errorf("%d fields, a place has 2: rank, host", len(fields))
			}
			rank := lines.Uint("rank", fields[0], uint64(ranks-1))
			host := sluice.SwitchID(lines.Uint("host", fields[1], math.MaxUint32))
			_, twice := places[rank]
			switch {
			case lines.Err() != nil:
				return lines.Err()
			case twice:
				return lines.Errorf("rank %d has a host already", rank)
			case int(host) >= len(graph.Nodes) || !graph.IsHost(host):
				return lines.Errorf("%d is no host of %s", host, graph.Name)
			}
			places[rank] = host
		}
	})
	if err != nil {
		return nil, err
	}
	for rank := range uint64(ranks) {
		host, placed := places[rank]
		if !placed {
			return nil, &textfile.FileError{Name: path, Message: fmt.Sprintf(
				"rank %d has no host: %d of %d ranks have one", rank, len(places), ranks)}
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}
