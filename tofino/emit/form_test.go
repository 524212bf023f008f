package emit_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// The properties of tables of each kind in files that the compiler wrote (match tables, snapshots,
// port metadata), and in what its generator appends to them (registers, hashes); * is what every
// table has.
var tableForms = map[string]string{
	"*":                  "name id table_type size depends_on key data supported_operations attributes",
	"MatchAction_Direct": "annotations has_const_default_action action_specs",
	"PortMetadata":       "annotations",
	"DynHashAlgorithm":   "annotations action_specs",
	"DynHashConfigure":   "annotations",
	"DynHashCompute":     "annotations read_only",
	"SnapshotCfg":        "", "SnapshotTrigger": "", "SnapshotData": "", "SnapshotLiveness": "",
	"Register": "", "TblDbgCnt": "",
}

// The properties of keys, actions and their data, and data, there.
const (
	keyForm       = "id name repeated annotations mandatory match_type type"
	actionForm    = "id name action_scope annotations data"
	parameterForm = "id name repeated mandatory read_only annotations type"
	dataForm      = "mandatory read_only singleton"
	singletonForm = "id name repeated annotations type"
)

// has asserts that an object has the properties that words name, and no others.
func has(t *testing.T, object any, words, what string) map[string]any {
	t.Helper()
	properties := object.(map[string]any)
	want := strings.Fields(words)
	slices.Sort(want)
	assert.Equal(t, want, slices.Sorted(maps.Keys(properties)), what)
	return properties
}

// A bf-rt.json has the properties that a compiled one has, no more and no fewer, in each table, and
// the fields of snapshots have the numbers that they have there: from 1, validity before the fields
// of a header, a mask 32,768 behind its field.
func TestFormOfASchema(t *testing.T) {
	p, _, err := samples.BFC(tofino.Notices)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, emit.Schema(&text, p))
	var file map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &file))
	has(t, file, "schema_version tables learn_filters", "file")
	seen := map[string]bool{}
	for _, one := range file["tables"].([]any) {
		kind, name := one.(map[string]any)["table_type"].(string), one.(map[string]any)["name"].(string)
		seen[kind] = true
		table := has(t, one, tableForms["*"]+" "+tableForms[kind], name)
		for _, key := range table["key"].([]any) {
			assert.Equal(t, false, has(t, key, keyForm, name)["repeated"])
		}
		if actions, is := table["action_specs"]; is {
			for _, action := range actions.([]any) {
				for _, datum := range has(t, action, actionForm, name)["data"].([]any) {
					has(t, datum, parameterForm, name)
				}
			}
		}
		for at, datum := range table["data"].([]any) {
			singleton := has(t, datum, dataForm, name)["singleton"].(map[string]any)
			form := singletonForm
			if _, is := singleton["container"]; is {
				form = strings.Replace(form, "type", "container", 1)
			}
			has(t, singleton, form, name)
			if name == "pipe.snapshot.ingress_trigger" && at >= 2 {
				assert.Equal(t, float64(at/2+at%2*0x8000), singleton["id"], singleton["name"])
			}
		}
	}
	for kind := range tableForms {
		assert.True(t, kind == "*" || seen[kind], kind)
	}
}
