package ir

import "fmt"

// Config is what fills a program: entries, defaults and contents of registers, and entries of the
// tables that every program finds on the chip. It is a value to be read.
type Config struct {
	Tables    []TableConfig
	Registers []RegisterEntry
	Fixed     []FixedEntry
}

// TableConfig is what one table of the program holds.
type TableConfig struct {
	Table   *Table
	Entries []Entry
	Default *Call // in place of the program's default, unless nil
}

// Entry is a row of a table: one value for each key, and the call that runs where all keys match.
// Of several matching entries the one with the lowest Priority runs, or with the longest prefix.
type Entry struct {
	Keys     []KeyValue
	Priority int // only of tables with ternary or range keys
	Call
}

// KeyValue is the value of one key in an entry.
type KeyValue struct {
	Value Value // of a range: its lower end
	Mask  Value // of a ternary key: where it is compared; of a range: its upper end
	Bits  int   // of a prefix: its length
}

// ExactKey matches one value.
func ExactKey(value uint64) KeyValue { return KeyValue{Value: Uint(value)} }

// TernaryKey matches values that are equal to value where mask has ones.
func TernaryKey(value, mask uint64) KeyValue {
	return KeyValue{Value: Uint(value), Mask: Uint(mask)}
}

// PrefixKey matches values that begin with the first bits of value.
func PrefixKey(value Value, bits int) KeyValue { return KeyValue{Value: value, Bits: bits} }

// RangeKey matches values from low to high, both included.
func RangeKey(low, high uint64) KeyValue { return KeyValue{Value: Uint(low), Mask: Uint(high)} }

// RegisterEntry is the content of one element in place of the register's initial one.
type RegisterEntry struct {
	Register *Register
	Pipe     int // 0 to 3, or -1 for all
	Index    int
	Value    [2]uint32 // the low half first; a register that is no pair has no second
}

// place names an entry of a table for a fault.
func place(table *Table, entry int) string {
	return fmt.Sprintf("table %s, entry %d", table.Name, entry)
}
