package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asProgram is an environment variable that makes this binary the program.
const asProgram = "WIRE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestInterrupt: a program that is interrupted removes its namespaces and prints its counters. What
// a program leaves behind that is killed, the next one removes.
func TestInterrupt(t *testing.T) {
	needNetwork(t)
	for _, signal := range []os.Signal{syscall.SIGKILL, syscall.SIGINT} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out bytes.Buffer
		program := exec.CommandContext(ctx, os.Args[0], "-fc", "pyrrha", "-delay", "300ms")
		program.Env = append(os.Environ(), asProgram+"=yes")
		program.Stdout, program.Stderr = &out, &out
		require.NoError(t, program.Start())
		time.Sleep(1500 * time.Millisecond)
		require.Len(t, namespacesOf(program.Process.Pid), 4)
		require.NoError(t, program.Process.Signal(signal))
		err := program.Wait()
		if signal == syscall.SIGKILL {
			require.Error(t, err)
			removeLeftovers()
		} else {
			require.NoError(t, err, out.String())
			require.Contains(t, out.String(), "CONTROL OUT")
			require.Contains(t, out.String(), "h0-h2")
		}
		require.Empty(t, namespacesOf(program.Process.Pid))
	}
}
