package pages

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
)

func init() { depth.CollectSeldom() }

// results is the folder of the pages.
const results = "../../../docs/results"

// TestPages: the pages are what the templates make of what is kept, and so are pictures of nothing
// else.
func TestPages(t *testing.T) {
	all, err := render(papers.All, results, "")
	require.NoError(t, err)
	pictures, err := keptPictures(papers.All, results)
	require.NoError(t, err)
	require.Greater(t, len(pictures), 30)
	all = append(all, pictures...)
	for _, p := range all {
		require.Equal(t, string(p.content), read(t, p.name),
			"%s: go run ./bench report -pages", filepath.Base(p.name))
	}
}

// TestPanels: every entry of a figure names the panels that show it.
func TestPanels(t *testing.T) {
	for _, s := range sources(papers.All) {
		require.True(t, s.note != nil || len(s.panels) > 0, s.Name)
	}
	scenarios := map[string]bool{}
	for i := range papers.All.Scenarios {
		scenarios[papers.All.Scenarios[i].Name] = true
	}
	for name := range papers.All.Panels {
		require.True(t, scenarios[name], name)
	}
}

// TestNothingStale: what is stale says so, and notes are those beside the claims.
func TestNothingStale(t *testing.T) {
	depth.From(t, depth.Usual, "networks are built")
	for i, s := range sources(papers.All) {
		if i%depth.Choose(4, 4, 1) != 0 {
			continue
		}
		kept, err := load(results, s.name())
		require.NoError(t, err)
		if depth.Now() < depth.Thorough && (len(kept.Runs) == 0 || kept.PerSeed() > 30) {
			continue // without a run none is stale; some have millions of flows
		}
		now, err := load(results, s.name())
		require.NoError(t, err)
		subject, err := s.prepare(papers.All, run.DefaultSeed)
		require.NoError(t, err)
		now.renew(s, subject)
		require.Equal(t, kept.Stale, now.Stale, "%s: go run ./bench report %[1]s", s.Name)
		require.Equal(t, kept, now, "%s: go run ./bench report -pages", s.Name)
	}
}

// TestWhatDiffersWasLookedInto: an entry with a claim that is off by more than twice, or was not
// run, has a note that names a run, which is kept.
func TestWhatDiffersWasLookedInto(t *testing.T) {
	open, tried := map[string]run.Verdict{}, map[string]bool{}
	for _, s := range sources(papers.All) {
		kept, err := load(results, s.name())
		require.NoError(t, err)
		if s.note != nil {
			tried[s.Name] = tried[s.Name] || len(kept.Runs) > 0
			continue
		}
		for _, claim := range kept.Statements {
			if v := claim.Judged.Verdict; !v.Holds() && v != run.Twice && v != run.NotPublished {
				open[s.Name] = v
			}
		}
	}
	require.NotEmpty(t, open)
	for name, verdict := range open {
		require.True(t, tried[name], "%s: %s, and no run of a note says what was tried", name, verdict)
	}
}

// TestQuickEntries runs again what takes a short time, and compares.
func TestQuickEntries(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of simulation")
	quick := depth.Choose[float64](0, 0, 2, 3600) // seconds
	ran := 0
	for _, s := range sources(papers.All) {
		kept, err := load(results, s.name())
		require.NoError(t, err)
		if len(kept.Runs) == 0 || kept.Stale != "" || kept.Seconds() > quick {
			continue
		}
		ran++
		t.Run(s.name(), func(t *testing.T) {
			now := *kept
			now.Runs, now.Rows = nil, nil
			for _, r := range kept.Runs {
				_, rows, _, err := s.measure(papers.All, r.Seed, false)
				require.NoError(t, err)
				now.add(r, rows)
			}
			require.Equal(t, kept.Rows, now.Rows, "go run ./bench report %s", s.Name)
		})
	}
	require.NotZero(t, ran)
}
