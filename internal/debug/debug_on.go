//go:build sluicedebug

package debug

// Enabled is true: machines panic when the embedder breaks the contract.
const Enabled = true
