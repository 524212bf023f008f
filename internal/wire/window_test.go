package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestNewer: a frame is late up to the edge of the window, and new from there on, as one from a
// peer that started anew is.
func TestNewer(t *testing.T) {
	for _, b := range []uint32{0, 5, 0xffff_fff0} {
		require.False(t, Newer(b, b), "the same again")
		require.False(t, Newer(b-1, b))
		require.False(
			t, Newer(b-(Reordering-1), b), "as late as a frame can be and still be known as late",
		)
		require.True(t, Newer(b-Reordering, b), "one further back is a peer that started anew")
		require.True(t, Newer(b+1, b))
		require.True(t, Newer(b+1<<31, b))
	}
}

func TestWindow(t *testing.T) {
	var w Window
	_, heard := w.Newest()
	require.False(t, heard)
	require.True(t, w.Fresh(7), "whatever comes first is new")
	require.False(t, w.Fresh(7), "doubled")
	require.False(t, w.Fresh(6), "overtaken")
	require.True(t, w.Fresh(9))
	require.False(t, w.Fresh(8), "overtaken")
	newest, heard := w.Newest()
	require.True(t, heard)
	require.Equal(t, uint32(9), newest)
	w.Forget()
	_, heard = w.Newest()
	require.False(t, heard)
	require.True(t, w.Fresh(8), "a link that came up has heard nothing")
	require.Zero(t, w.Resynchronised())
}

// obeyed hands frames to a window and returns the frames that it takes.
func obeyed(w *Window, frames ...uint32) (taken []uint32) {
	for _, sequence := range frames {
		if w.Fresh(sequence) {
			taken = append(taken, sequence)
		}
	}
	return taken
}

// A forged frame as far ahead as makes true ones late: three true frames are refused, and the
// fourth is obeyed, and all that follow.
func TestOneForgedFrameCostsThree(t *testing.T) {
	for _, ahead := range []uint32{5, 1000, Reordering - 1} {
		var w Window
		require.Len(t, obeyed(&w, 1, 2, 2+ahead), 3)
		require.Equal(t, []uint32{6, 7, 8}, obeyed(&w, 3, 4, 5, 6, 7, 8), "%d ahead", ahead)
		require.EqualValues(t, 1, w.Resynchronised())
	}
	var w Window
	require.Equal(t, []uint32{1, 4, 5, 6}, obeyed(&w, 1, 4, 2, 3, 5, 6), "less ahead, and fewer are")
	require.Equal(t, []uint32{7 + Reordering, 7}, obeyed(&w, 7+Reordering, 7), "more, and none is")
	require.Zero(t, w.Resynchronised())
}

// Where each frame overtakes fewer than Persistence others, no overtaken frame is obeyed.
func TestFewerLateFramesAreReordering(t *testing.T) {
	var w Window
	require.Equal(t, []uint32{1, 5, 6}, obeyed(&w, 1, 5, 2, 3, 4, 6), "one overtakes three")
	require.Equal(t, []uint32{10, 11}, obeyed(&w, 10, 7, 8, 9, 11, 8, 9, 10), "and again")
	require.Equal(t, []uint32{12}, obeyed(&w, 12, 11, 10, 9, 8, 7, 6), "late frames that descend")
	require.Equal(t, []uint32{13}, obeyed(&w, 13, 5, 5, 5, 5, 5, 5), "one frame again and again")
	require.Zero(t, w.Resynchronised())
}

// A frame is newer than marks of a life of the numbers that is over, of whatever kind its end was.
func TestMarks(t *testing.T) {
	var w Window
	require.True(t, w.After(1, Mark{}), "no frame")
	require.True(t, w.Fresh(10))
	ten := w.Mark(10)
	require.False(t, w.After(10, ten))
	require.False(t, w.After(9, ten))
	require.True(t, w.After(11, ten))
	require.Equal(t, ten, w.Latest(ten, Mark{}))
	require.Equal(t, ten, w.Latest(Mark{}, ten))
	later := w
	require.True(t, later.Fresh(12))
	require.Equal(t, w.Mark(12), later.Latest(ten, w.Mark(12)))
	require.Equal(t, w.Mark(12), later.Latest(w.Mark(12), ten))

	ends := map[string]func(*Window) uint32{
		"resynchronised": func(w *Window) uint32 { return obeyed(w, 100, 6, 7, 8, 9)[1] },
		"leapt":          func(w *Window) uint32 { return obeyed(w, 1<<32+10-Reordering)[0] },
		"forgotten":      func(w *Window) uint32 { w.Forget(); return obeyed(w, 9)[0] },
	}
	for name, end := range ends {
		w := w
		sequence := end(&w)
		require.True(t, w.After(sequence, ten), name)
		require.Equal(t, w.Mark(sequence), w.Latest(w.Mark(sequence), ten), name)
		require.Equal(t, w.Mark(sequence), w.Latest(ten, w.Mark(sequence)), name)
	}
}

// slowWindow is the rule of Window in words: it remembers all frames.
type slowWindow struct {
	newest uint32
	any    bool
	late   []uint32 // since newest
}

func (w *slowWindow) Fresh(sequence uint32) bool {
	back := w.newest - sequence
	if w.any && back < Reordering {
		w.late = append(w.late, sequence)
		if !w.persist() {
			return false
		}
	}
	w.newest, w.any, w.late = sequence, true, nil
	return true
}

// persist reports whether the last late frames ascend, one frame counted once, and are as many as
// Persistence.
func (w *slowWindow) persist() bool {
	run := 1
	for i := len(w.late) - 1; i > 0; i-- {
		step := w.late[i] - w.late[i-1]
		if step >= Reordering {
			break
		}
		if step > 0 {
			run++
		}
	}
	return run >= Persistence
}

// drawNumber draws a sequence number that is near another, at the edges of the window, or anywhere.
func drawNumber(t *rapid.T, near uint32) uint32 {
	return near + rapid.OneOf(
		rapid.Uint32Range(0, 6), rapid.Uint32Range(1<<32-6, 1<<32-1),
		rapid.Uint32Range(Reordering-2, Reordering+2),
		rapid.Uint32Range(1<<32-Reordering-2, 1<<32-Reordering+2),
		rapid.Uint32(),
	).Draw(t, "ahead")
}

func TestWindowIsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		var slow slowWindow
		near := rapid.Uint32().Draw(t, "first")
		for range rapid.IntRange(1, 60).Draw(t, "frames") {
			sequence := drawNumber(t, near)
			require.Equal(t, slow.Fresh(sequence), w.Fresh(sequence), "%d", sequence)
			if rapid.Bool().Draw(t, "go on from it") {
				near = sequence
			}
			newest, _ := w.Newest()
			require.Equal(t, slow.newest, newest)
		}
	})
}

// After forged frames of any numbers, the window refuses fewer than Persistence true frames that
// come in ascending order, and obeys all later ones. So does each of many marks.
func TestBoundOfForgedFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		var marks [3]Mark
		hear := func(sequence uint32, about int) (fresh, newer bool) {
			fresh = w.Fresh(sequence)
			if newer = w.After(sequence, marks[about]); newer {
				marks[about] = w.Mark(sequence)
			}
			return fresh, newer
		}
		about := rapid.IntRange(0, len(marks)-1)
		truth := rapid.Uint32().Draw(t, "the peer's counter")
		for range rapid.IntRange(0, 30).Draw(t, "frames before") {
			if rapid.Bool().Draw(t, "forged") {
				hear(drawNumber(t, truth), about.Draw(t, "about"))
			} else {
				truth++
				hear(truth, about.Draw(t, "about"))
			}
		}
		for i := range 3 * Persistence {
			truth += rapid.Uint32Range(1, 4).Draw(t, "one more than were lost")
			of := about.Draw(t, "about")
			fresh, newer := hear(truth, of)
			if i >= Persistence-1 {
				require.True(t, fresh, "true frame %d, number %d", i+1, truth)
				require.True(t, newer, "true frame %d, number %d, about %d", i+1, truth, of)
			}
			if rapid.Bool().Draw(t, "twice") {
				fresh, newer = hear(truth, of)
				require.False(t, fresh && i >= Persistence, "doubled")
				require.False(t, newer && i >= Persistence, "doubled")
			}
		}
	})
}

// Where each frame overtakes fewer than Persistence others, no overtaken frame is obeyed.
func TestBoundOfReordering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		newest := rapid.Uint32().Draw(t, "first")
		require.True(t, w.Fresh(newest))
		for range rapid.IntRange(1, 30).Draw(t, "that overtake") {
			overtaken := rapid.Uint32Range(0, Persistence-1).Draw(t, "others")
			base := newest
			newest += overtaken + 1
			require.True(t, w.Fresh(newest))
			for i := range overtaken {
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					require.False(t, w.Fresh(base+1+i))
				}
			}
		}
		require.Zero(t, w.Resynchronised())
	})
}
