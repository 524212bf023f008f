//go:build !linux

package run

import (
	"runtime"
	"runtime/debug"
)

func resetPeakRSS() { debug.FreeOSMemory() }

// peakRSS returns an upper bound of the resident set size: the memory that the Go runtime has
// obtained from the operating system.
func peakRSS() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}
