package sluice

import (
	"fmt"
	"strconv"
)

// ConfigError says which field of a configuration broke which rule.
type ConfigError struct {
	Package string // "pfc"
	Type    string // "Config": what the field is of; empty if it is a parameter of a function
	Field   string // "Ports[3].Rate"
	Value   any    // what it was
	Rule    string // "must be positive"
}

// Error names package, field, value and rule:
//
//	pfc: Config.Ports[3].Rate = 0b/s: must be positive
func (e *ConfigError) Error() string {
	of := e.Package + ": "
	if e.Type != "" {
		of += e.Type + "."
	}
	return fmt.Sprintf("%s%s = %v: %s", of, e.Field, e.Value, e.Rule)
}

// FrameError says where a frame on the wire is not what its protocol allows. Parse returns
// values made at start-up, so that hostile frames cost no allocation.
type FrameError struct {
	Package string // "pfc"
	Offset  int    // of the offending field, in bytes from the start of the frame
	Rule    string // "EtherType is not 0x8808"
}

// Error names package, offset and rule:
//
//	pfc: frame offset 12: EtherType is not 0x8808
func (e *FrameError) Error() string {
	return e.Package + ": frame offset " + strconv.Itoa(e.Offset) + ": " + e.Rule
}
