package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/slurm"
	"github.com/sluicefc/sluice/internal/lab/sweep"
)

// slurmOptions are the flags of a sweep on a cluster.
type slurmOptions struct {
	submit  bool
	tasks   int    // 0: not given
	options string // of sbatch
	script  string // file to write instead of submitting
}

// slurmTasks is into how many tasks a sweep of many runs is cut that does not say.
const slurmTasks = 100

// slurmRest is how long squeue is left alone, at most.
var slurmRest = 15 * time.Second

func (s *slurmOptions) register(f *flag.FlagSet) {
	f.BoolVar(&s.submit, "slurm", false, "")
	f.Func("slurm-tasks", "", value(&s.tasks, parseCount))
	f.Func("slurm-options", "", func(text string) error {
		s.options = text
		return slurm.CheckOptions(text)
	})
	f.StringVar(&s.script, "slurm-script", "", "")
}

// given reports whether a flag is given that says how, not whether.
func (s *slurmOptions) given() bool { return s.tasks > 0 || s.options != "" }

// local are the flags of a sweep that are not those of its parts.
var local = []string{
	"csv", "json", "plot", "q", "jobs", "cpuprofile", "slice", "slurm", "slurm-tasks", "slurm-options",
	"slurm-script",
}

// partWords are the command line without what is not a part's.
func (o *options) partWords() (words []string) {
	for _, flag := range o.words {
		if !slices.Contains(local, flag[0]) {
			words = append(words, "-"+flag[0]+"="+flag[1])
		}
	}
	if o.scenario != "" {
		words = append(words, o.scenario)
	}
	return words
}

// slurmFolder is where the executable, the script, and what tasks print are.
func (o *options) slurmFolder() (string, error) {
	return filepath.Abs(strings.TrimSuffix(o.csv, ".csv") + ".slurm")
}

// writeSlurm writes the batch script of a sweep, and beside its files the executable, as "go run"
// removes it, and the nodes need it.
func (o *options) writeSlurm(s *sweep.Plan) (script slurm.Script, path string, err error) {
	folder, err := o.slurmFolder()
	if err != nil {
		return script, "", err
	}
	points := strings.TrimSuffix(folder, ".slurm") + ".csv"
	tasks, jobs := o.slurm.tasks, 1
	if tasks == 0 {
		tasks = slurmTasks
	}
	tasks = min(tasks, s.Runs())
	if o.given["jobs"] {
		jobs = o.jobs
	}
	program := filepath.Join(folder, "bench")
	script = slurm.Script{
		Name:    fmt.Sprintf("bench-%016x", s.Digest(points, fmt.Sprint(tasks))),
		Options: o.slurm.options, Tasks: tasks, CPUs: jobs, Logs: folder,
		Command: append([]string{
			program, "sweep", "-q", "-csv=" + points, fmt.Sprintf("-slice=%s/%d", slurm.Task, tasks),
			fmt.Sprintf("-jobs=%d", jobs),
		}, o.partWords()...),
	}
	if script.Dir, err = os.Getwd(); err != nil {
		return script, "", err
	}
	if path = o.slurm.script; path == "" {
		path = filepath.Join(folder, "script")
	}
	if err = os.MkdirAll(folder, 0o777); err == nil {
		err = copyProgram(program)
	}
	if err == nil {
		err = report.WriteFile(path, nil, script.Write)
	}
	return script, path, err
}

// copyProgram copies the executable of this process.
func copyProgram(to string) error {
	from, err := os.Executable()
	if err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	err = report.WriteFile(to, nil, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	if err != nil {
		return err
	}
	return os.Chmod(to, 0o777)
}

// onSlurm has the runs that are left done by the tasks of a job array.
func (c command) onSlurm(o *options, s *sweep.Plan) error {
	script, path, err := o.writeSlurm(s)
	if err != nil {
		return err
	}
	p := c.progress(o, s.Runs())
	defer p.clear()
	a := slurm.Array{
		Name: script.Name, Script: path, Rest: slurmRest,
		Left: func() (map[int]int, error) {
			err := s.TakeSlices(o.csv)
			return s.LeftOf(script.Tasks), err
		},
		Say: func(line string) {
			p.clear()
			if !o.quiet {
				fmt.Fprintln(c.stderr, line)
			}
		},
		Show: func(how string) { p.tell(s.Runs()-s.Left(), how) },
	}
	if err := a.Run(); err != nil {
		return fmt.Errorf("%w\n%s left of %d; what tasks print is in %s; the same command goes on",
			err, show.Plural(s.Left(), "run"), s.Runs(), script.Logs)
	}
	return nil
}

// removeParts removes what the parts of a sweep needed, once all runs are in its own journal. What
// else is in the folder stays.
func (o *options) removeParts() error {
	if sweep.JournalOf(o.csv) == "" {
		return nil
	}
	folder, err := o.slurmFolder()
	if err != nil {
		return err
	}
	logs, _ := filepath.Glob(filepath.Join(folder, "*.log"))
	for _, file := range append(logs, folder+"/bench", folder+"/script") {
		_ = os.Remove(file)
	}
	_ = os.Remove(folder)
	return sweep.RemoveSlices(o.csv)
}
