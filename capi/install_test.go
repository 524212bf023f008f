package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// installed installs the library, once for all tests, and returns the prefix.
func installed(t *testing.T) string {
	depth.Need(t, "C", "cc")
	depth.Need(t, "C", "make")
	into, err := install()
	require.NoError(t, err)
	return into
}

var install = sync.OnceValues(func() (string, error) {
	into, err := os.MkdirTemp("", "capi-prefix")
	if err != nil {
		return "", err
	}
	libraries.Lock()
	defer libraries.Unlock()
	if libraries.into == nil {
		libraries.into = make(map[string]string)
	}
	libraries.into["installed"] = into // TestMain removes it
	make := exec.Command("make", "-s", "install", "PREFIX="+into)
	make.Stderr = os.Stderr
	return into, make.Run()
})

// TestPkgConfig builds a program against what is installed, as pkg-config says.
func TestPkgConfig(t *testing.T) {
	depth.Need(t, "C", "pkg-config")
	prefix := installed(t)
	lib := filepath.Join(prefix, "lib")
	program := filepath.Join(t.TempDir(), "example")
	build := exec.Command("sh", "-c", "cc -std=c11 testdata/example.c -o "+program+
		" $(pkg-config --cflags --libs 'sluice >= 1.0')")
	build.Env = append(os.Environ(), "PKG_CONFIG_PATH="+filepath.Join(lib, "pkgconfig"))
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.Command(program, "pfc")
	run.Env = append(os.Environ(), "LD_LIBRARY_PATH="+lib)
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	requireSoname(t, program)
}

// requireSoname: a program asks for the library by a name with the interface's major number, and
// not by the path that it was linked by.
func requireSoname(t *testing.T, program string) {
	f, err := elf.Open(program)
	require.NoError(t, err)
	defer f.Close()
	needed, err := f.ImportedLibraries()
	require.NoError(t, err)
	require.Contains(t, needed, "libsluice.so.2")
}

// TestLinkedByPath is the same for what ./build makes.
func TestLinkedByPath(t *testing.T) {
	depth.Need(t, "C", "cc")
	into, err := library()
	require.NoError(t, err)
	requireSoname(t, compileWith(t, filepath.Join(into, "libsluice.so"), "testdata/example.c"))
}

// TestCMake builds programs against what is installed, by find_package.
func TestCMake(t *testing.T) {
	depth.Need(t, "C", "cmake")
	prefix := installed(t)
	into := t.TempDir()
	for _, args := range [][]string{
		{"-S", "testdata/cmake", "-B", into, "-DCMAKE_PREFIX_PATH=" + prefix}, {"--build", into},
	} {
		out, err := exec.Command("cmake", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, program := range []string{"with-shared", "with-static"} {
		out, err := exec.Command(filepath.Join(into, program), "pyrrha").CombinedOutput()
		require.NoError(t, err, "%s: %s", program, out)
	}
}

var prototype = regexp.MustCompile(`(?m)^[a-z]\w+ (sluice_\w+)\(`)

// TestSymbols: the libraries show the functions of sluice.h and nothing else.
func TestSymbols(t *testing.T) {
	depth.Need(t, "C", "nm")
	prefix := installed(t)
	header, err := os.ReadFile("sluice.h")
	require.NoError(t, err)
	var want []string
	for _, match := range prototype.FindAllSubmatch(header, -1) {
		want = append(want, string(match[1]))
	}
	slices.Sort(want)
	require.Greater(t, len(want), 50)
	for _, args := range [][]string{{"-D", "libsluice.so"}, {"-g", "libsluice.a"}} {
		out, err := exec.Command("nm", args[0], "--defined-only", "--format=posix",
			filepath.Join(prefix, "lib", args[1])).Output()
		require.NoError(t, err)
		var got []string
		for line := range strings.Lines(string(out)) {
			if fields := strings.Fields(line); len(fields) > 2 {
				got = append(got, fields[0])
			}
		}
		slices.Sort(got)
		require.Equal(t, want, got, args[1])
	}
}

// TestLicences: what is linked in has its licence beside the library.
func TestLicences(t *testing.T) {
	prefix := installed(t)
	folder := filepath.Join(prefix, "share/doc/sluice")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		require.Contains(t, strings.ToLower(string(text)), "copyright", e.Name())
		names = append(names, e.Name())
	}
	require.Equal(t, []string{
		"LICENSE", "LICENSE.github.com-cespare-xxhash-v2", "LICENSE.go",
		"LICENSE.google.golang.org-protobuf",
	}, names)
}
