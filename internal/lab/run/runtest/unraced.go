//go:build !race

package runtest

// raced: the race detector looks on. See alone.
const raced = false
