// Command packages prints, for the shell, what a gate is about, one package per line:
//
//	public      packages that embedders import
//	hooks       public packages in which nothing allocates after New, which a test must show
//	concurrent  packages in whose tests goroutines run side by side, and behind each a regular
//	            expression of these tests
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

var lists = map[string]func(dir string) ([]string, error){
	"public":     paths(module.Public),
	"hooks":      paths(module.WithHooks),
	"concurrent": races,
}

func paths(list func(dir string) ([]module.Package, error)) func(dir string) ([]string, error) {
	return func(dir string) (lines []string, err error) {
		packages, err := list(dir)
		for _, p := range packages {
			lines = append(lines, p.ImportPath)
		}
		return lines, err
	}
}

func races(dir string) (lines []string, err error) {
	races, err := concurrent(dir)
	for _, r := range races {
		lines = append(lines, r.ImportPath+" ^("+strings.Join(r.Tests, "|")+")$")
	}
	return lines, err
}

func main() {
	if len(os.Args) != 2 || lists[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: packages public|hooks|concurrent")
		os.Exit(2)
	}
	lines, err := lists[os.Args[1]](".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, line := range lines {
		fmt.Println(line)
	}
}
