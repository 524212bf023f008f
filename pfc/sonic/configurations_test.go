package sonic

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// TestConfigurations reads every configuration below a folder of the user's, NAME.json with the
// NAME.ini beside it if there is one. It asserts three things: a file that was read is written to
// the byte; an Update of an imported configuration changes nothing; one that raises every lossless
// headroom changes every one, and no name. CONTRIBUTING names sources of configurations.
func TestConfigurations(t *testing.T) {
	folder := os.Getenv("SLUICE_SONIC_CONFIGS")
	if folder == "" {
		folder = "testdata"
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	tally := map[string]int{}
	for _, file := range files {
		for _, what := range tryConfiguration(t, file) {
			tally[what]++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%5d %s", tally[what], what)
	}
}

// tryConfiguration returns the results to count.
func tryConfiguration(t *testing.T, file string) (did []string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	db, err := Parse(text)
	if err != nil {
		t.Logf("%s: %v", filepath.Base(file), err)
		return []string{"files", "not parsed"}
	}
	if names := db.ASICs(); names != nil {
		require.NoError(t, db.ChooseASIC(names[len(names)-1]))
	}
	did = []string{"files"}
	if ini, err := os.Open(strings.TrimSuffix(file, ".json") + ".ini"); err == nil {
		rows, err := ParseLookup(ini)
		ini.Close()
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			return append(did, "tables of profiles that are wrong")
		}
		db.UseLookup(rows)
	}
	sameText(t, file, string(text), written(t, db))
	chip := Chip{Cell: 208, LosslessMTU: 1518, MTU: 9216, Buffer: 256 * sluice.MiB}
	s, err := db.Import(chip)
	if err != nil {
		t.Logf("%s: %v", filepath.Base(file), err)
		return append(did, "not imported")
	}
	did = append(did, "imported")
	notes := len(s.Left)
	if notes > 40 {
		t.Logf("%s: %d notes", filepath.Base(file), notes)
	}
	_, err = db.Update(s.Config, s.Ports, chip)
	if err != nil {
		t.Errorf("%s: unchanged: %v", filepath.Base(file), err)
		return did
	}
	sameText(t, file, string(text), written(t, db))
	did = append(did, "unchanged, to the byte")
	raised := raise(s.Config)
	if raised == 0 {
		return append(did, "without a lossless group")
	}
	before := db.clone()
	left, err := db.Update(s.Config, s.Ports, chip)
	if err != nil {
		t.Logf("%s: %v", filepath.Base(file), err)
		return append(did, "not raised")
	}
	if len(left) > 0 {
		t.Logf("%s: %v", filepath.Base(file), left)
		return append(did, "raised with notes")
	}
	again, err := Parse([]byte(written(t, db)))
	require.NoError(t, err)
	if db.asic != "" {
		require.NoError(t, again.ChooseASIC(db.asic))
	}
	again.lookup = db.lookup
	read, err := again.Import(chip)
	require.NoError(t, err)
	for i := range s.Config.Ports {
		want, got := s.Config.Ports[i].Profiles, read.Config.Ports[i].Profiles
		for class := range sluice.Class(sluice.Classes) {
			if s.Config.Ports[i].Classes.Has(class) {
				require.Equal(t, want[class].Headroom, got[class].Headroom, file)
			}
		}
	}
	did = append(did, "raised, every lossless headroom")
	if len(before.parsed["BUFFER_PG"]) == len(db.parsed["BUFFER_PG"]) &&
		len(before.parsed["BUFFER_PROFILE"]) == len(db.parsed["BUFFER_PROFILE"]) {
		did = append(did, "raised in place: no entry is new")
	}
	return did
}

// raise raises every lossless headroom, and returns how many there are.
func raise(c pfc.Config) (n int) {
	for i := range c.Ports {
		p := &c.Ports[i]
		for class, own := range p.Profiles {
			if own != nil && p.Classes.Has(sluice.Class(class)) {
				higher := *own
				higher.Headroom += 1024
				p.Profiles[class] = &higher
				n++
			}
		}
	}
	return n
}

// sameText compares texts that are too long to be shown.
func sameText(t *testing.T, file, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	const some = 60
	t.Errorf("%s: byte %d: %q became %q", filepath.Base(file), at,
		want[max(0, at-some):min(len(want), at+some)], got[max(0, at-some):min(len(got), at+some)])
}

func written(t *testing.T, db *DB) string {
	t.Helper()
	var b bytes.Buffer
	n, err := db.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(b.Len()), fmt.Sprint(n))
	return b.String()
}
