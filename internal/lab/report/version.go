package report

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// setting returns what the build says of itself, "" if nothing.
func setting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// Version names the program: the module's version, and the revision if the build knows it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return strings.TrimSpace(info.Main.Version + " " + setting("vcs.revision"))
}

// Build names the code that runs: the revision that it was made of, or, where the build does not
// know it or the tree had changes, a hash of the executable.
func Build() string {
	if revision := setting("vcs.revision"); revision != "" && setting("vcs.modified") == "false" {
		return revision
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
