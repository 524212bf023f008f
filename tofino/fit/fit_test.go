package fit_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

var update = flag.Bool("update", false, "write the golden file anew")

func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

// table has one key, an action with a datum, and an action without one; key and datum are widths in
// bits.
func table(kind ir.Match, key, datum int) *ir.Table {
	hit := &ir.Action{Name: "hit", Params: []*ir.Param{{Name: "port", Bits: datum}}}
	miss := &ir.Action{Name: "miss"}
	return &ir.Table{Name: "forward", Keys: []ir.Key{{Name: "key", X: field("key", key), Kind: kind}},
		Actions: []*ir.Action{hit, miss}, Default: ir.Call{Action: miss}}
}

// The placements that the public compiler chose for the examples of open-p4studio: exact tables
// that give a port of nine bits or do something else, and ternary ones.
func TestPublishedPlacements(t *testing.T) {
	assert.Equal(t, fit.Cost{Blocks: 4}, fit.OfTable(table(ir.Exact, 48, 9), 1024))
	assert.Equal(t, fit.Cost{Blocks: 84}, fit.OfTable(table(ir.Exact, 48, 9), 200_000),
		"seven entries in three words")
	assert.Equal(t, fit.Cost{Blocks: 4}, fit.OfTable(table(ir.Exact, 21, 9), 8192))
	assert.Equal(t, fit.Cost{Blocks: 1}, fit.OfTable(table(ir.Exact, 9, 9), 512))
	assert.Equal(t, fit.Cost{Blocks: 4}, fit.OfTable(table(ir.Exact, 16, 9), 4096))
	assert.Equal(t, 8, fit.OfTable(table(ir.Ternary, 32, 9), 4096).TCAMs)
	assert.Equal(t, 32, fit.OfTable(table(ir.Ternary, 42, 9), 8192).TCAMs)
}

// A hash table has at least four rows of blocks, so that keys find room. A short key can be the
// row itself: ten of its bits choose the row of a block, the others the block.
func TestAShortKeyIsTheRow(t *testing.T) {
	for entries := 512; entries <= 2048; entries *= 2 {
		assert.Equal(t, fit.Cost{Blocks: 1}, fit.OfTable(table(ir.Exact, 11, 9), entries), entries)
	}
	assert.Equal(t, fit.Cost{Blocks: 1}, fit.OfTable(table(ir.Exact, 12, 9), 4096))
	assert.Equal(t, fit.Cost{Blocks: 2}, fit.OfTable(table(ir.Exact, 13, 9), 8192),
		"seven entries in a row")
}

// The Pyrrha paper's figures are whole blocks of 16 KiB: "0.44 MB", "176 KB", "8.64 MB" and
// "1.88 MB" are 28, 11, 553 and 120 of the 1,600 of a pipe, "44.5 %" in all.
func TestFiguresOfThePaper(t *testing.T) {
	assert.Equal(t, 1600, chip.BlocksPerPipe)
	sum := 0
	for _, figure := range fit.PyrrhaFigures() {
		sum += figure.Blocks
	}
	assert.Equal(t, 712, sum)
	report := fit.Report{Total: fit.Cost{Blocks: 712}}
	assert.Equal(t, 445, report.Share())

	// "Congestion root table": four arrays of 16 bits over the ports in front of an edge switch.
	sum = 0
	for _, roots := range []int{630, 11_646, 11_340, 11_340} {
		sum += fit.OfRegister(&ir.Register{Bits: 16, Size: roots}).Blocks
	}
	assert.Equal(t, 11, sum)
}

func TestRegisters(t *testing.T) {
	assert.Equal(
		t, fit.Cost{Blocks: 2, MapRAMs: 2, ALUs: 1}, fit.OfRegister(&ir.Register{Bits: 1, Size: 1 << 17}),
	)
	assert.Equal(t, fit.Cost{Blocks: 24, MapRAMs: 24, ALUs: 1},
		fit.OfRegister(&ir.Register{Bits: 32, Size: 94_208}), "the largest that one ALU drives")
	assert.Equal(t, fit.Cost{Blocks: 26, MapRAMs: 26, ALUs: 2},
		fit.OfRegister(&ir.Register{Bits: 32, Size: 94_209}))
	assert.Equal(t, fit.Cost{Blocks: 4, MapRAMs: 4, ALUs: 2},
		fit.OfRegister(&ir.Register{Bits: 32, Pair: true, Size: 2048, Shared: true}), "ghost has a copy")
}

// The path tables of an edge switch of a fat-tree with k = 36 are 26 blocks, where the paper has
// 28: addresses 6, links of the third and the fourth hop 6 and 4, ten others one each.
func TestPathTablesOfAnEdge(t *testing.T) {
	if testing.Short() {
		t.Skip("a network of 11,664 hosts")
	}
	report := pathTables(t, 36)
	blocks := map[string]int{}
	for _, item := range report.Items {
		blocks[item.Name] = item.Cost.Blocks
	}
	assert.Equal(
		t, []int{6, 6, 4}, []int{blocks["path_dst"], blocks["path2_link"], blocks["path3_link"]},
	)
	assert.Len(t, report.Items, 13)
	assert.Equal(t, 26, report.Total.Blocks)
	assert.LessOrEqual(t, report.Stages, chip.Stages)

	var text strings.Builder
	require.NoError(t, report.WriteBeside(&text, fit.PyrrhaFigures()))
	assert.Equal(t, `part                   published  blocks  ours  source
path calculation       0.44 MB    28      26    Pyrrha, section V-A
congestion-root table  176 KB     11      -     Pyrrha, section V-A
queue manager          8.64 MB    553     -     Pyrrha, section V-A
processing logic       1.88 MB    120     -     Pyrrha, section V-A
all                    44.5 %     712     26    1600 of a pipe
`, text.String())
}

// Bytes of content are not set beside allocated blocks.
func TestContentIsNotAllocation(t *testing.T) {
	r := fit.Report{
		Items: []fit.Item{{Name: "congested_a", Entries: 64, Cost: fit.Cost{Blocks: 2}}},
		Total: fit.Cost{Blocks: 2},
	}
	var text strings.Builder
	require.NoError(t, r.WriteBeside(&text, fit.OFCFigures()))
	assert.Contains(
		t, text.String(), "congested_flow_tab  152 bytes  -       2     OFC, Table II\n",
	)
	assert.NotContains(t, text.String(), "all")
	text.Reset()
	require.NoError(t, r.WriteCells(&text, fit.OFCFigures(), 2))
	assert.Contains(t, text.String(), "congested_flow_tab  152 bytes  19     32            2       OFC")
}

// A report is text that a person reads: tables with keys, stages and blocks, and the longest chain.
func TestReportAsText(t *testing.T) {
	var text strings.Builder
	require.NoError(t, pathTables(t, 4).Write(&text))
	if *update {
		require.NoError(t, os.WriteFile("testdata/edge4.txt", []byte(text.String()), 0o644))
	}
	golden, err := os.ReadFile("testdata/edge4.txt")
	require.NoError(t, err)
	assert.Equal(t, string(golden), text.String())
}

// pathTables estimates the path tables of an edge switch of a fat-tree.
func pathTables(t *testing.T, k int) *fit.Report {
	t.Helper()
	g, err := topo.FatTree(topo.FatTreeConfig{K: k,
		Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}})
	require.NoError(t, err)
	net, err := ways.Builder(g, hashpath.HostAddress).Build(hashpath.Config{
		Hash: hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}})
	require.NoError(t, err)
	made, err := tofino.NewForwarding(tofino.PathConfig{Network: net.Snapshot(),
		Switch: sluice.SwitchID(k * k * k / 4), Ports: make([]chip.DevPort, k)})
	require.NoError(t, err)
	steps := &made.Program.Control[ir.Ingress]
	*steps = (*steps)[:len(*steps)-1] // without what sends the packet by the port
	return fit.Of(made.Program, made.Config)
}

// A table stands behind what writes its keys, its data and its conditions; ways that exclude each
// other do not add up.
func TestDepthOfChains(t *testing.T) {
	a, b, c := field("a", 8), field("b", 8), field("c", 8)
	set := func(name string, to *ir.Field, from ir.Expr) *ir.Action {
		return &ir.Action{Name: name, Body: []ir.Statement{ir.Assign{To: to, Value: from}}}
	}
	apply := func(name string, key *ir.Field, action *ir.Action) ir.Apply {
		return ir.Apply{Table: &ir.Table{Name: name, Keys: []ir.Key{{Name: "k", X: key}},
			Actions: []*ir.Action{action}}}
	}
	stages := func(steps ...ir.Step) (int, []string) {
		p := &ir.Program{}
		p.Control[ir.Ingress] = steps
		r := fit.Of(p, &ir.Config{})
		return r.Stages, r.Chain
	}
	first, second := set("first", a, ir.Number(8, 1)), set("second", b, a)
	count, chain := stages(
		ir.Do{Action: first}, ir.Do{Action: second}, apply("third", b, set("x", c, a)),
	)
	assert.Equal(t, 3, count)
	assert.Equal(t, []string{"first", "second", "third"}, chain)

	count, _ = stages(ir.Do{Action: first}, apply("free", b, set("x", c, b)))
	assert.Equal(t, 1, count, "they depend on nothing of each other")

	count, _ = stages(ir.Do{Action: first}, ir.If{Condition: ir.Compare{X: a, Y: ir.Number(8, 1)},
		Then: []ir.Step{apply("then", b, set("x", c, b))},
		Else: []ir.Step{apply("else", b, set("y", c, b))}})
	assert.Equal(t, 2, count, "behind the branch, and one of them only")

	count, _ = stages(ir.Do{Action: first}, ir.Do{Action: set("again", a, ir.Number(8, 2))})
	assert.Equal(t, 2, count, "two that write the same field")
}
