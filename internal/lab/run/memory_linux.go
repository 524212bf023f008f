package run

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// resetPeakRSS returns freed memory to the kernel and makes it forget the largest size seen so far,
// so that peakRSS is the peak of one run. Where the kernel does not allow that, it is the peak of
// the process.
func resetPeakRSS() {
	debug.FreeOSMemory()
	// proc_pid_clear_refs(5): "5" resets the peak resident set size.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakRSS returns the largest resident set size in bytes since resetPeakRSS: VmHWM of
// /proc/self/status. 0 if the file cannot be read.
func peakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}
