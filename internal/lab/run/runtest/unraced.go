//go:build !race

package runtest

const raced = false
