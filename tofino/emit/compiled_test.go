package emit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// The schema that we predict, taken for a compiled one, changes nothing.
func TestCompiledAsPredicted(t *testing.T) {
	p, cfg := samples.Holds()
	var schema bytes.Buffer
	require.NoError(t, emit.Schema(&schema, p))
	predicted := emit.NamesOf(p)
	names, differences, err := predicted.Compiled(p, schema.Bytes())
	require.NoError(t, err)
	assert.Empty(t, differences)
	assert.Equal(t, emit.Requests(p, cfg, predicted, 1, 0), emit.Requests(p, cfg, names, 1, 0))
}

// Where a compiler gave another number, requests have it, and the difference is told.
func TestCompiledNumbersWin(t *testing.T) {
	p, cfg := sample()
	var schema bytes.Buffer
	require.NoError(t, emit.Schema(&schema, p))
	text := schema.String()
	for from, to := range map[string]string{
		`"id": 46120060`: `"id": 7`,     // table afc
		`"id": 21470868`: `"id": 8`,     // action hold
		`"id": 65537`:    `"id": 65600`, // $MATCH_PRIORITY
		`"id": 65557`:    `"id": 65601`, // $REGISTER_INDEX
		`"id": 2,
          "name": "depth"`: `"id": 9,
          "name": "depth"`,
	} {
		require.Contains(t, text, from)
		text = strings.ReplaceAll(text, from, to)
	}
	names, differences, err := emit.NamesOf(p).Compiled(p, []byte(text))
	require.NoError(t, err)
	var said []string
	for _, one := range differences {
		said = append(said, one.String())
	}
	assert.Equal(t, []string{"table pipe.Ingress.afc: predicted 46120060, compiled 7",
		"action Ingress.hold: predicted 21470868, compiled 8",
		"key depth of pipe.Ingress.depths: predicted 2, compiled 9",
		"key $MATCH_PRIORITY of pipe.Ingress.depths: predicted 65537, compiled 65600",
		"key $REGISTER_INDEX of pipe.Ingress.claims: predicted 65557, compiled 65601"}, said)

	requests := emit.Requests(p, cfg, names, 9, 0)
	assert.Equal(t, uint32(7), requests[0].Updates[0].Table)
	assert.Equal(t, uint32(8), requests[0].Updates[0].Action)
	ranged := requests[0].Updates[1]
	assert.Equal(
		t, []uint32{1, 9, 65600}, []uint32{ranged.Key[0].ID, ranged.Key[1].ID, ranged.Key[2].ID},
	)
	assert.Equal(t, uint32(65601), requests[1].Updates[0].Key[0].ID)
}

// Requests are written in files of bounded length that carry all entries, with the program's name.
func TestRequestFiles(t *testing.T) {
	p, cfg, err := samples.Paths(16)
	require.NoError(t, err)
	var schema bytes.Buffer
	require.NoError(t, emit.Schema(&schema, p))
	files, differences, err := emit.RequestFiles(p, cfg, schema.Bytes())
	require.NoError(t, err)
	assert.Empty(t, differences)
	entries := 0
	for _, filled := range cfg.Tables {
		entries += len(filled.Entries)
	}
	assert.Equal(t, emit.File{Name: "requests/bf-rt.json", Content: schema.Bytes()}, files[0])
	files = files[1:]
	require.Equal(t, (entries+511)/512, len(files))
	assert.Equal(t, "requests/0001.bin", files[1].Name)
	for _, file := range files {
		assert.True(t, bytes.HasSuffix(file.Content, []byte("\x2a\x0csluice_paths")), file.Name)
	}
	_, _, err = emit.RequestFiles(p, cfg, []byte("{}"))
	assert.ErrorContains(t, err, "the compiled schema has no table pipe.Ingress.path_dst")
}

// A schema of another program is refused.
func TestCompiledOfAnotherProgram(t *testing.T) {
	p, _ := sample()
	_, _, err := emit.NamesOf(p).Compiled(p, []byte(`{"tables":[{"name":"pipe.Ingress.afc","id":1}]}`))
	require.Error(t, err)
	for _, lack := range []string{"key port of pipe.Ingress.afc",
		"action Ingress.hold of table pipe.Ingress.afc",
		"table pipe.Ingress.depths", "register pipe.Ingress.claims"} {
		assert.ErrorContains(t, err, "emit: the compiled schema has no "+lack)
	}
	_, _, err = emit.NamesOf(p).Compiled(p, []byte(`[`))
	assert.Error(t, err)
}

// A compiled schema is a file from elsewhere: it may be anything.
func FuzzCompiled(f *testing.F) {
	p, cfg := sample()
	var schema bytes.Buffer
	require.NoError(f, emit.Schema(&schema, p))
	f.Add(schema.Bytes())
	f.Add([]byte(`{"tables":[{"name":"pipe.Ingress.afc","id":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		names, _, err := emit.NamesOf(p).Compiled(p, text)
		if err == nil {
			assert.NotEmpty(t, emit.Requests(p, cfg, names, 1, 0))
		}
	})
}
