package view

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// key names a thing that a track has a number of: a port, a queue, a flow in a queue, or a queue
// that waits for another. The numbers that a track does not use are 0.
type key [4]int32

// track is numbers by key over time: their changes from sample to sample are kept.
type track struct {
	arity   int  // numbers of a key that are used
	lasting bool // a number stays until another is set; else it is 0 unless set at a sample
	ids     map[key]int32
	keys    []key
	state   []int64
	number  int32   // of the sample at hand, counted from 1, samples that were left out among them
	named   []int32 // by key: the sample that set it last
	live    []int32 // keys of numbers other than 0, of a track that is not lasting
	samples [][]change
}

// change is by how much the number of a key differs from the sample before.
type change struct {
	key int32
	by  int64
}

func newTrack(arity int, lasting bool) *track {
	return &track{arity: arity, lasting: lasting, ids: map[key]int32{}}
}

func (t *track) begin() {
	t.number++
	t.samples = append(t.samples, nil)
}

// set sets a number at the sample at hand, once a key.
func (t *track) set(k key, value int64) {
	id := t.id(k)
	t.named[id] = t.number
	t.note(id, value-t.state[id])
}

// add adds to a number that the sample at hand began with 0.
func (t *track) add(k key, by int64) {
	id := t.id(k)
	if t.named[id] != t.number {
		t.named[id] = t.number
		by -= t.state[id]
	}
	t.note(id, by)
}

func (t *track) id(k key) int32 {
	id, known := t.ids[k]
	if !known {
		id = int32(len(t.keys))
		t.ids[k] = id
		t.keys = append(t.keys, k)
		t.state = append(t.state, 0)
		t.named = append(t.named, 0)
	}
	return id
}

func (t *track) note(id int32, by int64) {
	if by == 0 {
		return
	}
	last := len(t.samples) - 1
	if t.state[id] == 0 && !t.lasting {
		t.live = append(t.live, id)
	}
	t.state[id] += by
	t.samples[last] = append(t.samples[last], change{id, by})
}

// end ends a sample, and returns how many changes it has.
func (t *track) end() int {
	last := len(t.samples) - 1
	live := t.live
	t.live = t.live[:0]
	for _, id := range live {
		if t.state[id] != 0 && t.named[id] != t.number {
			t.samples[last] = append(t.samples[last], change{id, -t.state[id]})
			t.state[id] = 0
		}
		if t.state[id] != 0 {
			t.live = append(t.live, id)
		}
	}
	t.samples[last] = summed(t.samples[last])
	return len(t.samples[last])
}

// summed returns one change for each key, without changes by 0. It uses the memory given.
func summed(changes []change) []change {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.key, b.key) })
	sums := changes[:0]
	for _, c := range changes {
		if last := len(sums) - 1; last >= 0 && sums[last].key == c.key {
			sums[last].by += c.by
		} else {
			sums = append(sums, c)
		}
	}
	sums = slices.DeleteFunc(sums, func(c change) bool { return c.by == 0 })
	return slices.Clip(sums)
}

// leaveOut takes samples out, not the last: the next sample that is kept has their changes too. It
// returns how many changes are left.
func (t *track) leaveOut(from int, keep func(i int) bool) (left int) {
	n := from
	var behind []change
	for i := from; i < len(t.samples); i++ {
		changes := t.samples[i]
		if len(behind) > 0 {
			changes = summed(append(behind, changes...))
		}
		if behind = changes; keep(i) {
			t.samples[n], behind = changes, nil
			left += len(changes)
			n++
		}
	}
	clear(t.samples[n:])
	t.samples = t.samples[:n]
	return left
}

// appendTo appends the keys, column by column, as differences; then of each sample how many
// numbers changed, which, as differences, and by how much. All are varints.
func (t *track) appendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(t.keys)))
	for column := range t.arity {
		last := int32(0)
		for _, k := range t.keys {
			dst = binary.AppendVarint(dst, int64(k[column]-last))
			last = k[column]
		}
	}
	for _, changes := range t.samples {
		dst = binary.AppendUvarint(dst, uint64(len(changes)))
	}
	for _, changes := range t.samples {
		last := int32(-1)
		for _, c := range changes {
			dst = binary.AppendUvarint(dst, uint64(c.key-last-1))
			last = c.key
		}
	}
	for _, changes := range t.samples {
		for _, c := range changes {
			dst = binary.AppendVarint(dst, c.by)
		}
	}
	return dst
}
