package check_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

const keptSchema = "requests/bf-rt.json"

// requested returns what is emitted of a program with a compiled schema.
func requested(t *testing.T) fstest.MapFS {
	p, cfg := samples.Holds()
	files := written(t, p, cfg)
	schema, err := os.ReadFile("../emit/testdata/compiled_holds.json")
	require.NoError(t, err)
	requests, err := emit.RequestFiles(p, cfg, schema)
	require.NoError(t, err)
	for _, one := range requests {
		files[one.Name] = &fstest.MapFile{Data: one.Content}
	}
	return files
}

// Each number of a table, a register, an action, a key or a datum that the requests use is in the
// compiler's schema: a number that another compilation changed is a fault of each update with it.
func TestNumbersOfRequests(t *testing.T) {
	files := requested(t)
	assert.Empty(t, said(t, files))
	schema := string(files[keptSchema].Data)
	for what, number := range map[string]string{
		"the table":  `"name":"pipe.Ingress.afc","id":(\d+)`,
		"the action": `"id":(\d+),"name":"Ingress.base_word"`,
		"a key":      `"id":(\d+),"name":"qid"`,
	} {
		found := regexp.MustCompile(number).FindStringSubmatchIndex(schema)
		require.NotNil(t, found, what)
		id := schema[found[2]:found[3]]
		files[keptSchema] = &fstest.MapFile{Data: []byte(schema[:found[2]] + "77" + schema[found[3]:])}
		assert.Contains(t, said(t, files), fmt.Sprintf("%s with number %s is not in", what, id))
	}
}

// A request that is cut, and a schema that is missing, are faults of their files.
func TestRequestsThatAreCut(t *testing.T) {
	files := requested(t)
	name := "requests/0000.bin"
	whole := files[name].Data
	for _, cut := range []int{1, 20, len(whole) - 1} {
		files[name] = &fstest.MapFile{Data: whole[:cut]}
		assert.Regexp(t, name+`:\d+: is no message of protocol buffers`, said(t, files))
	}
	files[name] = &fstest.MapFile{Data: whole}
	delete(files, keptSchema)
	assert.Contains(t, said(t, files), keptSchema+":0: cannot be read")
}
