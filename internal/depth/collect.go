package depth

import (
	"os"
	"runtime/debug"
)

// CollectSeldom lets garbage be four times as much as what lives before it is collected, unless
// GOGC says otherwise. It is for tests that build many small networks: these take a quarter to a
// half less processor time then.
func CollectSeldom() {
	const percent = 400
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
