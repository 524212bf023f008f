package schedule

import (
	"encoding/binary"
	"fmt"
	"os"
)

// trail keeps what released each operation of the last iteration, which Critical follows back: of a
// schedule in memory too, of one that is read in a window in a temporary file.
type trail struct {
	released, releasedStart []int32
	file                    *os.File
	err                     error // why there is no file
	starts                  bool
}

func newTrail(s *Schedule) (t trail) {
	if t.starts = s.irequires(); s.spool == nil {
		t.released = make([]int32, len(s.operations))
		if t.starts {
			t.releasedStart = make([]int32, len(s.operations))
		}
	} else {
		t.file, t.err = temporary()
	}
	return t
}

// lend has a piece note its part of the trail where it stays.
func (t *trail) lend(p *piece) {
	if t.released == nil {
		return
	}
	behind := int(p.base) + len(p.operations)
	if p.released = t.released[p.base:behind]; t.starts {
		p.releasedStart = t.releasedStart[p.base:behind]
	}
}

const trailBytes = 8 // of an operation

// keep writes what a piece noted.
func (t *trail) keep(p *piece) error {
	if t.err != nil {
		return t.err
	}
	b := make([]byte, 0, trailBytes*len(p.operations))
	for i := range p.operations {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.released[i]))
		start := int32(none)
		if t.starts {
			start = p.releasedStart[i]
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(start))
	}
	if _, err := t.file.WriteAt(b, trailBytes*int64(p.base)); err != nil {
		return fmt.Errorf("schedule: the temporary file of the critical path: %w", err)
	}
	return nil
}

// of returns what released an operation, and what released it before its start if it is a receive.
func (t *trail) of(operation int32) (released, start int32, err error) {
	if t.file == nil {
		if released = t.released[operation]; t.starts {
			start = t.releasedStart[operation]
		}
		return released, start, nil
	}
	var b [trailBytes]byte
	if _, err := t.file.ReadAt(b[:], trailBytes*int64(operation)); err != nil {
		return 0, 0, fmt.Errorf("schedule: the temporary file of the critical path: %w", err)
	}
	return int32(binary.LittleEndian.Uint32(b[:])), int32(binary.LittleEndian.Uint32(b[4:])), nil
}
