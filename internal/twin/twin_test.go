package twin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type machine struct {
	ports []port
	lent  []int32 // of the first port
	all   []int32
	name  string
	peak  int
	_     [7]byte
}

type port struct {
	owner *machine
	rest  *rest
	some  []int32 // of owner.all
	at    int64
	down  bool
}

type rest struct{ count, peak uint64 }

func form() *Form[machine] { return &Form[machine]{Past: []string{"machine.peak", "rest.peak"}} }

func example() *machine {
	m := &machine{ports: make([]port, 2), all: []int32{1, 2, 3, 4}, name: "m"}
	for i := range m.ports {
		m.ports[i] = port{owner: m, rest: &rest{count: 1}, some: m.all[2*i : 2*i+2], at: 130}
	}
	m.lent = m.ports[0].some
	return m
}

// TestClone: the copy shares no memory with the original, and leads to one place where that does.
func TestClone(t *testing.T) {
	f, m := form(), example()
	c := f.Clone(m)
	require.Equal(t, m, c)
	for i := range c.ports {
		require.Same(t, c, c.ports[i].owner)
		require.NotSame(t, m.ports[i].rest, c.ports[i].rest)
	}
	c.ports[0].some[1] = 20
	require.Equal(t, []int32{1, 20, 3, 4}, c.all)
	require.Equal(t, []int32{1, 20}, c.lent)
	require.Equal(t, []int32{1, 2, 3, 4}, m.all)
}

// TestAppend: what decides is written, and nothing else.
func TestAppend(t *testing.T) {
	f, m := form(), example()
	settle := func(c *machine) { c.ports[1].at = 0 }
	written := string(f.Append(nil, m, settle))
	same := func(change func(c *machine), want bool, about string) {
		c := f.Clone(m)
		change(c)
		require.Equal(t, want, written == string(f.Append(nil, c, settle)), about)
	}
	same(func(c *machine) {}, true, "a copy")
	same(func(c *machine) { c.peak, c.ports[1].rest.peak = 9, 9 }, true, "the past")
	same(func(c *machine) { c.ports[1].rest.count++ }, false, "behind a pointer")
	same(func(c *machine) { c.ports[1].rest = c.ports[0].rest }, false, "another pointer")
	same(func(c *machine) { c.ports[1].down = true }, false, "a bool")
	same(func(c *machine) { c.all[3]++ }, false, "in a slice")
	same(func(c *machine) { c.lent = c.lent[:1] }, false, "a shorter slice")
	same(func(c *machine) { c.ports[1].at = 9 }, true, "what is settled")
	require.EqualValues(t, 130, m.ports[1].at, "in a copy alone")
	same(func(c *machine) { c.name = "n" }, false, "a text")
}

func TestForm(t *testing.T) {
	require.PanicsWithValue(t, "twin: no field is called machine.peek", func() {
		(&Form[machine]{Past: []string{"machine.peek"}}).Clone(&machine{})
	})
	type lookup struct{ of map[int]int }
	require.PanicsWithValue(t, "twin: twin.lookup.of is a map, which cannot be copied", func() {
		(&Form[lookup]{}).Clone(&lookup{of: map[int]int{}})
	})
}
