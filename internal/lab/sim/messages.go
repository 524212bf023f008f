package sim

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// MessageFile has what happened to messages of jobs whose schedules are read in a window: a
// temporary file with a record for each, in the order of their indexes.
type MessageFile struct {
	file  *os.File
	first int // index of the first
	count int
	err   error
}

func newMessageFile(first, count int) (*MessageFile, error) {
	file, err := os.CreateTemp("", "sluice-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("sim: no temporary file for messages: %w", err)
	}
	_ = os.Remove(file.Name()) // Windows removes no file that is open
	return &MessageFile{file: file, first: first, count: count}, nil
}

// recordBytes is what a message takes; a record of zeros is of one that was not sent.
const recordBytes = 56

func appendRecord(b []byte, f *FlowResult) []byte {
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	b = u32(u32(b, uint32(f.Src)), uint32(f.Dst))
	b = binary.LittleEndian.AppendUint16(b, f.SrcPort)
	b = binary.LittleEndian.AppendUint16(b, f.DstPort)
	b = append(b, byte(f.Class), byte(f.Group), 0, 0)
	b = u64(u64(b, uint64(f.Bytes)), uint64(f.Start))
	return u64(u64(u64(b, uint64(f.FCT)), uint64(f.Ideal)), uint64(f.Acknowledged))
}

func recordOf(b []byte) (f FlowResult) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	f.Src, f.Dst = sluice.SwitchID(u32(b)), sluice.SwitchID(u32(b[4:]))
	f.SrcPort, f.DstPort = binary.LittleEndian.Uint16(b[8:]), binary.LittleEndian.Uint16(b[10:])
	f.Class, f.Group = sluice.Class(b[12]), workload.Group(b[13])
	f.Bytes, f.Start = sluice.Bytes(u64(b[16:])), sluice.Time(u64(b[24:]))
	f.FCT, f.Ideal = sluice.Time(u64(b[32:])), sluice.Time(u64(b[40:]))
	f.Acknowledged = sluice.Time(u64(b[48:]))
	return f
}

// keep writes the messages of a page that are of the file.
func (m *MessageFile) keep(p *page) error {
	b := make([]byte, 0, len(p.rows)*recordBytes)
	first := max(int(p.first), m.first)
	behind := min(int(p.first)+len(p.rows), m.first+m.count)
	for i := first; i < behind; i++ {
		if r := &p.rows[i-int(p.first)]; r.opened() {
			b = appendRecord(b, &r.FlowResult)
		} else {
			b = append(b, make([]byte, recordBytes)...)
		}
	}
	return m.write(first, b)
}

func (m *MessageFile) write(index int, b []byte) error {
	if _, err := m.file.WriteAt(b, int64(index-m.first)*recordBytes); err != nil {
		return fmt.Errorf("sim: the temporary file of messages: %w", err)
	}
	return nil
}

// Len returns how many messages there are.
func (m *MessageFile) Len() int { return m.count }

// Each visits all messages, in the order of their indexes. What cannot be read any more is left
// out: Err says why.
func (m *MessageFile) Each(visit func(*FlowResult)) {
	in := bufio.NewReaderSize(io.NewSectionReader(m.file, 0, int64(m.count)*recordBytes), 1<<16)
	var b [recordBytes]byte
	for range m.count {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			m.err = fmt.Errorf("sim: the temporary file of messages: %w", err)
			return
		}
		f := recordOf(b[:])
		visit(&f)
	}
}

// Err returns why Each left messages out.
func (m *MessageFile) Err() error { return m.err }

// at returns one message.
func (m *MessageFile) at(index int) (FlowResult, error) {
	var b [recordBytes]byte
	_, err := m.file.ReadAt(b[:], int64(index-m.first)*recordBytes)
	if err != nil && err != io.EOF {
		return FlowResult{}, fmt.Errorf("sim: the temporary file of messages: %w", err)
	}
	return recordOf(b[:]), nil
}
