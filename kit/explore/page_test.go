package explore_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluicefc/sluice/kit/explore"
	"github.com/stretchr/testify/require"
)

// page is docs/explored.md: its rows, by what they are of.
type page struct{ explorations, symmetries map[string]string }

// readPage takes the rows that were written before.
func readPage(t *testing.T) *page {
	text, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	p := &page{map[string]string{}, map[string]string{}}
	rows, symmetries, _ := strings.Cut(string(text), "\n## Symmetry\n")
	for _, m := range threeCells.FindAllStringSubmatch(rows, -1) {
		p.explorations[m[1]+"/"+m[2]+"/"+m[3]] = m[0] + "\n"
	}
	symmetries, _, _ = strings.Cut(symmetries, "\n## ")
	for _, m := range threeCells.FindAllStringSubmatch(symmetries, -1) {
		p.symmetries[m[1]+"/"+m[2]] = m[0] + "\n"
	}
	return p
}

var (
	threeCells = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|.*$`)
	// result is what a row says of a network, whatever it cost.
	result = regexp.MustCompile(`^(\| [^|]+){9}`)
)

// explored takes the row of an exploration. If that row and the page's are whole, they have to
// agree, unless somebody looks at rows of his own choice.
func (p *page) explored(t *testing.T, row *row, r explore.Result, took time.Duration) {
	text := fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %d | %s | %s | %.1f s | %d MB |\n",
		row.protocol, row.network, row.faults, r.States, r.NodeStates, r.Rest, r.Depth,
		strings.Join(r.Frames, " "), verdict(r), took.Seconds(), r.Memory>>20)
	t.Log(strings.TrimSpace(text))
	before := p.explorations[row.key()]
	p.explorations[row.key()] = text
	whole := r.Bound == "" && !strings.Contains(before, "holds for")
	want, got := result.FindString(before), result.FindString(text)
	if whole && want != got && !*update && *only == "" {
		t.Errorf("machines do other things than when the page was written:\n%s\n%s\nSee that they "+
			"should, and use -rows '%s' -update", want, got, row.key())
	}
}

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
	var explorations, symmetries, deadlocks strings.Builder
	for _, row := range rows {
		explorations.WriteString(p.explorations[row.key()])
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
	text := head + explorations.String() + symmetryHead +
		symmetries.String() + deadlocks.String()
	require.NoError(t, os.WriteFile(pagePath, []byte(text), 0o644))
}

// processorTime is what this process has taken of processors.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const pagePath = "../../docs/explored.md"

const head = `<!-- made by TestPage -->
# What was explored

Every order of what can happen in small networks, by package kit/explore, whose documentation says
what may happen and what must hold. The networks are the networks of its tests. A test writes this
page: ` + "`go test ./kit/explore -run TestPage -update -states 1000000 -budget 1h -timeout 0`" + `
explores all, and with ` + "`-rows pfc/`" + ` a protocol's networks, which take the place of its rows; without
-update it prints them. Some rows were made with -states 100000 or 250000, and OFC's loop without
faults with 20000000. Times are of the processor, of all cores together. What is whole here the
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

States that a symmetry of the network makes of each other count once. "At rest" are the states in
which nothing waits, is held or is on a link: of PFC one without faults, as its machines are then as
they were made; others remember whose turn it is, or what the other end said last. "Frames" are the
kinds that were sent. What was not visited whole "holds for" so many steps: all states that so many
steps lead to were visited, and the bound that ended the search is named. The memory is the largest
heap seen, with what is garbage.

Of PFC's deadlock in a loop its papers tell; credits have it too, and BFC where
flows collide in one queue. The shortest ways to it are below, each with the test that takes them
and fails as long as it ends in a deadlock: a packet is named by flow and number, a place by node
and port. Pyrrha's and PortFC's theorems forbid one: all their networks without faults are visited
whole, but for two in which time passes, and none has one.

A model of two papers' rules in Promela, ` + "`kit/explore/testdata/loop.pml`" + `, is checked by
Spin (TestSpin): in the loop of three PFC has a deadlock, found in 6,297 states; with Pyrrha's
isolation there is none, in all of 15,757 states. The explorer says the same of the machines. Spin
is for the rules of a paper before there is code, as 60 lines are a model; the explorer is for the
code that runs.

| protocol | network | faults | states | of nodes | at rest | steps | frames | verdict | time | memory |
| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |
`

const symmetryHead = `
## Symmetry

In how many ways networks are like themselves, with what their machines do, and what that saves.
The networks above that are not below are like themselves in one way only.

| protocol | network | ways | states without symmetry | with it |
| --- | --- | ---: | ---: | ---: |
`
