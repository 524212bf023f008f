package explore_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluicefc/sluice/kit/explore"
	"github.com/stretchr/testify/require"
)

// page is docs/explored.md, and docs/explored.csv beside it: their rows, by what they are of.
type page struct {
	explorations map[string][]string // of the CSV
	symmetries   map[string]string   // of the page
}

var columns = []string{
	"protocol", "network", "faults", "states", "of_nodes", "at_rest", "steps", "frames", "verdict",
	"seconds", "memory_mb",
}

// results is how many columns say what came out, whatever it cost.
const results = 9

// readPage takes the rows that were written before.
func readPage(t *testing.T) *page {
	p := &page{map[string][]string{}, map[string]string{}}
	table, err := os.Open(tablePath)
	require.NoError(t, err)
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	require.NoError(t, err)
	require.Equal(t, columns, rows[0])
	for _, row := range rows[1:] {
		p.explorations[strings.Join(row[:3], "/")] = row
	}
	text, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	_, symmetries, _ := strings.Cut(string(text), "\n## Symmetry\n")
	symmetries, _, _ = strings.Cut(symmetries, "\n## ")
	for _, m := range threeCells.FindAllStringSubmatch(symmetries, -1) {
		p.symmetries[m[1]+"/"+m[2]] = m[0] + "\n"
	}
	return p
}

var threeCells = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|.*$`)

// explored takes the row of an exploration. If that row and the table's are whole, they have to
// agree, unless -rows chooses others.
func (p *page) explored(t *testing.T, row *row, r explore.Result, took time.Duration) {
	number := func(n int) string { return strconv.Itoa(n) }
	cells := []string{
		row.protocol, row.network, row.faults, number(r.States), number(r.NodeStates), number(r.Rest),
		number(r.Depth), strings.Join(r.Frames, " "), verdict(r), fmt.Sprintf("%.1f", took.Seconds()),
		fmt.Sprint(r.Memory >> 20),
	}
	t.Log(strings.Join(cells, ", "))
	before := p.explorations[row.key()]
	p.explorations[row.key()] = cells
	if before == nil {
		before = make([]string, len(columns))
	}
	whole := r.Bound == "" && !strings.Contains(before[results-1], boundedBy)
	want, got := before[:results], cells[:results]
	if whole && !slices.Equal(want, got) && !*update && *only == "" {
		t.Errorf("machines do other things than when the page was written:\n%s\n%s\nSee that they "+
			"should, and use -rows '%s' -update", want, got, row.key())
	}
}

// boundedBy is in the verdict on what was not visited whole.
const boundedBy = "holds for"

// halved takes what the symmetries of a network saved.
func (p *page) halved(row *row, with, without explore.Result) {
	all := func(r explore.Result) string {
		if r.Whole || r.Violation != nil {
			return ""
		}
		return ", not all"
	}
	p.symmetries[row.protocol+"/"+row.network] = fmt.Sprintf("| %s | %s | %d | %d%s | %d%s |\n",
		row.protocol, row.network, with.Symmetries, without.States, all(without), with.States, all(with))
}

func (p *page) write(t *testing.T, rows []row) {
	var symmetries, deadlocks strings.Builder
	table := [][]string{columns}
	for _, row := range rows {
		table = append(table, p.explorations[row.key()])
		if row.faults != "none" {
			continue
		}
		symmetries.WriteString(p.symmetries[row.protocol+"/"+row.network])
		if row.deadlock != "" {
			r, err := row.at.Explore(explore.Options{})
			require.NoError(t, err)
			name := strings.ToUpper(row.protocol[:1]) + row.protocol[1:] + "InALoop"
			fmt.Fprintf(&deadlocks, "\n## %s, %s\n\n```\n%s```\n\n```go\n%s```\n", row.protocol,
				row.network, r.Violation.Timeline(), r.Violation.Test(name, row.deadlock))
		}
	}
	file, err := os.Create(tablePath)
	require.NoError(t, err)
	require.NoError(t, csv.NewWriter(file).WriteAll(table))
	require.NoError(t, file.Close())
	text := head + summary(table[1:]) + symmetryHead + symmetries.String() + deadlocks.String()
	require.NoError(t, os.WriteFile(pagePath, []byte(text), 0o644))
}

// summary is a row for each protocol: how many networks were explored, and what came out.
func summary(table [][]string) string {
	var protocols []string
	type counts struct {
		networks, whole, bounded, states int
		violated                         []string
	}
	of := map[string]*counts{}
	for _, row := range table {
		c := of[row[0]]
		if c == nil {
			c = &counts{}
			of[row[0]] = c
			protocols = append(protocols, row[0])
		}
		c.networks++
		n, _ := strconv.Atoi(row[3])
		c.states += n
		switch verdict := row[results-1]; {
		case strings.Contains(verdict, boundedBy):
			c.bounded++
		case verdict == "holds":
			c.whole++
		default:
			c.violated = append(c.violated, row[1]+", "+row[2]+": "+verdict)
		}
	}
	var b strings.Builder
	for _, protocol := range protocols {
		c := of[protocol]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s |\n", protocol, c.networks, c.whole, c.bounded,
			c.states, strings.Join(c.violated, "; "))
	}
	return b.String()
}

// TestPageIsTheTable: the page has what the table sums up to.
func TestPageIsTheTable(t *testing.T) {
	var table [][]string
	p := readPage(t)
	file, err := os.Open(tablePath)
	require.NoError(t, err)
	defer file.Close()
	table, err = csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Len(t, p.explorations, len(table)-1, "a row twice")
	text, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), head+summary(table[1:])+symmetryHead),
		"go test ./kit/explore -run TestPage -rows 'pfc/two switches/none' -update writes it")
}

// processorTime is what this process has taken of processors.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const (
	pagePath  = "../../docs/explored.md"
	tablePath = "../../docs/explored.csv"
)

const head = `<!-- made by TestPage -->
# What was explored

Every order of what can happen in small networks, by package kit/explore, whose documentation says
what may happen and what must hold. The networks are the networks of its tests.
[explored.csv](explored.csv) has a row for each network and fault; below is what they come to.

| protocol | explorations | hold, visited whole | hold as far as visited | states | violated |
| --- | ---: | ---: | ---: | ---: | --- |
`

// symmetryHead is what stands behind the summary.
const symmetryHead = `
## How to read the table

A test writes this page and the table:
` + "`go test ./kit/explore -run TestPage -update -states 1000000 -budget 1h -timeout 0`" + `
explores all, and with ` + "`-rows pfc/`" + ` a protocol's networks, which take the place of its rows; without
-update it prints them. Some rows were made with -states 100000 or 250000, and OFC's loop without
faults with 20000000. "seconds" are of the processor, of all cores together. What is whole here the
gates compare with what they visit whole, to the number of states.

Each flow has one packet, if nothing else is said; buffers hold one or two before they pause. Where
a frame is lost, Pyrrha, PortFC, OFC and BFC are configured to repeat what they say, and PFC's
pauses run out. Without that a lost frame leaves something held for ever: found of Pyrrha after 11
steps, of PFC after 13, of BFC and OFC after 18. Elsewhere PFC's pauses last until they are taken
back, so that a deadlock is for ever. TCD and PCN mark packets and hold none: they have no network
of their own here.

In networks that are "pressed" a flow has two packets, or three of PortFC, frames are faster than
packets, and it is a property that pauses keep what waits in a switch within a bound: of PFC and of
credits a packet from each port, of BFC one from each queue, of OFC two from each port, of PortFC
two in a queue that pauses, and as many as are relayed. Pyrrha has none, as it never holds what is
in an OQ. "None; time passes" lets pauses run out that are not repeated in time. With "little room"
a machine of Pyrrha knows one root of others.

What the explorer finds of small changes that the conformance suite misses is in
[seeded bugs](seeded-bugs.md).

PortFC is made for the networks NDC(N,K) alone, so that it has no loop, ring or tree; the other
protocols run on any network, and NDC(2,1) would be a tree of two layers to them. On NDC three nodes
send a packet each to one.

Symmetric states count once. "at_rest" are the states in which nothing waits, is held or is on a
link: of PFC one without faults, as its machines are then as they were made; others remember whose
turn it is, or what the other end said last. "frames" are the kinds that were sent. What was not
visited whole "holds for" a number of steps: all states at most that far were visited, and the bound
that ended the search is named. "memory_mb" is the largest heap seen, with what is garbage.

PFC's deadlock in a loop is known; credits have it too, and BFC where flows collide in one queue.
The shortest ways to it are below, each with the test that takes them and fails as long as it ends
in a deadlock: a packet is named by flow and number, a place by node and port. Pyrrha's and PortFC's
theorems forbid one: all their networks without faults are visited whole, except two in which time
passes, and none has one.

A model of two papers' rules in Promela, ` + "`kit/explore/testdata/loop.pml`" + `, is checked by
Spin (TestSpin): in the loop of three PFC has a deadlock, found in 6,297 states; with Pyrrha's
isolation there is none, in all of 15,757 states. The explorer says the same of the machines. Spin
is for the rules of a paper before there is code, as 60 lines are a model; the explorer is for the
code that runs.

## Symmetry

In how many ways networks are like themselves, with what their machines do, and what that saves.
The networks of the table that are not below are like themselves in one way only.

| protocol | network | ways | states without symmetry | with it |
| --- | --- | ---: | ---: | ---: |
`
