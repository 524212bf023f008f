package slurm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scripted is an array whose commands answer what a test says: each question gets the next of the
// answers, "!" none. What a real controller answers is the test TestSlurm of bench.
func scripted(
	t *testing.T, left func(asked int) map[int]int, answers ...string,
) (a *Array, said *[]string) {
	dir := t.TempDir()
	command := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	for i, answer := range answers {
		file := filepath.Join(dir, fmt.Sprint("answer", i+1))
		require.NoError(t, os.WriteFile(file, []byte(answer), 0o600))
	}
	count := func(what string) string {
		return "cd " + dir + "; echo >> " + what + "; n=$(wc -l < " + what + ")\n"
	}
	command("squeue", count("asked")+`[ -e answer$n ] || { echo never asked >&2; exit 1; }
grep -q ! answer$n && { echo no controller >&2; exit 1; }
cat answer$n`)
	command("sbatch", count("submitted")+`echo $n; echo "$@" >> args`)
	command("scancel", `echo "$@" >&2; exit 1`)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	asked := 0
	said = new([]string)
	return &Array{
		Name: "bench-1", Script: "script", Rest: time.Millisecond, Show: func(string) {},
		Left: func() (map[int]int, error) { asked++; return left(asked), nil },
		Say:  func(line string) { *said = append(*said, line) },
	}, said
}

func always(left map[int]int) func(int) map[int]int {
	return func(int) map[int]int { return left }
}

// A task that ends three times without having done anything is given up; a task that has done
// something, and met a time limit, goes on as often as it needs.
func TestTries(t *testing.T) {
	a, said := scripted(t, func(asked int) map[int]int { return map[int]int{2: 9, 5: 9 - asked} }, "",
		"1|2|FAILED|x\n1|5|TIMEOUT|x\n", "2|2|FAILED|x\n2|5|TIMEOUT|x\n1|2|FAILED|x\n",
		"3|2|FAILED|x\n3|5|TIMEOUT|x\n", "3|2|FAILED|x\n4|5|TIMEOUT|x\n", "5|5|CANCELLED|x\n")
	require.EqualError(t, a.Run(), "task 5: CANCELLED\ntask 2: FAILED, 3 times in a row without anything done")
	require.Equal(t, []string{
		"job 1: task 2,5",
		"task 2: FAILED before all was done, so it is submitted again",
		"task 5: TIMEOUT before all was done, so it is submitted again", "job 2: task 2,5",
		"task 2: FAILED before all was done, so it is submitted again",
		"task 5: TIMEOUT before all was done, so it is submitted again", "job 3: task 2,5",
		"task 5: TIMEOUT before all was done, so it is submitted again", "job 4: task 5",
		"task 5: TIMEOUT before all was done, so it is submitted again", "job 5: task 5",
	}, *said)
}

// What is under way from before is not submitted; a controller that does not answer for a while is
// asked again, and no task is judged meanwhile; the end needs no answer.
func TestAdopted(t *testing.T) {
	a, said := scripted(t, func(asked int) map[int]int {
		return []map[int]int{{1: 3, 2: 3}, {1: 2, 2: 3}, {1: 2, 2: 3}, {2: 1}, {}}[asked-1]
	}, "7|1|RUNNING|None\n7|2|PENDING|Resources\n8|x|RUNNING|None\n", "!", "!", "7|2|COMPLETING|None\n", "!")
	require.NoError(t, a.Run())
	require.Equal(t, []string{
		"task 1-2: under way already", "no controller; it is asked again and again",
	}, *said)
}

// squeue has one line without a number for the tasks of an array that were cancelled before they
// began, and no line for tasks that were cancelled one by one. It has a line for a task that began
// until the controller forgets it.
func TestForgotten(t *testing.T) {
	a, said := scripted(t, always(map[int]int{1: 1, 2: 1, 3: 1}), "",
		"1|1|RUNNING|None\n1|2|PENDING|Resources\n1|3|PENDING|Resources\n",
		"1|1|RUNNING|None\n1|2|PENDING|Resources\n", "1|N/A|CANCELLED|None\n", "2|1|CANCELLED|None\n")
	require.EqualError(t, a.Run(), "task 1-3: CANCELLED")
	require.Equal(t, "job 1: task 1-3", (*said)[0])
}

// A task that waits and has nothing left is taken from the queue; a task that runs ends by itself.
func TestTidy(t *testing.T) {
	a, _ := scripted(t, always(nil), "7|1|RUNNING|None\n7|2|PENDING|BeginTime\n")
	require.EqualError(t, a.Run(), "--state=PENDING --name=bench-1")
	a, _ = scripted(t, always(nil), "7|1|RUNNING|None\n7|2|COMPLETED|None\n")
	require.NoError(t, a.Run())
}

// An error of the first question or submission is the user's to see at once.
func TestErrors(t *testing.T) {
	a, _ := scripted(t, always(map[int]int{1: 1}), "!")
	require.EqualError(t, a.Run(), "no controller")
	a, _ = scripted(t, always(map[int]int{1: 1}), "what\n")
	require.EqualError(t, a.Run(), `squeue: "what\n" is no line of a task`)
	a, _ = scripted(t, always(nil), "")
	a.Left = func() (map[int]int, error) { return nil, errors.New("unreadable") }
	require.EqualError(t, a.Run(), "unreadable")
	a, _ = scripted(t, always(map[int]int{1: 1}), "")
	t.Setenv("PATH", t.TempDir())
	require.ErrorContains(t, a.Run(), "squeue: exec: ")
}

func TestNumbers(t *testing.T) {
	require.Equal(t, "1-3,5,7-8", numbers([]int{8, 1, 2, 3, 7, 5}))
}
