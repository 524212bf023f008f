package general

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// An incast into hosts of no job holds up a job under PFC, whose pauses spread from
// the incast's last links to links that both use, and not under Pyrrha, which isolates the flows
// of each root (section III). Alone, a job takes as long under both.
func TestTrainingBesideAnIncast(t *testing.T) {
	runtest.Alone(t)
	for name, set := range map[string]string{
		"training/data-parallel": "training.ranks=8,training.bytes=400KB,training.parts=1," +
			"training.compute=30us",
		"training/experts": "training.ranks=8,moe.tokens=8",
		"training/pipeline": "training.ranks=16,training.bytes=100KB,training.parts=2," +
			"training.compute=10us",
	} {
		took := map[string]float64{}
		for _, beside := range []string{"nothing", "incast"} {
			sets := []string{set, "training.beside=" + beside, "k=4"}
			if name == "training/pipeline" {
				sets[2] = "k=8"
			}
			if beside == "incast" {
				sets = append(sets, "duration=50us,incast.degree=128")
			}
			s := runtest.Prepared(t, Library, name, sets...)
			s.SampleEvery = 0
			for _, fc := range []string{"pfc", "pyrrha"} {
				o := runtest.OutcomeOf(t, s, fc)
				require.Equal(t, len(s.Flows), o.Result.Completed)
				require.Zero(t, o.Result.Dropped)
				took[fc+" "+beside] = iteration(o).Value
			}
		}
		t.Log(name, took)
		require.InEpsilon(t, took["pfc nothing"], took["pyrrha nothing"], 0.1, name)
		require.Greater(t, took["pfc incast"], 1.15*took["pyrrha incast"], name)
	}
}

// What does not fit is refused with the name of the parameter.
func TestTrainingThatDoesNotFit(t *testing.T) {
	for set, want := range map[string]string{
		"training.ranks=200":                    "training.ranks=200: the network has 128 hosts",
		"training.ranks=12":                     "training.ranks=12: must be a multiple of 8",
		"training.ranks=8":                      "Stages = 1: must be 2 to",
		"training.beside=job,training.ranks=72": "56 hosts are left for 72 ranks",
	} {
		s, err := Library.Find("training/pipeline")
		require.NoError(t, err)
		_, err = Library.Prepare(s, run.Request{Set: []string{set}, Seed: run.DefaultSeed})
		require.ErrorContains(t, err, want)
	}
}
