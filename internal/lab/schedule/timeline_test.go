package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Of a rank with more spans than can be seen each piece of the time has what the rank does most.
func TestCoarse(t *testing.T) {
	var spans []Span
	for i := range sluice.Time(4000) { // two of three parts computing, in the second half held
		state := Computing
		if i >= 2000 {
			state = Held
		}
		spans = append(spans, Span{From: 3 * i, To: 3*i + 2, State: state})
	}
	require.Equal(t, []Span{
		{From: 0, To: 6000, State: Computing}, {From: 6000, To: 12000, State: Held},
	}, Coarse(spans, 0, 12000, 400))
	for i := range spans { // one of three
		spans[i].To--
	}
	require.Empty(t, Coarse(spans, 0, 12000, 400))
	require.Equal(t, spans, Coarse(spans, 0, 12000, 4000))
}

// A piece in which a rank is held has the cause that held it longest in all, and without causes it
// is one span.
func TestCoarseCauses(t *testing.T) {
	one, two := Cause{At: sluice.Hop{Switch: 1}}, Cause{At: sluice.Hop{Switch: 2}, Root: true}
	spans := []Span{
		{From: 10, To: 13, State: Held, For: two}, {From: 13, To: 17, State: Held, For: one},
		{From: 17, To: 19, State: Held, For: two}, {From: 22, To: 30, State: Exposed},
	}
	require.Equal(t, []Span{
		{From: 10, To: 20, State: Held, For: two}, {From: 20, To: 30, State: Exposed},
	}, Coarse(spans, 10, 30, 2))
	require.Equal(t, []Span{{From: 10, To: 19, State: Held}, {From: 22, To: 30, State: Exposed}},
		WithoutCauses(spans))
}
