package twin

import (
	"encoding/binary"
	"unsafe"
)

// Append appends what the behaviour of v depends on: two values of one type that write the same
// answer the same to the same inputs, if the Form is right. Fields are written in the order in
// which they stand; numbers have the byte order of the computer. What is written is a copy, which
// normalize may change before: it takes out what differs between values that answer the same.
func (f *Form[T]) Append(dst []byte, v *T, normalize func(c *T)) []byte {
	c := f.Clone(v)
	normalize(c)
	w := writer{dst: dst}
	w.reach(unsafe.Pointer(c), 1, f.layout())
	for next := 0; next < len(w.blocks); next++ {
		b := w.blocks[next]
		for element := range b.n {
			w.write(unsafe.Add(b.at, uintptr(element)*b.of.of.Size()), b.of)
		}
	}
	return w.dst
}

type writer struct {
	dst    []byte
	blocks []block // reached, in the order in which they were
}

func (w *writer) write(p unsafe.Pointer, of *layout) {
	for i := range of.ops {
		o := &of.ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case plain:
			w.dst = append(w.dst, unsafe.Slice((*byte)(at), o.length)...)
		case text:
			s := *(*string)(at)
			w.number(int64(len(s)))
			w.dst = append(w.dst, s...)
		case pointer, slice:
			w.follow(at, o)
		}
	}
}

func (w *writer) follow(at unsafe.Pointer, o *op) {
	n := 1
	if o.kind == slice {
		n = length(at)
		w.number(int64(n))
	}
	to := *(*unsafe.Pointer)(at)
	if to == nil || n == 0 {
		w.number(-1)
		return
	}
	i, offset := w.reach(to, n, o.to)
	w.number(int64(i))
	w.number(int64(offset))
}

// reach returns which block memory lies in, and where in it. A new one is written later.
func (w *writer) reach(p unsafe.Pointer, n int, of *layout) (i int, offset uintptr) {
	added := block{at: p, n: n, of: of}
	for i := range w.blocks {
		if b := &w.blocks[i]; b.begin() <= added.begin() && added.end() <= b.end() &&
			b.begin() < b.end() {
			return i, added.begin() - b.begin()
		}
	}
	w.blocks = append(w.blocks, added)
	return len(w.blocks) - 1, 0
}

func (w *writer) number(n int64) {
	w.dst = binary.NativeEndian.AppendUint64(w.dst, uint64(n))
}
