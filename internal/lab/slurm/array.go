package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Array is a job array that is submitted and looked after. The caller says what its tasks have
// left; squeue says whether a task goes on, and why it ended. So neither accounting nor a record of
// what was submitted is needed: an array that is under way is found by its name.
type Array struct {
	Name   string // of the job, and of no other
	Script string // its file
	// Left says how much each task has left, by its number; tasks that have nothing are not in it.
	Left func() (map[int]int, error)
	Say  func(line string) // of what happens
	Show func(how string)  // how many tasks are in each state
	Rest time.Duration     // between two questions, at most

	known map[int]*known
	rest  map[int]string // by job, the state of tasks that have no line of their own
	lost  bool           // Slurm did not answer
}

type known struct {
	job    int    // the last
	left   int    // when it was submitted
	failed int    // submissions in a row that got nothing done
	began  bool   // it was seen to do more than wait
	due    bool   // to be submitted, as soon as Slurm takes it
	given  string // why it is given up; "" if it is not
}

// tries is how often a task may end in a row without having done anything.
const tries = 3

// Run submits tasks that have something left and are not under way, until nothing is left. A task
// that was cancelled, or that fails again and again, is not submitted again.
func (a *Array) Run() error {
	a.known = map[int]*known{}
	for rest := 0.2; ; rest *= 1.3 {
		tasks, err := a.ask()
		if err != nil && len(a.known) == 0 {
			return err
		}
		left, leftErr := a.Left()
		if leftErr != nil {
			return leftErr
		}
		if len(left) == 0 {
			return a.tidy(tasks)
		}
		if err == nil {
			over, submitted, attendErr := a.attend(tasks, left)
			if over || attendErr != nil && len(a.known) == 0 {
				return errors.Join(attendErr, a.givenUp())
			}
			if err = attendErr; submitted {
				rest = 0.2
			}
		}
		if err != nil && !a.lost {
			a.Say(err.Error() + "; it is asked again and again")
		}
		a.lost = err != nil
		time.Sleep(min(a.Rest, time.Duration(rest*float64(time.Second))))
	}
}

// tidy takes tasks from the queue that wait and have nothing to do, as a task that Slurm requeued
// when its node was thought dead.
func (a *Array) tidy(tasks map[int]task) error {
	for _, t := range tasks {
		if t.state == pending {
			_, err := run("scancel", "--state="+pending, "--name="+a.Name)
			return err
		}
	}
	return nil
}

// attend submits tasks that have to be submitted. It is over if nothing is under way or to be
// submitted.
func (a *Array) attend(tasks map[int]task, left map[int]int) (over, submitted bool, err error) {
	var submit, adopted []int
	again := map[string][]int{} // by how they ended
	states := map[string]int{}
	over = true
	for _, n := range slices.Sorted(maps.Keys(left)) {
		t, k := tasks[n], a.known[n]
		switch {
		case t.underWay():
			if k == nil {
				adopted = append(adopted, n)
			}
			if k == nil || k.due {
				k = &known{job: t.job, left: left[n]}
				a.known[n] = k
			}
			k.began = k.began || t.state != pending
			states[t.how()]++
			over = false
		case k == nil || k.due:
			submit = append(submit, n)
		case k.given == "":
			how := a.ended(k, t, left[n])
			if k.due {
				submit = append(submit, n)
				again[how] = append(again[how], n)
			}
		}
	}
	if len(adopted) > 0 {
		a.Say(fmt.Sprintf("task %s: under way already", numbers(adopted)))
	}
	for _, how := range slices.Sorted(maps.Keys(again)) {
		a.Say(fmt.Sprintf("task %s: %s before all was done, so it is submitted again",
			numbers(again[how]), how))
	}
	for n, t := range tasks {
		if t.underWay() && left[n] == 0 {
			states[t.how()]++
		}
	}
	var words []string
	for _, state := range slices.Sorted(maps.Keys(states)) {
		words = append(words, fmt.Sprintf("%d %s", states[state], state))
	}
	a.Show(strings.Join(words, ", "))
	if len(submit) == 0 {
		return over, false, nil
	}
	job, err := a.submit(submit)
	if err != nil {
		return false, false, err
	}
	for _, n := range submit {
		if a.known[n] == nil {
			a.known[n] = &known{}
		}
		k := a.known[n]
		k.job, k.left, k.began, k.due = job, left[n], false, false
	}
	return false, true, nil
}

// ended decides whether a task that ended with something left is submitted again, and says how it
// ended.
func (a *Array) ended(k *known, t task, left int) (how string) {
	if t.job < k.job {
		t.state = a.rest[k.job]
	}
	switch {
	case t.state != "":
	case k.began || left < k.left: // long ago
		t.state = "unknown to squeue"
	default: // as squeue forgets a task that was cancelled before it began
		t.state = cancelled
	}
	if left < k.left {
		k.failed = 0
	}
	k.failed++
	switch {
	case t.state == cancelled:
		k.given = t.state
	case k.failed == tries:
		k.given = fmt.Sprintf("%s, %d times in a row without anything done", t.state, tries)
	default:
		k.due = true
	}
	return t.state
}

// givenUp names the tasks that were given up, tasks of one reason together.
func (a *Array) givenUp() error {
	by := map[string][]int{}
	for n, k := range a.known {
		if k.given != "" {
			by[k.given] = append(by[k.given], n)
		}
	}
	var errs []error
	for _, why := range slices.Sorted(maps.Keys(by)) {
		errs = append(errs, fmt.Errorf("task %s: %s", numbers(by[why]), why))
	}
	return errors.Join(errs...)
}

type task struct {
	job           int // its array's
	state, reason string
}

// States that say more than whether a task is under way.
const (
	cancelled = "CANCELLED"
	pending   = "PENDING"
)

// final are the states that a job does not leave, https://slurm.schedmd.com/squeue.html.
var final = []string{
	"", "BOOT_FAIL", cancelled, "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
	"PREEMPTED", "REVOKED", "TIMEOUT",
}

func (t task) underWay() bool { return !slices.Contains(final, t.state) }

// how is the state for people, with the reason if it waits.
func (t task) how() string {
	how := strings.ToLower(t.state)
	if t.state == pending && t.reason != "None" {
		how += " (" + t.reason + ")"
	}
	return how
}

// ask returns what squeue knows of each task's newest job, by the number of the task.
func (a *Array) ask() (map[int]task, error) {
	out, err := run("squeue", "--noheader", "--array", "--states=all", "--name="+a.Name,
		"--format=%F|%K|%T|%r")
	if err != nil {
		return nil, err
	}
	tasks := map[int]task{}
	a.rest = map[int]string{}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("squeue: %q is no line of a task", line)
		}
		job, jobErr := strconv.Atoi(fields[0])
		n, err := strconv.Atoi(fields[1])
		switch {
		case jobErr != nil:
		case err != nil: // N/A, where tasks were cancelled before any of them had begun
			a.rest[job] = fields[2]
		case job >= tasks[n].job:
			tasks[n] = task{job, fields[2], fields[3]}
		}
	}
	return tasks, nil
}

func (a *Array) submit(tasks []int) (job int, err error) {
	out, err := run("sbatch", "--parsable", "--job-name="+a.Name, "--array="+numbers(tasks), a.Script)
	if err != nil {
		return 0, err
	}
	if job, err = strconv.Atoi(strings.TrimSpace(out)); err != nil {
		return 0, fmt.Errorf("sbatch: %q is no number of a job", out)
	}
	a.Say(fmt.Sprintf("job %d: task %s", job, numbers(tasks)))
	return job, nil
}

// numbers writes a list as sbatch reads it: 1-3,7.
func numbers(tasks []int) string {
	slices.Sort(tasks)
	var words []string
	for i := 0; i < len(tasks); {
		last := i
		for last+1 < len(tasks) && tasks[last+1] == tasks[last]+1 {
			last++
		}
		word := strconv.Itoa(tasks[i])
		if last > i {
			word += "-" + strconv.Itoa(tasks[last])
		}
		words = append(words, word)
		i = last + 1
	}
	return strings.Join(words, ",")
}

// run runs a command of Slurm. What it says on standard error is the error's text.
func run(name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = errors.New(strings.ReplaceAll(said, "\n", "; "))
		}
	}
	return string(out), err
}
