package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// protocolsOfExample are the protocols that testdata/example.c runs without a loss, all of several
// packets' journeys through queues, moves, frames and timers.
var protocolsOfExample = []string{"pfc", "bfc", "pyrrha", "pyrrha-single", "ofc", "cbfc"}

// TestExample runs an embedder in C, with the library in either form.
func TestExample(t *testing.T) {
	depth.Need(t, "C", "cc")
	into, err := library()
	require.NoError(t, err)
	for _, form := range []string{"libsluice.a", "libsluice.so"} {
		program := compileWith(t, filepath.Join(into, form), "testdata/example.c")
		for _, protocol := range protocolsOfExample {
			out, err := exec.Command(program, protocol).CombinedOutput()
			require.NoError(t, err, "%s, %s: %s", form, protocol, out)
			var sent, delivered, lost, frames int
			_, err = fmt.Sscanf(string(out), "sent %d delivered %d lost %d frames %d\n", &sent,
				&delivered, &lost, &frames)
			require.NoError(t, err, "%s", out)
			require.Equal(t, []int{4000, 4000, 0}, []int{sent, delivered, lost}, protocol)
			require.Positive(t, frames, protocol)
		}
		// Without flow control the same packets are lost, so that there was something to do.
		require.Error(t, exec.Command(program, "none").Run())
	}
}

// TestSanitizers runs programs in C whose memory the compiler watches: addresses, leaks, undefined
// behaviour.
func TestSanitizers(t *testing.T) {
	depth.Need(t, "C", "cc")
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}
	example := compile(t, "testdata/example.c", flags...)
	for _, protocol := range protocolsOfExample {
		out, err := exec.Command(example, protocol).CombinedOutput()
		require.NoError(t, err, "%s: %s", protocol, out)
	}
	rest := compile(t, "testdata/rest.c", flags...)
	for _, args := range [][]string{nil, {"misuse"}} {
		out, err := exec.Command(rest, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestHostile: sizes and counts of SIZE_MAX, times at both ends of a sluice_time, and handles of
// nothing are refused or harm nothing, and neither Go nor the watching compiler ends the program.
func TestHostile(t *testing.T) {
	depth.Need(t, "C", "cc")
	program := compile(t, "testdata/hostile.c", sanitizers...)
	out, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}

// TestManyHandles: the last of 100,000 handles cost as much to make as the first, within what a
// garbage collector and a busy machine add.
func TestManyHandles(t *testing.T) {
	depth.Need(t, "C", "cc")
	out, err := exec.Command(compile(t, "testdata/hostile.c"), "100000").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var first, last float64
	_, err = fmt.Sscan(string(out), &first, &last)
	require.NoError(t, err, "%s", out)
	t.Logf("nanoseconds for one of the first 10,000: %v, of the last: %v", first, last)
	require.Less(t, last, 5*first+1000)
}

// TestValgrind runs them under memcheck, which sees both sides of the interface: with the build tag
// valgrind Go's runtime tells it of its memory. Leaks are the sanitizer's to find, as valgrind does
// not know of garbage collection.
func TestValgrind(t *testing.T) {
	depth.Need(t, "C", "cc")
	depth.Need(t, "C", "valgrind")
	if testing.Short() {
		t.Skip("builds the library anew")
	}
	into, err := library("-tags", "valgrind")
	require.NoError(t, err)
	run := func(source string, args ...string) {
		archive := filepath.Join(into, "libsluice.a")
		var program string
		if strings.HasSuffix(source, ".cc") {
			program = compileCPPWith(t, archive, "c++17", source)
		} else {
			program = compileWith(t, archive, source)
		}
		args = append([]string{"-q", "--error-exitcode=9", "--leak-check=no", program}, args...)
		valgrind := exec.Command("valgrind", args...)
		// The signal by which the runtime interrupts a goroutine saves registers below the stack
		// pointer that memcheck sees. On some processors valgrind does not know RDTSCP, by which the
		// runtime reads time where threads meet at a lock.
		valgrind.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
		out, err := valgrind.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", source, args, out)
		require.NotContains(t, string(out), "Invalid")
		require.NotContains(t, string(out), "uninitialised")
	}
	protocols := []string{"pfc", "pyrrha"} // all pass the same interface
	if depth.Now() == depth.Exhaustive {
		protocols = protocolsOfExample
	}
	for _, protocol := range protocols {
		run("testdata/example.c", protocol)
	}
	run("testdata/switch.cc", "pfc")
	run("testdata/switch.cc", "pyrrha")
	run("testdata/cpp.cc")
	run("testdata/rest.c")
	run("testdata/rest.c", "misuse")
}

// TestPrototypes compiles sluice.h as C and as C++, on its own and with the strictest warnings.
func TestPrototypes(t *testing.T) {
	for _, compiler := range []string{"cc -std=c11", "cc -std=c2x", "c++ -std=c++17 -x c++"} {
		depth.Need(t, "C", strings.Fields(compiler)[0])
		out, err := exec.Command("sh", "-c",
			compiler+" -Wall -Wextra -Wpedantic -Werror -fsyntax-only sluice.h").CombinedOutput()
		require.NoError(t, err, "%s: %s", compiler, out)
	}
}
