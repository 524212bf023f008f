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

// compileCPP makes a program of C++ with libsluice.a.
func compileCPP(t testing.TB, standard, source string, flags ...string) string {
	into, err := library()
	require.NoError(t, err)
	return compileCPPWith(t, filepath.Join(into, "libsluice.a"), standard, source, flags...)
}

func compileCPPWith(t testing.TB, archive, standard, source string, flags ...string) string {
	depth.Need(t, "C", "c++")
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g",
		"-I.", "-o", program, source, archive, "-lpthread"}, flags...)
	out, err := exec.Command("c++", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

var sanitizers = []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}

// TestSwitchInCPP runs a switch that takes at most 60 lines, under every flow control, with the
// compiler watching its memory; without flow control the same packets are lost.
func TestSwitchInCPP(t *testing.T) {
	source, err := os.ReadFile("testdata/switch.hpp")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(source), "\n"), 60)
	program := compileCPP(t, "c++17", "testdata/switch.cc", sanitizers...)
	for _, protocol := range protocolsOfExample {
		out, err := exec.Command(program, protocol).CombinedOutput()
		require.NoError(t, err, "%s: %s", protocol, out)
		require.Equal(t, "delivered 1000 lost 0\n", string(out), protocol)
	}
	out, err := exec.Command(program, "none").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "lost 0")
	out, err = exec.Command(program, "tcp").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), `-3 flow control "tcp"`)
}

// TestCPP tests owners, errors and refusals of sluice.hpp.
func TestCPP(t *testing.T) {
	for _, standard := range []string{"c++17", "c++20"} {
		out, err := exec.Command(compileCPP(t, standard, "testdata/cpp.cc",
			sanitizers...)).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestDoxygen: doxygen finds nothing in sluice.hpp that is not documented, and would.
func TestDoxygen(t *testing.T) {
	depth.Need(t, "C", "doxygen")
	config, err := os.ReadFile("Doxyfile")
	require.NoError(t, err)
	header, err := os.ReadFile("sluice.hpp")
	require.NoError(t, err)
	run := func(header string) (string, error) {
		folder := t.TempDir()
		file := filepath.Join(folder, "sluice.hpp")
		require.NoError(t, os.WriteFile(file, []byte(header), 0o600))
		doxygen := exec.Command("doxygen", "-")
		doxygen.Stdin = strings.NewReader(fmt.Sprintf("%s\nINPUT = %s\nOUTPUT_DIRECTORY = %s\n", config,
			file, folder))
		out, err := doxygen.CombinedOutput()
		return string(out), err
	}
	out, err := run(string(header))
	require.NoError(t, err, out)
	const documented = "  /** The machine. */\n"
	require.Contains(t, string(header), documented)
	out, err = run(strings.Replace(string(header), documented, "", 1))
	require.Error(t, err)
	require.Contains(t, out, "Member get() const (function) of class sluice::driver is not documented")
}
