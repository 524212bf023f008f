package emit_test

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

//go:embed testdata/compiled_holds.json
var compiledHolds []byte // by the compiler, without the tables that it adds itself

// The compiler's schema of a program has all that its requests need, and they have its numbers.
func TestCompiled(t *testing.T) {
	p, cfg := samples.Holds()
	names, err := emit.NamesOf(p).Compiled(p, compiledHolds)
	require.NoError(t, err)
	requests := emit.Requests(p, cfg, names, 1, 0)
	first := requests[0].Updates[0]
	assert.Equal(t, uint32(46120060), first.Table, "pipe.Ingress.afc")
	assert.Equal(t, []uint32{1, 2}, []uint32{first.Key[0].ID, first.Key[1].ID})
	assert.NotZero(t, first.Action)
	for _, request := range requests {
		for _, update := range request.Updates {
			assert.NotZero(t, update.Table)
			for _, key := range update.Key {
				assert.NotZero(t, key.ID)
			}
			for _, datum := range update.Data {
				assert.NotZero(t, datum.ID)
			}
		}
	}
}

// Where a compiler gives another number, requests have it.
func TestCompiledNumbersWin(t *testing.T) {
	p, cfg := samples.Holds()
	text := string(compiledHolds)
	for from, to := range map[string]string{
		`"id":46120060`: `"id":7`,     // table afc
		`"id":65537`:    `"id":65600`, // $MATCH_PRIORITY
		`"id":65557`:    `"id":65601`, // $REGISTER_INDEX
	} {
		require.Contains(t, text, from)
		text = strings.ReplaceAll(text, from, to)
	}
	names, err := emit.NamesOf(p).Compiled(p, []byte(text))
	require.NoError(t, err)
	requests := emit.Requests(p, cfg, names, 9, 0)
	assert.Equal(t, uint32(7), requests[0].Updates[0].Table)
	keys := map[uint32]bool{}
	for _, request := range requests {
		for _, update := range request.Updates {
			for _, key := range update.Key {
				keys[key.ID] = true
			}
		}
	}
	assert.True(t, keys[65600] && keys[65601])
	assert.False(t, keys[65537] || keys[65557])
}

// Requests are written in files of bounded length that carry all entries, with the program's name.
func TestRequestFiles(t *testing.T) {
	p, cfg := samples.Holds()
	for len(cfg.Tables[0].Entries) < 1000 {
		cfg.Tables[0].Entries = append(cfg.Tables[0].Entries, cfg.Tables[0].Entries...)
	}
	files, err := emit.RequestFiles(p, cfg, compiledHolds)
	require.NoError(t, err)
	entries := 1 // a register's of all pipes
	for _, filled := range cfg.Tables {
		entries += len(filled.Entries)
	}
	assert.Equal(t, emit.File{Name: "requests/bf-rt.json", Content: compiledHolds}, files[0])
	files = files[1:]
	require.Equal(t, (entries+511)/512+1, len(files), "and one of a pipe")
	assert.Equal(t, "requests/0001.bin", files[1].Name)
	for _, file := range files {
		assert.True(t, bytes.HasSuffix(file.Content, []byte("\x2a\x05holds")), file.Name)
	}
	_, err = emit.RequestFiles(p, cfg, []byte("{}"))
	assert.ErrorContains(t, err, "the compiled schema has no table pipe.Ingress.afc")
}

// All that a schema of another program lacks or has otherwise is said.
func TestCompiledOfAnotherProgram(t *testing.T) {
	p, _ := samples.Holds()
	text := strings.NewReplacer(`"name":"qid","repeated"`, `"name":"q","repeated"`,
		`"Ingress.hold"`, `"Ingress.held"`, `"Ingress.forward"`, `"Ingress.backward"`,
		`"pipe.Ingress.levels"`, `"pipe.Ingress.heights"`, `"pipe.depths"`, `"pipe.told"`,
		`"match_type":"LPM"`, `"match_type":"Exact"`, `"width":9`, `"width":10`,
	).Replace(string(compiledHolds))
	_, err := emit.NamesOf(p).Compiled(p, []byte(text))
	require.Error(t, err)
	for _, fault := range []string{"key port of pipe.Ingress.afc with 10 bits: the program has 9",
		"no key qid of pipe.Ingress.afc", "key dst of pipe.Ingress.route as Exact: the program has LPM",
		"no action Ingress.forward of table pipe.Ingress.route", "no table pipe.Ingress.levels",
		"no register pipe.depths"} {
		assert.ErrorContains(t, err, "emit: the compiled schema has "+fault)
	}
	_, err = emit.NamesOf(p).Compiled(p, []byte(`[`))
	assert.Error(t, err)
}

// A compiled schema is a file from elsewhere: it may be anything.
func FuzzCompiled(f *testing.F) {
	p, cfg := samples.Holds()
	f.Add(compiledHolds)
	f.Add([]byte(`{"tables":[{"name":"pipe.Ingress.afc","id":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		names, err := emit.NamesOf(p).Compiled(p, text)
		if err == nil {
			assert.NotEmpty(t, emit.Requests(p, cfg, names, 1, 0))
		}
	})
}
