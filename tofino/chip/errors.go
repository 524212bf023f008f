package chip

import "fmt"

// RangeError says which number is not one of the chip's.
type RangeError struct {
	Field string // "queue"
	Value int    // what it was
	Rule  string // "must be 0 to 127"
}

// Error formats as "chip: queue = 130: must be 0 to 127".
func (e *RangeError) Error() string {
	return fmt.Sprintf("chip: %s = %d: %s", e.Field, e.Value, e.Rule)
}

// within returns the error of a value that is not from 0 to most.
func within(field string, value, most int) error {
	if value >= 0 && value <= most {
		return nil
	}
	return &RangeError{field, value, fmt.Sprintf("must be 0 to %d", most)}
}
