//go:build !sluicedebug

// Package debug says whether the build checks the embedder's side of the contract.
package debug

// Enabled is true in a build with the tag sluicedebug. It is a constant, so that checks
// behind it cost nothing in other builds.
const Enabled = false
