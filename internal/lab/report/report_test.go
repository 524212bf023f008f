package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func TestReport(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	var b bytes.Buffer
	require.NoError(t, WriteTables(&b, s, outcomes))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), ReportWidth, line)
	}
	golden.Require(t, "report.txt", b.String())
}

// The longest protocol name and the largest figures still fit the width.
func TestReportIsNotTooWide(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	o := outcomes[1]
	o.FC = "pyrrha-single"
	s.Published.FCT[o.FC] = s.Published.FCT["pfc"]
	o.Result.Dropped, o.Result.Reordered = 12_345_678, 1_234_567
	o.Result.Simulated = 1234 * sluice.Millisecond
	o.Result.ControlFrames = map[string]int64{"pause": 12_345_678}
	var b bytes.Buffer
	require.NoError(t, WriteTables(&b, s, outcomes))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), ReportWidth, line)
	}
}

func TestCSV(t *testing.T) {
	_, outcomes := runtest.SmallSubject(t)
	var b bytes.Buffer
	require.NoError(t, WriteFlows(&b, outcomes[1]))
	require.Equal(t, `src,dst,bytes,start_ns,fct_ns,ideal_ns
0,2,10000,0,,2000
1,2,20000,100,9250,2000
1,3,1000,0,3000,2000
2,0,1460,0,2500,2000
3,1,1460,1000,,2000
`, b.String())
}

func TestCSVPath(t *testing.T) {
	require.Equal(t, "out/f.csv", ProtocolPath("out/f.csv", "pfc", 1))
	require.Equal(t, "out/f.pyrrha+pfc.csv", ProtocolPath("out/f.csv", "pyrrha+pfc", 2))
	require.Equal(t, "flows.pfc", ProtocolPath("flows", "pfc", 2))
	require.Equal(t, "f.1-128.csv", ProtocolPath("f.csv", "1/128", 2))
	require.Empty(t, ProtocolPath("", "pfc", 2))
}

func TestReadPublished(t *testing.T) {
	s, _ := runtest.SmallSubject(t)
	const header = "src,dst,bytes,start_ns,ideal_us,fct_pfc_us,fct_pyrrha_us\n"
	const good = header + "0,2,10000,0,1,5.5,4.5\n1,2,20000,100,1,7,6\n1,3,1000,0,1,3,2\n2,0,1460,0,1,2,2\n3,1,1460,1000,1,2,2\n"
	p, err := run.ReadPublished(strings.NewReader(good), "x", s.Flows)
	require.NoError(t, err)
	require.Equal(t, []float64{5.5, 7}, p.Times("pfc", s.Groups, workload.Incast))
	mean, ok := p.Mean("pyrrha", s.Groups, workload.GroupAuto)
	require.True(t, ok)
	require.InDelta(t, 3.3, mean, 1e-9)
	_, ok = p.Mean("none", s.Groups, workload.GroupAuto)
	require.False(t, ok)

	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"src,dst,bytes\n", "no column start_ns"},
		{
			strings.Replace(good, "1,2,20000", "1,2,20001", 1),
			`line 3: bytes is "20001", flow 1 has 20000`,
		},
		{strings.Replace(good, "5.5", "-", 1), `line 2: fct_pfc_us "-" is not a positive number`},
		{good + "3,1,1460,1000,1,2,2\n", "line 7: more rows than the 5 flows"},
		{good[:len(good)-len("3,1,1460,1000,1,2,2\n")], "4 rows for 5 flows"},
		{good + "3,1\n", "wrong number of fields"},
	} {
		_, err := run.ReadPublished(strings.NewReader(c.text), "x", s.Flows)
		require.ErrorContains(t, err, c.want)
	}
}
