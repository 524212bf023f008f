package schedule

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// A trace of Chakra is a sequence of protobuf messages of et_def.proto, each behind its length as a
// varint: a GlobalMetadata, then a Node for each operation. The whole may be packed by gzip.

// chakraFile reads the messages of a file.
type chakraFile struct {
	in   *bufio.Reader
	name string
	at   int64 // of the next byte, in what gzip unpacks
	last int64 // of the message that was read last
}

// maxChakraMessage is the longest message, in bytes.
const maxChakraMessage = 1 << 26

func openChakra(r io.Reader, name string) (*chakraFile, error) {
	f := &chakraFile{in: bufio.NewReaderSize(r, 1<<16), name: name}
	if magic, err := f.in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := gzip.NewReader(f.in)
		if err != nil {
			return nil, f.errorAt(0, "%v", err)
		}
		f.in = bufio.NewReaderSize(unpacked, 1<<16)
	}
	return f, nil
}

func (f *chakraFile) errorAt(at int64, format string, args ...any) error {
	return &textfile.FileError{
		Name: f.name, Message: fmt.Sprintf("at byte %d: ", at) + fmt.Sprintf(format, args...),
	}
}

func (f *chakraFile) errorf(format string, args ...any) error {
	return f.errorAt(f.last, format, args...)
}

// ReadByte is what lengths are read by.
func (f *chakraFile) ReadByte() (byte, error) {
	c, err := f.in.ReadByte()
	if err == nil {
		f.at++
	}
	return c, err
}

// next reads the next message into a buffer; it is io.EOF at the end of the file.
func (f *chakraFile) next(message *bytes.Buffer) error {
	f.last = f.at
	length, err := binary.ReadUvarint(f)
	switch {
	case err == io.EOF && f.at == f.last:
		return io.EOF
	case err != nil:
		return f.errorf("the length of a message: %v", err)
	case length > maxChakraMessage:
		return f.errorf("a message of %d bytes: at most %d are possible", length, maxChakraMessage)
	}
	f.last = f.at
	message.Reset()
	// The buffer grows with what is there, not with what the length promises.
	n, err := io.CopyN(message, f.in, int64(length))
	f.at += n
	if err == io.EOF {
		return f.errorf("the file ends after %d of the %d bytes of a message", n, length)
	}
	if err != nil {
		return f.errorAt(f.at, "%v", err)
	}
	return nil
}

// field is one of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of numbers
	bytes  []byte // of strings and messages
	at     int64
}

// fields visits the fields of a message, which begins at a byte of the file.
func (f *chakraFile) fields(at int64, m []byte, visit func(field) error) error {
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return f.errorAt(at, "no field of a message: %v", protowire.ParseError(n))
		}
		d, size := field{number: number, kind: kind, at: at + int64(n)}, 0
		switch m = m[n:]; kind {
		case protowire.VarintType:
			d.value, size = protowire.ConsumeVarint(m)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(m)
			d.value = uint64(v)
		case protowire.Fixed64Type:
			d.value, size = protowire.ConsumeFixed64(m)
		case protowire.BytesType:
			d.bytes, size = protowire.ConsumeBytes(m)
			d.at += int64(size - len(d.bytes))
		default:
			size = protowire.ConsumeFieldValue(number, kind, m)
		}
		if size < 0 {
			return f.errorAt(d.at, "field %d of a message: %v", number, protowire.ParseError(size))
		}
		if err := visit(d); err != nil {
			return err
		}
		at, m = at+int64(n+size), m[size:]
	}
	return nil
}

// want refuses a field of another type than the schema has.
func (f *chakraFile) want(d field, kind protowire.Type, what string) error {
	if d.kind == kind {
		return nil
	}
	return f.errorAt(d.at, "%s has type %d on the wire: must be %d", what, d.kind, kind)
}

// metadata reads what a file begins with.
func (f *chakraFile) metadata(message *bytes.Buffer) error {
	err := f.next(message)
	if err == io.EOF {
		return f.errorf("the file is empty: it must begin with a GlobalMetadata")
	}
	if err != nil {
		return err
	}
	return f.fields(f.last, message.Bytes(), func(d field) error {
		if d.number > 2 {
			return f.errorAt(d.at, "the file must begin with a GlobalMetadata, which has no field %d",
				d.number)
		}
		return f.want(d, protowire.BytesType, "a field of GlobalMetadata")
	})
}

// chakraNode is a node as the file has it.
type chakraNode struct {
	id, kind, micros uint64
	inputs           string // values of its inputs
	waitsFor         []uint64
	attributes       map[string]attribute
}

// attribute is a value of any type: a number, or the bytes of a string or list.
type attribute struct {
	number   int64
	isNumber bool
	bytes    []byte
	field    protowire.Number // of the schema, which says the type
}

// Fields of an AttributeProto that are read beside numbers.
const (
	attributeBools  = 28
	attributeString = 29
)

// node reads the next node; it is io.EOF at the end.
func (f *chakraFile) node(message *bytes.Buffer) (*chakraNode, error) {
	if err := f.next(message); err != nil {
		return nil, err
	}
	n := &chakraNode{attributes: map[string]attribute{}}
	err := f.fields(f.last, message.Bytes(), func(d field) error {
		switch d.number {
		case 1:
			n.id = d.value
			return f.want(d, protowire.VarintType, "the id of a node")
		case 3:
			n.kind = d.value
			return f.want(d, protowire.VarintType, "the type of a node")
		case 4, 5:
			return f.dependencies(d, n)
		case 7:
			n.micros = d.value
			return f.want(d, protowire.VarintType, "duration_micros")
		case 8:
			return f.inputs(d, n)
		case 10:
			return f.attribute(d, n)
		}
		return nil
	})
	return n, err
}

// dependencies reads one id, or a packed list of them.
func (f *chakraFile) dependencies(d field, n *chakraNode) error {
	if d.kind == protowire.VarintType {
		n.waitsFor = append(n.waitsFor, d.value)
		return nil
	}
	if err := f.want(d, protowire.BytesType, "a list of dependencies"); err != nil {
		return err
	}
	for at, list := d.at, d.bytes; len(list) > 0; {
		id, size := protowire.ConsumeVarint(list)
		if size < 0 {
			return f.errorAt(at, "a list of dependencies: %v", protowire.ParseError(size))
		}
		n.waitsFor = append(n.waitsFor, id)
		at, list = at+int64(size), list[size:]
	}
	return nil
}

func (f *chakraFile) inputs(d field, n *chakraNode) error {
	if err := f.want(d, protowire.BytesType, "inputs"); err != nil {
		return err
	}
	return f.fields(d.at, d.bytes, func(v field) error {
		if v.number == 1 {
			n.inputs = string(v.bytes)
		}
		return nil
	})
}

func (f *chakraFile) attribute(d field, n *chakraNode) error {
	if err := f.want(d, protowire.BytesType, "an attribute"); err != nil {
		return err
	}
	name, a := "", attribute{}
	err := f.fields(d.at, d.bytes, func(v field) error {
		switch {
		case v.number == 1:
			name = string(v.bytes)
			return f.want(v, protowire.BytesType, "the name of an attribute")
		case v.number >= 3 && v.number <= 32:
			a = attribute{field: v.number, bytes: bytes.Clone(v.bytes)}
			a.number, a.isNumber = v.integer()
		}
		return nil
	})
	n.attributes[name] = a
	return err
}

// integer returns the value of a number of an AttributeProto; false if it is none, or none of 63
// bits and a sign.
func (d field) integer() (int64, bool) {
	switch d.number {
	case 3: // double
		return whole(math.Float64frombits(d.value))
	case 5: // float
		return whole(float64(math.Float32frombits(uint32(d.value))))
	case 7, 9, 25: // int32, int64, sfixed64
		return int64(d.value), true
	case 11, 13, 19, 21, 27: // uint32, uint64, fixed32, fixed64, bool
		return int64(d.value), d.value <= math.MaxInt64
	case 15, 17: // sint32, sint64
		return protowire.DecodeZigZag(d.value), true
	case 23: // sfixed32
		return int64(int32(d.value)), true
	}
	return 0, false
}

func whole(v float64) (int64, bool) {
	return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<62
}
