package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// libraries are where libsluice is, by the flags of go build that made it.
var libraries struct {
	sync.Mutex
	into map[string]string
}

// library builds libsluice, once for all tests, and returns the folder it is in.
func library(flags ...string) (string, error) {
	libraries.Lock()
	defer libraries.Unlock()
	key := strings.Join(flags, " ")
	if into, ok := libraries.into[key]; ok {
		return into, nil
	}
	into, err := os.MkdirTemp("", "capi")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("./build", append([]string{into},
		flags...)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	if libraries.into == nil {
		libraries.into = make(map[string]string)
	}
	libraries.into[key] = into
	return into, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, into := range libraries.into {
		os.RemoveAll(into)
	}
	os.Exit(code)
}

// compile makes a program of C sources with a libsluice.a, and returns its name.
func compile(t testing.TB, source string, flags ...string) string {
	into, err := library()
	require.NoError(t, err)
	return compileWith(t, filepath.Join(into, "libsluice.a"), source, flags...)
}

func compileWith(t testing.TB, library, source string, flags ...string) string {
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-g", "-I."}, flags...)
	args = append(args, "-o", program, source, library, "-lpthread",
		"-Wl,-rpath,"+filepath.Dir(library))
	out, err := exec.Command("cc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}
