//go:build race

package runtest

// raced: the race detector looks on. See Alone.
const raced = true
