package schedule

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// DefaultWindow is how many operations of a rank are read at a time.
const DefaultWindow = 1024

// MaxWindow is the most.
const MaxWindow = 1 << 20

// mostWindows is how many windows of a rank are open at most.
const mostWindows = 256

// spool has the operations of a schedule in a temporary file, from which they are read piece by
// piece: each with what it waits for, whatever order the file of the user has them in.
type spool struct {
	file      *os.File
	size      int64
	name      string      // of the user's file
	unit      string      // what places are: "line" or "byte"
	starts    [][]int64   // by rank, then piece; one more at the end
	outlines  []outline   // by rank
	peers     [][]traffic // by rank
	irequires bool        // some operation waits for the start of another
	encoded   []byte
	digest    *xxhash.Digest
}

func (p *spool) grow(ranks int) {
	p.starts, p.outlines = make([][]int64, ranks), make([]outline, ranks)
	p.peers = make([][]traffic, ranks)
}

// traffic is what a rank sends to another in an iteration.
type traffic struct {
	to       int32
	messages int32
	bytes    sluice.Bytes // of messages as flows: a message of 0 bytes has one
}

// newSpool makes the temporary file. It has no name any more where the system allows that, and is
// gone with the process or when nothing refers to it.
func newSpool(name string, window int) (*Schedule, error) {
	if window < 1 || window > MaxWindow {
		return nil, configError("window", window, fmt.Sprintf("must be 1 to %d", MaxWindow))
	}
	file, err := temporary()
	if err != nil {
		return nil, err
	}
	return &Schedule{
		cpus: 1, shift: uint(bits.Len(uint(window - 1))),
		spool: &spool{file: file, name: name, digest: xxhash.New()},
	}, nil
}

// temporary returns a file for what does not stay in memory.
func temporary() (*os.File, error) {
	file, err := os.CreateTemp("", "sluice-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("schedule: no temporary file: %w", err)
	}
	_ = os.Remove(file.Name()) // Windows removes no file that is open
	return file, nil
}

// add writes a rank behind those that are there. The rank is of no use afterwards.
func (p *spool) add(rank int, r *rankBuilder, shift uint) error {
	w := newWaiting(r)
	if walk := circle(w.waits, w.each); walk != nil {
		return p.errorAt(r.places[walk[0]], "%s", describeCircle(walk, func(i int32) string {
			return nameOf(rank, i, &r.operations[i])
		}))
	}
	uses, sent := usesOf(r.operations)
	o := outlineOf(r.operations, w.waits, w.most, w.eager, shift)
	starts := make([]int64, 0, o.pieces+1)
	for first := 0; first < len(r.operations); first += 1 << shift {
		starts = append(starts, p.size)
		p.encoded = p.encoded[:0]
		place := int64(0)
		for i := first; i < min(first+1<<shift, len(r.operations)); i++ {
			p.encoded = appendOperation(p.encoded, &r.operations[i])
			p.encoded = binary.AppendVarint(p.encoded, r.places[i]-place)
			place = r.places[i]
			p.encoded = binary.AppendUvarint(p.encoded, uint64(w.waits[i]))
			p.encoded = binary.AppendUvarint(p.encoded, uint64(uses[i]))
			for _, list := range [...][]int32{w.after(int32(i)), w.besides(int32(i))} {
				p.encoded = binary.AppendUvarint(p.encoded, uint64(len(list)))
				for _, on := range list {
					p.encoded = binary.AppendVarint(p.encoded, int64(on)-int64(i))
				}
			}
		}
		_, _ = p.digest.Write(p.encoded) // it never fails
		if _, err := p.file.WriteAt(p.encoded, p.size); err != nil {
			return fmt.Errorf("schedule: the temporary file of %s: %w", p.name, err)
		}
		p.size += int64(len(p.encoded))
	}
	p.starts[rank], p.outlines[rank], p.peers[rank] = append(starts, p.size), o, sent
	p.irequires = p.irequires || slices.Contains(w.eager, true)
	return nil
}

func (p *spool) errorAt(place int64, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if p.unit == "line" {
		return &textfile.FileError{Name: p.name, Line: int(place), Message: text}
	}
	return &textfile.FileError{Name: p.name, Message: fmt.Sprintf("at byte %d: %s", place, text)}
}

func appendOperation(to []byte, o *Operation) []byte {
	to = append(to, byte(o.Kind), o.CPU, o.NIC)
	to = binary.AppendUvarint(to, uint64(o.Size))
	if o.Kind != Calc {
		to = binary.AppendUvarint(to, uint64(o.Peer))
		to = binary.AppendUvarint(to, uint64(o.Tag))
	}
	return to
}

// usesOf counts the sends, and the receives, of each peer and tag.
func usesOf(operations []Operation) (uses []int32, sent []traffic) {
	type key struct {
		kind Kind
		peer int32
		tag  uint32
	}
	count, peers := map[key]int32{}, map[int32]traffic{}
	for i := range operations {
		o := &operations[i]
		if o.Kind == Calc {
			continue
		}
		count[key{o.Kind, o.Peer, o.Tag}]++
		if o.Kind == Send {
			t := peers[o.Peer]
			peers[o.Peer] = traffic{o.Peer, t.messages + 1, t.bytes + o.flowBytes()}
		}
	}
	uses = make([]int32, len(operations))
	for i := range operations {
		o := &operations[i]
		uses[i] = count[key{o.Kind, o.Peer, o.Tag}]
	}
	for _, t := range peers {
		sent = append(sent, t)
	}
	slices.SortFunc(sent, func(a, b traffic) int { return int(a.to) - int(b.to) })
	return uses, sent
}

// read reads a piece of a rank, whose first operation has a number.
func (p *spool) read(
	rank int32, k int, first int32, shift uint, buffer *[]byte, into *piece,
) error {
	from, behind := p.starts[rank][k], p.starts[rank][k+1]
	b := slices.Grow((*buffer)[:0], int(behind-from))[:behind-from]
	*buffer = b
	if _, err := p.file.ReadAt(b, from); err != nil && err != io.EOF {
		return fmt.Errorf("schedule: the temporary file of %s: %w", p.name, err)
	}
	into.base = first + int32(k)<<shift
	into.operations, into.waits = into.operations[:0], into.waits[:0]
	into.uses, into.places = into.uses[:0], into.places[:0]
	into.after, into.besides = into.after[:0], into.besides[:0]
	into.afterAt = append(into.afterAt[:0], 0)
	into.besidesAt = append(into.besidesAt[:0], 0)
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return n
	}
	signed := func() int64 {
		n, size := binary.Varint(b)
		b = b[size:]
		return n
	}
	place := int64(0)
	for i := into.base; len(b) > 0; i++ {
		o := Operation{Kind: Kind(b[0]), CPU: b[1], NIC: b[2]}
		b = b[3:]
		o.Size = int64(number())
		if o.Kind != Calc {
			o.Peer, o.Tag = int32(number()), uint32(number())
		}
		place += signed()
		into.operations, into.places = append(into.operations, o), append(into.places, place)
		into.waits = append(into.waits, int32(number()))
		into.uses = append(into.uses, int32(number()))
		for n := number(); n > 0; n-- {
			into.after = append(into.after, i+int32(signed()))
		}
		for n := number(); n > 0; n-- {
			into.besides = append(into.besides, i+int32(signed()))
		}
		into.afterAt = append(into.afterAt, int32(len(into.after)))
		into.besidesAt = append(into.besidesAt, int32(len(into.besides)))
	}
	return nil
}

// waiting is what waits for what in a rank, whose operations are counted from 0.
type waiting struct {
	waits, most []int32 // see outlineOf
	eager       []bool
	list        [2][]int32 // for the ends, for the starts
	at          [2][]int32
}

// newWaiting sorts the edges of a rank by what is waited for, in linear time.
func newWaiting(r *rankBuilder) *waiting {
	n := len(r.operations)
	w := &waiting{
		waits: make([]int32, n), most: slices.Repeat([]int32{none}, n), eager: make([]bool, n),
	}
	for side := range w.at {
		w.at[side] = make([]int32, n+2)
	}
	side := func(e *edge) int {
		if e.start {
			return 1
		}
		return 0
	}
	for i := range r.edges {
		e := &r.edges[i]
		w.waits[e.waits]++
		w.most[e.waits] = max(w.most[e.waits], e.on)
		w.eager[e.on] = w.eager[e.on] || e.start
		w.at[side(e)][e.on+2]++
	}
	for s := range w.at {
		for i := 2; i < n+2; i++ {
			w.at[s][i] += w.at[s][i-1]
		}
		w.list[s] = make([]int32, w.at[s][n+1])
	}
	for i := range r.edges {
		e := &r.edges[i]
		at := &w.at[side(e)][e.on+1]
		w.list[side(e)][*at] = e.waits
		*at++
	}
	for s := range w.at {
		for i := range n {
			slices.Sort(w.of(s, int32(i)))
		}
	}
	return w
}

func (w *waiting) of(side int, i int32) []int32 {
	return w.list[side][w.at[side][i]:w.at[side][i+1]]
}

func (w *waiting) after(i int32) []int32   { return w.of(0, i) }
func (w *waiting) besides(i int32) []int32 { return w.of(1, i) }

// each visits what waits for the end or the start of an operation.
func (w *waiting) each(i int32, visit func(int32)) {
	for side := range w.list {
		for _, o := range w.of(side, i) {
			visit(o)
		}
	}
}

// pieceShift is the shift of a schedule in memory.
const pieceShift = 10
