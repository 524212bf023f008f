package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A trace of Chakra is a job: its files are those that begin with a name, numbered from 0.
func TestScheduleTakesChakra(t *testing.T) {
	inFolder(t)
	// GlobalMetadata of no bytes, and an all-reduce of 4 bytes: a node of type 7 with comm_size 4 and
	// comm_type 0, each as an int64.
	attribute := func(name string, value byte) string {
		text := "\n" + string(rune(len(name))) + name + "H" + string(rune(value))
		return "R" + string(rune(len(text))) + text
	}
	node := "\x18\x07" + attribute("comm_size", 4) + attribute("comm_type", 0)
	trace := []byte("\x00" + string(rune(len(node))) + node)
	for _, name := range []string{"job.0.et", "job.1.et"} {
		require.NoError(t, os.WriteFile(name, trace, 0o600))
	}
	code, stdout, stderr := invoke("schedule", "job,allreduce=halving")
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, 2*2, strings.Count(stdout, ": send 2b"))
	require.NoError(t, os.WriteFile("job.3.et", trace, 0o600))
	for job, want := range map[string]string{
		"job":                   "3 files job.*.et, and no job.2.et",
		"none,allreduce=direct": "allreduce is for traces of Chakra: there is no none.0.et",
	} {
		code, _, stderr := invoke("schedule", job)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, want)
	}
}
