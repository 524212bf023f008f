package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// memory bounds what a mutant that never stops may take, in KiB of address space.
const memory = "6000000"

// An outcome is what became of a mutant.
type outcome struct {
	killed bool
	by     string // the test that failed first, or what else ended it
}

var firstFailure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// run runs the tests with mutant id and returns whether they failed and how, with the processor
// time that they took. They are stopped when they took more of it than the limit, which holds on a
// machine that does other things too, and when they wait for ever.
func (b *binary) run(id int, limit time.Duration) (outcome, []byte, time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute+10*limit)
	defer cancel()
	seconds := strconv.Itoa(int(limit.Seconds()) + 1)
	script := "ulimit -t " + seconds + "; ulimit -v " + memory + "; exec \"$@\""
	arguments := append([]string{"-c", script, "sh", b.path}, b.arguments...)
	tests := exec.CommandContext(ctx, "sh", arguments...)
	tests.Dir = b.pkg.Dir
	tests.Env = append(os.Environ(), "SLUICE_MUTANT="+strconv.Itoa(id), "GOMAXPROCS=1")
	tests.WaitDelay = time.Second
	var out bytes.Buffer
	tests.Stdout, tests.Stderr = &out, &out
	err := tests.Run()
	took := tests.ProcessState.UserTime() + tests.ProcessState.SystemTime()
	if err == nil {
		return outcome{}, out.Bytes(), took
	}
	if ctx.Err() != nil || took >= limit {
		return outcome{true, "timeout"}, out.Bytes(), took
	}
	if match := firstFailure.FindSubmatch(out.Bytes()); match != nil {
		return outcome{true, string(match[1])}, out.Bytes(), took
	}
	return outcome{true, "crash"}, out.Bytes(), took
}

// runAll runs the unchanged code and then every mutant, as many at a time as there are processors.
func (b *binary) runAll(mutants []*mutant, done func()) ([]outcome, error) {
	unchanged, out, took := b.run(0, 5*time.Minute)
	if unchanged.killed {
		return nil, fmt.Errorf("%s fails without a mutant:\n%s", b.pkg.ImportPath, out)
	}
	limit := 2*time.Second + 3*took
	outcomes := make([]outcome, len(mutants))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				outcomes[i], _, _ = b.run(i+1, limit)
				done()
			}
		})
	}
	for i := range mutants {
		next <- i
	}
	close(next)
	workers.Wait()
	return outcomes, nil
}
