package prefetch

import (
	"testing"
	"unsafe"
)

// An address may be of anything, or of nothing: whatever is there, asking reads nothing.
func TestAskAnything(t *testing.T) {
	var lines Lines
	Ask(&lines) // addresses of nothing
	x := 7
	for i := range lines {
		lines[i] = uintptr(unsafe.Pointer(&x)) + uintptr(i)*Line
	}
	Ask(&lines)
	for i := range lines {
		lines[i] = ^uintptr(0) - uintptr(i)<<20
	}
	Ask(&lines)
	if x != 7 {
		t.Error("what is asked for does not change")
	}
}

func BenchmarkAsk(b *testing.B) {
	var lines Lines
	for b.Loop() {
		Ask(&lines)
	}
}
