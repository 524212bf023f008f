package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/show"
)

var schemaPath = filepath.Join("..", "..", "..", "bench", "schema.json")

// resultsSchema returns the schema of -json, made from the types, and checks that schema.json is
// it.
func resultsSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	schema, err := jsonschema.For[[]Record](nil)
	require.NoError(t, err)
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = "Results of go run ./bench -json"
	text, err := json.MarshalIndent(schema, "", " ")
	require.NoError(t, err)
	if *golden.Update {
		require.NoError(t, os.WriteFile(schemaPath, append(text, '\n'), 0o666))
	}
	kept, err := os.ReadFile(schemaPath)
	require.NoError(t, err)
	require.JSONEq(
		t, string(text), string(kept), "the types changed; go test ./internal/lab/report -update writes schema.json",
	)
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

func requireValid(t testing.TB, schema *jsonschema.Resolved, results []byte) {
	t.Helper()
	var decoded any
	require.NoError(t, json.Unmarshal(results, &decoded))
	require.NoError(t, schema.Validate(decoded))
}

// The JSON of every scenario is as the schema says, and has every number that the claims found,
// comparisons too; a run without samples differs in the series alone: a picture changes nothing.
func TestJSONOfEveryScenario(t *testing.T) {
	schema := resultsSchema(t)
	for _, name := range turns() {
		t.Run(name, func(t *testing.T) {
			s, outcomes := brief(t, name)
			var b bytes.Buffer
			require.NoError(t, WriteJSON(&b, s, outcomes))
			requireValid(t, schema, b.Bytes())
			requireClaims(t, b.Bytes(), run.Findings(s, outcomes))
			last := outcomes[len(outcomes)-1]
			plain := *last.Subject
			plain.SampleEvery = 0
			again := runtest.OutcomeOf(t, &plain, last.Run)
			again.FC = last.FC
			require.Equal(t, withoutSeries(t, s, last), withoutSeries(t, s, again), last.FC)
		})
	}
}

// requireClaims checks that the JSON of runs has the findings and no others, each with its run.
func requireClaims(t *testing.T, results []byte, findings []run.Finding) {
	t.Helper()
	var records []Record
	require.NoError(t, json.Unmarshal(results, &records))
	for _, r := range records {
		for _, c := range r.Claims {
			i := slices.IndexFunc(findings, func(f run.Finding) bool {
				return f.Run == r.FC && f.What == c.What && f.Unit == c.Unit && f.Figure == c.Figure
			})
			require.GreaterOrEqual(t, i, 0, c.What)
			f := findings[i]
			findings = slices.Delete(findings, i, i+1)
			require.Equal(t, f.Baseline, c.Baseline)
			require.Equal(t, f.Measured.Words, c.Words)
			require.Equal(t, string(f.Verdict()), c.Verdict)
			if c.Value == nil {
				require.True(t, math.IsNaN(f.Measured.Value), c.What)
			} else {
				require.InDelta(t, f.Measured.Value, *c.Value, 1e-6, c.What)
			}
		}
	}
	require.Empty(t, findings, "not in the JSON")
}

// withoutSeries returns the JSON of an outcome without what samples are for: series, what was
// steered, probes, and the claims that are computed of them.
func withoutSeries(t *testing.T, s *run.Subject, o *run.Outcome) string {
	r := MakeRecord(s, o, nil)
	r.Series, r.Probes, r.Claims, r.WallS, r.PacketHopsPerS = seriesRecord{}, probesRecord{}, nil, 0, 0
	r.Steered = steeredRecord{}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

// The schema does not let everything pass.
func TestSchemaRefuses(t *testing.T) {
	schema := resultsSchema(t)
	s, outcomes := runtest.SmallSubject(t)
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, s, outcomes))
	requireValid(t, schema, b.Bytes())
	for _, change := range [][2]string{
		{`"seed": 7`, `"seed": "7"`}, {`"deadlock": "",`, ``}, {`"flows": 5`, `"flows": 5, "more": 1`},
		{`"time_us":[`, `"time_us":["1",`},
	} {
		changed := strings.Replace(b.String(), change[0], change[1], 1)
		require.NotEqual(t, b.String(), changed)
		var decoded any
		require.NoError(t, json.Unmarshal([]byte(changed), &decoded))
		require.Error(t, schema.Validate(decoded), change[1])
	}
}

// Every number that the tables print is in the JSON, in one of the ways that tables print numbers,
// and so is every sentence.
func TestJSONHasWhatTheTablesSay(t *testing.T) {
	for _, c := range []struct{ scenario, fc, set string }{
		{"incast", "none", "incast.degree=40,duration=20us"}, {"pyrrha/loop", "pfc", ""},
		{"pyrrha/fig10", "pyrrha", ""},
	} {
		s := runtest.Prepared(t, papers.All, c.scenario, c.set)
		o := runtest.OutcomeOf(t, s, c.fc)
		peak := int64(12_345_678)
		o.PeakRSS = &peak
		var report, results bytes.Buffer
		require.NoError(t, WriteTables(&report, s, []*run.Outcome{o}))
		require.NoError(t, WriteJSON(&results, s, []*run.Outcome{o}))
		var decoded any
		require.NoError(t, json.Unmarshal(results.Bytes(), &decoded))
		printed := map[string]bool{"0": true}
		for i := range 10 {
			printed[fmt.Sprint(i)] = true // in names such as p50 and FIG. 5
		}
		collect(decoded, printed)
		text := report.String()
		for _, word := range []string{"p50", "p95", "p99"} {
			text = strings.ReplaceAll(text, word, "")
		}
		for _, number := range regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`).FindAllString(text, -1) {
			require.Contains(t, printed, strings.TrimRight(number, ","), "%s under %s", c.scenario, c.fc)
		}
		for _, sentence := range o.Result.Notes {
			require.Contains(t, jsonText(decoded), sentence)
		}
	}
}

// collect adds the ways in which the numbers of a JSON value, and the numbers in its texts, may be
// printed.
func collect(value any, printed map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if key != "series" && key != "steered" {
				collect(item, printed)
			}
		}
	case []any:
		for _, item := range v {
			collect(item, printed)
		}
	case string:
		for _, number := range regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`).FindAllString(v, -1) {
			printed[number] = true
		}
	case float64:
		printed[show.Significant(
			v,
		)], printed[show.Thousands(int64(v))], printed[show.Megabytes(sluice.Bytes(v))] = true, true, true
		printed[fmt.Sprintf("%.2f", v)], printed[fmt.Sprintf("%.2f", v/1e6)] = true, true
		printed[strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.6f", v), "0"), ".")] = true     // us
		printed[strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.9f", v/1e3), "0"), ".")] = true // ms
	}
}

// jsonText returns all texts of a JSON value.
func jsonText(value any) string {
	switch v := value.(type) {
	case map[string]any:
		text := ""
		for _, item := range v {
			text += jsonText(item)
		}
		return text
	case []any:
		text := ""
		for _, item := range v {
			text += jsonText(item)
		}
		return text
	case string:
		return v + "\n"
	}
	return ""
}
