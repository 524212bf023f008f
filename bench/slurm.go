package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/slurm"
)

// slurmOptions are the flags of a command whose slices are the tasks of a job array.
type slurmOptions struct {
	submit  bool
	tasks   int    // 0: not given
	options string // of sbatch
	script  string // file to write instead of submitting
}

// slurmTasks is the number of tasks of a command that has more parts, where -slurm-tasks is not
// given.
const slurmTasks = 100

// slurmRest is how long squeue is left alone, at most.
var slurmRest = 15 * time.Second

// given reports whether a flag says how the job array is to be.
func (s *slurmOptions) given() bool { return s.tasks > 0 || s.options != "" }

// checkSlurm refuses flags that contradict each other, and returns the flag that has the command
// cut, "" if there is none.
func (o *options) checkSlurm(slice bool) (given string, err error) {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"-slice", slice}, {"-slurm", o.slurm.submit}, {"-slurm-script", o.slurm.script != ""},
	} {
		switch {
		case !flag.given:
			continue
		case given != "":
			return "", fmt.Errorf("either %s or %s", given, flag.name)
		}
		given = flag.name
	}
	if o.slurm.given() && (given == "" || slice) {
		return "", fmt.Errorf("-slurm-tasks and -slurm-options belong to -slurm or -slurm-script")
	}
	return given, nil
}

// sliced is a command whose slices are the tasks of a job array.
type sliced struct {
	words []string                     // of the command line, without flags that no slice has
	base  string                       // what the names of its files begin with
	parts int                          // the most slices
	id    func(words ...string) uint64 // a digest of what is done, and of more words
	// left returns how many runs each slice has left, by its number, if slices are the whole.
	left func(slices int) (map[int]int, error)
}

// notOfSlices are the flags that a command has as a whole.
var notOfSlices = []string{
	"csv", "json", "tidy", "plot", "dir", "html", "pages", "q", "jobs", "cpuprofile", "slice", "slurm",
	"slurm-tasks", "slurm-options", "slurm-script",
}

func (o *options) sliceWords() (words []string) {
	for _, flag := range o.words {
		if !slices.Contains(notOfSlices, flag[0]) && !slices.Contains(styleFlags, flag[0]) {
			words = append(words, "-"+flag[0]+"="+flag[1])
		}
	}
	if o.scenario != "" {
		words = append(words, o.scenario)
	}
	return append(words, o.reported.Names...)
}

// slurmFolder is where the executable, the script, and what tasks print are.
func slurmFolder(base string) string { return base + ".slurm" }

// writeSlurm writes the batch script, and beside its files the executable, as "go run" removes it,
// and the nodes need it.
func (o *options) writeSlurm(of *sliced, tasks int) (script slurm.Script, path string, err error) {
	folder, err := filepath.Abs(slurmFolder(of.base))
	if err != nil {
		return script, "", err
	}
	jobs := 1
	if o.given["jobs"] {
		jobs = o.jobs
	}
	program := filepath.Join(folder, "bench")
	script = slurm.Script{
		Name:    fmt.Sprintf("bench-%016x", of.id(folder, fmt.Sprint(tasks))),
		Options: o.slurm.options, Tasks: tasks, CPUs: jobs, Logs: folder,
		Command: slices.Concat([]string{program}, of.words[:1], []string{
			"-q", fmt.Sprintf("-slice=%s/%d", slurm.Task, tasks), fmt.Sprintf("-jobs=%d", jobs),
		}, of.words[1:]),
	}
	if script.Dir, err = os.Getwd(); err != nil {
		return script, "", err
	}
	path = cmp.Or(o.slurm.script, filepath.Join(folder, "script"))
	if err = os.MkdirAll(folder, 0o777); err == nil {
		err = copyProgram(program)
	}
	if err == nil {
		err = report.WriteFile(path, nil, script.Write)
	}
	return script, path, err
}

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

// onSlurm has the tasks of a job array do what is left, or writes their script.
func (c command) onSlurm(o *options, of *sliced) error {
	tasks := min(cmp.Or(o.slurm.tasks, slurmTasks), max(of.parts, 1))
	count := func() (left map[int]int, sum int, err error) {
		left, err = of.left(tasks)
		for _, n := range left {
			sum += n
		}
		return left, sum, err
	}
	_, runs, err := count()
	if err == nil && runs == 0 && o.slurm.submit {
		removeSlurm(of.base)
		return nil
	}
	if err != nil {
		return err
	}
	script, path, err := o.writeSlurm(of, tasks)
	if err != nil {
		return err
	}
	if o.slurm.script != "" {
		w := c.writer(o)
		w.written = []string{"script: " + path}
		return w.finish()
	}
	left := runs
	p := c.progress(o, runs)
	defer p.clear()
	a := slurm.Array{
		Name: script.Name, Script: path, Rest: slurmRest,
		Left: func() (tasks map[int]int, err error) {
			tasks, left, err = count()
			return tasks, err
		},
		Say: func(line string) {
			p.clear()
			if !o.quiet {
				fmt.Fprintln(c.stderr, line)
			}
		},
		Show: func(how string) { p.showRest(runs-left, how) },
	}
	if err := a.Run(); err != nil {
		return fmt.Errorf("%w\n%s left; what tasks print is in %s; the same command goes on",
			err, show.Plural(left, "run"), script.Logs)
	}
	removeSlurm(of.base)
	return nil
}

// removeSlurm removes what the tasks of a job array needed. What else is in the folder stays.
func removeSlurm(base string) {
	names, err := os.ReadDir(slurmFolder(base))
	if err != nil {
		return
	}
	for _, e := range names {
		if name := e.Name(); name == "bench" || name == "script" || filepath.Ext(name) == ".log" {
			_ = os.Remove(filepath.Join(slurmFolder(base), name))
		}
	}
	_ = os.Remove(slurmFolder(base))
}
