// Command prose finds phrases that make a reader stop, and sentences of others, in comments,
// strings, names and documents; of P4, C and TypeScript in comments, of P4 in names too. rules.go
// has the phrases, each with what to write in its place.
//
//	go run ./.ci/prose [-list phrase] [-update]
//
// left.txt beside this file has how often each file may still have each phrase. The command fails
// where a file has more, and where it has less: -update writes the smaller numbers, never larger
// ones. With -list it prints the places of one phrase.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const leftFile = ".ci/prose/left.txt"

var (
	list   = flag.String("list", "", "print the places of this phrase, or of \"all\"")
	update = flag.Bool("update", false, "write the numbers that became smaller into "+leftFile)
)

func main() {
	flag.Parse()
	faults, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// check compares the tree with what is left.
func check() (faults []string, err error) {
	found, err := tree()
	if err != nil || *list != "" {
		return nil, err
	}
	content, err := os.ReadFile(leftFile)
	if err != nil {
		return nil, err
	}
	left, err := read(string(content))
	if err != nil {
		return nil, err
	}
	faults, smaller := compare(found, left)
	if *update {
		return more(faults), os.WriteFile(leftFile, []byte(smaller.String()), 0o644)
	}
	return faults, nil
}

// tree counts the phrases of all files that git tracks.
func tree() (counts, error) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return nil, err
	}
	found := counts{}
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		texts := reader(path)
		if texts == nil {
			continue
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) { // deleted, and not committed
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, text := range texts(content) {
			for phrase, n := range phrases(text) {
				found[place{path, phrase}] += n
				if *list == phrase || *list == "all" {
					fmt.Printf("%s:%d: %s: %s\n", path, text.line, phrase, excerpt(text.words))
				}
			}
		}
	}
	return found, nil
}

// excerpt is the beginning of a text, on a line.
func excerpt(words string) string {
	fields := strings.Fields(words)
	return strings.Join(fields[:min(len(fields), 24)], " ")
}

// more leaves out the faults that -update mends.
func more(faults []string) []string {
	return slices.DeleteFunc(faults, func(f string) bool { return strings.Contains(f, "run -update") })
}
