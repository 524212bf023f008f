package pages

import (
	"os/exec"
	"strings"
)

// more stands behind a commit of main where the sources held more than the commit.
const more = "+"

// commitOfMain is the newest commit of main that the sources hold, with "+" behind it if they hold
// more, as a branch does, or a change that is no commit; "" if git does not say. A clone has every
// commit of main, and may lack any other.
func commitOfMain(source string) string {
	main := branchMain(source)
	if main == "" {
		return ""
	}
	name, err := git(source, "merge-base", "HEAD", main)
	if err != nil {
		return ""
	}
	name = name[:min(12, len(name))]
	if _, err := git(source, "diff", "--quiet", name, "--", ":/*.go", ":/go.mod"); err != nil {
		name += more
	}
	return name
}

// branchMain is the name that git has for main; "" if it has none, as in a folder without git.
func branchMain(source string) string {
	for _, name := range []string{"main", "origin/main"} {
		if _, err := git(source, "rev-parse", "--verify", "--quiet", name); source != "" && err == nil {
			return name
		}
	}
	return ""
}

// onMain is a commit that an entry names, if main has it; "" otherwise. Where git does not know
// what main has, the commit stays.
func onMain(source, main, commit string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(commit, "-dirty"), more)
	if main == "" || name == "" {
		return commit
	}
	if _, err := git(source, "merge-base", "--is-ancestor", name, main); err != nil {
		return ""
	}
	if name != commit {
		name += more
	}
	return name
}

func git(source string, words ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", source}, words...)...).Output()
	return strings.TrimSpace(string(out)), err
}
