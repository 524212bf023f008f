package check_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice/tofino/check"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// through takes a program through all that reads programs: what the validator lets pass runs, costs
// something, is written or refused by name, and what is written is without a fault but for words of
// flow control, which chance does not make. It reports whether the program was written.
func through(t require.TestingT, p *ir.Program, cfg *ir.Config) bool {
	if p.Validate() != nil || cfg.Validate(p) != nil {
		return false
	}
	machine, err := ir.NewMachine(p)
	require.NoError(t, err)
	require.NoError(t, machine.Load(cfg))
	for length := range 80 {
		out := machine.Receive(uint64(length), 8, make([]byte, length))
		for _, one := range append([]ir.Copy{}, out.Copies...) {
			one.Octets = append([]byte{}, one.Octets...)
			machine.Depart(1, one, length)
		}
	}
	queue, err := chip.NewQueue(0, 1, 0)
	require.NoError(t, err)
	machine.Ghost(queue, 1)
	assert.NotNil(t, fit.Of(p, cfg))

	files, err := emit.Files(p, cfg)
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			assert.True(t, strings.HasPrefix(line, "emit: "), line)
		}
		return false
	}
	system := fstest.MapFS{}
	for _, file := range files {
		system[file.Name] = &fstest.MapFile{Data: file.Content}
	}
	list, err := check.FS(system)
	require.NoError(t, err)
	for _, fault := range list {
		known := strings.Contains(fault.Rule, "word 0x") || strings.Contains(fault.Rule, "comes first") ||
			strings.Contains(fault.Key, "frame ")
		assert.True(t, known, "%v\n%s", fault, system["random.p4"].Data)
	}
	return true
}

// Programs of chance go through everything, shrunk where one does not.
func TestProgramsOfChance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, cfg := samples.Random(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		through(t, p, cfg)
	})
}

// A program of chance is right often enough for that to mean something.
func TestChanceIsOftenRight(t *testing.T) {
	random, written := rand.New(rand.NewPCG(1, 2)), 0
	for range 400 {
		p, cfg := samples.Random(random.IntN)
		if through(t, p, cfg) {
			written++
		}
	}
	assert.Greater(t, written, 20)
}

// FuzzProgram takes programs made of the octets of an input through everything.
func FuzzProgram(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a program is made of choices, and this is a text of more than a few of them"))
	f.Fuzz(func(t *testing.T, choices []byte) {
		p, cfg := samples.Random(func(n int) int {
			if len(choices) < 2 {
				return 0
			}
			choice := int(choices[0])<<8 | int(choices[1])
			choices = choices[2:]
			return choice % n
		})
		through(t, p, cfg)
	})
}
