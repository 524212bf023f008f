package ir

// FixedKind is the type of a field of a fixed table.
type FixedKind uint8

// Types.
const (
	FixedUint FixedKind = iota // uint64
	FixedBool                  // bool
	FixedText                  // string, one of the field's choices if it has any
	FixedList                  // []uint64
)

// FixedField is a key or datum of a fixed table.
type FixedField struct {
	Name     string
	Kind     FixedKind
	Bits     int      // of a number or of each in a list
	Choices  []string // of a text; none allows any
	ReadOnly bool     // the driver reports it and refuses to write it
}

// FixedTable is a table that the driver has for every program: of the traffic manager, of ports,
// mirrors, multicast and the packet generator. Names are the driver's. The tables and fields here
// are the ones that a generator of flow control needs.
type FixedTable struct {
	Name    string
	ID      uint32 // in the driver's schema, 0 where it is not recorded here
	ByPipe  bool   // the pipe is part of the target, not of the key
	Keys    []FixedField
	Actions []string // empty if the table has no actions
	Fields  []FixedField
	Modify  bool // entries are there from the start: they are modified, not added
}

// FixedEntry is an entry of a fixed table.
type FixedEntry struct {
	Table  *FixedTable
	Pipe   int // of tables by pipe: 0 to 3, or -1 for all
	Action string
	Keys   []FixedDatum
	Data   []FixedDatum
}

// FixedDatum is the value of a field: a uint64, a bool, a string or a []uint64.
type FixedDatum struct {
	Field string
	Value any
}

// said returns a field of the entry's keys or data, zero if the entry does not have the field.
func said[T any](e *FixedEntry, field string) (value T) {
	value, _ = e.Value(field).(T)
	return value
}

// Value returns a field of the entry's keys or data, nil if the entry does not have the field.
func (e *FixedEntry) Value(field string) any {
	for _, data := range [][]FixedDatum{e.Keys, e.Data} {
		for _, datum := range data {
			if datum.Field == field {
				return datum.Value
			}
		}
	}
	return nil
}
