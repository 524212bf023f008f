package schedule

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// cookie is what a binary file begins with: 4223 in 64 bits. All numbers are little-endian.
const cookie = "\x7f\x10\x00\x00\x00\x00\x00\x00"

// A binary file has behind the cookie the number of ranks in 32 bits, the largest numbers of a
// stream and of a card in 8 bits each, and two offsets for each rank in 64 bits, counted from
// behind the cookie: of its piece, and of the end of that. A piece has the number of operations,
// the number of those that wait for nothing, and their numbers; the operations; and a list of
// operations, of which each operation names those that wait for its end, and for its start.
const (
	headBytes      = 6
	jumpBytes      = 16
	operationBytes = 39
)

// readBinary reads a file as txt2bin of LogGOPSim writes it, of which size bytes are behind the
// cookie.
func readBinary(r io.ReaderAt, size int64, name string, windowed *Schedule) (*Schedule, error) {
	f := binaryFile{in: r, size: size, name: name, windowed: windowed}
	if err := f.read(); err != nil {
		return nil, err
	}
	return buildFile(f.b, name)
}

type binaryFile struct {
	in       io.ReaderAt // behind the cookie
	size     int64
	name     string
	b        *Builder
	windowed *Schedule // nil if all stays in memory
	bytes    []byte
}

func (f *binaryFile) errorf(at int64, format string, args ...any) error {
	return &textfile.FileError{Name: f.name, Message: fmt.Sprintf("at byte %d: %s",
		at+int64(len(cookie)), fmt.Sprintf(format, args...))}
}

// part reads a part of the file that is there.
func (f *binaryFile) part(from, to int64) ([]byte, error) {
	f.bytes = slices.Grow(f.bytes[:0], int(to-from))[:to-from]
	if n, err := f.in.ReadAt(f.bytes, from); n < len(f.bytes) {
		return nil, f.errorf(from+int64(n), "%v", err)
	}
	return f.bytes, nil
}

func (f *binaryFile) read() error {
	if f.size < headBytes {
		return f.errorf(f.size, "the file ends within its head")
	}
	head, err := f.part(0, headBytes)
	if err != nil {
		return err
	}
	ranks := int(binary.LittleEndian.Uint32(head))
	if ranks < 1 || ranks > MaxRanks {
		return f.errorf(0, "%d ranks: must be 1 to %d", ranks, MaxRanks)
	}
	if f.size < headBytes+int64(ranks)*jumpBytes {
		return f.errorf(f.size, "the file ends within the list of its %d ranks", ranks)
	}
	jumps, err := f.part(headBytes, headBytes+int64(ranks)*jumpBytes)
	if err != nil {
		return err
	}
	jumps = bytes.Clone(jumps)
	f.b = newBuilder(ranks, f.windowed)
	for rank := range ranks {
		from := binary.LittleEndian.Uint64(jumps[rank*jumpBytes:])
		to := binary.LittleEndian.Uint64(jumps[rank*jumpBytes+8:])
		if from > to || to > uint64(f.size) {
			return f.errorf(headBytes+int64(rank)*jumpBytes,
				"rank %d is from %d to %d of %d bytes", rank, from, to, f.size)
		}
		piece, err := f.part(int64(from), int64(to))
		if err == nil {
			err = f.piece(rank, int64(from), piece)
		}
		if err == nil {
			err = f.b.finish(rank)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece reads a rank, which begins at a byte of the file.
func (f *binaryFile) piece(rank int, from int64, piece []byte) error {
	errorf := func(at int, format string, args ...any) error {
		return f.errorf(from+int64(at), format, args...)
	}
	if len(piece) < 8 {
		return errorf(0, "rank %d has %d bytes", rank, len(piece))
	}
	count := int(binary.LittleEndian.Uint32(piece))
	start := 8 + 4*int(binary.LittleEndian.Uint32(piece[4:]))
	list := start + count*operationBytes
	if list > len(piece) {
		return errorf(0, "rank %d has %d bytes: too few for its %d operations", rank, len(piece), count)
	}
	said, found := make([]uint32, count), make([]uint32, count)
	for i := range count {
		at := start + i*operationBytes
		n := piece[at : at+operationBytes]
		said[i] = binary.LittleEndian.Uint32(n)
		o := Operation{
			Kind: Kind(n[4]), Peer: int32(binary.LittleEndian.Uint32(n[5:])),
			Size: int64(binary.LittleEndian.Uint64(n[9:])), Tag: binary.LittleEndian.Uint32(n[17:]),
			CPU: n[21], NIC: n[22],
		}
		f.b.place = from + int64(at) + int64(len(cookie))
		if f.b.Add(rank, o); f.b.err != nil {
			return errorf(at, "%v", f.b.err)
		}
	}
	left := (len(piece) - list) / 4 // places of the list, each of which is named once
	for i := range count {
		at := start + i*operationBytes
		for side, where := range [...]int{at + 23, at + 31} {
			n := int(binary.LittleEndian.Uint32(piece[where:]))
			first := int(binary.LittleEndian.Uint32(piece[where+4:]))
			if left -= n; left < 0 || n > 0 && list+4*(first+n) > len(piece) {
				return errorf(where, "operation %d of rank %d names operations behind its end", i+1, rank)
			}
			for k := range n {
				place := list + 4*(first+k)
				waits := binary.LittleEndian.Uint32(piece[place:])
				if int(waits) >= count {
					return errorf(place, "rank %d has %d operations, not operation %d", rank, count, waits+1)
				}
				found[waits]++
				f.b.connect(rank, Label(waits), Label(i), side == 1)
			}
		}
	}
	for i := range count {
		if said[i] != found[i] {
			return errorf(start+i*operationBytes,
				"operation %d of rank %d waits for %d others, but %d name it", i+1, rank, said[i], found[i])
		}
	}
	return nil
}

// WriteBinary writes a schedule in GOAL's binary form, which LogGOPSim reads.
func (s *Schedule) WriteBinary(w io.Writer) error {
	var pieces bytes.Buffer
	head := append([]byte(cookie), 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(head[len(cookie):], uint32(s.Ranks))
	for i := range s.operations {
		o := &s.operations[i]
		head[len(cookie)+4] = max(head[len(cookie)+4], o.CPU)
		head[len(cookie)+5] = max(head[len(cookie)+5], o.NIC)
	}
	base := headBytes + s.Ranks*jumpBytes
	for rank := range s.Ranks {
		head = binary.LittleEndian.AppendUint64(head, uint64(base+pieces.Len()))
		pieces.Write(s.piece(rank))
		head = binary.LittleEndian.AppendUint64(head, uint64(base+pieces.Len()))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := pieces.WriteTo(w)
	return err
}

// piece returns a rank as it is in a binary file.
func (s *Schedule) piece(rank int) []byte {
	first, behind := s.first[rank], s.first[rank+1]
	var free, nodes, list []byte
	roots, named := uint32(0), uint32(0)
	u32 := binary.LittleEndian.AppendUint32
	for i := first; i < behind; i++ {
		if s.waits[i] == 0 {
			free = u32(free, uint32(i-first))
			roots++
		}
		o := &s.operations[i]
		nodes = append(u32(nodes, uint32(s.waits[i])), byte(o.Kind))
		nodes = binary.LittleEndian.AppendUint64(u32(nodes, uint32(o.Peer)), uint64(o.Size))
		nodes = append(u32(nodes, o.Tag), o.CPU, o.NIC)
		for _, waits := range [...][]int32{
			s.after[s.afterAt[i]:s.afterAt[i+1]], s.besides[s.besidesAt[i]:s.besidesAt[i+1]],
		} {
			nodes = u32(u32(nodes, uint32(len(waits))), named)
			named += uint32(len(waits))
			for _, w := range waits {
				list = u32(list, uint32(w-first))
			}
		}
	}
	piece := u32(u32(nil, uint32(behind-first)), roots)
	return append(append(append(piece, free...), nodes...), list...)
}
