package fields

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// A struct is a line of its fields and, below it, the structs within: what is zero is left out, and
// what is alike has one line.
func TestText(t *testing.T) {
	type inner struct {
		Bytes int
		Held  bool
	}
	type state struct {
		Now    time.Duration
		Spare  int
		Names  []string
		Queues [6]inner
		Own    inner
		hidden inner
	}
	s := state{Now: 3 * time.Second, Names: []string{"a", "b"}, Own: inner{Bytes: 1}}
	s.hidden.Bytes = 9
	s.Queues[1] = inner{5, true}
	s.Queues[4], s.Queues[5] = inner{7, false}, inner{7, false}
	var b strings.Builder
	require.NoError(t, Text(&b, &s))
	require.Equal(t, `fields: Now 3s, Names [a b]
  Queues 1: Bytes 5, Held
  Queues 4-5: Bytes 7
  Own: Bytes 1
`, b.String())
	b.Reset()
	require.NoError(t, Text(&b, state{}))
	require.Equal(t, "fields:\n", b.String())
	require.ErrorIs(t, Text(broken{}, s), errBroken)
}
