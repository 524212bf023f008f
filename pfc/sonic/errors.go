package sonic

import "strings"

// Error says which field of which table breaks a rule.
type Error struct {
	Table, Key, Field string // "BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "xoff"; may be empty
	Value             string
	Rule              string // "must be a number of bytes"
}

// Error formats as "sonic: BUFFER_PROFILE|name xoff = "x": must be a number of bytes".
func (e *Error) Error() string {
	return "sonic: " + where(e.Table, e.Key, e.Field) + " = \"" + e.Value + "\": " + e.Rule
}

// Note says what of a configuration is not carried over, and why.
type Note struct {
	Table, Key, Field string
	Why               string
}

// String formats as "BUFFER_QUEUE|Ethernet0|3-4 profile: why".
func (n Note) String() string { return where(n.Table, n.Key, n.Field) + ": " + n.Why }

func where(table, key, field string) string {
	var b strings.Builder
	b.WriteString(table)
	if key != "" {
		b.WriteString("|" + key)
	}
	if field != "" {
		b.WriteString(" " + field)
	}
	return b.String()
}
