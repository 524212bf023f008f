package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// memory bounds what a mutant that never stops may take, in KiB of address space.
const memory = "6000000"

// An outcome is what became of a mutant.
type outcome struct {
	killed bool
	by     string // the test that failed first, or what else ended it
}

func (o outcome) String() string {
	if o.killed {
		return "killed by " + o.by + ":"
	}
	return "survived:"
}

type reaching struct {
	name    string
	took    time.Duration // of the processor, by the unchanged code
	mutants []byte        // 1 at the numbers of mutants whose functions it calls
}

var firstFailure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// each calls do for 0 to n-1, as many at a time as there are processors.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				errs[i] = do(int(i))
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// measure runs every test alone with the unchanged code, to know what it takes and reaches.
func measure(binaries []*binary) error {
	var all []*binary
	var index []int
	for _, b := range binaries {
		command := exec.Command(b.path, "-test.list", b.only)
		command.Dir = b.pkg.Dir
		list, err := command.Output()
		if err != nil {
			return fmt.Errorf("tests of %s: %w", b.pkg.ImportPath, err)
		}
		for _, name := range strings.Fields(string(list)) {
			if !strings.HasPrefix(name, "Benchmark") {
				all, index = append(all, b), append(index, len(b.tests))
				b.tests = append(b.tests, reaching{name: name})
			}
		}
	}
	err := each(len(all), func(i int) error { return all[i].measure(&all[i].tests[index[i]]) })
	for _, b := range binaries {
		slices.SortStableFunc(b.tests, func(s, t reaching) int { return cmp.Compare(s.took, t.took) })
	}
	return err
}

func (b *binary) measure(t *reaching) error {
	file := filepath.Join(filepath.Dir(b.path), t.name)
	o, out, took := b.run(reach, []string{t.name}, 5*time.Minute, "SLUICE_REACHED="+file)
	if o.killed {
		return fmt.Errorf("%s fails without a mutant:\n%s", b.pkg.ImportPath, out)
	}
	t.took = took
	t.mutants = make([]byte, b.mutants+1)
	reached, err := os.ReadFile(file) // ends with the last mutant that the test reached
	copy(t.mutants, reached)
	return err
}

// try runs the tests that reach a mutant: cheap ones first, as most mutants are killed by many.
func (b *binary) try(id int) outcome {
	budget := 300 * time.Millisecond
	var names []string
	var take time.Duration
	for i := range b.tests {
		t := &b.tests[i]
		if t.mutants[id] == 0 {
			continue
		}
		if len(names) > 0 && take+t.took > budget {
			if o, _, _ := b.run(id, names, 2*time.Second+3*take); o.killed {
				return o
			}
			names, take, budget = nil, 0, 5*budget
		}
		names, take = append(names, t.name), take+t.took
	}
	if len(names) == 0 {
		return outcome{}
	}
	o, _, _ := b.run(id, names, 2*time.Second+3*take)
	return o
}

// run runs tests with mutant id and returns whether they failed and how, with the processor time
// that they took. They are stopped when they took more of it than the limit, which holds on a
// machine that does other things too, and when they wait for ever.
func (b *binary) run(
	id int, tests []string, limit time.Duration, environment ...string,
) (outcome, []byte, time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second+10*limit)
	defer cancel()
	seconds := strconv.Itoa(int(limit.Seconds()) + 1)
	script := "ulimit -t " + seconds + "; ulimit -v " + memory + "; exec \"$@\""
	arguments := append([]string{"-c", script, "sh", b.path}, b.arguments...)
	chosen := "^(" + strings.Join(tests, "|") + ")$"
	run := exec.CommandContext(ctx, "sh", append(arguments, "-test.run", chosen)...)
	run.Dir = b.pkg.Dir
	run.Env = append(os.Environ(), "SLUICE_MUTANT="+strconv.Itoa(id), "GOMAXPROCS=1")
	run.Env = append(run.Env, environment...)
	run.WaitDelay = time.Second
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err := run.Run()
	took := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	if err == nil {
		return outcome{}, out.Bytes(), took
	}
	if ctx.Err() != nil || took >= limit || killed(run.ProcessState) {
		return outcome{true, "timeout"}, out.Bytes(), took
	}
	if match := firstFailure.FindSubmatch(out.Bytes()); match != nil {
		return outcome{true, string(match[1])}, out.Bytes(), took
	}
	return outcome{true, "crash"}, out.Bytes(), took
}

// killed reports whether a signal ended a process, as the kernel does at its limit of processor
// time, or a little before.
func killed(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}
