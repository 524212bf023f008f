// Package slurm runs a job array on a cluster by the commands that Slurm gives its users,
// sbatch, squeue and scancel, and submits again what ends before its work is done.
package slurm

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Script is a batch script, https://slurm.schedmd.com/sbatch.html.
type Script struct {
	Name    string // of the job
	Options string // of sbatch, as a site wants them
	Tasks   int    // of the array, from 1 on
	CPUs    int    // of a task
	Logs    string // folder of what the tasks print
	Dir     string // where the command runs
	Command []string
}

// Task stands for the number of the task in a word of the command.
const Task = "${SLURM_ARRAY_TASK_ID}"

// ownOptions are options that the script itself gives, or that would hide the array from squeue.
var ownOptions = map[string]string{
	"--array": "-a", "--job-name": "-J", "--output": "-o", "--error": "-e", "--chdir": "-D",
	"--cpus-per-task": "-c", "--clusters": "-M", "--wrap": "", "--wait": "-W",
}

// CheckOptions refuses what is no list of options, or what the script says itself.
func CheckOptions(options string) error {
	words := strings.Fields(options)
	switch {
	case strings.ContainsAny(options, "\r\n"):
		return fmt.Errorf("they are of several lines")
	case len(words) > 0 && !strings.HasPrefix(words[0], "-"):
		return fmt.Errorf("%s is no option of sbatch", words[0])
	}
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		for long, short := range ownOptions {
			if name == long || short != "" && strings.HasPrefix(word, short) {
				return fmt.Errorf("%s is said by the sweep itself", long)
			}
		}
	}
	return nil
}

// Write writes the script. The site's options stand before the script's own, as later ones count.
func (s *Script) Write(w io.Writer) error {
	lines := []string{
		"#!/bin/sh",
		"#SBATCH --job-name=" + s.Name,
		fmt.Sprintf("#SBATCH --array=1-%d", s.Tasks),
		fmt.Sprintf("#SBATCH --cpus-per-task=%d", s.CPUs),
		"#SBATCH --output=" + quoteOption(s.Logs+"/%a.log"),
		"#SBATCH --open-mode=append",
	}
	if s.Options != "" {
		lines = slices.Insert(lines, 1, "#SBATCH "+s.Options)
	}
	var command []string
	for _, word := range s.Command {
		command = append(command, quoteWord(word))
	}
	lines = append(lines, "cd "+quoteWord(s.Dir)+" || exit", "exec "+strings.Join(command, " "))
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// quoteOption quotes a path, and not the %a behind it.
func quoteOption(path string) string {
	dir := strings.TrimSuffix(path, "%a.log")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(dir) + `%a.log"`
}

// quoteWord makes a word of the shell of any text, and leaves Task as it is.
func quoteWord(word string) string {
	parts := strings.Split(word, Task)
	for i, part := range parts {
		if part != "" || len(parts) == 1 {
			parts[i] = "'" + strings.ReplaceAll(part, "'", `'\''`) + "'"
		}
	}
	return strings.Join(parts, `"`+Task+`"`)
}
