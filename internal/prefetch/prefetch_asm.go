//go:build amd64 || arm64

package prefetch

// Enabled reports whether Ask does something on this processor.
const Enabled = true

// Ask asks for the lines at the addresses.
//
//go:noescape
func Ask(lines *Lines)
