package slurm

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The script says what the site wants before what the array needs, and runs the command in its
// folder with every word as it is.
func TestScript(t *testing.T) {
	dir := t.TempDir() + `/it's "here" 100%a`
	require.NoError(t, os.Mkdir(dir, 0o700))
	s := Script{
		Name: "bench-1", Options: "-p long --time=1:00", Tasks: 12, CPUs: 2, Logs: dir, Dir: dir,
		Command: []string{"printf", `%s\n`, "a b", "$HOME'", "", "-slice=" + Task + "/12"},
	}
	var text strings.Builder
	require.NoError(t, s.Write(&text))
	require.True(t, strings.HasPrefix(text.String(), `#!/bin/sh
#SBATCH -p long --time=1:00
#SBATCH --job-name=bench-1
#SBATCH --array=1-12
#SBATCH --cpus-per-task=2
#SBATCH --output="`+strings.NewReplacer(`"`, `\"`, `%`, `%%`).Replace(dir)+`/%a.log"
#SBATCH --open-mode=append
cd `), text.String())
	command := exec.Command("sh", "-c", text.String())
	command.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=7")
	out, err := command.Output()
	require.NoError(t, err)
	require.Equal(t, "a b\n$HOME'\n\n-slice=7/12\n", string(out))
}

// A site chooses the options of sbatch, except the options that the script depends on.
func TestCheckOptions(t *testing.T) {
	for _, good := range []string{"", "--partition=long --time=1:00:00", "-p all -A me --mem 4G"} {
		require.NoError(t, CheckOptions(good))
	}
	for bad, want := range map[string]string{
		"long":              "long is no option of sbatch",
		"-p all\n--time=1":  "they are of several lines",
		"-p all --array=1":  "--array is said by the sweep itself",
		"-c4":               "--cpus-per-task is said by the sweep itself",
		"--clusters other":  "--clusters is said by the sweep itself",
		"-p all -o out.txt": "--output is said by the sweep itself",
	} {
		require.EqualError(t, CheckOptions(bad), want)
	}
}
