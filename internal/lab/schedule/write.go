package schedule

import (
	"bufio"
	"io"
	"strconv"
)

// WriteText writes a schedule as GOAL's text, as LogGOPSim's Schedgen does: the operations of a
// rank have the labels l1, l2 and so on. Read reads it back as the same schedule.
func (s *Schedule) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := append([]byte("num_ranks "), strconv.Itoa(s.Ranks)...)
	for rank := range s.Ranks {
		line = append(line, "\n\nrank "...)
		line = strconv.AppendInt(line, int64(rank), 10)
		line = append(line, " {\n"...)
		first := s.first[rank]
		for i := first; i < s.first[rank+1]; i++ {
			line = appendLabel(line, i-first)
			line = append(line, ": "...)
			line = s.operations[i].appendText(line)
			line = append(line, '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
			line = line[:0]
		}
		for i := first; i < s.first[rank+1]; i++ {
			line = appendEdges(line, s.after[s.afterAt[i]:s.afterAt[i+1]], first, " requires ", i-first)
			line = appendEdges(
				line, s.besides[s.besidesAt[i]:s.besidesAt[i+1]], first, " irequires ", i-first,
			)
		}
		line = append(line, '}')
		if _, err := out.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	_ = out.WriteByte('\n') // the error stays with the writer
	return out.Flush()
}

func appendLabel(line []byte, i int32) []byte {
	return strconv.AppendInt(append(line, 'l'), int64(i)+1, 10)
}

func appendEdges(line []byte, waits []int32, first int32, word string, on int32) []byte {
	for _, w := range waits {
		line = appendLabel(line, w-first)
		line = append(line, word...)
		line = appendLabel(line, on)
		line = append(line, '\n')
	}
	return line
}

func (o *Operation) appendText(line []byte) []byte {
	number := func(word string, n int64) {
		line = append(line, word...)
		line = strconv.AppendInt(line, n, 10)
	}
	line = append(line, o.Kind.String()...)
	number(" ", o.Size)
	switch o.Kind {
	case Send:
		number("b to ", int64(o.Peer))
		number(" tag ", int64(o.Tag))
	case Recv:
		number("b from ", int64(o.Peer))
		number(" tag ", int64(o.Tag))
	}
	if o.CPU > 0 {
		number(" cpu ", int64(o.CPU))
	}
	if o.NIC > 0 {
		number(" nic ", int64(o.NIC))
	}
	return line
}
