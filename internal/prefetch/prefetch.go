// Package prefetch asks the processor for memory that will be needed soon, so that it is in the
// cache by then. It changes no result: an address may be of anything, or of nothing.
package prefetch

// Lines are addresses of cache lines. One that is not set anew is asked for again, which costs
// next to nothing.
type Lines [8]uintptr

// Line is the size of a cache line in bytes.
const Line = 64
