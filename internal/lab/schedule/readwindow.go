package schedule

import (
	"bufio"
	"io"
)

// File is what a file is read through. *os.File is one.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// ReadInWindow is Read for what is larger than memory: it checks the file and puts what it says
// into a temporary file, in which each operation has what it waits for. Ranks read from there,
// some operations of a rank at a time: window, rounded up to a power of two. What comes out of a
// run is the same for any window, and as after Read, except that receives which no message matches
// are named at the end of the run, and that what held queues did, and the timeline, are not kept.
// Memory is proportional to the largest rank, and to what ranks have under way.
func ReadInWindow(file File, name string, window int) (*Schedule, error) {
	s, err := newSpool(name, window)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(file, 1<<16)
	if start, err := in.Peek(len(cookie)); err == nil && string(start) == cookie {
		s.spool.unit = "byte"
		n := int64(len(cookie))
		return readBinary(io.NewSectionReader(file, n, size-n), size-n, name, s)
	}
	s.spool.unit = "line"
	return readText(in, name, s)
}

// ReadChakraInWindow is ReadChakra as ReadInWindow is Read. Files are read one after the other, as
// streams.
func ReadChakraInWindow(
	ranks int, open func(rank int) (io.ReadCloser, string, error), options ChakraOptions, name string,
	window int,
) (*Schedule, error) {
	s, err := newSpool(name, window)
	if err != nil {
		return nil, err
	}
	s.spool.unit = "byte"
	return readChakra(ranks, open, options, s)
}

// InWindowOf returns a schedule in memory as ReadInWindow returns one of a file: what stands behind
// such a job must be read in a window, too.
func (s *Schedule) InWindowOf(window int) (*Schedule, error) {
	w, err := newSpool("a schedule", window)
	if err != nil {
		return nil, err
	}
	w.spool.unit = "place"
	b := newBuilder(s.Ranks, w)
	for rank := range s.Ranks {
		r, first := &b.ranks[rank], s.first[rank]
		for i := first; i < s.first[rank+1]; i++ {
			b.place = int64(i - first)
			b.Add(rank, s.operations[i])
			for _, waits := range s.after[s.afterAt[i]:s.afterAt[i+1]] {
				r.edges = append(r.edges, edge{waits - first, i - first, false})
			}
			for _, waits := range s.besides[s.besidesAt[i]:s.besidesAt[i+1]] {
				r.edges = append(r.edges, edge{waits - first, i - first, true})
			}
		}
		if err := b.finish(rank); err != nil {
			return nil, err
		}
	}
	return b.Build()
}
