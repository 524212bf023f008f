package emit

import "google.golang.org/protobuf/encoding/protowire"

// UpdateType is what an update does.
type UpdateType uint64

// Types of updates (bfruntime.proto).
const (
	Insert         UpdateType = 1
	Modify         UpdateType = 2
	Delete         UpdateType = 4
	InsertOrModify UpdateType = 5
)

// WriteRequest is a request of the run-time interface to change tables. Its numbers are the numbers
// of the schema that the switch has loaded.
type WriteRequest struct {
	Device, Pipe uint32 // AllPipes for all
	Client       uint32
	Program      string
	Updates      []Update
}

// Update is a change of one entry.
type Update struct {
	Type    UpdateType
	Table   uint32
	Default bool // the table's default entry, or the only entry of a table without keys
	Key     []KeyField
	Action  uint32 // 0 for none
	Data    []DataField
}

// KeyField is one key of an entry: exact, unless Mask, LPM or High is set.
type KeyField struct {
	ID     uint32
	Value  []byte
	Mask   []byte // of a ternary key
	Prefix int    // of a prefix, if LPM
	LPM    bool
	High   []byte // of a range, whose lower end is Value
}

// DataField is one datum of an entry: octets, unless Text, Bool or List is set.
type DataField struct {
	ID    uint32
	Value []byte
	Text  string  // str_val
	Bool  *bool   // bool_val
	List  []int32 // int_arr_val
}

// Append appends the request in the encoding of protocol buffers: fields in the order of their
// numbers, without fields that have the default value.
func (w *WriteRequest) Append(octets []byte) []byte {
	var target message
	target.number(1, uint64(w.Device))
	target.number(2, uint64(w.Pipe))
	target.number(3, 0xFF) // both directions
	target.number(4, 0xFF) // all parsers
	m := message(octets)
	m.bytes(1, target)
	m.number(2, uint64(w.Client))
	for at := range w.Updates {
		m.bytes(3, w.Updates[at].message())
	}
	m.bytes(5, message(w.Program))
	return m
}

func (u *Update) message() message {
	var entry, key, data message
	for at := range u.Key {
		key.bytes(1, u.Key[at].message())
	}
	data.number(1, uint64(u.Action))
	for at := range u.Data {
		data.bytes(2, u.Data[at].message())
	}
	entry.number(1, uint64(u.Table))
	if len(u.Key) > 0 {
		entry.bytes(2, key)
	}
	if len(data) > 0 {
		entry.bytes(3, data)
	}
	entry.number(4, protowire.EncodeBool(u.Default))
	var entity, m message
	entity.bytes(1, entry)
	m.number(1, uint64(u.Type))
	m.bytes(2, entity)
	return m
}

func (k *KeyField) message() message {
	var match, m message
	m.number(1, uint64(k.ID))
	match.bytes(1, k.Value)
	switch {
	case k.Mask != nil:
		match.bytes(2, k.Mask)
		m.bytes(3, match)
	case k.LPM:
		match.number(2, uint64(k.Prefix))
		m.bytes(4, match)
	case k.High != nil:
		match.bytes(2, k.High)
		m.bytes(5, match)
	default:
		m.bytes(2, match)
	}
	return m
}

func (d *DataField) message() message {
	var m message
	m.number(1, uint64(d.ID))
	switch {
	case d.Text != "":
		m.bytes(4, message(d.Text))
	case d.Bool != nil:
		m = protowire.AppendTag(m, 8, protowire.VarintType)
		m = protowire.AppendVarint(m, protowire.EncodeBool(*d.Bool))
	case d.List != nil:
		var packed, list message
		for _, value := range d.List {
			packed = protowire.AppendVarint(packed, uint64(int64(value)))
		}
		list.bytes(1, packed)
		m.bytes(5, list)
	default:
		m.bytes(2, d.Value)
	}
	return m
}

// message is a message of protocol buffers under construction.
type message []byte

// number appends a field that is a number, unless it is 0.
func (m *message) number(field protowire.Number, value uint64) {
	if value != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), value)
	}
}

// bytes appends a field that is octets or a message.
func (m *message) bytes(field protowire.Number, value []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), value)
}
