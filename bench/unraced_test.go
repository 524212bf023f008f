//go:build !race

package main

// raced: the race detector looks on. See alone.
const raced = false
