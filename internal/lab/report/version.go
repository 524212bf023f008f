package report

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Version names the program: the module's version, and the revision if the build knows it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			version += " " + setting.Value
		}
	}
	return version
}

// Build names the code that runs: the revision that it was made of, or, where the build does not
// know it or the tree had changes, a hash of the executable.
func Build() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if revision := settings["vcs.revision"]; revision != "" && settings["vcs.modified"] == "false" {
			return revision
		}
	}
	return executableHash()
}

// executableHash is computed once, as a test or a cluster asks for it often.
var executableHash = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	file, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	digest := xxhash.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("executable %016x", digest.Sum64())
})
