// Command packages prints, for the shell, the packages that a gate is about, one per line:
//
//	public      those that embedders import
//	hooks       those of them in which nothing allocates after New, which a test must show
//	concurrent  those in whose tests goroutines run side by side
package main

import (
	"fmt"
	"os"

	"github.com/sluicefc/sluice/.ci/module"
)

var lists = map[string]func(dir string) ([]module.Package, error){
	"public":     module.Public,
	"hooks":      module.WithHooks,
	"concurrent": module.Concurrent,
}

func main() {
	if len(os.Args) != 2 || lists[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: packages public|hooks|concurrent")
		os.Exit(2)
	}
	packages, err := lists[os.Args[1]](".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range packages {
		fmt.Println(p.ImportPath)
	}
}
